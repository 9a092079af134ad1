#include "audit/graph/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/facts/vocabularies.h"

namespace isolde::audit {
namespace {

unsigned kinds_of(std::string_view name) {
  const auto bit = [](EdgeKind kind) { return 1U << static_cast<unsigned>(kind); };
  if (matches("ww", name)) return bit(EdgeKind::kWw);
  if (matches("wr", name)) return bit(EdgeKind::kWr);
  if (matches("rw", name)) return bit(EdgeKind::kRw) | bit(EdgeKind::kLockedRw);
  return ~0U;
}

std::vector<bool> matching_classes(std::string_view pattern, const Classes& classes) {
  std::vector<bool> out;
  for (const TransactionClass& one : classes.classes) out.push_back(matches(pattern, one.name));
  return out;
}

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

EdgeMatcher::EdgeMatcher(const EdgePattern& pattern, const Classes& classes)
    : from_(matching_classes(pattern.from, classes)),
      to_(matching_classes(pattern.to, classes)),
      kinds_(kinds_of(pattern.kind)) {
  for (std::uint32_t column = 0; column < classes.schema.columns(); ++column) {
    column_.push_back(matches(pattern.column, classes.schema.full_name(ColumnId(column))));
  }
}

ConflictRules::ConflictRules(const Classes& classes, const Hints& hints, const GraphOptions& options)
    : classes_(classes), options_(options) {
  if (options.as_paper) {
    options_.commutative_updates = options_.count_against_updates = options_.inserts_are_new = false;
    options_.deletes_commute = options_.made_ids_are_new = options_.own_rows = options_.rechecks = false;
  }
  const auto add_rule = [&](std::string name) {
    names_.push_back(std::move(name));
    return static_cast<std::uint32_t>(names_.size() - 1);
  };
  if (options_.commutative_updates) commutative_rule_ = add_rule("updates that commute (x = x + n)");
  if (options_.count_against_updates) count_rule_ = add_rule("count(*) against UPDATE");
  if (options_.inserts_are_new) new_rows_rule_ = add_rule("an INSERT makes a new row");
  if (options_.deletes_commute) deletes_rule_ = add_rule("a deleted row is gone");
  if (options_.made_ids_are_new) made_ids_rule_ = add_rule("an id that the database makes is not known before");
  if (options_.own_rows) own_rows_rule_ = add_rule("rows that a transaction made itself");
  if (options_.rechecks) {
    rechecks_rule_ = add_rule("an UPDATE that asks again for what was read (if the code looks at the number of rows)");
    rechecks_.emplace(classes);
  }

  const auto has_old_rows = [](const Statement& statement) {
    return std::ranges::any_of(statement.row_sets, [](const RowSet& rows) { return !rows.long_ago.empty(); });
  };
  if (!options_.as_paper && std::ranges::any_of(classes.statements, has_old_rows)) {
    times_rule_ = add_rule("a row that is made now is none of those that are old");
    updated_.resize(classes.schema.columns());
    for (const TransactionClass& one : classes.classes) {
      for (const Operation& operation : one.operations) {
        if (updates(operation.access)) updated_[raw(operation.access.column)] = true;
      }
    }
  }

  for (const Fact& fact : classes.facts) fact_rules_.push_back(add_rule(fact.text));

  const std::size_t n = classes.classes.size();
  const auto mark = [&](const std::vector<std::string>& patterns, std::string_view hint, std::string_view word,
                        std::size_t size, auto&& name_of) {
    std::vector<std::uint32_t> by(size, kNone32);
    for (const std::string& pattern : patterns) {
      const std::uint32_t rule = add_rule(fmt::format("[[{}]] {} = \"{}\"", hint, word, pattern));
      for (std::uint32_t i = 0; i < size; ++i) {
        if (by[i] == kNone32 && matches(pattern, name_of(i))) by[i] = rule;
      }
    }
    return by;
  };
  const auto class_name = [&](std::uint32_t i) -> std::string_view { return classes.classes[i].name; };
  const auto column_name = [&](std::uint32_t i) { return classes.schema.full_name(ColumnId(i)); };
  const auto table_name = [&](std::uint32_t i) -> std::string_view { return classes.schema.table(TableId(i)).name; };
  ignored_by_ = mark(hints.ignored_classes, "ignore", "class", n, class_name);
  single_by_ = mark(hints.single_classes, "once", "class", n, class_name);
  unique_by_ = mark(hints.unique_columns, "unique", "column", classes.schema.columns(), column_name);
  commutes_by_ = mark(hints.commuting_columns, "commutes", "column", classes.schema.columns(), column_name);
  existing_by_ = mark(hints.existing_tables, "existing", "table", classes.schema.tables(), table_name);
  if (options_.use_inferred_unique) {
    for (const UniqueColumn& unique : classes.unique) {
      if (unique_by_[raw(unique.column)] != kNone32) continue;
      unique_by_[raw(unique.column)] =
          add_rule(fmt::format("{} always differs (inferred)", classes.schema.full_name(unique.column)));
    }
  }
  for (const EdgePattern& pattern : hints.removed) {
    const std::string_view kind = pattern.kind.empty() ? std::string_view("*") : pattern.kind;
    removed_.emplace_back(EdgeMatcher(pattern, classes),
                          add_rule(fmt::format("[[remove]] from = \"{}\", to = \"{}\", column = \"{}\", kind = \"{}\"",
                                               pattern.from, pattern.to, pattern.column, kind)));
  }

  const bool snapshots = std::ranges::any_of(classes.classes, [&](const TransactionClass& one) {
    return one.level_or(options_.level) == WeakLevel::kSnapshotIsolation;
  });
  const std::uint32_t replicas = snapshots ? 3 : 2;
  for (std::size_t i = 0; i < n; ++i) {
    replicas_.push_back(ignored_by_[i] != kNone32 ? 0 : single_by_[i] != kNone32 ? 1 : replicas);
  }
  find_unique_variables();
}

void ConflictRules::find_unique_variables() {
  for (const TransactionClass& one : classes_.classes) {
    std::vector<std::vector<ColumnId>>& of_variable = unique_variables_.emplace_back(one.variables);
    for (const ClassRows& rows : one.rows) {
      for (const ClassRowKey& key : rows.keys) {
        if (key.variable < one.variables && unique_by_[raw(key.column)] != kNone32) {
          of_variable[key.variable].push_back(key.column);
        }
      }
    }
    for (std::vector<ColumnId>& columns : of_variable) {
      std::ranges::sort(columns);
      columns.erase(std::ranges::unique(columns).begin(), columns.end());
    }
  }
}

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

// The fact that says that who overwrites this counter comes after the commit of who took a number from it.
std::uint32_t ConflictRules::numbering_of(OperationRef from, OperationRef to) const {
  if (options_.as_paper || !options_.assumptions ||
      makes_rows(classes_.classes[raw(to.of)].operations[to.place].access))
    return kNone32;
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

std::uint32_t ConflictRules::rule_against(ClassId a, ClassId b) const {
  if (ignored_by_[raw(a)] != kNone32) return ignored_by_[raw(a)];
  if (ignored_by_[raw(b)] != kNone32) return ignored_by_[raw(b)];
  return a == b ? single_by_[raw(a)] : kNone32;
}

}  // namespace isolde::audit
