#include "audit/classes/loops.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "tests/support/effort.h"

namespace isolde::audit {
namespace loops_test {

std::vector<std::uint32_t> symbols(std::string_view text) { return {text.begin(), text.end()}; }

// "a(b(c))": loops in brackets.
std::string shape(std::string_view text, std::uint32_t rounds = 2) {
  const LoopTree tree(symbols(text), rounds);
  std::string out;
  for (std::uint32_t i = 0; i <= tree.skeleton().size(); ++i) {
    for (const LoopSpan& span : tree.spans()) out += span.end == i ? ")" : "";
    for (const LoopSpan& span : tree.spans()) out += span.begin == i ? "(" : "";
    if (i < tree.skeleton().size()) out += static_cast<char>(tree.skeleton()[i]);
  }
  return out;
}

std::string kept(std::string_view text, std::uint32_t rounds = 2) {
  const LoopTree tree(symbols(text), rounds);
  std::string out;
  for (const std::uint32_t place : tree.keep(tree.spans(), LoopTree::Which::kFirst)) out += text[place];
  return out;
}

std::vector<std::uint32_t> places(std::string_view text, std::string_view loops_of, LoopTree::Which which) {
  const LoopTree loops(symbols(loops_of), 2);
  return LoopTree(symbols(text), 2).keep(loops.spans(), which);
}

using Places = std::vector<std::uint32_t>;

TEST(Loops, NothingRepeatedIsNoLoop) {
  EXPECT_EQ(shape(""), "");
  EXPECT_EQ(shape("a"), "a");
  EXPECT_EQ(shape("abcabd"), "abcabd");
}

TEST(Loops, ARunIsALoop) {
  EXPECT_EQ(shape("aa"), "(a)");
  EXPECT_EQ(shape("xaaaay"), "x(a)y");
  EXPECT_EQ(kept("xaaaay"), "xaay");
  EXPECT_EQ(shape("xabcabcabcy"), "x(abc)y");
}

TEST(Loops, NewOrderHasTwoLoops) {
  EXPECT_EQ(shape("iiiiwdcuonsulsulsulsul"), "(i)wdcuon(sul)");
  EXPECT_EQ(kept("iiiiwdcuonsulsulsulsul"), "iiwdcuonsulsul");
}

TEST(Loops, LoopsNest) {
  EXPECT_EQ(shape("abbcabbbcabbc"), "(a(b)c)");
  EXPECT_EQ(kept("abbcabbbcabbc"), "abbcabbc");
}

TEST(Loops, AnInnerLoopMayGoRoundOnce) {
  EXPECT_EQ(shape("abcabbbcabc"), "(a(b)c)");
  EXPECT_EQ(shape("axyzaxyxyz"), "(a(xy)z)");
  EXPECT_EQ(kept("abcabbbcabc"), "abbcabbc");
}

TEST(Loops, ASingleRoundElsewhereIsNoLoop) {
  EXPECT_EQ(shape("aZaaa"), "aZ(a)");
  EXPECT_EQ(shape("abZababab"), "abZ(ab)");
}

TEST(Loops, ASingleRoundAcrossTwoRoundsDoesNotHideTheLoop) { EXPECT_EQ(shape("bcbcZcabcab"), "(bc)Z(cab)"); }

TEST(Loops, AnUnevenEndStays) {
  EXPECT_EQ(shape("ababa"), "(ab)a");
  EXPECT_EQ(shape("babab"), "(ba)b");
}

TEST(Loops, RoundsNoneKeepsAll) {
  EXPECT_EQ(shape("aabab", 0), "aabab");
  EXPECT_EQ(kept("aaaa", 0), "aaaa");
  EXPECT_EQ(kept("xaaaay", 1), "xay");
  EXPECT_EQ(kept("xaaaay", 3), "xaaay");
  EXPECT_EQ(kept("xaay", 3), "xaaay");
}

TEST(Loops, FirstAndLastRoundsAreKept) {
  EXPECT_EQ(places("xaaaay", "xaay", LoopTree::Which::kFirst), (Places{0, 1, 2, 5}));
  EXPECT_EQ(places("xaaaay", "xaay", LoopTree::Which::kLast), (Places{0, 3, 4, 5}));
}

TEST(Loops, WhatWentRoundOnceStandsForEveryRound) {
  EXPECT_EQ(places("xaby", "xababy", LoopTree::Which::kFirst), (Places{0, 1, 2, 1, 2, 3}));
  EXPECT_EQ(places("xaby", "xabbaby", LoopTree::Which::kLast), (Places{0, 1, 2, 2, 1, 2, 2, 3}));
  EXPECT_EQ(places("xabby", "xabbaby", LoopTree::Which::kLast), (Places{0, 1, 2, 3, 1, 2, 3, 4}));
}

TEST(Loops, NestingStopsAtItsLimit) {
  std::string text = "a";
  for (char c = 'b'; c < 'j'; ++c) text = text + text + c;
  const LoopTree tree(symbols(text), 2);
  EXPECT_FALSE(tree.spans().empty());
  EXPECT_LE(tree.keep(tree.spans(), LoopTree::Which::kFirst).size(), text.size());
}

// For any sequence: what is kept is a subsequence with as many statements as the loops say, beginning with the first;
// and keeping the same again changes nothing.
TEST(Loops, WhatIsKeptHasTheSameLoops) {
  const std::uint64_t count = effort::tries(3'000);
  Rng rng(effort::seed(7));
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string text;
    const std::uint64_t length = rng.below(40);
    const std::uint64_t letters = 1 + rng.below(4);
    while (text.size() < length) {
      std::string piece;
      for (std::uint64_t j = 1 + rng.below(4); j > 0; --j) piece += static_cast<char>('a' + rng.below(letters));
      for (std::uint64_t j = 1 + rng.below(4); j > 0; --j) text += piece;
    }
    const LoopTree tree(symbols(text), 2);
    for (const auto which : {LoopTree::Which::kFirst, LoopTree::Which::kLast}) {
      const std::vector<std::uint32_t> places = tree.keep(tree.spans(), which);
      std::vector<std::uint32_t> word;
      for (const std::uint32_t place : places) {
        ASSERT_LT(place, text.size());
        word.push_back(static_cast<std::uint32_t>(text[place]));
      }
      // The skeleton with each span doubled, worked out without the tree.
      for (const LoopSpan& span : tree.spans()) {
        ASSERT_LT(span.begin, span.end);
        ASSERT_LE(span.end, tree.skeleton().size());
      }
      std::vector<std::vector<std::uint32_t>> parts(tree.skeleton().size());
      for (std::size_t k = 0; k < parts.size(); ++k) parts[k] = {tree.skeleton()[k]};
      for (std::size_t k = tree.spans().size(); k-- > 0;) {  // inner ones first
        const LoopSpan span = tree.spans()[k];
        std::vector<std::uint32_t> once;
        for (std::uint32_t p = span.begin; p < span.end; ++p) {
          once.insert(once.end(), parts[p].begin(), parts[p].end());
          parts[p].clear();
        }
        parts[span.begin] = once;
        parts[span.begin].insert(parts[span.begin].end(), once.begin(), once.end());
      }
      std::vector<std::uint32_t> wanted;
      for (const auto& part : parts) wanted.insert(wanted.end(), part.begin(), part.end());
      ASSERT_EQ(word, wanted) << text;
    }
  }
}

TEST(Loops, ALongTransactionIsNoTrouble) {
  std::vector<std::uint32_t> none(100'000);
  std::iota(none.begin(), none.end(), 0);
  EXPECT_EQ(LoopTree(none, 2).skeleton().size(), none.size());
  std::vector<std::uint32_t> many;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    many.push_back(0);
    for (std::uint32_t j = 0; j < i % 5; ++j) many.push_back(1);
    many.push_back(2);
  }
  const LoopTree tree(many, 2);
  EXPECT_LE(tree.skeleton().size(), 12);
}

}  // namespace loops_test
}  // namespace isolde::audit
