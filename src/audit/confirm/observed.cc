#include "audit/confirm/observed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/ascii.h"
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

std::string short_value(const std::string& value) {
  constexpr std::size_t kMost = 40;
  if (value.size() <= kMost) return value;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80U) --end;
  return value.substr(0, end) + "…";
}

struct TellingDifference {
  std::string would, did;
};

// The columns in which two rows differ, those of the cycle first.
std::vector<std::size_t> unlike_places(const std::vector<std::string>& a, const std::vector<std::string>& b,
                                       const std::vector<std::string>& names, const std::set<std::string>& telling) {
  std::vector<std::size_t> first, others;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] == b[i]) continue;
    (i < names.size() && telling.contains(lower_case(names[i])) ? first : others).push_back(i);
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

// What differs between two tables, as short as it can be said.
TellingDifference telling_difference(const Grid& serial, const Grid& run, const std::vector<std::string>& names,
                                     const std::set<std::string>& telling) {
  constexpr std::size_t kMostColumnsTold = 2;
  if (serial.size() != run.size())
    return {rows_counted(serial.size()), run.empty() ? "none" : std::to_string(run.size())};
  Grid only_serial, only_run;
  std::set_difference(serial.begin(), serial.end(), run.begin(), run.end(), std::back_inserter(only_serial));
  std::set_difference(run.begin(), run.end(), serial.begin(), serial.end(), std::back_inserter(only_run));
  if (only_serial.empty() || only_run.empty()) return {"other rows", "these"};
  // The two rows that are most alike.
  std::vector<std::size_t> places;
  const std::vector<std::string>*would = nullptr, *did = nullptr;
  for (const auto& a : only_serial) {
    for (const auto& b : only_run) {
      std::vector<std::size_t> unlike = unlike_places(a, b, names, telling);
      if (would != nullptr && unlike.size() >= places.size()) continue;
      places = std::move(unlike), would = &a, did = &b;
    }
  }
  TellingDifference told;
  for (std::size_t i = 0; i < places.size() && i < kMostColumnsTold; ++i) {
    const std::size_t at = places[i];
    const std::string name = at < names.size() ? names[at] : "";
    told.would +=
        fmt::format("{}{}{}", i == 0 ? "" : ", ", name.empty() ? "" : name + " = ", short_value((*would)[at]));
    told.did += fmt::format("{}{}", i == 0 ? "" : ", ", short_value((*did)[at]));
  }
  return told;
}

}  // namespace

std::string rows_counted(std::uint64_t n) { return fmt::format("{} row{}", n, n == 1 ? "" : "s"); }

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
             fmt::format("T{} would change {} (it changed {})", m + 1, rows_counted(b.changed), a.changed));
      const Grid seen = blind.seen_answer(m, l, a.rows), would = blind.seen_answer(m, l, b.rows);
      if (seen == would || (line.clues.picks && seen.size() == would.size())) continue;
      const TellingDifference told =
          telling_difference(would, seen, kept_names(b.rows, would.empty() ? 0 : would.front().size()), play.telling);
      take(line.in_cycle ? 7 : 6, fmt::format("T{} would read {} (it read {})", m + 1, told.would, told.did));
    }
  }
  for (std::uint32_t t = 0; t < run.left.size(); ++t) {
    if (blind.table(t)) continue;
    const Grid seen = blind.seen_left(t, run.left[t]), would = blind.seen_left(t, serial.left[t]);
    if (seen == would) continue;
    const TellingDifference told = telling_difference(
        would, seen, kept_names(serial.left[t], would.empty() ? 0 : would.front().size()), play.telling);
    take(1, fmt::format("{} would be left with {} (it has {})", play.schema.table(play.tables[t]).name, told.would,
                        told.did));
  }
  return best;
}

}  // namespace isolde::audit
