#include <gtest/gtest.h>

#include "tests/support/statement_text.h"

namespace isolde::audit {
namespace writes_test {

using testing::meaning_of;
using testing::MeaningCase;
using testing::small_schema;

const Schema& bank() {
  static const Schema schema =
      small_schema("branch(id*, city) acc(id*, branch > branch.id, bal, note!?) log(at, what)");
  return schema;
}

void expect_all(std::span<const MeaningCase> cases) {
  for (const MeaningCase& c : cases) EXPECT_EQ(meaning_of(c.sql, bank()), c.meaning) << c.sql;
}

// IsoDiff, section 3.2: [r(id), r(total), r(id), w(total)].
TEST(Writes, TheClassOfThePapersFirstFigure) {
  const Schema schema = small_schema("orders(id*, total)");
  EXPECT_EQ(meaning_of("SELECT total FROM orders WHERE id = $1", schema),
            "rw(orders.id) r(orders.total) @ orders[id=$1]!");
  EXPECT_EQ(meaning_of("UPDATE orders SET total = $1 WHERE id = $2", schema),
            "rxwo(orders.id) w(orders.total) @ orders[id=$2]!");
}

TEST(Writes, Update) {
  constexpr MeaningCase kCases[] = {
      {"UPDATE acc SET bal = bal + $1 WHERE id = $2", "rxwo(acc.id) ru(acc.bal) w+(acc.bal) @ acc[id=$2]!"},
      {"UPDATE acc SET bal = $1", "w(acc.bal)"},
      {"UPDATE acc SET bal = $1 WHERE branch = $2", "rwo(acc.branch) w(acc.bal) @ acc[branch=$2]"},
      {"UPDATE acc SET bal = bal * 2 WHERE branch = $2", "rwo(acc.branch) ru(acc.bal) w(acc.bal) @ acc[branch=$2]"},
      {"UPDATE acc SET bal = bal - $1 WHERE id = $2 AND bal >= $1",
       "rxwo(acc.id) rwu(acc.bal) w(acc.bal) @ acc[id=$2]!"},
      {"UPDATE acc SET bal = bal - $1 WHERE bal >= $1", "rwo(acc.bal) ru(acc.bal) w(acc.bal)"},
      {"UPDATE acc a SET bal = $1 FROM branch b WHERE b.id = a.branch AND b.city = $2",
       "rwo(branch.id) rwo(acc.branch) rwo(branch.city) w(acc.bal) @ branch[city=$2]"},
      {"UPDATE acc SET (bal, note) = ($1, bal) WHERE id = $2",
       "rxwo(acc.id) ru(acc.bal) w(acc.bal) w(acc.note) @ acc[id=$2]!"},
      {"UPDATE acc SET (bal, note) = (SELECT id, city FROM branch) WHERE id = $2",
       "ro(branch.id) ro(branch.city) rxwo(acc.id) w(acc.bal) w(acc.note) @ acc[id=$2]!"},
      {"UPDATE acc SET bal = (SELECT count(*) FROM log) WHERE id = $1",
       "rwco(log.at) rxwo(acc.id) w(acc.bal) @ acc[id=$1]!"},
      {"UPDATE acc SET bal = DEFAULT WHERE id = $1 RETURNING note",
       "rxwo(acc.id) ru(acc.note) w(acc.bal) @ acc[id=$1]!"},
      {"UPDATE branch SET city = $1 WHERE id = (SELECT max(branch) FROM acc FOR UPDATE)",
       "rxo(acc.branch) rwo(branch.id) w(branch.city)"},
      {"UPDATE acc a SET a.bal = $1 WHERE a.id = $2", "rxwo(acc.id) w(acc.bal) @ acc[id=$2]!"},
  };
  expect_all(kCases);
}

TEST(Writes, Increments) {
  constexpr MeaningCase kCases[] = {
      {"UPDATE acc SET bal = bal + 1", "ru(acc.bal) w+(acc.bal)"},
      {"UPDATE acc SET bal = 1 + bal", "ru(acc.bal) w+(acc.bal)"},
      {"UPDATE acc SET bal = $1::int + bal - $2 + (3 - 2)", "ru(acc.bal) w+(acc.bal)"},
      {"UPDATE acc SET bal = (bal + $1)::int", "ru(acc.bal) w+(acc.bal)"},
      {"UPDATE acc SET bal = bal + -$1", "ru(acc.bal) w+(acc.bal)"},
      {"UPDATE acc SET bal = COALESCE(bal, $1) + $2", "ru(acc.bal) w+(acc.bal)"},
      {"UPDATE acc SET bal = ifnull(bal, $1) - $2", "ru(acc.bal) w+(acc.bal)"},
      {"UPDATE acc SET bal = COALESCE(bal, note) + $2", "ru(acc.bal) ru(acc.note) w(acc.bal)"},
      {"UPDATE acc SET bal = $1 - bal", "ru(acc.bal) w(acc.bal)"},
      {"UPDATE acc SET bal = bal + bal", "ru(acc.bal) w(acc.bal)"},
      {"UPDATE acc SET bal = bal + note", "ru(acc.bal) ru(acc.note) w(acc.bal)"},
      {"UPDATE acc SET bal = bal", "ru(acc.bal) w(acc.bal)"},
      {"UPDATE acc SET bal = note + 1", "ru(acc.note) w(acc.bal)"},
      {"UPDATE acc SET bal = bal * $1", "ru(acc.bal) w(acc.bal)"},
      {"UPDATE acc SET bal = bal + 1 RETURNING bal", "ru(acc.bal) w(acc.bal)"},
      {"UPDATE acc SET bal = bal + 1, note = bal", "ru(acc.bal) w(acc.bal) w(acc.note)"},
      {"UPDATE acc SET bal = bal + 1, note = note - 1", "ru(acc.bal) ru(acc.note) w+(acc.bal) w(acc.note)"},
      {"UPDATE acc SET id = id + 1", "ru(acc.id) w(acc.id)"},
      {"UPDATE acc SET bal = bal + 1 WHERE id IN (SELECT id FROM acc WHERE bal > 5)",
       "rwo(acc.bal) ro(acc.id) rwo(acc#2.id) ru(acc#2.bal) w(acc#2.bal)"},
  };
  expect_all(kCases);
}

TEST(Writes, DeleteAndTruncateWriteEveryColumn) {
  constexpr MeaningCase kCases[] = {
      {"DELETE FROM log WHERE what = $1", "rwo(log.what) wd(log.at) wd(log.what) @ log[what=$1]"},
      {"DELETE FROM branch WHERE id = $1", "rxwo(branch.id) wd(branch.id) wd(branch.city) @ branch[id=$1]!"},
      {"DELETE FROM log", "wd(log.at) wd(log.what)"},
      {"TRUNCATE log, branch", "wd(log.at) wd(log.what) wd(branch.id) wd(branch.city)"},
      {"DELETE FROM log USING branch b WHERE b.city = log.what",
       "rwo(branch.city) rwo(log.what) wd(log.at) wd(log.what)"},
      {"DELETE FROM log WHERE what IN (SELECT what FROM log WHERE at > 5)",
       "rwo(log.at) ro(log.what) rwo(log#2.what) wd(log#2.at) wd(log#2.what)"},
      {"DELETE FROM log WHERE what IN (SELECT city FROM branch)",
       "ro(branch.city) rwo(log.what) wd(log.at) wd(log.what)"},
  };
  expect_all(kCases);
}

TEST(Writes, InsertWritesEveryColumnAndChecksTheParent) {
  constexpr MeaningCase kCases[] = {
      {"INSERT INTO log (at) VALUES ($1)", "wi(log.at) wi(log.what) @ log[at=$1]!"},
      {"INSERT INTO acc (id, branch) VALUES ($1, $2)",
       "wi(acc.id) wi(acc.branch) wi(acc.bal) wi(acc.note) rf(branch.id) @ acc[id=$1 branch=$2]! branch[id=$2]!"},
      {"INSERT INTO acc (id, branch) VALUES ($1, NULL)",
       "wi(acc.id) wi(acc.branch) wi(acc.bal) wi(acc.note) @ acc[id=$1]!"},
      {"INSERT INTO acc (id) VALUES ($1)", "wi(acc.id) wi(acc.branch) wi(acc.bal) wi(acc.note) @ acc[id=$1]!"},
      {"INSERT INTO acc (id, branch) VALUES ($1, $2), ($3, $4)",
       "wi(acc.id) wi(acc.branch) wi(acc.bal) wi(acc.note) rf(branch.id)"},
      {"INSERT INTO log SELECT id, city FROM branch WHERE id > $1",
       "rwo(branch.id) ro(branch.city) wi(log.at) wi(log.what)"},
      {"INSERT INTO log VALUES ((SELECT max(at) FROM log), $1)",
       "ro(log.at) wi(log#2.at) wi(log#2.what) @ log#2[what=$1]!"},
      {"INSERT INTO log (at) VALUES ($1) RETURNING what", "wi(log.at) wi(log.what) @ log[at=$1]!"},
      {"UPDATE acc SET branch = $1 WHERE id = $2",
       "rxwo(acc.id) w(acc.branch) rf(branch.id) @ acc[id=$2]! branch[id=$1]!"},
      {"COPY log FROM STDIN", "wi(log.at) wi(log.what)"},
      {"COPY log TO STDOUT", "r(log.at) r(log.what)"},
      {"COPY (SELECT at FROM log) TO STDOUT", "r(log.at)"},
      {"CREATE TABLE copy AS SELECT id, city FROM branch", "ro(branch.id) ro(branch.city) wi(copy.id) wi(copy.city)"},
      {"SELECT id, city INTO TEMP copy FROM branch", "ro(branch.id) ro(branch.city) wi(copy.id) wi(copy.city)"},
  };
  expect_all(kCases);
}

TEST(Writes, Upserts) {
  constexpr MeaningCase kCases[] = {
      {"INSERT INTO branch VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET city = excluded.city",
       "rxwo(branch.id) wi(branch#2.id) wi(branch#2.city) w(branch.city) @ branch[id=$1]! branch#2[id=$1 city=$2]!"},
      {"INSERT INTO acc (id, bal) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET bal = acc.bal + excluded.bal",
       "rxwo(acc.id) wi(acc#2.id) wi(acc#2.branch) wi(acc#2.bal) wi(acc#2.note) ru(acc.bal) w+(acc.bal) @ "
       "acc[id=$1]! acc#2[id=$1 bal=$2]!"},
      {"INSERT INTO branch VALUES ($1, $2) ON CONFLICT DO NOTHING",
       "rwo(branch.id) wi(branch#2.id) wi(branch#2.city) @ branch[id=$1]! branch#2[id=$1 city=$2]!"},
  };
  expect_all(kCases);
}

TEST(Writes, Merge) {
  constexpr MeaningCase kCases[] = {
      {"MERGE INTO log USING branch b ON log.at = b.id WHEN MATCHED AND b.city = $1 THEN UPDATE SET what = b.city "
       "WHEN NOT MATCHED THEN INSERT (at) VALUES (b.id)",
       "rwo(log.at) rwo(branch.id) rwo(branch.city) w(log.what) wi(log#2.at) wi(log#2.what)"},
  };
  expect_all(kCases);
}

TEST(Writes, WhatTouchesNoRow) {
  for (const std::string_view sql :
       {"BEGIN", "SET x = 1", "SHOW x", "EXPLAIN UPDATE acc SET bal = 1", "LOCK TABLE acc IN ROW EXCLUSIVE MODE",
        "LOCK TABLE acc IN SHARE MODE", "CREATE INDEX i ON acc (bal)", "DROP TABLE acc", "VACUUM", "LISTEN x"}) {
    EXPECT_EQ(meaning_of(sql, bank()), "") << sql;
  }
  EXPECT_EQ(meaning_of("LOCK TABLE acc IN EXCLUSIVE MODE", bank()), "rxw(LOCK TABLE acc.row) @ LOCK TABLE acc[]!");
  EXPECT_EQ(meaning_of("EXPLAIN ANALYZE UPDATE acc SET bal = 1", bank()), "w(acc.bal)");
  EXPECT_EQ(meaning_of("BEGIN; UPDATE acc SET bal = 1; COMMIT", bank()), "w(acc.bal)");
}

}  // namespace writes_test
}  // namespace isolde::audit
