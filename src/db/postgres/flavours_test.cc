#include <gtest/gtest.h>

#include "db/postgres/cockroach.h"
#include "db/postgres/hlc.h"

namespace isolde::db {
namespace flavours_test {

TEST(Hlc, ATimestampIsNanosecondsAndACounter) {
  EXPECT_EQ(parse_hlc("1563297416651183000.0000000002"), (Hlc{1563297416651183000, 2}));
  EXPECT_EQ(parse_hlc("1563297416651183000"), (Hlc{1563297416651183000, 0}));
  for (const char* text : {"", ".", "1.", "1.2", "1.00000000021", "x.0000000000", "1.000000000x", "-1.0000000000",
                           "1.9999999999", "99999999999999999999.0000000000"})
    EXPECT_FALSE(parse_hlc(text)) << text;
}

TEST(Hlc, OrderIsKept) {
  HlcScale scale;
  const Hlc times[] = {{1563297416651183000, 0}, {1563297416651183000, 1}, {1563297416651183000, 32767},
                       {1563297416651183001, 0}, {1563297416651183001, 3}, {1563297500000000000, 0}};
  // The first one met need not be the earliest.
  (void)scale.place(times[3]);
  for (std::size_t i = 1; i < std::size(times); ++i) EXPECT_LT(*scale.place(times[i - 1]), *scale.place(times[i])) << i;
  EXPECT_GT(*scale.place(times[0]), 0);
}

TEST(Hlc, WhatDoesNotFitIsAnErrorAndNotAWrongOrder) {
  HlcScale scale;
  ASSERT_TRUE(scale.place("1563297416651183000.0000000000"));
  EXPECT_FALSE(scale.place("1563297416651183000.0000032768"));
  constexpr std::int64_t kHour = 3'600'000'000'000;
  EXPECT_TRUE(scale.place(Hlc{1563297416651183000 + 76 * kHour, 5}));
  EXPECT_FALSE(scale.place(Hlc{1563297416651183000 + 80 * kHour, 5}));
  EXPECT_FALSE(scale.place(Hlc{1563297416651183000 - 80 * kHour, 5}));
  EXPECT_FALSE(scale.place(Hlc{INT64_MAX, 5}));
  EXPECT_FALSE(scale.place("yesterday"));
}

TEST(Cockroach, ACommitsTimestampIsItsStartToo) {
  const ServerLevel level = {"serializable", Level::kSerializable, "SERIALIZABLE"};
  const FactsQuestion question = cockroach_facts(level);
  TxnFacts first, second;
  // Within hours of those in changefeed_test.cc: a process has one scale.
  const Cell a[] = {std::string("1745525261000000000.0000000000")};
  const Cell b[] = {std::string("1745525261000000000.0000000001")};
  ASSERT_TRUE(question.read(a, first));
  ASSERT_TRUE(question.read(b, second));
  EXPECT_EQ(first.start_ts, first.commit_ts);
  EXPECT_EQ(*first.commit_ts + 1, *second.commit_ts);
  const Cell wrong[] = {{}};
  EXPECT_FALSE(question.read(wrong, first));
}

TEST(Cockroach, NothingIsAskedWhereAskingIsAnError) {
  EXPECT_TRUE(cockroach_facts({"read committed", Level::kReadCommitted, "READ COMMITTED"}).sql.empty());
}

TEST(Flavours, EachHasItsLevels) {
  const auto names = [](const char* url) {
    auto database = open_database(*parse_url(url));
    EXPECT_TRUE(database) << database.error().message();
    std::string all;
    for (const ServerLevel& level : (*database)->levels())
      all += std::string(level.name) + (level.is_default ? "* " : " ");
    return all;
  };
  EXPECT_EQ(names("cockroachdb://root@localhost/d"), "read committed repeatable read serializable* ");
  EXPECT_EQ(names("yugabytedb://root@localhost/d"), "read committed* repeatable read serializable ");
}

}  // namespace flavours_test
}  // namespace isolde::db
