#include "format/isl.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "base/hash.h"
#include "history/history_builder.h"
#include "tests/support/format_testing.h"
#include "tests/support/history_text.h"
#include "tests/support/isl_bytes.h"

namespace isolde {
namespace isl_test {

using testing::source_of;

std::string written(const History& h) {
  testing::MemoryOutput output;
  EXPECT_TRUE(kIslFormat.write(h, output));
  return output.text();
}

std::string refusal(std::string_view bytes) {
  const auto result = kIslFormat.read(source_of(bytes), {});
  return result ? "accepted" : result.error().message();
}

History sample() {
  return hist("init: x0 | T1@s 1..2 {10..20}: w x1 a y1 | T2!: r x_ s x{1} | T3? #4: r y[1] | versions: x[1] y<T1>");
}

TEST(Isl, HoldsEverythingWhereverItsBytesLie) {
  const History h = sample();
  const std::string bytes = written(h);
  for (std::size_t shift = 0; shift < 3; ++shift) {
    const std::string moved = std::string(shift, ' ') + bytes;
    const auto back = kIslFormat.read(source_of(std::string_view(moved).substr(shift)), {});
    ASSERT_TRUE(back);
    EXPECT_EQ(difference(h, back->history), "");
    EXPECT_EQ(written(back->history), bytes);
  }
}

// A file as earlier versions wrote it: `[]` where the history now has absence. The value table holds `[]` because
// another key, on which it is a value like any other, was found to hold it.
std::string as_written_before(const History& h, ValueId empty) {
  HistoryColumns columns = h.columns();
  std::vector<ValueId> values(columns.op_value.begin(), columns.op_value.end());
  for (std::uint32_t i = 0; i < h.op_count(); ++i) {
    if (h.op(i).kind() == OpKind::kRead && values[i] == kNullValue) values[i] = empty;
  }
  columns.op_value = values;
  return written(History(columns, nullptr));
}

TEST(Isl, AnEmptyListInAFileOfAnEarlierVersionIsAbsence) {
  HistoryBuilder b;
  const ValueId empty = b.values().list({});
  b.begin_txn(b.session(1));
  b.read(b.key("appended"), kNullValue);
  b.read(b.key("only read"), kNullValue);
  b.read(b.key("scalar"), empty);
  b.write(b.key("scalar"), b.values().integer(1));
  b.end_txn();
  b.begin_txn(b.session(2));
  b.append(b.key("appended"), b.values().integer(1));
  b.end_txn();
  const History h = *b.finish();
  const std::string old = as_written_before(h, empty);
  EXPECT_NE(old, written(h));
  const auto back = kIslFormat.read(source_of(old), {});
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->history.op_value(0), kNullValue);
  EXPECT_EQ(back->history.op_value(1), kNullValue);
  EXPECT_EQ(back->history.value_text(back->history.op_value(2)), "[]");
  EXPECT_EQ(difference(h, back->history), "");
}

TEST(Isl, AnEmptyListThatAllKeysHoldAtFirstInAFileOfAnEarlierVersionIsAbsence) {
  HistoryBuilder b;
  const ValueId empty = b.values().list({});
  b.begin_txn(b.session(1));
  b.read(b.key("x"), kNullValue);
  b.write(b.key("y"), empty);
  b.end_txn();
  const History h = *b.finish();
  HistoryColumns columns = h.columns();
  columns.defaults = {&empty, 1};
  const auto back = kIslFormat.read(source_of(written(History(columns, nullptr))), {});
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->history.initial(KeyId{0}), kNullValue);
  EXPECT_EQ(back->history.value_text(back->history.initial(KeyId{1})), "[]") << "it is written there";
  EXPECT_EQ(back->history.default_initial(), kNullValue);
}

TEST(Isl, AFileCutAtAnyLengthIsRefused) {
  const std::string bytes = written(sample());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_NE(refusal(bytes.substr(0, length)), "accepted") << length;
  }
  EXPECT_EQ(refusal(""), "mem:1:1: expected a header of 64 bytes, but the file ends");
  EXPECT_EQ(refusal(bytes.substr(0, 64)),
            "mem:1:65: expected " + std::to_string(bytes.size()) + " bytes, found 64: the file is cut or has grown");
  EXPECT_NE(refusal(bytes + "x"), "accepted");
}

TEST(Isl, AFlippedBitIsNoticedUnlessItIsPadding) {
  const History h = sample();
  const std::string bytes = written(h);
  std::size_t unnoticed = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const auto result = kIslFormat.read(source_of(damaged), {});
      if (!result) continue;
      ++unnoticed;
      ASSERT_EQ(bytes[at], '\0') << at;
      ASSERT_EQ(difference(h, result->history), "") << at;
    }
  }
  EXPECT_LT(unnoticed, bytes.size() * 3 / 2);
}

TEST(Isl, FaultsSayWhatAndWhere) {
  const std::string bytes = written(sample());
  const auto with = [&](std::size_t at, auto value, bool fix_header) {
    std::string damaged = bytes;
    std::memcpy(damaged.data() + at, &value, sizeof value);
    if (fix_header) isl::fix_checksums(damaged);
    return damaged;
  };
  EXPECT_EQ(refusal(with(6, '\n', false)), "mem:1:1: expected the magic of an .isl file (was it copied in text mode?)");
  EXPECT_EQ(refusal(with(8, std::uint32_t{2}, true)),
            "mem:1:9: expected version 1, found 2: written by another Isolde");
  EXPECT_EQ(refusal(with(12, std::uint32_t{2000}, true)),
            "mem:1:13: expected the table of sections, but the file ends");
  EXPECT_EQ(refusal(with(40, std::uint32_t{1}, false)), "mem:1:25: the checksum of the header does not match");
  EXPECT_EQ(refusal(with(64 + 8, UINT64_MAX - 63, true)),
            "mem:1:" + std::to_string(bytes.size() + 1) + ": section 1 lies outside the file");
  EXPECT_EQ(refusal(with(64 + 8, std::uint64_t{1}, true)), "mem:1:2: section 1 lies outside the file");
  std::uint64_t offset = 0;
  std::memcpy(&offset, bytes.data() + 64 + 8, sizeof offset);
  EXPECT_EQ(refusal(with(64 + 4, std::uint32_t{8}, true)),
            "mem:1:" + std::to_string(offset + 1) + ": column first_op has elements of another size");
  EXPECT_EQ(refusal(with(offset, std::uint32_t{7}, false)),
            "mem:1:" + std::to_string(offset + 1) + ": the checksum of section 1 does not fit: the file is damaged");
  EXPECT_EQ(refusal(with(offset, std::uint32_t{7}, true)),
            "mem:1:1: the columns are inconsistent: column first_op is not ascending");
}

TEST(Isl, AFileWithoutSectionsIsRefused) {
  std::string bytes = written(sample()).substr(0, isl::kHeaderSize);
  isl::put<std::uint32_t>(bytes, 12, 0);
  isl::fix_checksums(bytes);
  EXPECT_EQ(refusal(bytes),
            "mem:1:1: the columns are inconsistent: column first_op does not match the number of transactions");
}

TEST(Isl, SectionsMayStandInAnyOrder) {
  const History h = sample();
  std::string bytes = written(h);
  const std::size_t count = isl::section_count(bytes);
  for (std::size_t i = 0; i < count / 2; ++i) {
    std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(64 + 32 * i),
                     bytes.begin() + static_cast<std::ptrdiff_t>(64 + 32 * (i + 1)),
                     bytes.begin() + static_cast<std::ptrdiff_t>(64 + 32 * (count - 1 - i)));
  }
  isl::fix_checksums(bytes);
  const auto back = kIslFormat.read(source_of(bytes), {});
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(difference(h, back->history), "");
}

TEST(Isl, ASectionOfALaterVersionIsSkipped) {
  const History h = hist("T1: w x1");
  std::string bytes = written(h);
  // `defaults`, `flags` and `about` come last: the one for the flags becomes an unknown one, and a second table entry
  // gives them back.
  const std::size_t count = isl::section_count(bytes);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t column = 0;
    std::memcpy(&column, bytes.data() + 64 + 32 * i, sizeof column);
    if (column != 2) continue;
    std::string unknown = bytes;
    const std::uint32_t later = 1000;
    std::memcpy(unknown.data() + 64 + 32 * i, &later, sizeof later);
    isl::fix_checksums(unknown);
    EXPECT_EQ(refusal(unknown),
              "mem:1:1: the columns are inconsistent: column first_op does not match the number of transactions")
        << "the session column is missing, the unknown one did not matter";
  }
  std::string twice = isl::with_extra_section(bytes, 1000, "whatever it says");
  const auto back = kIslFormat.read(source_of(twice), {});
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(difference(h, back->history), "");
}

}  // namespace isl_test
}  // namespace isolde
