#include "record/recovery_cockroach.h"

#include <fmt/format.h>

#include "base/text.h"
#include "record/changefeed.h"
#include "record/hex.h"

namespace isolde::record {
namespace {

Result<db::Reply> asked(db::Connection& connection, std::string_view sql) {
  auto reply = connection.run(sql);
  if (reply && !reply->done())
    return Error{fmt::format("cannot read CockroachDB's log: {} ({})", reply->failure.text, reply->failure.code)};
  return reply;
}

Result<std::string> now(db::Connection& connection) {
  auto reply = asked(connection, "select cluster_logical_timestamp()::string");
  if (!reply) return std::move(reply).error();
  if (reply->cells.size() != 1 || !db::parse_hlc(db::text_in(reply->cells[0])))
    return Error{"expected one timestamp from cluster_logical_timestamp()"};
  return db::text_in(reply->cells[0]);
}

class CockroachRecovery : public Recovery {
 public:
  explicit CockroachRecovery(const RecoverySetup& setup)
      : database_(setup.database), tables_(setup.tables.begin(), setup.tables.end()) {}

  Result<void> prepare() override {
    auto connection = connect();
    if (!connection) return std::move(connection).error();
    auto time = now(**connection);
    if (!time) return std::move(time).error();
    start_ = *std::move(time);
    return {};
  }

  Result<std::vector<RecoveredVersion>> recover() override {
    auto connection = connect();
    if (!connection) return std::move(connection).error();
    auto end = now(**connection);
    if (!end) return std::move(end).error();
    const std::string names = joined(tables_, [](const TracedTable& table) { return table.name; });
    auto rows = asked(**connection, fmt::format("create changefeed for table {} with updated, mvcc_timestamp, "
                                                "cursor = '{}', end_time = '{}'",
                                                names, start_, *end));
    if (!rows) return std::move(rows).error();
    if (rows->width != 3) return Error{"expected the columns table, key and value from a changefeed"};
    ChangefeedVersions versions(tables_);
    for (std::size_t row = 0; row < rows->rows(); ++row) {
      std::string parts[3];
      for (std::size_t i = 0; i < 3; ++i) {
        parts[i] = db::text_in(rows->at(row, i));
        // Keys and values are of type BYTES, which PostgreSQL's protocol shows as hexadecimal.
        if (std::string bytes; parts[i].starts_with("\\x") && unhex(parts[i], bytes)) parts[i] = std::move(bytes);
      }
      if (auto added = versions.add(parts[0], parts[1], parts[2]); !added) return std::move(added).error();
    }
    return versions.take(db::hlc_scale());
  }

  std::string source() const override { return "changefeed"; }

 private:
  Result<std::unique_ptr<db::Connection>> connect() {
    const auto level = db::level_named(database_, "serializable");
    if (!level) return level.error();
    return database_.connect(**level);
  }

  db::Database& database_;
  std::vector<TracedTable> tables_;
  std::string start_;
};

}  // namespace

Result<std::unique_ptr<Recovery>> make_cockroach_recovery(const RecoverySetup& setup, std::string& why_not) {
  const auto level = db::level_named(setup.database, "serializable");
  if (!level) return level.error();
  auto connection = setup.database.connect(**level);
  if (!connection) return std::move(connection).error();
  auto reply = asked(**connection, "show cluster setting kv.rangefeed.enabled");
  if (!reply) return std::move(reply).error();
  const bool on =
      !reply->cells.empty() && (reply->cells[0] == db::Cell(std::int64_t{1}) || db::text_in(reply->cells[0]) == "true");
  if (on) return std::unique_ptr<Recovery>(std::make_unique<CockroachRecovery>(setup));
  why_not = "changefeeds are off: SET CLUSTER SETTING kv.rangefeed.enabled = true";
  return std::unique_ptr<Recovery>();
}

}  // namespace isolde::record
