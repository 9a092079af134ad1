#include "record/set_up.h"

#include <gtest/gtest.h>

#include "db/database.h"

namespace isolde::record {
namespace set_up_test {

class SetUp : public ::testing::Test {
 protected:
  SetUp() : database_(*db::open_database(*db::parse_url("sqlite:"))) {
    connection_ = *database_->connect(**db::level_named(*database_, "wal deferred"));
    workload_ = *workload_named("register")->make({}, database_->dialect());
  }
  std::int64_t count(const std::string& sql) { return std::get<std::int64_t>(connection_->run(sql)->at(0, 0)); }

  std::unique_ptr<db::Database> database_;
  std::unique_ptr<db::Connection> connection_;
  std::unique_ptr<Workload> workload_;
};

TEST_F(SetUp, MakesItsTablesAnewEachTime) {
  for (int i = 0; i < 2; ++i) {
    const auto ready = set_up(*connection_, database_->dialect(), *workload_);
    ASSERT_TRUE(ready) << ready.error().text;
    EXPECT_EQ(count("select count(*) from registers where v = 0"), 100);
    ASSERT_TRUE(connection_->run("update registers set v = 1")->done());
  }
}

TEST_F(SetUp, ATableOfSomebodyElseIsNeverTouched) {
  ASSERT_TRUE(connection_->run("create table registers (mine integer)")->done());
  ASSERT_TRUE(connection_->run("insert into registers values (7)")->done());
  const auto ready = set_up(*connection_, database_->dialect(), *workload_);
  ASSERT_FALSE(ready);
  EXPECT_NE(ready.error().text.find("registers"), std::string::npos);
  EXPECT_EQ(count("select mine from registers"), 7);
}

}  // namespace set_up_test
}  // namespace isolde::record
