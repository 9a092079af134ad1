// What makes a pair of pairs.h none, or another one: rows that are looked at again or taken under a lock, numbers that
// were just counted, checks that were made in an earlier request.
#include <algorithm>

#include "audit/scope/pairs.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kFewSet = 4;  // columns that an UPDATE sets on purpose, rather than saving a whole row

}  // namespace

// After an UPDATE its row is locked: whoever looks at it again in the same transaction can still turn back.
bool PairSearch::checked_after(std::size_t write, std::uint16_t rows, ColumnId column) const {
  const RowSet& set = meaning(write).row_sets[rows];
  for (std::size_t i = write + 1; i < steps_.size(); ++i) {
    if (steps_[i].transaction != steps_[write].transaction || meaning(i).kind != StatementKind::kSelect) continue;
    for (std::uint16_t other = 0; other < meaning(i).row_sets.size(); ++other) {
      const RowSet& looked = meaning(i).row_sets[other];
      if (looked.table != set.table || !reads_value({i, other}, column)) continue;
      const Common both = common(i, looked, write, set);
      if (!both.differ && !both.equal.empty()) return true;
    }
  }
  return false;
}

// The writing transaction itself has counted or added something up: what it writes may come from there.
bool PairSearch::adds_up_before(std::size_t write) const {
  for (std::size_t i = write; i-- > 0;) {
    if (steps_[i].transaction != steps_[write].transaction) continue;
    if (meaning(i).kind == StatementKind::kSelect &&
        is_aggregate(log_.shapes.example(log_.statements[steps_[i].statement].shape)))
      return true;
  }
  return false;
}

// The UPDATE sets the number that the statement before it has just counted or added up, of rows that the request itself
// has changed: INSERT of a comment, SELECT count(*) of the comments, UPDATE of their number. What was read of the
// column before that does not matter. Returns the step that counts.
std::optional<std::size_t> PairSearch::counted_before(std::size_t write, std::uint16_t rows, ColumnId column) const {
  const Statement& statement = meaning(write);
  const auto set_to = std::ranges::find(statement.assigned, column, &RowKey::column);
  if (set_to == statement.assigned.end() || statement.assigned.size() > kFewSet ||
      !values_.number(values_.literal(steps_[write].statement, set_to->literal)))
    return std::nullopt;
  std::size_t before = write;
  while (before > 0 && meaning(before - 1).accesses.empty()) --before;
  if (before == 0 || !meaning(before - 1).one_number) return std::nullopt;
  const std::size_t count = before - 1;
  const TableId written = statement.row_sets[rows].table;
  const auto counts = [&](TableId table) {
    return std::ranges::any_of(meaning(count).row_sets, [&](const RowSet& set) { return set.table == table; });
  };
  if (counts(written)) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    const bool changes = std::ranges::any_of(meaning(i).accesses, [&](const Access& access) {
      return access.action == Action::kWrite && counts(meaning(i).row_sets[access.row_set].table);
    });
    if (changes) return count;
  }
  return std::nullopt;
}

// The row was taken from those that are looked for, under a lock: SELECT … WHERE state = 'ready' FOR UPDATE, and in the
// same transaction UPDATE … SET state = 'running'. A second request that does the same takes another.
bool PairSearch::claims(const EarlierRead& read, std::size_t write, std::uint16_t rows) const {
  const Statement& looked = meaning(read.step);
  const bool locks = std::ranges::any_of(looked.accesses, [&](const Access& access) {
    return access.row_set == read.rows && access.lock == Lock::kExclusive;
  });
  if (!locks) return false;
  const RowSet& named = meaning(write).row_sets[rows];
  for (std::size_t i = read.step + 1; i < write; ++i) {
    if (steps_[i].transaction != steps_[read.step].transaction || meaning(i).kind != StatementKind::kUpdate) continue;
    for (const RowSet& set : meaning(i).row_sets) {
      const Common both = set.table == named.table ? common(i, set, write, named) : Common{true, {}};
      if (both.differ || both.equal.empty()) continue;
      for (const RowKey& asked : looked.row_sets[read.rows].keys) {
        const auto given = std::ranges::find(meaning(i).assigned, asked.column, &RowKey::column);
        if (given != meaning(i).assigned.end() && values_.literal(steps_[i].statement, given->literal) !=
                                                      values_.literal(steps_[read.step].statement, asked.literal))
          return true;
      }
    }
  }
  return false;
}

// Takes from what is there, without looking in this request at what that is.
bool PairSearch::may_act_on_earlier(std::size_t step, std::uint16_t rows, const Access& access) const {
  if (access.action != Action::kWrite || access.row_set != rows || !access.subtracts) return false;
  const Statement& statement = meaning(step);
  const RowSet& set = statement.row_sets[rows];
  // The WHERE asks for something that the UPDATE changes.
  const bool asks = std::ranges::any_of(statement.accesses, [&](const Access& read) {
    return read.action == Action::kRead && read.row_set == rows && read.in_where && !read.foreign_key &&
           std::ranges::any_of(statement.accesses, [&](const Access& write) {
             return write.action == Action::kWrite && write.row_set == rows && write.column == read.column;
           });
  });
  if (asks || checked_after(step, rows, access.column)) return false;
  const auto reads = reads_.find(set.table);
  if (reads != reads_.end() && std::ranges::any_of(reads->second, [&](const EarlierRead& read) {
        return reads_value(read, access.column) &&
               !common(read.step, meaning(read.step).row_sets[read.rows], step, set).differ;
      }))
    return false;
  // A request that only deletes keeps a number of rows up to date.
  bool inserts = false, deletes = false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const StatementKind kind = meaning(i).kind;
    inserts |= kind == StatementKind::kInsert || kind == StatementKind::kUpsert || kind == StatementKind::kReplace;
    deletes |= kind == StatementKind::kDelete;
  }
  return inserts || !deletes;
}

bool PairSearch::match_earlier(std::size_t step, std::uint16_t rows) {
  const Statement& statement = meaning(step);
  const RowSet& set = statement.row_sets[rows];
  if (statement.kind != StatementKind::kUpdate || !set.single) return false;
  Match match{{}, kNoColumn, true};
  for (const RowKey& key : set.keys) {
    const LiteralId value = values_.literal(steps_[step].statement, key.literal);
    if (value != kNoLiteral) match.keys.push_back({key.column, value});
  }
  if (!identifies(match.keys)) return false;
  for (const Access& access : statement.accesses) {
    if (!may_act_on_earlier(step, rows, access)) continue;
    const std::optional<RequestStep> read = earlier_.find(set.table, access.column, match.keys);
    if (!read) continue;
    match.column = access.column;
    ScopePair pair = pair_of(ScopeKind::kActs, std::move(match), step, step, rows);
    pair.read = *read;
    pair.earlier_request = true;
    pairs_.push_back(std::move(pair));
    return true;
  }
  return false;
}

}  // namespace isolde::audit
