#include "audit/sql/times.h"

#include <gtest/gtest.h>

#include "audit/sql/statement.h"

namespace isolde::audit {
namespace times_test {

// The rows of a statement that are old, or made now.
std::string ages(std::string_view sql, SqlDialect dialect) {
  Schema schema;
  learn_schema(sql, dialect, schema);
  std::string out;
  for (const RowSet& rows : understand(sql, dialect, schema).row_sets) {
    for (const ColumnId column : rows.long_ago) out += schema.full_name(column) + " long ago ";
    for (const ColumnId column : rows.just_now) out += schema.full_name(column) + " now ";
  }
  return out;
}

TEST(Times, AreUnderstoodInBothDialects) {
  const auto mysql = SqlDialect::kMysql, postgres = SqlDialect::kPostgres;
  EXPECT_EQ(ages("DELETE FROM cart WHERE id = 0 AND added < DATE_SUB(NOW(), INTERVAL 1 HOUR)", mysql),
            "cart.added long ago ");
  EXPECT_EQ(ages("DELETE FROM cart WHERE added <= NOW() - INTERVAL 2 DAY", mysql), "cart.added long ago ");
  EXPECT_EQ(ages("SELECT id FROM cart WHERE now() - interval '3 hours' > added", postgres), "cart.added long ago ");
  EXPECT_EQ(ages("INSERT INTO cart SET id = 1, added = NOW()", mysql), "cart.added now ");
  EXPECT_EQ(ages("INSERT INTO cart (id, added) VALUES (1, current_timestamp)", postgres), "cart.added now ");
}

TEST(Times, ThatAreNotLongAgoOrNotSurelySoDoNotCount) {
  const auto mysql = SqlDialect::kMysql, postgres = SqlDialect::kPostgres;
  EXPECT_EQ(ages("DELETE FROM cart WHERE added < DATE_SUB(NOW(), INTERVAL 5 MINUTE)", mysql), "");
  EXPECT_EQ(ages("DELETE FROM cart WHERE added < DATE_SUB(NOW(), INTERVAL 0 HOUR)", mysql), "");
  EXPECT_EQ(ages("DELETE FROM cart WHERE added > DATE_SUB(NOW(), INTERVAL 1 HOUR)", mysql), "");
  EXPECT_EQ(ages("DELETE FROM cart WHERE added < NOW() - INTERVAL 1 HOUR OR id = 3", mysql), "");
  EXPECT_EQ(ages("DELETE FROM cart WHERE added < now() + interval '1 hour'", postgres), "");
  EXPECT_EQ(ages("DELETE FROM cart WHERE added < now() - interval '-1 hour'", postgres), "");
}

}  // namespace times_test
}  // namespace isolde::audit
