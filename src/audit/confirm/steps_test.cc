#include "audit/confirm/steps.h"

#include <gtest/gtest.h>

#include "tests/support/small_story.h"

namespace isolde::audit {
namespace steps_test {

struct Cut {
  explicit Cut(const std::vector<std::vector<std::string>>& transactions, WeakLevel level = WeakLevel::kReadCommitted,
               db::Family dialect = db::Family::kPostgres) {
    testing::StoryText text = {.schema = "create table cart (id int primary key, owner int, total int)",
                               .transactions = transactions,
                               .order = "T1.1"};
    for (std::uint32_t m = 0; m < transactions.size(); ++m) text.members.push_back(m);
    const auto story = testing::small_story(text);
    auto made = make_play(story.anomaly, story.classes, story.log);
    EXPECT_TRUE(made) << made.error().text;
    if (!made) return;
    play = *std::move(made);
    for (Member& member : play.members) {
      sql.emplace_back(member.lines.size(), "sent");
      for (Line& line : member.lines) line.in_cycle = true;
    }
    steps = std::make_unique<PlaySteps>(play, sql, level, dialect);
  }
  [[nodiscard]] std::uint64_t orders() const { return different_orders(steps->effects(), {}, 1000).count; }
  Play play;
  Script::Sql sql;
  std::unique_ptr<PlaySteps> steps;
};

TEST(ConfirmSteps, WritesOfDifferentRowsDoNotMatterToEachOther) {
  EXPECT_EQ(Cut({{"UPDATE cart SET total = 1 WHERE id = 3"}, {"UPDATE cart SET total = 2 WHERE id = 4"}}).orders(), 1U);
  EXPECT_GT(Cut({{"UPDATE cart SET total = 1 WHERE id = 3"}, {"UPDATE cart SET total = 2 WHERE id = 3"}}).orders(), 1U);
}

TEST(ConfirmSteps, WhatDoesNotNameItsRowByTheKeyMayBeAboutAnyRow) {
  EXPECT_GT(Cut({{"UPDATE cart SET total = 1 WHERE owner = 3"}, {"UPDATE cart SET total = 2 WHERE id = 4"}}).orders(),
            1U);
  EXPECT_GT(
      Cut({{"UPDATE cart SET total = 1 WHERE id = 3 OR id = 4"}, {"UPDATE cart SET total = 2 WHERE id = 4"}}).orders(),
      1U);
  EXPECT_GT(
      Cut({{"UPDATE cart SET total = 1 WHERE id IN (3, 4)"}, {"UPDATE cart SET total = 2 WHERE id = 4"}}).orders(), 1U);
  EXPECT_GT(Cut({{"UPDATE cart SET id = 4 WHERE id = 3"}, {"UPDATE cart SET total = 2 WHERE id = 4"}}).orders(), 1U);
}

TEST(ConfirmSteps, InnodbLocksMoreThanRowsAboveReadCommitted) {
  const std::vector<std::vector<std::string>> two = {{"UPDATE cart SET total = 1 WHERE id = 3"},
                                                     {"UPDATE cart SET total = 2 WHERE id = 4"}};
  EXPECT_EQ(Cut(two, WeakLevel::kReadCommitted, db::Family::kMysql).orders(), 1U);
  EXPECT_GT(Cut(two, WeakLevel::kMysqlRepeatableRead, db::Family::kMysql).orders(), 1U);
}

TEST(ConfirmSteps, InnodbTakesItsSnapshotAtTheFirstPlainRead) {
  const std::vector<std::vector<std::string>> one = {
      {"UPDATE cart SET total = 1 WHERE id = 3", "SELECT total FROM cart WHERE id = 4"}};
  EXPECT_EQ(Cut(one, WeakLevel::kSnapshotIsolation, db::Family::kPostgres).steps->snapshots().front(), 0U);
  EXPECT_EQ(Cut(one, WeakLevel::kSnapshotIsolation, db::Family::kMysql).steps->snapshots().front(), 1U);
  EXPECT_EQ(Cut(one, WeakLevel::kReadCommitted, db::Family::kMysql).steps->snapshots().front(), kNone32);
}

}  // namespace steps_test
}  // namespace isolde::audit
