#include "db/mariadb/mariadb.h"

#include <gtest/gtest.h>

#include "db/mariadb/mariadb_rows.h"

namespace isolde::db {
namespace mariadb_test {

TEST(Mariadb, WhoWaitsIsReadOffTheListOfTransactions) {
  const std::string_view status =
      "------------------------\n"
      "LATEST DETECTED DEADLOCK\n"
      "------------------------\n"
      "*** (1) TRANSACTION:\n"
      "TRANSACTION 31, ACTIVE 0 sec starting index read\n"
      "LOCK WAIT 3 lock struct(s), heap size 1128, 2 row lock(s)\n"
      "MariaDB thread id 7, OS thread handle 1, query id 5 localhost root Updating\n"
      "------------\n"
      "TRANSACTIONS\n"
      "------------\n"
      "LIST OF TRANSACTIONS FOR EACH SESSION:\n"
      "---TRANSACTION 34, ACTIVE 0 sec starting index read\n"
      "mysql tables in use 1, locked 1\n"
      "LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)\n"
      "MariaDB thread id 12, OS thread handle 140577167111872, query id 54 localhost root Updating\n"
      "update kv set v=10 where k=1\n"
      "------- TRX HAS BEEN WAITING 401630 us FOR THIS LOCK TO BE GRANTED:\n"
      "---TRANSACTION 33, ACTIVE 1 sec\n"
      "2 lock struct(s), heap size 1128, 1 row lock(s), undo log entries 1\n"
      "MariaDB thread id 11, OS thread handle 140577166804672, query id 52 localhost root User sleep\n"
      "---TRANSACTION 35, ACTIVE 0 sec inserting\n"
      "LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)\n"
      "MySQL thread id 14, OS thread handle 1, query id 60 localhost root update";
  EXPECT_EQ(sessions_in_lock_wait(status), (std::vector<std::int64_t>{12, 14}));
  EXPECT_TRUE(sessions_in_lock_wait("").empty());
  EXPECT_TRUE(sessions_in_lock_wait("LOCK WAIT 1\nMariaDB thread id 3, OS").empty());
}

TEST(Mariadb, TextOfAColumnBecomesACellOfItsType) {
  const auto cell = [](enum_field_types type, std::string_view text) {
    MYSQL_FIELD field = {};
    field.type = type;
    return cell_of_text(field, text);
  };
  EXPECT_TRUE(cell(MYSQL_TYPE_LONGLONG, "-12") == Cell(std::int64_t{-12}));
  EXPECT_TRUE(cell(MYSQL_TYPE_LONGLONG, "18446744073709551615") == Cell("18446744073709551615"));
  EXPECT_TRUE(cell(MYSQL_TYPE_NEWDECIMAL, "42") == Cell(std::int64_t{42}));
  EXPECT_TRUE(cell(MYSQL_TYPE_NEWDECIMAL, "42.00") == Cell("42.00"));
  EXPECT_TRUE(cell(MYSQL_TYPE_DOUBLE, "1e3") == Cell(1000.0));
  EXPECT_TRUE(cell(MYSQL_TYPE_VAR_STRING, "42") == Cell("42"));
  EXPECT_TRUE(cell(MYSQL_TYPE_BIT, std::string_view("\x02\x01", 2)) == Cell(std::int64_t{513}));
}

TEST(Mariadb, AServerThatIsNotThereIsAnErrorThatNamesIt) {
  const auto database = *open_mariadb(*parse_url("mariadb://nobody@127.0.0.1:1/d"));
  const auto connection = database->connect(database->levels()[0]);
  ASSERT_FALSE(connection.has_value());
  EXPECT_NE(connection.error().text.find("127.0.0.1:1"), std::string::npos) << connection.error().text;
}

}  // namespace mariadb_test
}  // namespace isolde::db
