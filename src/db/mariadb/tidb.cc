#include "db/mariadb/tidb.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>
#include <vector>

#include "db/mariadb/mariadb.h"
#include "db/mariadb/mariadb_connection.h"
#include "db/mariadb/mariadb_errors.h"

namespace isolde::db {
namespace {

// Every conflict is answered with a ROLLBACK of the client's: it does no harm where TiDB has rolled back already.
constexpr ErrorRow kOwnErrors[] = {
    {"1213", Fate::kMustRollBack, "deadlock"},
    {"1205", Fate::kMustRollBack, "waited too long for a lock"},
    {"1317", Fate::kMustRollBack, "KILL QUERY"},
    {"8002", Fate::kMustRollBack, "conflict of a transaction with SELECT FOR UPDATE"},
    {"8005", Fate::kMustRollBack, "write conflict"},
    {"8022", Fate::kMustRollBack, "the commit failed and was rolled back"},
    {"8028", Fate::kMustRollBack, "the table was altered since the transaction began"},
    {"8147", Fate::kMustRollBack, "a late check of a constraint failed"},
    {"8229", Fate::kMustRollBack, "the transaction has lived too long"},
    {"9002", Fate::kMustRollBack, "TiKV timeout"},
    {"9003", Fate::kMustRollBack, "TiKV is busy"},
    {"9004", Fate::kMustRollBack, "timeout while a lock was resolved"},
    {"9005", Fate::kMustRollBack, "region unavailable"},
    {"9006", Fate::kMustRollBack, "the snapshot is older than the garbage collector's"},
    {"9007", Fate::kMustRollBack, "write conflict"},
};
constexpr ErrorRow kOwnCommitErrors[] = {
    {"1062", Fate::kRolledBack, "duplicate key, looked for at commit (optimistic mode)"},
    {"8002", Fate::kRolledBack, "conflict of a transaction with SELECT FOR UPDATE"},
    {"8005", Fate::kRolledBack, "write conflict"},
    {"8022", Fate::kRolledBack, "the commit failed and was rolled back"},
    {"8028", Fate::kRolledBack, "the table was altered since the transaction began"},
    {"8147", Fate::kRolledBack, "a late check of a constraint failed"},
    {"9007", Fate::kRolledBack, "write conflict"},
    // Whether the commit's message reached TiKV is not known.
    {"9001", Fate::kLost, "PD timeout"},
    {"9002", Fate::kLost, "TiKV timeout"},
    {"9003", Fate::kLost, "TiKV is busy"},
    {"9004", Fate::kLost, "timeout while a lock was resolved"},
    {"9005", Fate::kLost, "region unavailable"},
};

// TiDB's own rows before MySQL's, whose codes it uses otherwise.
std::vector<ErrorRow> joined(std::span<const ErrorRow> own, std::span<const ErrorRow> common) {
  std::vector<ErrorRow> rows(own.begin(), own.end());
  for (const ErrorRow& row : common) {
    if (find_error(own, row.code) == nullptr) rows.push_back(row);
  }
  return rows;
}

constexpr Dialect kTidbDialect = [] {
  Dialect d = kMariadbDialect;
  d.name = "tidb";
  d.table_options = "";
  return d;
}();

constexpr ServerLevel kTidbLevels[] = {
    {"read committed", Level::kReadCommitted, "read committed"},
    {"repeatable read", Level::kSnapshotIsolation, "repeatable read", true},
};

std::int64_t integer_answer(const Reply& reply) {
  if (reply.rows() != 1) return 0;
  if (const auto* number = std::get_if<std::int64_t>(&reply.at(0, 0))) return *number;
  std::int64_t value = 0;
  if (const auto* text = std::get_if<std::string>(&reply.at(0, 0)))
    std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

std::string text_of(const Reply& reply, std::size_t column) {
  const bool there = reply.rows() == 1 && column < reply.width;
  return there ? text_in(reply.at(0, column)) : std::string();
}

class TidbConnection : public MariadbConnection {
 public:
  TidbConnection(MYSQL* handle, const MariadbTarget& target, bool one_snapshot)
      : MariadbConnection(handle, target), one_snapshot_(one_snapshot) {}

  Result<void> get_ready() {
    if (auto ready = set_up(); !ready) return ready;
    auto reply = run("select connection_id()");  // the greeting has only the lower half of it
    if (!reply) return std::move(reply).error();
    if (const std::int64_t id = integer_answer(*reply); id != 0) session_ = id;
    return {};
  }

  Result<Reply> begin() override {
    start_ts_ = 0;
    auto reply = begin_and("select @@tidb_current_ts");
    if (reply && reply->done()) start_ts_ = integer_answer(*reply);
    return reply;
  }

  std::vector<Result<Reply>> run_all(std::span<const Request> requests, OnFailure on_failure) override {
    return Connection::run_all(requests, on_failure);  // begin() is this one's own
  }

  Result<Reply> commit(TxnFacts* facts) override {
    if (facts == nullptr) return commit_and("");
    auto reply = commit_and("select @@tidb_last_txn_info, @@tidb_last_query_info");
    if (!reply || !reply->done()) return reply;
    const std::string info = text_of(*reply, 0);
    *facts = tidb_facts(start_ts_, info_, info, text_of(*reply, 1), one_snapshot_);
    info_ = info;
    return Reply{};
  }

 private:
  bool one_snapshot_;
  std::int64_t start_ts_ = 0;
  std::string info_;  // as it was after the last commit
};

class TidbDatabase : public Database {
 public:
  TidbDatabase(MariadbTarget target, bool optimistic) : target_(std::move(target)), optimistic_(optimistic) {}

  Result<std::unique_ptr<Connection>> connect(const ServerLevel& level) override {
    MariadbTarget target = target_;
    target.setup.push_back(fmt::format("set session transaction isolation level {}", level.setting));
    auto handle = open_mariadb_session(target);
    if (!handle) return std::move(handle).error();
    auto connection = std::make_unique<TidbConnection>(*handle, target, level.claims == Level::kSnapshotIsolation);
    if (auto ready = connection->get_ready(); !ready) return std::move(ready).error();
    return std::unique_ptr<Connection>(std::move(connection));
  }
  const Dialect& dialect() const override { return kTidbDialect; }
  std::span<const ServerLevel> levels() const override {
    return optimistic_ ? std::span<const ServerLevel>(kTidbLevels).subspan(1) : kTidbLevels;
  }
  Result<std::string> describe(Connection& connection) override {
    auto reply = connection.run("select version(), @@tidb_txn_mode");
    if (!reply) return std::move(reply).error();
    if (reply->rows() != 1) return Error{reply->failure.text};
    const auto* const version = std::get_if<std::string>(&reply->at(0, 0));
    const auto* const mode = std::get_if<std::string>(&reply->at(0, 1));
    return fmt::format("{}, tidb_txn_mode={}", tidb_version(version == nullptr ? "" : *version),
                       mode == nullptr || mode->empty() ? "optimistic" : *mode);
  }
  Result<std::vector<std::int64_t>> waiting(Connection& observer) override {
    auto reply = observer.run(
        "select session_id from information_schema.cluster_tidb_trx where state = 'LockWaiting' order by 1");
    if (!reply) return std::move(reply).error();
    if (!reply->done()) return Error{reply->failure.text};
    std::vector<std::int64_t> sessions;
    for (const Cell& cell : reply->cells) {
      if (const auto* id = std::get_if<std::int64_t>(&cell)) sessions.push_back(*id);
    }
    return sessions;
  }
  Result<void> terminate(Connection& observer, std::int64_t session) override {
    auto reply = observer.run(fmt::format("kill tidb connection {}", session));
    if (!reply) return std::move(reply).error();
    if (!reply->done()) return Error{reply->failure.text};
    return {};
  }

 private:
  MariadbTarget target_;
  bool optimistic_;
};

}  // namespace

std::span<const ErrorRow> tidb_errors() {
  static const std::vector<ErrorRow> rows = joined(kOwnErrors, mariadb_errors());
  return rows;
}
std::span<const ErrorRow> tidb_commit_errors() {
  static const std::vector<ErrorRow> rows = joined(kOwnCommitErrors, mariadb_commit_errors());
  return rows;
}

std::optional<TidbTxnInfo> parse_tidb_txn_info(std::string_view json) {
  if (json.empty()) return std::nullopt;
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  TidbTxnInfo info;
  if (parser.parse(simdjson::padded_string(json)).get(document) != simdjson::SUCCESS) return std::nullopt;
  if (document["start_ts"].get(info.start_ts) != simdjson::SUCCESS) return std::nullopt;
  if (document["commit_ts"].get(info.commit_ts) != simdjson::SUCCESS) return std::nullopt;
  return info;
}

std::optional<TidbQueryInfo> parse_tidb_query_info(std::string_view json) {
  if (json.empty()) return std::nullopt;
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  TidbQueryInfo info;
  if (parser.parse(simdjson::padded_string(json)).get(document) != simdjson::SUCCESS) return std::nullopt;
  if (document["start_ts"].get(info.start_ts) != simdjson::SUCCESS) return std::nullopt;
  if (document["for_update_ts"].get(info.for_update_ts) != simdjson::SUCCESS) return std::nullopt;
  return info;
}

TxnFacts tidb_facts(std::int64_t start_ts, std::string_view before, std::string_view after, std::string_view query,
                    bool one_snapshot) {
  TxnFacts facts;
  if (start_ts <= 0) return facts;
  const auto info = parse_tidb_txn_info(after);
  const bool wrote = info && info->start_ts == start_ts && info->commit_ts > start_ts;
  // If the variable has changed to tell of another one, TiDB ran this one a second time
  // (tidb_disable_txn_auto_retry=OFF): its reads belong to no one snapshot.
  if (wrote) facts.xid = start_ts;
  if (one_snapshot && (wrote || before == after)) {
    facts.start_ts = start_ts;
    facts.commit_ts = wrote ? info->commit_ts : start_ts;
    const auto last = parse_tidb_query_info(query);
    if (last && last->start_ts == start_ts && last->for_update_ts > start_ts) facts.for_update_ts = last->for_update_ts;
  }
  return facts;
}

std::string tidb_version(std::string_view version) {
  const std::size_t at = version.find("TiDB-");
  return fmt::format("TiDB {}", at == std::string_view::npos ? version : version.substr(at + 5));
}

Result<std::unique_ptr<Database>> open_tidb(const Url& url) {
  MariadbTarget target = mariadb_target(url, 4000);
  target.errors = tidb_errors();
  target.commit_errors = tidb_commit_errors();
  target.kill_query = "kill tidb query";
  target.setup = {"set session autocommit = 1"};
  bool optimistic = false;
  for (const auto& [name, value] : url.options) {
    if (name == "mode") {
      if (value != "pessimistic" && value != "optimistic")
        return Error{fmt::format("mode is pessimistic or optimistic, not \"{}\"", value)};
      optimistic = value == "optimistic";
      target.setup.push_back(fmt::format("set session tidb_txn_mode = '{}'", value));
    } else if (name == "status_port") {
      std::uint16_t port = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), port);
      if (error != std::errc{} || end != value.data() + value.size() || port == 0)
        return Error{fmt::format("status_port is a number from 1 to 65535, not \"{}\"", value)};
    } else {
      return Error{
          fmt::format("tidb: takes the options mode=pessimistic|optimistic and status_port=PORT, not \"{}\"", name)};
    }
  }
  return std::unique_ptr<Database>(std::make_unique<TidbDatabase>(std::move(target), optimistic));
}

}  // namespace isolde::db
