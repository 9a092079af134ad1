#include "hunt/server_facts.h"

#include <gtest/gtest.h>

namespace isolde::hunt {
namespace server_facts_test {

using Settings = std::map<std::string, std::string>;
constexpr const char* kOn = "MariaDB 10.11.19, innodb_snapshot_isolation=ON";
constexpr const char* kOff = "MariaDB 10.11.19, innodb_snapshot_isolation=OFF";

TEST(ServerFacts, SettingsThatDecideWhatALevelMeansAreRead) {
  EXPECT_EQ(isolation_settings("mariadb", kOn), (Settings{{"innodb_snapshot_isolation", "ON"}}));
  EXPECT_EQ(isolation_settings("mariadb", kOff), (Settings{{"innodb_snapshot_isolation", "OFF"}}));
  EXPECT_EQ(isolation_settings("mariadb", "MariaDB 10.6.1"), (Settings{{"innodb_snapshot_isolation", "OFF"}}));
  EXPECT_EQ(isolation_settings("mariadb", "MariaDB"), Settings{}) << "it states nothing";
  EXPECT_EQ(isolation_settings("postgres", "PostgreSQL 15.3, fsync=off"), Settings{}) << "that is for crashes";
}

// What stands there is put into SQL.
TEST(ServerFacts, AValueOfAFileIsOneOfThoseThatAreKnown) {
  EXPECT_EQ(isolation_settings("mariadb", "MariaDB 10.11.19, innodb_snapshot_isolation=1; drop table users"),
            (Settings{{"innodb_snapshot_isolation", "OFF"}}));
  EXPECT_EQ(isolation_settings("mariadb", "MariaDB 10.11.19, plugin_load=evil.so"),
            (Settings{{"innodb_snapshot_isolation", "OFF"}}));
}

TEST(ServerFacts, OtherSettingsAreSaid) {
  EXPECT_EQ(why_other_settings("mariadb", kOn, kOn), "");
  EXPECT_EQ(why_other_settings("mariadb", kOff, "MariaDB 10.6.1"), "");
  EXPECT_EQ(why_other_settings("mariadb", kOn, kOff),
            "it was found with innodb_snapshot_isolation=ON, and here it is OFF");
  EXPECT_EQ(why_other_settings("mariadb", kOn, "MariaDB 10.6.1"),
            "it was found with innodb_snapshot_isolation=ON, a setting that this server does not have");
  EXPECT_EQ(settings_to_change("mariadb", kOn, kOff), (Settings{{"innodb_snapshot_isolation", "ON"}}));
  EXPECT_EQ(why_other_settings("postgres", "PostgreSQL 15.3, fsync=off", "PostgreSQL 15.3"), "");
}

TEST(ServerFacts, AnotherMajorVersionIsSaid) {
  EXPECT_EQ(other_version("PostgreSQL 15.3", "PostgreSQL 15.20, fsync=off"), "");
  EXPECT_EQ(other_version("PostgreSQL 15.3", "PostgreSQL 16.1"),
            "it was found on PostgreSQL 15, and this is PostgreSQL 16");
  EXPECT_EQ(other_version(kOn, "MariaDB 10.11.6"), "");
  EXPECT_EQ(other_version(kOn, "MariaDB 11.4.2"), "it was found on MariaDB 10.11, and this is MariaDB 11.4");
  EXPECT_EQ(other_version("MySQL 8.0.30", "MariaDB 10.11.6"), "it was found on MySQL 8.0, and this is MariaDB 10.11");
  EXPECT_EQ(other_version("SQLite 3.40.1", "SQLite 3.45.0"), "");
  EXPECT_EQ(other_version("", "PostgreSQL 16.1"), "");
  EXPECT_EQ(other_version("somebody's", "PostgreSQL 16.1"), "");
}

}  // namespace server_facts_test
}  // namespace isolde::hunt
