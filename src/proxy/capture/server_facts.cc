#include "proxy/capture/server_facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde::proxy::capture {
namespace {

// Key columns whose text is the same whatever a session has set.
constexpr std::string_view kTables = R"(
select n.nspname::text, c.relname::text, c.oid::bigint, c.relfilenode::bigint,
  coalesce((select string_agg(a.attname::text, chr(1) order by k.place)
    from pg_index i, unnest(i.indkey::int2[]) with ordinality as k(number, place), pg_attribute a
    where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.number
      and k.place <= i.indnkeyatts), '') as key_columns,
  case
    when c.relkind = 'p' then 'a partitioned table'
    when c.relkind <> 'r' then 'not a table'
    when c.relispartition or exists (select from pg_inherits h where h.inhrelid = c.oid or h.inhparent = c.oid)
      then 'partitions or inheritance'
    when not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary and i.indimmediate)
      then 'no primary key, or a deferrable one'
    when c.relhasrules then 'rules'
    when c.relrowsecurity then 'row security'
    when exists (select from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal) then 'triggers'
    when exists (select from pg_constraint f where f.conrelid = c.oid and f.contype = 'f'
                 and (f.confdeltype in ('c', 'n', 'd') or f.confupdtype in ('c', 'n', 'd')))
      then 'a foreign key that changes its rows'
    when exists (select from pg_index i, unnest(i.indkey::int2[]) as k(number), pg_attribute a
                 where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.number
                   and a.atttypid not in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'text'::regtype,
                                          'varchar'::regtype, 'uuid'::regtype))
      then 'a key of another type than integers, text and uuid'
    else '' end as why_not
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and c.relpersistence <> 't' and n.nspname not in ('pg_catalog', 'information_schema')
  and n.nspname !~ '^pg_toast')";

constexpr std::string_view kSchemas =
    "select nspname::text, (select count(*) from pg_db_role_setting s, unnest(s.setconfig) as one "
    "where one like 'search_path=%')::bigint from pg_namespace";

// What users and this database have set, the strongest first; then what is in the server's own files.
constexpr std::string_view kLevels = R"(
select coalesce(r.rolname::text, '') as who, lower(split_part(one, '=', 2)) as level
from pg_db_role_setting s left join pg_roles r on r.oid = s.setrole, unnest(s.setconfig) as one
where one like 'default_transaction_isolation=%'
  and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
order by s.setrole <> 0 and s.setdatabase <> 0 desc, s.setrole <> 0 desc)";
constexpr std::string_view kOwnLevel =
    "select reset_val::text from pg_settings where name = 'default_transaction_isolation'";

// As of a moment: every transaction below it is over.
constexpr std::string_view kStart =
    "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint, current_setting('server_version')::text, "
    "current_database()::text, current_user::text, version()::text";

// What a lock that was not free is answered with: to be asked again another time.
constexpr std::string_view kNotNow = "55P03 not now";

std::int64_t number_of(const db::Cell& cell) {
  const auto* number = std::get_if<std::int64_t>(&cell);
  return number == nullptr ? 0 : *number;
}

Result<db::Reply> answered(Result<db::Reply> reply) {
  if (reply && !reply->done())
    return Error{fmt::format("cannot ask the server: {} ({})", reply->failure.text, reply->failure.code)};
  return reply;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = text.find(at);
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<ServerFacts>> ServerFacts::connect(const db::Url& url, const std::vector<std::string>& only) {
  std::unique_ptr<ServerFacts> facts(new ServerFacts);
  facts->only_ = only;
  auto database = db::open_database(url);
  if (!database) return std::move(database).error();
  facts->database_ = *std::move(database);
  if (auto opened = facts->open(); !opened) return opened.error();
  if (auto seen = facts->look_around(); !seen) return seen.error();
  for (const std::string& name : only) {
    const auto at = facts->seen_.find(name);
    if (at == facts->seen_.end()) return Error{fmt::format("there is no table {} in {}", name, facts->database_name_)};
    if (!at->second.why_not.empty()) return Error{fmt::format("{} cannot be recorded: {}", name, at->second.why_not)};
  }
  return facts;
}

Result<void> ServerFacts::open() {
  connection_.reset();
  role_.clear();
  auto connection = database_->connect(database_->levels()[0]);
  if (!connection) return std::move(connection).error();
  connection_ = *std::move(connection);
  connection_->report_unlisted_errors();
  for (const char* const sql : {"set lock_timeout = '50ms'", "set application_name = 'isolde proxy'"}) {
    if (auto done = answered(connection_->run(sql)); !done) return std::move(done).error();
  }
  return {};
}

bool ServerFacts::is_there() {
  if (connection_ != nullptr) return true;
  if (auto opened = open(); opened) return true;
  connection_.reset();
  return false;
}

Result<void> ServerFacts::look_around() {
  auto start = answered(connection_->execute(kStart, {}));
  if (!start) return std::move(start).error();
  if (!db::text_in(start->at(0, 4)).starts_with("PostgreSQL"))
    return Error{"this server is not PostgreSQL itself: what it passes on cannot be recorded in this version"};
  first_xid_ = number_of(start->at(0, 0));
  version_ = db::text_in(start->at(0, 1));
  database_name_ = db::text_in(start->at(0, 2));
  own_user_ = db::text_in(start->at(0, 3));
  if (auto levels = answered(connection_->execute(kLevels, {})); levels) {
    for (std::size_t i = 0; i < levels->rows(); ++i)
      levels_.try_emplace(db::text_in(levels->at(i, 0)), db::text_in(levels->at(i, 1)));
  }
  // What this connection has by default is the server's own setting, unless its user has another one.
  if (auto own = answered(connection_->execute(kOwnLevel, {}));
      own && own->rows() == 1 && !levels_.contains(own_user_) && !levels_.contains(""))
    levels_.emplace("", db::text_in(own->at(0, 0)));
  auto tables = read_tables();
  if (!tables) return std::move(tables).error();
  tables_ = *std::move(tables);
  for (const auto& [name, table] : tables_->by_name) seen_.try_emplace(table.shown, table);
  return {};
}

std::string ServerFacts::level_of(const std::string& user) const {
  for (const std::string& who : {user, std::string()}) {
    if (const auto at = levels_.find(who); at != levels_.end()) return at->second;
  }
  return "unknown";
}

Result<std::shared_ptr<const Tables>> ServerFacts::read_tables() {
  auto reply = answered(connection_->execute(kTables, {}));
  if (!reply) return std::move(reply).error();
  auto tables = std::make_shared<Tables>();
  for (std::size_t i = 0; i < reply->rows(); ++i) {
    Table table;
    table.schema = db::text_in(reply->at(i, 0));
    table.name = db::text_in(reply->at(i, 1));
    table.oid = static_cast<std::uint32_t>(number_of(reply->at(i, 2)));
    table.shown = table.schema == "public" ? table.name : table.schema + "." + table.name;
    std::replace(table.shown.begin(), table.shown.end(), '/', '\\');  // what follows a / is the row's key
    // Another table of the same name is another table.
    const auto [first, fresh] = first_oids_.try_emplace(table.shown, table.oid);
    if (!fresh && first->second != table.oid) table.shown += fmt::format("@{}", table.oid);
    table.file = static_cast<std::uint32_t>(number_of(reply->at(i, 3)));
    table.key = split(db::text_in(reply->at(i, 4)), '\1');
    table.why_not = db::text_in(reply->at(i, 5));
    if (!only_.empty() && std::find(only_.begin(), only_.end(), table.shown) == only_.end())
      table.why_not = "not among those to be recorded";
    tables->by_name.emplace(std::pair(table.schema, table.name), std::move(table));
  }
  auto schemas = answered(connection_->execute(kSchemas, {}));
  if (!schemas) return std::move(schemas).error();
  for (std::size_t i = 0; i < schemas->rows(); ++i) {
    tables->schemas.push_back(db::text_in(schemas->at(i, 0)));
    tables->own_paths = tables->own_paths || number_of(schemas->at(i, 1)) > 0;
  }
  return std::shared_ptr<const Tables>(std::move(tables));
}

std::shared_ptr<const Tables> ServerFacts::tables() {
  const std::lock_guard lock(mutex_);
  if (!is_there()) return nullptr;
  if (!stale_) return tables_;
  static_cast<void>(run("reset role"));
  role_.clear();
  if (!is_there()) return nullptr;
  auto tables = read_tables();
  if (!tables) return nullptr;
  stale_ = false;
  if (**tables == *tables_) return tables_;  // so that nobody has to look at anything again
  tables_ = *std::move(tables);
  for (const auto& [name, table] : tables_->by_name) seen_.try_emplace(table.shown, table);
  return tables_;
}

Result<std::shared_ptr<const Tables>> ServerFacts::tables_now() {
  const std::lock_guard lock(mutex_);
  if (!is_there()) return Error{"the server is gone"};
  static_cast<void>(run("reset role"));
  role_.clear();
  if (!is_there()) return Error{"the server is gone"};
  return read_tables();
}

void ServerFacts::changed() {
  const std::lock_guard lock(mutex_);
  stale_ = true;
}

// Empty: done.
std::string ServerFacts::run(const std::string& sql) {
  auto reply = connection_->run(sql);
  if (reply && reply->done()) return {};
  if (!reply || reply->fate == db::Fate::kLost) {
    connection_.reset();
    return std::string(kNotNow);
  }
  return reply->failure.code + " " + reply->failure.text;
}

std::string ServerFacts::objection(std::string_view sql, const std::string& user) {
  const std::lock_guard lock(mutex_);
  if (!is_there()) return std::string(kNotNow);
  if (user != role_) {
    if (auto refused = run("set role " + quoted_name(user)); !refused.empty()) return refused;
    role_ = user;
  }
  auto refused = run(fmt::format("prepare isolde_proxy as {}", sql));
  if (!refused.empty()) return refused;
  // Privileges are looked at when a statement starts, which EXPLAIN lets it do, without carrying it out.
  auto count =
      connection_->run("select cardinality(parameter_types) from pg_prepared_statements where name = 'isolde_proxy'");
  if (!count || !count->done() || count->rows() != 1) {
    connection_.reset();
    return std::string(kNotNow);
  }
  std::string nulls;
  for (std::int64_t i = 0; i < number_of(count->at(0, 0)); ++i) nulls += i == 0 ? "(null" : ", null";
  refused = run(fmt::format("explain (costs off) execute isolde_proxy{}{}", nulls, nulls.empty() ? "" : ")"));
  const std::string removed = connection_ == nullptr ? std::string(kNotNow) : run("deallocate isolde_proxy");
  return refused.empty() ? removed : refused;
}

}  // namespace isolde::proxy::capture
