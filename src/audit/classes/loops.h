// audit/classes/loops.h: finds what is repeated in a sequence, loops within loops, so that a few rounds stand for all.
//
// In, out: symbols (one a statement: what it does) -> LoopTree: the skeleton (each loop once) and the loops' spans of
//          it; then, for the loops of a class, which places of the sequence to keep.
// Always:  shortest periods first, leftmost first: the same sequence always gives the same tree. An inner loop that
//          went round once in one round of an outer loop and more often in another is the same inner loop. A span is in
//          the tree only if it was repeated somewhere. Loops nest at most kDeepestNest deep; deeper ones stay as they
//          are.
// Cost:    length * kLongestPeriod steps at worst, a few words of memory a symbol.
// Source:  IsoDiff, Theorem 3.3.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace isolde::audit {

inline constexpr std::uint32_t kLongestPeriod = 1024;
inline constexpr std::uint32_t kDeepestNest = 4;

// Places of the skeleton.
struct LoopSpan {
  std::uint32_t begin, end;
  friend auto operator<=>(const LoopSpan&, const LoopSpan&) = default;
};

class LoopTree {
 public:
  // `rounds`: how many of each loop's first and last rounds can be asked for; 0: loops are not looked for.
  LoopTree(std::span<const std::uint32_t> symbols, std::uint32_t rounds);

  [[nodiscard]] const std::vector<std::uint32_t>& skeleton() const { return skeleton_; }
  // Sorted: outer loops before inner ones.
  [[nodiscard]] const std::vector<LoopSpan>& spans() const { return spans_; }

  // By place of the sequence: its place in the skeleton, the same in every round.
  [[nodiscard]] const std::vector<std::uint32_t>& in_skeleton() const { return in_skeleton_; }

  enum class Which : std::uint8_t { kFirst, kLast };
  // Places of the sequence when every span of `spans` is gone round `rounds` times: by the first or by the last rounds
  // that it has; where it has too few, one of them stands for more.
  // Requires: `spans` are sorted, nest, and hold all of spans().
  [[nodiscard]] std::vector<std::uint32_t> keep(std::span<const LoopSpan> spans, Which which) const;

 private:
  struct Node {
    std::uint32_t place = 0;  // of the sequence; a loop: its first round in rounds_
    std::uint32_t rounds = 0;
    std::uint32_t width = 1;  // in the skeleton
  };
  struct Round {
    std::uint32_t first, count;  // in nodes_
  };
  friend class LoopFinder;

  std::uint32_t rounds_wanted_;
  std::vector<std::uint32_t> skeleton_;
  std::vector<LoopSpan> spans_;
  std::vector<std::uint32_t> in_skeleton_;
  Round top_{0, 0};
  std::vector<Node> nodes_;
  std::vector<Round> rounds_;
};

}  // namespace isolde::audit
