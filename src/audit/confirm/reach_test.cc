#include "audit/confirm/reach.h"

#include <gtest/gtest.h>

#include "tests/support/small_story.h"

namespace isolde::audit {
namespace reach_test {

constexpr const char* kSchema = "create table cart (id int primary key auto_increment, owner varchar(20), total int);";

std::string reach_of(SqlDialect dialect, const std::string& sql) {
  const auto story = testing::small_story(
      {.dialect = dialect, .schema = kSchema, .transactions = {{sql}}, .members = {0}, .order = "T1.1 C1"});
  const auto play = make_play(story.anomaly, story.classes, story.log);
  if (!play || play->members[0].lines.empty()) return "no line";
  return why_not_sent(*play, play->members[0].lines[0]);
}

TEST(ConfirmReach, WhatComputesOrReadsAClockIsSent) {
  for (const char* const sql :
       {"SELECT count(*), max(total) FROM cart WHERE id IN (1, 2) AND (owner = lower('A'))",
        "INSERT INTO cart (id, owner) VALUES (1, concat('a', 'b'))",
        "UPDATE cart SET total = coalesce(total, 0) + 1 WHERE id = 5 AND now() > '2024-01-01'",
        "SELECT CAST(total AS DECIMAL(10,2)) FROM cart WHERE EXISTS (SELECT 1 FROM cart c WHERE c.id = cart.id)"}) {
    EXPECT_EQ(reach_of(SqlDialect::kPostgres, sql), "") << sql;
    EXPECT_EQ(reach_of(SqlDialect::kMysql, sql), "") << sql;
  }
  EXPECT_EQ(reach_of(SqlDialect::kMysql, "INSERT INTO `cart`(`id`) VALUES (1) ON DUPLICATE KEY UPDATE id = VALUES(id)"),
            "");
  EXPECT_EQ(reach_of(SqlDialect::kPostgres, "INSERT INTO public.cart (id) VALUES (1) ON CONFLICT (id) DO NOTHING"), "");
}

TEST(ConfirmReach, WhatReachesOutIsNot) {
  const auto calls = [](std::string_view function) {
    return std::string("it calls ") + std::string(function) +
           "(), which is not among the functions that are run from a trace";
  };
  const auto on_postgres = [](const std::string& sql) { return reach_of(SqlDialect::kPostgres, sql); };
  const auto on_mysql = [](const std::string& sql) { return reach_of(SqlDialect::kMysql, sql); };
  EXPECT_EQ(on_postgres("SELECT total, set_config('search_path', 'public', false) FROM cart"), calls("set_config"));
  EXPECT_EQ(on_postgres("SELECT total, \"set_config\"('search_path', 'public', false) FROM cart"), calls("set_config"));
  EXPECT_EQ(on_postgres("SELECT total, pg_catalog . /* */ SET_CONFIG ('a', 'b', false) FROM cart"),
            calls("set_config"));
  EXPECT_EQ(on_postgres("UPDATE cart SET total = 1 WHERE id = 5 RETURNING pg_read_file('x')"), calls("pg_read_file"));
  EXPECT_EQ(on_postgres("SELECT \"in\"(total) FROM cart"), calls("in")) << "a quoted name is no word of SQL";
  EXPECT_EQ(on_postgres("SELECT total, other.lower('a') FROM cart"), calls("lower")) << "another schema's";
  EXPECT_EQ(on_mysql("SELECT total, load_file('/etc/passwd') FROM cart"), calls("load_file"));
  EXPECT_EQ(on_mysql("SELECT total /*!50000 , sleep(100) */ FROM cart"), calls("sleep"));
  EXPECT_EQ(on_mysql("SELECT total FROM cart INTO OUTFILE '/tmp/x'"), "it writes a file");
}

}  // namespace reach_test
}  // namespace isolde::audit
