#include "audit/scope/scope.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "audit/facts/find_classes.h"

namespace isolde::audit {
namespace scope_test {

constexpr std::string_view kDdl =
    "CREATE TABLE voucher (id serial PRIMARY KEY, code text UNIQUE, used int, version int, note text);"
    "CREATE TABLE redeemed (id serial PRIMARY KEY, voucher_id int, order_id int, amount numeric(10,2));"
    "CREATE TABLE orders (id serial PRIMARY KEY, customer_id int, state text);"
    "CREATE TABLE seat (number int, day int, taken int, PRIMARY KEY (number, day));"
    "CREATE TABLE order_lock (order_id int PRIMARY KEY, locked text);"
    "CREATE TABLE item_meta (meta_id serial PRIMARY KEY, item_id int, meta_key text, meta_value text);";

struct Found {
  TraceLog log;
  Classes classes;
  std::vector<ScopeFinding> all;
  // "overwrites voucher.used", each on a line.
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const ScopeFinding& one : all) {
      out += fmt::format("{} {}{}\n", name(one.kind), scope_column(one, classes.schema, log),
                         one.earlier_request ? ", checked in an earlier request" : "");
    }
    return out;
  }
};

Found search(std::string_view sql) {
  Found out;
  auto log = load_trace_text(sql, "trace", {});
  EXPECT_TRUE(log);
  out.log = *std::move(log);
  auto schema = read_schema_text(kDdl, "schema.sql");
  EXPECT_TRUE(schema);
  out.classes = find_classes(out.log, *std::move(schema), {});
  out.all = find_scope_errors(out.log, out.classes, find_requests(out.log, out.classes.statements, {}));
  return out;
}
std::string found(std::string_view sql) { return search(sql).text(); }

TEST(Scope, ASumAndThenAnInsertIsAPairWithItsStory) {
  const Found f = search(
      "SELECT sum(amount) FROM redeemed WHERE voucher_id = 15;\n"
      "INSERT INTO redeemed (voucher_id, order_id, amount) VALUES (15, 102, 1.62);\n");
  ASSERT_EQ(f.text(), "inserts redeemed.voucher_id\n");
  const ScopeFinding& one = f.all[0];
  EXPECT_TRUE(one.aggregates);
  EXPECT_FALSE(one.same_user);
  ASSERT_EQ(one.steps.size(), 4U);
  EXPECT_EQ(one.steps[0].member, 0U);
  EXPECT_EQ(one.steps[1].member, 1U);
  EXPECT_EQ(one.steps[2].member, 1U);
  EXPECT_EQ(one.steps[3].member, 0U);
  EXPECT_EQ(one.steps[0].sql, "SELECT sum(amount) FROM redeemed WHERE voucher_id = 15");
  EXPECT_EQ(one.steps[1].sql, one.steps[0].sql);
  // The same voucher, and another order.
  EXPECT_EQ(one.steps[2].sql, "INSERT INTO redeemed (voucher_id, order_id, amount) VALUES (15, 103, 1.62)");
  EXPECT_EQ(one.steps[3].sql, "INSERT INTO redeemed (voucher_id, order_id, amount) VALUES (15, 102, 1.62)");
}

TEST(Scope, ABeginAndACommitAreShownWhereTheTraceHasThem) {
  const Found f = search(
      "SELECT used FROM voucher WHERE id = 1;\nBEGIN;\nSELECT state FROM orders WHERE id = 4;\n"
      "UPDATE voucher SET used = 3 WHERE id = 1;\nCOMMIT;\n");
  ASSERT_EQ(f.text(), "overwrites voucher.used\n");
  std::string sql;
  for (const StoryStep& step : f.all[0].steps) sql += fmt::format("R{} {}\n", step.member + 1, step.sql);
  EXPECT_EQ(sql,
            "R1 SELECT used FROM voucher WHERE id = 1\nR2 SELECT used FROM voucher WHERE id = 1\n"
            "R2 BEGIN\nR2 UPDATE voucher SET used = 3 WHERE id = 1\nR2 COMMIT\n"
            "R1 BEGIN\nR1 UPDATE voucher SET used = 3 WHERE id = 1\nR1 COMMIT\n");
}

TEST(Scope, ARowThatIsFoundByItsCodeAndChangedByItsIdIsThatRow) {
  EXPECT_EQ(found("SELECT id, used FROM voucher WHERE code = 'v11';\nUPDATE voucher SET used = 3 WHERE id = 15;\n"),
            "overwrites voucher.used\n");
  // The id was known before.
  EXPECT_EQ(found("SELECT state FROM orders WHERE id = 15;\nSELECT id, used FROM voucher WHERE code = 'v11';\n"
                  "UPDATE voucher SET used = 3 WHERE id = 15;\n"),
            "");
}

TEST(Scope, ALockThatEndedWithItsTransactionProtectsNothing) {
  EXPECT_EQ(found("BEGIN; SELECT used FROM voucher WHERE id = 1 FOR UPDATE; COMMIT;\n"
                  "UPDATE voucher SET used = 3 WHERE id = 1;\n"),
            "overwrites voucher.used\n");
}

TEST(Scope, AReadThatTheWritingTransactionMakesAgainIsAMatterOfItsLevel) {
  EXPECT_EQ(found("SELECT used FROM voucher WHERE id = 1;\n"
                  "BEGIN; SELECT used FROM voucher WHERE id = 1 FOR UPDATE; UPDATE voucher SET used = 3 WHERE id = 1; "
                  "COMMIT;\n"),
            "");
  // Looked at again under the lock of the UPDATE.
  EXPECT_EQ(found("SELECT used FROM voucher WHERE id = 1;\n"
                  "BEGIN; UPDATE voucher SET used = used + 1 WHERE id = 1; SELECT used FROM voucher WHERE id = 1; "
                  "COMMIT;\n"),
            "");
}

TEST(Scope, AnUpdateThatAsksAgainIsSafeAndOneThatAsksForSomethingElseIsNot) {
  const std::string read = "SELECT used, version, note FROM voucher WHERE id = 1;\n";
  EXPECT_EQ(found(read + "UPDATE voucher SET used = used + 1 WHERE id = 1 AND used < 5;\n"), "");
  EXPECT_EQ(found(read + "UPDATE voucher SET used = 3, version = 6 WHERE id = 1 AND version = 5;\n"), "");
  EXPECT_EQ(found(read + "UPDATE voucher SET used = 3 WHERE id = 1 AND used = 2;\n"), "");
  // A column that nobody changes with it protects nothing.
  EXPECT_EQ(found(read + "UPDATE voucher SET used = used + 1 WHERE id = 1 AND note = 'x';\n"), "acts voucher.used\n");
  EXPECT_EQ(found(read + "UPDATE voucher SET used = 3, version = 5 WHERE id = 1 AND version = 5;\n"),
            "overwrites voucher.used\n");
}

TEST(Scope, AUniqueKeyTurnsTheSecondAway) {
  EXPECT_EQ(found("SELECT id FROM voucher WHERE code = 'x';\nINSERT INTO voucher (code, used) VALUES ('x', 0);\n"), "");
  EXPECT_EQ(found("SELECT taken FROM seat WHERE number = 4 AND day = 2;\n"
                  "INSERT INTO seat (number, day, taken) VALUES (4, 2, 1);\n"),
            "");
  // Only a part of it was looked for.
  EXPECT_EQ(
      found("SELECT count(*) FROM seat WHERE day = 2;\nINSERT INTO seat (number, day, taken) VALUES (4, 2, 1);\n"),
      "inserts seat.day\n");
}

TEST(Scope, RowsThatTheRequestHasMadeAreItsOwn) {
  // By an id that came up only after the INSERT, and by a key that was given.
  EXPECT_EQ(found("INSERT INTO orders (customer_id, state) VALUES (3, 'new');\n"
                  "SELECT state FROM orders WHERE id = 102;\nUPDATE orders SET state = 'paid' WHERE id = 102;\n"),
            "");
  EXPECT_EQ(found("INSERT INTO seat (number, day, taken) VALUES (4, 2, 1);\n"
                  "INSERT INTO voucher (id, used) VALUES (7, 0);\nSELECT used FROM voucher WHERE id = 7;\n"
                  "UPDATE voucher SET used = 3 WHERE id = 7;\n"),
            "");
  // An id that was there before is nobody's own.
  EXPECT_EQ(found("SELECT state FROM orders WHERE id = 102;\n"
                  "INSERT INTO orders (customer_id, state) VALUES (3, 'new');\n"
                  "UPDATE orders SET state = 'paid' WHERE id = 102;\n"),
            "overwrites orders.state\n");
}

TEST(Scope, ARowThatServesAsALockKeepsRequestsForTheSameRowAway) {
  const std::string take = "UPDATE order_lock SET locked = 'Y' WHERE order_id = 154 AND locked = 'N';\n";
  const std::string give = "UPDATE order_lock SET locked = 'N' WHERE order_id = 154;\n";
  const std::string of_order =
      "SELECT count(*) FROM redeemed WHERE order_id = 154;\n"
      "INSERT INTO redeemed (voucher_id, order_id) VALUES (7, 154);\n";
  const std::string of_voucher =
      "SELECT count(*) FROM redeemed WHERE voucher_id = 7;\n"
      "INSERT INTO redeemed (voucher_id, order_id) VALUES (7, 154);\n";
  EXPECT_EQ(found(of_order), "inserts redeemed.order_id\n");
  EXPECT_EQ(found(take + of_order + give), "");
  // Given back too early; not about these rows.
  EXPECT_EQ(found(take + give + of_order), "inserts redeemed.order_id\n");
  const Found other = search(take + of_voucher + give);
  ASSERT_EQ(other.text(), "inserts redeemed.voucher_id\n");
  EXPECT_NE(other.all[0].words.find("under the lock that line 1 takes"), std::string::npos) << other.all[0].words;
}

TEST(Scope, AVersionThatCountsIsNoLock) {
  EXPECT_EQ(found("UPDATE voucher SET version = 6 WHERE id = 1 AND version = 5;\n"
                  "SELECT used FROM voucher WHERE id = 1;\nUPDATE voucher SET used = 3 WHERE id = 1;\n"),
            "overwrites voucher.used\n");
}

TEST(Scope, AnAdvisoryLockOfTheSessionKeepsRequestsAway) {
  const std::string pair = "SELECT used FROM voucher WHERE id = 1;\nUPDATE voucher SET used = 3 WHERE id = 1;\n";
  EXPECT_EQ(found("SELECT pg_advisory_lock(1);\n" + pair + "SELECT pg_advisory_unlock(1);\n"), "");
  EXPECT_EQ(found("SELECT pg_advisory_lock(1);\nSELECT pg_advisory_unlock(1);\n" + pair), "overwrites voucher.used\n");
}

TEST(Scope, AKeyOfOneUserNeedsTwoOfHisRequestsAndComesLast) {
  const Found f = search(
      "SELECT count(*) FROM orders WHERE customer_id = 3;\nINSERT INTO orders (customer_id, state) VALUES (3, 'a');\n"
      "SELECT count(*) FROM redeemed WHERE voucher_id = 3;\nINSERT INTO redeemed (voucher_id, order_id) VALUES (3, 4);"
      "\n");
  ASSERT_EQ(f.text(), "inserts redeemed.voucher_id\ninserts orders.customer_id\n");
  EXPECT_FALSE(f.all[0].same_user);
  EXPECT_TRUE(f.all[1].same_user);
  EXPECT_NE(f.all[1].words.find("two requests of the same user"), std::string::npos);
}

TEST(Scope, ATableOfNamesAndValuesIsToldByTheName) {
  EXPECT_EQ(found("SELECT meta_key, meta_value FROM item_meta WHERE item_id = 9;\n"
                  "UPDATE item_meta SET meta_value = meta_value - 1 WHERE item_id = 9 AND meta_key = '_stock';\n"
                  "UPDATE item_meta SET meta_value = '7' WHERE item_id = 9 AND meta_key = '_viewed';\n"),
            "acts item_meta[_stock].meta_value\noverwrites item_meta[_viewed].meta_value\n");
  EXPECT_EQ(found("SELECT meta_value FROM item_meta WHERE item_id = 9 AND meta_key = '_price';\n"
                  "UPDATE item_meta SET meta_value = '7' WHERE item_id = 9 AND meta_key = '_stock';\n"),
            "");
}

TEST(Scope, WhatGoesBeforeByChanceIsNotReported) {
  // One of three writes has the read before it.
  EXPECT_EQ(found("-- session 1\nSELECT used FROM voucher WHERE id = 1;\nUPDATE voucher SET used = 3 WHERE id = 1;\n"
                  "-- session 2\nUPDATE voucher SET used = 3 WHERE id = 2;\n"
                  "-- session 3\nUPDATE voucher SET used = 3 WHERE id = 3;\n"),
            "");
}

TEST(Scope, StatementsOfTwoRequestsAreNoPair) {
  EXPECT_EQ(found("SELECT used FROM voucher WHERE id = 1 /*request_id:a*/;\n"
                  "UPDATE voucher SET used = 3 WHERE id = 1 /*request_id:b*/;\n"),
            "");
  EXPECT_EQ(found("-- session 1\nSELECT used FROM voucher WHERE id = 1 /*request_id:a*/;\n"
                  "-- session 2\nUPDATE voucher SET used = 3 WHERE id = 1 /*request_id:a*/;\n"),
            "overwrites voucher.used\n");
}

TEST(Scope, ANumberThatWasJustCountedComesFromTheCount) {
  const std::string read = "SELECT used FROM voucher WHERE id = 1;\n",
                    insert = "INSERT INTO redeemed (voucher_id, order_id) VALUES (1, 9);\n",
                    count = "SELECT count(*) FROM redeemed WHERE voucher_id = 1;\n",
                    set = "UPDATE voucher SET used = 3 WHERE id = 1;\n";
  EXPECT_EQ(found(read + insert + count + set), "counts voucher.used\n");
  // In one transaction that is a matter of its level.
  EXPECT_EQ(found(read + "BEGIN;\n" + insert + count + set + "COMMIT;\n"), "");
  EXPECT_EQ(found(read + insert + "SELECT coalesce(sum(amount), 0) FROM redeemed WHERE voucher_id = 1;\n" + set),
            "counts voucher.used\n");
  // Nothing was changed that could be counted again; it is not counted last, or by group; it is no plain number.
  EXPECT_EQ(found(read + count + set), "overwrites voucher.used\n");
  EXPECT_EQ(found(read + insert + count + "SELECT state FROM orders WHERE id = 4;\n" + set),
            "overwrites voucher.used\n");
  EXPECT_EQ(found(read + insert + "SELECT count(*) FROM redeemed WHERE voucher_id = 1 GROUP BY order_id;\n" + set),
            "overwrites voucher.used\n");
  EXPECT_EQ(found(read + insert + count + "UPDATE voucher SET used = used + 1 WHERE id = 1;\n"), "acts voucher.used\n");
}

TEST(Scope, ACheckInOneRequestAndTheActInALaterOneOfTheSameUser) {
  const auto requests = [](const std::string& check, const std::string& act, int user = 3) {
    const auto of = [](const std::string& sql, const char* request) {
      return fmt::format("{} /*request_id:{}*/;\n", sql, request);
    };
    return of("SELECT state FROM orders WHERE customer_id = 3", "a") + of(check, "a") +
           of(fmt::format("SELECT state FROM orders WHERE customer_id = {}", user), "b") +
           of("INSERT INTO redeemed (voucher_id, order_id) VALUES (1, 9)", "b") + of(act, "b");
  };
  const std::string check = "SELECT code, used FROM voucher WHERE id = 1",
                    act = "UPDATE voucher SET used = used - 1 WHERE id = 1";
  const Found f = search(requests(check, act));
  ASSERT_EQ(f.text(), "acts voucher.used, checked in an earlier request\n");
  EXPECT_EQ(f.all[0].steps[0].sql, check + " /*request_id:a*/");
  EXPECT_NE(f.all[0].words.find("a later request of the same user"), std::string::npos) << f.all[0].words;
  // The UPDATE asks; another user's request; another row; upwards.
  EXPECT_EQ(found(requests(check, act + " AND used >= 1")), "");
  EXPECT_EQ(found(requests(check, act, 4)), "");
  EXPECT_EQ(found(requests("SELECT code, used FROM voucher WHERE id = 2", act)), "");
  EXPECT_EQ(found(requests("SELECT code FROM voucher WHERE id = 1", act)), "");
  EXPECT_EQ(found(requests(check, "UPDATE voucher SET used = used + 1 WHERE id = 1")), "");
  // The later request looks itself.
  EXPECT_EQ(found(requests(check, check + " /*request_id:b*/;\n" + act)), "acts voucher.used\n");
  EXPECT_EQ(found(requests(check, "BEGIN; SELECT used FROM voucher WHERE id = 1 FOR UPDATE /*request_id:b*/;\n" + act) +
                  "COMMIT;\n"),
            "");
}

TEST(Scope, ARequestThatOnlyDeletesKeepsANumberOfRowsUpToDate) {
  const std::string display =
      "SELECT state FROM orders WHERE customer_id = 3 /*request_id:a*/;\n"
      "SELECT code, used FROM voucher WHERE id = 1 /*request_id:a*/;\n"
      "SELECT state FROM orders WHERE customer_id = 3 /*request_id:b*/;\n";
  const std::string take = "UPDATE voucher SET used = used - 1 WHERE id = 1 /*request_id:b*/;\n",
                    remove = "DELETE FROM redeemed WHERE id = 6 /*request_id:b*/;\n",
                    insert = "INSERT INTO redeemed (voucher_id, order_id) VALUES (1, 9) /*request_id:b*/;\n";
  EXPECT_EQ(found(display + remove + take), "");
  EXPECT_EQ(found(display + remove + insert + take), "acts voucher.used, checked in an earlier request\n");
}

TEST(Scope, WhereRequestsAreNotKnownAValueOfTheProgramIsNoLink) {
  std::string jobs, vouchers;
  for (int i = 1; i <= 6; ++i) {
    jobs += "SELECT count(*) FROM orders WHERE state = 'new';\nINSERT INTO orders (customer_id, state) VALUES (" +
            std::to_string(i) + ", 'new');\n";
    vouchers +=
        fmt::format("SELECT used FROM voucher WHERE id = {0};\nUPDATE voucher SET used = 3 WHERE id = {0};\n", i);
  }
  EXPECT_EQ(found("-- session 1\n" + jobs), "");
  EXPECT_EQ(found("-- session 1\n" + vouchers), "overwrites voucher.used\n");
}

TEST(Scope, ARowThatIsTakenUnderALockIsTakenByOneOnly) {
  const auto take = [](std::string_view lock, std::string_view set) {
    std::string sql;
    for (int i = 1; i <= 4; ++i) {
      sql += fmt::format(
          "BEGIN; SELECT id, state FROM orders WHERE state = 'new' ORDER BY id LIMIT 1{}; UPDATE orders SET {} WHERE "
          "id "
          "= {}; COMMIT;\nUPDATE orders SET state = 'done' WHERE id = {};\n",
          lock, set, 40 + i, 40 + i);
    }
    return sql;
  };
  EXPECT_EQ(found(take(" FOR UPDATE SKIP LOCKED", "state = 'paid'")), "");
  // Without the lock, or if the row stays among those that are looked for, two take the same.
  EXPECT_EQ(found(take("", "state = 'paid'")), "overwrites orders.state\n");
  EXPECT_EQ(found(take(" FOR UPDATE", "customer_id = 3")), "overwrites orders.state\n");
}

}  // namespace scope_test
}  // namespace isolde::audit
