#include "record/recovery_postgres.h"

#include <fmt/format.h>

#include <random>

#include "base/text.h"
#include "record/hex.h"
#include "record/logged_versions.h"

namespace isolde::record {
namespace {

// One number for all advisory locks of Isolde, so that they meet nobody else's; the second one names the slot.
constexpr std::int64_t kLockSpace = 0x15010de;
// As many changes are fetched at once. Every call decodes the log again from where the slot has to begin, so few large
// ones are best; this bounds what a call holds in memory at both ends.
constexpr std::int64_t kChunk = 250'000;

constexpr std::string_view kCanDecode =
    "select current_setting('wal_level'), current_setting('max_replication_slots')::bigint, "
    "(select rolsuper or rolreplication from pg_roles where rolname = current_user), current_user::text";

// Publications and slots of runs whose lock nobody holds. The lock is tried, and kept by who cleans up.
constexpr std::string_view kStale =
    "select n from (select substr(pubname, 8) as n from pg_publication where pubname ~ '^isolde_[0-9]{1,9}$' union "
    "select substr(slot_name, 8) from pg_replication_slots "
    "where slot_name ~ '^isolde_[0-9]{1,9}$' and not temporary and not active) as names "
    "where pg_try_advisory_lock(?::int, n::int)";

constexpr std::string_view kWithoutKey =
    "select to_regclass(?)::text, exists (select from pg_index where indrelid = to_regclass(?) and indisprimary)";

std::int64_t integer_in(const db::Cell& cell) {
  const auto* integer = std::get_if<std::int64_t>(&cell);
  return integer == nullptr ? 0 : *integer;
}

const db::ServerLevel& plain_level(const db::Database& database) {
  for (const db::ServerLevel& level : database.levels()) {
    if (level.is_default) return level;
  }
  return database.levels()[0];
}

class PostgresRecovery : public Recovery {
 public:
  PostgresRecovery(const RecoverySetup& setup, std::unique_ptr<db::Connection> connection)
      : database_(setup.database),
        tables_(setup.tables.begin(), setup.tables.end()),
        temporary_(!setup.survives_restarts),
        connection_(std::move(connection)),
        number_(std::random_device{}() % 1'000'000'000U),
        name_(fmt::format("isolde_{}", number_)) {}

  ~PostgresRecovery() override {
    if (!prepared_) return;
    const std::string remove = removal(name_);
    auto done = connection_->run(remove);
    // The server may have been restarted since. If it is gone for good there is nobody to clean up with.
    if (done && done->fate == db::Fate::kLost && connect()) done = connection_->run(remove);
  }

  Result<void> prepare() override {
    if (auto done = remove_stale(); !done) return done;
    for (const TracedTable& table : tables_) {
      auto found = ask(kWithoutKey, {table.name, table.name});
      if (!found) return std::move(found).error();
      if (db::text_in(found->at(0, 0)).empty()) return Error{fmt::format("there is no table {}", table.name)};
      if (integer_in(found->at(0, 1)) == 0)
        return Error{
            fmt::format("table {} has no primary key, so the log would not say which row changed", table.name)};
    }
    if (auto locked = lock(); !locked) return locked;
    prepared_ = true;
    const std::string names = joined(tables_, [](const TracedTable& table) { return table.name; });
    // A slot can begin only when everything that is open has ended.
    for (const std::string& sql :
         {fmt::format("create publication {} for table {}", name_, names), std::string("set statement_timeout = '60s'"),
          fmt::format("select pg_create_logical_replication_slot('{}', 'pgoutput', {})", name_, temporary_),
          std::string("set statement_timeout = 0")}) {
      auto reply = checked(connection_->run(sql));
      if (!reply) return std::move(reply).error();
    }
    return {};
  }

  Result<std::vector<RecoveredVersion>> recover() override {
    // Only what is on disk is decoded; a commit that waits for its record takes along what was written before it.
    auto flushed = connection_->run("set synchronous_commit = on");
    if (flushed && flushed->fate == db::Fate::kLost) {
      if (auto again = connect(); !again) return std::move(again).error();
      if (auto locked = lock(); !locked) return std::move(locked).error();
    }
    for (const char* sql :
         {"set synchronous_commit = on", "select pg_logical_emit_message(true, 'isolde', 'the end')"}) {
      auto reply = checked(connection_->run(sql));
      if (!reply) return std::move(reply).error();
    }
    auto next = ask("select pg_snapshot_xmax(pg_current_snapshot())::text::bigint", {});
    if (!next) return std::move(next).error();
    LoggedVersions versions(tables_, integer_in(next->at(0, 0)));
    std::string bytes;
    while (true) {
      auto chunk =
          ask("select data from pg_logical_slot_get_binary_changes(?, null, ?, 'proto_version', '1', "
              "'publication_names', ?)",
              {name_, kChunk, name_});
      if (!chunk) return std::move(chunk).error();
      for (const db::Cell& cell : chunk->cells) {
        const auto* text = std::get_if<std::string>(&cell);
        if (text == nullptr || !unhex(*text, bytes)) return Error{"expected bytea in hexadecimal form (bytea_output)"};
        if (auto added = versions.add(bytes); !added) return std::move(added).error();
      }
      if (chunk->cells.empty()) break;
    }
    if (versions.in_transaction()) return Error{"the log ends within a transaction"};
    return versions.take();
  }

  std::string source() const override { return "logical replication slot, pgoutput"; }

 private:
  static Result<db::Reply> checked(Result<db::Reply> reply) {
    if (reply && !reply->done())
      return Error{fmt::format("cannot read PostgreSQL's log: {} ({})", reply->failure.text, reply->failure.code)};
    return reply;
  }
  Result<db::Reply> ask(std::string_view sql, std::initializer_list<db::Cell> parameters) {
    return checked(connection_->execute(sql, std::span(parameters.begin(), parameters.size())));
  }

  Result<void> connect() {
    auto connection = database_.connect(plain_level(database_));
    if (!connection) return std::move(connection).error();
    connection_ = *std::move(connection);
    return {};
  }

  Result<void> lock() {
    auto reply = ask("select pg_advisory_lock(?::int, ?::int)", {kLockSpace, number_});
    if (!reply) return std::move(reply).error();
    return {};
  }

  // Both in one request would be one transaction; a slot's removal cannot be undone, so it is no part of any.
  static std::string removal(std::string_view name) {
    return fmt::format(
        "do $$ begin drop publication if exists {0}; perform pg_drop_replication_slot(slot_name) from "
        "pg_replication_slots where slot_name = '{0}' and (not active or active_pid = pg_backend_pid()); end $$",
        name);
  }

  Result<void> remove_stale() {
    auto stale = ask(kStale, {kLockSpace});
    if (!stale) return std::move(stale).error();
    for (std::size_t row = 0; row < stale->rows(); ++row) {
      const std::string number = db::text_in(stale->at(row, 0));
      // It may be another user's: then it stays.
      auto removed = connection_->run(removal("isolde_" + number));
      if (removed && removed->fate == db::Fate::kLost) return checked(std::move(removed)).error();
      auto unlocked = ask("select pg_advisory_unlock(?::int, ?::int)", {kLockSpace, number});
      if (!unlocked) return std::move(unlocked).error();
    }
    return {};
  }

  db::Database& database_;
  std::vector<TracedTable> tables_;
  bool temporary_;
  std::unique_ptr<db::Connection> connection_;
  std::int64_t number_;
  std::string name_;
  bool prepared_ = false;
};

}  // namespace

Result<std::unique_ptr<Recovery>> make_postgres_recovery(const RecoverySetup& setup, std::string& why_not) {
  auto connection = setup.database.connect(plain_level(setup.database));
  if (!connection) return std::move(connection).error();
  auto reply = (*connection)->execute(kCanDecode, {});
  if (!reply) return std::move(reply).error();
  if (!reply->done()) return Error{fmt::format("cannot ask for wal_level: {}", reply->failure.text)};
  const std::string wal_level = db::text_in(reply->at(0, 0));
  if (wal_level != "logical") {
    why_not = fmt::format("wal_level is {}: set it to logical in postgresql.conf and restart the server", wal_level);
  } else if (integer_in(reply->at(0, 1)) == 0) {
    why_not = "max_replication_slots is 0: set it to 1 or more and restart the server";
  } else if (integer_in(reply->at(0, 2)) == 0) {
    why_not =
        fmt::format("{0} may not use replication slots: ALTER ROLE {0} REPLICATION", db::text_in(reply->at(0, 3)));
  } else {
    return std::unique_ptr<Recovery>(std::make_unique<PostgresRecovery>(setup, *std::move(connection)));
  }
  return std::unique_ptr<Recovery>();
}

}  // namespace isolde::record
