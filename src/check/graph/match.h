// check/graph/match.h: whether versions match a predicate, asked of slots.
//
// In, out: a compiled condition and Slots -> the status of any slot; for a narrow range, the slots that match.
// Always:  a version on which the condition has a fault has no status.
// Cost:    a range of integers over one column: one comparison a slot; else one evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/graph/slots.h"

namespace isolde::graph {

enum class Match : std::uint8_t { kNo, kYes, kFault };
constexpr Match match_of(bool matches) { return matches ? Match::kYes : Match::kNo; }

class Matcher {
 public:
  Matcher(const History& history, Slots& slots, const CompiledPredicate& condition);

  [[nodiscard]] Match of(Slot s) const {
    if (column_ != nullptr) {
      const Scalar& scalar = (*column_)[s];
      if (scalar.kind == ScalarKind::kInteger) return match_of(scalar.integer >= low_ && scalar.integer <= high_);
      if (scalar.is_null()) return Match::kNo;
    }
    return of_value(slots_->key_of(s), slots_->value(s));
  }
  [[nodiscard]] Match of_value(KeyId key, ValueId value) const;

  // The slots that match, ascending, if an index tells them for less than asking all; else nothing.
  [[nodiscard]] std::optional<std::vector<Slot>> matching() const;

 private:
  const History* h_;
  Slots* slots_;
  const CompiledPredicate* condition_;
  const std::vector<Scalar>* column_ = nullptr;  // the condition is low_ <= column <= high_
  std::int64_t low_ = 0, high_ = 0;
};

}  // namespace isolde::graph
