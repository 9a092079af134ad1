#include "audit/scope/pairs.h"

#include <algorithm>
#include <set>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kMostReads = 256;  // that are kept of one table in one request
constexpr std::size_t kFewSet = 4;       // columns that an UPDATE sets on purpose, rather than saving a whole row

bool names_all(const std::vector<ColumnId>& key, const std::vector<RowKey>& named) {
  return !key.empty() && std::ranges::all_of(key, [&](ColumnId column) {
    return std::ranges::binary_search(named, column, {}, &RowKey::column);
  });
}

bool belongs_to(const std::vector<ColumnId>& key, ColumnId column) {
  return std::ranges::find(key, column) != key.end();
}

}  // namespace

bool is_aggregate(std::string_view sql) {
  const std::string text = lower_case(sql);
  // As words of their own: `discount(…)` counts nothing.
  const auto has = [&](std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const char before = at == 0 ? ' ' : text[at - 1];
      if (before != '_' && !is_digit(before) && (before < 'a' || before > 'z')) return true;
    }
    return false;
  };
  return has("count(") || has("sum(") || has("max(") || has("min(") || has("exists(") || has("exists (") ||
         has("select 1 ") || has("select  1 ");
}

PairSearch::PairSearch(const TraceLog& log, const Classes& classes, const Stakes& stakes, std::size_t most_between,
                       bool across)
    : log_(log),
      classes_(classes),
      stakes_(stakes),
      most_between_(most_between),
      across_(across),
      values_(log, classes.statements),
      holdings_(log, classes),
      earlier_(log, classes),
      entries_(entry_columns(classes.schema)) {}

std::uint64_t PairSearch::writes(ShapeId shape, LiteralId entry) const {
  const auto found = writes_.find({shape, entry});
  return found == writes_.end() ? 0 : found->second;
}

void PairSearch::run(const Request& request) {
  collect(request);
  reads_.clear();
  holdings_.begin(steps_);
  if (across_) earlier_.begin(steps_);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Statement& statement = meaning(i);
    if (statement.kind == StatementKind::kSelect) {
      note_reads(i);
    } else if (!statement.accesses.empty()) {
      note_write(i);
    }
    holdings_.done(i);
  }
  if (across_) earlier_.end(steps_);
}

// In the order of the trace: transactions on several connections may overlap.
void PairSearch::collect(const Request& request) {
  steps_.clear();
  for (const std::uint32_t transaction : request.transactions) {
    const TraceTransaction& of = log_.transactions[transaction];
    for (std::uint32_t i = 0; i < of.statements; ++i) steps_.push_back({of.first_statement + i, transaction});
  }
  std::ranges::stable_sort(steps_, {}, [&](const RequestStep& step) { return log_.statements[step.statement].line; });
  first_use_.clear();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (const LiteralId literal : log_.literals_of(log_.statements[steps_[i].statement]))
      first_use_.try_emplace(literal, i);
  }
}

void PairSearch::note_reads(std::size_t step) {
  const Statement& statement = meaning(step);
  const bool aggregates = is_aggregate(log_.shapes.example(log_.statements[steps_[step].statement].shape));
  std::set<std::uint16_t> seen;
  for (const Access& access : statement.accesses) {
    if (access.action != Action::kRead || !seen.insert(access.row_set).second) continue;
    const RowSet& rows = statement.row_sets[access.row_set];
    // What all rows of a table together say is a check only if it is one number.
    if (classes_.schema.table(rows.table).is_lock) continue;
    if (rows.keys.empty() && (!aggregates || statement.row_sets.size() > 1)) continue;
    std::vector<EarlierRead>& all = reads_[rows.table];
    if (all.size() == kMostReads) all.erase(all.begin(), all.begin() + kMostReads / 2);
    all.push_back({step, access.row_set});
  }
}

LiteralId PairSearch::entry_of(std::size_t step, const RowSet& rows) const {
  const ColumnId name = entries_[raw(rows.table)].name;
  if (name == kNoColumn) return kNoLiteral;
  const LiteralId value = values_.value(steps_[step].statement, rows, name);
  return value == kNoLiteral || values_.number(value) ? kNoLiteral : value;
}

bool PairSearch::is_own(std::size_t step, const RowSet& rows) const {
  return std::ranges::any_of(rows.keys, [&](const RowKey& key) {
    return holdings_.owns({key.column, values_.literal(steps_[step].statement, key.literal)});
  });
}

void PairSearch::note_write(std::size_t step) {
  const Statement& statement = meaning(step);
  if (statement.kind == StatementKind::kDelete) return;
  std::map<std::uint16_t, bool> written;  // row set -> a row is made
  for (const Access& access : statement.accesses) {
    if (access.action == Action::kWrite && !access.deletes) written[access.row_set] |= access.inserts;
  }
  const ShapeId shape = log_.statements[steps_[step].statement].shape;
  std::set<LiteralId> counted;
  for (const auto& [rows, inserts] : written) {
    const RowSet& set = statement.row_sets[rows];
    const bool plain_insert = inserts && statement.kind == StatementKind::kInsert;
    // A new row may belong to one that the request has made, and still be what others count (keys are looked at later).
    const bool own = is_own(step, set);
    if (own && !plain_insert) continue;
    const LiteralId entry = entry_of(step, set);
    const bool matched =
        match_rows(step, rows, plain_insert) || (across_ && !plain_insert && match_earlier(step, rows));
    if ((matched || !own) && counted.insert(entry).second) ++writes_[{shape, entry}];
  }
  // A count that was made for its sake is no check for what comes later.
  for (const Access& access : statement.accesses) {
    if (access.action != Action::kWrite || access.inserts) continue;
    const auto count = counted_before(step, access.row_set, access.column);
    if (!count) continue;
    for (auto& [table, reads] : reads_)
      std::erase_if(reads, [&](const EarlierRead& read) { return read.step == *count; });
  }
}

PairSearch::Common PairSearch::common(std::size_t a, const RowSet& in_a, std::size_t b, const RowSet& in_b) const {
  Common out;
  const std::uint32_t at_a = steps_[a].statement, at_b = steps_[b].statement;
  for (const RowKey& key : in_a.keys) {
    const LiteralId here = values_.literal(at_a, key.literal), there = values_.value(at_b, in_b, key.column);
    if (there == kNoLiteral) continue;
    if (here != there) return {true, {}};
    out.equal.push_back({key.column, here});
  }
  for (const RowKey& key : in_a.unlike) {
    if (values_.value(at_b, in_b, key.column) == values_.literal(at_a, key.literal)) return {true, {}};
  }
  for (const RowKey& key : in_b.unlike) {
    if (values_.value(at_a, in_a, key.column) == values_.literal(at_b, key.literal)) return {true, {}};
  }
  return out;
}

bool PairSearch::reads_value(const EarlierRead& read, ColumnId column) const {
  return std::ranges::any_of(meaning(read.step).accesses, [&](const Access& access) {
    return access.action == Action::kRead && access.row_set == read.rows && access.column == column &&
           !access.counts_only && !access.foreign_key;
  });
}

// The UPDATE names its row by a key that comes up in the request only after this read, which returns that key: found by
// something else (a code), and changed by its id.
bool PairSearch::was_found_by(const EarlierRead& read, std::size_t write, const RowSet& rows) const {
  const std::vector<ColumnId>& key = classes_.schema.table(rows.table).primary_key;
  if (!names_all(key, rows.keys) || meaning(read.step).row_sets[read.rows].keys.empty()) return false;
  bool is_new = false;
  for (const ColumnId column : key) {
    const auto use = first_use_.find(values_.value(steps_[write].statement, rows, column));
    if (!reads_value(read, column) || use == first_use_.end()) return false;
    is_new = is_new || use->second > read.step;
  }
  return is_new;
}

// The WHERE asks for a column that the UPDATE changes and that decided: the one that was read, or a version of the row.
bool PairSearch::asks_again(std::size_t write, std::uint16_t rows, ColumnId column, const EarlierRead& read) const {
  const Statement& statement = meaning(write);
  const RowSet& set = statement.row_sets[rows];
  const std::vector<ColumnId>& key = classes_.schema.table(set.table).primary_key;
  return std::ranges::any_of(statement.accesses, [&](const Access& access) {
    if (access.action != Action::kRead || !access.in_where || access.foreign_key || access.row_set != rows)
      return false;
    if (belongs_to(key, access.column) || (access.column != column && !reads_value(read, access.column))) return false;
    const bool changes = std::ranges::any_of(statement.accesses, [&](const Access& other) {
      return other.action == Action::kWrite && other.row_set == rows && other.column == access.column;
    });
    if (!changes) return false;
    const auto set_to = std::ranges::find(statement.assigned, access.column, &RowKey::column);
    if (set_to == statement.assigned.end()) return true;
    const std::uint32_t here = steps_[write].statement;
    return values_.literal(here, set_to->literal) != values_.value(here, set, access.column);
  });
}

// The row was found by a value that the UPDATE writes back: as ORMs do that save whole rows.
bool PairSearch::writes_back_key(const EarlierRead& read, std::size_t write) const {
  const RowSet& looked = meaning(read.step).row_sets[read.rows];
  const Statement& statement = meaning(write);
  bool has_text = looked.single;
  for (const RowKey& key : looked.keys) {
    const LiteralId asked = values_.literal(steps_[read.step].statement, key.literal);
    const auto set_to = std::ranges::find(statement.assigned, key.column, &RowKey::column);
    if (set_to == statement.assigned.end() || values_.literal(steps_[write].statement, set_to->literal) != asked)
      return false;
    has_text = has_text || !values_.number(asked);
  }
  return !looked.keys.empty() && has_text;
}

// 0 and '' name nothing.
bool PairSearch::identifies(std::span<const KeyValue> keys) const {
  return std::ranges::any_of(keys, [&](const KeyValue& key) {
    const std::string_view text = log_.shapes.literal(key.value);
    return !text.empty() && text != "0";
  });
}

bool PairSearch::update_follows(const EarlierRead& read, std::size_t write, std::uint16_t rows, Match& match) const {
  const Statement& statement = meaning(write);
  const RowSet &set = statement.row_sets[rows], &looked = meaning(read.step).row_sets[read.rows];
  Common both = common(read.step, looked, write, set);
  if (both.differ) return false;
  const std::vector<ColumnId>& key = classes_.schema.table(set.table).primary_key;
  if (both.equal.empty()) {
    if (writes_back_key(read, write)) {
      for (const RowKey& one : looked.keys)
        both.equal.push_back({one.column, values_.literal(steps_[read.step].statement, one.literal)});
    } else if (was_found_by(read, write, set)) {
      for (const ColumnId column : key)
        both.equal.push_back({column, values_.value(steps_[write].statement, set, column)});
    } else {
      return false;
    }
  }
  if (!identifies(both.equal)) return false;
  match = {std::move(both.equal), kNoColumn, false};
  double best = 0;
  for (const Access& access : statement.accesses) {
    if (access.action != Action::kWrite || access.row_set != rows || belongs_to(key, access.column)) continue;
    const bool named =
        std::ranges::any_of(match.keys, [&](const KeyValue& one) { return one.column == access.column; });
    if (named || !reads_value(read, access.column) || asks_again(write, rows, access.column, read)) continue;
    // Of several, the dearest; of these a number rather than a text.
    const auto set_to = std::ranges::find(statement.assigned, access.column, &RowKey::column);
    const bool number = set_to != statement.assigned.end() &&
                        values_.number(values_.literal(steps_[write].statement, set_to->literal)).has_value();
    const double stake = stakes_.of_column[raw(access.column)] + (number ? 0.05 : 0);
    if (match.column != kNoColumn && best >= stake) continue;
    best = stake;
    match.column = access.column;
    match.adds = access.increments;
  }
  return match.column != kNoColumn;
}

bool PairSearch::insert_follows(const EarlierRead& read, std::size_t write, std::uint16_t rows, Match& match) const {
  const Statement& statement = meaning(write);
  const RowSet &made = statement.row_sets[rows], &looked = meaning(read.step).row_sets[read.rows];
  const Table& table = classes_.schema.table(made.table);
  if (!made.single || statement.keeps_old_row) return false;
  if (names_all(table.primary_key, looked.keys)) return false;
  if (std::ranges::any_of(table.unique_keys, [&](const auto& key) { return names_all(key, looked.keys); }))
    return false;
  Common both = common(read.step, looked, write, made);
  if (both.differ || (both.equal.empty() && !looked.keys.empty())) return false;
  if (!looked.keys.empty() && !identifies(both.equal)) return false;
  const ColumnId name = entries_[raw(made.table)].name;
  // The name of an entry says what is looked for, not whose it is.
  if (both.equal.size() == 1 && both.equal[0].column == name) return false;
  ColumnId column = both.equal.empty() ? table.columns.front() : both.equal.front().column;
  for (const KeyValue& one : both.equal) {
    if (one.column != name && column == name) column = one.column;
  }
  match = {std::move(both.equal), column, false};
  return true;
}

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

ScopePair PairSearch::pair_of(ScopeKind kind, Match match, std::size_t read, std::size_t write,
                              std::uint16_t rows) const {
  return {kind,         match.column,         entry_of(write, meaning(write).row_sets[rows]),
          steps_[read], steps_[write],        std::move(match.keys),
          kNone32,      adds_up_before(write)};
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

bool PairSearch::match_rows(std::size_t step, std::uint16_t rows, bool inserts) {
  const Statement& statement = meaning(step);
  const auto reads = reads_.find(statement.row_sets[rows].table);
  if (reads == reads_.end()) return false;
  std::vector<ScopePair> found;
  std::set<ShapeId> shapes;
  for (auto read = reads->second.rbegin(); read != reads->second.rend(); ++read) {
    if (most_between_ > 0 && step - read->step > most_between_) break;
    Match match{{}, kNoColumn, false};
    if (!(inserts ? insert_follows(*read, step, rows, match) : update_follows(*read, step, rows, match))) continue;
    // What this transaction has read itself is a matter of its level.
    if (steps_[read->step].transaction == steps_[step].transaction) return false;
    if (std::ranges::any_of(match.keys, [&](const KeyValue& key) { return holdings_.owns(key); })) continue;
    if (!inserts && claims(*read, step, rows)) continue;
    // A lock of the read has ended with its transaction.
    if (!shapes.insert(log_.statements[steps_[read->step].statement].shape).second) continue;
    if (!inserts && checked_after(step, rows, match.column)) return false;
    if (const auto count = inserts ? std::nullopt : counted_before(step, rows, match.column)) {
      if (steps_[*count].transaction == steps_[step].transaction) return false;
      pairs_.push_back(pair_of(ScopeKind::kCounts, std::move(match), *count, step, rows));
      return true;
    }
    const ScopeKind kind = inserts ? ScopeKind::kInserts : match.adds ? ScopeKind::kActs : ScopeKind::kOverwrites;
    ScopePair pair = pair_of(kind, std::move(match), read->step, step, rows);
    std::vector<KeyValue> checked = pair.keys;
    for (const RowKey& key : meaning(read->step).row_sets[read->rows].keys)
      checked.push_back({key.column, values_.literal(steps_[read->step].statement, key.literal)});
    if (!holdings_.kept_away(read->step, step, checked, pair.locked_by)) {
      found.push_back(std::move(pair));
    } else if (!inserts) {
      break;  // it has looked again under the lock: what was read before that does not matter
    }
  }
  for (ScopePair& pair : found) pairs_.push_back(std::move(pair));
  return !found.empty();
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
