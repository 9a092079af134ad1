#include "hunt/run/setup_sql.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

#include "hunt/case/dialects.h"
#include "hunt/run/own_schema.h"

namespace isolde::hunt {
namespace {

// Every session works where hunts make their tables.
SessionSetup entered(SessionSetup setup, std::string_view dialect) {
  const std::vector<std::string> first = enter_own_schema(dialect);
  setup.must.insert(setup.must.begin(), first.begin(), first.end());
  return setup;
}

// SQLite's cannot change the row that is being stored: it updates it right afterwards, and so for once only.
void add_trigger(const Table& table, db::Triggers triggers, std::vector<std::string>& all) {
  const std::string value = fmt::format("coalesce(new.{}, 0) + 1", table.trigger->from);
  if (triggers == db::Triggers::kFunction) {
    all.push_back(
        fmt::format("create or replace function {}_f() returns trigger language plpgsql as $$ begin new.{} "
                    ":= {}; return new; end $$",
                    table.name, table.trigger->column, value));
    all.push_back(fmt::format(
        "create trigger {0}_g before insert or update on {0} for each row execute function {0}_f()", table.name));
    return;
  }
  for (const std::string_view when : {"insert", "update"}) {
    all.push_back(
        triggers == db::Triggers::kUpdatesRow
            ? fmt::format("create trigger {0}_{1} after {1} on {0} begin update {0} set {2} = {3} where pkey = "
                          "new.pkey; end",
                          table.name, when, table.trigger->column, value)
            : fmt::format("create trigger {0}_{1} before {1} on {0} for each row set new.{2} = {3}", table.name, when,
                          table.trigger->column, value));
  }
}

// The statements of a session's setup, with their places filled in.
std::vector<std::string> setup_statements(std::span<const std::string_view> texts, std::string_view collation,
                                          std::chrono::milliseconds limit) {
  std::vector<std::string> all;
  for (const std::string_view text : texts) {
    std::string sql = filled_in(text, "ms", std::to_string(limit.count()));
    sql = filled_in(sql, "s", fmt::format("{:.3f}", static_cast<double>(limit.count()) / 1000));
    all.push_back(filled_in(sql, "collation", collation));
  }
  return all;
}

}  // namespace

bool is_huntable(std::string_view dialect) { return hunt_dialect(dialect) != nullptr; }

SessionSetup fighter_setup(std::string_view dialect, std::chrono::milliseconds limit) {
  const db::HuntRules& rules = rules_of(dialect);
  return entered({setup_statements(rules.fighter_must, rules.collation, limit),
                  setup_statements(rules.fighter_may, rules.collation, limit)},
                 dialect);
}

SessionSetup keeper_setup(std::string_view dialect) {
  const db::HuntRules& rules = rules_of(dialect);
  return entered({setup_statements(rules.keeper_must, rules.collation, {}), {}}, dialect);
}

std::string_view name(Plan plan) { return plan == Plan::kByIndexes ? "by-indexes" : "by-scans"; }

PlanSettings plan_settings(std::string_view dialect, Plan plan) {
  PlanSettings settings;
  for (const db::PlanSetting& row : rules_of(dialect).plans) {
    if (row.by_indexes != (plan == Plan::kByIndexes)) continue;
    settings.on.push_back(fmt::format("set session {} = {}", row.name, row.value));
    settings.off.push_back(fmt::format("set session {} = default", row.name));
  }
  return settings;
}

std::vector<std::string> creation(const Table& table, std::string_view dialect) {
  std::vector<std::string> all = {table.create};
  const db::Grammar& grammar = grammar_of(dialect);
  if (table.partitions > 0) {
    const bool tables = grammar.partitions == db::Partitions::kTables;
    all[0] += tables ? std::string(" partition by hash (pkey)")
                     : fmt::format(" partition by hash (pkey) partitions {}", table.partitions);
    for (std::uint32_t i = 0; tables && i < table.partitions; ++i)
      all.push_back(fmt::format("create table {0}_p{1} partition of {0} for values with (modulus {2}, remainder {1})",
                                table.name, i, table.partitions));
  }
  if (table.trigger) add_trigger(table, grammar.triggers, all);
  return all;
}

std::vector<std::string> left_by_drops(const Schema& schema, std::string_view dialect) {
  std::vector<std::string> all;
  if (grammar_of(dialect).triggers != db::Triggers::kFunction) return all;
  for (const Table& table : schema.tables)
    if (table.trigger) all.push_back(fmt::format("drop function if exists {}_f", table.name));
  return all;
}

std::vector<std::string> creation(const Schema& schema, std::string_view dialect) {
  std::vector<std::string> all;
  for (const Table& table : schema.tables) {
    for (std::string& sql : creation(table, dialect)) all.push_back(std::move(sql));
    // Fresh statistics in the middle of a run might change the order in which rows are locked.
    if (const std::string_view setting = rules_of(dialect).table_setting; !setting.empty() && table.partitions == 0)
      all.push_back(fmt::format(fmt::runtime(setting), table.name));
  }
  all.insert(all.end(), schema.more.begin(), schema.more.end());
  for (const View& view : schema.views) all.push_back(view.create);
  return all;
}

std::string reset_sql(const Schema& schema, std::string_view dialect) {
  std::set<std::string_view> all;
  for (const Table& table : schema.tables) all.insert(table.name);
  return reset_sql(schema, dialect, all);
}

std::string reset_sql(const Schema& schema, std::string_view dialect, const std::set<std::string_view>& changed) {
  std::set<std::string_view> emptied = changed;
  std::vector<const Table*> tables;
  for (const Table& table : schema.tables) {  // parents before their children
    for (const ForeignKey& key : table.foreign_keys)
      if (emptied.contains(key.parent)) emptied.insert(table.name);
    if (emptied.contains(table.name)) tables.push_back(&table);
  }
  if (tables.empty()) return {};
  const db::HuntRules& rules = rules_of(dialect);
  std::string sql(rules.begin_reset);
  // Children first, so that no foreign key stands in the way; then parents first.
  for (const Table* const table : tables | std::views::reverse) sql += fmt::format("delete from {}; ", table->name);
  for (const Table* const table : tables) {
    if (table->rows.empty()) continue;
    sql += fmt::format("insert into {} ({}) values ", table->name, fmt::join(table->inserted, ", "));
    for (std::size_t i = 0; i < table->rows.size(); ++i)
      sql += fmt::format("{}({})", i == 0 ? "" : ", ", fmt::join(table->rows[i], ", "));
    sql += "; ";
  }
  return sql += rules.end_reset;
}

}  // namespace isolde::hunt
