// tests/audit/precision_test.cc: what applications do that is safe, and right beside it what is not: each rule must
// take the one away and keep the other.
#include <gtest/gtest.h>

#include <algorithm>

#include "audit/render.h"
#include "tests/audit/audited.h"

namespace isolde::audit {
namespace precision_test {

bool any(const Audit& audit, AnomalyName name) {
  return std::ranges::any_of(audit.anomalies, [&](const Anomaly& one) { return one.name == name; });
}

// --- a row that was found by a SELECT, and an INSERT that leaves the id to the database

constexpr std::string_view kMail = "CREATE TABLE mail (id serial PRIMARY KEY, state text NOT NULL, address text);";

TEST(Precision, WhoTakesARowHasNotMissedItsInsertThoughTheInsertDoesNotNameTheId) {
  const std::string put = "INSERT INTO mail (state, address) VALUES ('ready', 'a@example.org');";
  std::string sql;
  for (int i = 1; i <= 8; ++i) {
    sql +=
        "-- session 1\nBEGIN; SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE; "
        "UPDATE mail SET state = 'sent' WHERE id = " +
        std::to_string(i) + "; COMMIT;\n-- session 2\n" + put + "\n";
  }
  const auto with_insert = [](const Audit& audit) {
    return std::ranges::any_of(audit.anomalies, [](const Anomaly& anomaly) {
      const bool puts = std::ranges::any_of(
          anomaly.members, [](const std::string& member) { return member.find("INSERT") != std::string::npos; });
      return puts && anomaly.members.size() == 2;
    });
  };
  const auto audit = audited(kMail, sql, WeakLevel::kReadCommitted);
  EXPECT_FALSE(with_insert(*audit)) << audit_text(*audit, {.shown = 9});
  // Without the lock two send the same mail, and that is reported.
  std::string unlocked = sql;
  for (std::size_t at = 0; (at = unlocked.find(" FOR UPDATE", at)) != std::string::npos;) unlocked.erase(at, 11);
  const auto twice = audited(kMail, unlocked, WeakLevel::kReadCommitted);
  EXPECT_TRUE(is_about(*twice, "mail")) << audit_text(*twice, {.shown = 9});
  EXPECT_FALSE(with_insert(*twice)) << audit_text(*twice, {.shown = 9});
}

// --- an upsert looks and inserts in one step

TEST(Precision, AnUpsertDoesNotMissTheRowThatAnotherInsertsWithItsKey) {
  constexpr std::string_view kDdl =
      "CREATE TABLE rate (ip text, minute int, hits int NOT NULL, PRIMARY KEY (ip, minute));";
  const std::string hit =
      "INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.1', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = "
      "rate.hits + 1;";
  for (const WeakLevel level : {WeakLevel::kReadCommitted, WeakLevel::kSnapshotIsolation}) {
    const auto safe = audited(kDdl, "-- session 1\n" + hit + "\n-- session 2\n" + hit + "\n", level);
    EXPECT_TRUE(safe->anomalies.empty()) << audit_text(*safe, {.shown = 9});
  }
  // A SELECT before it is another matter.
  const std::string looks =
      "BEGIN; SELECT hits FROM rate WHERE ip = '10.0.0.1' AND minute = 50; "
      "INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.1', 50, 4) ON CONFLICT (ip, minute) DO "
      "UPDATE SET hits = 4; COMMIT;";
  const auto wrong =
      audited(kDdl, "-- session 1\n" + looks + "\n-- session 2\n" + looks + "\n", WeakLevel::kReadCommitted);
  EXPECT_TRUE(is_about(*wrong, "rate")) << audit_text(*wrong, {.shown = 9});
}

// --- a flag that is set twice is no habit

TEST(Precision, AFlagThatIsSetAgainIsNoEvidenceThatItNeverChanges) {
  std::string sql;
  for (int i = 1; i <= 6; ++i) {
    const std::string send =
        "BEGIN; SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1; UPDATE mail SET state = 'sent' "
        "WHERE id = " +
        std::to_string(i) + "; COMMIT;\n";
    // Each is sent twice: it happened in this very trace.
    sql += "-- session 1\n" + send + "-- session 2\n" + send;
  }
  const auto audit = audited(kMail, sql, WeakLevel::kReadCommitted);
  EXPECT_TRUE(is_about(*audit, "mail")) << audit_text(*audit, {.shown = 9});
  EXPECT_FALSE(shows(*audit, FactKind::kUnchanged)) << audit_text(*audit, {.shown = 9});
  // A row that is saved whole is: its values are its own, and come from its INSERT.
  std::string whole;
  for (int i = 1; i <= 6; ++i) {
    const std::string id = std::to_string(i), address = "'" + id + "@example.org'";
    whole += "-- session 1\nINSERT INTO mail (id, state, address) VALUES (" + id + ", 'new', " + address +
             ");\nBEGIN; SELECT address FROM mail WHERE id = " + id +
             "; UPDATE mail SET state = 'sent', address = " + address + " WHERE id = " + id + "; COMMIT;\n";
  }
  EXPECT_TRUE(shows(*audited(kMail, whole, WeakLevel::kReadCommitted), FactKind::kUnchanged));
}

TEST(Precision, ARowWhoseIdTheDatabaseMadeIsKnownOnceItIsNamed) {
  std::string sql;
  for (int i = 1; i <= 6; ++i) {
    const std::string id = std::to_string(40 + i), address = "'" + id + "@example.org'";
    sql += "-- session 1\nINSERT INTO mail (state, address) VALUES ('new', " + address +
           ");\nBEGIN; SELECT address FROM mail WHERE id = " + id +
           "; UPDATE mail SET state = 'sent', address = " + address + " WHERE id = " + id + "; COMMIT;\n";
  }
  EXPECT_TRUE(shows(*audited(kMail, sql, WeakLevel::kReadCommitted), FactKind::kUnchanged));
}

// --- found by its code, changed by its id

TEST(Precision, ARowThatIsFoundByOneKeyAndChangedByAnotherIsOneRow) {
  constexpr std::string_view kDdl = "CREATE TABLE coupon (id serial PRIMARY KEY, code text UNIQUE, used int NOT NULL);";
  const auto use = [](int session, const std::string& more, int id) {
    return "-- session " + std::to_string(session) + "\nBEGIN; SELECT id, used FROM coupon WHERE code = 'C" +
           std::to_string(id) + "'; " + more + "UPDATE coupon SET used = " + std::to_string(id + 3) +
           " WHERE id = " + std::to_string(id) + "; COMMIT;\n";
  };
  const auto safe = audited(kDdl, use(1, "", 7) + use(2, "", 8), WeakLevel::kSnapshotIsolation);
  EXPECT_TRUE(safe->anomalies.empty()) << audit_text(*safe, {.shown = 9});
  // At READ COMMITTED one of the two updates is lost.
  EXPECT_TRUE(any(*audited(kDdl, use(1, "", 7) + use(2, "", 8), WeakLevel::kReadCommitted), AnomalyName::kLostUpdate));
  // Two are looked for, one is changed: which one is not known.
  const std::string other = "SELECT id, used FROM coupon WHERE code = 'X'; ";
  const auto skew = audited(kDdl, use(1, other, 7) + use(2, other, 8), WeakLevel::kSnapshotIsolation);
  EXPECT_TRUE(any(*skew, AnomalyName::kWriteSkew)) << audit_text(*skew, {.shown = 9});
}

// --- versions beside a counter that nobody's version counts

TEST(Precision, TwoThatAskForOneVersionDoNotBothFindIt) {
  constexpr std::string_view kDdl =
      "CREATE TABLE event (id int PRIMARY KEY, title text, comments int, lock_version int NOT NULL);";
  const auto edit = [](int session, int version, bool checks) {
    return "-- session " + std::to_string(session) +
           "\nBEGIN; SELECT title, comments, lock_version FROM event WHERE id = 1; UPDATE event SET title = 'T" +
           std::to_string(session) + "', lock_version = " + std::to_string(version + 1) + " WHERE id = 1" +
           (checks ? " AND lock_version = " + std::to_string(version) : "") + "; COMMIT;\n";
  };
  const std::string comment = "-- session 9\nUPDATE event SET comments = comments + 1 WHERE id = 1;\n";
  const auto safe = audited(kDdl, edit(1, 5, true) + comment + edit(2, 6, true) + comment, WeakLevel::kReadCommitted);
  EXPECT_TRUE(safe->anomalies.empty()) << audit_text(*safe, {.shown = 9});
  const auto wrong =
      audited(kDdl, edit(1, 5, false) + comment + edit(2, 6, false) + comment, WeakLevel::kReadCommitted);
  EXPECT_TRUE(any(*wrong, AnomalyName::kLostUpdate)) << audit_text(*wrong, {.shown = 9});
}

// --- work that is taken with SKIP LOCKED

TEST(Precision, WhoTakesWorkWithSkipLockedMissesNoInsert) {
  constexpr std::string_view kDdl = "CREATE TABLE job (id serial PRIMARY KEY, state text NOT NULL, worker text);";
  const auto trace = [](const std::string& take) {
    std::string sql;
    for (int i = 1; i <= 4; ++i) {
      const std::string session = std::to_string(i % 2 + 1);
      sql += "-- session " + session + "\nBEGIN; " + take + std::to_string(i) + "; COMMIT;\n-- session 3\n" +
             "INSERT INTO job (state) VALUES ('ready');\n";
    }
    return sql;
  };
  const std::string select = "SELECT id FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED; ";
  for (const WeakLevel level : {WeakLevel::kReadCommitted, WeakLevel::kSnapshotIsolation}) {
    const auto taken = audited(kDdl, trace(select + "UPDATE job SET state = 'done' WHERE id = "), level);
    EXPECT_TRUE(taken->anomalies.empty()) << audit_text(*taken, {.shown = 9});
    const auto removed = audited(
        kDdl,
        trace("DELETE FROM job WHERE id IN (SELECT id FROM job ORDER BY id LIMIT 3 FOR UPDATE SKIP LOCKED) AND id <> "),
        level);
    EXPECT_TRUE(removed->anomalies.empty()) << audit_text(*removed, {.shown = 9});
  }
  // Who only looks with it, and then makes a job of his own, has missed one.
  const std::string look =
      "BEGIN; SELECT id FROM job WHERE state = 'ready' FOR UPDATE SKIP LOCKED; "
      "INSERT INTO job (state) VALUES ('ready'); COMMIT;\n";
  const auto looked = audited(kDdl, "-- session 1\n" + look + "-- session 2\n" + look, WeakLevel::kReadCommitted);
  EXPECT_TRUE(is_about(*looked, "job")) << audit_text(*looked, {.shown = 9});
}

// --- numbers by MAX() + 1

TEST(Precision, NumbersByMaxAreSetAsideIfAUniqueKeyTurnsTheSecondAway) {
  const auto trace = [](int skip) {
    std::string sql;
    for (int i = 1; i <= 8; ++i) {
      const std::string company = std::to_string(1 + i % 2), number = std::to_string((i + 1) / 2 + (i == 7 ? skip : 0));
      sql += "-- session " + std::to_string(1 + i % 3) +
             "\nBEGIN; SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = " + company +
             "; INSERT INTO invoice (company, number, total) VALUES (" + company + ", " + number + ", 9" + number +
             "); COMMIT;\n";
    }
    return sql;
  };
  const std::string columns = "CREATE TABLE invoice (id serial PRIMARY KEY, company int, number int, total int";
  for (const WeakLevel level : {WeakLevel::kReadCommitted, WeakLevel::kSnapshotIsolation}) {
    const auto unique = audited(columns + ", UNIQUE (company, number));", trace(0), level);
    EXPECT_TRUE(unique->anomalies.empty()) << audit_text(*unique, {.shown = 9});
    ASSERT_EQ(unique->set_aside.size(), 1U);
    EXPECT_EQ(unique->classes.facts[unique->set_aside[0].facts.at(0)].kind, FactKind::kFlow);
    EXPECT_EQ(unique->finding(), Finding::kNone);
    EXPECT_TRUE(is_about(*audited(columns + ");", trace(0), level), "invoice"));
    // A number that is left out: they are not counted like that.
    EXPECT_TRUE(is_about(*audited(columns + ", UNIQUE (company, number));", trace(1), level), "invoice"));
  }
}

// --- a row as its transaction has left it

TEST(Precision, OfARowThatATransactionMakesAndChangesOthersSeeTheEnd) {
  constexpr std::string_view kDdl = "CREATE TABLE letter (id int PRIMARY KEY, state text NOT NULL, reader int);";
  const auto trace = [](const std::string& asked) {
    std::string sql;
    for (int i = 1; i <= 3; ++i) {
      const std::string id = std::to_string(i);
      sql += "-- session 1\nBEGIN; INSERT INTO letter (id, state, reader) VALUES (" + id + ", 'draft', 5); " +
             "UPDATE letter SET state = 'sent' WHERE id = " + id + "; COMMIT;\n";
      sql += "-- session 2\nBEGIN; SELECT count(*) FROM letter WHERE state = '" + asked +
             "'; SELECT id FROM letter WHERE state = '" + asked + "'; COMMIT;\n";
    }
    return sql;
  };
  const auto never = audited(kDdl, trace("draft"), WeakLevel::kReadCommitted);
  EXPECT_TRUE(never->anomalies.empty()) << audit_text(*never, {.shown = 9});
  const auto seen = audited(kDdl, trace("sent"), WeakLevel::kReadCommitted);
  EXPECT_TRUE(is_about(*seen, "letter")) << audit_text(*seen, {.shown = 9});
}

// --- a row that is found by what it is and saved whole

TEST(Precision, ARowThatIsSavedWholeStaysWhatItWasFoundBy) {
  constexpr std::string_view kDdl =
      "CREATE TABLE line (id serial PRIMARY KEY, cart int NOT NULL, product int NOT NULL, quantity int NOT NULL);";
  const auto save = [](int session, int cart, int product, int quantity, int id, bool whole) {
    const std::string found = "cart = " + std::to_string(cart) + " AND product = " + std::to_string(product);
    return "-- session " + std::to_string(session) + "\nBEGIN; SELECT id, cart, product, quantity FROM line WHERE " +
           found + " LIMIT 21; UPDATE line SET " +
           (whole ? "cart = " + std::to_string(cart) + ", product = " + std::to_string(product) + ", " : "") +
           "quantity = " + std::to_string(quantity) + " WHERE id = " + std::to_string(id) + "; COMMIT;\n";
  };
  const auto trace = [&](bool whole, int other) {
    return save(1, 2, 3, 4, 102, whole) + save(2, 3, 3, 5, 105, whole) + save(1, 3, 4, 4, 101, whole) +
           save(2, 3, 4, 7, other, whole) + save(1, 3, 4, 9, 101, whole);
  };
  const auto safe = audited(kDdl, trace(true, 101), WeakLevel::kSnapshotIsolation);
  EXPECT_TRUE(safe->anomalies.empty()) << audit_text(*safe, {.shown = 9});
  EXPECT_FALSE(audited(kDdl, trace(true, 101), WeakLevel::kReadCommitted)->anomalies.empty());
  // Two lines with the same product in one cart: the same question has two answers.
  EXPECT_FALSE(audited(kDdl, trace(true, 106), WeakLevel::kSnapshotIsolation)->anomalies.empty());
}

// --- a type that a whole row was saved with

TEST(Precision, WordsThatAWholeRowWasSavedWithDoNotChange) {
  constexpr std::string_view kDdl =
      "CREATE TABLE post (id serial PRIMARY KEY, kind text, state text, a text, b text, c text, d text, e text, f "
      "text, "
      "g text);";
  const auto trace = [](const std::string& kind) {
    const std::string rest = ", 'new', 'a', 'b', 'c', 'd', 'e', 'f', 'g'";
    return "-- session 1\nINSERT INTO post (kind, state, a, b, c, d, e, f, g) VALUES ('order'" + rest +
           ");\nSELECT a FROM post WHERE id = 39;\nUPDATE post SET kind = '" + kind +
           "', state = 'paid', a = 'a', b = 'b', c = 'c', d = 'd', e = 'e', f = 'f', g = 'g' WHERE id = 39;\n"
           "-- session 2\nBEGIN; SELECT id FROM post WHERE kind = 'page' AND state = 'paid'; SELECT a FROM post WHERE "
           "kind = 'page' AND state = 'paid'; COMMIT;\n";
  };
  EXPECT_TRUE(shows(*audited(kDdl, trace("order"), WeakLevel::kReadCommitted), FactKind::kUnchanged));
  const auto changed = audited(kDdl, trace("page"), WeakLevel::kReadCommitted);
  const ColumnId kind = *changed->classes.schema.find_column(*changed->classes.schema.find_table("post"), "kind");
  EXPECT_EQ(changed->classes.unchanged_facts[raw(kind)], kNone32);
}

}  // namespace precision_test
}  // namespace isolde::audit
