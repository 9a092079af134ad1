// history/predicate_set.h: every predicate of a history, compiled: each text once.
//
// In, out: a History -> for each PredicateId its condition and, of an aggregate, its expression.
// Always:  `defect()` is empty, or names the first text that is not understood; then the set must not be used.
// Cost:    linear in predicates; about 0.5 µs for a text that differs from another only in literals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "history/history.h"
#include "history/predicate_aggregate.h"

namespace isolde {

class PredicateSet {
 public:
  explicit PredicateSet(const History& history);

  [[nodiscard]] const std::string& defect() const { return defect_; }
  // Predicates with the same text have the same number, from 0 to size() - 1.
  [[nodiscard]] std::uint32_t text_of(PredicateId p) const { return text_[raw(p)]; }
  [[nodiscard]] std::size_t size() const { return conditions_.size(); }
  [[nodiscard]] const CompiledPredicate& condition(std::uint32_t text) const { return conditions_[text]; }
  [[nodiscard]] const CompiledPredicate& condition(PredicateId p) const { return conditions_[text_[raw(p)]]; }
  // Requires: the predicate is an aggregate.
  [[nodiscard]] const CompiledAggregate& aggregate(PredicateId p) const { return aggregates_[aggregate_[raw(p)]]; }

 private:
  std::string defect_;
  std::vector<std::uint32_t> text_, aggregate_;  // by predicate
  std::vector<CompiledPredicate> conditions_;
  std::vector<CompiledAggregate> aggregates_;
};

}  // namespace isolde
