#include "hunt/judge/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace isolde::hunt {
namespace {

const Contents kNothing;

const Contents& of_table(const ContentsByTable& contents, const std::string& table) {
  const auto found = contents.find(table);
  return found == contents.end() ? kNothing : found->second;
}

std::optional<std::int64_t> integer_in(std::string_view text) {
  while (!text.empty() && (text.front() == '(' || text.front() == ' ')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ')' || text.back() == ' ')) text.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Comparison {
 public:
  Comparison(const Statement& statement, const StatementRun& run) : statement_(statement), run_(run) {}

  Effects effects() {
    for (const std::string& table : statement_.writes) compare(table);
    for (const auto& [table, contents] : run_.seen) note_repeated(table, contents);
    return std::move(effects_);
  }

 private:
  void note_repeated(std::string_view table, const Contents& contents) {
    for (std::size_t i = 1; i < contents.size(); ++i)
      if (contents[i].pkey == contents[i - 1].pkey) effects_.repeated.emplace_back(table, contents[i].pkey);
  }
  void compare(const std::string& table) {
    const Contents& before = of_table(run_.seen, table);
    const Contents& after = of_table(run_.left, table);
    note_repeated(table, after);
    auto old = before.begin();
    auto row = after.begin();
    while (old != before.end() || row != after.end()) {
      if (row == after.end() || (old != before.end() && old->pkey < row->pkey)) {
        vanished(table, *old++);
      } else if (old == before.end() || row->pkey < old->pkey) {
        appeared(table, *row++, State());
      } else {
        if (row->vkey != old->vkey) appeared(table, *row, old->vkey);
        if (row->vkey == old->vkey && row->cells != old->cells) changed_secretly(table, *row);
        ++old;
        ++row;
      }
    }
  }
  void vanished(const std::string& table, const Version& old) {
    effects_.changes.push_back({{table, old.pkey}, old.vkey, State()});
    if (!deletes(statement_)) odd(fmt::format("row {} of {} is gone", old.pkey, table));
  }
  void appeared(const std::string& table, const Version& row, State before) {
    if (row.vkey == statement_.version) {
      effects_.changes.push_back({{table, row.pkey}, before, row.vkey});
      return;
    }
    odd(fmt::format("row {} of {} has version {}, which the statement did not write", row.pkey, table, row.vkey));
  }
  void changed_secretly(const std::string& table, const Version& row) {
    odd(fmt::format("row {} of {} has other contents and still version {}", row.pkey, table, row.vkey));
  }
  void odd(std::string what) {
    if (!effects_.odd) effects_.odd = std::move(what);
  }

  const Statement& statement_;
  const StatementRun& run_;
  Effects effects_;
};

}  // namespace

Effects effects_of(const Statement& statement, const StatementRun& run) { return Comparison(statement, run).effects(); }

bool deletes(const Statement& statement) {
  if (statement.kind != StatementKind::kMerge) return statement.kind == StatementKind::kDelete;
  constexpr std::string_view kDelete = "then delete";
  return std::search(statement.sql.begin(), statement.sql.end(), kDelete.begin(), kDelete.end(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         }) != statement.sql.end();
}

Result<std::map<RowKey, std::int64_t>> initial_versions(const Schema& schema) {
  std::map<RowKey, std::int64_t> versions;
  for (const Table& table : schema.tables) {
    const auto column = [&](std::string_view name) {
      return static_cast<std::size_t>(std::find(table.inserted.begin(), table.inserted.end(), name) -
                                      table.inserted.begin());
    };
    const std::size_t pkey = column("pkey"), vkey = column("vkey");
    for (const std::vector<std::string>& row : table.rows) {
      const auto key = pkey < row.size() ? integer_in(row[pkey]) : std::nullopt;
      const auto version = vkey < row.size() ? integer_in(row[vkey]) : std::nullopt;
      if (!key || !version) return Error{fmt::format("a row of {} has no integer as pkey or vkey", table.name)};
      versions[{table.name, *key}] = *version;
    }
  }
  return versions;
}

bool is_counted(const Execution& execution, Place place) {
  return execution.ends[place.transaction] == Ended::kCommitted && at(execution, place).ran == Ran::kDone;
}

std::vector<Place> counted_statements(const Case& test, const Execution& execution) {
  std::vector<Place> places;
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t)
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s)
      if (is_counted(execution, {t, s})) places.push_back({t, s});
  return places;
}

}  // namespace isolde::hunt
