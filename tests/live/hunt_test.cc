// `isolde hunt` on real servers: nothing is reported of a sound one, PostgreSQL 15.3's MERGE is found and made small,
// InnoDB's REPEATABLE READ is named once, and a seed means the same cases and verdicts twice.
#include <gtest/gtest.h>

#include <filesystem>

#include "db/server.h"
#include "hunt/replay.h"
#include "tests/hunt/hunting.h"
#include "tests/live/postgres_15_3.h"
#include "tests/support/faulty_database.h"

namespace isolde::test {
namespace {

// A scratch server with the settings that a hunt gives it.
struct Hunted {
  std::unique_ptr<db::Server> server;
  std::unique_ptr<db::Database> database;

  static Result<Hunted> start(db::ServerOptions options) {
    for (const auto& [name, value] : hunt::fast_settings(options.kind)) options.settings.try_emplace(name, value);
    Hunted hunted;
    auto server = db::start_server(options);
    if (!server) return std::move(server).error();
    hunted.server = *std::move(server);
    auto database = db::open_database(*db::parse_url(hunted.server->url()));
    if (!database) return std::move(database).error();
    hunted.database = *std::move(database);
    // What REPEATABLE READ claims hangs on a variable, which the driver knows once it has asked.
    auto connection = hunted.database->connect(hunted.database->levels().front());
    if (!connection) return std::move(connection).error();
    if (auto described = hunted.database->describe(**connection); !described) return std::move(described).error();
    return hunted;
  }
  [[nodiscard]] hunt::HuntedServer on() const {
    return {.restart = [this]() -> Result<void> {
              (void)server->stop(db::Stop::kCrash);
              return server->start();
            },
            .log_file = server->log_file()};
  }
};

Result<hunt::HuntResult> hunt_at(Hunted& hunted, const char* level_name, const hunt::HuntOptions& options) {
  const auto level = db::level_named(*hunted.database, level_name);
  if (!level) return level.error();
  return hunt::hunt(*hunted.database, **level, options, hunted.on(), {});
}

void expect_sound(Hunted& hunted, const char* level) {
  const auto result = hunt_at(hunted, level, hunt_options(11, 60));
  ASSERT_TRUE(result) << level << ": " << result.error().message();
  EXPECT_EQ(told(result->findings), "") << result->server << " at " << level;
  EXPECT_EQ(result->first_fault, "") << result->server << " at " << level;
  EXPECT_GE(result->counts.cases, 60U);
  EXPECT_GT(result->counts.rounds, 60U) << told(result->counts);
  EXPECT_LT(result->counts.given_up, result->counts.cases / 2) << told(result->counts);
}

TEST(HuntLive, NothingIsReportedOfPostgres) {
  auto hunted = Hunted::start({"postgres", "", {}});
  ASSERT_TRUE(hunted) << hunted.error().message();
  for (const char* level : {"read committed", "repeatable read", "serializable"}) expect_sound(*hunted, level);
}

TEST(HuntLive, NothingIsReportedOfMariadb) {
  auto hunted = Hunted::start({"mariadb", "", {{"innodb_snapshot_isolation", "ON"}}});
  ASSERT_TRUE(hunted) << hunted.error().message();
  for (const char* level : {"read committed", "repeatable read", "serializable"}) expect_sound(*hunted, level);
}

TEST(HuntLive, NothingIsReportedOfSqlite) {
  Hunted hunted;
  auto database = db::open_database(*db::parse_url("sqlite:"));
  ASSERT_TRUE(database) << database.error().message();
  hunted.database = *std::move(database);
  for (const char* level : {"wal deferred", "wal immediate", "delete deferred"}) {
    const auto at = db::level_named(*hunted.database, level);
    ASSERT_TRUE(at);
    const auto result = hunt::hunt(*hunted.database, **at, hunt_options(11, 100), {}, {});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(told(result->findings), "") << level;
  }
}

TEST(HuntLive, OptionsOfTheSchemaReportNothingEither) {
  for (const char* kind : {"postgres", "mariadb"}) {
    auto hunted = Hunted::start({kind, "", {}});
    ASSERT_TRUE(hunted) << hunted.error().message();
    auto options = hunt_options(3, 60);
    options.generate.foreign_keys = options.generate.views = options.generate.generated_columns = true;
    const auto result = hunt_at(*hunted, "serializable", options);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(told(result->findings), "") << kind;
    EXPECT_EQ(result->first_fault, "") << kind;
  }
}

// The variable is OFF where MariaDB 10.11 is left alone.
TEST(HuntLive, InnodbsRepeatableReadIsNamedOnce) {
  auto hunted = Hunted::start({"mariadb", "", {{"innodb_snapshot_isolation", "OFF"}}});
  ASSERT_TRUE(hunted) << hunted.error().message();
  auto options = hunt_options(5, 300);
  options.most_findings = 10;
  const auto result = hunt_at(*hunted, "repeatable read", options);
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_TRUE(result->not_held);
  ASSERT_EQ(result->findings.size(), 1U) << told(result->findings);
  EXPECT_EQ(result->findings.front().cause, "innodb-repeatable-read");
  EXPECT_GT(result->counts.findings, 1U) << told(result->counts);
  EXPECT_LE(result->findings.front().test.transactions.size(), 2U) << told(result->findings);
  EXPECT_LE(statements_of(result->findings.front().test), 4U) << told(result->findings);
}

TEST(HuntLive, ReadUncommittedIsRefusedWithTheReason) {
  auto hunted = Hunted::start({"mariadb", "", {}});
  ASSERT_TRUE(hunted) << hunted.error().message();
  const auto result = hunt_at(*hunted, "read uncommitted", hunt_options(1, 1));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().text.find("READ UNCOMMITTED"), std::string::npos) << result.error().text;
}

TEST(HuntLive, MergeOfPostgres153LosesUpdatesAndThatIsFound) {
  ASSERT_TRUE(std::filesystem::exists(kPostgres153)) << "no " << kPostgres153 << ": ./dev test fetches it";
  auto old = Hunted::start({"postgres", kPostgres153, {}});
  ASSERT_TRUE(old) << old.error().message();
  auto options = hunt_options(1, 4000);
  const auto result = hunt_at(*old, "serializable", options);
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->findings.size(), 1U) << told(result->counts);
  const hunt::Finding& finding = result->findings.front();
  EXPECT_EQ(finding.test.transactions.size(), 2U) << told({finding});
  EXPECT_EQ(finding.test.schema.tables.size(), 1U) << told({finding});
  EXPECT_NE(told({finding}).find("merge into"), std::string::npos) << told({finding});

  const auto level = db::level_named(*old->database, "serializable");
  ASSERT_TRUE(level);
  const auto again = hunt::replay(*old->database, **level, finding, {});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->what, hunt::ReplayOutcome::What::kSeen);

  auto mended = Hunted::start({"postgres", "", {}});
  ASSERT_TRUE(mended) << mended.error().message();
  const auto mended_level = db::level_named(*mended->database, "serializable");
  ASSERT_TRUE(mended_level);
  const auto there = hunt::replay(*mended->database, **mended_level, finding, {});
  ASSERT_TRUE(there) << there.error().message();
  EXPECT_NE(there->what, hunt::ReplayOutcome::What::kSeen);
}

TEST(HuntLive, TheSameSeedGivesTheSameCasesAndVerdictsTwice) {
  for (const auto& [kind, level] : std::vector<std::pair<const char*, const char*>>{{"postgres", "serializable"},
                                                                                    {"postgres", "read committed"},
                                                                                    {"mariadb", "serializable"},
                                                                                    {"mariadb", "read committed"}}) {
    auto hunted = Hunted::start({kind, "", {}});
    ASSERT_TRUE(hunted) << hunted.error().message();
    std::string first;
    for (int i = 0; i < 2; ++i) {
      const auto result = hunt_at(*hunted, level, hunt_options(23, 100));
      ASSERT_TRUE(result) << result.error().message();
      const std::string all = told(result->counts) + "\n" + told(result->findings);
      if (i == 0) {
        first = all;
      } else {
        EXPECT_EQ(all, first) << kind << " at " << level;
      }
    }
  }
}

// A dirty read on a server, where others hold locks meanwhile.
TEST(HuntLive, ADirtyReadPlantedInPostgresIsFound) {
  auto hunted = Hunted::start({"postgres", "", {}});
  ASSERT_TRUE(hunted) << hunted.error().message();
  FaultyDatabase faulty(std::move(hunted->database), {Fault::kDirtyRead, " group by "});
  const auto level = db::level_named(faulty, "read committed");
  ASSERT_TRUE(level);
  const auto result = hunt::hunt(faulty, **level, hunt_options(1, 1000), hunted->on(), {});
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->findings.size(), 1U) << told(result->counts);
  EXPECT_EQ(result->findings.front().wrong, hunt::Wrong::kResult) << told(result->findings);
}

// The server is killed in the middle: it comes back, and no crash of ours is told as one of its own.
TEST(HuntLive, AServerThatIsKilledComesBackAndTheHuntGoesOn) {
  auto hunted = Hunted::start({"postgres", "", {}});
  ASSERT_TRUE(hunted) << hunted.error().message();
  const auto level = db::level_named(*hunted->database, "read committed");
  ASSERT_TRUE(level);
  bool killed = false;
  const hunt::HuntSink sink = {.progress =
                                   [&](const hunt::HuntCounts& counts) {
                                     if (counts.cases != 10 || killed) return;
                                     killed = true;
                                     (void)hunted->server->stop(db::Stop::kCrash);
                                   },
                               .found = nullptr};
  const auto result = hunt::hunt(*hunted->database, **level, hunt_options(1, 30), hunted->on(), sink);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->counts.restarts, 1U);
  EXPECT_EQ(told(result->findings), "");
  EXPECT_GE(result->counts.cases, 29U);
}

}  // namespace
}  // namespace isolde::test
