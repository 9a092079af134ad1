// The schema of a live database, by its own catalogue: tables where the connection makes tables, no others.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "audit/schema/schema.h"

namespace isolde::audit {
namespace {

// Each query's rows come in an order in which those that belong together are neighbours.
struct Catalogue {
  std::string_view columns;       // table, column, type, default, nullable, generated id
  std::string_view unique_keys;   // table, key, column, is primary
  std::string_view foreign_keys;  // table, key, column, parent, parent's column (NULL: its primary key)
};

constexpr Catalogue kPostgresCatalogue = {
    .columns = R"(select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), pg_get_expr(d.adbin, d.adrelid),
  case when a.attnotnull then 0 else 1 end,
  case when a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like 'nextval(%' then 1 else 0 end
from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relkind in ('r', 'p') and n.nspname = any (current_schemas(false)) and a.attnum > 0 and not a.attisdropped
order by c.relname, a.attnum)",
    .unique_keys =
        R"(select c.relname, i.indexrelid::regclass::text, a.attname, case when i.indisprimary then 1 else 0 end
from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
  join lateral unnest(i.indkey::int[]) with ordinality k(attnum, place) on k.place <= i.indnkeyatts
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
where i.indisunique and i.indpred is null and i.indexprs is null and n.nspname = any (current_schemas(false))
order by c.relname, 2, k.place)",
    .foreign_keys = R"(select c.relname, f.conname, a.attname, p.relname, b.attname
from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class p on p.oid = f.confrelid
  join pg_namespace n on n.oid = c.relnamespace
  join lateral unnest(f.conkey, f.confkey) with ordinality k(child, parent, place) on true
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.child
  join pg_attribute b on b.attrelid = p.oid and b.attnum = k.parent
where f.contype = 'f' and n.nspname = any (current_schemas(false))
order by c.relname, f.conname, k.place)"};

constexpr Catalogue kMysqlCatalogue = {
    .columns = R"(select c.table_name, c.column_name, c.column_type, c.column_default,
  case when c.is_nullable = 'YES' then 1 else 0 end, case when c.extra like '%auto_increment%' then 1 else 0 end
from information_schema.columns c join information_schema.tables t
  on t.table_schema = c.table_schema and t.table_name = c.table_name
where c.table_schema = database() and t.table_type = 'BASE TABLE' order by c.table_name, c.ordinal_position)",
    .unique_keys = R"(select table_name, index_name, column_name, case when index_name = 'PRIMARY' then 1 else 0 end
from information_schema.statistics where table_schema = database() and non_unique = 0
order by table_name, index_name, seq_in_index)",
    .foreign_keys = R"(select table_name, constraint_name, column_name, referenced_table_name, referenced_column_name
from information_schema.key_column_usage where table_schema = database() and referenced_table_name is not null
order by table_name, constraint_name, ordinal_position)"};

constexpr Catalogue kSqliteCatalogue = {
    .columns = R"(select m.name, c.name, c.type, c.dflt_value, case when c."notnull" then 0 else 1 end,
  case when c.pk = 1 and lower(c.type) = 'integer' and (select max(pk) from pragma_table_info(m.name)) = 1 then 1 else 0 end
from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite\_%' escape '\'
order by m.name, c.cid)",
    .unique_keys = R"(select t, k, c, p from (
  select m.name as t, '' as k, c.name as c, 1 as p, c.pk as place from sqlite_master m, pragma_table_info(m.name) c
    where m.type = 'table' and c.pk > 0 and m.name not like 'sqlite\_%' escape '\'
  union all
  select m.name, l.name, i.name, 0, i.seqno from sqlite_master m, pragma_index_list(m.name) l, pragma_index_info(l.name) i
    where m.type = 'table' and l."unique" and not l.partial and l.origin <> 'pk' and i.name is not null
      and not exists (select 1 from pragma_index_info(l.name) e where e.name is null))
order by t, k, place)",
    .foreign_keys = R"(select m.name, cast(f.id as text), f."from", f."table", f."to"
from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table' order by m.name, f.id, f.seq)"};

// Null: nobody has written down how its catalogue is asked.
const Catalogue* catalogue_of(const db::Dialect& dialect) {
  switch (dialect.family) {
    case db::Family::kPostgres:
      return &kPostgresCatalogue;
    case db::Family::kMysql:
      return &kMysqlCatalogue;
    case db::Family::kSqlite:
      return &kSqliteCatalogue;
    case db::Family::kDuckdb:
      break;
  }
  return nullptr;
}

std::string text_of(const db::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  return {};
}
bool is_null_cell(const db::Cell& cell) { return std::holds_alternative<std::monostate>(cell); }
bool is_one(const db::Cell& cell) { return text_of(cell) == "1"; }

Result<db::Reply> ask(db::Connection& connection, std::string_view sql) {
  auto reply = connection.run(sql);
  if (!reply) return std::move(reply).error();
  if (!reply->done()) return Error{fmt::format("the catalogue cannot be read: {}", reply->failure.text)};
  return reply;
}

void take_columns(const db::Reply& rows, Schema& schema) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const TableId table = schema.add_table(text_of(rows.at(i, 0)));
    Column& column = schema.column(schema.add_column(table, text_of(rows.at(i, 1))));
    column.type = text_of(rows.at(i, 2));
    column.nullable = is_one(rows.at(i, 4));
    column.generated_id = is_one(rows.at(i, 5));
    const std::string value = text_of(rows.at(i, 3));
    // MariaDB writes the default NULL as a word.
    if (!is_null_cell(rows.at(i, 3)) && !column.generated_id && value != "NULL") column.default_value = value;
  }
}

void take_unique_keys(const db::Reply& rows, Schema& schema) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> keys;
  for (std::size_t i = 0; i < rows.rows(); ++i) keys[{text_of(rows.at(i, 0)), text_of(rows.at(i, 1))}].push_back(i);
  for (const auto& [name, places] : keys) {
    const auto table = schema.find_table(name.first);
    if (!table) continue;
    std::vector<ColumnId> columns;
    for (const std::size_t i : places) {
      if (const auto column = schema.find_column(*table, text_of(rows.at(i, 2)))) columns.push_back(*column);
    }
    if (columns.size() != places.size()) continue;  // an expression
    if (is_one(rows.at(places[0], 3))) {
      schema.table(*table).primary_key = std::move(columns);
    } else {
      schema.table(*table).unique_keys.push_back(std::move(columns));
    }
  }
}

void take_foreign_keys(const db::Reply& rows, Schema& schema) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> keys;
  for (std::size_t i = 0; i < rows.rows(); ++i) keys[{text_of(rows.at(i, 0)), text_of(rows.at(i, 1))}].push_back(i);
  for (const auto& [name, places] : keys) {
    const auto table = schema.find_table(name.first);
    const auto parent = schema.find_table(text_of(rows.at(places[0], 3)));
    if (!table || !parent) continue;
    ForeignKey key{.columns = {}, .parent = *parent, .parent_columns = {}};
    for (const std::size_t i : places) {
      if (const auto c = schema.find_column(*table, text_of(rows.at(i, 2)))) key.columns.push_back(*c);
      if (const auto c = schema.find_column(*parent, text_of(rows.at(i, 4)))) key.parent_columns.push_back(*c);
    }
    if (is_null_cell(rows.at(places[0], 4))) key.parent_columns = schema.table(*parent).primary_key;
    if (!key.columns.empty() && key.columns.size() == key.parent_columns.size())
      schema.table(*table).foreign_keys.push_back(std::move(key));
  }
}

}  // namespace

Result<Schema> schema_of_database(db::Database& database, db::Connection& connection) {
  const Catalogue* const known = catalogue_of(database.dialect());
  if (known == nullptr) return Error{fmt::format("the schema of {} cannot be read", database.dialect().name)};
  const Catalogue& catalogue = *known;
  const auto columns = ask(connection, catalogue.columns);
  if (!columns) return columns.error();
  const auto unique = ask(connection, catalogue.unique_keys);
  if (!unique) return unique.error();
  const auto foreign = ask(connection, catalogue.foreign_keys);
  if (!foreign) return foreign.error();
  Schema schema;
  take_columns(*columns, schema);
  take_unique_keys(*unique, schema);
  take_foreign_keys(*foreign, schema);
  if (schema.tables() == 0) return Error{"the database has no tables: expected those of the application"};
  return schema;
}

}  // namespace isolde::audit
