#include "record/tidb_mvcc.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/http_server.h"

namespace isolde::record {
namespace tidb_mvcc_test {

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(ISOLDE_SOURCE_DIR "/tests/fixtures/tidb/") + name);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr std::int64_t kTime = 445644390547554300;

TEST(TidbMvcc, VersionsComeInTheOrderOfTheirCommitsWithoutLocksAndRollbacks) {
  const auto versions = parse_mvcc(fixture("mvcc_register.json"));
  ASSERT_TRUE(versions.has_value()) << versions.error().message();
  ASSERT_EQ(versions->size(), 3U);
  EXPECT_EQ((*versions)[0].commit_ts, kTime + 2);
  EXPECT_EQ((*versions)[1].start_ts, kTime + 6);
  EXPECT_EQ((*versions)[2].commit_ts, kTime + 30);
  EXPECT_EQ((*versions)[2].columns, (std::vector<std::pair<std::string, std::string>>{{"v", "12"}}));
}

TEST(TidbMvcc, ADeletionIsAVersionAndOlderServersListColumns) {
  const auto versions = parse_mvcc(fixture("mvcc_deleted.json"));
  ASSERT_TRUE(versions.has_value()) << versions.error().message();
  ASSERT_EQ(versions->size(), 2U);
  EXPECT_FALSE((*versions)[0].is_deletion);
  EXPECT_EQ((*versions)[0].columns.at(0).second, "20");
  EXPECT_TRUE((*versions)[1].is_deletion);
}

TEST(TidbMvcc, AKeyThatNeverWasHasNoVersions) {
  const auto versions = parse_mvcc(fixture("mvcc_never.json"));
  ASSERT_TRUE(versions.has_value());
  EXPECT_TRUE(versions->empty());
}

TEST(TidbMvcc, WhatIsNotDecidedOrNotUnderstoodIsAnError) {
  const auto locked = parse_mvcc(fixture("mvcc_locked.json"));
  ASSERT_FALSE(locked.has_value());
  EXPECT_NE(locked.error().text.find("445644390547554360"), std::string::npos) << locked.error().text;
  for (const std::string_view other :
       {"", "[]", "no json", R"({"value":{"error":"region unavailable"}})", R"({"info":{},"decode_error":"bad row"})",
        R"({"info":{"writes":[{"type":9,"start_ts":1,"commit_ts":2}]}})", R"({"info":{"writes":[{"start_ts":5}]}})",
        R"({"info":{"writes":[7]}})"})
    EXPECT_FALSE(parse_mvcc(other).has_value()) << other;
  EXPECT_TRUE(parse_mvcc(R"({"info":{"lock":{"type":5,"start_ts":9}}})").has_value()) << "a lock alone writes nothing";
}

TEST(TidbMvcc, AKeyIsAskedForByItsHandleOrItsColumns) {
  const TracedTable one = {"kv", {"k"}, {"v"}, ValueStyle::kScalar, true};
  const TracedTable two = {"stock level", {"w", "name"}, {"v"}, ValueStyle::kScalar, false};
  EXPECT_EQ(mvcc_path("shop", one, std::vector<db::Cell>{std::int64_t{-7}}), "/mvcc/key/shop/kv/-7?decode=true");
  EXPECT_EQ(mvcc_path("shop", two, std::vector<db::Cell>{std::int64_t{7}, std::string("a b")}),
            "/mvcc/key/shop/stock%20level?w=7&name=a%20b&decode=true");
}

// A database that knows the answers to the questions of the recovery.
class ScriptedConnection : public db::Connection {
 public:
  explicit ScriptedConnection(std::vector<std::string>& log) : log_(log) {}
  Result<db::Reply> begin() override { return db::Reply{}; }
  Result<db::Reply> execute(std::string_view sql, std::span<const db::Cell>) override { return run(sql); }
  Result<db::Reply> commit(db::TxnFacts*) override { return db::Reply{}; }
  Result<db::Reply> roll_back() override { return db::Reply{}; }
  void cancel() override {}
  std::int64_t session() const override { return 1; }
  void sever() override {}
  Result<db::Reply> run(std::string_view sql) override {
    log_.emplace_back(sql);
    db::Reply reply;
    if (sql.starts_with("select database()")) {
      reply.width = 2;
      reply.cells = {std::string("shop"), std::string("10m0s")};
    } else if (sql.starts_with("select column_name")) {
      reply.width = 2;
      reply.cells = {std::string("k"), std::string("bigint"), std::string("v"), std::string("bigint")};
    } else if (sql.starts_with("select `k`")) {
      reply.width = 1;
      reply.cells = {std::int64_t{1}, std::int64_t{9}};
      if (listed_++ == 0) reply.cells.emplace_back(std::int64_t{2});  // deleted by the run
    } else if (sql == "select @@tidb_current_ts") {
      reply.width = 1;
      reply.cells = {kTime + 3};
    }
    return reply;
  }

 private:
  std::vector<std::string>& log_;
  int listed_ = 0;
};

class ScriptedDatabase : public db::Database {
 public:
  Result<std::unique_ptr<db::Connection>> connect(const db::ServerLevel&) override {
    return std::unique_ptr<db::Connection>(std::make_unique<ScriptedConnection>(log));
  }
  const db::Dialect& dialect() const override { return dialect_; }
  std::span<const db::ServerLevel> levels() const override { return {&level_, 1}; }
  Result<std::string> describe(db::Connection&) override { return std::string("TiDB"); }
  Result<std::vector<std::int64_t>> waiting(db::Connection&) override { return std::vector<std::int64_t>(); }
  Result<void> terminate(db::Connection&, std::int64_t) override { return {}; }

  std::vector<std::string> log;

 private:
  db::Dialect dialect_;
  db::ServerLevel level_ = {"repeatable read", Level::kSnapshotIsolation, "repeatable read", true};
};

std::string status_answer(const std::string& path) {
  if (path == "/status") return test::HttpServer::ok(R"({"connections":1,"version":"8.0.11-TiDB-v7.5.0"})");
  if (path == "/mvcc/key/shop/kv/1?decode=true") return test::HttpServer::ok(fixture("mvcc_register.json"));
  if (path == "/mvcc/key/shop/kv/2?decode=true") return test::HttpServer::ok(fixture("mvcc_deleted.json"));
  if (path == "/mvcc/key/shop/kv/9?decode=true") return test::HttpServer::ok(fixture("mvcc_never.json"));
  return "HTTP/1.1 400 Bad Request\r\n\r\nno such key";
}

const std::vector<TracedTable> kTables = {{"kv", {"k"}, {"v"}, ValueStyle::kScalar, true}};

TEST(TidbMvcc, RecoversWhatWasCommittedSinceItWasPrepared) {
  const test::HttpServer server(status_answer);
  ScriptedDatabase database;
  const db::Url url = *db::parse_url("tidb://127.0.0.1/shop?status_port=" + std::to_string(server.port()));
  std::string why_not;
  {
    auto recovery = make_recovery({database, url, kTables, false}, why_not);
    ASSERT_TRUE(recovery.has_value()) << recovery.error().message();
    ASSERT_NE(*recovery, nullptr) << why_not;
    const auto prepared = (*recovery)->prepare();
    ASSERT_TRUE(prepared.has_value()) << prepared.error().message();
    const auto versions = (*recovery)->recover();
    ASSERT_TRUE(versions.has_value()) << versions.error().message();
    std::string all;
    for (const RecoveredVersion& version : *versions)
      all += version.key + "=" + version.value + " by " + std::to_string(version.xid - kTime) + "; ";
    EXPECT_EQ(all, "1=11 by 6; 2=20 by 5; 1=12 by 20; 2=null by 50; ") << "the load, at 2, is no version of the run";
  }
  EXPECT_EQ(database.log.back(), "set global tidb_gc_life_time = '10m0s'") << "as it was before";
}

TEST(TidbMvcc, WithoutItsStatusPortThereIsNoneAndItSaysWhy) {
  std::uint16_t port = 0;
  {
    const test::HttpServer server(status_answer);
    port = server.port();
  }
  ScriptedDatabase database;
  const db::Url url = *db::parse_url("tidb://127.0.0.1/shop?status_port=" + std::to_string(port));
  std::string why_not;
  const auto recovery = make_recovery({database, url, kTables, false}, why_not);
  ASSERT_TRUE(recovery.has_value());
  EXPECT_EQ(*recovery, nullptr);
  EXPECT_NE(why_not.find("status_port"), std::string::npos) << why_not;
}

TEST(TidbMvcc, AnAnswerThatIsRefusedStopsTheRecoveryAndIsNamed) {
  const test::HttpServer server([](const std::string& path) {
    return path == "/status" ? test::HttpServer::ok("{}") : std::string("HTTP/1.1 400 Bad Request\r\n\r\nno such key");
  });
  ScriptedDatabase database;
  const db::Url url = *db::parse_url("tidb://127.0.0.1/shop?status_port=" + std::to_string(server.port()));
  std::string why_not;
  const auto recovery = *make_recovery({database, url, kTables, false}, why_not);
  ASSERT_TRUE(recovery->prepare().has_value());
  const auto versions = recovery->recover();
  ASSERT_FALSE(versions.has_value());
  EXPECT_NE(versions.error().text.find("no such key"), std::string::npos) << versions.error().text;
}

}  // namespace tidb_mvcc_test
}  // namespace isolde::record
