#include "format/text.h"

#include <gtest/gtest.h>

#include "history/history_builder.h"
#include "tests/support/format_testing.h"

namespace isolde {
namespace text_test {

using testing::MemoryOutput;
using testing::shown;
using testing::source_of;

Result<ReadResult> read(const FormatInfo& format, std::string_view text, bool lenient = false) {
  return format.read(source_of(text), ReadOptions{.lenient = lenient});
}
std::string reading(std::string_view text) { return shown(read(kTextFormat, text)); }

TEST(TextReader, OperationsOfOneTransactionBelongTogetherWhereverTheyStand) {
  EXPECT_EQ(reading("w(1,5,0,10)\nw(1,6,1,20)\nr(2,0,0,10)\n\nr(1,5,0,11)"),
            "10@0: w 1=5 r 2=0\n20@1: w 1=6\n11@0: r 1=5\n");
}

TEST(TextReader, EveryKeyHoldsZeroAtFirst) {
  EXPECT_EQ(read(kTextFormat, "r(1,0,0,0)")->history.default_initial(), ValueId{0});
}

TEST(TextReader, AbortedOperationsOfASessionThatFollowEachOtherAreOneTransaction) {
  EXPECT_EQ(reading("w(1,1,0,-1)\nw(9,9,1,5)\nw(1,2,0,-1)\nr(1,0,0,0)\nw(1,3,0,-1)\nw(1,4,1,-1)\n"),
            "-1@0 aborted: w 1=1 w 1=2\n5@1: w 9=9\n0@0: r 1=0\n-2@0 aborted: w 1=3\n-3@1 aborted: w 1=4\n");
}

TEST(TextReader, NumbersHave64BitsSignedOrNot) {
  EXPECT_EQ(reading("w(18446744073709551615,-9223372036854775808,0,18446744073709551615)"),
            "18446744073709551615@0: w 18446744073709551615=-9223372036854775808\n");
  EXPECT_EQ(reading("w(18446744073709551616,1,0,0)"), "mem:1:3: expected the key, a 64-bit integer");
  EXPECT_EQ(reading("w(1,-9223372036854775809,0,0)"), "mem:1:5: expected the value, a 64-bit integer");
}

TEST(TextReader, ATransactionInTwoSessionsIsAnError) {
  EXPECT_EQ(reading("w(1,1,0,7)\nw(1,2,3,7)\n"), "mem:2:1: expected session 0: transaction 7 began there");
}

TEST(TextReader, AnErrorNamesItsPlace) {
  EXPECT_EQ(reading("w(1,1,0,7)\nw(1,2,3,7\n"), "mem:2:10: expected ')' after the transaction");
  EXPECT_EQ(reading("x(1,1,0,7)"), "mem:1:1: expected r(key,value,session,txn) or w(key,value,session,txn)");
  EXPECT_EQ(reading("w(1,1,0,-2)"), "mem:1:9: expected a transaction number, or -1 for an aborted operation");
}

TEST(TextReader, ALastLineThatIsCutOffIsDroppedOnlyWhenAskedFor) {
  EXPECT_FALSE(read(kTextFormat, "w(1,1,0,7)\nw(1,2,").has_value());
  const auto lenient = read(kTextFormat, "w(1,1,0,7)\nw(1,2,", true);
  EXPECT_EQ(shown(lenient), "7@0: w 1=1\n");
  ASSERT_EQ(lenient->notes.size(), 1U);
  EXPECT_EQ(lenient->notes[0], "dropped the last line (2): it is cut off");
  EXPECT_FALSE(read(kTextFormat, "w(1,2,\nw(1,1,0,7)\n", true).has_value()) << "only the last line can be cut off";
}

TEST(TextDialects, EachRefusesOrDropsWhatItsToolDoes) {
  EXPECT_EQ(shown(read(kTextPolysiFormat, "w(1,1,0,-1)")),
            "mem:1:9: expected a transaction number: this dialect has no aborted operations");
  EXPECT_EQ(shown(read(kTextPolysiFormat, "w(-1,1,0,1)")),
            "mem:1:3: expected the key, which is not negative in this dialect");
  EXPECT_EQ(shown(read(kTextPlumeFormat, "w(1,0,0,0)\nw(2,5,0,0)\nr(1,0,0,0)")), "0@0: w 2=5 r 1=0\n");
  EXPECT_EQ(shown(read(kTextAwditFormat, "w(1,0,0,-1)")), "-1@0 aborted: w 1=0\n");
  EXPECT_EQ(shown(read(kTextAwditFormat, "w(1,-5,0,1)")),
            "mem:1:5: expected the value, which is not negative in this dialect");
}

TEST(TextWriter, WhatItReadItWritesAgain) {
  const auto first =
      read(kTextFormat, "w(1,5,0,10)\nw(1,6,1,-1)\nr(2,0,0,10)\nr(1,5,0,11)\nw(3,18446744073709551615,0,11)");
  MemoryOutput output;
  const auto written = kTextFormat.write(first->history, output);
  ASSERT_TRUE(written.has_value());
  EXPECT_TRUE(written->lost.empty()) << written->lost[0];
  const std::string text = output.text();
  EXPECT_EQ(difference(first->history, read(kTextFormat, text)->history), "");
}

TEST(TextWriter, OtherKeysAndValuesAreNumberedAndTheInitialStateStaysTheInitialState) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session(builder.values().string("s")));
  builder.read(builder.key("x"), kNullValue);
  builder.write(builder.key("x"), builder.values().integer(0));
  builder.write(builder.key("x"), builder.values().string("a"));
  builder.write(builder.key(1), builder.values().integer(-4));
  builder.set_start_ts(5);
  builder.end_txn();
  const History h = *builder.finish();
  MemoryOutput output;
  const auto written = kTextFormat.write(h, output);
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(output.text(), "r(2,0,1,0)\nw(2,1,1,0)\nw(2,2,1,0)\nw(1,3,1,0)\n");
  EXPECT_EQ(written->lost.size(), 5U);
}

TEST(TextWriter, AnUnknownTransactionIsWrittenOnlyIfItWasSeen) {
  HistoryBuilder builder;
  for (const int value : {1, 2}) {
    builder.begin_txn(builder.session(value));
    builder.set_status(Status::kUnknown);
    builder.write(builder.key(1), builder.values().integer(value));
    builder.end_txn();
  }
  builder.begin_txn(builder.session(3));
  builder.read(builder.key(1), builder.values().integer(2));
  builder.end_txn();
  const History h = *builder.finish();
  MemoryOutput output;
  ASSERT_TRUE(kTextFormat.write(h, output).has_value());
  EXPECT_EQ(output.text(), "w(1,2,2,1)\nr(1,2,3,2)\n");
}

TEST(TextWriter, AppendsHaveNoPlace) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session(0));
  builder.append(builder.key("x"), builder.values().integer(1));
  builder.end_txn();
  MemoryOutput output;
  EXPECT_EQ(
      write_history(*builder.finish(), kTextFormat, output, Losses::kRefuse).error().message(),
      "format text cannot carry 1 append, on which a verdict may depend; formats that can: isl, native, jepsen-edn, "
      "timekiller");
}

}  // namespace text_test
}  // namespace isolde
