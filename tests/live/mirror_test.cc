// tests/live/mirror_test.cc: real servers under real contention, mirrored by the profile of each level: no alarm; and
// by one that is too strong: alarms, each of which another engine confirms.
#include "check/mirror/mirror.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "db/server.h"
#include "tests/live/shared_server.h"
#include "tests/support/confirm.h"
#include "tests/support/effort.h"
#include "tests/support/mirrored.h"
#include "tests/support/recorded_run.h"

namespace isolde::record {
namespace mirror_test {

struct Case {
  std::string name, kind, profiles;
  std::map<std::string, std::string> settings;
};

class MirrorOf : public ::testing::TestWithParam<Case> {};

TEST_P(MirrorOf, AServerThatKeepsItsPromisesReportsNothing) {
  const Case& given = GetParam();
  const db::Server* const server = test::shared_server({given.kind, "", given.settings});
  ASSERT_TRUE(server);
  for (const std::string level : {"read uncommitted", "read committed", "repeatable read", "serializable"}) {
    std::string profile = given.profiles + ":" + level;
    std::replace(profile.begin(), profile.end(), ' ', '-');
    // All four everywhere, and for a minute each: bench/watch_live.sh.
    for (const std::string_view workload : {"smallbank", "ycsb-a", "blindw-rw+", "tpcc"}) {
      if (workload == "tpcc" && level != "repeatable read") continue;
      const auto run = record_on(place(server->url(), level), workload, {}, transactions(effort::size(500), 16));
      ASSERT_TRUE(run);
      const auto violations = mirrored(run->history, profile);
      EXPECT_TRUE(violations.empty()) << workload << " at " << level << ": " << violations.size() << " alarms, e.g. "
                                      << violations.front().text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Servers, MirrorOf,
                         ::testing::Values(Case{"postgres", "postgres", "postgres", {}},
                                           Case{"mariadb", "mariadb", "mariadb", {}},
                                           Case{"mariadb_with_snapshot_isolation",
                                                "mariadb",
                                                "mariadb-si",
                                                {{"innodb_snapshot_isolation", "ON"}}}),
                         [](const auto& given) { return given.param.name; });

TEST(Mirror, WhatBreaksAProfileThatIsTooStrongIsConfirmedByAnotherEngine) {
  const db::Server* const server = test::shared_server({"mariadb", "", {}});
  ASSERT_TRUE(server);
  for (const std::string_view workload : {"smallbank", "ycsb-a"}) {
    const auto run = record_on(place(server->url(), "repeatable read"), workload, {}, transactions(2'000, 16));
    ASSERT_TRUE(run);
    const auto violations = mirrored(run->history, "mariadb-si:repeatable-read");
    EXPECT_FALSE(violations.empty()) << workload;
    const Confirmer confirmer(run->history);
    for (const OnlineViolation& violation : violations) {
      ASSERT_EQ(confirmer.against_snapshot_isolation(violation), "") << workload;
    }
    RecordProperty(std::string(workload), static_cast<int>(violations.size()));
  }
}

}  // namespace mirror_test
}  // namespace isolde::record
