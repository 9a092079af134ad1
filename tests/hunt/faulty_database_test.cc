// The planted faults do what they say: so what a hunt finds is what was planted.
#include "tests/support/faulty_database.h"

#include <gtest/gtest.h>

namespace isolde::test {
namespace faulty_database_test {

class FaultyDatabaseTest : public ::testing::Test {
 protected:
  void open(PlantedFault planted) {
    auto real = db::open_database(*db::parse_url("sqlite:"));
    ASSERT_TRUE(real) << real.error().message();
    database_ = std::make_unique<FaultyDatabase>(*std::move(real), std::move(planted));
    const auto level = db::level_named(*database_, "wal deferred");
    ASSERT_TRUE(level) << level.error().message();
    for (auto* connection : {&a_, &b_}) {
      auto made = database_->connect(**level);
      ASSERT_TRUE(made) << made.error().message();
      *connection = *std::move(made);
    }
    run(*a_, "create table t (pkey integer primary key, v integer)");
    run(*a_, "insert into t values (1, 10), (2, 20)");
  }
  static db::Reply run(db::Connection& connection, std::string_view sql) {
    auto reply = connection.run(sql);
    EXPECT_TRUE(reply && reply->done()) << sql;
    return reply ? *std::move(reply) : db::Reply{};
  }
  static std::int64_t number(db::Connection& connection, std::string_view sql) {
    const db::Reply reply = run(connection, sql);
    return reply.rows() == 1 ? std::get<std::int64_t>(reply.at(0, 0)) : -1;
  }
  std::unique_ptr<FaultyDatabase> database_;
  std::unique_ptr<db::Connection> a_, b_;
};

constexpr const char* kSum = "select sum(v) from t where v between 0 and 1000";

TEST_F(FaultyDatabaseTest, ARollbackCommitsIfTheTransactionHasTheFeature) {
  ASSERT_NO_FATAL_FAILURE(open({Fault::kLostRollback, "between"}));
  ASSERT_TRUE(a_->begin());
  run(*a_, "update t set v = 11 where pkey = 1");
  ASSERT_TRUE(a_->roll_back());
  EXPECT_EQ(number(*b_, kSum), 30);
  ASSERT_TRUE(a_->begin());
  run(*a_, "update t set v = 11 where pkey between 1 and 1");
  ASSERT_TRUE(a_->roll_back());
  EXPECT_EQ(number(*b_, kSum), 31);
  EXPECT_EQ(database_->times(), 1U);
}

TEST_F(FaultyDatabaseTest, AStaleReadShowsWhatWasBefore) {
  ASSERT_NO_FATAL_FAILURE(open({Fault::kStaleRead, "between"}));
  ASSERT_TRUE(a_->begin());
  run(*b_, "update t set v = 11 where pkey = 1");
  EXPECT_EQ(number(*a_, "select sum(v) from t"), 31);
  EXPECT_EQ(number(*a_, kSum), 30);
  ASSERT_TRUE(a_->commit());
  EXPECT_EQ(number(*a_, kSum), 31);
}

TEST_F(FaultyDatabaseTest, OwnWritesAreMissed) {
  ASSERT_NO_FATAL_FAILURE(open({Fault::kMissesOwnWrites, " between "}));
  ASSERT_TRUE(a_->begin());
  EXPECT_EQ(number(*a_, kSum), 30);
  run(*a_, "update t set v = 11 where pkey = 1");
  EXPECT_EQ(number(*a_, "select sum(v) from t"), 31);
  EXPECT_EQ(number(*a_, kSum), 30);
  ASSERT_TRUE(a_->commit());
  EXPECT_EQ(number(*a_, kSum), 31);
}

TEST_F(FaultyDatabaseTest, ADirtyReadShowsWhatAnotherHasNotCommitted) {
  ASSERT_NO_FATAL_FAILURE(open({Fault::kDirtyRead, " between "}));
  ASSERT_TRUE(a_->begin());
  ASSERT_TRUE(b_->begin());
  run(*b_, "update t set v = 11 where pkey = 1");
  EXPECT_EQ(number(*a_, "select sum(v) from t"), 30);
  EXPECT_EQ(number(*a_, kSum), 31);
  ASSERT_TRUE(b_->roll_back());
  EXPECT_EQ(number(*a_, kSum), 30);
  ASSERT_TRUE(a_->commit());
}

TEST_F(FaultyDatabaseTest, AnUpdateReportsOneRowTooMany) {
  ASSERT_NO_FATAL_FAILURE(open({Fault::kWrongCount, " between "}));
  EXPECT_EQ(run(*a_, "update t set v = 11 where pkey between 1 and 1").changed, 1U);
  ASSERT_TRUE(a_->begin());
  EXPECT_EQ(run(*a_, "update t set v = 12 where pkey between 1 and 1").changed, 2U);
  EXPECT_EQ(run(*a_, "update t set v = 12 where pkey = 1").changed, 1U);
  ASSERT_TRUE(a_->commit());
}

TEST_F(FaultyDatabaseTest, WithNoFaultNothingIsChanged) {
  ASSERT_NO_FATAL_FAILURE(open({Fault::kNone, ""}));
  ASSERT_TRUE(a_->begin());
  EXPECT_EQ(run(*a_, "update t set v = 12 where pkey between 1 and 1").changed, 1U);
  EXPECT_EQ(number(*b_, kSum), 30);
  EXPECT_EQ(number(*a_, kSum), 32);
  ASSERT_TRUE(a_->roll_back());
  EXPECT_EQ(number(*b_, kSum), 30);
  EXPECT_EQ(database_->times(), 0U);
}

}  // namespace faulty_database_test
}  // namespace isolde::test
