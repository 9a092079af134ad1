#include "hunt/judge/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "hunt/judge/effects.h"
#include "hunt/run/answers.h"
#include "hunt/run/refusals.h"

namespace isolde::hunt {
namespace {

std::string changed_text(std::uint64_t rows) { return fmt::format("{} row{} changed", rows, rows == 1 ? "" : "s"); }

// Whether one statement answered the same, `expected` being what it answered alone or the first time.
std::optional<Difference> compare_answers(const Statement& statement, Place place, const db::Reply& expected,
                                          const db::Reply& actual) {
  if (writes(statement) && expected.changed != actual.changed)
    return Difference{Wrong::kCount, place, changed_text(expected.changed), changed_text(actual.changed), {}};
  if (!same_rows(expected, actual))
    return Difference{Wrong::kResult, place, rows_text(expected), rows_text(actual), {}};
  return std::nullopt;
}

std::optional<Difference> compare_contents(const ContentsByTable& expected, const ContentsByTable& actual) {
  if (expected == actual) return std::nullopt;
  return Difference{Wrong::kContents, {}, contents_text(expected, actual), contents_text(actual, expected), {}};
}

}  // namespace

bool same_rows(const db::Reply& a, const db::Reply& b) {
  if (a.width != b.width || a.cells.size() != b.cells.size()) return false;
  return a.cells == b.cells || sorted_rows(a) == sorted_rows(b);
}

std::string rows_text(const db::Reply& reply) {
  if (reply.rows() == 0) return "no rows";
  return fmt::format("{}", fmt::join(sorted_rows(reply), "\n"));
}

std::string contents_text(const ContentsByTable& of, const ContentsByTable& other) {
  std::string text;
  for (const auto& [table, contents] : of) {
    const auto found = other.find(table);
    for (const Version& version : contents) {
      if (found != other.end() && std::find(found->second.begin(), found->second.end(), version) != found->second.end())
        continue;
      text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", table, version.cells);
    }
  }
  return text.empty() ? "no rows beside those of the other" : text;
}

bool is_about_concurrency(const db::Reply& reply) {
  const Refusal refusal = refusal_of(reply.failure.code);
  return refusal == Refusal::kConcurrency || refusal == Refusal::kLimit || refusal == Refusal::kResource;
}

Compared compare(const Case& test, const Execution& execution, std::span<const Place> order, const AloneRun& alone) {
  if (alone.fault || alone.lost || alone.runs.size() != order.size()) return {.decided = false, .difference = {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const StatementRun& run = alone.runs[i];
    if (run.ran == Ran::kDone) continue;
    if (run.ran != Ran::kFailed || is_about_concurrency(run.reply)) return {.decided = false, .difference = {}};
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const StatementRun& run = alone.runs[i];
    const StatementRun& in_transaction = at(execution, order[i]);
    if (run.ran == Ran::kFailed)
      return {.decided = true,
              .difference = Difference{Wrong::kError,
                                       order[i],
                                       fmt::format("{}: {}", run.reply.failure.code, run.reply.failure.text),
                                       "it was carried out",
                                       {}}};
    if (auto difference = compare_answers(at(test, order[i]), order[i], run.reply, in_transaction.reply))
      return {.decided = true, .difference = std::move(difference)};
  }
  return {.decided = true, .difference = compare_contents(alone.final, execution.final)};
}

Compared compare(const Case& test, const Execution& first, const Execution& second) {
  const Compared undecided{.decided = false, .difference = {}};
  if (first.fault || second.fault || first.lost || second.lost || first.ends != second.ends) return undecided;
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t) {
    if (first.ends[t] != (test.transactions[t].commits ? Ended::kCommitted : Ended::kRolledBack)) return undecided;
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s)
      for (const Execution* execution : {&first, &second})
        if (at(*execution, {t, s}).ran != Ran::kDone || at(*execution, {t, s}).apart) return undecided;
  }
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t) {
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s) {
      const Place place{t, s};
      if (auto difference = compare_answers(at(test, place), place, at(first, place).reply, at(second, place).reply))
        return {.decided = true, .difference = std::move(difference)};
    }
  }
  return {.decided = true, .difference = compare_contents(first.final, second.final)};
}

}  // namespace isolde::hunt
