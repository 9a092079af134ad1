// tests/audit/facts_test.cc: what a trace shows to be always so takes false stories away; what it does not show takes
// none: each kind of fact with a trace that it holds in, and with one in which the anomaly is real.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "audit/render.h"
#include "audit/render_json.h"
#include "base/rng.h"
#include "tests/audit/audited.h"

namespace isolde::audit {
namespace facts_test {

// --- what a SELECT tells
// -----------------------------------------------------------------------------------------------

Statement understood(std::string_view sql) {
  const auto schema =
      read_schema_text("CREATE TABLE t (id int PRIMARY KEY, a int, b int); CREATE TABLE u (id int);", "s");
  EXPECT_TRUE(schema);
  return understand(sql, SqlDialect::kPostgres, *schema);
}

TEST(PlainLists, AreColumnsOfOneTableInAKnownOrder) {
  EXPECT_TRUE(understood("SELECT id, a FROM t WHERE b = 1 ORDER BY a").plain_list);
  EXPECT_EQ(understood("SELECT id, a FROM t WHERE b = 1 ORDER BY a").ordered_by.size(), 1U);
  EXPECT_TRUE(understood("SELECT * FROM t WHERE b = 1").plain_list);
  for (const std::string_view sql :
       {"SELECT id, sum(a) FROM t GROUP BY id", "SELECT DISTINCT a FROM t", "SELECT id, a + b FROM t",
        "SELECT a, id FROM t ORDER BY 1", "SELECT t.id FROM t, u WHERE t.id = u.id",
        "SELECT id FROM t WHERE a = (SELECT max(id) FROM u)", "SELECT id FROM t ORDER BY a LIMIT 5 OFFSET 3"}) {
    EXPECT_FALSE(understood(sql).plain_list) << sql;
  }
}

TEST(PlainLists, PickOneByLimitOneMinOrMax) {
  for (const std::string_view sql : {"SELECT id FROM t WHERE a = 1 ORDER BY id LIMIT 1",
                                     "SELECT min(id) FROM t WHERE a = 1", "SELECT max(id) FROM t"}) {
    EXPECT_TRUE(understood(sql).picks_one) << sql;
  }
  for (const std::string_view sql : {"SELECT id FROM t ORDER BY id LIMIT 2", "SELECT id FROM t",
                                     "SELECT sum(id) FROM t", "SELECT min(id), max(id) FROM t"}) {
    EXPECT_FALSE(understood(sql).picks_one) << sql;
  }
}

TEST(PlainLists, OneNumberIsACountOrASumOfAllRowsTogether) {
  for (const std::string_view sql : {"SELECT count(*) FROM t WHERE a = 1", "SELECT sum(id) AS n FROM t, u LIMIT 1",
                                     "SELECT coalesce(max(id), 0) FROM t", "SELECT avg(a)::int FROM t"}) {
    EXPECT_TRUE(understood(sql).one_number) << sql;
  }
  for (const std::string_view sql :
       {"SELECT a, count(*) FROM t GROUP BY a", "SELECT count(*) FROM t GROUP BY a", "SELECT count(*), max(a) FROM t",
        "SELECT a FROM t LIMIT 1", "SELECT count(*) OVER (ORDER BY a) FROM t", "SELECT lower('x') FROM t",
        "SELECT id FROM t WHERE a = (SELECT max(id) FROM u)"}) {
    EXPECT_FALSE(understood(sql).one_number) << sql;
  }
}

TEST(Assignments, WhatIsTakenFromAValueIsKnown) {
  const auto subtracts = [](std::string_view sql) {
    const Statement statement = understood(sql);
    return std::ranges::any_of(statement.accesses, [](const Access& access) { return access.subtracts; });
  };
  EXPECT_TRUE(subtracts("UPDATE t SET a = a - 5 WHERE id = 1"));
  EXPECT_TRUE(subtracts("UPDATE t SET b = 3, a = (t.a - 5) WHERE id = 1"));
  EXPECT_FALSE(subtracts("UPDATE t SET a = a + 5 WHERE id = 1"));
  EXPECT_FALSE(subtracts("UPDATE t SET a = b - 5 WHERE id = 1"));
}

TEST(Assignments, NegativeNumbersAreKnown) {
  const Statement statement = understood("UPDATE t SET a = -5, b = 7 WHERE id = 1");
  EXPECT_EQ(statement.assigned.size(), 1U);
  EXPECT_EQ(statement.assigned_negative.size(), 1U);
}

// --- equal values
// -----------------------------------------------------------------------------------------------------

constexpr std::string_view kThree =
    "CREATE TABLE a (aid int PRIMARY KEY, v int); CREATE TABLE b (bid int PRIMARY KEY, v int);"
    "CREATE TABLE c (cid int PRIMARY KEY, v int);";

// Two that read what the other changes, and both change a row of c. If that is always the row of the same number they
// never both commit.
std::string skew_with_common_write(int times) {
  std::string out;
  for (int i = 1; i <= times; ++i) {
    out += fmt::format(
        "-- session 1\nBEGIN; SELECT v FROM a WHERE aid = {0}; UPDATE b SET v = 1 WHERE bid = {1}; UPDATE c SET v = 2 "
        "WHERE cid = {0}; COMMIT;\n"
        "-- session 2\nBEGIN; SELECT v FROM b WHERE bid = {1}; UPDATE a SET v = 1 WHERE aid = {0}; UPDATE c SET v = 2 "
        "WHERE cid = {0}; COMMIT;\n",
        i, i + 1000);
  }
  return out;
}

TEST(EqualValues, TwoEqualPairsMayBeChanceAndHideNothing) {
  const auto few = audited(kThree, skew_with_common_write(2), WeakLevel::kSnapshotIsolation);
  EXPECT_EQ(few->finding(), Finding::kAnomalies) << audit_text(*few, {});
}

TEST(EqualValues, ManyWithoutExceptionAreOneValue) {
  const auto many = audited(kThree, skew_with_common_write(70), WeakLevel::kSnapshotIsolation);
  EXPECT_EQ(many->finding(), Finding::kNone) << audit_text(*many, {});
  const auto off =
      audited(kThree, skew_with_common_write(70), WeakLevel::kSnapshotIsolation, without(FactKind::kEqual));
  EXPECT_EQ(off->finding(), Finding::kAnomalies);
}

TEST(EqualValues, OneExceptionIsEnough) {
  const std::string exception =
      "-- session 1\nBEGIN; SELECT v FROM a WHERE aid = 7; UPDATE b SET v = 1 WHERE bid = 1007; UPDATE c SET v = 2 "
      "WHERE cid = 9; COMMIT;\n";
  const auto audit = audited(kThree, skew_with_common_write(70) + exception, WeakLevel::kSnapshotIsolation);
  EXPECT_EQ(audit->finding(), Finding::kAnomalies) << audit_text(*audit, {});
}

TEST(EqualValues, AForeignKeyIsAReasonAndFewerAreEnough) {
  const std::string_view ddl =
      "CREATE TABLE a (aid int PRIMARY KEY, v int); CREATE TABLE b (bid int PRIMARY KEY, v int);"
      "CREATE TABLE c (cid int PRIMARY KEY REFERENCES a (aid), v int);";
  const auto audit = audited(ddl, skew_with_common_write(8), WeakLevel::kSnapshotIsolation);
  EXPECT_EQ(audit->finding(), Finding::kNone) << audit_text(*audit, {});
}

// --- choices and rows that come together
// ------------------------------------------------------------------------------

constexpr std::string_view kShop =
    "CREATE TABLE orders (shop int, id int, customer int, state int, PRIMARY KEY (shop, id));"
    "CREATE TABLE line (shop int, order_id int, number int, price int, PRIMARY KEY (shop, order_id, number));"
    "CREATE TABLE total (shop int PRIMARY KEY, amount int);";

struct Lines {
  bool in_own_transaction = false;  // one in ten
};

// Orders with their lines, and invoices: the orders of a customer are looked for, and the lines of one of them.
std::string orders_and_invoices(int times, const Lines& lines) {
  std::string out;
  for (int i = 1; i <= times; ++i) {
    const int shop = i % 7 + 1;
    out +=
        fmt::format("-- session 1\nBEGIN; INSERT INTO orders (shop, id, customer, state) VALUES ({0}, {1}, {2}, 0);\n",
                    shop, 5000 + i, 100 + i % 13);
    if (lines.in_own_transaction && i % 10 == 0) out += "COMMIT; BEGIN;\n";
    out += fmt::format("INSERT INTO line (shop, order_id, number, price) VALUES ({0}, {1}, 1, 77); COMMIT;\n", shop,
                       5000 + i);
    out += fmt::format(
        "-- session 2\nBEGIN; SELECT id, state FROM orders WHERE shop = {0} AND customer = {2}; SELECT sum(price) FROM "
        "line WHERE shop = {0} AND order_id = {1}; UPDATE orders SET state = 1 WHERE shop = {0} AND id = {1}; "
        "COMMIT;\n",
        shop, 5000 + i, 100 + i % 13);
  }
  return out;
}

TEST(CoInserts, LinesThatComeWithTheirOrderAreNotMissedByWhoFoundTheOrder) {
  const auto audit = audited(kShop, orders_and_invoices(80, {}), WeakLevel::kReadCommitted);
  EXPECT_TRUE(shows(*audit, FactKind::kChoice));
  EXPECT_TRUE(shows(*audit, FactKind::kCoInsert)) << audit_text(*audit, {});
  EXPECT_FALSE(is_about(*audit, "line")) << audit_text(*audit, {.shown = 9});
  // Without it the choice alone says the same of these: who inserted the order that was found had committed, and with
  // it the lines of the same transaction.
  FactSwitches neither = without(FactKind::kCoInsert);
  EXPECT_FALSE(is_about(*audited(kShop, orders_and_invoices(80, {}), WeakLevel::kReadCommitted, neither), "line"));
  neither.turn_off(FactKind::kChoice);
  const auto off = audited(kShop, orders_and_invoices(80, {}), WeakLevel::kReadCommitted, neither);
  EXPECT_FALSE(shows(*off, FactKind::kCoInsert));
  EXPECT_TRUE(is_about(*off, "line"));
}

TEST(CoInserts, LinesThatComeLaterMayBeMissed) {
  const auto audit = audited(kShop, orders_and_invoices(80, {.in_own_transaction = true}), WeakLevel::kReadCommitted);
  EXPECT_FALSE(shows(*audit, FactKind::kCoInsert));
  EXPECT_TRUE(is_about(*audit, "line")) << audit_text(*audit, {.shown = 9});
}

TEST(Choices, WhoListsWhatIsTakenAndTakesAnotherHasNotFoundIt) {
  // The seat that is inserted was not found by the SELECT: two may take the last two seats of three.
  const std::string_view ddl = "CREATE TABLE taken (show int, seat int, who int, PRIMARY KEY (show, seat));";
  std::string sql;
  for (int i = 1; i <= 90; ++i) {
    sql += fmt::format(
        "-- session {2}\nBEGIN; SELECT seat, who FROM taken WHERE show = {0}; INSERT INTO taken (show, seat, who) "
        "VALUES ({0}, {1}, 5); COMMIT;\n",
        i % 5, 200 + i, i % 2 + 1);
  }
  const auto audit = audited(ddl, sql, WeakLevel::kSnapshotIsolation);
  EXPECT_FALSE(shows(*audit, FactKind::kChoice));
  EXPECT_EQ(audit->finding(), Finding::kAnomalies) << audit_text(*audit, {});
}

TEST(Choices, ARowThatIsInsertedOnlyLaterWasNotFound) {
  // A ticket that is reserved by its number before it exists: the SELECT cannot have returned it.
  const std::string_view ddl = "CREATE TABLE ticket (show int, number int, who int, PRIMARY KEY (show, number));";
  std::string sql;
  for (int i = 1; i <= 40; ++i) {
    sql += fmt::format(
        "-- session 1\nBEGIN; SELECT number, who FROM ticket WHERE show = {0}; SELECT who FROM ticket WHERE show = {0} "
        "AND number = {1}; COMMIT;\n"
        "-- session 2\nBEGIN; INSERT INTO ticket (show, number, who) VALUES ({0}, {1}, 0); COMMIT;\n",
        i % 5, 300 + i);
  }
  const auto audit = audited(ddl, sql, WeakLevel::kReadCommitted);
  EXPECT_FALSE(shows(*audit, FactKind::kChoice)) << audit_text(*audit, {});
}

TEST(Choices, WhoTakesARowHasNotMissedItsInsert) {
  const std::string_view ddl = "CREATE TABLE job (kind int, number int, state int, PRIMARY KEY (kind, number));";
  std::string sql;
  for (int i = 1; i <= 40; ++i) {
    sql += fmt::format(
        "-- session 2\nBEGIN; INSERT INTO job (kind, number, state) VALUES ({0}, {1}, 0); COMMIT;\n"
        "-- session 1\nBEGIN; SELECT number FROM job WHERE kind = {0} ORDER BY number LIMIT 1; UPDATE job SET state = "
        "1 "
        "WHERE kind = {0} AND number = {1}; COMMIT;\n",
        i % 5, 300 + i);
  }
  const auto misses = [](const Audit& audit) {
    return std::ranges::any_of(audit.anomalies, [](const Anomaly& one) {
      return one.cycle.members.size() == 2 && one.cycle.members[0] != one.cycle.members[1];
    });
  };
  const auto audit = audited(ddl, sql, WeakLevel::kReadCommitted);
  EXPECT_TRUE(shows(*audit, FactKind::kChoice));
  EXPECT_FALSE(misses(*audit)) << audit_text(*audit, {.shown = 9});
  EXPECT_TRUE(misses(*audited(ddl, sql, WeakLevel::kReadCommitted, without(FactKind::kChoice))));
}

TEST(Choices, ARowThatTheTransactionHasJustMadeWasNotFound) {
  // Looked for, not found, inserted, and then named by the id that the database made: not by what the SELECT returned.
  const std::string_view ddl = "CREATE TABLE cart_line (id serial PRIMARY KEY, cart_id int, item int, quantity int);";
  std::string sql;
  for (int i = 1; i <= 3; ++i) {
    sql += fmt::format(
        "-- session {0}\nBEGIN; SELECT id, quantity FROM cart_line WHERE cart_id = {0} AND item = 7; INSERT INTO "
        "cart_line "
        "(cart_id, item, quantity) VALUES ({0}, 7, 0); UPDATE cart_line SET quantity = 1 WHERE id = {1}; COMMIT;\n",
        i, 500 + i);
  }
  const auto audit = audited(ddl, sql, WeakLevel::kReadCommitted);
  EXPECT_FALSE(shows(*audit, FactKind::kChoice)) << audit_text(*audit, {});
}

// --- constants -----------------------------------------------------------------------------------------------------

constexpr std::string_view kOptions =
    "CREATE TABLE option (id serial PRIMARY KEY, option_name text UNIQUE, option_value text);";

// Two transactions that read one entry and set another, each the other's.
std::string two_entries(const std::string& read, const std::string& written) {
  return fmt::format(
      "-- session 1\nBEGIN; SELECT option_value FROM option WHERE option_name = '{0}'; UPDATE option SET option_value "
      "= "
      "'7' WHERE option_name = '{1}'; COMMIT;\n",
      read, written);
}

TEST(Constants, EntriesOfDifferentNamesNeverMeet) {
  const auto audit = audited(kOptions, two_entries("rate", "total"), WeakLevel::kReadCommitted);
  EXPECT_TRUE(shows(*audit, FactKind::kConstant)) << audit_text(*audit, {});
  EXPECT_FALSE(is_about(*audit, "option")) << audit_text(*audit, {.shown = 9});
  // Nor are they names that the statements take now and then (flows_test.cc).
  FactSwitches neither = without(FactKind::kConstant);
  neither.turn_off(FactKind::kVocabulary);
  const auto off = audited(kOptions, two_entries("rate", "total"), WeakLevel::kReadCommitted, neither);
  EXPECT_TRUE(is_about(*off, "option"));
}

TEST(Constants, TheSameNameIsTheSameRowAndItIsTold) {
  const auto audit = audited(kOptions, two_entries("total", "total"), WeakLevel::kReadCommitted);
  ASSERT_FALSE(audit->anomalies.empty());
  EXPECT_NE(audit_text(*audit, {}).find("option[total].option_value"), std::string::npos) << audit_text(*audit, {});
}

TEST(Constants, AnUpsertThatSetsItsOwnKeyDoesNotChangeIt) {
  const std::string upsert =
      "-- session 2\nINSERT INTO option (option_name, option_value) VALUES ('other', '1') ON CONFLICT (option_name) DO "
      "UPDATE SET option_name = EXCLUDED.option_name, option_value = EXCLUDED.option_value;\n";
  EXPECT_TRUE(
      shows(*audited(kOptions, two_entries("rate", "total") + upsert, WeakLevel::kReadCommitted), FactKind::kConstant));
  // An UPDATE may rename an entry.
  EXPECT_FALSE(
      shows(*audited(kOptions, two_entries("rate", "total") + "UPDATE option SET option_name = 'x' WHERE id = 3;\n",
                     WeakLevel::kReadCommitted),
            FactKind::kConstant));
}

TEST(Constants, ANameThatVariesIsNone) {
  // The mutation: another transaction of the class has other names, so that each may name what the other sets.
  const auto audit =
      audited(kOptions, two_entries("rate", "total") + two_entries("total", "rate"), WeakLevel::kReadCommitted);
  EXPECT_FALSE(shows(*audit, FactKind::kConstant)) << audit_text(*audit, {});
  EXPECT_TRUE(is_about(*audit, "option")) << audit_text(*audit, {.shown = 9});
}

TEST(Constants, TheOnlyCustomerOfATraceIsNone) {
  const std::string_view ddl =
      "CREATE TABLE account (customer int, kind int, balance int, PRIMARY KEY (customer, kind));";
  std::string sql;
  for (int i = 0; i < 40; ++i)
    sql += fmt::format(
        "-- session 1\nBEGIN; SELECT balance FROM account WHERE customer = 5 AND kind = {0}; UPDATE account SET "
        "balance = "
        "{1} WHERE customer = 5 AND kind = {0}; COMMIT;\n",
        i % 4, i);
  EXPECT_FALSE(shows(*audited(ddl, sql, WeakLevel::kReadCommitted), FactKind::kConstant));
}

// --- ids from a sequence -------------------------------------------------------------------------------------------

TEST(FreshIds, NobodyNamesARowBeforeItsIdCameFromTheSequence) {
  const std::string_view ddl = "CREATE TABLE cart (id serial PRIMARY KEY, total int, note text);";
  const auto trace = [](int id) {
    return fmt::format(
        "-- session 1\nBEGIN; INSERT INTO cart (id, total, note) VALUES ({}, 0, NULL); COMMIT;\n"
        "-- session 2\nBEGIN; SELECT total FROM cart WHERE id = 101; DELETE FROM cart WHERE id = 101; COMMIT;\n",
        id);
  };
  const auto missed = [](const Audit& audit) {
    return std::ranges::any_of(audit.anomalies, [](const Anomaly& one) { return one.name == AnomalyName::kPhantom; });
  };
  EXPECT_FALSE(missed(*audited(ddl, trace(101), WeakLevel::kReadCommitted)));
  // The mutation: an INSERT with an id that was used before. Then it may be the row that is looked for.
  const auto again = audited(ddl, trace(101) + trace(100), WeakLevel::kReadCommitted);
  EXPECT_TRUE(missed(*again)) << audit_text(*again, {.shown = 9});
}

TEST(WriteBacks, ANullThatStaysANullIsWrittenBackUnchanged) {
  const std::string_view ddl = "CREATE TABLE cart (id serial PRIMARY KEY, total int, note text);";
  const auto audit =
      audited(ddl,
              "BEGIN; INSERT INTO cart (id, total, note) VALUES (101, 0, NULL); COMMIT;\n"
              "BEGIN; SELECT total, note FROM cart WHERE id = 101; UPDATE cart SET total = 5, note = NULL "
              "WHERE id = 101; COMMIT;\n",
              WeakLevel::kReadCommitted);
  const Schema& schema = audit->classes.schema;
  const TableId cart = *schema.find_table("cart");
  EXPECT_TRUE(audit->classes.unchanged[raw(*schema.find_column(cart, "note"))]);
  EXPECT_FALSE(audit->classes.unchanged[raw(*schema.find_column(cart, "total"))]);
}

// --- the present and the past --------------------------------------------------------------------------------------

TEST(Times, ARowThatIsMadeNowIsNoneOfThoseThatAreOld) {
  const std::string_view ddl = "CREATE TABLE cart (id serial PRIMARY KEY, customer int, added timestamp);";
  const auto trace = [](std::string_view condition) {
    return fmt::format(
        "-- session 1\nBEGIN; SELECT count(*) FROM cart WHERE added < {0}; INSERT INTO cart (customer, added) VALUES "
        "(1, "
        "now()); SELECT count(*) FROM cart WHERE added < {0}; COMMIT;\n",
        condition);
  };
  EXPECT_FALSE(is_about(*audited(ddl, trace("now() - interval '1 hour'"), WeakLevel::kReadCommitted), "cart"));
  // A moment ago is not long ago, and neither is what nobody can tell.
  EXPECT_TRUE(is_about(*audited(ddl, trace("now() - interval '1 second'"), WeakLevel::kReadCommitted), "cart"));
  EXPECT_TRUE(is_about(*audited(ddl, trace("now()"), WeakLevel::kReadCommitted), "cart"));
  // Somebody makes rows older.
  EXPECT_TRUE(is_about(*audited(ddl,
                                trace("now() - interval '1 hour'") +
                                    "-- session 2\nUPDATE cart SET added = '2020-01-01' WHERE id = 3;\n",
                                WeakLevel::kReadCommitted),
                       "cart"));
}

// --- the same question, the same answer
// -------------------------------------------------------------------------------

constexpr std::string_view kCustomers =
    "CREATE TABLE customer (shop int, id int, name text, first text, balance int, PRIMARY KEY (shop, id));"
    "CREATE TABLE paid (shop int, id int, amount int);";

struct Payments {
  int other_customer = 0;  // one in so many goes to another customer of the name
  int from_elsewhere = 0;  // one in so many writes a balance that does not follow from the old one
};

// Payments by name: all customers of the name are read, one of them is changed.
std::string payments(int times, const Payments& how) {
  std::string out;
  Rng rng(7);
  std::vector<int> balance(400, 0);
  for (int i = 0; i < times; ++i) {
    const int shop = static_cast<int>(rng.below(3)), name = static_cast<int>(rng.below(20));
    int id = shop * 100 + name * 3;
    if (how.other_customer != 0 && i % how.other_customer == how.other_customer - 1) ++id;
    const int amount = 1 + static_cast<int>(rng.below(900));
    int& of = balance[static_cast<std::size_t>(id)];
    of += amount;
    if (how.from_elsewhere != 0 && i % how.from_elsewhere == how.from_elsewhere - 1) of = 70000 + 13 * i;
    out += fmt::format(
        "-- session {0}\nBEGIN; SELECT id, first, balance FROM customer WHERE shop = {1} AND name = 'N{2}' ORDER BY "
        "first; UPDATE customer SET balance = {4} WHERE shop = {1} AND id = {3}; INSERT INTO paid (shop, id, amount) "
        "VALUES ({1}, {3}, {5}); COMMIT;\n",
        i % 2 + 1, shop, name, id, of, amount);
  }
  return out;
}

TEST(SameChoice, TheSameNameIsTheSameCustomerAndTheOthersAreSetAside) {
  const auto audit = audited(kCustomers, payments(300, {}), WeakLevel::kSnapshotIsolation);
  EXPECT_TRUE(shows(*audit, FactKind::kFunction)) << audit_text(*audit, {});
  EXPECT_EQ(audit->finding(), Finding::kNone) << audit_text(*audit, {});
}

TEST(SameChoice, AnotherCustomerOfTheNameIsAnAnomaly) {
  const auto audit = audited(kCustomers, payments(300, {.other_customer = 30}), WeakLevel::kSnapshotIsolation,
                             without(FactKind::kProjection));
  EXPECT_FALSE(shows(*audit, FactKind::kFunction));
  EXPECT_EQ(audit->finding(), Finding::kAnomalies) << audit_text(*audit, {});
}

TEST(NotChosen, WhatRestsOnTheAssumptionIsListedWithItsSupport) {
  // Payments go to several customers of a name: by SQL each reads the balances that others change.
  const auto audit = audited(kCustomers, payments(300, {.other_customer = 30}), WeakLevel::kSnapshotIsolation);
  EXPECT_EQ(audit->finding(), Finding::kNone) << audit_text(*audit, {});
  ASSERT_FALSE(audit->set_aside.empty()) << audit_text(*audit, {});
  ASSERT_FALSE(audit->set_aside[0].facts.empty());
  const Fact& fact = audit->classes.facts[audit->set_aside[0].facts[0]];
  EXPECT_EQ(fact.kind, FactKind::kProjection);
  EXPECT_TRUE(fact.assumption);
  EXPECT_GE(fact.support, 20U);
  EXPECT_NE(verdict_line(*audit).find("set aside"), std::string::npos);
  EXPECT_NE(audit_text(*audit, {}).find(fact.text.substr(0, 30)), std::string::npos) << audit_text(*audit, {});
  EXPECT_NE(audit_json(*audit, 0).find("\"assumption\": true"), std::string::npos);
}

TEST(NotChosen, AValueThatDoesNotFollowFromTheRowsOwnIsAnAnomaly) {
  const auto audit =
      audited(kCustomers, payments(300, {.other_customer = 30, .from_elsewhere = 25}), WeakLevel::kSnapshotIsolation);
  EXPECT_FALSE(shows(*audit, FactKind::kProjection));
  EXPECT_EQ(audit->finding(), Finding::kAnomalies) << audit_text(*audit, {});
}

TEST(NotChosen, AFlagThatIsSetSaysNothingOfWhatWasRead) {
  // state = 1 follows from the old 0, but from every other 0 as well.
  EXPECT_FALSE(shows(*audited(kShop, orders_and_invoices(80, {}), WeakLevel::kReadCommitted), FactKind::kProjection));
}

TEST(NotChosen, ATransactionThatOnlyReadsShowsAllThatItReads) {
  std::string sql = payments(300, {.other_customer = 30});
  for (int i = 0; i < 30; ++i)
    sql += fmt::format(
        "-- session 3\nBEGIN; SELECT id, first, balance FROM customer WHERE shop = 1 AND name = 'N{}' "
        "ORDER BY first; SELECT first FROM customer WHERE shop = 1 AND id = {}; COMMIT;\n",
        i % 20, 100 + i % 20 * 3);
  const auto audit = audited(kCustomers, sql, WeakLevel::kSnapshotIsolation);
  for (const TransactionClass& one : audit->classes.classes) {
    EXPECT_TRUE(!one.reads_only || one.narrowed.empty()) << one.name;
  }
}

// --- queues
// -----------------------------------------------------------------------------------------------------------

constexpr std::string_view kTasks =
    "CREATE TABLE task (lane int, number int, PRIMARY KEY (lane, number));"
    "CREATE TABLE counter (lane int PRIMARY KEY, next int);"
    "CREATE TABLE done (lane int PRIMARY KEY, last int);";

struct Tasks {
  int empty = 0;         // one in so many looks finds nothing
  int not_smallest = 0;  // one in so many takes another
  int not_rising = 0;    // one in so many comes in before the others
  bool counter = true;   // those who insert update the lane's counter
};

// Producers put numbered tasks in, workers take the first of a lane.
std::string tasks(int times, const Tasks& how) {
  std::string out;
  std::vector<std::vector<int>> there(4);
  std::vector<int> next(4, 100);
  const auto put = [&](int lane, int number) {
    if (how.counter) {
      out += fmt::format(
          "-- session 1\nBEGIN; SELECT next FROM counter WHERE lane = {0}; UPDATE counter SET next = {2} "
          "WHERE lane = {0}; INSERT INTO task (lane, number) VALUES ({0}, {1}); COMMIT;\n",
          lane, number, number + 1);
    } else {
      out += fmt::format(
          "-- session 1\nBEGIN; SELECT last FROM done WHERE lane = {0}; INSERT INTO task (lane, number) "
          "VALUES ({0}, {1}); COMMIT;\n",
          lane, number);
    }
    there[static_cast<std::size_t>(lane)].push_back(number);
  };
  for (int lane = 0; lane < 4; ++lane) {
    for (int i = 0; i < 3; ++i) put(lane, next[static_cast<std::size_t>(lane)]++);
  }
  for (int i = 1; i <= times; ++i) {
    const int lane = i % 4;
    const bool early = how.not_rising != 0 && i % how.not_rising == 0;
    put(lane, early ? 10 + i % 80 : next[static_cast<std::size_t>(lane)]++);
    std::vector<int>& waiting = there[static_cast<std::size_t>(lane)];
    std::ranges::sort(waiting);
    const auto taken = waiting.begin() + (how.not_smallest != 0 && i % how.not_smallest == 0 ? 1 : 0);
    out += fmt::format("-- session 2\nBEGIN; SELECT number FROM task WHERE lane = {} ORDER BY number LIMIT 1;\n", lane);
    if (how.empty == 0 || i % how.empty != 0) {
      out += fmt::format("DELETE FROM task WHERE lane = {0} AND number = {1};", lane, *taken);
      waiting.erase(taken);
    }
    out += fmt::format(
        "SELECT next FROM counter WHERE lane = {0}; UPDATE done SET last = {1} WHERE lane = {0}; COMMIT;\n", lane, i);
  }
  return out;
}

const Fact* queue_fact(const Audit& audit) {
  const auto found = std::ranges::find_if(
      audit.classes.facts, [](const Fact& fact) { return fact.kind == FactKind::kQueue && fact.assumption; });
  return found == audit.classes.facts.end() ? nullptr : &*found;
}

TEST(Queues, RowsThatComeInBehindAreSetAside) {
  const auto audit = audited(kTasks, tasks(200, {}), WeakLevel::kSnapshotIsolation);
  const Fact* fact = queue_fact(*audit);
  ASSERT_NE(fact, nullptr) << audit_text(*audit, {});
  EXPECT_EQ(fact->support, 200U);
  const bool off =
      audited(kTasks, tasks(200, {}), WeakLevel::kSnapshotIsolation, without(FactKind::kQueue))->classes.facts.empty();
  (void)off;
}

TEST(Queues, AQueueThatWasEmptyOnceIsNone) {
  EXPECT_EQ(queue_fact(*audited(kTasks, tasks(200, {.empty = 50}), WeakLevel::kSnapshotIsolation)), nullptr);
}

TEST(Queues, NumbersThatDoNotRiseAreNoQueue) {
  EXPECT_EQ(queue_fact(*audited(kTasks, tasks(200, {.not_rising = 40}), WeakLevel::kSnapshotIsolation)), nullptr);
}

TEST(Queues, WhoDoesNotTakeTheSmallestHasNoQueue) {
  const auto audit = audited(kTasks, tasks(200, {.not_smallest = 40}), WeakLevel::kSnapshotIsolation);
  EXPECT_FALSE(shows(*audit, FactKind::kQueue));
}

TEST(Queues, WithoutACounterNumbersMayOvertakeEachOther) {
  const auto audit = audited(kTasks, tasks(200, {.counter = false}), WeakLevel::kSnapshotIsolation);
  EXPECT_EQ(queue_fact(*audit), nullptr);
}

TEST(Queues, AtReadCommittedTheyTakeNothingAway) {
  const auto audit = audited(kTasks, tasks(200, {}), WeakLevel::kReadCommitted);
  for (const DependencyGraph::Removed& removed : audit->graph.removed()) {
    EXPECT_TRUE(removed.rule.find("come in behind") == std::string::npos || removed.edges == 0) << removed.rule;
  }
}

// --- what happened
// ----------------------------------------------------------------------------------------------------

constexpr std::string_view kStock =
    "CREATE TABLE stock (id int PRIMARY KEY, sold int); CREATE TABLE sale (id int, n int);";

std::string sale(int session, int item, int quantity, int sold) {
  return fmt::format(
      "-- session {0}\nBEGIN; SELECT sold FROM stock WHERE id = {1}; UPDATE stock SET sold = {3} WHERE id "
      "= {1}; INSERT INTO sale (id, n) VALUES ({1}, {2}); COMMIT;\n",
      session, item, quantity, sold);
}

std::string sales(bool one_is_lost) {
  std::string out = "-- session 9\nINSERT INTO stock (id, sold) VALUES (1, 0);\n";
  int sold = 0;
  for (int i = 1; i <= 40; ++i) {
    const int quantity = 1 + i * 7 % 11;
    sold += quantity;
    out += sale(1, 1, quantity, sold);
  }
  // Two at the same time: both read `sold`.
  const std::string first = fmt::format(
      "-- session 1\nBEGIN; SELECT sold FROM stock WHERE id = 1;\n-- session 2\nBEGIN; SELECT sold FROM stock WHERE id "
      "= "
      "1; UPDATE stock SET sold = {} WHERE id = 1; INSERT INTO sale (id, n) VALUES (1, 30); COMMIT;\n",
      sold + 30);
  const int second = one_is_lost ? sold + 50 : sold + 80;
  out += first + fmt::format(
                     "-- session 1\nUPDATE stock SET sold = {} WHERE id = 1; INSERT INTO sale (id, n) VALUES (1, "
                     "50); COMMIT;\n",
                     second);
  return out;
}

TEST(SeenHappening, AnUpdateThatWasLostInTheTraceComesFirst) {
  const auto audit = audited(kStock, sales(true), WeakLevel::kReadCommitted);
  ASSERT_EQ(audit->classes.lost.size(), 1U) << audit_text(*audit, {});
  EXPECT_EQ(audit->classes.lost[0].times, 1U);
  EXPECT_EQ(audit->classes.schema.full_name(audit->classes.lost[0].column), "stock.sold");
  ASSERT_FALSE(audit->anomalies.empty());
  EXPECT_NE(audit->anomalies[0].lost, kNone32);
  EXPECT_NE(audit_text(*audit, {}).find("seen happening in this trace"), std::string::npos);
}

TEST(SeenHappening, ATraceInWhichNothingWasLostShowsNothing) {
  const auto audit = audited(kStock, sales(false), WeakLevel::kReadCommitted);
  EXPECT_TRUE(audit->classes.lost.empty()) << audit_text(*audit, {});
}

TEST(SeenHappening, AFlagThatTwoSetIsNoLostUpdate) {
  // 0 to 1 and back again, always; then two set it to 1 at the same time.
  std::string out = "-- session 9\nINSERT INTO stock (id, sold) VALUES (1, 0);\n";
  for (int i = 1; i <= 60; ++i) out += sale(1, 1, 5, i % 2);
  out +=
      "-- session 1\nBEGIN; SELECT sold FROM stock WHERE id = 1;\n-- session 2\nBEGIN; SELECT sold FROM stock WHERE id "
      "= "
      "1; UPDATE stock SET sold = 1 WHERE id = 1; INSERT INTO sale (id, n) VALUES (1, 5); COMMIT;\n-- session "
      "1\nUPDATE "
      "stock SET sold = 1 WHERE id = 1; INSERT INTO sale (id, n) VALUES (1, 5); COMMIT;\n";
  EXPECT_TRUE(audited(kStock, out, WeakLevel::kReadCommitted)->classes.lost.empty());
}

TEST(SeenHappening, WhatIsWrittenWithoutAnyFormShowsNothing) {
  std::string out = "-- session 9\nINSERT INTO stock (id, sold) VALUES (1, 0);\n";
  Rng rng(3);
  for (int i = 1; i <= 60; ++i) out += sale(1, 1, 5, static_cast<int>(rng.below(100000)));
  EXPECT_TRUE(audited(kStock, out, WeakLevel::kReadCommitted)->classes.lost.empty());
}

// --- switches
// ---------------------------------------------------------------------------------------------------------

TEST(FactSwitches, AHintTurnsAKindOff) {
  const auto hints = read_hints_text("[[distrust]]\nfact = \"same-choice\"\nwhy = \"names change\"\n", "hints.toml");
  ASSERT_TRUE(hints) << hints.error().message();
  const auto audit = audited(kCustomers, payments(300, {}), WeakLevel::kSnapshotIsolation, {}, *hints);
  EXPECT_FALSE(shows(*audit, FactKind::kFunction));
  EXPECT_FALSE(read_hints_text("[[distrust]]\nfact = \"luck\"\n", "hints.toml"));
}

TEST(FactSwitches, AllKindsHaveNamesThatAreUnderstood) {
  for (const std::string_view one : fact_kind_names()) {
    const auto kind = fact_kind_named(one);
    ASSERT_TRUE(kind) << one;
    EXPECT_EQ(name(*kind), one);
  }
}

}  // namespace facts_test
}  // namespace isolde::audit
