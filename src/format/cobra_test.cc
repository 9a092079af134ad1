#include "format/cobra.h"

#include <gtest/gtest.h>

#include "history/history_builder.h"
#include "tests/support/format_testing.h"

namespace isolde {
namespace cobra_test {

using testing::folder_of;
using testing::MemoryOutput;
using testing::shown;

class Log {
 public:
  Log& put(char tag, std::initializer_list<std::int64_t> fields) {
    bytes_ += tag;
    for (const std::int64_t field : fields) {
      for (int shift = 56; shift >= 0; shift -= 8)
        bytes_ += static_cast<char>(static_cast<std::uint64_t>(field) >> shift);
    }
    return *this;
  }
  operator std::string() const { return bytes_; }  // NOLINT(google-explicit-constructor)

 private:
  std::string bytes_;
};

using Files = std::map<std::string, std::string>;

std::string reading(const Files& files, bool lenient = false) {
  return shown(kCobraFormat.read(folder_of(files), ReadOptions{.lenient = lenient}));
}

Files written(const History& h, Lost& lost) {
  MemoryOutput output;
  auto result = kCobraFormat.write(h, output);
  EXPECT_TRUE(result.has_value());
  if (result) lost = result->lost;
  return output.files();
}

const Files kPlain = {
    {"T10.log", Log().put('S', {100}).put('W', {7, 1, -5}).put('C', {100})},
    {"T9.log",
     Log().put('S', {200}).put('R', {100, 7, 1, -5}).put('R', {0xbebeebee, 0xbebeebee, 2, 44}).put('C', {200})},
    {"T9.debug", "whatever"}};

TEST(CobraReader, AVersionIsItsValueHashAndItsWriteId) {
  EXPECT_EQ(reading(kPlain), "200@9: r 1={\"value\":-5,\"write\":7} r 2=44\n100@10: w 1={\"value\":-5,\"write\":7}\n");
}

TEST(CobraReader, AReadFromATransactionThatDidNotWriteItSaysSo) {
  EXPECT_EQ(reading({{"T0.log", Log().put('S', {1}).put('W', {7, 1, 5}).put('C', {1})},
                     {"T1.log", Log().put('S', {2}).put('R', {9, 7, 1, 5}).put('R', {1, 8, 1, 5}).put('C', {2})}}),
            "1@0: w 1={\"value\":5,\"write\":7}\n"
            "2@1: r 1={\"txn\":9,\"value\":5,\"write\":7} r 1={\"txn\":1,\"value\":5,\"write\":8}\n");
}

TEST(CobraReader, TwoWritesWithOneIdAreToldApartByTheirTransactions) {
  EXPECT_EQ(
      reading({{"T0.log",
                Log().put('S', {1}).put('W', {7, 1, 5}).put('C', {1}).put('S', {2}).put('W', {7, 1, 5}).put('C', {2})},
               {"T1.log", Log().put('S', {3}).put('R', {2, 7, 1, 5}).put('C', {3})}}),
      "1@0: w 1={\"value\":5,\"write\":7}\n2@0: w 1={\"txn\":2,\"value\":5,\"write\":7}\n"
      "3@1: r 1={\"txn\":2,\"value\":5,\"write\":7}\n");
}

constexpr std::int64_t kAnyId = 0xabddefee;

TEST(CobraReader, AReadFromAnyWriterReadsEveryWriteOfThatValue) {
  const Files files = {
      {"T0.log", Log().put('S', {1}).put('W', {kAnyId, 1, 5}).put('W', {kAnyId, 2, 5}).put('C', {1})},
      {"T1.log", Log().put('S', {2}).put('W', {kAnyId, 1, 5}).put('W', {9, 1, 6}).put('C', {2})},
      {"T2.log", Log().put('S', {3}).put('R', {kAnyId, kAnyId, 1, 5}).put('R', {2, 9, 1, 6}).put('C', {3})}};
  const auto result = kCobraFormat.read(folder_of(files), {});
  EXPECT_EQ(shown(result),
            "1@0: w 1=5 w 2={\"value\":5,\"write\":2883448814}\n2@1: w 1=5 w 1={\"value\":6,\"write\":9}\n"
            "3@2: r 1=5 r 1={\"value\":6,\"write\":9}\n");
  ASSERT_EQ(result->notes.size(), 1U);
  EXPECT_NE(result->notes[0].find("any writer of their value (0xabddefee"), std::string::npos) << result->notes[0];
}

TEST(CobraReader, AReadFromAnyWriterOfOneWriteIdKeepsTheId) {
  EXPECT_EQ(reading({{"T0.log", Log().put('S', {1}).put('W', {7, 1, 5}).put('C', {1})},
                     {"T1.log", Log().put('S', {2}).put('W', {7, 1, 5}).put('W', {8, 1, 5}).put('C', {2})},
                     {"T2.log", Log().put('S', {3}).put('R', {kAnyId, 7, 1, 5}).put('C', {3})}}),
            "1@0: w 1={\"value\":5,\"write\":7}\n"
            "2@1: w 1={\"value\":5,\"write\":7} w 1={\"value\":5,\"write\":8}\n"
            "3@2: r 1={\"value\":5,\"write\":7}\n");
}

TEST(CobraReader, WritesWithoutIdsAreToldApartByAReadThatNamesTheirWriter) {
  EXPECT_EQ(reading({{"T0.log", Log().put('S', {1}).put('W', {kAnyId, 1, 5}).put('C', {1})},
                     {"T1.log", Log().put('S', {2}).put('W', {kAnyId, 1, 5}).put('C', {2})},
                     {"T2.log", Log().put('S', {3}).put('R', {2, kAnyId, 1, 5}).put('C', {3})}}),
            "1@0: w 1={\"value\":5,\"write\":2883448814}\n"
            "2@1: w 1={\"txn\":2,\"value\":5,\"write\":2883448814}\n"
            "3@2: r 1={\"txn\":2,\"value\":5,\"write\":2883448814}\n");
}

TEST(CobraReader, AReadFromAnyWriterOfAValueThatNobodyWroteStaysThat) {
  EXPECT_EQ(
      reading({{"T0.log", Log().put('S', {1}).put('W', {7, 1, 5}).put('R', {kAnyId, kAnyId, 1, 6}).put('C', {1})}}),
      "1@0: w 1={\"value\":5,\"write\":7} r 1=6\n");
}

TEST(CobraReader, MissingAndDeletedKeysAreNull) {
  EXPECT_EQ(
      reading(
          {{"T0.log",
            Log().put('S', {1}).put('R', {0xdeadbeef, 0xdeadbeef, 1, 0}).put('W', {0xabcdefab, 1, 3}).put('C', {1})}}),
      "1@0: r 1=null w 1=null\n");
}

TEST(CobraReader, AMissingKeyThatHasAnInitialValueAndWasNeverDeletedIsInItsInitialState) {
  const Files files = {{"T0.log", Log()
                                      .put('S', {1})
                                      .put('R', {0xdeadbeef, 0xdeadbeef, 1, 0})
                                      .put('R', {0xbebeebee, 0xbebeebee, 1, 6})
                                      .put('R', {0xbebeebee, 0xbebeebee, 1, 8})
                                      .put('R', {0xbebeebee, 0x66666666, 9, 8})
                                      .put('C', {1})}};
  const auto result = kCobraFormat.read(folder_of(files), {});
  EXPECT_EQ(shown(result), "1@0: r 1=6 r 1=6 r 1=6\n");
  EXPECT_EQ(result->notes.size(), 3U);
}

TEST(CobraReader, TimesBecomeBeginAndEnd) {
  const Files files = {{"T0.log", Log().put('S', {1, 1000}).put('W', {7, 1, 5}).put('C', {1, 1010})}};
  const auto result = kCobraFormat.read(folder_of(files), {});
  ASSERT_TRUE(result.has_value()) << result.error().message();
  EXPECT_EQ(result->history.begin(TxnId{0}), 1000);
  EXPECT_EQ(result->history.end(TxnId{0}), 1010);
}

TEST(CobraReader, ATransactionWithoutCommitAtTheEndIsUnknown) {
  EXPECT_EQ(reading({{"T0.log", Log().put('S', {1}).put('W', {7, 1, 5})}}),
            "1@0 unknown: w 1={\"value\":5,\"write\":7}\n");
}

TEST(CobraReader, AnErrorNamesItsFileAndByte) {
  EXPECT_EQ(reading({{"T0.log", Log().put('S', {1}).put('A', {1})}}),
            "mem/T0.log:1:10: expected 'S', 'C', 'W' or 'R': Cobra never logs aborted transactions ('A')");
  EXPECT_EQ(reading({{"T0.log", Log().put('S', {1}).put('C', {2})}}),
            "mem/T0.log:1:10: expected the commit of transaction 1, found that of 2");
  EXPECT_EQ(reading({{"T0.log", Log().put('W', {1, 2, 3})}}), "mem/T0.log:1:1: expected 'S': no transaction is open");
  EXPECT_EQ(reading({{"T0.log", Log().put('S', {1}).put('C', {1})}, {"T1.log", Log().put('S', {1}).put('C', {1})}}),
            "mem/T1.log:1:1: transaction id 1 occurs twice");
}

TEST(CobraReader, ACutRecordIsDroppedOnlyWhenAskedForAndItsTransactionIsUnknown) {
  const std::string whole = Log().put('S', {1}).put('W', {7, 1, 5}).put('C', {1});
  const Files files = {{"T0.log", whole.substr(0, whole.size() - 3)}};
  EXPECT_EQ(reading(files), "mem/T0.log:1:35: expected 8 bytes after 'C', but the file ends");
  EXPECT_EQ(reading(files, true), "1@0 unknown: w 1={\"value\":5,\"write\":7}\n");
}

TEST(CobraWriter, WhatItReadItWritesAgainToTheByte) {
  Files files = kPlain;
  files.erase("T9.debug");
  Lost lost;
  EXPECT_EQ(written(kCobraFormat.read(folder_of(files), {})->history, lost), files);
  EXPECT_TRUE(lost.empty()) << lost[0];
  const Files timed = {
      {"T0.log", Log().put('S', {1, 1000}).put('W', {7, 1, 5}).put('C', {1, 1010}).put('S', {2, 1011})}};
  EXPECT_EQ(written(kCobraFormat.read(folder_of(timed), {})->history, lost), timed);
  EXPECT_TRUE(lost.empty()) << lost[0];
}

TEST(CobraWriter, OtherHistoriesKeepWhoReadFromWhom) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session(builder.values().string("alice")));
  builder.write(builder.key("x"), builder.values().string("a"));
  builder.end_txn();
  builder.begin_txn(builder.session(builder.values().string("alice")));
  builder.set_status(Status::kAborted);
  builder.end_txn();
  builder.begin_txn(builder.session(4));
  builder.read(builder.key("x"), builder.values().string("a"));
  builder.read(builder.key("y"), kNullValue);
  builder.end_txn();
  Lost lost;
  const Files files = written(*builder.finish(), lost);
  EXPECT_EQ(lost.size(), 4U);
  const auto again = kCobraFormat.read(folder_of(files), {});
  ASSERT_TRUE(again.has_value());
  const History& h = again->history;
  ASSERT_EQ(h.txn_count(), 2U);
  EXPECT_EQ(h.op_value(0), h.op_value(1)) << "the read still reads the write";
  EXPECT_EQ(h.op_value(2), kNullValue);
}

}  // namespace cobra_test
}  // namespace isolde
