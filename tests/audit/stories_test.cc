// Stories that used to be told wrongly: what is shown must be what can be run, and advice must suit the trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "audit/render.h"
#include "tests/audit/audited.h"

namespace isolde::audit {
namespace stories_test {

// What follows on `before` in a member's statements, up to a blank or the end.
std::vector<std::string> values_after(const Anomaly& anomaly, std::uint32_t member, std::string_view verb,
                                      std::string_view before) {
  std::vector<std::string> out;
  for (const StoryStep& step : anomaly.steps) {
    if (step.member != member || !step.sql.starts_with(verb)) continue;
    const std::size_t at = step.sql.find(before);
    if (at == std::string::npos) continue;
    const std::string rest = step.sql.substr(at + before.size());
    out.push_back(rest.substr(0, rest.find(' ')));
  }
  return out;
}

TEST(Stories, TheRowsThatAreWrittenAreAmongThoseThatWereReadAndDiffer) {
  const auto audit =
      audited("CREATE TABLE a (id int PRIMARY KEY, v int);",
              "-- session 1\nBEGIN; SELECT v FROM a WHERE id = 1; SELECT v FROM a WHERE id = 2; UPDATE a "
              "SET v = 0 WHERE id = 1; COMMIT;\n"
              "-- session 2\nBEGIN; SELECT v FROM a WHERE id = 1; SELECT v FROM a WHERE id = 2; UPDATE a "
              "SET v = 0 WHERE id = 2; COMMIT;\n",
              WeakLevel::kSnapshotIsolation);
  ASSERT_FALSE(audit->anomalies.empty());
  for (const Anomaly& anomaly : audit->anomalies) {
    EXPECT_TRUE(anomaly.as_seen);
    std::set<std::string> written;
    for (std::uint32_t member = 0; member < 2; ++member) {
      const auto reads = values_after(anomaly, member, "SELECT", "id = ");
      const auto writes = values_after(anomaly, member, "UPDATE", "id = ");
      ASSERT_EQ(writes.size(), 1U);
      EXPECT_NE(std::ranges::find(reads, writes[0]), reads.end()) << audit_text(*audit, {});
      written.insert(writes[0]);
    }
    EXPECT_EQ(written.size(), 2U) << audit_text(*audit, {});
  }
}

TEST(Stories, AnIdThatWasReadIsTheIdThatIsWritten) {
  // Seen once: nothing but the trace's own values says that the two are one.
  const auto audit = audited(
      "CREATE TABLE voucher (id int PRIMARY KEY, used int); CREATE TABLE redeemed (voucher_id int, who int, PRIMARY "
      "KEY "
      "(voucher_id, who));",
      "-- session 1\nBEGIN; SELECT used FROM voucher WHERE id = 13; INSERT INTO redeemed VALUES (13, 5); UPDATE "
      "voucher "
      "SET used = 4 WHERE id = 13; COMMIT;\n",
      WeakLevel::kReadCommitted);
  ASSERT_FALSE(audit->anomalies.empty());
  for (const Anomaly& anomaly : audit->anomalies) {
    for (std::uint32_t member = 0; member < anomaly.members.size(); ++member) {
      const auto reads = values_after(anomaly, member, "SELECT", "id = ");
      const auto writes = values_after(anomaly, member, "UPDATE", "id = ");
      ASSERT_EQ(reads, writes);
      for (const StoryStep& step : anomaly.steps) {
        if (step.member != member || !step.sql.starts_with("INSERT")) continue;
        EXPECT_NE(step.sql.find("VALUES (" + reads[0] + ","), std::string::npos) << step.sql;
      }
    }
  }
}

// One asks for a customer by name, for his last order, and for its lines; another delivers that order and pays. All
// that they know of the two rows in which they meet is the same, though each names them in its own way.
void expect_one_order(std::string_view ddl, const std::string& others) {
  const auto audit =
      audited(ddl,
              others +
                  "-- session 1\nBEGIN; SELECT id, balance FROM customer WHERE name = 'ann'; SELECT id, "
                  "carrier FROM orders WHERE c_id = 905 ORDER BY id DESC LIMIT 1; SELECT qty FROM line "
                  "WHERE o_id = 831 ; COMMIT;\n"
                  "-- session 2\nBEGIN; SELECT c_id FROM orders WHERE id = 840 ; UPDATE orders SET "
                  "carrier = 3 WHERE id = 840 ; UPDATE customer SET balance = balance + 5 WHERE id = 907 "
                  "; COMMIT;\n",
              WeakLevel::kReadCommitted);
  const auto told = std::ranges::find_if(audit->anomalies, [](const Anomaly& anomaly) {
    return anomaly.name == AnomalyName::kReadSkew && anomaly.members.size() == 2 &&
           values_after(anomaly, 0, "SELECT", "c_id = ").size() == 1 &&
           values_after(anomaly, 1, "UPDATE customer", "id = ").size() == 1;
  });
  ASSERT_NE(told, audit->anomalies.end()) << audit_text(*audit, {});
  EXPECT_EQ(values_after(*told, 0, "SELECT", "c_id = "), values_after(*told, 1, "UPDATE customer", "id = "))
      << audit_text(*audit, {});
  EXPECT_EQ(values_after(*told, 0, "SELECT", "o_id = "), values_after(*told, 1, "UPDATE orders", "id = "))
      << audit_text(*audit, {});
}

TEST(Stories, WhatIsReadInARowThatIsMetIsWhatTheOtherNamesItBy) {
  expect_one_order(
      "CREATE TABLE customer (id int PRIMARY KEY, name text, balance int);"
      "CREATE TABLE orders (id int PRIMARY KEY, c_id int REFERENCES customer (id), carrier int);"
      "CREATE TABLE line (o_id int REFERENCES orders (id), num int, qty int, PRIMARY KEY (o_id, num));",
      "");
}

TEST(Stories, InsertsShowWhichColumnsReferToWhichKey) {
  std::string inserts;
  for (int i = 0; i < 70; ++i) {
    const std::string customer = std::to_string(100 + 7 * i), order = std::to_string(5000 + i);
    inserts += "-- session " + std::to_string(i + 3) + "\nBEGIN; SELECT balance FROM customer WHERE id = " + customer +
               "; INSERT INTO orders (id, c_id) VALUES (" + order + ", " + customer +
               "); INSERT INTO line (o_id, num, qty) VALUES (" + order + ", 1, 2); COMMIT;\n";
  }
  expect_one_order(
      "CREATE TABLE customer (id int PRIMARY KEY, name text, balance int);"
      "CREATE TABLE orders (id int PRIMARY KEY, c_id int, carrier int);"
      "CREATE TABLE line (o_id int, num int, qty int, PRIMARY KEY (o_id, num));",
      inserts);
}

TEST(Stories, ARowIsNotFoundByAValueAndByNotHavingIt) {
  // The row that the second inserts would have to be the one with id = 37 and one with id <> 37.
  const auto audit =
      audited("CREATE TABLE o (id serial PRIMARY KEY, number text UNIQUE, ip text);",
              "-- session 1\nBEGIN; SELECT 1 FROM o WHERE number = 'R1' AND id != 37; UPDATE o SET ip = 'a' "
              "WHERE id = 37; COMMIT;\n"
              "-- session 2\nBEGIN; INSERT INTO o (number, ip) VALUES ('R2', 'b'); COMMIT;\n",
              WeakLevel::kReadCommitted);
  for (const Anomaly& anomaly : audit->anomalies) EXPECT_GT(anomaly.members.size(), 2U) << audit_text(*audit, {});
}

TEST(Stories, ARowThatAConditionExcludesIsNotTheOneThatIsMissed) {
  const std::string_view ddl = "CREATE TABLE post (id serial PRIMARY KEY, slug text, kind text);";
  const auto told = [&](std::string_view condition) {
    const auto audit =
        audited(ddl,
                "-- session 1\nBEGIN; SELECT id FROM post WHERE slug = 'a' AND " + std::string(condition) +
                    "; INSERT INTO post (slug, kind) VALUES ('a', 'order'); COMMIT;\n",
                WeakLevel::kReadCommitted);
    return !audit->anomalies.empty();
  };
  EXPECT_TRUE(told("kind IN ('order', 'page')"));
  EXPECT_FALSE(told("kind IN ('post', 'page')"));
  EXPECT_TRUE(told("kind LIKE 'ord%'"));
  EXPECT_TRUE(told("kind LIKE '%d_r'"));
  EXPECT_FALSE(told("kind LIKE 'page%'"));
  EXPECT_FALSE(told("kind LIKE 'ord'"));
  EXPECT_FALSE(told("kind LIKE 'o\\_der'"));
  // Any of two conditions may be the one that holds.
  EXPECT_TRUE(told("(kind IN ('post', 'page') OR id > 5)"));
  EXPECT_TRUE(told("kind NOT IN ('post', 'page')"));
}

TEST(Stories, ARowThatAnUpsertMakesOrFindsHasTheKeyThatItGives) {
  const std::string_view ddl = "CREATE TABLE opt (id serial PRIMARY KEY, name text UNIQUE, kind text, val text);";
  const auto told = [&](std::string_view condition, std::string_view set) {
    const auto audit = audited(ddl,
                               "-- session 1\nBEGIN; SELECT val FROM opt WHERE " + std::string(condition) +
                                   "; INSERT INTO opt (name, kind, val) VALUES ('ab', 'c', '1') ON CONFLICT (name) DO "
                                   "UPDATE SET " +
                                   std::string(set) + "; COMMIT;\n",
                               WeakLevel::kReadCommitted);
    // That the SELECT is part of, rather than only the upserts.
    return std::ranges::any_of(audit->anomalies, [&](const Anomaly& anomaly) {
      return std::ranges::any_of(anomaly.cycle.edges, [&](const CycleEdge& edge) {
        const auto& from = audit->classes.classes[raw(anomaly.cycle.members[edge.from])];
        const auto& to = audit->classes.classes[raw(anomaly.cycle.members[edge.to])];
        return from.operations[edge.conflict.from_op].statement == 0 ||
               to.operations[edge.conflict.to_op].statement == 0;
      });
    });
  };
  EXPECT_TRUE(told("name LIKE 'a%'", "name = excluded.name"));
  EXPECT_FALSE(told("name LIKE '%7'", "name = excluded.name"));
  EXPECT_TRUE(told("name LIKE '%7'", "name = 'd7'"));
  EXPECT_TRUE(told("name LIKE '%7'", "name = excluded.name || '7'"));
  // A row that was there before may have had another kind.
  EXPECT_TRUE(told("kind LIKE '%7'", "kind = excluded.kind"));
}

TEST(Stories, WhoFindsARowByOneKeyAndWritesItByAnotherHasFoundThatRow) {
  const auto audit = audited("CREATE TABLE stockrecord (id int PRIMARY KEY, product_id int, num int);",
                             "BEGIN; SELECT id, product_id, num FROM stockrecord WHERE product_id = 212; UPDATE "
                             "stockrecord SET product_id = 212, num = 100 WHERE id = 204; COMMIT;\n",
                             WeakLevel::kReadCommitted);
  ASSERT_FALSE(audit->anomalies.empty());
  const Anomaly& first = audit->anomalies[0];
  EXPECT_EQ(values_after(first, 0, "SELECT", "product_id = "), values_after(first, 1, "SELECT", "product_id = "));
}

TEST(Stories, TheFirstOnesHaveDifferentCauses) {
  const auto audit = audited(
      "CREATE TABLE p (id int PRIMARY KEY, name text, price int, stock int, note text);"
      "CREATE TABLE q (id int PRIMARY KEY, balance int);",
      "-- session 1\nBEGIN; SELECT name, price, stock, note FROM p WHERE id = 1; UPDATE p SET name = 'a', price = 2, "
      "stock "
      "= 3, note = 'b' WHERE id = 1; COMMIT;\n"
      "BEGIN; SELECT balance FROM q WHERE id = 1; UPDATE q SET balance = 7 WHERE id = 1; COMMIT;\n",
      WeakLevel::kReadCommitted);
  ASSERT_EQ(audit->anomalies.size(), 2U) << audit_text(*audit, {.shown = 9});
  const auto table = [&](const Anomaly& anomaly) {
    return audit->classes.schema.column(anomaly.cycle.edges[0].conflict.column).table;
  };
  EXPECT_NE(table(audit->anomalies[0]), table(audit->anomalies[1]));
}

TEST(Stories, AUniqueKeyThatTheTraceItselfWouldBreakIsNotAdvised) {
  const std::string_view ddl = "CREATE TABLE booking (id serial PRIMARY KEY, room_id int, day int);";
  const std::string once =
      "-- session 1\nBEGIN; SELECT count(*) FROM booking WHERE room_id = 1; INSERT INTO booking (room_id, day) VALUES "
      "(1, "
      "5); COMMIT;\n-- session 2\nBEGIN; SELECT count(*) FROM booking WHERE room_id = 2; INSERT INTO booking (room_id, "
      "day) VALUES (2, 5); COMMIT;\n";
  const auto advises = [&](const std::string& sql) {
    const auto audit = audited(ddl, sql, WeakLevel::kReadCommitted);
    return std::ranges::any_of(audit->plan.targets, [](const TargetColumn& target) {
      return std::ranges::any_of(target.advice,
                                 [](const Advice& one) { return one.remedy == Remedy::kUniqueConstraint; });
    });
  };
  EXPECT_TRUE(advises(once));
  EXPECT_FALSE(advises(once + once));
}

TEST(Stories, AFunctionOfTheApplicationIsNotUnderstood) {
  const auto audit = audited("CREATE TABLE account (id int PRIMARY KEY, balance int);",
                             "SELECT dep(1, 5);\nCALL dep2(1);\n"
                             "BEGIN; SELECT withdraw(3); SELECT balance FROM account WHERE id = 1; COMMIT;\n"
                             "SELECT now(), pg_sleep(0), nextval('s');\n",
                             WeakLevel::kReadCommitted);
  EXPECT_EQ(audit->classes.not_understood_statements, 3U);
  ASSERT_EQ(audit->classes.not_understood.size(), 3U);
  EXPECT_EQ(audit->classes.not_understood[0].why, "what the function dep() does is not in the trace");
}

TEST(Stories, WhatIsReadInOneTransactionAndWrittenInAnotherIsTold) {
  const std::string_view ddl =
      "CREATE TABLE voucher (id int PRIMARY KEY, used int, max_uses int); CREATE TABLE log (id serial PRIMARY KEY, t "
      "text);";
  const auto scope = [&](const std::string& sql) { return audited(ddl, sql, WeakLevel::kReadCommitted)->scope; };
  const auto found = scope(
      "-- session 1\nSELECT used, max_uses FROM voucher WHERE id = 1;\nUPDATE voucher SET used = 3 WHERE id = 1;\n"
      "-- session 2\nSELECT used, max_uses FROM voucher WHERE id = 1;\nUPDATE voucher SET used = 4 WHERE id = 1;\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, ScopeKind::kOverwrites);
  EXPECT_EQ(found[0].times, 2U);
  EXPECT_EQ(found[0].writes, 2U);
  // Another row; the same transaction; asked again by the UPDATE; read again in its transaction.
  EXPECT_TRUE(scope("SELECT used FROM voucher WHERE id = 2;\nUPDATE voucher SET used = 3 WHERE id = 1;\n").empty());
  EXPECT_TRUE(scope("BEGIN; SELECT used FROM voucher WHERE id = 1; UPDATE voucher SET used = 3 WHERE id = 1; COMMIT;\n")
                  .empty());
  EXPECT_TRUE(scope("SELECT used FROM voucher WHERE id = 1;\nUPDATE voucher SET used = 3 WHERE id = 1 AND used = 2;\n")
                  .empty());
  EXPECT_TRUE(
      scope("SELECT used FROM voucher WHERE id = 1;\nBEGIN; SELECT used FROM voucher WHERE id = 1; UPDATE voucher "
            "SET used = 3 WHERE id = 1; COMMIT;\n")
          .empty());
}

TEST(Stories, ThePlantedFaultsOfAnOfficeComeFirstAndNothingElseDoes) {
  const std::string folder = ISOLDE_SOURCE_DIR "/tests/corpus/audit/";
  AuditOptions options;
  options.search.limits.threads = 1;
  const auto audit = audit_trace(folder + "office.sql", *read_schema(folder + "office.ddl"), {}, options);
  ASSERT_TRUE(audit);
  std::vector<std::string> tables;
  for (const Anomaly& anomaly : (*audit)->anomalies) {
    const ColumnId column = anomaly.cycle.edges[0].conflict.column;
    tables.push_back((*audit)->classes.schema.table((*audit)->classes.schema.column(column).table).name);
  }
  const std::string text = audit_text(**audit, {.shown = 9});
  ASSERT_EQ(tables.size(), 4U) << text;
  EXPECT_EQ(std::set<std::string>(tables.begin(), tables.begin() + 3),
            (std::set<std::string>{"counter", "oncall", "booking"}))
      << text;
  ASSERT_EQ((*audit)->scope.size(), 1U) << text;
  EXPECT_EQ((*audit)->classes.schema.full_name((*audit)->scope[0].column), "voucher.used");
}

// TransactSavings of SmallBank, for customers 1 to 6 in turn: by name to the id, and by the id to the balance.
std::string saving(std::uint32_t times, bool wrong) {
  std::string out;
  for (std::uint32_t i = 0; i < times; ++i) {
    const std::uint32_t customer = i % 6 + 11;
    const std::string name = "customer " + std::to_string(wrong && i == times / 2 ? 99 : customer),
                      id = std::to_string(customer);
    out += "-- session " + std::to_string(i % 3 + 1) + "\nBEGIN; SELECT * FROM accounts WHERE name = '" + name +
           "' ; SELECT bal FROM savings WHERE custid = " + id + " ; UPDATE savings SET bal = bal - " +
           std::to_string(20 + i) + " WHERE custid = " + id + " ; COMMIT;\n";
  }
  return out;
}

TEST(Stories, WhoMeetsInTheRowsOfOneCustomerHasAskedForOneName) {
  constexpr std::string_view kDdl =
      "CREATE TABLE accounts (custid int PRIMARY KEY, name text);"
      "CREATE TABLE savings (custid int PRIMARY KEY, bal int);";
  const auto names = [&](const std::string& sql) {
    const auto audit = audited(kDdl, sql, WeakLevel::kReadCommitted);
    std::set<std::string> out;
    const auto told = std::ranges::find(audit->anomalies, std::size_t{2},
                                        [](const Anomaly& anomaly) { return anomaly.members.size(); });
    if (told == audit->anomalies.end()) return out;
    EXPECT_EQ(values_after(*told, 0, "UPDATE", "custid = "), values_after(*told, 1, "UPDATE", "custid = "));
    for (const std::uint32_t member : {0U, 1U}) {
      for (const std::string& name : values_after(*told, member, "SELECT", "name = 'customer ")) out.insert(name);
    }
    return out;
  };
  EXPECT_EQ(names(saving(40, false)).size(), 1U);
  // Where one id came after two names, the trace says nothing of the kind; and few do not either.
  EXPECT_EQ(names(saving(40, true)).size(), 2U);
  EXPECT_EQ(names(saving(7, false)).size(), 2U);
}

TEST(Stories, ARowThatWasNeverWhatIsAskedForIsSaidToBeSo) {
  constexpr std::string_view kDdl = "CREATE TABLE page (id int PRIMARY KEY, kind text, state text, title text);";
  const auto as_seen = [&](std::string_view asked, std::string_view made) {
    const auto audit =
        audited(kDdl,
                "-- session 1\nINSERT INTO page (id, kind, state, title) VALUES (7, " + std::string(made) +
                    ", 'x');\n" + "-- session 2\nBEGIN; SELECT title FROM page WHERE " + std::string(asked) +
                    "; INSERT INTO page (id, kind, state, title) VALUES (8, 'post', 'open', 'y'); "
                    "UPDATE page SET title = 'b' WHERE id = 9; COMMIT;\n"
                    "-- session 1\nBEGIN; SELECT title FROM page WHERE id = 9; UPDATE page SET state = "
                    "'sent' WHERE id = 7; COMMIT;\n",
                WeakLevel::kReadCommitted);
    const auto about = std::ranges::find_if(audit->anomalies, [&](const Anomaly& anomaly) {
      return std::ranges::any_of(anomaly.cycle.edges, [&](const CycleEdge& edge) {
        const TransactionClass& writer = audit->classes.classes[raw(anomaly.cycle.members[edge.to])];
        const TransactionClass& reader = audit->classes.classes[raw(anomaly.cycle.members[edge.from])];
        return audit->classes.schema.column(edge.conflict.column).name == "state" &&
               reader.operations[edge.conflict.from_op].access.action == Action::kRead &&
               !writer.operations[edge.conflict.to_op].access.inserts;
      });
    });
    if (about == audit->anomalies.end()) return std::string("none");
    return std::string(about->as_seen ? "seen" : "never seen");
  };
  EXPECT_EQ(as_seen("state = 'trash'", "'order', 'open'"), "never seen");
  EXPECT_EQ(as_seen("state = 'open'", "'order', 'open'"), "seen");
  // What it becomes counts as well as what it was; what is not known, and numbers, say nothing.
  EXPECT_EQ(as_seen("state = 'sent'", "'order', 'open'"), "seen");
  EXPECT_EQ(as_seen("state = 'trash'", "'order', lower('OPEN')"), "seen");
  EXPECT_EQ(as_seen("state = '17'", "'order', '18'"), "seen");
  // Another column than the one that is written.
  EXPECT_EQ(as_seen("kind IN ('post', 'page') AND state <> 'void'", "'order', 'open'"), "never seen");
  EXPECT_EQ(as_seen("kind IN ('post', 'order') AND state <> 'void'", "'order', 'open'"), "seen");
}

}  // namespace stories_test
}  // namespace isolde::audit
