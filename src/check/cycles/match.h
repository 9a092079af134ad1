// check/cycles/match.h: whether versions match a predicate, asked of slots.
//
// In, out: a compiled condition and Slots -> the status of any slot; for a narrow range, the slots that match.
// Always:  a version on which the condition has a fault has no status.
// Cost:    a range of integers over one column: one comparison a slot; else one evaluation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "check/cycles/slots.h"

namespace isolde::graph {

enum class Match : std::uint8_t { kNo, kYes, kFault };
constexpr Match match_of(bool matches) { return matches ? Match::kYes : Match::kNo; }

class Matcher {
 public:
  Matcher(const History& history, Slots& slots, const CompiledPredicate& condition);

  [[nodiscard]] Match of(Slot s) const {
    slots_->count_questions(1);
    if (count_ == 0) return of_value(slots_->key_of(s), slots_->value(s));
    bool inside = true;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Scalar& scalar = (*bounds_[i].column)[s];
      if (scalar.kind != ScalarKind::kInteger && !scalar.is_null()) {
        return of_value(slots_->key_of(s), slots_->value(s));
      }
      inside &= !scalar.is_null() && scalar.integer >= bounds_[i].low && scalar.integer <= bounds_[i].high;
    }
    if (inside && !is_whole_) return of_value(slots_->key_of(s), slots_->value(s));
    return match_of(inside);
  }
  [[nodiscard]] Match of_value(KeyId key, ValueId value) const;

  // The slots that match, ascending, if an index tells them for less than asking all; else nothing.
  [[nodiscard]] std::optional<std::vector<Slot>> matching() const;

 private:
  const History* h_;
  Slots* slots_;
  const CompiledPredicate* condition_;
  // The condition is low <= column <= high for each of these, and more unless is_whole_; none: it has another form.
  struct Bounds {
    const std::vector<Scalar>* column;
    std::int64_t low, high;
  };
  static constexpr std::uint32_t kMostBounds = 4;
  static constexpr std::uint64_t kQuestionsPerValue = 16, kQuestionsPerFound = 8;
  std::array<Bounds, kMostBounds> bounds_;
  std::uint32_t count_ = 0;
  bool is_whole_ = true;
};

}  // namespace isolde::graph
