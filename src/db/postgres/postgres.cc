#include "db/postgres/postgres.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>

#include "db/postgres/facts.h"
#include "db/postgres/flavour.h"
#include "db/postgres/postgres_connection.h"

namespace isolde::db {
namespace {

constexpr ServerLevel kPostgresLevels[] = {
    {"read uncommitted", Level::kReadUncommitted, "READ UNCOMMITTED"},
    {"read committed", Level::kReadCommitted, "READ COMMITTED", true},
    {"repeatable read", Level::kSnapshotIsolation, "REPEATABLE READ"},
    {"serializable", Level::kSerializable, "SERIALIZABLE"},
};

// In a transaction block every error leaves the transaction failed; the server's transaction status refines what is
// said here (postgres_connection.h). Not listed, so that they stop the run: syntax and names (42*), protocol (08P01),
// resources (53*), internal errors (XX*).
constexpr ErrorRow kPostgresErrors[] = {
    {"40001", Fate::kMustRollBack, "serialization failure"},
    {"40P01", Fate::kMustRollBack, "deadlock"},
    {"40002", Fate::kMustRollBack, "a constraint of the whole transaction"},
    {"40003", Fate::kLost, "the server does not know whether it was carried out"},
    {"23*", Fate::kMustRollBack, "a constraint of the table (23505: duplicate key)"},
    {"21000", Fate::kMustRollBack, "a row would be changed twice by one statement (MERGE, upsert)"},
    {"22*", Fate::kMustRollBack, "an invalid value: division by zero, out of range"},
    {"25P02", Fate::kMustRollBack, "the transaction had failed before"},
    {"55P03", Fate::kMustRollBack, "a lock is not available (NOWAIT, lock_timeout)"},
    {"57014", Fate::kMustRollBack, "cancelled (also statement_timeout)"},
    {"25P03", Fate::kLost, "idle_in_transaction_session_timeout"},
    {"57P01", Fate::kLost, "an administrator ended the session, or the server is shutting down"},
    {"57P02", Fate::kLost, "the server crashed"},
    {"57P03", Fate::kLost, "the server is starting or stopping"},
    {"57P04", Fate::kLost, "the database was dropped"},
    {"57P05", Fate::kLost, "idle_session_timeout"},
    {"08000", Fate::kLost, "connection fault"},
    {"08001", Fate::kLost, "no connection"},
    {"08003", Fate::kLost, "no connection"},
    {"08004", Fate::kLost, "the server refused the connection"},
    {"08006", Fate::kLost, "the connection broke"},
    {"08007", Fate::kLost, "the outcome of the transaction is not known"},
};

// fsync and synchronous_commit decide what a crash may undo, so they belong to what a run with faults means.
constexpr std::string_view kPostgresDescribe =
    "select 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1) union all "
    "select name || '=' || setting from pg_settings where name in ('fsync', 'synchronous_commit') and setting = 'off'";

// A wait for the right to extend a table's file is over in a moment and blocks nobody's transaction.
constexpr std::string_view kWaiting =
    "select distinct pid from pg_locks where not granted and locktype <> 'extend' and pid is not null";

constexpr Flavour kPostgres = {.port = 5432,
                               .dialect = kPostgresDialect,
                               .levels = kPostgresLevels,
                               .errors = kPostgresErrors,
                               .describe_sql = kPostgresDescribe,
                               .waiting_sql = kWaiting,
                               .terminate_sql = "select pg_terminate_backend(?)"};

// libpq's options, except what the URL says elsewhere and what a recording rests on.
std::vector<std::string> allowed_options() {
  constexpr std::string_view kOurs[] = {
      "host",   "hostaddr",        "port",        "user",    "password",
      "dbname", "client_encoding", "replication", "service", "fallback_application_name"};
  std::vector<std::string> names;
  PQconninfoOption* const all = PQconndefaults();
  for (const PQconninfoOption* o = all; o != nullptr && o->keyword != nullptr; ++o) {
    if (std::find(std::begin(kOurs), std::end(kOurs), o->keyword) == std::end(kOurs) && o->label[0] != '\0')
      names.emplace_back(o->keyword);
  }
  PQconninfoFree(all);
  std::sort(names.begin(), names.end());
  return names;
}

Result<PostgresTarget> target_of(const Url& url, std::uint16_t default_port) {
  PostgresTarget target;
  target.shown = url.shown();
  const auto add = [&](std::string_view name, std::string value) {
    if (!value.empty()) target.parameters.emplace_back(name, std::move(value));
  };
  add("host", url.host);
  add("port", std::to_string(url.port == 0 ? default_port : url.port));
  add("user", url.user);
  add("password", url.password);
  add("dbname", url.database);
  add("client_encoding", "UTF8");
  add("fallback_application_name", "isolde");
  bool has_timeout = false;
  const std::vector<std::string> allowed = allowed_options();
  for (const auto& [name, value] : url.options) {
    if (!std::binary_search(allowed.begin(), allowed.end(), name))
      return Error{
          fmt::format("\"{}\" is not an option of {}: (available: {})", name, url.scheme, fmt::join(allowed, ", "))};
    has_timeout |= name == "connect_timeout";
    add(name, value);
  }
  if (!has_timeout) add("connect_timeout", "10");
  return target;
}

Result<Reply> asked(Result<Reply> reply, std::string_view what) {
  if (reply && !reply->done()) return Error{fmt::format("{}: {} ({})", what, reply->failure.text, reply->failure.code)};
  return reply;
}

class PostgresDatabase : public Database {
 public:
  PostgresDatabase(PostgresTarget target, const Flavour& flavour,
                   std::function<FactsQuestion(const ServerLevel&)> question)
      : target_(std::move(target)), flavour_(flavour), question_(std::move(question)) {}

  Result<std::unique_ptr<Connection>> connect(const ServerLevel& level) override {
    return connect_postgres(target_, level, flavour_.errors, question_(level));
  }
  const Dialect& dialect() const override { return flavour_.dialect; }
  std::span<const ServerLevel> levels() const override { return flavour_.levels; }

  Result<std::string> describe(Connection& connection) override {
    auto reply = asked(connection.run(flavour_.describe_sql), "cannot query the server's version");
    if (!reply) return std::move(reply).error();
    std::string all;
    for (std::size_t row = 0; row < reply->rows(); ++row) {
      if (const auto* text = std::get_if<std::string>(&reply->at(row, 0))) all += (all.empty() ? "" : ", ") + *text;
    }
    return all;
  }

  Result<std::vector<std::int64_t>> waiting(Connection& observer) override {
    std::vector<std::int64_t> sessions;
    if (flavour_.waiting_sql.empty()) return sessions;
    auto reply = asked(observer.execute(flavour_.waiting_sql, {}), "cannot find out which sessions are waiting");
    if (!reply) return std::move(reply).error();
    for (std::size_t row = 0; row < reply->rows(); ++row) {
      if (const auto* pid = std::get_if<std::int64_t>(&reply->at(row, 0))) sessions.push_back(*pid);
    }
    return sessions;
  }

  // One that has ended by itself in the meantime is ended, too.
  Result<void> terminate(Connection& observer, std::int64_t session) override {
    if (flavour_.terminate_sql.empty()) return Error{"this database has no statement to end a session by its number"};
    const Cell parameter = session;
    auto reply = asked(observer.execute(flavour_.terminate_sql, {&parameter, 1}), "cannot end a session");
    if (!reply) return std::move(reply).error();
    return {};
  }

 private:
  PostgresTarget target_;
  const Flavour& flavour_;
  std::function<FactsQuestion(const ServerLevel&)> question_;
};

}  // namespace

std::span<const ErrorRow> postgres_errors() { return kPostgresErrors; }

Result<std::unique_ptr<Database>> open_flavour(const Url& url, const Flavour& flavour,
                                               std::function<FactsQuestion(const ServerLevel&)> question) {
  auto target = target_of(url, flavour.port);
  if (!target) return std::move(target).error();
  return std::unique_ptr<Database>(
      std::make_unique<PostgresDatabase>(*std::move(target), flavour, std::move(question)));
}

Result<std::unique_ptr<Database>> open_postgres(const Url& url) {
  return open_flavour(url, kPostgres, [](const ServerLevel& level) {
    return postgres_facts(level.claims == Level::kSnapshotIsolation || level.claims == Level::kSerializable);
  });
}

}  // namespace isolde::db
