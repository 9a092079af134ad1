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

}  // namespace precision_test
}  // namespace isolde::audit
