// tests/live/hunt_planting.h: what tests that plant a fault in a real server share: the server, the trigger, the hunt.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/scratch_folder.h"
#include "db/server.h"
#include "hunt/finding/finding_file.h"
#include "hunt/replay.h"
#include "tests/hunt/hunting.h"
#include "tests/live/shared_server.h"
#include "tests/support/faulty_database.h"
#include "tests/support/planting_database.h"

namespace isolde::test::planting {

using hunt::Wrong;

inline db::Server* server_of(const std::string& kind) {
  return shared_server({.kind = kind, .binaries = {}, .settings = hunt::fast_settings(kind)});
}

// SQLite: a database that lives as long as the object.
inline std::unique_ptr<db::Database> database_of(const std::string& kind) {
  std::string url = "sqlite:";
  if (kind != "sqlite") {
    const db::Server* const server = server_of(kind);
    if (server == nullptr) return nullptr;
    url = server->url();
  }
  auto database = db::open_database(*db::parse_url(url));
  EXPECT_TRUE(database) << database.error().message();
  return database ? *std::move(database) : nullptr;
}

inline void run_as_superuser(const std::string& kind, const std::vector<std::string>& all) {
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

inline bool is_hunts_table(const std::string& name) { return name.starts_with("hunt_t"); }

// SQL for each table of a hunt, with {0} for its name.
inline Plant on_tables(const std::string& sql) {
  return [=](const std::string& table) -> std::vector<std::string> {
    if (!is_hunts_table(table)) return {};
    return {fmt::format(fmt::runtime(sql), table)};
  };
}

// One of the server's levels under its own name, whose sessions run at another: `setting` is that one's.
inline db::ServerLevel posing_level(const db::Database& database, std::string_view name, std::string_view setting) {
  const auto level = db::level_named(database, name);
  EXPECT_TRUE(level);
  db::ServerLevel posing = level ? **level : db::ServerLevel{};
  posing.setting = setting;
  return posing;
}

// A fault, and what a hunt may call it.
struct Planted {
  std::string name;  // of the test
  std::function<std::unique_ptr<db::Database>()> database;
  std::vector<Wrong> as;
  std::string anomaly = {};       // empty: any
  std::string level = {};         // empty: that of most
  std::string_view setting = {};  // that sessions run at instead
  std::chrono::milliseconds limit{2000};
  std::uint64_t reduction = 25;  // runs
  // Few: each gets a second opinion, which else only some of a schema do.
  std::uint32_t cases_a_schema = 50;
};

inline std::string name_of(const ::testing::TestParamInfo<Planted>& planted) { return planted.param.name; }

inline std::ostream& operator<<(std::ostream& out, const Planted& planted) { return out << planted.name; }

inline hunt::HuntOptions options_for(const Planted& planted, std::uint64_t cases) {
  hunt::HuntOptions options = hunt_options(1, cases);
  options.arena.statement_limit = planted.limit;
  options.reduce.most_runs = planted.reduction;
  options.cases_a_schema = planted.cases_a_schema;
  constexpr std::uint32_t kFew = 4;
  if (planted.cases_a_schema <= kFew) options.second_opinions = kFew;
  return options;
}

// Hunts, which ends with the first finding; it is one of `as`, and its file shows it again.
inline void expect_found(db::Database& database, const Planted& planted,
                         const std::function<void(hunt::HuntOptions&)>& change = {}) {
  constexpr std::uint64_t kMostCases = 4000;
  const std::string named = !planted.level.empty()                ? planted.level
                            : database.dialect().name == "sqlite" ? "wal deferred"
                                                                  : "read committed";
  const auto real = db::level_named(database, named);
  ASSERT_TRUE(real) << real.error().message();
  const db::ServerLevel level = planted.setting.empty() ? **real : posing_level(database, named, planted.setting);
  hunt::HuntOptions options = options_for(planted, kMostCases);
  if (change) change(options);
  const auto started = std::chrono::steady_clock::now();
  std::optional<double> seconds;
  const hunt::HuntSink sink = {.progress = {}, .found = [&](const hunt::Finding&, bool) {
                                 const auto taken = std::chrono::steady_clock::now() - started;
                                 if (!seconds) seconds = std::chrono::duration<double>(taken).count();
                               }};
  const auto result = hunt::hunt(database, level, options, {}, sink);
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->findings.size(), 1U) << told(result->counts) << " " << result->first_fault;
  const hunt::Finding& finding = result->findings.front();
  ::testing::Test::RecordProperty("cases", static_cast<int>(result->counts.cases));
  ::testing::Test::RecordProperty("seconds", fmt::format("{:.1f}", seconds.value_or(0)));
  ::testing::Test::RecordProperty("as", std::string(hunt::name(finding.wrong)));
  EXPECT_NE(std::find(planted.as.begin(), planted.as.end(), finding.wrong), planted.as.end()) << told({finding});
  if (!planted.anomaly.empty()) {
    EXPECT_EQ(finding.anomaly, planted.anomaly) << told({finding});
  }
  const auto read = hunt::parse_finding(hunt::finding_text(finding), "it.finding");
  ASSERT_TRUE(read) << read.error().message();
  if (options.against != nullptr) return;  // a replay is of one server
  const auto again = hunt::replay(database, level, *read, {.arena = options.arena, .trial = {}});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->what, hunt::ReplayOutcome::What::kSeen) << told({finding}) << again->reason << again->happened;
}

// One write in fifty is lost. Where chance decides which one, `runs` has to be large enough that it is seen twice in
// them but for one time in millions.
inline void expect_rare(db::Database& database, std::uint32_t runs = 300) {
  const auto level = db::level_named(database, database.dialect().name == "sqlite" ? "wal deferred" : "read committed");
  ASSERT_TRUE(level);
  hunt::HuntOptions options = hunt_options(1, 2000);
  options.reduce.most_runs = 4;
  options.trial.rare_runs = runs;
  const auto result = hunt::hunt(database, **level, options, {}, {});
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->findings.size(), 1U) << told(result->counts) << " " << result->first_fault;
  const hunt::Finding& finding = result->findings.front();
  ::testing::Test::RecordProperty("cases", static_cast<int>(result->counts.cases));
  // A statement that changes many rows loses one nearly every time: then it is no rare fault, but found all the same.
  if (!finding.rate.is_rare()) return;
  EXPECT_GE(finding.rate.seen, 2U);
  EXPECT_TRUE(finding.cause.starts_with("intermittent ")) << finding.cause;
}

inline void expect_nothing(db::Database& database) {
  const auto level = db::level_named(database, "read committed");
  ASSERT_TRUE(level);
  const auto result = hunt::hunt(database, **level, hunt_options(1, 40), {}, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(told(result->findings), "");
}

// By the same cases on a sound server.
inline void expect_found_against(db::Database& faulty, db::Database& sound) {
  const auto level = db::level_named(sound, "read committed");
  ASSERT_TRUE(level);
  const Planted planted{.name = {}, .database = {}, .as = {Wrong::kAgainst}, .reduction = 5, .cases_a_schema = 4};
  expect_found(faulty, planted, [&](hunt::HuntOptions& options) {
    options.against = &sound;
    options.against_level = *level;
  });
}

}  // namespace isolde::test::planting
