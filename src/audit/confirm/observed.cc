#include "audit/confirm/observed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "probe/transcript.h"

namespace isolde::audit {
namespace {

using Grid = std::vector<std::vector<std::string>>;

// Columns whose values, taken together, are not the same; none: the numbers of rows or columns differ.
std::optional<std::set<std::size_t>> unlike_columns(const Rows& a, const Rows& b) {
  if (a.rows.size() != b.rows.size() || a.names.size() != b.names.size()) return std::nullopt;
  std::set<std::size_t> unlike;
  for (std::size_t column = 0; column < a.names.size(); ++column) {
    std::vector<std::string> x, y;
    for (const auto& row : a.rows) x.push_back(row[column]);
    for (const auto& row : b.rows) y.push_back(row[column]);
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    if (x != y) unlike.insert(column);
  }
  return unlike;
}

Grid without(const Rows& rows, const std::set<std::size_t>& columns) {
  Grid out;
  for (const auto& row : rows.rows) {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!columns.contains(i)) kept.push_back(row[i]);
    }
    out.push_back(std::move(kept));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> kept_names(const Rows& rows, std::size_t width) {
  return rows.names.size() == width ? rows.names : std::vector<std::string>(width);
}

std::string counted(std::size_t n) { return fmt::format("{} row{}", n, n == 1 ? "" : "s"); }

std::string short_row(const std::vector<std::string>& row) {
  constexpr std::size_t kMost = 120;
  std::string text = fmt::format("({})", fmt::join(row, ", "));
  if (text.size() > kMost) text = text.substr(0, kMost) + "…)";
  return text;
}

struct Told {
  std::string would, did;
};

// What differs between two tables, as short as it can be said.
Told tell(const Grid& serial, const Grid& run, const std::vector<std::string>& names) {
  if (serial.size() != run.size()) {
    if (serial.size() + run.size() <= 3 && !serial.empty() && !run.empty())
      return {fmt::format("{}: {}", counted(serial.size()), short_row(serial.back())), counted(run.size())};
    return {counted(serial.size()), counted(run.size())};
  }
  Grid only_serial, only_run;
  std::set_difference(serial.begin(), serial.end(), run.begin(), run.end(), std::back_inserter(only_serial));
  std::set_difference(run.begin(), run.end(), serial.begin(), serial.end(), std::back_inserter(only_run));
  if (only_serial.empty() || only_run.empty()) return {"other rows", "these"};
  // The run's row that is most like the first of the serial order's.
  const auto& wanted = only_serial.front();
  std::size_t fewest = SIZE_MAX;
  const std::vector<std::string>* nearest = nullptr;
  for (const auto& row : only_run) {
    std::size_t unlike = 0;
    for (std::size_t i = 0; i < row.size(); ++i) unlike += i < wanted.size() && row[i] == wanted[i] ? 0 : 1;
    if (unlike < fewest) fewest = unlike, nearest = &row;
  }
  for (std::size_t i = 0; i < wanted.size() && fewest <= 2; ++i) {
    if ((*nearest)[i] == wanted[i]) continue;
    return {i < names.size() && !names[i].empty() ? fmt::format("{} = {}", names[i], wanted[i]) : wanted[i],
            (*nearest)[i]};
  }
  return {short_row(wanted), short_row(*nearest)};
}

}  // namespace

Rows rows_of(const db::Reply& reply) {
  Rows rows;
  rows.names = reply.names;
  rows.names.resize(reply.width);
  for (std::size_t r = 0; r < reply.rows(); ++r) {
    std::vector<std::string> row;
    for (std::size_t c = 0; c < reply.width; ++c) row.push_back(probe::cell_text(reply.at(r, c)));
    rows.rows.push_back(std::move(row));
  }
  return rows;
}

LineAnswer answer_of(const db::Reply& reply) {
  LineAnswer answer;
  answer.sent = true;
  answer.done = reply.done();
  answer.gives_rows = reply.width > 0;
  answer.code = reply.failure.code;
  answer.text = reply.failure.text;
  answer.changed = reply.changed;
  answer.rows = rows_of(reply);
  return answer;
}

void BlindSpots::learn(const Observed& a, const Observed& b) {
  for (std::uint32_t m = 0; m < a.answers.size(); ++m) {
    for (std::uint32_t l = 0; l < a.answers[m].size(); ++l) {
      const LineAnswer &x = a.answers[m][l], &y = b.answers[m][l];
      const auto unlike = unlike_columns(x.rows, y.rows);
      if (x.done != y.done || x.code != y.code || x.changed != y.changed || !unlike) {
        answers_.insert({m, l});
      } else {
        answer_columns_[{m, l}].insert(unlike->begin(), unlike->end());
      }
    }
  }
  for (std::uint32_t t = 0; t < a.left.size(); ++t) {
    const auto unlike = unlike_columns(a.left[t], b.left[t]);
    if (!unlike) {
      tables_.insert(t);
    } else {
      table_columns_[t].insert(unlike->begin(), unlike->end());
    }
  }
}

Grid BlindSpots::seen_answer(std::uint32_t member, std::uint32_t line, const Rows& rows) const {
  const auto at = answer_columns_.find({member, line});
  return without(rows, at == answer_columns_.end() ? Columns{} : at->second);
}

Grid BlindSpots::seen_left(std::uint32_t table, const Rows& rows) const {
  const auto at = table_columns_.find(table);
  return without(rows, at == table_columns_.end() ? Columns{} : at->second);
}

std::optional<Difference> difference(const Play& play, const Observed& run, const Observed& serial,
                                     const BlindSpots& blind) {
  std::optional<Difference> best;
  const auto take = [&](int weight, std::string text) {
    if (!best || weight > best->weight) best = Difference{std::move(text), weight};
  };
  for (std::uint32_t m = 0; m < run.answers.size(); ++m) {
    if (!run.committed[m]) continue;
    if (!serial.committed[m]) take(2, fmt::format("T{} would fail", m + 1));
    for (std::uint32_t l = 0; l < run.answers[m].size(); ++l) {
      const LineAnswer &a = run.answers[m][l], &b = serial.answers[m][l];
      const Line& line = play.members[m].lines[l];
      if (blind.answer(m, l) || !a.sent || !a.done) continue;
      if (!b.sent) continue;  // its transaction failed before: told already
      if (!b.done) {
        take(3, fmt::format("T{} would be refused: {} {}", m + 1, b.code, b.text));
        continue;
      }
      if (a.changed != b.changed && !a.gives_rows)
        take(line.in_cycle ? 5 : 4,
             fmt::format("T{} would change {} (it changed {})", m + 1, counted(b.changed), a.changed));
      const Grid seen = blind.seen_answer(m, l, a.rows), would = blind.seen_answer(m, l, b.rows);
      if (seen == would) continue;
      const Told told = tell(would, seen, kept_names(b.rows, would.empty() ? 0 : would.front().size()));
      take(line.in_cycle ? 7 : 6, fmt::format("T{} would read {} (it read {})", m + 1, told.would, told.did));
    }
  }
  for (std::uint32_t t = 0; t < run.left.size(); ++t) {
    if (blind.table(t)) continue;
    const Grid seen = blind.seen_left(t, run.left[t]), would = blind.seen_left(t, serial.left[t]);
    if (seen == would) continue;
    const Told told = tell(would, seen, kept_names(serial.left[t], would.empty() ? 0 : would.front().size()));
    take(1, fmt::format("{} would be left with {} (it has {})", play.schema.table(play.tables[t]).name, told.would,
                        told.did));
  }
  return best;
}

}  // namespace isolde::audit
