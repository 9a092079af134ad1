#include "audit/sql/rows.h"

#include <gtest/gtest.h>

#include "tests/support/statement_text.h"

namespace isolde::audit {
namespace rows_test {

using testing::meaning_of;
using testing::MeaningCase;
using testing::small_schema;

// Only what stands after the @.
std::string rows_of(std::string_view sql) {
  static const Schema schema = small_schema("a(id*, x, y) b(id*, a_id, z!) c(p*, q*, b_id)");
  const std::string meaning = meaning_of(sql, schema);
  const std::size_t at = meaning.find(" @ ");
  return at == std::string::npos ? meaning.substr(0, meaning.find("not understood") == 0 ? 200 : 0)
                                 : meaning.substr(at + 3);
}

TEST(Rows, OfOneTable) {
  constexpr MeaningCase kCases[] = {
      {"SELECT x FROM a WHERE id = $1", "a[id=$1]!"},
      {"SELECT x FROM a WHERE $1 = id", "a[id=$1]!"},
      {"SELECT x FROM a WHERE id IN ($1)", "a[id=$1]!"},
      {"SELECT x FROM a WHERE id IN ($1, $2)", ""},
      {"SELECT x FROM a WHERE id NOT IN ($1)", ""},
      {"SELECT x FROM a WHERE id <> $1", ""},
      {"SELECT x FROM a WHERE id = $1::int AND x = CAST($2 AS text)", "a[id=$1 x=$2]!"},
      {"SELECT x FROM a WHERE id::text = $1", ""},
      {"SELECT x FROM a WHERE id = -$1", ""},
      {"SELECT x FROM a WHERE id = $1 OR x = $2", ""},
      {"SELECT x FROM a WHERE (id = $1 OR x = $2) AND y = $3", "a[y=$3]"},
      {"SELECT x FROM a WHERE NOT (id = $1)", ""},
      {"SELECT x FROM a WHERE id = $1 AND id = $2", "a[id=$1]!"},
      {"SELECT b_id FROM c WHERE (p, q) = ($1, $2)", "c[p=$1 q=$2]!"},
      {"SELECT b_id FROM c WHERE (p, q) IN (($2, $1))", "c[p=$2 q=$1]!"},
      {"SELECT b_id FROM c WHERE p = $1", "c[p=$1]"},
      {"SELECT a_id FROM b WHERE z = $1", "b[z=$1]!"},
      {"SELECT x FROM a WHERE id IS NOT DISTINCT FROM $1", "a[id=$1]!"},
      {"SELECT x FROM a WHERE id = x AND x = $1", "a[id=$1 x=$1]!"},
      {"SELECT x FROM a WHERE id = $1 HAVING x = $2", "a[id=$1]!"},
      {"SELECT x FROM a WHERE id = $99", ""},
  };
  for (const MeaningCase& c : kCases) EXPECT_EQ(rows_of(c.sql), c.meaning) << c.sql;
}

TEST(Rows, KeysPassThroughJoins) {
  constexpr MeaningCase kCases[] = {
      {"SELECT x FROM a JOIN b ON b.a_id = a.id WHERE a.id = $1", "a[id=$1]! b[a_id=$1]"},
      {"SELECT x FROM a JOIN b ON b.a_id = a.id WHERE b.a_id = $1", "a[id=$1]! b[a_id=$1]"},
      {"SELECT x FROM a, b, c WHERE a.id = b.a_id AND b.id = c.b_id AND c.b_id = $1", "b[id=$1]! c[b_id=$1]"},
      {"SELECT x FROM a LEFT JOIN b ON b.a_id = a.id WHERE a.id = $1", "a[id=$1]! b[a_id=$1]"},
      {"SELECT x FROM a LEFT JOIN b ON b.a_id = a.id AND b.a_id = $1", "b[a_id=$1]"},
      {"SELECT x FROM a LEFT JOIN b ON a.id = $1", ""},
      {"SELECT x FROM a LEFT JOIN b ON b.a_id = a.id WHERE b.a_id = $1", "b[a_id=$1]"},
      {"SELECT x FROM a RIGHT JOIN b ON b.a_id = a.id WHERE b.a_id = $1", "a[id=$1]! b[a_id=$1]"},
      {"SELECT x FROM a FULL JOIN b ON b.a_id = a.id WHERE b.a_id = $1", "b[a_id=$1]"},
      {"SELECT x FROM a JOIN b USING (id) WHERE a.id = $1", "a[id=$1]! b[id=$1]!"},
      {"SELECT x FROM a LEFT JOIN b USING (id) WHERE a.id = $1", "a[id=$1]! b[id=$1]!"},
  };
  for (const MeaningCase& c : kCases) EXPECT_EQ(rows_of(c.sql), c.meaning) << c.sql;
}

TEST(Rows, KeysPassThroughSubqueries) {
  constexpr MeaningCase kCases[] = {
      {"SELECT x FROM a WHERE id = $1 AND EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id)", "a[id=$1]! b[a_id=$1]"},
      {"SELECT x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id AND a.id = $1)", ""},
      {"SELECT x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id AND b.a_id = $1)", "b[a_id=$1]"},
      {"SELECT d.x FROM (SELECT * FROM a) d WHERE d.id = $1", "a[id=$1]!"},
      {"SELECT d.x FROM (SELECT * FROM a LIMIT 5) d WHERE d.id = $1", ""},
      {"SELECT d.x FROM (SELECT id, max(x) AS x FROM a GROUP BY id) d WHERE d.id = $1", ""},
      {"SELECT d.x FROM (SELECT id, x, row_number() OVER (ORDER BY y) FROM a) d WHERE d.id = $1", ""},
      {"WITH d AS (SELECT * FROM a) SELECT 1 FROM d d1, d d2 WHERE d1.id = $1 AND d2.id = $2", ""},
      {"SELECT x FROM a WHERE id IN (SELECT a_id FROM b WHERE id = $1)", "b[id=$1]!"},
  };
  for (const MeaningCase& c : kCases) EXPECT_EQ(rows_of(c.sql), c.meaning) << c.sql;
}

TEST(Rows, OfWrites) {
  constexpr MeaningCase kCases[] = {
      {"UPDATE a SET x = $1 WHERE id = $2", "a[id=$2]!"},
      {"UPDATE a SET id = $1 WHERE id = $2", "a[id=$2]!"},
      {"UPDATE a SET x = b.z FROM b WHERE b.a_id = a.id AND b.a_id = $1", "a[id=$1]! b[a_id=$1]"},
      {"DELETE FROM a USING b WHERE a.id = b.a_id AND b.id = $1", "b[id=$1]!"},
      {"INSERT INTO a (id, x, y) VALUES ($1, $2, now())", "a[id=$1 x=$2]!"},
      {"INSERT INTO a VALUES ($1, $2, $3)", "a[id=$1 x=$2 y=$3]!"},
      {"INSERT INTO a (id, x) VALUES ($1, $2), ($3, $4)", ""},
      {"INSERT INTO a DEFAULT VALUES", "a[]!"},
      {"INSERT INTO a (id, x) SELECT $1, z FROM b WHERE b.z = $2", "a[id=$1 x=$2] b[z=$2]!"},
      {"INSERT INTO a (id, x) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.id = $3)",
       "a[id=$1 x=$2]! b[id=$3]!"},
      {"MERGE INTO a USING b ON a.id = b.a_id WHEN MATCHED THEN DELETE", ""},
  };
  for (const MeaningCase& c : kCases) EXPECT_EQ(rows_of(c.sql), c.meaning) << c.sql;
}

}  // namespace rows_test
}  // namespace isolde::audit
