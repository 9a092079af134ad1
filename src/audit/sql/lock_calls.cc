// Locks that are no rows: LOCK TABLE, and the advisory locks of PostgreSQL (pg_advisory_xact_lock) and MySQL
// (GET_LOCK).
//
// A lock is modelled as the locking read of a row of a table of its own, which nobody writes: that is all that two who
// take the same lock have to do with each other, and what locks of rows mean is known to everybody else. An advisory
// lock is the row of "advisory lock" whose key is the literal that the call gives. LOCK TABLE t takes the one row of
// "LOCK TABLE t"; whoever writes t takes that row in share mode (classes/lock_tables.h).
#include <algorithm>

#include "audit/sql/functions.h"
#include "audit/sql/meaning.h"
#include "base/ascii.h"

namespace isolde::audit {

using tree::as;
using tree::list;
using tree::number;
using tree::text;

namespace {

constexpr std::string_view kAdvisory = "advisory lock";
// PostgreSQL's modes. Those from the first on hold off writers and each other; the second holds off readers, too.
// SHARE, which holds off writers only, is not told: it protects less than it seems to (two that have it and write wait
// for ever).
constexpr std::int64_t kShareRowExclusive = 6, kAccessExclusive = 8;

enum class LockCall : std::uint8_t { kNone, kTake, kTakeForSession, kRelease };

LockCall lock_call(std::string_view function) {
  if (function == "pg_advisory_xact_lock") return LockCall::kTake;
  if (function == "pg_advisory_lock" || function == "get_lock") return LockCall::kTakeForSession;
  if (function == "pg_advisory_unlock" || function == "pg_advisory_unlock_all" || function == "release_lock" ||
      function == "release_all_locks") {
    return LockCall::kRelease;
  }
  return LockCall::kNone;
}

// The one literal of an expression, such as that of hashtext('orders'): equal literals make equal keys.
std::optional<std::uint32_t> only_literal(tree::Json json) {
  json = tree::without_casts(json);
  if (const auto place = tree::parameter(json)) return place;
  const auto call = as(json, "FuncCall");
  const auto args = call ? list(*call, "args") : std::vector<tree::Json>{};
  return args.size() == 1 ? tree::parameter(tree::without_casts(args[0])) : std::nullopt;
}

}  // namespace

// A table that stands for locks; none: it may not be added any more.
std::optional<TableId> Meaning::lock_table(std::string_view name) {
  const auto table = names_.find_or_add(name);
  if (table) names_.mark_lock(*table);
  return table;
}

void Meaning::function_call(Fields fields, Place& place) {
  const auto parts = tree::names(fields, "funcname");
  if (parts.empty()) return;
  const std::string function = lower_case(parts.back());
  const LockCall call = lock_call(function);
  const bool system = parts.size() > 1 && lower_case(parts.front()) == "pg_catalog";
  if (call == LockCall::kNone) {
    if (!system && !is_built_in(function) && unknown_function_.empty()) unknown_function_ = function;
    return;
  }
  const std::vector<Json> args = list(fields, "args");
  const std::size_t keys = function == "get_lock" ? 1 : args.size();
  std::vector<std::uint32_t> literals;
  for (std::size_t i = 0; i < keys && i < args.size(); ++i) {
    const auto key = only_literal(args[i]);
    if (!key || *key >= literals_.size()) break;
    literals.push_back(*key);
  }
  const bool known = !literals.empty() && literals.size() == keys && literals.size() <= 2;
  if (!known && call != LockCall::kRelease) return;
  const auto table = lock_table(kAdvisory);
  if (!table) return;
  // One number and two numbers are different locks.
  std::vector<ColumnId> columns;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, literals.size()); ++i) {
    const std::string name = literals.size() <= 1 ? "key" : i == 0 ? "first" : "second";
    const auto column = names_.find_or_add(*table, name);
    if (!column) return;
    columns.push_back(*column);
  }
  if (call != LockCall::kRelease) names_.learn_unique_key(*table, columns);
  const std::uint32_t source = add_source({.alias = std::string(kAdvisory), .table = *table});
  named_.push_back(*table);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    emit(place.reads, Action::kRead, {source, columns[i]}, true);
    place.reads.back().access.lock = call == LockCall::kRelease ? Lock::kNone : Lock::kExclusive;
    place.reads.back().access.for_session = call == LockCall::kTakeForSession;
    if (i < literals.size() && call != LockCall::kRelease) equalities_.bind({source, columns[i]}, literals[i]);
  }
}

void Meaning::lock_statement(Fields fields) {
  const std::int64_t mode = number(fields, "mode");
  if (mode < kShareRowExclusive) return;
  const Scope scope;
  for (const Json item : list(fields, "relations")) {
    const auto relation = as(item, "RangeVar");
    if (!relation) continue;
    const auto locked = names_.find_or_add(text(*relation, "relname"));
    if (!locked) continue;
    for (const bool reads : {false, true}) {
      if (reads && mode < kAccessExclusive) continue;
      const std::string name = "LOCK TABLE " + names_.table(*locked).name + (reads ? " against reads" : "");
      const auto table = lock_table(name);
      const auto column = table ? names_.find_or_add(*table, "row") : std::nullopt;
      if (!column) continue;
      names_.mark_lock_of(*table, *locked, reads);
      const std::uint32_t source = add_source({.alias = name, .table = *table});
      single_[source] = true;
      named_.push_back(*table);
      emit(drafts_, Action::kRead, {source, *column}, true);
      drafts_.back().access.lock = Lock::kExclusive;
    }
  }
  if (!drafts_.empty()) did(StatementKind::kSelect);
}

}  // namespace isolde::audit
