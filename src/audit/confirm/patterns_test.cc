#include "audit/confirm/patterns.h"

#include <gtest/gtest.h>

#include "tests/support/small_story.h"

namespace isolde::audit {
namespace patterns_test {

constexpr const char* kSchema = "create table cart (id int primary key, total int)";

// Every literal that is compared with an id is a variable of its own.
Play play_of(const std::vector<std::vector<std::string>>& transactions) {
  testing::StoryText text = {.schema = kSchema, .transactions = transactions, .order = "T1.1"};
  for (std::uint32_t m = 0; m < transactions.size(); ++m) text.members.push_back(m);
  const auto story = testing::small_story(text);
  auto play = make_play(story.anomaly, story.classes, story.log);
  EXPECT_TRUE(play) << play.error().text;
  if (!play) return {};
  for (Member& member : play->members) {
    std::uint32_t next = 0;
    for (Line& line : member.lines) {
      line.in_cycle = true;
      for (const Comparison& c : line.clues.comparisons) line.variables[c.literal] = next++;
    }
  }
  return *std::move(play);
}

std::string shown(const Patterns& patterns) {
  std::string text;
  for (const auto& pattern : patterns.listed) {
    text += text.empty() ? "story" : "; ";
    for (const Renaming& one : pattern)
      text += "T" + std::to_string(one.member + 1) + "." + std::to_string(one.variable) + "=" + one.value + " ";
  }
  return text;
}

TEST(ConfirmPatterns, AnOpenKeyIsEqualToThatOfAnotherMemberOrNot) {
  const Play play = play_of({{"UPDATE cart SET total = 1 WHERE id = 3"}, {"UPDATE cart SET total = 2 WHERE id = 4"}});
  EXPECT_EQ(shown(row_patterns(play, 10)), "story; T2.0=3 ");
}

TEST(ConfirmPatterns, KeysThatAreEqualInTheStoryAreAlsoTriedApart) {
  const Play play = play_of({{"UPDATE cart SET total = 1 WHERE id = 3"}, {"UPDATE cart SET total = 2 WHERE id = 3"}});
  const Patterns patterns = row_patterns(play, 10);
  ASSERT_EQ(patterns.count, 2U);
  EXPECT_NE(patterns.listed[1][0].value, "3");
}

TEST(ConfirmPatterns, WhatTheCycleTiesStaysAsItIs) {
  Play play = play_of({{"UPDATE cart SET total = 1 WHERE id = 3"}, {"UPDATE cart SET total = 2 WHERE id = 3"}});
  play.tied = {{0}, {0}};
  EXPECT_EQ(row_patterns(play, 10).count, 1U);
}

TEST(ConfirmPatterns, TwoKeysOfOneMemberStayDifferent) {
  const Play play = play_of({{"UPDATE cart SET total = 1 WHERE id = 3"},
                             {"SELECT total FROM cart WHERE id = 4", "UPDATE cart SET total = 2 WHERE id = 5"}});
  EXPECT_EQ(shown(row_patterns(play, 10)), "story; T2.1=3 ; T2.0=3 ");
}

TEST(ConfirmPatterns, ReadersAloneHaveNone) {
  const Play play = play_of({{"SELECT total FROM cart WHERE id = 3"}, {"SELECT total FROM cart WHERE id = 4"}});
  EXPECT_EQ(row_patterns(play, 10).count, 1U);
}

TEST(ConfirmPatterns, ARenamedKeyChangesEveryPlaceOfItsVariable) {
  Play play = play_of({{"SELECT total FROM cart WHERE id = 3", "UPDATE cart SET total = 2 WHERE id = 3"}});
  for (Line& line : play.members[0].lines) {
    for (const Comparison& c : line.clues.comparisons) line.variables[c.literal] = 0;
  }
  rename_keys(play, {{0, 0, "9"}});
  for (const Line& line : play.members[0].lines) {
    for (const Comparison& c : line.clues.comparisons) EXPECT_EQ(line.literals[c.literal], "9");
  }
}

}  // namespace patterns_test
}  // namespace isolde::audit
