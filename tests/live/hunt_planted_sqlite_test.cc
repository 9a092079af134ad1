// Faults planted in SQLite by triggers, one of each class that triggers can plant: `isolde hunt` finds them and sees
// them again from their file. Those that a driver must plant are in tests/hunt/planted_test.cc. docs/hunt.md has the
// table.
#include "tests/live/hunt_planting.h"

namespace isolde::test {
namespace hunt_planted_sqlite_test {

using namespace planting;

// On every table, for all connections.
Planted by_trigger(const std::string& name, const std::string& when, const std::string& body, std::vector<Wrong> as) {
  return {.name = name,
          .database =
              [=] {
                return planted_in(database_of("sqlite"),
                                  on_tables(fmt::format("create trigger planted_{{0}} {} begin {}; end", when, body)));
              },
          .as = std::move(as)};
}
// Inside transactions only: a connection's own trigger, which it drops before it commits.
Planted inside(const std::string& name, const std::string& event, const std::string& body, std::vector<Wrong> as) {
  return {.name = name,
          .database =
              [=] {
                return planted_inside(
                    database_of("sqlite"),
                    {on_tables(fmt::format("create temp trigger planted_{{0}} before {} on {{0}} begin {}; end", event,
                                           body)),
                     on_tables("drop trigger if exists temp.planted_{0}")});
              },
          .as = std::move(as)};
}
Planted quick(Planted planted) {
  planted.limit = std::chrono::milliseconds(300);
  planted.reduction = 2;
  return planted;
}

std::vector<Planted> all() {
  return {
      inside("ErrorInside", "update", "select raise(abort, 'planted')", {Wrong::kError}),
      quick(inside("Hang", "update",
                   "select count(*) from (with recursive c (x) as (select 1 union all select x + 1 from c where x < "
                   "1000000000000) select x from c)",
                   {Wrong::kHang})),
      by_trigger("UpdateOfNoRows", "before update on {0} when old.pkey % 3 = 0", "select raise(ignore)",
                 {Wrong::kPredicate}),
      by_trigger("UpdateReportedAndLost", "after update on {0} when old.pkey % 3 = 0",
                 "update {0} set vkey = old.vkey where pkey = new.pkey", {Wrong::kPredicate, Wrong::kOwnWrites}),
      by_trigger("DeleteLeavesRows", "before delete on {0} when old.pkey % 5 = 0", "select raise(ignore)",
                 {Wrong::kPredicate, Wrong::kOwnWrites}),
      inside("DeleteLeavesRowsInside", "delete", "select raise(ignore)", {Wrong::kPredicate, Wrong::kOwnWrites}),
  };
}

class HuntPlantedInSqlite : public ::testing::TestWithParam<Planted> {};

TEST_P(HuntPlantedInSqlite, IsFoundAndSeenAgain) {
  const auto database = GetParam().database();
  ASSERT_NE(database, nullptr);
  expect_found(*database, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Faults, HuntPlantedInSqlite, ::testing::ValuesIn(all()), name_of);

TEST(HuntPlantedInSqliteToo, AWriteThatIsLostOnceInFiftyIsFoundWithItsRate) {
  const auto database =
      planted_in(database_of("sqlite"), on_tables("create trigger planted_{0} before update on {0} when "
                                                  "abs(random()) % 50 = 0 begin select raise(ignore); end"));
  ASSERT_NE(database, nullptr);
  expect_rare(*database, 1000);
}

}  // namespace hunt_planted_sqlite_test
}  // namespace isolde::test
