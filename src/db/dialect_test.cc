#include "db/dialect.h"

#include <gtest/gtest.h>

#include "db/database.h"

namespace isolde::db {
namespace dialect_test {

std::unique_ptr<Database> opened(std::string_view url) {
  auto database = open_database(*parse_url(url));
  EXPECT_TRUE(database.has_value()) << url << ": " << database.error().message();
  return database ? *std::move(database) : nullptr;
}

TEST(Dialect, WritesConcatenationAndUpsertAsTheDatabaseWantsThem) {
  Dialect conflict, duplicate;
  conflict.concat = "{0} || {1}";
  duplicate.concat = "concat({0}, {1})";
  duplicate.upsert = Upsert::kOnDuplicateKey;
  EXPECT_EQ(concatenated(conflict, "v", "?"), "v || ?");
  EXPECT_EQ(concatenated(duplicate, "v", "'{}'"), "concat(v, '{}')");
  EXPECT_EQ(upsert_sql(conflict, "kv", "k", "v"),
            "insert into kv (k, v) values (?, ?) on conflict (k) do update set v = excluded.v");
  EXPECT_EQ(upsert_sql(duplicate, "kv", "k", "v"),
            "insert into kv (k, v) values (?, ?) on duplicate key update v = values(v)");
}

TEST(Database, OpensByScheme) {
  EXPECT_EQ(opened("sqlite:")->dialect().name, "sqlite");
  EXPECT_EQ(opened("mysql://h")->dialect().name, "mariadb");
  EXPECT_EQ(opened("tidb://h")->dialect().name, "tidb");
  Url other;
  other.scheme = "oracle";
  EXPECT_FALSE(open_database(other).has_value());
}

TEST(Database, RefusesOptionsItDoesNotKnowAndNamesThoseItHas) {
  for (const auto& [url, names] : {std::pair<std::string_view, std::string_view>{"sqlite:?cache=shared", "timeout"},
                                   {"sqlite:?timeout=soon", "soon"},
                                   {"sqlite:?timeout=-1", "-1"},
                                   {"sqlite::memory:", "scratch"},
                                   {"mariadb://h?cache=1", "innodb_snapshot_isolation"},
                                   {"mariadb://h?innodb_snapshot_isolation=maybe", "maybe"},
                                   {"mariadb://h?innodb_lock_wait_timeout=1;drop", "1;drop"},
                                   {"tidb://h?mode=hopeful", "pessimistic"},
                                   {"tidb://h?status_port=0", "status_port"},
                                   {"tidb://h?x=1", "mode"}}) {
    const auto database = open_database(*parse_url(url));
    ASSERT_FALSE(database.has_value()) << url;
    EXPECT_NE(database.error().text.find(names), std::string::npos) << database.error().text;
  }
}

TEST(Database, FindsALevelByItsOwnNameOrByWhatIsAskedOfIt) {
  const auto mariadb = opened("mariadb://h");
  const auto name = [](const Database& database, std::string_view asked) {
    const auto level = level_named(database, asked);
    return level ? std::string((*level)->name) : level.error().text;
  };
  EXPECT_EQ(name(*mariadb, "REPEATABLE-READ"), "repeatable read");
  EXPECT_EQ(name(*mariadb, "rc"), "read committed");
  EXPECT_EQ(name(*mariadb, "ser"), "serializable");
  EXPECT_EQ(name(*mariadb, "snapshot-isolation"), "serializable");
  EXPECT_NE(name(*mariadb, "strict-serializable").find("no level"), std::string::npos);
  EXPECT_NE(name(*mariadb, "chaos").find("\"read committed\""), std::string::npos) << "lists what there is";
  const auto sqlite = opened("sqlite:");
  EXPECT_EQ(name(*sqlite, "serializable"), "wal deferred") << "the default of those that claim it";
  EXPECT_EQ(name(*sqlite, "read-uncommitted"), "shared-cache read_uncommitted deferred") << "the weakest";
  const auto tidb = opened("tidb://h");
  EXPECT_EQ(name(*tidb, "si"), "repeatable read");
  EXPECT_NE(name(*tidb, "serializable").find("no level"), std::string::npos);
}

TEST(Database, EveryDriverHasOneDefaultLevel) {
  for (const std::string_view url :
       {"sqlite:", "mariadb://h", "mariadb://h?innodb_snapshot_isolation=on", "tidb://h", "tidb://h?mode=optimistic"}) {
    int defaults = 0;
    const auto database = opened(url);
    for (const ServerLevel& level : database->levels()) defaults += level.is_default ? 1 : 0;
    EXPECT_EQ(defaults, 1) << url;
  }
}

}  // namespace dialect_test
}  // namespace isolde::db
