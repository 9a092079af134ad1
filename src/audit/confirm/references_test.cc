#include "audit/confirm/references.h"

#include <gtest/gtest.h>

#include "tests/support/small_story.h"

namespace isolde::audit {
namespace references_test {

Play play() {
  const auto story = testing::small_story(
      {.schema = "create table customer (id int primary key, name varchar(9));"
                 "create table orders (id int primary key, customer_id int references customer (id))",
       .transactions = {{"DELETE FROM customer WHERE id = 5", "SELECT id FROM orders WHERE customer_id = 5"}},
       .members = {0},
       .order = "T1.1"});
  auto made = make_play(story.anomaly, story.classes, story.log);
  EXPECT_TRUE(made) << made.error().text;
  return made ? *std::move(made) : Play{};
}

std::vector<InitialRow> rows(const Play& play, bool with_customer) {
  std::vector<InitialRow> out;
  for (const TableId table : play.tables) {
    const bool is_customer = play.schema.table(table).name == "customer";
    if (is_customer && with_customer) out.push_back({table, {"5", "ann"}});
    if (!is_customer) out.push_back({table, {"1", "5"}});
  }
  return out;
}

std::vector<Rows> left(const Play& play, const std::vector<std::vector<std::string>>& customers) {
  std::vector<Rows> out;
  for (const TableId table : play.tables) {
    const bool is_customer = play.schema.table(table).name == "customer";
    out.push_back({{}, is_customer ? customers : std::vector<std::vector<std::string>>{{"1", "5"}}});
  }
  return out;
}

TEST(ConfirmReferences, ARowWhoseParentIsGoneIsBroken) {
  const Play one = play();
  EXPECT_EQ(broken_reference(one, rows(one, true), left(one, {{"5", "'ann'"}})), "");
  EXPECT_NE(broken_reference(one, rows(one, true), left(one, {})).find("orders"), std::string::npos);
}

TEST(ConfirmReferences, ARowThatNeverHadAParentIsNoFaultOfTheRun) {
  const Play one = play();
  EXPECT_EQ(broken_reference(one, rows(one, false), left(one, {})), "");
}

}  // namespace references_test
}  // namespace isolde::audit
