#include "proxy/values/catalogue.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/sql/shape.h"
#include "base/ascii.h"
#include "db/database.h"

namespace isolde::proxy::values {
namespace {

constexpr std::size_t kMostRowsOfTable = 100'000;          // of one table
constexpr std::size_t kMostBytesOfTables = 256ULL << 20U;  // of all rows

constexpr std::string_view kSettings =
    "show global variables where variable_name in ('tx_isolation', 'transaction_isolation', "
    "'innodb_rollback_on_timeout', 'event_scheduler', 'lower_case_table_names', 'version')";
constexpr std::string_view kTablesSql =
    "select table_name, coalesce(engine, ''), table_type from information_schema.tables "
    "where table_schema = database()";
constexpr std::string_view kColumnsSql =
    "select table_name, column_name, data_type, column_type, column_key, extra, column_default, is_nullable "
    "from information_schema.columns where table_schema = database() order by table_name, ordinal_position";
constexpr std::string_view kTriggersSql =
    "select event_object_table, action_statement from information_schema.triggers where trigger_schema = database()";
constexpr std::string_view kCascadesSql =
    "select table_name from information_schema.referential_constraints where constraint_schema = database() "
    "and (update_rule not in ('RESTRICT', 'NO ACTION') or delete_rule not in ('RESTRICT', 'NO ACTION'))";
constexpr std::string_view kUniqueSql =
    "select distinct table_name from information_schema.statistics where table_schema = database() "
    "and non_unique = 0 and index_name <> 'PRIMARY'";
constexpr std::string_view kRoutinesSql =
    "select routine_name, routine_definition from information_schema.routines where routine_schema = database()";
constexpr std::string_view kEventsSql =
    "select count(*) from information_schema.events where event_schema = database()";

Result<db::Reply> ask(db::Connection& connection, std::string_view sql) {
  auto reply = connection.run(sql);
  if (reply && !reply->done())
    return Error{fmt::format("cannot ask the server: {} ({})", reply->failure.text, reply->failure.code)};
  return reply;
}

std::string cell_text(const db::Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  return db::text_in(cell);
}

std::string quoted_mysql_name(std::string_view name) {
  std::string out = "`";
  for (const char c : name) out += c == '`' ? std::string("``") : std::string(1, c);
  return out + "`";
}

std::vector<std::string> lower_words(std::string_view sql) {
  audit::Lexer lexer(audit::SqlDialect::kMysql);
  std::vector<std::string> out;
  for (const audit::Token& token : lexer.tokens(sql)) {
    if (audit::is_name(token)) out.push_back(lower_case(token.text));
  }
  return out;
}

bool is_integer_type(std::string_view type) {
  return type == "tinyint" || type == "smallint" || type == "mediumint" || type == "int" || type == "bigint";
}
bool is_text_type(std::string_view type) {
  return type == "char" || type == "varchar" || type == "tinytext" || type == "text" || type == "mediumtext" ||
         type == "longtext";
}

// MariaDB writes it as SQL has it.
Value standard_value(const db::Cell& cell, bool nullable, ColumnKind kind) {
  if (std::holds_alternative<std::monostate>(cell)) return nullable ? Value{Value::Kind::kNull} : Value{};
  const std::string text = cell_text(cell);
  if (text == "NULL") return {Value::Kind::kNull};
  if (kind == ColumnKind::kInteger) return text_value(text, kind, true);
  if (text.size() < 2 || text.front() != '\'' || text.back() != '\'') return {};
  const std::string_view inner = std::string_view(text).substr(1, text.size() - 2);
  return inner.find_first_of("'\\") == std::string_view::npos ? text_value(inner, kind, false) : Value{};
}

}  // namespace

const FollowedColumn* FollowedTable::column(std::string_view lower_name) const {
  const auto at =
      std::find_if(columns.begin(), columns.end(), [&](const FollowedColumn& c) { return c.name == lower_name; });
  return at == columns.end() ? nullptr : &*at;
}

bool FollowedTable::is_key(std::string_view lower_name) const {
  return std::find(key.begin(), key.end(), lower_name) != key.end();
}

Result<std::unique_ptr<Catalogue>> Catalogue::read(const db::Url& url, const std::vector<std::string>& only) {
  auto database = db::open_database(url);
  if (!database) return std::move(database).error();
  auto connection = (*database)->connect((*database)->levels()[0]);
  if (!connection) return std::move(connection).error();
  (*connection)->report_unlisted_errors();
  std::unique_ptr<Catalogue> catalogue(new Catalogue);
  catalogue->database_ = url.database;
  if (url.database.empty()) return Error{"--to names no database: say which one is to be recorded, as in …/shop"};
  if (auto seen = catalogue->look_around(**connection); !seen) return seen.error();
  for (const std::string& name : only) {
    const auto at = catalogue->tables_.find(name);
    if (at == catalogue->tables_.end()) return Error{fmt::format("there is no table {} in {}", name, url.database)};
    if (!at->second.why_not.empty()) return Error{fmt::format("{} cannot be recorded: {}", name, at->second.why_not)};
  }
  for (auto& [name, table] : catalogue->tables_) {
    if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end())
      table.why_not = "not among those to be recorded";
  }
  if (auto rows = catalogue->read_rows(**connection); !rows) return rows.error();
  return catalogue;
}

Result<void> Catalogue::look_around(db::Connection& connection) {
  auto settings = ask(connection, kSettings);
  if (!settings) return std::move(settings).error();
  bool events_run = false;
  for (std::size_t i = 0; i < settings->rows(); ++i) {
    const std::string name = cell_text(settings->at(i, 0)), value = cell_text(settings->at(i, 1));
    if (name.ends_with("_isolation")) level_ = lower_case(value);
    if (name == "innodb_rollback_on_timeout") timeouts_roll_back_ = value != "OFF";
    if (name == "event_scheduler") events_run = value == "ON";
    if (name == "lower_case_table_names") lower_case_names_ = value != "0";
    if (name == "version") version_ = value;
  }
  std::replace(level_.begin(), level_.end(), '-', ' ');
  // Its writers may not wait for each other's locks, and these locks show the order of versions.
  if (version_.find("TiDB") != std::string::npos) return Error{"TiDB is passed on, but not recorded in this version"};
  auto tables = ask(connection, kTablesSql);
  if (!tables) return std::move(tables).error();
  for (std::size_t i = 0; i < tables->rows(); ++i) {
    const std::string name = cell_text(tables->at(i, 0)), engine = cell_text(tables->at(i, 1)),
                      type = cell_text(tables->at(i, 2));
    if (type.find("VIEW") != std::string::npos) {
      views_.insert(lower_case(name));
      continue;
    }
    FollowedTable& table = tables_[name];
    table.name = name;
    if (lower_case(engine) != "innodb") table.why_not = "an engine other than InnoDB";
    if (type != "BASE TABLE") table.why_not = "system versioning, or a sequence";
  }
  if (auto columns = read_columns(connection); !columns) return columns;
  auto events = ask(connection, kEventsSql);
  if (!events) return std::move(events).error();
  has_events_ = events_run && cell_text(events->at(0, 0)) != "0";
  return read_what_changes_tables(connection);
}

Result<void> Catalogue::read_columns(db::Connection& connection) {
  auto columns = ask(connection, kColumnsSql);
  if (!columns) return std::move(columns).error();
  for (std::size_t i = 0; i < columns->rows(); ++i) {
    const auto at = tables_.find(cell_text(columns->at(i, 0)));
    if (at == tables_.end()) continue;
    FollowedTable& table = at->second;
    const std::string name = lower_case(cell_text(columns->at(i, 1))), type = lower_case(cell_text(columns->at(i, 2))),
                      whole_type = lower_case(cell_text(columns->at(i, 3))), key = cell_text(columns->at(i, 4)),
                      extra = lower_case(cell_text(columns->at(i, 5)));
    table.all_columns.push_back(name);
    const bool counts_up = extra.find("auto_increment") != std::string::npos;
    const bool wide = type == "bigint" && whole_type.find("unsigned") != std::string::npos;
    const bool integer = is_integer_type(type) && whole_type.find("zerofill") == std::string::npos;
    if (key == "PRI") {
      if (!integer || wide) table.why_not = "a key of another type than integers";
      table.key.push_back(name);
      table.counts_up = table.counts_up || counts_up;
      continue;
    }
    // Columns that the server fills in by itself are not followed.
    if (!extra.empty() || wide || !(integer || is_text_type(type))) continue;
    const ColumnKind kind = integer ? ColumnKind::kInteger : ColumnKind::kText;
    table.columns.push_back(
        {name, kind, standard_value(columns->at(i, 6), cell_text(columns->at(i, 7)) == "YES", kind)});
  }
  for (auto& [name, table] : tables_) {
    if (table.columns.empty()) table.why_not = "no column of integers or text beside the key";
    if (table.key.empty()) table.why_not = "no primary key";
  }
  return {};
}

Result<void> Catalogue::read_what_changes_tables(db::Connection& connection) {
  auto triggers = ask(connection, kTriggersSql);
  auto cascades = ask(connection, kCascadesSql);
  auto unique = ask(connection, kUniqueSql);
  auto routines = ask(connection, kRoutinesSql);
  for (auto* const reply : {&triggers, &cascades, &unique, &routines}) {
    if (!*reply) return std::move(*reply).error();
  }
  for (std::size_t i = 0; i < triggers->rows(); ++i) {
    std::vector<std::string> words = lower_words(cell_text(triggers->at(i, 1)));
    words.push_back(lower_case(cell_text(triggers->at(i, 0))));
    for (auto& [name, table] : tables_) {
      if (std::find(words.begin(), words.end(), lower_case(name)) != words.end() ||
          std::find(words.begin(), words.end(), "call") != words.end())
        table.why_not = "triggers";
    }
  }
  for (std::size_t i = 0; i < cascades->rows(); ++i) {
    const auto at = tables_.find(cell_text(cascades->at(i, 0)));
    if (at != tables_.end()) at->second.why_not = "a foreign key that changes its rows";
  }
  for (std::size_t i = 0; i < unique->rows(); ++i) {
    const auto at = tables_.find(cell_text(unique->at(i, 0)));
    if (at != tables_.end()) at->second.other_unique = true;
  }
  for (std::size_t i = 0; i < routines->rows(); ++i)
    routines_[lower_case(cell_text(routines->at(i, 0)))] = lower_words(cell_text(routines->at(i, 1)));
  if (has_events_) {
    for (auto& [name, table] : tables_) table.why_not = "events that the server runs by itself";
  }
  return {};
}

Result<void> Catalogue::read_rows(db::Connection& connection) {
  if (auto begun = ask(connection, "start transaction with consistent snapshot"); !begun) return begun.error();
  std::size_t bytes = 0;
  for (auto& [name, table] : tables_) {
    if (!table.why_not.empty()) continue;
    std::string sql = "select ";
    for (std::size_t i = 0; i < table.key.size(); ++i) sql += (i == 0 ? "" : ", ") + quoted_mysql_name(table.key[i]);
    for (const FollowedColumn& column : table.columns) sql += ", " + quoted_mysql_name(column.name);
    sql += fmt::format(" from {} limit {}", quoted_mysql_name(name), kMostRowsOfTable + 1);
    auto reply = ask(connection, sql);
    if (!reply) {
      table.why_not = "rows that the proxy's user may not read";
      continue;
    }
    if (reply->rows() > kMostRowsOfTable || bytes > kMostBytesOfTables) continue;
    Rows& rows = rows_[&table];
    for (std::size_t i = 0; i < reply->rows(); ++i) {
      std::string key;
      for (std::size_t k = 0; k < table.key.size(); ++k) key += (k == 0 ? "" : "/") + cell_text(reply->at(i, k));
      std::vector<Value> values;
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const db::Cell& cell = reply->at(i, table.key.size() + c);
        values.push_back(std::holds_alternative<std::monostate>(cell)
                             ? Value{Value::Kind::kNull}
                             : text_value(cell_text(cell), table.columns[c].kind, true));
        bytes += sizeof(Value) + values.back().text.size();
      }
      rows.emplace(std::move(key), std::move(values));
    }
    table.rows_known = true;
  }
  if (auto ended = ask(connection, "commit"); !ended) return ended.error();
  return {};
}

const FollowedTable* Catalogue::table(std::string_view schema, std::string_view name,
                                      std::string_view current_schema) const {
  const std::string_view in = schema.empty() ? current_schema : schema;
  if (!(lower_case_names_ ? same_ignoring_case(in, database_) : in == database_)) return nullptr;
  const auto at = lower_case_names_ ? tables_.find(lower_case(name)) : tables_.find(name);
  return at == tables_.end() ? nullptr : &at->second;
}

bool Catalogue::names_a_routine(const std::vector<std::string>& names) const {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return routines_.contains(name); });
}

bool Catalogue::names_a_view(const std::vector<std::string>& names) const {
  const std::lock_guard lock(mutex_);
  return !views_.empty() &&
         std::any_of(names.begin(), names.end(), [&](const std::string& name) { return views_.contains(name); });
}

Touched Catalogue::touched_by(const std::vector<std::string>& names) const {
  Touched out;
  std::vector<std::string> all = names;
  std::set<std::string> looked_into;
  const std::lock_guard lock(mutex_);
  // What routines name is named, too; `all` grows.
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (views_.contains(all[i])) out.everything = true;
    const auto routine = routines_.find(all[i]);
    if (routine == routines_.end() || !looked_into.insert(all[i]).second) continue;
    if (routine->second.empty()) out.everything = true;
    for (const std::string& word : routine->second) {
      if (word == "prepare" || word == "execute") out.everything = true;
      all.push_back(word);
    }
  }
  std::sort(all.begin(), all.end());
  for (const auto& [name, table] : tables_) {
    if (std::binary_search(all.begin(), all.end(), lower_case(name))) out.tables.push_back(&table);
  }
  return out;
}

void Catalogue::add_view(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  // … VIEW IF NOT EXISTS schema.name AS …
  auto at = std::find(names.begin(), names.end(), "view");
  for (; at != names.end() && *at != "as"; ++at) views_.insert(*at);
}

std::unique_ptr<Catalogue::First> Catalogue::first_of(const FollowedTable& table, const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (!table.rows_known || !said_.emplace(&table, key).second) return nullptr;
  auto first = std::make_unique<First>();
  first->known = true;
  Rows& rows = rows_[&table];
  const auto at = rows.find(key);
  if (at == rows.end()) return first;
  first->values = std::move(at->second);
  rows.erase(at);
  return first;
}

}  // namespace isolde::proxy::values
