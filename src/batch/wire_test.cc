#include "batch/wire.h"

#include <gtest/gtest.h>

#include "batch/local_ranks.h"

namespace isolde::batch {
namespace wire_test {

TEST(Wire, EveryKindOfValueArrivesAsItWas) {
  ValueInterner from;
  const ValueId one = from.integer(1), text = from.string("a \"b\"");
  const ValueId list[] = {one, text, kNullValue};
  const RowField row[] = {{from.string("c"), from.integer(-5)}, {from.string("d"), from.list(list)}};
  std::vector<ValueId> values = {kNullValue,
                                 one,
                                 from.integer(INT64_MIN),
                                 from.integer(INT64_MAX),
                                 from.integer((std::int64_t{1} << 31) - 1),
                                 text,
                                 from.string(""),
                                 from.boolean(true),
                                 from.boolean(false),
                                 from.real(-2.5),
                                 from.number_text("123456789012345678901234567890"),
                                 from.list({}),
                                 from.list(list),
                                 from.row(row)};
  std::string bytes;
  for (const ValueId v : values) WireWriter(bytes).put_value(from.table(), v);
  ValueInterner to;
  WireReader in(bytes);
  for (const ValueId v : values) {
    const ValueId got = in.get_value(to);
    EXPECT_EQ(to.table().json(got), from.table().json(v));
    EXPECT_EQ(to.table().type(got), from.table().type(v));
  }
  EXPECT_TRUE(in.good() && in.at_end());
}

TEST(Wire, NumbersOfAllSizesArrive) {
  std::string bytes;
  WireWriter out(bytes);
  for (unsigned shift = 0; shift < 64; ++shift) {
    out.put(std::uint64_t{1} << shift);
    out.put_signed(0 - (std::uint64_t{1} << shift));
  }
  WireReader in(bytes);
  for (unsigned shift = 0; shift < 64; ++shift) {
    EXPECT_EQ(in.get(), std::uint64_t{1} << shift);
    EXPECT_EQ(in.get_signed(), 0 - (std::uint64_t{1} << shift));
  }
  EXPECT_TRUE(in.good() && in.at_end());
}

TEST(Wire, WhatIsCutOffIsNoticed) {
  ValueInterner values;
  std::string bytes;
  const ValueId text = values.string("a long text");  // before table(), which shows what is there
  WireWriter(bytes).put_value(values.table(), text);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    WireReader in(std::string_view(bytes).substr(0, size));
    ValueInterner to;
    static_cast<void>(in.get_value(to));
    EXPECT_FALSE(in.good()) << size;
  }
}

TEST(LocalRanks, EachGetsWhatTheOthersSentToIt) {
  run_local_ranks(3, [](Ranks& ranks) {
    for (int round = 0; round < 50; ++round) {
      std::vector<std::string> out;
      for (unsigned to = 0; to < 3; ++to)
        out.push_back(std::to_string(ranks.rank()) + ">" + std::to_string(to) + "#" + std::to_string(round));
      const auto in = ranks.exchange(std::move(out));
      for (unsigned from = 0; from < 3; ++from) {
        EXPECT_EQ(in[from], std::to_string(from) + ">" + std::to_string(ranks.rank()) + "#" + std::to_string(round));
      }
    }
    EXPECT_EQ(ranks.sum(ranks.rank() + 1), 6U);
    EXPECT_TRUE(ranks.any(ranks.rank() == 2));
    EXPECT_FALSE(ranks.any(false));
  });
}

TEST(LocalRanks, AnErrorOfOneIsTheErrorOfAll) {
  run_local_ranks(3, [](Ranks& ranks) {
    const auto agreed =
        ranks.agree(ranks.rank() == 1 ? Result<void>(Error{"is broken", "a b/file", 3, 4}) : Result<void>());
    ASSERT_FALSE(agreed);
    EXPECT_EQ(agreed.error().message(), "a b/file:3:4: is broken");
  });
}

}  // namespace wire_test
}  // namespace isolde::batch
