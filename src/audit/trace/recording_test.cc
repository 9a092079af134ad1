#include "audit/trace/recording.h"

#include <gtest/gtest.h>

#include "audit/trace/recording_tables.h"
#include "audit/trace/trace_testing.h"
#include "history/value.h"

namespace isolde::audit {
namespace recording_test {

std::string read(std::string_view history) { return events(history, TraceFormat::kRecording); }

TEST(RecordedTables, NamesAndLiteralsAreSql) {
  EXPECT_EQ(sql_name("c_balance"), "c_balance");
  EXPECT_EQ(sql_name("order"), "\"order\"");
  EXPECT_EQ(sql_name("Name \"x\""), "\"Name \"\"x\"\"\"");
  EXPECT_EQ(sql_name("1st"), "\"1st\"");
  ValueInterner values;
  const ValueId text = values.string("it's");
  const ValueId list = values.list(std::vector{ValueId{1}, ValueId{2}});
  EXPECT_EQ(sql_literal(values.table(), text), "'it''s'");
  EXPECT_EQ(sql_literal(values.table(), list), "'[1,2]'");
  EXPECT_EQ(sql_literal(values.table(), values.integer(-5)), "-5");
  EXPECT_EQ(sql_literal(values.table(), kNullValue), "NULL");
}

TEST(Recording, KeysAreRowsOfTables) {
  EXPECT_EQ(
      read("{\"isolde\":1,\"initial\":{\"district/1/2\":{\"d_next_o_id\":31,\"w\":0}}}\n"
           "{\"id\":0,\"session\":\"a\",\"ops\":[[\"r\",\"district/1/2\",{\"d_next_o_id\":31,\"w\":0}],"
           "[\"w\",\"district/1/2\",{\"d_next_o_id\":32,\"w\":11}],[\"w\",\"orders/1/2/"
           "31\",{\"o_carrier_id\":null,\"w\":13}]]}\n"
           "{\"id\":1,\"session\":\"a\",\"status\":\"aborted\",\"ops\":[[\"w\",\"orders/1/2/31\",null]]}\n"),
      "0: CREATE TABLE district (key1 bigint, key2 bigint, d_next_o_id bigint, w bigint, PRIMARY KEY (key1, key2))\n"
      "0: CREATE TABLE orders (key1 bigint, key2 bigint, key3 bigint, o_carrier_id bigint, w bigint, PRIMARY KEY "
      "(key1, key2, key3))\n"
      "0 ends\n"
      "1: BEGIN\n"
      "1: SELECT d_next_o_id, w FROM district WHERE key1 = 1 AND key2 = 2\n"
      "1: UPDATE district SET d_next_o_id = 32, w = 11 WHERE key1 = 1 AND key2 = 2\n"
      "1: INSERT INTO orders (key1, key2, key3, o_carrier_id, w) VALUES (1, 2, 31, NULL, 13)\n"
      "1: COMMIT\n"
      "1: BEGIN\n"
      "1: DELETE FROM orders WHERE key1 = 1 AND key2 = 2 AND key3 = 31\n"
      "1: ROLLBACK\n");
}

TEST(Recording, PlainKeysAreOneTable) {
  EXPECT_EQ(
      read("{\"isolde\":1,\"initial\":0}\n"
           "{\"session\":0,\"ops\":[[\"r\",7,0,{\"lock\":\"update\"}],[\"w\",7,5],[\"inc\",8,2],[\"r\",\"x\",0]]}\n"),
      "0: CREATE TABLE kv (key text, value bigint, PRIMARY KEY (key))\n0 ends\n"
      "1: BEGIN\n1: SELECT value FROM kv WHERE key = 7 FOR UPDATE\n1: UPDATE kv SET value = 5 WHERE key = 7\n"
      "1: UPDATE kv SET value = value + 2 WHERE key = 8\n1: SELECT value FROM kv WHERE key = 'x'\n1: COMMIT\n");
}

TEST(Recording, PredicatesAreConditions) {
  EXPECT_EQ(read("{\"isolde\":1,\"initial\":{\"a\":{\"b\":1,\"c\":2}}}\n"
                 "{\"session\":0,\"ops\":[[\"scan\",\"b between 1 and "
                 "3\",[[\"a\",{\"b\":1,\"c\":2}]]],[\"agg\",\"max(c)\",\"b < 2\",2],"
                 "[\"update\",\"b = 1\",[[\"a\",{\"b\":1,\"c\":3}]]],[\"update\",\"b = 7\",[]],[\"update\",\"b = "
                 "1\",[[\"a\",null]]]]}\n"),
            "0: CREATE TABLE kv (key text, b bigint, c bigint, PRIMARY KEY (key))\n0 ends\n1: BEGIN\n"
            "1: SELECT key, b, c FROM kv WHERE b between 1 and 3\n1: SELECT max(c) FROM kv WHERE b < 2\n"
            "1: UPDATE kv SET c = 3 WHERE b = 1\n1: SELECT key, b, c FROM kv WHERE b = 7\n1: DELETE FROM kv WHERE b = "
            "1\n1: COMMIT\n");
}

TEST(Recording, AppendsGoOnWithTheList) {
  EXPECT_EQ(read("{\"isolde\":1}\n{\"session\":0,\"ops\":[[\"append\",1,5],[\"append\",1,6],[\"r\",1,[5,6]]]}\n"),
            "0: CREATE TABLE kv (key bigint, value text, PRIMARY KEY (key))\n0 ends\n1: BEGIN\n"
            "1: INSERT INTO kv (key, value) VALUES (1, ',5') ON CONFLICT (key) DO UPDATE SET value = kv.value || ',5'\n"
            "1: UPDATE kv SET value = value || ',6' WHERE key = 1\n1: SELECT value FROM kv WHERE key = 1\n1: COMMIT\n");
}

TEST(Recording, SessionsAreInterleavedByTheClock) {
  EXPECT_EQ(
      read("{\"isolde\":1,\"initial\":0}\n"
           "{\"session\":0,\"begin\":10,\"end\":40,\"ops\":[[\"r\",1,0,{\"at\":[11,12]}],[\"w\",1,2,{\"at\":[30,31]}]]}"
           "\n"
           "{\"session\":1,\"begin\":15,\"end\":25,\"ops\":[[\"r\",1,0,{\"at\":[16,20]}]]}\n"),
      "0: CREATE TABLE kv (key bigint, value bigint, PRIMARY KEY (key))\n0 ends\n"
      "1: BEGIN\n1: SELECT value FROM kv WHERE key = 1\n2: BEGIN\n2: SELECT value FROM kv WHERE key = 1\n2: COMMIT\n"
      "1: UPDATE kv SET value = 2 WHERE key = 1\n1: COMMIT\n");
}

TEST(Recording, SessionsAreNumberedAsTheyAppear) {
  EXPECT_EQ(read("{\"isolde\":1}\n"), "");
  EXPECT_EQ(read("{\"isolde\":1}\n{\"session\":0,\"begin\":50,\"end\":60,\"ops\":[]}\n"
                 "{\"session\":1,\"begin\":10,\"end\":20,\"ops\":[]}\n"),
            "0: BEGIN\n0: COMMIT\n1: BEGIN\n1: COMMIT\n");
}

TEST(Recording, AConditionWithoutATableIsTold) {
  EXPECT_EQ(
      read("{\"isolde\":1}\n{\"session\":0,\"ops\":[[\"w\",\"a/1\",1],[\"w\",\"b/1\",2],[\"scan\",\"key = 5\",[]]]}\n"),
      "0: CREATE TABLE a (key bigint, value bigint, PRIMARY KEY (key))\n"
      "0: CREATE TABLE b (key bigint, value bigint, PRIMARY KEY (key))\n0 ends\n1: BEGIN\n"
      "1: INSERT INTO a (key, value) VALUES (1, 1)\n1: INSERT INTO b (key, value) VALUES (1, 2)\n"
      "line 1 not read: nothing says which table this condition is about\n1: COMMIT\n");
}

TEST(Recording, ABadHistoryIsAnError) {
  WritingSink sink;
  const auto facts =
      read_trace_text("{\"isolde\":1}\n{\"session\":0,\"ops\":[[\"zap\"]]}\n{\"session\":0}\n", "h.jsonl", {}, sink);
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().line, 2U);
}

}  // namespace recording_test
}  // namespace isolde::audit
