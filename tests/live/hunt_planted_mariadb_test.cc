// Faults planted in MariaDB, one of each class: `isolde hunt` finds them, calls them by their name, and sees them again
// from their file; also under the names of MySQL and TiDB. docs/hunt.md has the table.
#include "tests/live/hunt_planting.h"
#include "tests/support/effort.h"
#include "tests/support/posing_database.h"

namespace isolde::test {
namespace hunt_planted_mariadb_test {

using namespace planting;

Plant trigger(const std::string& event, const std::string& body) {
  return on_tables(
      fmt::format("create trigger planted_{{0}} before {} on {{0}} for each row begin {} end", event, body));
}

Planted by_trigger(const std::string& name, const std::string& event, const std::string& body, std::vector<Wrong> as,
                   const std::string& anomaly = {}) {
  return {.name = name,
          .database = [=] { return planted_in(database_of("mariadb"), trigger(event, body)); },
          .as = std::move(as),
          .anomaly = anomaly};
}
std::string signal(const std::string& code) {
  return fmt::format(
      "if @@in_transaction then signal sqlstate 'HY000' set mysql_errno = {}, message_text = 'planted'; end if;", code);
}
Planted error(const std::string& code) {
  return by_trigger("Error" + code, "update", signal(code), {Wrong::kError}, code);
}
Planted quick(Planted planted) {
  planted.limit = std::chrono::milliseconds(400);
  planted.reduction = 2;
  return planted;
}

Planted in_driver(const std::string& name, const PlantedFault& fault, std::vector<Wrong> as) {
  return {.name = name,
          .database = [=] { return std::make_unique<FaultyDatabase>(database_of("mariadb"), fault); },
          .as = std::move(as)};
}

Planted at_level(const std::string& name, const std::string& level, std::string_view setting, std::vector<Wrong> as) {
  return {.name = name,
          .database = [] { return database_of("mariadb"); },
          .as = std::move(as),
          .level = level,
          .setting = setting};
}

Planted often_by_other_plans(Planted planted) {
  planted.cases_a_schema = 4;
  planted.reduction = 5;  // each makes the tables anew
  return planted;
}

std::vector<Planted> all() {
  return {
      error("1365"),
      error("1690"),
      error("1242"),
      error("1105"),
      quick(by_trigger("Hang", "update", "if @@in_transaction then do sleep(60); end if;", {Wrong::kHang})),
      quick(by_trigger("Crash", "update", "if @@in_transaction then kill connection_id(); end if;", {Wrong::kCrash})),
      often_by_other_plans(
          in_driver("IndexNotMaintained", {Fault::kWrongIndex, "select r0.pkey as x"}, {Wrong::kPlan})),
      in_driver("UpdateOfNoRows", {Fault::kPassedOver, " in ("}, {Wrong::kPredicate, Wrong::kOwnWrites, Wrong::kCount}),
      by_trigger("UpdateReportedAndLost", "update", "if old.pkey % 3 = 0 then set new.vkey = old.vkey; end if;",
                 {Wrong::kPredicate, Wrong::kOwnWrites}),
      in_driver("DeleteLeavesRows", {Fault::kDeleteLeaves, "", {}, 1}, {Wrong::kPredicate, Wrong::kOwnWrites}),
      at_level("WeakerLevel", "serializable", "read committed", {Wrong::kIsolation}),
      at_level("DirtyRead", "read committed", "read uncommitted", {Wrong::kIsolation, Wrong::kRolledBack}),
      in_driver("WrongCount", {Fault::kWrongCount, " in ("}, {Wrong::kCount, Wrong::kOwnWrites, Wrong::kIsolation}),
      in_driver("WrongJoinInside", {Fault::kWrongInside, " join "}, {Wrong::kResult, Wrong::kPredicate}),
      in_driver("WrongAggregateInside", {Fault::kWrongInside, "sum("}, {Wrong::kResult}),
      // A table whose engine knows no transactions.
      {.name = "RollbackCommits",
       .database = [] { return planted_in(database_of("mariadb"), on_tables("alter table {0} engine = MyISAM")); },
       .as = {Wrong::kRolledBack, Wrong::kContents, Wrong::kIsolation}},
      in_driver("StaleRead", {Fault::kStaleRead, " where "},
                {Wrong::kIsolation, Wrong::kResult, Wrong::kRerun, Wrong::kPredicate}),
      in_driver("MissedOwnWrites", {Fault::kMissesOwnWrites, " where "},
                {Wrong::kResult, Wrong::kPredicate, Wrong::kIsolation, Wrong::kOwnWrites}),
  };
}

class HuntPlantedInMariadb : public ::testing::TestWithParam<Planted> {};

TEST_P(HuntPlantedInMariadb, IsFoundAndSeenAgain) {
  const auto database = GetParam().database();
  ASSERT_NE(database, nullptr);
  expect_found(*database, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Faults, HuntPlantedInMariadb, ::testing::ValuesIn(all()), name_of);

TEST(HuntPlantedInMariadbToo, AWriteThatIsLostOnceInFiftyIsFoundWithItsRate) {
  const auto database = planted_in(database_of("mariadb"), trigger("update",
                                                                   "set @turn = coalesce(@turn, 0) + 1; "
                                                                   "if @turn % 50 = 0 then set new.vkey = old.vkey; "
                                                                   "end if;"));
  ASSERT_NE(database, nullptr);
  expect_rare(*database);
}

// Wrong with and without transactions, by every plan.
TEST(HuntPlantedInMariadbToo, WhatIsWrongInEveryWayIsFoundByAnotherServer) {
  auto settings = hunt::fast_settings("mariadb");
  settings["innodb_snapshot_isolation"] = "ON";
  const db::Server* const other = shared_server({"mariadb", "", settings});
  ASSERT_NE(other, nullptr);
  const auto sound = db::open_database(*db::parse_url(other->url()));
  ASSERT_TRUE(sound) << sound.error().message();
  FaultyDatabase faulty(database_of("mariadb"), {Fault::kWrongQuery, "select r0.pkey as x"});
  expect_found_against(faulty, **sound);
}

// Under the name of MySQL or TiDB: their SQL runs, finds nothing where there is nothing, and a planted fault.
class HuntPlantedUnderAnotherName : public ::testing::TestWithParam<const char*> {};

TEST_P(HuntPlantedUnderAnotherName, IsHuntedInItsDialect) {
  const char* const product = GetParam();
  auto real = database_of("mariadb");
  ASSERT_NE(real, nullptr);
  const auto database = posing_as(product, std::move(real));
  const auto level = db::level_named(*database, "read committed");
  ASSERT_TRUE(level);
  hunt::HuntOptions options = hunt_options(effort::seed(1), effort::tries(30));
  options.generate.features = 50;
  options.cases_a_schema = 10;
  const auto result = hunt::hunt(*database, **level, options, {}, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(told(result->findings), "") << product;
  EXPECT_EQ(result->first_fault, "") << product;
  EXPECT_LT(result->counts.failed * 20, result->counts.statements) << told(result->counts);
  Planted planted = error("1365");
  const auto faulty = planted_in(posing_as(product, database_of("mariadb")), trigger("update", signal("1365")));
  expect_found(*faulty, planted);
}
INSTANTIATE_TEST_SUITE_P(Names, HuntPlantedUnderAnotherName,
                         ::testing::Values("MySQL 8.0.36", "TiDB v7.5.0, tidb_txn_mode=optimistic"),
                         [](const auto& name) {
                           return std::string(name.param).substr(0, 5) == "MySQL" ? "MySQL" : "TiDB";
                         });

}  // namespace hunt_planted_mariadb_test
}  // namespace isolde::test
