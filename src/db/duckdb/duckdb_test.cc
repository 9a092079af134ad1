// On the real library, which ./dev puts into build/servers; skipped where it is not.
#include "db/duckdb/duckdb.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "db/duckdb/duckdb_api.h"
#include "db/product.h"
#include "tests/support/duckdb_library.h"

namespace isolde::db {
namespace duckdb_test {

Cell whole(std::int64_t value) { return value; }

Reply duck_answer(Result<Reply> reply) {
  EXPECT_TRUE(reply.has_value()) << reply.error().message();
  return reply ? *std::move(reply) : Reply{};
}
void goes_well(Result<Reply> reply) {
  const Reply got = duck_answer(std::move(reply));
  EXPECT_TRUE(got.done()) << got.failure.code << ": " << got.failure.text;
}
void fails_as(Result<Reply> reply, std::string_view code, Fate fate) {
  const Reply got = duck_answer(std::move(reply));
  EXPECT_EQ(got.failure.code, code) << got.failure.text;
  EXPECT_EQ(static_cast<int>(got.fate), static_cast<int>(fate)) << got.failure.text;
}

// A scratch file with the rows (1, 10) and (2, 20).
class Duckdb : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_duckdb()) GTEST_SKIP() << test::kNoDuckdb;
    database_ = *open_duckdb(*parse_url(test::duckdb_url()));
    a_ = connected();
    b_ = connected();
    goes_well(a_->run("create table kv (k bigint primary key, v bigint)"));
    goes_well(a_->run("insert into kv values (1, 10), (2, 20)"));
  }
  std::unique_ptr<Connection> connected() {
    auto connection = database_->connect(database_->levels()[0]);
    EXPECT_TRUE(connection.has_value()) << connection.error().message();
    return *std::move(connection);
  }
  static Result<Reply> set(Connection& c, std::int64_t key, std::int64_t value) {
    return c.execute("update kv set v = ? where k = ?", {{whole(value), whole(key)}});
  }
  static std::int64_t value(Connection& c, std::int64_t key) {
    const Reply reply = duck_answer(c.execute("select v from kv where k = ?", {{whole(key)}}));
    return reply.rows() == 1 ? std::get<std::int64_t>(reply.at(0, 0)) : -1;
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<Connection> a_, b_;  // go before the database
};

TEST_F(Duckdb, ATransactionReadsItsSnapshotAndItsOwnWrites) {
  goes_well(a_->begin());
  EXPECT_EQ(value(*a_, 1), 10);
  goes_well(set(*b_, 1, 11));
  EXPECT_EQ(value(*b_, 1), 11);
  EXPECT_EQ(value(*a_, 1), 10);
  goes_well(set(*a_, 2, 21));
  EXPECT_EQ(value(*a_, 2), 21);
  EXPECT_EQ(value(*b_, 2), 20);
  goes_well(a_->commit());
  EXPECT_EQ(value(*b_, 2), 21);
}

TEST_F(Duckdb, TheSecondToChangeARowHasToRollBack) {
  goes_well(a_->begin());
  goes_well(b_->begin());
  EXPECT_EQ(value(*b_, 1), 10);
  goes_well(set(*a_, 1, 11));
  fails_as(set(*b_, 1, 12), "DUCKDB_ERROR_TRANSACTION", Fate::kMustRollBack);
  fails_as(b_->execute("select v from kv where k = ?", {{whole(2)}}), "DUCKDB_ERROR_TRANSACTION", Fate::kMustRollBack);
  goes_well(a_->commit());
  goes_well(b_->roll_back());
  EXPECT_EQ(value(*b_, 1), 11);
}

// DuckDB itself answers that COMMIT as if it had committed.
TEST_F(Duckdb, ACommitAfterAnErrorIsNoCommit) {
  goes_well(a_->begin());
  goes_well(b_->begin());
  goes_well(set(*b_, 2, 22));
  goes_well(set(*a_, 1, 11));
  fails_as(set(*b_, 1, 12), "DUCKDB_ERROR_TRANSACTION", Fate::kMustRollBack);
  fails_as(b_->commit(), "aborted", Fate::kRolledBack);
  goes_well(a_->commit());
  EXPECT_EQ(value(*a_, 2), 20);
  goes_well(b_->begin());
  EXPECT_EQ(value(*b_, 1), 11);
  goes_well(b_->commit());
}

TEST_F(Duckdb, AKeyThatTwoInsertFailsAtTheSecondCommit) {
  goes_well(a_->begin());
  goes_well(b_->begin());
  goes_well(a_->run("insert into kv values (3, 30)"));
  goes_well(b_->run("insert into kv values (3, 31)"));
  goes_well(a_->commit());
  fails_as(b_->commit(), "DUCKDB_ERROR_TRANSACTION", Fate::kRolledBack);
  goes_well(b_->roll_back());  // there is nothing left of it
  EXPECT_EQ(value(*b_, 3), 30);
}

TEST_F(Duckdb, AKeyThatIsThereIsAConstraint) {
  goes_well(a_->begin());
  fails_as(a_->run("insert into kv values (1, 1)"), "DUCKDB_ERROR_CONSTRAINT", Fate::kMustRollBack);
  goes_well(a_->roll_back());
}

TEST_F(Duckdb, AnErrorThatIsNotListedStopsUnlessItIsAskedFor) {
  EXPECT_FALSE(a_->run("select no_such_column from kv"));
  EXPECT_FALSE(a_->execute("select no_such_column from kv", {}));
  a_->report_unlisted_errors();
  fails_as(a_->run("select no_such_column from kv"), "DUCKDB_ERROR_BINDER", Fate::kMustRollBack);
  fails_as(a_->execute("select no_such_column from kv", {}), "DUCKDB_ERROR_BINDER", Fate::kMustRollBack);
  fails_as(a_->execute("selec 1", {}), "DUCKDB_ERROR_PARSER", Fate::kMustRollBack);
}

TEST_F(Duckdb, CellsAreTheSameByBothWays) {
  const char* const sql =
      "select 1, cast(5000000000 as bigint), true, cast(null as bigint), 'a''b', cast(1.5 as decimal(14, 2)), "
      "date '2024-01-05', cast(0.5 as double), sum(v) from kv";
  const std::vector<Cell> expected = {
      whole(1), whole(5000000000), whole(1), Cell{}, std::string("a'b"), std::string("1.50"), std::string("2024-01-05"),
      0.5,      whole(30)};
  const Reply run = duck_answer(a_->run(sql)), executed = duck_answer(a_->execute(sql, {}));
  EXPECT_EQ(run.cells, expected);
  EXPECT_EQ(executed.cells, expected);
  EXPECT_EQ(run.names.size(), 9U);
  EXPECT_FALSE(a_->run("select [1, 2]")) << "a list is not read as something else";
}

TEST_F(Duckdb, ChangedRowsAreCounted) {
  EXPECT_EQ(duck_answer(a_->run("update kv set v = v + 1")).changed, 2U);
  EXPECT_EQ(duck_answer(a_->run("update kv set v = v + 1 where k = 9")).changed, 0U);
  EXPECT_EQ(duck_answer(a_->run("delete from kv where k = 1")).changed, 1U);
  const Reply returned = duck_answer(a_->run("insert into kv values (7, 70) returning k"));
  ASSERT_EQ(returned.rows(), 1U);
  EXPECT_EQ(returned.at(0, 0), whole(7));
}

TEST_F(Duckdb, TheDialectsStatementsRun) {
  const Dialect& dialect = database_->dialect();
  const std::string upsert = upsert_sql(dialect, "kv", "k", "v");
  goes_well(a_->execute(upsert, {{whole(1), whole(5)}}));
  goes_well(a_->execute(upsert, {{whole(8), whole(80)}}));
  EXPECT_EQ(value(*a_, 1), 5);
  EXPECT_EQ(value(*a_, 8), 80);
  goes_well(a_->run("create table l (k bigint primary key, v varchar)"));
  goes_well(a_->run("insert into l values (1, '[]')"));
  std::string append(dialect.list_append);
  for (std::size_t at = append.find("{0}"); at != std::string::npos; at = append.find("{0}"))
    append.replace(at, 3, "v");
  for (const std::int64_t element : {3, 4})
    goes_well(a_->execute("update l set v = " + append + " where k = 1", {{whole(element)}}));
  EXPECT_EQ(duck_answer(a_->run("select v from l")).at(0, 0), Cell{std::string("[3,4]")});
  const Cell table = std::string("kv");
  EXPECT_EQ(duck_answer(a_->execute(dialect.table_exists, {&table, 1})).at(0, 0), whole(1));
}

TEST_F(Duckdb, NothingReachesOtherFiles) {
  a_->report_unlisted_errors();
  const std::string file = std::string(ISOLDE_SOURCE_DIR) + "/README.md";
  for (const std::string& sql :
       {"select * from read_text('" + file + "')", "attach '" + file + ".x' as other", "copy kv to '" + file + ".x'",
        std::string("install httpfs"), std::string("set enable_external_access = true")}) {
    EXPECT_FALSE(duck_answer(a_->run(sql)).done()) << sql;
    EXPECT_NE(why_refused(sql, "duckdb", {"kv"}), "") << sql;
  }
  EXPECT_EQ(why_refused("update kv set v = v + 1 where k in (select k from kv)", "duckdb", {"kv"}), "");
}

TEST_F(Duckdb, ASeveredConnectionIsLost) {
  goes_well(a_->begin());
  goes_well(set(*a_, 1, 11));
  a_->sever();
  EXPECT_EQ(static_cast<int>(duck_answer(a_->commit()).fate), static_cast<int>(Fate::kLost));
  EXPECT_EQ(value(*b_, 1), 10) << "what was not committed is gone";
}

// Two Databases of one name would each lock the file, which a process does not notice.
TEST_F(Duckdb, AFileIsOpenOnceInAProcess) {
  const std::string folder = ::testing::TempDir() + "duckdb_once_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  const Url url = *parse_url(test::duckdb_url(folder + "/one.db"));
  auto first = *open_duckdb(url), second = *open_duckdb(url);
  auto one = *first->connect(first->levels()[0]), other = *second->connect(second->levels()[0]);
  goes_well(one->run("create table t (k bigint)"));
  goes_well(one->run("insert into t values (1)"));
  EXPECT_EQ(duck_answer(other->run("select count(*) from t")).at(0, 0), whole(1));
  one.reset(), other.reset(), first.reset(), second.reset();
  std::filesystem::remove_all(folder);
}

TEST(DuckdbUrl, ALibraryThatIsNotThereIsNamedWithWhatToInstall) {
  const auto database = open_database(*parse_url("duckdb:?library=/nowhere/libduckdb.so"));
  ASSERT_FALSE(database);
  EXPECT_NE(database.error().text.find("@duckdb/node-bindings-linux-x64"), std::string::npos) << database.error().text;
  const auto option = open_database(*parse_url("duckdb:?threads=4"));
  ASSERT_FALSE(option);
  EXPECT_NE(option.error().text.find("library=FILE"), std::string::npos);
  EXPECT_FALSE(open_database(*parse_url("duckdb::memory:")));
}

}  // namespace duckdb_test
}  // namespace isolde::db
