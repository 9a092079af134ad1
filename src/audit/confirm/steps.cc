#include "audit/confirm/steps.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

// All conditions hold together, an equality names one value, and there is no query in the query.
bool has_plain_conditions(const Line& line) {
  constexpr std::string_view kOthers[] = {"or",        "not", "case", "union", "having",  "xor",    "except",
                                          "intersect", "in",  "any",  "all",   "between", "exists", "with"};
  std::size_t selects = 0;
  for (const Token& token : *line.tokens) {
    selects += is_word(token, "select") ? 1 : 0;
    if (std::ranges::any_of(kOthers, [&](std::string_view word) { return is_word(token, word); })) return false;
  }
  return selects == (line.kind == StatementKind::kSelect ? 1U : 0U);
}

// So that two texts that a server may take for the same value are the same; empty: that is not sure.
std::string settled_value(const SqlValueType& type, const std::string& value) {
  if (type.kind == ValueKind::kInteger) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    return error == std::errc() && end == value.data() + value.size() ? std::to_string(number) : std::string();
  }
  const bool plain =
      type.kind == ValueKind::kText && !value.empty() && std::ranges::all_of(value, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
      });
  return plain ? lower_case(value) : std::string();
}

bool writes_one_of(const Line& line, const std::vector<ColumnId>& columns) {
  return std::ranges::any_of(columns, [&](ColumnId column) {
    return std::ranges::count(line.clues.computed, column) > 0 ||
           std::ranges::count(line.clues.written, column, &WrittenLiteral::column) > 0;
  });
}

}  // namespace

PlaySteps::PlaySteps(const Play& play, const Script::Sql& sql, WeakLevel level, db::Family dialect)
    : play_(play), sql_(sql), level_(level), postgres_(dialect == db::Family::kPostgres) {
  for (std::uint32_t m = 0; m < play.members.size(); ++m) snapshots_.push_back(snapshot_line(m));
  for (std::uint32_t m = 0; m < play.members.size(); ++m) {
    locks_rows_only_ &= play.members[m].level != "serializable" && (postgres_ || snapshots_[m] == kNone32);
    const std::string& own = play.members[m].level;
    const bool committed = own.empty() ? level == WeakLevel::kReadCommitted : own == "read committed";
    locks_rows_only_ &= postgres_ || committed;
  }
  for (std::uint32_t m = 0; m < play.members.size(); ++m) {
    places_.emplace_back();
    for (std::uint32_t l = 0; l < play.members[m].lines.size(); ++l) places_.back().push_back(places_of(m, l));
  }
  cut();
}

// PostgreSQL's snapshot is of the first statement that is no LOCK TABLE, InnoDB's of the first plain read.
std::uint32_t PlaySteps::snapshot_line(std::uint32_t member) const {
  const Member& one = play_.members[member];
  const bool takes = one.level.empty() ? level_ != WeakLevel::kReadCommitted : one.level != "read committed";
  if (!takes) return kNone32;
  for (std::uint32_t l = 0; l < one.lines.size(); ++l) {
    if (sql_[member][l].empty()) continue;
    const Line& line = one.lines[l];
    const bool locks_table = !line.locks.empty() && line.lock_key.empty();
    if (postgres_ ? !locks_table : line.reads_plainly()) return l;
  }
  return kNone32;
}

// The row of the table that the line is about, if it names it.
RowPlace PlaySteps::place_of(std::uint32_t member, std::uint32_t number, TableId table) const {
  const Line& line = play_.members[member].lines[number];
  const Table& of = play_.schema.table(table);
  const bool one_key = !of.primary_key.empty() && of.unique_keys.empty();
  if (!locks_rows_only_ || !one_key || line.tables.size() != 1 || line.clues.tables.size() != 1) return {table};
  if (!has_plain_conditions(line) || writes_one_of(line, of.primary_key)) return {table};
  const std::vector<std::string> values = key_named(play_, line, table, of.primary_key);
  std::string row;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string settled = settled_value(play_.type(of.primary_key[i]), values[i]);
    if (settled.empty()) return {table};
    row += settled + ",";
  }
  return {table, std::move(row)};
}

std::vector<RowPlace> PlaySteps::places_of(std::uint32_t member, std::uint32_t number) const {
  const Line& line = play_.members[member].lines[number];
  std::vector<RowPlace> out;
  for (const TableId table : line.tables) {
    const bool locked = std::ranges::binary_search(line.locks, table);
    out.push_back(locked ? RowPlace{table} : place_of(member, number, table));
  }
  for (const TableId lock : line.locks) {
    if (std::ranges::find(line.tables, lock) == line.tables.end()) out.push_back({lock});
  }
  return out;
}

bool PlaySteps::matters_to_others(std::uint32_t member, std::uint32_t number) const {
  for (std::uint32_t m = 0; m < places_.size(); ++m) {
    if (m == member) continue;
    if (std::ranges::any_of(places_[m],
                            [&](const auto& theirs) { return share_a_row(places_[member][number], theirs); }))
      return true;
  }
  return false;
}

void PlaySteps::cut() {
  const std::set<TableId> contested = contested_tables(play_);
  const auto is_contested = [&](TableId table) { return contested.contains(table); };
  std::set<std::pair<std::uint32_t, std::uint32_t>> readers;
  for (const PlayEdge& edge : play_.edges) {
    for (const std::uint32_t line : readers_of(play_, edge)) readers.emplace(edge.from, line);
  }
  for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
    std::vector<std::vector<Cue>>& parts = parts_.emplace_back();
    std::vector<Cue> now = {{m, Event::Kind::kStart}};
    for (std::uint32_t l = 0; l < play_.members[m].lines.size(); ++l) {
      if (sql_[m][l].empty()) continue;
      now.push_back({m, Event::Kind::kStatement, l});
      const Line& line = play_.members[m].lines[l];
      const bool touches =
          std::ranges::any_of(line.tables, is_contested) || std::ranges::any_of(line.locks, is_contested);
      if (line.in_cycle || readers.contains({m, l}) || snapshots_[m] == l ||
          (!line.reads_plainly() && touches && matters_to_others(m, l)))
        parts.push_back(std::exchange(now, {}));
    }
    now.push_back({m, Event::Kind::kCommit});
    parts.push_back(std::move(now));
  }
}

std::vector<Cue> PlaySteps::cues(const std::vector<std::uint32_t>& order) const {
  std::vector<Cue> out;
  std::vector<std::size_t> next(parts_.size());
  for (const std::uint32_t m : order) {
    const std::vector<Cue>& part = parts_[m][next[m]++];
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

Effect PlaySteps::effect_of(std::uint32_t member, const std::vector<Cue>& part) const {
  const Member& of = play_.members[member];
  // What a serializable transaction reads it may lock, or be refused for; LOCK TABLE may make readers wait.
  const bool reads_lock = of.level == "serializable" || play_.reads_wait;
  Effect effect;
  std::set<RowPlace> looks, holds;
  for (const Cue& cue : part) {
    effect.commits |= cue.kind == Event::Kind::kCommit;
    if (cue.kind != Event::Kind::kStatement) continue;
    const bool plain = of.lines[cue.line].reads_plainly();
    effect.takes_snapshot |= snapshots_[member] == cue.line;
    for (const RowPlace& place : places_[member][cue.line]) {
      if (!plain || reads_lock) holds.insert(place);
      if (snapshots_[member] == kNone32 || !plain) looks.insert(place);
    }
  }
  effect.looks.assign(looks.begin(), looks.end());
  effect.holds.assign(holds.begin(), holds.end());
  return effect;
}

std::vector<std::vector<Effect>> PlaySteps::effects() const {
  std::vector<std::vector<Effect>> out;
  for (std::uint32_t m = 0; m < parts_.size(); ++m) {
    std::vector<Effect>& effects = out.emplace_back();
    std::set<RowPlace> held, written;
    for (const std::vector<Cue>& part : parts_[m]) {
      Effect effect = effect_of(m, part);
      held.insert(effect.holds.begin(), effect.holds.end());
      if (effect.commits) effect.holds.assign(held.begin(), held.end());
      effects.push_back(std::move(effect));
    }
    for (std::uint32_t l = 0; l < play_.members[m].lines.size(); ++l) {
      if (play_.members[m].lines[l].kind == StatementKind::kSelect) continue;
      written.insert(places_[m][l].begin(), places_[m][l].end());
    }
    effects.back().shows.assign(written.begin(), written.end());
  }
  return out;
}

std::vector<std::pair<StepPlace, StepPlace>> PlaySteps::needed_order() const {
  const auto step_of = [&](std::uint32_t member, std::uint32_t line) -> StepPlace {
    for (std::uint32_t p = 0; p < parts_[member].size(); ++p) {
      for (const Cue& cue : parts_[member][p]) {
        if (cue.kind == Event::Kind::kStatement && cue.line == line) return {member, p};
      }
    }
    return {member, 0};
  };
  const auto commit_of = [&](std::uint32_t member) {
    return StepPlace{member, static_cast<std::uint32_t>(parts_[member].size() - 1)};
  };
  // When a plain read looks.
  const auto look_of = [&](std::uint32_t member, std::uint32_t line) {
    return step_of(member, snapshots_[member] == kNone32 ? line : snapshots_[member]);
  };
  // Of more than two, one may wait for a third after it was sent, and take its rows later than one that was sent after
  // it.
  const bool as_sent = play_.members.size() <= 2;
  std::vector<std::pair<StepPlace, StepPlace>> out;
  for (const PlayEdge& edge : play_.edges) {
    if (edge.from_line == kNone32 || edge.to_line == kNone32) continue;
    const Line& to = play_.members[edge.to].lines[edge.to_line];
    if (is_rw(edge.kind)) {
      StepPlace first = step_of(edge.from, edge.from_line);
      for (const std::uint32_t line : readers_of(play_, edge)) {
        const bool plain = play_.members[edge.from].lines[line].reads_plainly();
        first = std::min(first, plain ? look_of(edge.from, line) : step_of(edge.from, line));
      }
      out.emplace_back(first, commit_of(edge.to));
    } else if (edge.kind == EdgeKind::kWr && to.reads_plainly()) {
      out.emplace_back(commit_of(edge.from), look_of(edge.to, edge.to_line));
    } else {
      const StepPlace takes = step_of(edge.to, edge.to_line);
      if (as_sent) out.emplace_back(step_of(edge.from, edge.from_line), takes);
      // The lock of the row is given up by the COMMIT: what comes after it is sent later.
      out.emplace_back(commit_of(edge.from), StepPlace{takes.member, takes.step + 1});
    }
  }
  return out;
}

}  // namespace isolde::audit
