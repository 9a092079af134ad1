#include "format/timekiller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "history/history_builder.h"
#include "tests/support/format_testing.h"

namespace isolde {
namespace timekiller_test {

using testing::MemoryOutput;
using testing::shown;
using testing::source_of;

Result<ReadResult> read(std::string_view text, bool lenient = false) {
  return kTimekillerFormat.read(source_of(text), ReadOptions{.lenient = lenient});
}

constexpr std::string_view kRegisters =
    R"([{"tid":1,"sid":"a","sts":{"p":"320316486","l":"1"},"cts":{"p":320316487,"l":0},"ops":[{"t":"w","k":"5","v":10},{"t":"read","k":6}]},
        {"ops":[{"v":"10","k":5,"t":"r"}],"rtts":5,"cts":{"p":9,"l":2},"sid":2,"tid":"x"}])";
constexpr std::string_view kLists =
    R"([{"tid":1,"sid":1,"sts":{"p":1,"l":0},"cts":{"p":2,"l":0},"ops":[{"t":"a","k":5,"v":1},{"t":"append","k":5,"v":2}]},
        {"tid":2,"sid":2,"sts":{"p":3,"l":0},"cts":{"p":3,"l":0},"ops":[{"t":"r","k":5,"v":[1,2]},{"t":"r","k":6,"v":null},{"t":"r","k":5,"v":[]}]}])";

TEST(TimekillerReader, NumbersMayBeQuotedAndAValueLeftOutIsNull) {
  EXPECT_EQ(shown(read(kRegisters)), "1@a: w 5=10 r 6=null\nx@2: r 5=10\n");
}

TEST(TimekillerReader, ATimestampIsItsPartsInOneNumber) {
  const auto result = read(kRegisters);
  const History& h = result->history;
  EXPECT_EQ(h.start_ts(TxnId{0}), (320316486LL << 18) + 1);
  EXPECT_EQ(h.commit_ts(TxnId{0}), 320316487LL << 18);
  EXPECT_EQ(h.start_ts(TxnId{1}), kNoTime);
  EXPECT_EQ(h.commit_ts(TxnId{1}), (9LL << 18) + 2);
}

TEST(TimekillerReader, AFieldThatTheFormatDoesNotHaveIsRefusedOrCounted) {
  const std::string text = R"([{"tid":1,"sid":1,"stss":{"p":1,"l":0},"ops":[{"t":"W","k":5,"v":1,"val":2}]}])";
  EXPECT_EQ(shown(read(text)), "mem:1:19: unknown field \"stss\" in a transaction; did you mean sts?");
  const auto lenient = read(text, true);
  EXPECT_EQ(shown(lenient), "1@1: w 5=1\n");
  EXPECT_EQ(lenient->notes,
            std::vector<std::string>{"ignored 2 fields that the format does not have: \"stss\" (1), \"val\" (1)"});
  EXPECT_EQ(shown(read(R"([{"tid":1,"sid":1,"sts":{"p":1,"L":0},"ops":[]}])")),
            "mem:1:32: unknown field \"L\" in a timestamp; did you mean l or p?");
}

TEST(TimekillerReader, ReadsOfAZeroThatNobodyWroteHintAtTheOption) {
  const std::string text =
      R"([{"tid":1,"sid":1,"ops":[{"t":"r","k":5,"v":0},{"t":"w","k":6,"v":0},{"t":"r","k":6,"v":0}]}])";
  EXPECT_EQ(
      read(text)->notes,
      std::vector<std::string>{
          "1 reads return 0, which no transaction wrote, and none returns null: if keys start at 0, use --initial 0"});
  EXPECT_TRUE(kTimekillerFormat.read(source_of(text), ReadOptions{.initial = "0"})->notes.empty());
  EXPECT_TRUE(read(R"([{"tid":1,"sid":1,"ops":[{"t":"r","k":5,"v":0},{"t":"r","k":6}]}])")->notes.empty());
}

TEST(TimekillerReader, NumbersInASessionAreItsOrder) {
  const auto result = read(R"([{"tid":3,"sid":1,"sno":2,"ops":[{"t":"w","k":5,"v":3}]},{"tid":9,"sid":2,"ops":[]},
      {"tid":1,"sid":1,"sno":"0","ops":[{"t":"w","k":5,"v":1},{"t":"r","k":5,"v":1}]},
      {"tid":2,"sid":1,"sno":1,"ops":[]}])");
  EXPECT_EQ(shown(result), "1@1: w 5=1 r 5=1\n9@2:\n2@1:\n3@1: w 5=3\n");
  EXPECT_EQ(result->history.sno(TxnId{0}), 0);
  EXPECT_EQ(result->history.sno(TxnId{1}), kNoTime);
  EXPECT_EQ(result->history.sno(TxnId{3}), 2);
  // Where one has none, the order in the file is what is known.
  EXPECT_EQ(shown(read(R"([{"tid":3,"sid":1,"sno":2,"ops":[]},{"tid":1,"sid":1,"sno":null,"ops":[]}])")),
            "3@1:\n1@1:\n");
  EXPECT_EQ(shown(read(R"([{"tid":3,"sid":1,"sno":-1,"ops":[]}])")),
            "mem:1:25: expected \"sno\" to be an integer from 0 to 2^63 - 1");
}

TEST(TimekillerReader, ListsAreAppendedTo) {
  EXPECT_EQ(shown(read(kLists)), "1@1: a 5=1 a 5=2\n2@2: r 5=[1,2] r 6=null r 5=null\n");
}

TEST(TimekillerReader, MicrosecondsFitWithAnotherPackingAndNothingIsLost) {
  const std::string text =
      R"([{"tid":1,"sid":1,"sts":{"p":1700000000000000,"l":4095},"cts":{"p":1700000000000001,"l":0},"ops":[]}])";
  const auto result = read(text);
  ASSERT_TRUE(result.has_value()) << result.error().message();
  EXPECT_EQ(result->history.start_ts(TxnId{0}), (1700000000000000LL << 12) + 4095);
  EXPECT_EQ(result->history.about(), "timestamps are p * 2^12 + l");
  MemoryOutput output;
  EXPECT_TRUE(kTimekillerFormat.write(result->history, output)->lost.empty());
  EXPECT_EQ(output.text(), text + "\n");
}

TEST(TimekillerReader, ATimestampThatFitsNoPackingIsAnError) {
  EXPECT_EQ(shown(read("[\n{\"tid\":1,\"sid\":1,\"sts\":{\"p\":9223372036854775807,\"l\":1},\"ops\":[]}]")),
            "mem:2:1: expected timestamps that fit 63 bits as p * 2^1 + l");
}

TEST(TimekillerReader, AnErrorNamesItsPlace) {
  EXPECT_EQ(shown(read("[{\"tid\":1,\"ops\":[]}]")), "mem:1:2: expected the field \"sid\" in the transaction");
  EXPECT_EQ(shown(read("[{\"tid\":1,\"sid\":1,\n\"ops\":[{\"t\":\"q\",\"k\":1}]}]")),
            "mem:2:13: expected \"r\", \"read\", \"w\", \"write\", \"a\" or \"append\"");
  EXPECT_EQ(shown(read("[{\"tid\":1,\"sid\":1,\"ops\":[]},\n{\"tid\":1,\"sid\":2,\"ops\":[]}]")),
            "mem:2:1: transaction id 1 occurs twice");
  EXPECT_EQ(shown(read("[{\"tid\":1,\"sid\":1,\"sts\":{\"p\":-1,\"l\":0},\"ops\":[]}]")),
            "mem:1:30: expected a part of a timestamp, which is not negative");
}

TEST(TimekillerReader, ACutFileKeepsItsWholeTransactionsWhenAskedFor) {
  const std::string_view cut = kLists.substr(0, kLists.size() - 40);
  EXPECT_FALSE(read(cut).has_value());
  EXPECT_EQ(shown(read(cut, true)), "1@1: a 5=1 a 5=2\n");
}

// A field that the general way alone knows how to ignore sends the whole file there.
TEST(TimekillerReader, TheQuickWayAndTheGeneralOneReadTheSame) {
  Rng rng(1);
  std::uint64_t read_by_both = 0;
  for (int round = 0; round < 300; ++round) {
    std::string text = "[";
    std::int64_t clock = static_cast<std::int64_t>(rng.below(1000000));
    for (std::uint64_t t = 0, count = rng.below(8); t < count; ++t) {
      const auto quoted = [&](std::int64_t number) {
        return rng.below(4) == 0 ? fmt::format("\"{}\"", number) : fmt::format("{}", number);
      };
      const auto stamp = [&] {
        clock += static_cast<std::int64_t>(rng.below(100000000));
        return fmt::format(R"({{"p":{}, "l":{}}})", quoted(clock),
                           quoted(static_cast<std::int64_t>(rng.below(300000))));
      };
      text += fmt::format("{}{}{{\"tid\":{},\"sid\":{}", t == 0 ? "" : ",", rng.below(2) == 0 ? "\n " : "", t + 1,
                          quoted(static_cast<std::int64_t>(rng.below(2))));
      if (rng.below(3) != 0) text += fmt::format(",\"sno\":{}", quoted(static_cast<std::int64_t>(t + rng.below(2))));
      if (rng.below(4) != 0) text += ",\"sts\":" + stamp();
      if (rng.below(4) != 0) text += ", \"cts\" : " + stamp();
      text += ",\"ops\":[";
      for (std::uint64_t i = 0, ops = rng.below(4); i < ops; ++i) {
        static constexpr const char* kOps[] = {"r", "read", "w", "write", "a", "append"};
        const std::uint64_t kind = rng.below(6);
        static constexpr const char* kValues[] = {"7", "\"7\"", "-12345678901", "\"text\"", "123456789"};
        std::string value = kValues[rng.below(5)];
        if (kind < 2 && rng.below(3) == 0) value = fmt::format("[{},{}]", value, kValues[rng.below(5)]);
        if (kind < 4 && rng.below(6) == 0) value = "null";
        text += fmt::format(R"({}{{"t":"{}","k":{},"v":{}}})", i == 0 ? "" : ",", kOps[kind],
                            quoted(static_cast<std::int64_t>(rng.below(3))), value);
      }
      text += "]}";
    }
    text += "]\n";
    const auto quick = read(text);
    // An escape is not plain, and means the same.
    std::string general = text;
    if (const auto at = general.find("\"tid\""); at != std::string::npos) general.replace(at, 5, "\"\\u0074id\"");
    const auto slow = read(general);
    ASSERT_EQ(quick.has_value(), slow.has_value()) << text;
    if (!quick) continue;
    ++read_by_both;
    ASSERT_EQ(difference(quick->history, slow->history), "") << text;
    ASSERT_EQ(quick->notes, slow->notes) << text;
    ASSERT_EQ(quick->history.about(), slow->history.about()) << text;
  }
  EXPECT_GT(read_by_both, 200U);
}

TEST(TimekillerWriter, WhatItReadItWritesAgain) {
  for (const std::string_view text : {kRegisters, kLists}) {
    const auto first = read(text);
    MemoryOutput output;
    const auto written = kTimekillerFormat.write(first->history, output);
    ASSERT_TRUE(written.has_value());
    EXPECT_TRUE(written->lost.empty()) << written->lost[0];
    const std::string again = output.text();
    EXPECT_EQ(difference(first->history, read(again)->history), "");
  }
}

TEST(TimekillerWriter, NumbersInASessionAreWrittenIfNoneIsLeftOut) {
  const auto written = [](Status second) {
    HistoryBuilder builder;
    for (int i = 0; i < 3; ++i) {
      builder.begin_txn(builder.session(1));
      builder.set_sno(i);
      if (i == 1) builder.set_status(second);
      builder.end_txn();
    }
    MemoryOutput output;
    EXPECT_TRUE(kTimekillerFormat.write(*builder.finish(), output));
    return output.text();
  };
  EXPECT_EQ(written(Status::kCommitted),
            "[{\"tid\":0,\"sid\":1,\"sno\":0,\"ops\":[]},\n{\"tid\":1,\"sid\":1,\"sno\":1,\"ops\":[]},\n"
            "{\"tid\":2,\"sid\":1,\"sno\":2,\"ops\":[]}]\n");
  EXPECT_EQ(written(Status::kAborted), "[{\"tid\":0,\"sid\":1,\"ops\":[]},\n{\"tid\":2,\"sid\":1,\"ops\":[]}]\n");
}

TEST(TimekillerWriter, TheInitialStateBecomesNullAndAbortedTransactionsAreLeftOut) {
  HistoryBuilder builder;
  builder.set_default_initial(builder.values().integer(0));
  builder.begin_txn(builder.session(0));
  builder.read(builder.key("x"), builder.values().integer(0));
  builder.write(builder.key("x"), kNullValue);
  builder.set_commit_ts(7);
  builder.end_txn();
  builder.begin_txn(builder.session(0));
  builder.set_status(Status::kAborted);
  builder.end_txn();
  MemoryOutput output;
  const auto written = kTimekillerFormat.write(*builder.finish(), output);
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(written->lost.size(), 4U);
  EXPECT_EQ(written->transactions, 1U);
  EXPECT_EQ(written->operations, 2U);
  EXPECT_EQ(output.text(),
            "[{\"tid\":0,\"sid\":0,\"cts\":{\"p\":0,\"l\":7},\"ops\":[{\"t\":\"r\",\"k\":1,\"v\":null},{\"t\":\"w\","
            "\"k\":1,\"v\":1}]}]\n");
}

}  // namespace timekiller_test
}  // namespace isolde
