#include "audit/confirm/run_tree.h"

#include <gtest/gtest.h>

namespace isolde::audit {
namespace {

using Order = std::vector<std::uint32_t>;

SentStep sent(std::uint32_t member, std::vector<bool> stands_still = {false, false}) {
  return {member, std::move(stands_still)};
}

TEST(RunTree, KnowsTheOrderThatWasRunAndNoOther) {
  RunTree tree;
  EXPECT_FALSE(tree.has({0, 1, 0, 1}));
  tree.add({sent(0), sent(1), sent(0), sent(1)});
  EXPECT_TRUE(tree.has({0, 1, 0, 1}));
  EXPECT_FALSE(tree.has({0, 1, 1, 0}));
  EXPECT_FALSE(tree.has({1, 0, 0, 1}));
}

TEST(RunTree, StepsOfOneThatWaitsComeWhenItIsLetGoWhereverTheOrderHasThem) {
  // The first step of the second waits until the first has done its third.
  RunTree tree;
  tree.add({sent(0), sent(1, {false, true}), sent(0, {false, true}), sent(0), sent(1), sent(1)});
  for (const Order& order : {Order{0, 1, 1, 1, 0, 0}, Order{0, 1, 1, 0, 1, 0}, Order{0, 1, 1, 0, 0, 1},
                             Order{0, 1, 0, 0, 1, 1}, Order{0, 1, 0, 1, 0, 1}}) {
    EXPECT_TRUE(tree.has(order));
  }
  EXPECT_FALSE(tree.has({0, 0, 1, 0, 1, 1})) << "the wait begins later";
  EXPECT_FALSE(tree.has({1, 0, 1, 0, 0, 1}));
}

TEST(RunTree, OneThatWasTurnedAwaySendsNothingMore) {
  RunTree tree;
  tree.add({sent(0), sent(1, {false, true}), sent(0, {false, true})});
  EXPECT_TRUE(tree.has({0, 1, 1, 1, 0}));
  EXPECT_TRUE(tree.has({0, 1, 0, 1, 1}));
}

TEST(RunTree, WhatHappensAfterAnUnknownStepIsUnknown) {
  RunTree tree;
  tree.add({sent(0), sent(0), sent(1), sent(1)});
  tree.add({sent(0), sent(1, {false, true}), sent(0), sent(1)});
  EXPECT_TRUE(tree.has({0, 0, 1, 1}));
  EXPECT_TRUE(tree.has({0, 1, 1, 0}));
  EXPECT_FALSE(tree.has({1, 0, 0, 1}));
}

}  // namespace
}  // namespace isolde::audit
