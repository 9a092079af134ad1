#include "audit/confirm/wording.h"

#include <gtest/gtest.h>

#include "audit/confirm/play.h"
#include "tests/support/small_story.h"

namespace isolde::audit {
namespace wording_test {

constexpr const char* kSchema =
    "create table Cart (id int primary key auto_increment, owner varchar(20), total int);"
    "create table opt (name varchar(20) primary key, value varchar(90), hits int);";

std::string said(SqlDialect dialect, const std::string& sql, db::Family server) {
  const auto story = testing::small_story(
      {.dialect = dialect, .schema = kSchema, .transactions = {{sql}}, .members = {0}, .order = "T1.1 C1"});
  const auto play = make_play(story.anomaly, story.classes, story.log);
  EXPECT_TRUE(play) << play.error().text;
  if (!play || play->members[0].lines.empty()) return "";
  return sql_text(*play, play->members[0].lines[0], {server, false});
}
std::string mysql_on(db::Family server, const std::string& sql) { return said(SqlDialect::kMysql, sql, server); }
std::string postgres_on(db::Family server, const std::string& sql) { return said(SqlDialect::kPostgres, sql, server); }

TEST(ConfirmWording, TablesAreSpelledAsTheScratchTablesAre) {
  EXPECT_EQ(mysql_on(db::Family::kMysql, "SELECT total FROM CART WHERE id = 5"),
            "SELECT total FROM `Cart` WHERE id = 5");
}

TEST(ConfirmWording, DatabasesInFrontOfTablesAreTakenOff) {
  EXPECT_EQ(mysql_on(db::Family::kMysql, "UPDATE shop.cart SET total = 1 WHERE id = 5"),
            "UPDATE `Cart` SET total = 1 WHERE id = 5");
  EXPECT_EQ(mysql_on(db::Family::kMysql, "DELETE FROM `shop`.`cart` WHERE `shop`.`cart`.`id` = 5"),
            "DELETE FROM `Cart` WHERE `Cart`.`id` = 5");
  EXPECT_EQ(postgres_on(db::Family::kMysql, "SELECT c.id FROM public.opt o, public.cart c"),
            "SELECT c.`id` FROM `opt` o, `Cart` c");
  EXPECT_EQ(postgres_on(db::Family::kPostgres, "INSERT INTO public.opt (name) VALUES ('a')").find("public"),
            std::string::npos);
}

TEST(ConfirmWording, NoTargetOfAWriteKeepsItsDatabase) {
  EXPECT_EQ(mysql_on(db::Family::kMysql, "INSERT shop.cart (total) VALUES (1)"), "INSERT `Cart`(total) VALUES(1)");
  EXPECT_EQ(mysql_on(db::Family::kMysql, "REPLACE shop.opt (name) VALUES ('a')"), "REPLACE `opt`(name) VALUES('a')");
  EXPECT_EQ(postgres_on(db::Family::kMysql, "UPDATE main.public.opt SET hits = 1"), "UPDATE `opt` SET `hits` = 1");
}

TEST(ConfirmWording, ATableThatMayBeElsewhereIsNoticed) {
  const auto elsewhere = [](const std::string& sql) {
    const auto story =
        testing::small_story({.schema = kSchema, .transactions = {{sql}}, .members = {0}, .order = "T1.1 C1"});
    const auto play = make_play(story.anomaly, story.classes, story.log);
    return play && names_another_place(*play, play->members[0].lines[0]);
  };
  EXPECT_TRUE(elsewhere("SELECT 1 FROM opt o, main.shop.cart c"));
  EXPECT_FALSE(elsewhere("SELECT o.name, cart.id FROM opt o, shop.cart WHERE cart.id = 1"));
}

TEST(ConfirmWording, NumbersAreTextsWhereTheColumnIs) {
  EXPECT_NE(mysql_on(db::Family::kPostgres, "SELECT value FROM opt WHERE name = 5").find("'5'"), std::string::npos);
}

TEST(ConfirmWording, AMysqlUpsertGetsItsKeyOnPostgresql) {
  const std::string sql = mysql_on(
      db::Family::kPostgres,
      "INSERT INTO opt (name, value) VALUES ('a', 'b') ON DUPLICATE KEY UPDATE value = VALUES(value), hits = hits + 1");
  EXPECT_NE(sql.find("ON CONFLICT (\"name\") DO UPDATE SET"), std::string::npos) << sql;
  EXPECT_NE(sql.find("\"opt\".hits + 1"), std::string::npos) << sql;
}

TEST(ConfirmWording, ReplaceOverwritesOnPostgresql) {
  const std::string sql = mysql_on(db::Family::kPostgres, "REPLACE INTO opt (name, value) VALUES ('a', 'b')");
  EXPECT_NE(sql.find("ON CONFLICT (\"name\") DO UPDATE SET \"value\" = excluded.\"value\""), std::string::npos) << sql;
}

TEST(ConfirmWording, APostgresqlUpsertIsOneOfMysql) {
  EXPECT_EQ(postgres_on(db::Family::kMysql,
                        "INSERT INTO opt (name, hits) VALUES ('a', 1) ON CONFLICT (name) DO UPDATE SET hits = "
                        "EXCLUDED.hits"),
            "INSERT INTO `opt`(`name`, `hits`) VALUES('a', 1) ON DUPLICATE KEY UPDATE `hits` = VALUES(`hits`)");
  EXPECT_EQ(postgres_on(db::Family::kMysql, "INSERT INTO opt (name) VALUES ('a') ON CONFLICT DO NOTHING"),
            "INSERT IGNORE INTO `opt`(`name`) VALUES('a')");
}

TEST(ConfirmWording, CastsAndLocksOfPostgresqlAreMysqls) {
  EXPECT_EQ(postgres_on(db::Family::kMysql, "SELECT id::text FROM cart WHERE owner = 'a'::character varying FOR SHARE"),
            "SELECT `id` FROM `Cart` WHERE `owner` = 'a' LOCK IN SHARE MODE");
}

TEST(ConfirmWording, ANumberThatTheTableMakesIsItsDefault) {
  EXPECT_NE(mysql_on(db::Family::kPostgres, "INSERT INTO cart (id, total) VALUES (NULL, 3)").find("DEFAULT"),
            std::string::npos);
}

}  // namespace wording_test
}  // namespace isolde::audit
