// Do two operations depend on each other? The rules one by one, as rules.h names them.
#include <algorithm>

#include "audit/facts/vocabularies.h"
#include "audit/graph/rules.h"

namespace isolde::audit {
namespace {

bool makes_rows(const Access& access) { return access.action == Action::kWrite && access.inserts; }

bool updates(const Access& access) { return access.action == Action::kWrite && !access.inserts && !access.deletes; }

bool names_column(const ClassRows& rows, ColumnId column) {
  return std::ranges::binary_search(rows.keys, column, {}, &ClassRowKey::column);
}

// `other` names these rows by an id that only their own transaction knows before its commit.
bool names_made_id(const ClassRows& own, const ClassRows& other) {
  return own.made != kNoColumn && names_column(other, own.made);
}

bool only_deletes(const Access& access) { return access.action == Action::kWrite && access.deletes && !access.inserts; }

}  // namespace

bool ConflictRules::writes(const Access& access) const {
  if (access.action == Action::kWrite) return true;
  return options_.as_paper && access.lock == Lock::kExclusive && !access.of_write && !access.foreign_key;
}

bool ConflictRules::locks(ClassId of, const Access& access) const {
  if (options_.as_paper || access.action == Action::kWrite) return false;
  return access.lock != Lock::kNone || (locks_gaps(of) && access.of_write);
}

// MySQL's repeatable read, which also locks what its writing statements read.
bool ConflictRules::locks_gaps(ClassId of) const {
  return classes_.classes[raw(of)].level_or(options_.level) == WeakLevel::kMysqlRepeatableRead;
}

std::optional<EdgeKind> ConflictRules::kind_of(ClassId a, const Access& from, ClassId b, const Access& to) const {
  if (writes(from)) return writes(to) ? EdgeKind::kWw : EdgeKind::kWr;
  if (writes(to)) {
    const bool waits = locks(a, from) && (locks_gaps(a) || !makes_rows(to));
    return waits ? EdgeKind::kLockedRw : EdgeKind::kRw;
  }
  if (!locks(a, from) || !locks(b, to)) return std::nullopt;
  if (from.lock == Lock::kExclusive || to.lock == Lock::kExclusive) return EdgeKind::kLock;
  return std::nullopt;
}

// Two sets of rows whose keys name the same column with values that must differ have no row in common.
bool ConflictRules::never_meet(ClassId a, std::uint32_t rows_a, ClassId b, std::uint32_t rows_b,
                               std::uint32_t& rule) const {
  const std::vector<ClassRowKey>& left = classes_.classes[raw(a)].rows[rows_a].keys;
  const std::vector<ClassRowKey>& right = classes_.classes[raw(b)].rows[rows_b].keys;
  auto other = right.begin();
  for (const ClassRowKey& key : left) {
    while (other != right.end() && other->column < key.column) ++other;
    if (other == right.end()) return false;
    if (other->column != key.column) continue;
    const std::vector<LiteralId>&constants_a = classes_.classes[raw(a)].constants,
          &constants_b = classes_.classes[raw(b)].constants;
    if (key.variable < constants_a.size() && other->variable < constants_b.size()) {
      const LiteralId x = constants_a[key.variable], y = constants_b[other->variable];
      if (x != kNoLiteral && y != kNoLiteral && x != y) {
        // Classes that somebody put together by hand may have constants without a fact.
        const std::size_t column = raw(key.column);
        const std::uint32_t fact =
            column < classes_.constant_facts.size() ? classes_.constant_facts[column] : std::uint32_t{kNone32};
        rule = fact < fact_rules_.size() ? fact_rules_[fact] : kNone32;
        return true;
      }
    }
    if (key.variable >= unique_variables_[raw(a)].size() || other->variable >= unique_variables_[raw(b)].size()) {
      continue;
    }
    const std::vector<ColumnId>& in_a = unique_variables_[raw(a)][key.variable];
    const std::vector<ColumnId>& in_b = unique_variables_[raw(b)][other->variable];
    for (const ColumnId column : in_a) {
      if (!std::ranges::binary_search(in_b, column)) continue;
      rule = unique_by_[raw(column)];
      return true;
    }
  }
  return false;
}

// The rows of an operation as the class's example has them.
const RowSet* ConflictRules::rows_of_shape(OperationRef operation) const {
  const TransactionClass& one = classes_.classes[raw(operation.of)];
  const std::uint32_t at = one.operations[operation.place].statement;
  std::uint32_t first = operation.place;
  while (first > 0 && one.operations[first - 1].statement == at) --first;
  const std::uint32_t shape = raw(one.statements[at]);
  if (shape >= classes_.statements.size()) return nullptr;
  const Statement& statement = classes_.statements[shape];
  if (operation.place - first >= statement.accesses.size()) return nullptr;
  return &statement.row_sets[statement.accesses[operation.place - first].row_set];
}

// One finds rows that are old, and the other makes a row now.
bool ConflictRules::old_and_new(OperationRef one, OperationRef other) const {
  const RowSet *old = rows_of_shape(one), *made = rows_of_shape(other);
  return old != nullptr && made != nullptr && std::ranges::any_of(old->long_ago, [&](ColumnId column) {
           return !updated_[raw(column)] && std::ranges::binary_search(made->just_now, column);
         });
}

// The write x = x + n, or the read of x that it makes.
bool ConflictRules::part_of_increment(const TransactionClass& one, std::uint32_t place) const {
  const Operation& operation = one.operations[place];
  if (operation.access.action == Action::kWrite) return operation.access.increments;
  if (!operation.access.of_written_row || operation.access.in_where) return false;
  for (const Operation& other : one.operations) {
    if (other.statement == operation.statement && other.access.column == operation.access.column &&
        other.access.row_set == operation.access.row_set && other.access.increments) {
      return true;
    }
  }
  return false;
}

bool ConflictRules::plain_insert(const TransactionClass& one, const Operation& operation) const {
  if (!makes_rows(operation.access) || operation.access.deletes) return false;
  const std::uint32_t shape = raw(one.statements[operation.statement]);
  return shape < classes_.statements.size() && classes_.statements[shape].kind == StatementKind::kInsert;
}

// An upsert, a REPLACE or an INSERT that leaves an old row as it is looks for the row with its key: if there is none,
// it makes that row itself in the same step, and whoever else inserts it has to wait.
bool ConflictRules::finds_or_makes(const TransactionClass& one, const Operation& operation) const {
  if (operation.access.action != Action::kRead || !operation.access.of_write || !operation.access.in_where ||
      operation.access.foreign_key || !one.rows[operation.access.row_set].single)
    return false;
  const std::uint32_t shape = raw(one.statements[operation.statement]);
  if (shape >= classes_.statements.size()) return false;
  const Statement& statement = classes_.statements[shape];
  const bool atomic = statement.kind == StatementKind::kUpsert || statement.kind == StatementKind::kReplace ||
                      (statement.kind == StatementKind::kInsert && statement.keeps_old_row);
  const TableId table = one.rows[operation.access.row_set].table;
  return atomic && !statement.tables.empty() && statement.tables.front() == table;
}

// Work that is taken with SKIP LOCKED: the statement writes the rows that it finds, or a later one does. Such a read
// may pass over any row that somebody else has locked, so nobody relies on its having found all of them.
bool ConflictRules::takes_what_it_finds(const TransactionClass& one, const Operation& operation) const {
  const TableId table = one.rows[operation.access.row_set].table;
  // DELETE … WHERE id IN (SELECT id … SKIP LOCKED): the rows of the DELETE are those of the SELECT.
  const bool skips = operation.access.skips_locked ||
                     (operation.access.of_write && std::ranges::any_of(one.operations, [&](const Operation& other) {
                        return other.statement == operation.statement && other.access.skips_locked &&
                               one.rows[other.access.row_set].table == table;
                      }));
  if (!skips) return false;
  return std::ranges::any_of(one.operations, [&](const Operation& later) {
    return later.statement >= operation.statement && later.access.action == Action::kWrite && !later.access.inserts &&
           one.rows[later.access.row_set].table == table;
  });
}

// A read of the WHERE clause of an UPDATE or DELETE, of the rows that it writes.
bool ConflictRules::finds_what_it_writes(const TransactionClass& one, const Operation& operation) const {
  if (operation.access.action != Action::kRead || !operation.access.of_write || !operation.access.in_where)
    return false;
  return std::ranges::any_of(one.operations, [&](const Operation& other) {
    return other.statement == operation.statement && other.access.row_set == operation.access.row_set &&
           other.access.action == Action::kWrite && !other.access.inserts;
  });
}

// One row by a key that the database makes, and one INSERT that leaves that key to it, or takes it from a sequence.
bool ConflictRules::by_made_id(const ClassRows& looked_for, const ClassRows& inserted) const {
  const Table& table = classes_.schema.table(looked_for.table);
  if (!looked_for.single || !inserted.single || table.primary_key.size() != 1) return false;
  const ColumnId id = table.primary_key[0];
  const auto names_id = [&](const ClassRows& rows) {
    return std::ranges::any_of(rows.keys, [&](const ClassRowKey& key) { return key.column == id; });
  };
  const bool fresh = raw(looked_for.table) < classes_.fresh_ids.size() && classes_.fresh_ids[raw(looked_for.table)];
  return classes_.schema.column(id).generated_id && names_id(looked_for) && (fresh || !names_id(inserted));
}

ConflictRules::Judged ConflictRules::judge(OperationRef from, OperationRef to) const {
  const TransactionClass& a = classes_.classes[raw(from.of)];
  const TransactionClass& b = classes_.classes[raw(to.of)];
  const Operation& first = a.operations[from.place];
  const Operation& second = b.operations[to.place];
  const std::optional<EdgeKind> kind = kind_of(from.of, first.access, to.of, second.access);
  if (!kind) return {};
  const auto gone = [](std::uint32_t rule) { return Judged{std::nullopt, rule}; };

  std::uint32_t rule = kNone32;
  if (never_meet(from.of, first.access.row_set, to.of, second.access.row_set, rule)) return gone(rule);
  if (!options_.as_paper && options_.assumptions) {
    const std::uint32_t parted =
        fact_that_parts(classes_, from.of, a.rows[first.access.row_set], to.of, b.rows[second.access.row_set]);
    if (parted != kNone32) return gone(fact_rules_[parted]);
  }
  if (times_rule_ != kNone32 && (old_and_new(from, to) || old_and_new(to, from))) return gone(times_rule_);
  const ClassRows &from_rows = a.rows[first.access.row_set], &to_rows = b.rows[second.access.row_set];
  if (options_.own_rows && ((to_rows.own && !makes_rows(second.access)) || names_made_id(to_rows, from_rows))) {
    return gone(own_rows_rule_);
  }
  if (*kind == EdgeKind::kLock) return {kind, kNone32};
  Judged judged = judge_by_data(from, to, *kind);
  if (!judged.kind || *judged.kind != EdgeKind::kRw) return judged;
  if (options_.own_rows && (from_rows.own || names_made_id(from_rows, to_rows))) {
    return {EdgeKind::kLockedRw, own_rows_rule_};
  }
  if (options_.inserts_are_new && makes_rows(second.access) && finds_or_makes(a, first)) {
    return {EdgeKind::kLockedRw, new_rows_rule_};
  }
  if (options_.rechecks && rechecks_->holds(from, to)) return {EdgeKind::kLockedRw, rechecks_rule_};
  if (const std::uint32_t fact = numbering_of(from, to); fact != kNone32) {
    return {EdgeKind::kLockedRw, fact_rules_[fact]};
  }
  return judged;
}

// The fact that says that who overwrites this counter, or inserts the next number, comes after the commit of who took a
// number from it.
std::uint32_t ConflictRules::numbering_of(OperationRef from, OperationRef to) const {
  if (options_.as_paper || !options_.assumptions) return kNone32;
  if (makes_rows(classes_.classes[raw(to.of)].operations[to.place].access)) {
    for (const NextNumber& next : classes_.classes[raw(from.of)].next_numbers) {
      if (std::ranges::find(next.reads, from.place) != next.reads.end()) return next.fact;
    }
    return kNone32;
  }
  for (const Numbering& numbering : classes_.classes[raw(from.of)].numberings) {
    if (std::ranges::find(numbering.reads, from.place) != numbering.reads.end()) return numbering.fact;
  }
  return kNone32;
}

ConflictRules::Judged ConflictRules::judge_by_data(OperationRef from, OperationRef to, EdgeKind kind) const {
  const TransactionClass& a = classes_.classes[raw(from.of)];
  const TransactionClass& b = classes_.classes[raw(to.of)];
  const Operation& first = a.operations[from.place];
  const Operation& second = b.operations[to.place];
  const auto gone = [](std::uint32_t rule) { return Judged{std::nullopt, rule}; };
  const ColumnId column = first.access.column;
  if (commutes_by_[raw(column)] != kNone32) {
    const auto in_update = [](const Access& access) { return updates(access) || access.of_written_row; };
    if (in_update(first.access) && in_update(second.access)) return gone(commutes_by_[raw(column)]);
  }
  if (options_.commutative_updates && part_of_increment(a, from.place) && part_of_increment(b, to.place)) {
    return gone(commutative_rule_);
  }
  const bool rw = is_rw(kind);
  if (options_.count_against_updates &&
      ((first.access.counts_only && updates(second.access)) || (second.access.counts_only && updates(first.access)))) {
    return gone(count_rule_);
  }
  if (options_.inserts_are_new && makes_rows(second.access)) {
    if (kind == EdgeKind::kWw && !first.access.deletes && plain_insert(b, second)) return gone(new_rows_rule_);
    if (rw && (first.access.foreign_key || first.access.of_written_row)) return gone(new_rows_rule_);
  }
  if (options_.deletes_commute) {
    if (kind == EdgeKind::kWw && only_deletes(first.access) && !second.access.inserts) return gone(deletes_rule_);
    if (only_deletes(second.access) && finds_what_it_writes(a, first)) return gone(deletes_rule_);
    if (only_deletes(first.access) && finds_what_it_writes(b, second)) return gone(deletes_rule_);
  }
  const ClassRows& rows = a.rows[first.access.row_set];
  if (options_.made_ids_are_new && makes_rows(second.access) && kind != EdgeKind::kWr &&
      by_made_id(rows, b.rows[second.access.row_set])) {
    return gone(made_ids_rule_);
  }
  if (rw && rows.single && makes_rows(second.access) && existing_by_[raw(rows.table)] != kNone32) {
    return gone(existing_by_[raw(rows.table)]);
  }
  if (skip_rule_ != kNone32 && rw && makes_rows(second.access) && takes_what_it_finds(a, first))
    return gone(skip_rule_);
  if (rw && !options_.as_paper) {
    if (const std::uint32_t fact = fact_against(from, to); fact != kNone32) return gone(fact_rules_[fact]);
  }
  for (const auto& [pattern, place] : removed_) {
    if (pattern(from.of, to.of, column, kind)) return gone(place);
  }
  return {kind, kNone32};
}

// The fact that says that what is read does not depend on this INSERT.
std::uint32_t ConflictRules::fact_against(OperationRef from, OperationRef to) const {
  const TransactionClass& a = classes_.classes[raw(from.of)];
  const TransactionClass& b = classes_.classes[raw(to.of)];
  const Operation& read = a.operations[from.place];
  if (!plain_insert(b, b.operations[to.place])) return kNone32;
  if (const std::uint32_t found_by = a.rows[read.access.row_set].found_by; found_by != kNone32) return found_by;
  if (!options_.assumptions) return kNone32;
  const auto at_snapshot = [&](const TransactionClass& one) {
    return one.level_or(options_.level) == WeakLevel::kSnapshotIsolation;
  };
  const bool snapshots = at_snapshot(a) && at_snapshot(b);
  for (const Choice& choice : a.choices) {
    if (choice.queue != kNone32 && (snapshots || choice.queue_numbered) && choice.statement == read.statement &&
        choice.found == read.access.row_set)
      return choice.queue;
  }
  return kNone32;
}

}  // namespace isolde::audit
