#include "db/mariadb/mariadb.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>

#include "db/mariadb/mariadb_connection.h"
#include "db/mariadb/mariadb_errors.h"

namespace isolde::db {
namespace {

constexpr ServerLevel kMariadbLevels[] = {
    {"read uncommitted", Level::kReadUncommitted, "read uncommitted"},
    {"read committed", Level::kReadCommitted, "read committed"},
    {"repeatable read", Level::kRepeatableRead, "repeatable read", true},
    {"serializable", Level::kSerializable, "serializable", false, SerialOrder::kLockPoints},
};
constexpr ServerLevel kSnapshotLevels[] = {
    {"read uncommitted", Level::kReadUncommitted, "read uncommitted"},
    {"read committed", Level::kReadCommitted, "read committed"},
    {"repeatable read", Level::kSnapshotIsolation, "repeatable read", true},
    {"serializable", Level::kSerializable, "serializable", false, SerialOrder::kLockPoints},
};

bool is_on(std::string_view value) { return value == "on" || value == "ON" || value == "1"; }

class MariadbDatabase : public Database {
 public:
  MariadbDatabase(MariadbTarget target, bool snapshot_isolation)
      : target_(std::move(target)), snapshot_isolation_(snapshot_isolation) {}

  Result<std::unique_ptr<Connection>> connect(const ServerLevel& level) override {
    MariadbTarget target = target_;
    target.setup.push_back(fmt::format("set session transaction isolation level {}", level.setting));
    auto handle = open_mariadb_session(target);
    if (!handle) return std::move(handle).error();
    // MySQL knows no last_gtid.
    if (mariadb_connection(*handle) != 0)
      target.setup.emplace_back("set session session_track_system_variables = 'last_gtid'");
    auto connection = std::make_unique<MariadbConnection>(*handle, target);
    if (auto ready = connection->set_up(); !ready) return std::move(ready).error();
    return std::unique_ptr<Connection>(std::move(connection));
  }
  const Dialect& dialect() const override { return kMariadbDialect; }
  std::span<const ServerLevel> levels() const override {
    return snapshot_isolation_ ? std::span<const ServerLevel>(kSnapshotLevels) : kMariadbLevels;
  }

  Result<std::string> describe(Connection& connection) override {
    auto reply = connection.run("show variables where variable_name in ('version', 'innodb_snapshot_isolation')");
    if (!reply) return std::move(reply).error();
    if (!reply->done()) return Error{reply->failure.text};
    std::string name = "MySQL", version, settings;
    for (std::size_t row = 0; row < reply->rows(); ++row) {
      const auto* const what = std::get_if<std::string>(&reply->at(row, 0));
      const auto* const value = std::get_if<std::string>(&reply->at(row, 1));
      if (what == nullptr || value == nullptr) continue;
      if (*what != "version") {
        settings += fmt::format(", {}={}", *what, *value);
        snapshot_isolation_ = is_on(*value);
        continue;
      }
      if (value->find("MariaDB") != std::string::npos) name = "MariaDB";
      version = value->substr(0, value->find('-'));
    }
    return fmt::format("{} {}{}", name, version, settings);
  }

  Result<std::vector<std::int64_t>> waiting(Connection& observer) override {
    // Metadata and table locks are the server's, not InnoDB's, which counts those who wait for rows; its long report is
    // asked for only if there are any.
    const auto answers = observer.run_all(
        std::vector<Request>{{RequestKind::kStatement,
                              "select id from information_schema.processlist where state like 'Waiting for%lock'"},
                             {RequestKind::kStatement, "show global status like 'Innodb_row_lock_current_waits'"}},
        OnFailure::kStop);
    if (!answers.back()) return answers.back().error();
    if (answers.size() != 2 || !answers[1]->done())
      return Error{fmt::format("cannot find out which sessions are waiting: {}", answers.back()->failure.text)};
    std::vector<std::int64_t> sessions;
    for (std::size_t row = 0; row < answers[0]->rows(); ++row) {
      if (const auto* id = std::get_if<std::int64_t>(&answers[0]->at(row, 0))) sessions.push_back(*id);
    }
    if (answers[1]->rows() != 1 || answers[1]->at(0, 1) != Cell("0")) {
      auto status = observer.run("show engine innodb status");
      if (!status) return std::move(status).error();
      const auto* const text =
          status->rows() == 1 && status->width == 3 ? std::get_if<std::string>(&status->at(0, 2)) : nullptr;
      if (text == nullptr)
        return Error{fmt::format("cannot find out which sessions wait for which: {}", status->failure.text)};
      const std::vector<std::int64_t> in_innodb = sessions_in_lock_wait(*text);
      sessions.insert(sessions.end(), in_innodb.begin(), in_innodb.end());
    }
    std::sort(sessions.begin(), sessions.end());
    sessions.erase(std::unique(sessions.begin(), sessions.end()), sessions.end());
    return sessions;
  }

  Result<void> terminate(Connection& observer, std::int64_t session) override {
    auto reply = observer.run(fmt::format("kill connection {}", session));
    if (!reply) return std::move(reply).error();
    if (!reply->done()) return Error{reply->failure.text};
    return {};
  }

 private:
  MariadbTarget target_;
  std::atomic<bool> snapshot_isolation_;
};

bool is_off(std::string_view value) { return value == "off" || value == "OFF" || value == "0"; }

}  // namespace

std::vector<std::int64_t> sessions_in_lock_wait(std::string_view innodb_status) {
  std::vector<std::int64_t> sessions;
  // Above this line stand past deadlocks, written in the same way.
  const std::size_t list = innodb_status.find("\nLIST OF TRANSACTIONS FOR EACH SESSION:");
  innodb_status.remove_prefix(std::min(list, innodb_status.size()));
  bool waits = false;
  while (!innodb_status.empty()) {
    const std::size_t end = std::min(innodb_status.find('\n'), innodb_status.size());
    std::string_view line = innodb_status.substr(0, end);
    innodb_status.remove_prefix(std::min(end + 1, innodb_status.size()));
    if (line.starts_with("---TRANSACTION")) waits = false;
    if (line.starts_with("LOCK WAIT ")) waits = true;
    for (const std::string_view head : {"MariaDB thread id ", "MySQL thread id "}) {
      std::int64_t id = 0;
      if (!waits || !line.starts_with(head)) continue;
      line.remove_prefix(head.size());
      if (std::from_chars(line.data(), line.data() + line.size(), id).ec == std::errc{}) sessions.push_back(id);
      waits = false;
    }
  }
  return sessions;
}

Result<std::unique_ptr<Database>> open_mariadb(const Url& url) {
  MariadbTarget target = mariadb_target(url, 3306);
  target.errors = mariadb_errors();
  target.commit_errors = mariadb_commit_errors();
  target.setup = {"set session autocommit = 1, completion_type = 'NO_CHAIN'"};
  bool snapshot_isolation = false;
  for (const auto& [name, value] : url.options) {
    if (name == "innodb_snapshot_isolation") {
      if (!is_on(value) && !is_off(value)) return Error{fmt::format("{} is on or off, not \"{}\"", name, value)};
      snapshot_isolation = is_on(value);
    } else if (name == "innodb_lock_wait_timeout") {
      unsigned seconds = 0;
      const char* const end = value.data() + value.size();
      const auto [stop, error] = std::from_chars(value.data(), end, seconds);
      if (error != std::errc{} || stop != end) return Error{fmt::format("{} takes seconds, not \"{}\"", name, value)};
    } else {
      return Error{
          fmt::format("mariadb: takes the options innodb_snapshot_isolation=on|off and "
                      "innodb_lock_wait_timeout=SECONDS, not \"{}\"",
                      name)};
    }
    target.setup.push_back(fmt::format("set session {} = {}", name, value));
  }
  return std::unique_ptr<Database>(std::make_unique<MariadbDatabase>(std::move(target), snapshot_isolation));
}

}  // namespace isolde::db
