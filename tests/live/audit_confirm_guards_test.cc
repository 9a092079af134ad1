// Small applications that guard themselves, and their twins that do not: what is guarded is never confirmed, and what
// is not guarded is.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <span>

#include "audit/audit.h"
#include "db/server.h"
#include "db/url.h"
#include "tests/live/shared_server.h"

namespace isolde::audit {
namespace audit_confirm_guards_test {

struct Application {
  const char* ddl;
  std::vector<std::string> transactions;  // each in a session of its own
  bool guards_count = true;               // the audit heeds them, too; false: it reports what they prevent
};

class AuditGuards : public ::testing::TestWithParam<const char*> {
 protected:
  // "confirmed: …", a line for each of the first stories.
  std::string outcomes(const Application& application) {
    const std::string path = ::testing::TempDir() + "isolde_guards_" + std::to_string(::getpid()) + ".sql";
    {
      std::ofstream file(path);
      for (std::size_t i = 0; i < application.transactions.size(); ++i)
        file << "-- session " << i + 1 << "\n" << application.transactions[i] << "\n";
    }
    auto schema = read_schema_text(application.ddl, "schema.sql");
    EXPECT_TRUE(schema) << schema.error().message();
    AuditOptions options;
    options.graph.rechecks = application.guards_count;
    options.fixes = false;
    auto audit = audit_trace(path, *std::move(schema), {}, options);
    std::filesystem::remove(path);
    EXPECT_TRUE(audit) << audit.error().message();
    const db::Server* const server = test::shared_server({.kind = GetParam(), .binaries = {}, .settings = {}});
    if (!audit || server == nullptr) return "no server";
    auto database = db::open_database(*db::parse_url(server->url()));
    EXPECT_TRUE(database);
    constexpr std::size_t kMost = 4;
    const std::span<const Anomaly> all = (*audit)->anomalies;
    const auto results =
        confirm_all(all.first(std::min(kMost, all.size())), (*audit)->classes, (*audit)->log, **database, {});
    EXPECT_TRUE(results) << results.error().text;
    std::string text;
    for (const Confirmation& one : *results) {
      text += fmt::format("{}: {}\n", name(one.outcome()), one.at_level.why);
      for (const ConfirmedStep& step : one.at_level.steps)
        text += fmt::format("  T{}: {}  -- {}\n", step.member + 1, step.sql, step.answer);
    }
    return text;
  }
  void expect_confirmed(const Application& application) {
    const std::string text = outcomes(application);
    EXPECT_EQ(text.find("confirmed: "), 0U) << text;
  }
  // Something was told, so that there was something to deny.
  void expect_denied(const Application& application) {
    const std::string text = outcomes(application);
    EXPECT_EQ(text.find("impossible: "), 0U) << text;
    EXPECT_EQ(("\n" + text).find("\nconfirmed: "), std::string::npos) << text;
  }
  void expect_never_confirmed(const Application& application) {
    const std::string text = "\n" + outcomes(application);
    EXPECT_EQ(text.find("\nconfirmed: "), std::string::npos) << text;
  }
};

constexpr const char* kItems =
    "CREATE TABLE item (id int PRIMARY KEY, stock int, version int, updated_at timestamp, status varchar(20));";

TEST_P(AuditGuards, AReadAndAWriteLoseAnUpdate) {
  expect_confirmed(
      {kItems, {"BEGIN; SELECT stock FROM item WHERE id = 2; UPDATE item SET stock = 35 WHERE id = 2; COMMIT;"}});
}

TEST_P(AuditGuards, ALockOnWhatIsReadPreventsIt) {
  expect_never_confirmed(
      {kItems,
       {"BEGIN; SELECT stock FROM item WHERE id = 2 FOR UPDATE; UPDATE item SET stock = 35 WHERE id = 2; COMMIT;"}});
}

TEST_P(AuditGuards, AVersionThatIsAskedForAgainPreventsIt) {
  expect_denied({kItems,
                 {"BEGIN; SELECT stock, version FROM item WHERE id = 2; "
                  "UPDATE item SET stock = 35, version = 4 WHERE id = 2 AND version = 3; COMMIT;"},
                 false});
}

TEST_P(AuditGuards, ATimestampThatIsAskedForAgainPreventsIt) {
  expect_denied({kItems,
                 {"BEGIN; SELECT stock, updated_at FROM item WHERE id = 2; UPDATE item SET stock = 35, "
                  "updated_at = '2024-05-06 07:09:00' WHERE id = 2 AND updated_at = '2024-05-06 07:08:00'; COMMIT;"},
                 false});
}

TEST_P(AuditGuards, AStatusThatIsComparedAndSetPreventsIt) {
  expect_denied({kItems,
                 {"BEGIN; SELECT status FROM item WHERE id = 2; "
                  "UPDATE item SET status = 'paid' WHERE id = 2 AND status = 'open'; COMMIT;"},
                 false});
}

TEST_P(AuditGuards, TwoThatFindARoomFreeBookItTwice) {
  expect_confirmed(
      {"CREATE TABLE slot (id serial PRIMARY KEY, room int, hour int);",
       {"BEGIN; SELECT id FROM slot WHERE room = 3 AND hour = 9; INSERT INTO slot (room, hour) VALUES (3, 9); "
        "COMMIT;"}});
}

TEST_P(AuditGuards, AUniqueKeyTurnsTheSecondBookingAway) {
  expect_never_confirmed(
      {"CREATE TABLE slot (id serial PRIMARY KEY, room int, hour int, UNIQUE (room, hour));",
       {"BEGIN; SELECT id FROM slot WHERE room = 3 AND hour = 9; INSERT INTO slot (room, hour) VALUES "
        "(3, 9); COMMIT;"}});
}

constexpr const char* kOrders =
    "CREATE TABLE customer (id int PRIMARY KEY, name varchar(20));"
    "CREATE TABLE orders (id serial PRIMARY KEY, customer_id int);";

TEST_P(AuditGuards, AnOrderOfACustomerWhoIsDeletedIsLeft) {
  expect_confirmed(
      {kOrders,
       {"BEGIN; SELECT name FROM customer WHERE id = 5; INSERT INTO orders (customer_id) VALUES (5); COMMIT;",
        "BEGIN; SELECT count(*) FROM orders WHERE customer_id = 5; DELETE FROM customer WHERE id = 5; COMMIT;"}});
}

TEST_P(AuditGuards, AForeignKeyDoesNotLetItBeLeft) {
  expect_never_confirmed(
      {"CREATE TABLE customer (id int PRIMARY KEY, name varchar(20));"
       "CREATE TABLE orders (id serial PRIMARY KEY, customer_id int REFERENCES customer (id));",
       {"BEGIN; SELECT name FROM customer WHERE id = 5; INSERT INTO orders (customer_id) VALUES (5); COMMIT;",
        "BEGIN; SELECT count(*) FROM orders WHERE customer_id = 5; DELETE FROM customer WHERE id = 5; COMMIT;"}});
}

constexpr const char* kEvents =
    "CREATE TABLE event (id int PRIMARY KEY, seen int); CREATE TABLE account (id int PRIMARY KEY, balance int);";

TEST_P(AuditGuards, AnEventThatIsNotedTwiceIsNotKnownToBeHeeded) {
  expect_never_confirmed({kEvents,
                          {"BEGIN; SELECT seen FROM event WHERE id = 7; INSERT INTO event (id, seen) VALUES (7, 1) ON "
                           "CONFLICT DO NOTHING; UPDATE account SET balance = balance + 10 WHERE id = 1; COMMIT;"}});
}

TEST_P(AuditGuards, TwoEventsOfOneAccountLoseAnUpdate) {
  expect_confirmed({kEvents,
                    {"BEGIN; SELECT balance FROM account WHERE id = 1; INSERT INTO event (id, seen) VALUES (7, 1) ON "
                     "CONFLICT DO NOTHING; UPDATE account SET balance = 30 WHERE id = 1; COMMIT;"}});
}

TEST_P(AuditGuards, AQueueThatSkipsLockedRowsHandsOutEachRowOnce) {
  expect_never_confirmed({"CREATE TABLE job (id int PRIMARY KEY, state varchar(9), worker int);",
                          {"BEGIN; SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED; "
                           "UPDATE job SET state = 'run', worker = 4 WHERE id = 12; COMMIT;"}});
}

TEST_P(AuditGuards, AQueueWithoutLocksHandsOutARowTwice) {
  expect_confirmed({"CREATE TABLE job (id int PRIMARY KEY, state varchar(9), worker int);",
                    {"BEGIN; SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1; "
                     "UPDATE job SET state = 'run', worker = 4 WHERE id = 12; COMMIT;"}});
}

TEST_P(AuditGuards, AnAdvisoryLockOfAnotherKeyProtectsNothing) {
  expect_confirmed({kItems,
                    {"BEGIN; SELECT pg_advisory_xact_lock(71); SELECT stock FROM item WHERE id = 2; "
                     "UPDATE item SET stock = 35 WHERE id = 2; COMMIT;",
                     "BEGIN; SELECT pg_advisory_xact_lock(72); SELECT stock FROM item WHERE id = 2; "
                     "UPDATE item SET stock = 45 WHERE id = 2; COMMIT;"}});
}

TEST_P(AuditGuards, AnAdvisoryLockOfOneKeyProtects) {
  expect_never_confirmed({kItems,
                          {"BEGIN; SELECT pg_advisory_xact_lock(71); SELECT stock FROM item WHERE id = 2; "
                           "UPDATE item SET stock = 35 WHERE id = 2; COMMIT;"}});
}

TEST_P(AuditGuards, ALockThatIsOnlyTriedForIsNotTakenForNone) {
  expect_never_confirmed({kItems,
                          {"BEGIN; SELECT pg_try_advisory_xact_lock(71); SELECT stock FROM item WHERE id = 2; "
                           "UPDATE item SET stock = 35 WHERE id = 2; COMMIT;"}});
}

TEST_P(AuditGuards, TextsThatAreDataMayDiffer) {
  // All lines of the customer become the session's; another session of the customer adds a line meanwhile. With one
  // session alone nothing would be seen.
  const std::string text =
      "\n" +
      outcomes({"CREATE TABLE cart (id serial PRIMARY KEY, customer int, session varchar(40));",
                {"BEGIN; SELECT count(*) FROM cart WHERE customer = 1 AND session = 'mvqpkhrcuc3ae8jf0plv'; COMMIT;",
                 "BEGIN; INSERT INTO cart (customer, session) VALUES (1, 'mvqpkhrcuc3ae8jf0plv'); COMMIT;",
                 "BEGIN; UPDATE cart SET session = 'mvqpkhrcuc3ae8jf0plv' WHERE customer = 1; COMMIT;"}});
  EXPECT_NE(text.find("\nconfirmed: "), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Servers, AuditGuards, ::testing::Values("postgres", "mariadb"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace audit_confirm_guards_test
}  // namespace isolde::audit
