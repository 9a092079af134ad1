#include "audit/graph/rules.h"

#include <fmt/format.h>

#include <algorithm>

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

  const auto skips = [](const Statement& statement) {
    return std::ranges::any_of(statement.accesses, [](const Access& access) { return access.skips_locked; });
  };
  if (!options_.as_paper && std::ranges::any_of(classes.statements, skips))
    skip_rule_ = add_rule("who takes work with SKIP LOCKED misses no INSERT");

  const auto has_old_rows = [](const Statement& statement) {
    return std::ranges::any_of(statement.row_sets, [](const RowSet& rows) { return !rows.long_ago.empty(); });
  };
  if (!options_.as_paper && std::ranges::any_of(classes.statements, has_old_rows)) {
    times_rule_ = add_rule("a row that is made now is none of those that are old");
    updated_.resize(classes.schema.columns());
    for (const TransactionClass& one : classes.classes) {
      for (const Operation& operation : one.operations) {
        const Access& access = operation.access;
        if (access.action == Action::kWrite && !access.inserts && !access.deletes) updated_[raw(access.column)] = true;
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

std::uint32_t ConflictRules::rule_against(ClassId a, ClassId b) const {
  if (ignored_by_[raw(a)] != kNone32) return ignored_by_[raw(a)];
  if (ignored_by_[raw(b)] != kNone32) return ignored_by_[raw(b)];
  return a == b ? single_by_[raw(a)] : kNone32;
}

}  // namespace isolde::audit
