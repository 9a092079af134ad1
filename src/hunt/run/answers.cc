#include "hunt/run/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "probe/transcript.h"

namespace isolde::hunt {
namespace {

std::string_view outcome_name(Ran ran) {
  switch (ran) {
    case Ran::kNotSent:
      return "not sent";
    case Ran::kDone:
      return "done";
    case Ran::kFailed:
      return "refused";
    case Ran::kTimedOut:
      return "timed out";
  }
  return "";
}

std::string_view outcome_name(Ended end) {
  switch (end) {
    case Ended::kCommitted:
      return "committed";
    case Ended::kRolledBack:
      return "rolled back";
    case Ended::kAborted:
      return "aborted";
    case Ended::kUnknown:
      return "unknown";
  }
  return "";
}

std::optional<std::string> run_difference(const StatementRun& a, const StatementRun& b) {
  if (a.ran != b.ran) return fmt::format("{}, then {}", outcome_name(a.ran), outcome_name(b.ran));
  if (a.apart != b.apart)
    return fmt::format("it {}, then it {}", a.apart ? "waited" : "did not wait", b.apart ? "did" : "did not");
  if (a.ran != Ran::kNotSent && !same_answer(a.reply, b.reply))
    return fmt::format("{}, then {}", answer_text(a.reply), answer_text(b.reply));
  if (a.seen != b.seen) return "the rows that it saw differ";
  if (a.left != b.left) return "the rows that it left differ";
  if (a.about_to_change != b.about_to_change) return "the rows that it was about to change differ";
  return std::nullopt;
}

int compare_cells(const db::Cell& a, const db::Cell& b) {
  const auto* const x = std::get_if<double>(&a);
  const auto* const y = std::get_if<double>(&b);
  // A number that is none would be equal to nothing, not even to itself.
  if (x != nullptr && y != nullptr && (std::isnan(*x) || std::isnan(*y)))
    return static_cast<int>(std::isnan(*x)) - static_cast<int>(std::isnan(*y));
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_rows(const db::Reply& a, std::size_t row_a, const db::Reply& b, std::size_t row_b) {
  for (std::size_t column = 0; column < a.width; ++column) {
    if (const int order = compare_cells(a.at(row_a, column), b.at(row_b, column)); order != 0) return order;
  }
  return 0;
}

std::vector<std::size_t> order_of_rows(const db::Reply& reply) {
  std::vector<std::size_t> rows(reply.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::sort(rows.begin(), rows.end(),
            [&](std::size_t x, std::size_t y) { return compare_rows(reply, x, reply, y) < 0; });
  return rows;
}

}  // namespace

std::vector<std::string> sorted_rows(const db::Reply& reply) {
  std::vector<std::string> rows;
  rows.reserve(reply.rows());
  for (std::size_t row = 0; row < reply.rows(); ++row) {
    std::string text = "(";
    for (std::size_t column = 0; column < reply.width; ++column) {
      const db::Cell& cell = reply.at(row, column);
      const auto* const real = std::get_if<double>(&cell);
      if (column > 0) text += ", ";
      text += real != nullptr ? fmt::format("{:#}", *real) : probe::cell_text(cell);  // 1.0, not 1
    }
    rows.push_back(std::move(text) + ")");
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

bool same_answer(const db::Reply& a, const db::Reply& b) {
  if (a.done() != b.done()) return false;
  if (!a.done()) return a.failure.code == b.failure.code;
  if (a.width != b.width || a.changed != b.changed || a.cells.size() != b.cells.size()) return false;
  const std::vector<std::size_t> rows_a = order_of_rows(a), rows_b = order_of_rows(b);
  for (std::size_t i = 0; i < rows_a.size(); ++i) {
    if (compare_rows(a, rows_a[i], b, rows_b[i]) != 0) return false;
  }
  return true;
}

std::string answer_text(const db::Reply& reply) {
  if (!reply.done()) return fmt::format("refused: {}: {}", reply.failure.code, reply.failure.text);
  const auto counted = [](std::uint64_t rows) { return fmt::format("{} row{}", rows, rows == 1 ? "" : "s"); };
  if (reply.width == 0) return counted(reply.changed) + " changed";
  if (reply.rows() == 0) return "no rows";
  return fmt::format("{}: {}", counted(reply.rows()), fmt::join(sorted_rows(reply), ", "));
}

std::optional<std::string> difference(const Execution& a, const Execution& b) {
  for (std::uint32_t t = 0; t < a.runs.size() && t < b.runs.size(); ++t) {
    for (std::uint32_t s = 0; s < a.runs[t].size() && s < b.runs[t].size(); ++s) {
      if (auto how = run_difference(a.runs[t][s], b.runs[t][s]))
        return fmt::format("{}: {}", hunt::name(Place{t, s}), *how);
    }
    if (a.ends[t] != b.ends[t])
      return fmt::format("T{}: {}, then {}", t + 1, outcome_name(a.ends[t]), outcome_name(b.ends[t]));
  }
  if (a.answered != b.answered) return "the answers came in another order";
  for (const auto& [table, rows] : a.final) {
    const auto at = b.final.find(table);
    if (at == b.final.end() || at->second != rows) return fmt::format("the rows left in {} differ", table);
  }
  return std::nullopt;
}

}  // namespace isolde::hunt
