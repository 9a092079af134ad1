#include "db/sqlite/sqlite.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <future>
#include <string>
#include <thread>

namespace isolde::db {
namespace sqlite_test {

Cell integer(std::int64_t value) { return value; }
Cell text(std::string value) { return value; }

Reply answered(Result<Reply> reply) {
  EXPECT_TRUE(reply.has_value()) << reply.error().message();
  return reply ? *std::move(reply) : Reply{};
}
void done(Result<Reply> reply) {
  const Reply got = answered(std::move(reply));
  EXPECT_TRUE(got.done()) << got.failure.code << ": " << got.failure.text;
}
void fails_with(Result<Reply> reply, std::string_view code, Fate fate) {
  const Reply got = answered(std::move(reply));
  EXPECT_EQ(got.failure.code, code) << got.failure.text;
  EXPECT_EQ(static_cast<int>(got.fate), static_cast<int>(fate)) << code;
}

// A scratch file with the rows (1, 10) and (2, 20), open at one level; all connections at the same.
class SqliteFile {
 public:
  explicit SqliteFile(std::string_view level, const std::string& options = "") {
    database_ = *open_sqlite(*parse_url("sqlite:" + options));
    level_ = *level_named(*database_, level);
    admin = connected();
    done(admin->run("create table kv (k integer primary key, v integer not null)"));
    done(admin->run("insert into kv values (1, 10), (2, 20)"));
  }
  std::unique_ptr<Connection> connected() {
    auto connection = database_->connect(*level_);
    EXPECT_TRUE(connection.has_value()) << connection.error().message();
    return *std::move(connection);
  }
  std::int64_t value(std::int64_t key) {
    return std::get<std::int64_t>(answered(admin->execute("select v from kv where k = ?", {{integer(key)}})).at(0, 0));
  }
  Database& database() { return *database_; }

 private:
  std::unique_ptr<Database> database_;
  const ServerLevel* level_;

 public:
  std::unique_ptr<Connection> admin;  // goes before the database
};

Result<Reply> set(Connection& c, std::int64_t key, std::int64_t value) {
  return c.execute("update kv set v = ? where k = ?", {{integer(value), integer(key)}});
}
Result<Reply> read(Connection& c, std::int64_t key) {
  return c.execute("select v from kv where k = ?", {{integer(key)}});
}

class SqliteLevel : public ::testing::TestWithParam<const char*> {};

TEST_P(SqliteLevel, CommitsAndRollsBack) {
  SqliteFile file(GetParam());
  auto connection = file.connected();
  done(connection->begin());
  done(set(*connection, 1, 11));
  done(connection->commit());
  EXPECT_EQ(file.value(1), 11);
  done(connection->begin());
  done(set(*connection, 1, 12));
  done(connection->roll_back());
  EXPECT_EQ(file.value(1), 11);
  EXPECT_TRUE(file.database().waiting(*connection)->empty());
  EXPECT_TRUE(file.database().describe(*connection)->starts_with("SQLite 3."));
  EXPECT_FALSE(file.database().terminate(*connection, 1).has_value());
}

TEST_P(SqliteLevel, GivesAPlaceToWritersOnlyInTheOrderOfTheirCommits) {
  SqliteFile file(GetParam());
  auto a = file.connected();
  auto b = file.connected();
  const auto place = [](Connection& connection, std::string_view sql) {
    TxnFacts facts;
    done(connection.begin());
    if (!sql.empty()) done(connection.run(sql));
    done(connection.commit(&facts));
    return facts.commit_place;
  };
  std::int64_t last = 0;
  for (int i = 0; i < 10; ++i) {
    Connection& writer = i % 2 == 0 ? *a : *b;
    const auto got = place(writer, "update kv set v = v + 1 where k = 1");
    ASSERT_TRUE(got.has_value());
    EXPECT_GT(*got, last);
    last = *got;
    EXPECT_FALSE(place(*a, "select * from kv").has_value());
    EXPECT_FALSE(place(*b, "").has_value());
    EXPECT_FALSE(place(*b, "update kv set v = 0 where k = 99").has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(All, SqliteLevel,
                         ::testing::Values("delete deferred", "delete immediate", "wal deferred", "wal immediate",
                                           "shared-cache read_uncommitted deferred"),
                         [](const auto& about) {
                           std::string name = about.param;
                           std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
                           return name;
                         });

TEST(Sqlite, AWriterInTheWayIsBusyAndTheTransactionCanOnlyBeRolledBack) {
  for (const char* const level : {"delete deferred", "wal deferred"}) {
    SqliteFile file(level);
    auto a = file.connected();
    auto b = file.connected();
    done(a->begin());
    done(set(*a, 1, 11));
    done(b->begin());
    fails_with(set(*b, 1, 12), "SQLITE_BUSY", Fate::kMustRollBack);
    done(b->roll_back());
    done(a->commit());
    EXPECT_EQ(file.value(1), 11);
  }
}

TEST(Sqlite, AReaderInTheWayOfACommitIsBusyAndTheCommitMayBeRolledBack) {
  SqliteFile file("delete deferred");
  auto reader = file.connected();
  auto writer = file.connected();
  done(reader->begin());
  done(read(*reader, 1));
  done(writer->begin());
  done(set(*writer, 1, 11));
  TxnFacts facts;
  fails_with(writer->commit(&facts), "SQLITE_BUSY", Fate::kMustRollBack);
  EXPECT_FALSE(facts.commit_place.has_value());
  done(writer->roll_back());
  done(reader->commit());
  EXPECT_EQ(file.value(1), 10);
}

TEST(Sqlite, AnImmediateTransactionThatFindsAWriterNeverBegan) {
  SqliteFile file("wal immediate");
  auto a = file.connected();
  auto b = file.connected();
  done(a->begin());
  fails_with(b->begin(), "SQLITE_BUSY", Fate::kRolledBack);
  done(a->commit());
  done(b->begin());
  done(b->roll_back());
}

TEST(Sqlite, AWriteAfterAnOldSnapshotIsBusySnapshot) {
  SqliteFile file("wal deferred");
  auto a = file.connected();
  done(a->begin());
  done(read(*a, 1));
  done(set(*file.admin, 1, 15));
  fails_with(set(*a, 1, 11), "SQLITE_BUSY_SNAPSHOT", Fate::kMustRollBack);
  done(a->roll_back());
  EXPECT_EQ(file.value(1), 15);
}

TEST(Sqlite, SharedCacheShowsWhatIsNotCommitted) {
  SqliteFile file("shared-cache read_uncommitted deferred");
  auto a = file.connected();
  auto b = file.connected();
  done(a->begin());
  done(set(*a, 1, 11));
  done(b->begin());
  EXPECT_TRUE(answered(read(*b, 1)).at(0, 0) == integer(11)) << "a dirty read";
  fails_with(set(*b, 2, 22), "SQLITE_LOCKED_SHAREDCACHE", Fate::kMustRollBack);
  done(b->roll_back());
  done(a->roll_back());
  EXPECT_EQ(file.value(1), 10);
}

TEST(Sqlite, AConstraintFailsTheStatementAlone) {
  SqliteFile file("wal deferred");
  done(
      file.admin->run("create table c (k integer primary key, u unique, n not null, p references kv, "
                      "check (k > 0)); insert into c values (1, 1, 1, 1)"));
  auto a = file.connected();
  done(a->run("pragma foreign_keys = on"));
  done(a->begin());
  done(set(*a, 1, 11));
  fails_with(a->run("insert into c values (1, 2, 1, 1)"), "SQLITE_CONSTRAINT_PRIMARYKEY", Fate::kStatementFailed);
  fails_with(a->run("insert into c values (2, 1, 1, 1)"), "SQLITE_CONSTRAINT_UNIQUE", Fate::kStatementFailed);
  fails_with(a->run("insert into c values (2, 2, null, 1)"), "SQLITE_CONSTRAINT_NOTNULL", Fate::kStatementFailed);
  fails_with(a->run("insert into c values (2, 2, 1, 99)"), "SQLITE_CONSTRAINT_FOREIGNKEY", Fate::kStatementFailed);
  fails_with(a->run("insert into c values (-2, 2, 1, 1)"), "SQLITE_CONSTRAINT_CHECK", Fate::kStatementFailed);
  done(a->commit());
  EXPECT_EQ(file.value(1), 11);
  done(a->begin());
  done(set(*a, 1, 12));
  fails_with(a->run("insert or rollback into c values (1, 2, 1, 1)"), "SQLITE_CONSTRAINT_PRIMARYKEY",
             Fate::kRolledBack);
  done(a->roll_back());
  EXPECT_EQ(file.value(1), 11);
}

TEST(Sqlite, AnUnlistedErrorIsNamed) {
  SqliteFile file("wal deferred");
  const auto reply = file.admin->run("select * from no_such_table");
  ASSERT_FALSE(reply.has_value());
  EXPECT_NE(reply.error().text.find("no_such_table"), std::string::npos);
}

TEST(Sqlite, PlaceholdersOutsideOfQuotesAreParameters) {
  SqliteFile file("wal deferred");
  const Reply reply =
      answered(file.admin->execute("select ?, '?', ?, ?, ? -- ?", {{integer(-7), text("a'b"), Cell(), Cell(0.5)}}));
  EXPECT_TRUE(reply.cells == (std::vector<Cell>{integer(-7), text("?"), text("a'b"), Cell(), Cell(0.5)}));
  EXPECT_FALSE(file.admin->execute("select ?", {}).has_value());
  EXPECT_FALSE(file.admin->execute("select 1", {{integer(1)}}).has_value());
  EXPECT_FALSE(file.admin->execute("select 1; select 2", {}).has_value());
  EXPECT_FALSE(file.admin->execute("", {}).has_value());
  done(file.admin->execute("select 1;\n", {}));
  const std::string zeros("a\0b", 3);
  EXPECT_TRUE(answered(file.admin->execute("select ?", {{text(zeros)}})).at(0, 0) == text(zeros));
  EXPECT_TRUE(answered(file.admin->execute("select ?", {{text("")}})).at(0, 0) == text(""));
}

TEST(Sqlite, RunNamesColumnsCountsChangesAndTakesSeveralStatements) {
  SqliteFile file("wal deferred");
  const Reply reply = answered(file.admin->run("select 1; /* two */ select k as key, v from kv order by k; -- end\n"));
  EXPECT_EQ(reply.names, (std::vector<std::string>{"key", "v"}));
  EXPECT_EQ(reply.rows(), 2U);
  EXPECT_TRUE(reply.at(1, 1) == integer(20));
  EXPECT_EQ(answered(file.admin->run("update kv set v = v")).changed, 2U);
  EXPECT_EQ(answered(file.admin->run("select * from kv")).changed, 0U);
}

TEST(Sqlite, RowsThatAForeignKeyDeletesAreNotCounted) {
  SqliteFile file("wal deferred");
  done(file.admin->run("pragma foreign_keys = on"));
  done(file.admin->run("create table child (k integer primary key, p references kv (k) on delete cascade)"));
  done(file.admin->run("insert into child values (1, 1), (2, 1)"));
  EXPECT_EQ(answered(file.admin->run("delete from kv where k = 1")).changed, 1U);
  EXPECT_EQ(answered(file.admin->run("delete from kv where k = 1")).changed, 0U);
  EXPECT_EQ(answered(file.admin->run("select * from kv")).changed, 0U);
}

TEST(Sqlite, AConnectionReachesNoOtherFile) {
  SqliteFile file("wal deferred");
  const std::string other = ::testing::TempDir() + "/isolde_sqlite_other.db";
  std::remove(other.c_str());
  for (const std::string& sql :
       {"attach '" + other + "' as other", "vacuum into '" + other + "'", std::string("select load_extension('x')"),
        std::string("pragma journal_mode = memory"), std::string("pragma writable_schema = on"),
        std::string("pragma temp_store_directory = '/'")}) {
    const auto reply = file.admin->run(sql);
    EXPECT_FALSE(reply && reply->done()) << sql;
  }
  EXPECT_FALSE(std::filesystem::exists(other));
  done(file.admin->run("pragma foreign_keys = on"));
}

TEST(Sqlite, AStatementIsPreparedOnceAndFollowsItsTable) {
  SqliteFile file("wal deferred");
  EXPECT_EQ(answered(file.admin->execute("select * from kv", {})).width, 2U);
  done(file.admin->run("alter table kv add column w"));
  const Reply reply = answered(file.admin->execute("select * from kv", {}));
  EXPECT_EQ(reply.width * reply.rows(), reply.cells.size());
  EXPECT_EQ(reply.width, 3U);
}

TEST(Sqlite, ASeveredConnectionIsLostAndItsTransactionRolledBack) {
  SqliteFile file("wal deferred");
  auto a = file.connected();
  done(a->begin());
  done(set(*a, 1, 11));
  a->sever();
  EXPECT_EQ(answered(set(*a, 1, 12)).fate, Fate::kLost);
  EXPECT_EQ(answered(a->commit()).fate, Fate::kLost);
  EXPECT_EQ(answered(a->roll_back()).fate, Fate::kLost);
  EXPECT_EQ(answered(a->begin()).fate, Fate::kLost);
  a->cancel();
  EXPECT_EQ(file.value(1), 10);
  done(set(*file.admin, 1, 13));
}

TEST(Sqlite, CancelEndsTheStatementThatIsRunning) {
  SqliteFile file("wal deferred");
  auto a = file.connected();
  auto runs = std::async(std::launch::async, [&] {
    return a->run("with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n");
  });
  while (runs.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) a->cancel();
  fails_with(runs.get(), "SQLITE_INTERRUPT", Fate::kRolledBack);  // none was open
}

TEST(Sqlite, ATimeoutWaitsForTheOtherWriter) {
  SqliteFile file("wal deferred", "?timeout=60000");
  auto a = file.connected();
  auto b = file.connected();
  done(a->begin());
  done(set(*a, 1, 11));
  auto waits = std::async(std::launch::async, [&] { return set(*b, 1, 12); });
  done(a->commit());
  done(waits.get());
  EXPECT_EQ(file.value(1), 12);
}

TEST(Sqlite, TheJournalOfAFileThatIsOpenIsNotQuietlyAnother) {
  SqliteFile file("wal deferred");
  done(file.admin->begin());
  done(read(*file.admin, 1));
  EXPECT_FALSE(file.database().connect(**level_named(file.database(), "delete deferred")).has_value());
}

}  // namespace sqlite_test
}  // namespace isolde::db
