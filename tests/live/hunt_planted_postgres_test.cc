// Faults planted in PostgreSQL, one of each class: `isolde hunt` finds them, calls them by their name, and sees them
// again from their file. docs/hunt.md has the table.
#include "tests/live/hunt_planting.h"

namespace isolde::test {
namespace hunt_planted_postgres_test {

using namespace planting;

// Other transactions are open: true in a case, false in a run alone.
constexpr std::string_view kOthers =
    "exists (select 1 from pg_locks where locktype = 'virtualxid' and pid <> pg_backend_pid())";

// A trigger on all tables; `body` as between begin and end.
std::unique_ptr<db::Database> with_trigger(const std::string& function, const std::string& event,
                                           const std::string& body) {
  run_as_superuser(
      "postgres",
      {"create sequence if not exists public.planted_turn", "grant usage on sequence public.planted_turn to public",
       fmt::format("create or replace function public.{}() returns trigger language plpgsql as "
                   "$$ begin {} return coalesce(new, old); end $$",
                   function, body)});
  return planted_in(database_of("postgres"),
                    on_tables(fmt::format("create trigger planted before {} on {{0}} for each row execute function "
                                          "public.{}()",
                                          event, function)));
}

// Raised for updates beside other transactions.
Planted error(const std::string& code, const std::string& how) {
  return {
      .name = "Error" + code,
      .database =
          [=] { return with_trigger("planted_error", "update", fmt::format("if {} then {} end if;", kOthers, how)); },
      .as = {Wrong::kError},
      .anomaly = code};
}

Planted in_driver(const std::string& name, const PlantedFault& fault, std::vector<Wrong> as) {
  return {.name = name,
          .database = [=] { return std::make_unique<FaultyDatabase>(database_of("postgres"), fault); },
          .as = std::move(as)};
}

// Used by plans, and not written any more.
std::unique_ptr<db::Database> with_stale_indexes() {
  const db::Server* const server = server_of("postgres");
  if (server == nullptr) return nullptr;
  auto real = db::open_database(*db::parse_url(server->superuser_url()));
  EXPECT_TRUE(real) << real.error().message();
  return planted_in(*std::move(real), [](const std::string& name) -> std::vector<std::string> {
    if (!name.starts_with("hunt_i")) return {};
    return {fmt::format("update pg_index set indisready = false where indexrelid = '{}'::regclass", name)};
  });
}

std::vector<Planted> all() {
  return {
      error("22012", "perform 1 / (tg_nargs * 0);"),
      error("22003", "perform 2147483647 + tg_nargs + 1;"),
      error("21000", "perform (select * from generate_series(1, 2));"),
      error("XX000", "raise exception 'planted' using errcode = 'XX000';"),
      {.name = "Hang",
       .database =
           [] {
             return with_trigger("planted_hang", "delete",
                                 fmt::format("if {} then perform pg_sleep(60); end if;", kOthers));
           },
       .as = {Wrong::kHang},
       .limit = std::chrono::milliseconds(400),
       .reduction = 2},
      {.name = "Crash",
       .database =
           [] {
             return with_trigger(
                 "planted_crash", "update",
                 fmt::format("if {} then perform pg_terminate_backend(pg_backend_pid()); end if;", kOthers));
           },
       .as = {Wrong::kCrash},
       .reduction = 2},
      {.name = "IndexNotMaintained", .database = with_stale_indexes, .as = {Wrong::kPlan}, .cases_a_schema = 4},
      {.name = "UpdateOfNoRows",
       .database =
           [] {
             return with_trigger("planted_zero", "update",
                                 fmt::format("if {} and old.pkey % 3 = 0 then return null; end if;", kOthers));
           },
       .as = {Wrong::kPredicate}},
      {.name = "UpdateReportedAndLost",
       .database = [] { return with_trigger("planted_old", "update", "if old.pkey % 3 = 0 then return old; end if;"); },
       .as = {Wrong::kPredicate, Wrong::kOwnWrites}},
      {.name = "DeleteLeavesRows",
       .database =
           [] { return with_trigger("planted_stay", "delete", "if old.pkey % 5 = 0 then return null; end if;"); },
       .as = {Wrong::kPredicate, Wrong::kOwnWrites}},
      {.name = "MoreChangedThanReported",
       .database =
           [] {
             return with_trigger("planted_count", "delete",
                                 "if pg_trigger_depth() = 1 and old.pkey % 3 = 0 then execute format('delete from %I "
                                 "where pkey = $1', tg_table_name) using old.pkey; return null; end if;");
           },
       .as = {Wrong::kCount, Wrong::kOwnWrites, Wrong::kPredicate}},
      {.name = "WeakerLevel",
       .database = [] { return database_of("postgres"); },
       .as = {Wrong::kIsolation},
       .level = "serializable",
       .setting = "read committed"},
      in_driver("WrongCount", {Fault::kWrongCount, " in ("}, {Wrong::kCount, Wrong::kOwnWrites, Wrong::kIsolation}),
      in_driver("WrongJoinInside", {Fault::kWrongInside, " join "}, {Wrong::kResult, Wrong::kPredicate}),
      in_driver("WrongAggregateInside", {Fault::kWrongInside, "sum("}, {Wrong::kResult}),
      in_driver("RollbackCommits", {Fault::kLostRollback, "update"},
                {Wrong::kRolledBack, Wrong::kContents, Wrong::kIsolation}),
      in_driver("DirtyRead", {Fault::kDirtyRead, " group by "},
                {Wrong::kIsolation, Wrong::kResult, Wrong::kRolledBack, Wrong::kPredicate, Wrong::kOwnWrites}),
      in_driver("StaleRead", {Fault::kStaleRead, " where "},
                {Wrong::kIsolation, Wrong::kResult, Wrong::kRerun, Wrong::kPredicate}),
      in_driver("MissedOwnWrites", {Fault::kMissesOwnWrites, " where "},
                {Wrong::kResult, Wrong::kPredicate, Wrong::kIsolation, Wrong::kOwnWrites}),
  };
}

class HuntPlantedInPostgres : public ::testing::TestWithParam<Planted> {};

TEST_P(HuntPlantedInPostgres, IsFoundAndSeenAgain) {
  const auto database = GetParam().database();
  ASSERT_NE(database, nullptr);
  if (HasFatalFailure()) return;
  expect_found(*database, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Faults, HuntPlantedInPostgres, ::testing::ValuesIn(all()), name_of);

TEST(HuntPlantedInPostgresToo, AWriteThatIsLostOnceInFiftyIsFoundWithItsRate) {
  const auto database =
      with_trigger("planted_loss", "update", "if nextval('public.planted_turn') % 50 = 0 then return null; end if;");
  ASSERT_NE(database, nullptr);
  expect_rare(*database);
}

TEST(HuntPlantedInPostgresToo, AnErrorThatConcurrencyMayCauseIsNoFinding) {
  const auto database =
      with_trigger("planted_refusal", "update",
                   fmt::format("if {} then raise exception 'planted' using errcode = '40001'; end if;", kOthers));
  ASSERT_NE(database, nullptr);
  expect_nothing(*database);
}

// Wrong with and without transactions, by every plan: the same cases on another database of the server.
TEST(HuntPlantedInPostgresToo, WhatIsWrongInEveryWayIsFoundByAnotherServer) {
  const db::Server* const server = server_of("postgres");
  ASSERT_NE(server, nullptr);
  run_as_superuser("postgres", {"drop database if exists planted_against", "create database planted_against",
                                "grant all on database planted_against to public"});
  if (HasFatalFailure()) return;
  db::Url url = *db::parse_url(server->url());
  url.database = "planted_against";
  const auto sound = db::open_database(url);
  ASSERT_TRUE(sound) << sound.error().message();
  FaultyDatabase faulty(database_of("postgres"), {Fault::kWrongQuery, "select r0.pkey as x"});
  expect_found_against(faulty, **sound);
}

}  // namespace hunt_planted_postgres_test
}  // namespace isolde::test
