// tests/live/postgres_shadow_test.cc: version sets by a shadow transaction on a real PostgreSQL.
#include <gtest/gtest.h>

#include "db/server.h"
#include "record/shadow.h"
#include "tests/live/shared_server.h"

namespace isolde::record {
namespace postgres_shadow_test {

const TracedTable kTables[] = {
    {.name = "t", .key_columns = {"k"}, .value_columns = {"v"}, .bare_key = true},
    {.name = "pairs", .key_columns = {"a", "b"}, .value_columns = {"x", "y"}, .style = ValueStyle::kRow}};

std::string text(const Result<std::string>& set) { return set ? *set : set.error().message(); }

TEST(PostgresShadow, AVersionSetIsTheClientsSnapshotUntilItWrites) {
  const db::Server* const server = test::shared_server({"postgres", "", {}});
  ASSERT_TRUE(server);
  auto database = *db::open_database(*db::parse_url(server->url()));
  const auto connect = [&](std::string_view level) { return *database->connect(**db::level_named(*database, level)); };
  auto other = connect("read committed");
  ASSERT_TRUE(other->run("drop table if exists t, pairs")->done());
  ASSERT_TRUE(other
                  ->run("create table t (k bigint primary key, v bigint); insert into t values (1, 10); "
                        "create table pairs (a int, b text, x bigint, y text, primary key (a, b)); "
                        "insert into pairs values (1, 'q', 5, null)")
                  ->done());
  ShadowReader shadow(*database, kTables);
  constexpr std::string_view kFirst = R"([[1,10],["pairs/1/q",{"x":5,"y":null}]])";
  for (const std::string_view level : {"repeatable read", "serializable"}) {
    auto client = connect(level);
    ASSERT_TRUE(client->begin()->done());
    ASSERT_TRUE(client->run("select 1 from t")->done());
    ASSERT_TRUE(other->run("update t set v = 11; insert into t values (2, 20)")->done());
    EXPECT_EQ(text(shadow.version_set(*client)), kFirst);
    EXPECT_EQ(text(shadow.version_set(*client)), kFirst);
    ASSERT_TRUE(client->run("insert into t values (3, 30)")->done());
    EXPECT_EQ(text(shadow.version_set(*client)), "");
    db::TxnFacts facts;
    ASSERT_TRUE(client->commit(&facts)->done());
    ASSERT_TRUE(other->run("delete from t where k > 1; update t set v = 10")->done());
  }
  // At read committed the next statement's snapshot is another one.
  auto client = connect("read committed");
  ASSERT_TRUE(client->begin()->done());
  EXPECT_EQ(text(shadow.version_set(*client)), "");
  client->sever();
  EXPECT_EQ(text(shadow.version_set(*client)), "");
}

}  // namespace postgres_shadow_test
}  // namespace isolde::record
