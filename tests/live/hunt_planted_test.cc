// Faults planted in real servers by triggers, one of each class: `isolde hunt` finds them and calls them by their name.
// (On SQLite, whose triggers know nothing of other transactions, see tests/hunt/planted_test.cc.)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "db/server.h"
#include "hunt/finding_file.h"
#include "hunt/replay.h"
#include "tests/hunt/hunting.h"
#include "tests/live/shared_server.h"
#include "tests/support/faulty_database.h"
#include "tests/support/planting_database.h"
#include "tests/support/posing_database.h"

namespace isolde::test {
namespace hunt_planted_test {

using hunt::Wrong;

db::Server* server_of(const std::string& kind) {
  return shared_server({.kind = kind, .binaries = {}, .settings = hunt::fast_settings(kind)});
}

std::unique_ptr<db::Database> database_of(const std::string& kind) {
  const db::Server* const server = server_of(kind);
  if (server == nullptr) return nullptr;
  auto database = db::open_database(*db::parse_url(server->url()));
  EXPECT_TRUE(database) << database.error().message();
  return database ? *std::move(database) : nullptr;
}

void run_as_superuser(const std::string& kind, const std::vector<std::string>& all) {
  const db::Server* const server = server_of(kind);
  ASSERT_NE(server, nullptr);
  const auto database = db::open_database(*db::parse_url(server->superuser_url()));
  ASSERT_TRUE(database) << database.error().message();
  const auto connection = (*database)->connect((*database)->levels().front());
  ASSERT_TRUE(connection) << connection.error().message();
  for (const std::string& sql : all) {
    const auto reply = (*connection)->run(sql);
    ASSERT_TRUE(reply && reply->done()) << sql << ": " << (reply ? reply->failure.text : reply.error().message());
  }
}

// A function for triggers on rows of PostgreSQL; `body` as between begin and end.
void make_function(const std::string& name, const std::string& body) {
  run_as_superuser(
      "postgres",
      {"create sequence if not exists public.planted_turn", "grant usage on sequence public.planted_turn to public",
       fmt::format("create or replace function public.{}() returns trigger language plpgsql as "
                   "$$ begin {} return coalesce(new, old); end $$",
                   name, body)});
}
// Other transactions are open: true in a case, false in a run alone.
constexpr std::string_view kOthers =
    "exists (select 1 from pg_locks where locktype = 'virtualxid' and pid <> pg_backend_pid())";

Plant trigger_of(const std::string& function, const std::string& event) {
  return [=](const std::string& table) -> std::vector<std::string> {
    if (!table.starts_with("hunt_t")) return {};
    return {fmt::format("create trigger planted before {} on {} for each row execute function public.{}()", event,
                        table, function)};
  };
}
Plant mariadb_trigger(const std::string& event, const std::string& body) {
  return [=](const std::string& table) -> std::vector<std::string> {
    if (!table.starts_with("hunt_t")) return {};
    return {fmt::format("create trigger planted_{1} before {0} on {1} for each row begin {2} end", event, table, body)};
  };
}

std::optional<hunt::Finding> first_finding(db::Database& database, const hunt::HuntOptions& options) {
  const auto level = db::level_named(database, "read committed");
  EXPECT_TRUE(level);
  if (!level) return std::nullopt;
  const auto result = hunt::hunt(database, **level, options, {}, {});
  EXPECT_TRUE(result) << result.error().message();
  if (!result) return std::nullopt;
  EXPECT_EQ(result->findings.size(), 1U) << told(result->counts) << " " << result->first_fault;
  if (result->findings.empty()) return std::nullopt;
  return result->findings.front();
}

void expect_found(db::Database& database, const std::vector<Wrong>& as, const std::string& anomaly,
                  hunt::HuntOptions options = hunt_options(1, 2000)) {
  options.reduce.most_runs = std::min<std::uint64_t>(options.reduce.most_runs, 60);
  const auto finding = first_finding(database, options);
  if (!finding) return;
  EXPECT_NE(std::find(as.begin(), as.end(), finding->wrong), as.end()) << told({*finding});
  if (!anomaly.empty()) {
    EXPECT_EQ(finding->anomaly, anomaly) << told({*finding});
  }
  const auto read = hunt::parse_finding(hunt::finding_text(*finding), "it.finding");
  ASSERT_TRUE(read) << read.error().message();
  const auto level = db::level_named(database, "read committed");
  const auto again = hunt::replay(database, **level, *read, {.arena = options.arena, .trial = {}});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->what, hunt::ReplayOutcome::What::kSeen) << told({*finding});
}

hunt::HuntOptions quick_limit() {
  hunt::HuntOptions options = hunt_options(1, 2000);
  options.arena.statement_limit = std::chrono::milliseconds(1000);
  options.reduce.most_runs = 8;
  return options;
}

TEST(HuntPlanted, AnErrorThatComesOnlyBesideOtherTransactionsIsFoundOnPostgres) {
  for (const char* const code : {"22012", "XX000", "21000"}) {
    make_function("planted_error",
                  fmt::format("if {} then raise exception 'planted' using errcode = '{}'; end if;", kOthers, code));
    if (HasFatalFailure()) return;
    const auto database = planted_in(database_of("postgres"), trigger_of("planted_error", "update"));
    expect_found(*database, {Wrong::kError}, code);
  }
}

TEST(HuntPlanted, AnErrorThatConcurrencyMayCauseIsNoFindingOnPostgres) {
  make_function("planted_refusal",
                fmt::format("if {} then raise exception 'planted' using errcode = '40001'; end if;", kOthers));
  if (HasFatalFailure()) return;
  const auto database = planted_in(database_of("postgres"), trigger_of("planted_refusal", "update"));
  const auto level = db::level_named(*database, "read committed");
  ASSERT_TRUE(level);
  const auto result = hunt::hunt(*database, **level, hunt_options(1, 40), {}, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(told(result->findings), "");
}

TEST(HuntPlanted, AnErrorThatComesOnlyInATransactionIsFoundOnMariadb) {
  for (const char* const code : {"1365", "1105"}) {
    const auto database = planted_in(
        database_of("mariadb"),
        mariadb_trigger("update",
                        fmt::format("if @@in_transaction then signal sqlstate 'HY000' set mysql_errno = {}; end "
                                    "if;",
                                    code)));
    expect_found(*database, {Wrong::kError}, code);
  }
}

TEST(HuntPlanted, AHangIsFoundOnPostgres) {
  make_function("planted_hang", fmt::format("if {} then perform pg_sleep(60); end if;", kOthers));
  if (HasFatalFailure()) return;
  const auto database = planted_in(database_of("postgres"), trigger_of("planted_hang", "delete"));
  expect_found(*database, {Wrong::kHang}, "", quick_limit());
}

TEST(HuntPlanted, AWriteThatIsLostNowAndThenIsFound) {
  make_function("planted_loss", "if nextval('public.planted_turn') % 50 = 0 then return null; end if;");
  if (HasFatalFailure()) return;
  const auto postgres = planted_in(database_of("postgres"), trigger_of("planted_loss", "update"));
  const auto mariadb =
      planted_in(database_of("mariadb"), mariadb_trigger("update",
                                                         "set @turn = coalesce(@turn, 0) + 1; "
                                                         "if @turn % 50 = 0 then set new.vkey = old.vkey; end if;"));
  for (db::Database* const database : {postgres.get(), mariadb.get()}) {
    hunt::HuntOptions options = hunt_options(1, 2000);
    options.reduce.most_runs = 4;
    options.trial.rare_runs = 100;
    const auto finding = first_finding(*database, options);
    if (!finding) continue;
    // A statement that changes many rows loses one nearly every time: then it is no rare fault, but found all the same.
    if (!finding->rate.is_rare()) continue;
    EXPECT_GE(finding->rate.seen, 2U);
    EXPECT_TRUE(finding->cause.starts_with("intermittent ")) << finding->cause;
  }
}

TEST(HuntPlanted, ADeleteThatLeavesRowsIsFound) {
  make_function("planted_stay", "if tg_op = 'DELETE' and old.pkey % 5 = 0 then return null; end if;");
  if (HasFatalFailure()) return;
  const auto postgres = planted_in(database_of("postgres"), trigger_of("planted_stay", "delete"));
  expect_found(*postgres, {Wrong::kPredicate, Wrong::kOwnWrites}, "");
  auto mariadb = database_of("mariadb");
  ASSERT_NE(mariadb, nullptr);
  FaultyDatabase faulty(std::move(mariadb), {Fault::kDeleteLeaves, "", {}, 1});
  expect_found(faulty, {Wrong::kPredicate, Wrong::kOwnWrites}, "");
}

// MariaDB under the name of MySQL or TiDB: their SQL runs, finds nothing where there is nothing, and a planted fault.
TEST(HuntPlanted, MysqlAndTidbAreHuntedInTheirDialects) {
  for (const char* const product : {"MySQL 8.0.36", "TiDB v7.5.0, tidb_txn_mode=optimistic"}) {
    auto real = database_of("mariadb");
    ASSERT_NE(real, nullptr);
    const auto database = posing_as(product, std::move(real));
    const auto level = db::level_named(*database, "read committed");
    ASSERT_TRUE(level);
    hunt::HuntOptions options = hunt_options(1, 60);
    options.generate.features = 50;
    options.cases_a_schema = 20;
    const auto result = hunt::hunt(*database, **level, options, {}, {});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(told(result->findings), "") << product;
    EXPECT_EQ(result->first_fault, "") << product;
    EXPECT_LT(result->counts.failed * 20, result->counts.statements) << told(result->counts);
    const auto faulty = planted_in(posing_as(product, database_of("mariadb")),
                                   mariadb_trigger("update",
                                                   "if @@in_transaction then signal sqlstate 'HY000' set mysql_errno = "
                                                   "1365; end if;"));
    expect_found(*faulty, {Wrong::kError}, "1365");
  }
}

// An index that is used but not maintained: every transaction and every statement alone is wrong in the same way.
TEST(HuntPlanted, AnIndexThatIsNotMaintainedIsFoundByAnotherPlan) {
  const db::Server* const server = server_of("postgres");
  ASSERT_NE(server, nullptr);
  auto real = db::open_database(*db::parse_url(server->superuser_url()));
  ASSERT_TRUE(real) << real.error().message();
  const auto postgres = planted_in(*std::move(real), [](const std::string& name) -> std::vector<std::string> {
    if (!name.starts_with("hunt_i")) return {};
    return {fmt::format("update pg_index set indisready = false where indexrelid = '{}'::regclass", name)};
  });
  expect_found(*postgres, {Wrong::kPlan}, "");
  auto mariadb = database_of("mariadb");
  ASSERT_NE(mariadb, nullptr);
  FaultyDatabase faulty(std::move(mariadb), {Fault::kWrongIndex, "select distinct"});
  // One that is sent by EXECUTE IMMEDIATE does not begin with the feature, so that a transaction answers rightly then.
  expect_found(faulty, {Wrong::kPlan, Wrong::kResult}, "");
}

TEST(HuntPlanted, AHangIsFoundOnMariadb) {
  const auto database =
      planted_in(database_of("mariadb"), mariadb_trigger("update", "if @@in_transaction then do sleep(60); end if;"));
  expect_found(*database, {Wrong::kHang}, "", quick_limit());
}

// What a driver can do to a transaction of either server, without a second one that would hold its tables.
struct DriverFault {
  PlantedFault planted;
  std::vector<Wrong> as;
};
class HuntPlantedInDriver : public ::testing::TestWithParam<std::tuple<const char*, DriverFault>> {};

TEST_P(HuntPlantedInDriver, IsFoundAndSeenAgain) {
  const auto& [kind, fault] = GetParam();
  auto real = database_of(kind);
  ASSERT_NE(real, nullptr);
  FaultyDatabase faulty(std::move(real), fault.planted);
  hunt::HuntOptions options = hunt_options(1, 2000);
  options.reduce.most_runs = 30;
  expect_found(faulty, fault.as, "", options);
}

const DriverFault kDriverFaults[] = {
    {{Fault::kLostRollback, "update"}, {Wrong::kRolledBack, Wrong::kContents, Wrong::kIsolation}},
    {{Fault::kDirtyRead, " group by "},
     {Wrong::kIsolation, Wrong::kResult, Wrong::kRolledBack, Wrong::kPredicate, Wrong::kOwnWrites}},
    {{Fault::kWrongCount, " in ("}, {Wrong::kCount, Wrong::kOwnWrites, Wrong::kIsolation}},
};
INSTANTIATE_TEST_SUITE_P(Servers, HuntPlantedInDriver,
                         ::testing::Combine(::testing::Values("postgres", "mariadb"),
                                            ::testing::ValuesIn(kDriverFaults)));

}  // namespace hunt_planted_test
}  // namespace isolde::test
