// Anomalies written by hand, run on real servers.
#include <gtest/gtest.h>

#include "audit/confirm/confirm.h"
#include "db/server.h"
#include "db/url.h"
#include "tests/live/shared_server.h"
#include "tests/support/small_story.h"

namespace isolde::audit {
namespace audit_confirm_test {

using testing::small_story;
using testing::SmallStory;
using testing::StoryText;

const db::Server* server_of(const std::string& kind) {
  return test::shared_server({.kind = kind, .binaries = {}, .settings = {}});
}
std::string url_of(const std::string& kind) {
  const db::Server* const server = server_of(kind);
  return server == nullptr ? "" : server->url();
}

std::unique_ptr<db::Database> database_of(const std::string& kind) {
  auto url = db::parse_url(url_of(kind));
  EXPECT_TRUE(url);
  if (!url) return nullptr;
  auto database = db::open_database(*url);
  EXPECT_TRUE(database);
  return database ? *std::move(database) : nullptr;
}

std::string text_of(const Run& run) {
  std::string text = run.level + ": " + run.why + "\n";
  for (const ConfirmedStep& step : run.steps)
    text += "  T" + std::to_string(step.member + 1) + ": " + step.sql + "  -- " + step.answer + "\n";
  return text;
}

std::string text_of(const Confirmation& c) {
  return c.server + "\n" + text_of(c.at_level) + text_of(c.at_serializable);
}

// Scratch schemas and databases that are left.
std::int64_t left_over(db::Database& database) {
  auto connection = database.connect(database.levels().front());
  if (!connection) return -1;
  const auto reply =
      (*connection)->run("select count(*) from information_schema.schemata where schema_name like 'isolde_audit%'");
  if (!reply || reply->rows() != 1) return -1;
  const auto* const n = std::get_if<std::int64_t>(&reply->at(0, 0));
  return n == nullptr ? -1 : *n;
}

class AuditConfirm : public ::testing::TestWithParam<std::string> {
 protected:
  Confirmation run(const StoryText& text, WeakLevel level) {
    const SmallStory story = small_story(text);
    auto database = database_of(GetParam());
    if (!database) return {};
    ConfirmOptions options;
    options.level = level;
    auto result = confirm(story.anomaly, story.classes, story.log, *database, options);
    EXPECT_TRUE(result) << result.error().text;
    EXPECT_EQ(left_over(*database), 0);
    return result ? *std::move(result) : Confirmation{};
  }
};

StoryText lost_update() {
  return {.schema = "create table cart (id int primary key, total int)",
          .transactions = {{"SELECT total FROM cart WHERE id = 3", "UPDATE cart SET total = 17 WHERE id = 3"}},
          .members = {0, 0},
          .order = "T1.1 T2.1 T1.2 C1 T2.2 C2",
          .edges = {"T1.1 T2.2 cart.total", "T2.1 T1.2 cart.total"}};
}

TEST_P(AuditConfirm, ALostUpdateHappensAtReadCommittedAndNotAtSerializable) {
  const Confirmation c = run(lost_update(), WeakLevel::kReadCommitted);
  EXPECT_TRUE(c.confirmed()) << text_of(c);
  EXPECT_NE(c.at_level.why.find("T2 would read total = 17"), std::string::npos) << text_of(c);
  EXPECT_EQ(c.at_level.level, "read committed");
}

TEST_P(AuditConfirm, SnapshotIsolationPreventsALostUpdate) {
  const Confirmation c = run(lost_update(), WeakLevel::kSnapshotIsolation);
  EXPECT_EQ(c.at_level.happened, Happened::kNo) << text_of(c);
  EXPECT_NE(c.at_level.why.find("refused"), std::string::npos) << text_of(c);
}

TEST_P(AuditConfirm, WhatHappensInNoOrderIsImpossible) {
  const Confirmation c = run(lost_update(), WeakLevel::kSnapshotIsolation);
  EXPECT_EQ(c.outcome(), Outcome::kImpossible) << text_of(c);
  EXPECT_GT(c.runs, 0U);
  EXPECT_EQ(c.runs + c.same_runs, c.orders * c.patterns_that_matter);
}

TEST_P(AuditConfirm, AnAnomalyByOtherDependenciesThanTheStorysDoesNotConfirmIt) {
  // Both lose an update of the total; nobody ever reads what the other wrote to the note.
  StoryText text = lost_update();
  text.schema = "create table cart (id int primary key, total int, note int)";
  text.transactions = {{"SELECT total, note FROM cart WHERE id = 3", "UPDATE cart SET total = 17 WHERE id = 3",
                        "UPDATE cart SET note = 5 WHERE id = 4", "SELECT note FROM cart WHERE id = 5"}};
  text.order = "T1.1 T2.1 T1.2 T1.3 T1.4 C1 T2.2 T2.3 T2.4 C2";
  text.edges = {"T1.1 T2.2 cart.total", "T2.3 T1.4 cart.note"};
  const Confirmation c = run(text, WeakLevel::kReadCommitted);
  EXPECT_FALSE(c.confirmed()) << text_of(c);
  EXPECT_NE(c.at_level.happened, Happened::kYes) << text_of(c);
}

TEST_P(AuditConfirm, StoriesThatRunAtTheSameTimeEndAsTheyDoAlone) {
  const SmallStory story = small_story(lost_update());
  const std::vector<Anomaly> stories(5, story.anomaly);
  auto database = database_of(GetParam());
  ASSERT_TRUE(database);
  ConfirmOptions options;
  options.threads = 3;
  const auto all = confirm_all(stories, story.classes, story.log, *database, options);
  ASSERT_TRUE(all) << all.error().text;
  ASSERT_EQ(all->size(), stories.size());
  for (const Confirmation& c : *all) EXPECT_TRUE(c.confirmed()) << text_of(c);
  EXPECT_EQ(left_over(*database), 0);
}

TEST_P(AuditConfirm, ARowThatIsDeletedAndInsertedAgainIsThereAtFirst) {
  const Confirmation c =
      run({.schema = "create table cart (id int primary key, total int); "
                     "create table item (id int primary key, cart_id int)",
           .transactions = {{"SELECT total FROM cart WHERE id = 3", "INSERT INTO item (id, cart_id) VALUES (8, 3)"},
                            {"DELETE FROM item WHERE id = 8", "UPDATE cart SET total = 5 WHERE id = 3"}},
           .members = {0, 1},
           .order = "T1.1 T2.1 T2.2 C2 T1.2 C1",
           .edges = {"T1.1 T2.2 cart.total", "T2.1 T1.2 item.id"}},
          WeakLevel::kReadCommitted);
  EXPECT_TRUE(c.confirmed()) << text_of(c);
}

TEST_P(AuditConfirm, ARowThatIsInsertedIsFoundByAJoin) {
  const Confirmation c =
      run({.schema = "create table coupon (id int primary key, code varchar(9)); "
                     "create table used (id int primary key auto_increment, cart_id int, coupon_id int)",
           .transactions = {{"SELECT code FROM used JOIN coupon ON coupon.id = used.coupon_id WHERE used.cart_id = 7",
                             "INSERT INTO used (cart_id, coupon_id) VALUES (7, 41)"}},
           .members = {0, 0},
           .order = "T1.1 T2.1 T1.2 T2.2 C1 C2",
           .edges = {"T1.1 T2.2 used.cart_id", "T2.1 T1.2 used.cart_id"}},
          WeakLevel::kReadCommitted);
  EXPECT_TRUE(c.confirmed()) << text_of(c);
}

TEST_P(AuditConfirm, AReadOfOneRowMissesAnInsertOnlyIfNoneIsThere) {
  const Confirmation c = run(
      {.schema = "create table slug (id int primary key auto_increment, name varchar(9))",
       .transactions = {{"SELECT id FROM slug WHERE name = 'pen' LIMIT 1", "INSERT INTO slug (name) VALUES ('pen')"}},
       .members = {0, 0},
       .order = "T1.1 T2.1 T1.2 T2.2 C1 C2",
       .edges = {"T1.1 T2.2 slug.name", "T2.1 T1.2 slug.name"}},
      WeakLevel::kReadCommitted);
  EXPECT_TRUE(c.confirmed()) << text_of(c);
}

TEST_P(AuditConfirm, ARowThatAReadDoesNotLookForIsNoAnomalyWhateverTheOrder) {
  const Confirmation c = run({.schema = "create table cart (id int primary key auto_increment, owner int, age int)",
                              .transactions = {{"SELECT count(*) FROM cart WHERE owner = 7 AND age > 100",
                                                "INSERT INTO cart (owner, age) VALUES (7, 1)"}},
                              .members = {0, 0},
                              .order = "T1.1 T2.1 T1.2 T2.2 C1 C2",
                              .edges = {"T1.1 T2.2 cart.owner", "T2.1 T1.2 cart.owner"}},
                             WeakLevel::kReadCommitted);
  EXPECT_EQ(c.outcome(), Outcome::kImpossible) << text_of(c);
}

TEST_P(AuditConfirm, WriteSkewHappensAtSnapshotIsolation) {
  const StoryText text = {
      .schema =
          "create table savings (custid bigint primary key, bal float); "
          "create table checking (custid bigint primary key, bal float);",
      .transactions = {{"SELECT bal FROM savings WHERE custid = 5", "SELECT bal FROM checking WHERE custid = 5",
                        "UPDATE savings SET bal = bal - 20 WHERE custid = 5"},
                       {"SELECT bal FROM savings WHERE custid = 5", "SELECT bal FROM checking WHERE custid = 5",
                        "UPDATE checking SET bal = bal - 10 WHERE custid = 5"}},
      .members = {0, 1},
      .order = "T1.1 T1.2 T2.1 T2.2 T1.3 T2.3 C1 C2",
      .edges = {"T1.2 T2.3 checking.bal", "T2.1 T1.3 savings.bal"}};
  const Confirmation c = run(text, WeakLevel::kSnapshotIsolation);
  EXPECT_TRUE(c.confirmed()) << text_of(c);
  EXPECT_NE(c.at_level.level.find("repeatable read"), std::string::npos);
}

TEST_P(AuditConfirm, ReadSkewHappensAtReadCommittedOnly) {
  const StoryText text = {
      .schema =
          "create table orders (id int primary key, total int); create table pay (id int primary key, amount int)",
      .transactions = {{"SELECT total FROM orders WHERE id = 1", "SELECT amount FROM pay WHERE id = 1"},
                       {"UPDATE orders SET total = 9 WHERE id = 1", "UPDATE pay SET amount = 9 WHERE id = 1"}},
      .members = {0, 1},
      .order = "T1.1 T2.1 T2.2 C2 T1.2 C1",
      .edges = {"T1.1 T2.1 orders.total", "T2.2 T1.2 pay.amount"}};
  const Confirmation c = run(text, WeakLevel::kReadCommitted);
  EXPECT_TRUE(c.confirmed()) << text_of(c);
  EXPECT_EQ(run(text, WeakLevel::kSnapshotIsolation).at_level.happened, Happened::kNo);
}

TEST_P(AuditConfirm, ACountAndAnInsertOfTwoTransactionsIsAPhantom) {
  const StoryText text = {
      .schema = "create table item (id int primary key auto_increment, cart_id int, sku varchar(20))",
      .transactions = {{"SELECT count(*) FROM item WHERE cart_id = 7",
                        "INSERT INTO item (cart_id, sku) VALUES (7, 'pen')"}},
      .members = {0, 0},
      .order = "T1.1 T2.1 T1.2 T2.2 C1 C2",
      .edges = {"T1.1 T2.2 item.cart_id", "T2.1 T1.2 item.cart_id"}};
  const Confirmation c = run(text, WeakLevel::kSnapshotIsolation);
  EXPECT_TRUE(c.confirmed()) << text_of(c);
}

TEST_P(AuditConfirm, AStatementThatTheServerDoesNotKnowIsNotRunAndSaysWhy) {
  StoryText text = lost_update();
  text.transactions[0][0] = "SELECT no_such_function(total) FROM cart WHERE id = 3";
  const Confirmation c = run(text, WeakLevel::kReadCommitted);
  EXPECT_EQ(c.at_level.happened, Happened::kNotRun);
  EXPECT_NE(c.at_level.why.find("no_such_function"), std::string::npos) << text_of(c);
  EXPECT_FALSE(c.confirmed());
}

TEST_P(AuditConfirm, AReadThatTheCycleDoesNotNeedIsLeftOutAndToldSo) {
  StoryText text = lost_update();
  text.transactions[0].insert(text.transactions[0].begin(), "SELECT no_such_function(total) FROM cart WHERE id = 3");
  text.order = "T1.1 T1.2 T2.1 T2.2 T1.3 C1 T2.3 C2";
  text.edges = {"T1.2 T2.3 cart.total", "T2.2 T1.3 cart.total"};
  const Confirmation c = run(text, WeakLevel::kReadCommitted);
  EXPECT_TRUE(c.confirmed()) << text_of(c);
  EXPECT_EQ(c.at_level.steps.back().answer.find("left out"), 0U) << text_of(c);
}

TEST_P(AuditConfirm, TablesOfTheApplicationAreNotTouched) {
  auto database = database_of(GetParam());
  ASSERT_TRUE(database);
  auto connection = database->connect(database->levels().front());
  ASSERT_TRUE(connection);
  const auto ask = [&](const std::string& sql) {
    const auto reply = (*connection)->run(sql);
    EXPECT_TRUE(reply && reply->done()) << sql;
    return reply && reply->rows() == 1 ? reply->at(0, 0) : db::Cell{};
  };
  ask("create table cart (id int primary key, total int)");
  ask("insert into cart values (3, 5)");
  const db::Cell place = ask(GetParam() == "postgres" ? "select current_schema()" : "select database()");
  const std::string name = std::get<std::string>(place);
  StoryText text = lost_update();
  text.transactions[0][1] = "UPDATE " + name + ".cart SET total = 17 WHERE id = 3";
  const Confirmation c = run(text, WeakLevel::kReadCommitted);
  EXPECT_TRUE(c.confirmed()) << text_of(c);
  EXPECT_EQ(ask("select total from cart where id = 3"), db::Cell(std::int64_t{5}));
  ask("drop table cart");
}

TEST_P(AuditConfirm, MysqlsRepeatableReadIsMariadbsAlone) {
  const Confirmation c = run(lost_update(), WeakLevel::kMysqlRepeatableRead);
  if (GetParam() == "mariadb") {
    EXPECT_TRUE(c.confirmed()) << text_of(c);
    EXPECT_EQ(c.at_level.level, "repeatable read, innodb_snapshot_isolation=OFF");
  } else {
    EXPECT_EQ(c.at_level.happened, Happened::kNotRun);
    EXPECT_NE(c.at_level.why.find("no level"), std::string::npos) << c.at_level.why;
  }
}

TEST_P(AuditConfirm, ClocksAndRandomNumbersAreNoAnomaly) {
  const Confirmation c = run({.schema = "create table visit (id int primary key, seen datetime, luck double)",
                              .transactions = {{"UPDATE visit SET seen = NOW(), luck = RAND() WHERE id = 1",
                                                "SELECT * FROM visit WHERE id = 1"},
                                               {"UPDATE visit SET seen = NOW(), luck = RAND() WHERE id = 2",
                                                "SELECT * FROM visit WHERE id = 2"}},
                              .members = {0, 1},
                              .order = "T1.1 T2.1 T1.2 T2.2 C1 C2",
                              .edges = {}},
                             WeakLevel::kReadCommitted);
  EXPECT_EQ(c.at_level.happened, Happened::kNo) << text_of(c);
}

TEST_P(AuditConfirm, NumbersThatTablesMakeAreNoAnomaly) {
  // Whoever inserts first would get the smaller number in one order and the greater in the other.
  const Confirmation c =
      run({.schema = "create table log (id int primary key auto_increment, what varchar(9))",
           .transactions = {{"INSERT INTO log (what) VALUES ('a')", "SELECT id FROM log WHERE what = 'a'"},
                            {"INSERT INTO log (what) VALUES ('b')", "SELECT id FROM log WHERE what = 'b'"}},
           .members = {0, 1},
           .order = "T1.1 T2.1 T2.2 C2 T1.2 C1",
           .edges = {}},
          WeakLevel::kReadCommitted);
  EXPECT_EQ(c.at_level.happened, Happened::kNo) << text_of(c);
}

TEST(AuditConfirmElsewhere, SqliteHasNoWeakLevelToTry) {
  const SmallStory story = small_story(lost_update());
  auto database = db::open_database(*db::parse_url("sqlite:"));
  ASSERT_TRUE(database);
  const auto c = confirm(story.anomaly, story.classes, story.log, **database, {});
  ASSERT_TRUE(c) << c.error().text;
  EXPECT_EQ(c->at_level.happened, Happened::kNotRun);
  EXPECT_NE(c->at_level.why.find("no weaker level"), std::string::npos) << c->at_level.why;
}

TEST(AuditConfirmElsewhere, AUserWithoutTheRightIsToldWhatIsMissing) {
  ASSERT_TRUE(server_of("mariadb"));
  const auto admin = db::open_database(*db::parse_url(server_of("mariadb")->superuser_url()));
  ASSERT_TRUE(admin);
  auto connection = (*admin)->connect((*admin)->levels().front());
  ASSERT_TRUE(connection);
  const auto made = (*connection)->run("create user 'visitor'@'%' identified by 'pw'");
  ASSERT_TRUE(made && made->done());
  auto url = *db::parse_url(url_of("mariadb"));
  url.user = "visitor";
  url.password = "pw";
  url.database = "information_schema";
  auto database = db::open_database(url);
  ASSERT_TRUE(database);
  const SmallStory story = small_story(lost_update());
  const auto c = confirm(story.anomaly, story.classes, story.log, **database, {});
  ASSERT_FALSE(c);
  EXPECT_NE(c.error().text.find("needs the right to create one"), std::string::npos) << c.error().text;
}

// A trace is somebody's text, and its statements are run with our rights: on a table of the user's own it must not
// work.
TEST_P(AuditConfirm, AStatementThatLeavesTheScratchPlaceIsRefused) {
  auto database = database_of(GetParam());
  ASSERT_TRUE(database);
  auto connection = database->connect(database->levels().front());
  ASSERT_TRUE(connection);
  const bool postgres = GetParam() == "postgres";
  const std::string real = postgres ? "public.cart" : "isolde_users_own.cart";
  const auto must = [&](const std::string& sql) {
    const auto reply = (*connection)->run(sql);
    ASSERT_TRUE(reply && reply->done()) << sql << ": " << (reply ? reply->failure.text : reply.error().text);
  };
  if (!postgres) must("create database if not exists isolde_users_own");
  must("drop table if exists " + real);
  must("create table " + real + " (id int primary key, total int)");
  must("insert into " + real + " values (3, 100)");
  const std::string leave = postgres ? "set_config('search_path', 'public', false)" : "load_file('/etc/hostname')";
  StoryText text = lost_update();
  for (const std::string& read :
       {"SELECT total, " + leave + " FROM cart WHERE id = 3",
        "SELECT total FROM cart WHERE id = 3 AND " + leave + " IS NOT NULL",
        std::string(postgres
                        ? "SELECT total, pg_catalog.set_config('search_path', 'public', false) FROM cart WHERE id = 3"
                        : "SELECT total FROM cart WHERE id = 3 AND sleep(0) = 0")}) {
    text.transactions[0][0] = read;
    const Confirmation c = run(text, WeakLevel::kReadCommitted);
    EXPECT_EQ(c.at_level.happened, Happened::kNotRun) << text_of(c);
    EXPECT_NE(c.at_level.why.find("which is not among the functions that are run from a trace (its statement 1: "),
              std::string::npos)
        << text_of(c);
    EXPECT_EQ(c.at_level.why.substr(0, 4), "T1: ");
  }
  const auto left = (*connection)->run("select total from " + real + " where id = 3");
  ASSERT_TRUE(left && left->rows() == 1);
  EXPECT_EQ(*std::get_if<std::int64_t>(&left->at(0, 0)), 100) << "the user's own row";
  must("drop table " + real);
  if (!postgres) must("drop database isolde_users_own");
}

INSTANTIATE_TEST_SUITE_P(Servers, AuditConfirm, ::testing::Values("postgres", "mariadb"),
                         [](const auto& of) { return of.param; });

}  // namespace audit_confirm_test
}  // namespace isolde::audit
