// history/predicate_aggregate.h: min, max, count, sum and avg over the versions that match.
//
// In, out: the text "max(c1)" and the matching versions, one by one -> SQL's result; whether a recorded one agrees.
// Always:  NULLs do not count (count(*) counts all). Over no values, count is 0 and the others are NULL.
//          Sums of integers are exact (128 bits; overflow is a fault). Text and lists have no sum: they are left out
//          and count as a fault.
//          agrees(): count, min, max and sums of integers exactly. Reals: within 1e-9 of the sum of the magnitudes (of
//          their mean, for avg), because a database adds in its own order. avg of integers is compared as the exact
//          fraction, within 1e-9 of it or 0.00005, because MySQL rounds avg to four decimals.
// Cost:    one evaluation per version; no allocation.
#pragma once

#include <string_view>

#include "history/predicate.h"

namespace isolde {

class AggregateState;

class CompiledAggregate {
 public:
  static Result<CompiledAggregate> compile(std::string_view expression, const ColumnNames& columns);

  [[nodiscard]] AggregateKind kind() const { return kind_; }
  // The names of the columns that it uses.
  [[nodiscard]] std::span<const ValueId> columns() const { return argument_.columns; }

 private:
  friend class AggregateState;
  AggregateKind kind_ = AggregateKind::kCountAll;
  PredicateProgram argument_;
};

// Accumulates one result. Requires: the aggregate and the table outlive it.
class AggregateState {
 public:
  AggregateState(const CompiledAggregate& aggregate, const ValueTable& values)
      : aggregate_(&aggregate), values_(&values) {}

  // Adds one matching version. An absent one (kNullValue) does not count.
  void add(ValueId key, ValueId version);
  // Starts over.
  void clear() { *this = AggregateState(*aggregate_, *values_); }

  // SQL's result; a sum past 64 bits and an avg as the nearest real.
  [[nodiscard]] Scalar result() const;
  [[nodiscard]] bool agrees(ValueId recorded) const;
  [[nodiscard]] std::uint8_t faults() const { return faults_; }

 private:
  void add_number(const Scalar& value);
  [[nodiscard]] double sum() const;
  [[nodiscard]] bool sum_agrees(const Scalar& recorded) const;
  [[nodiscard]] bool average_agrees(const Scalar& recorded) const;

  const CompiledAggregate* aggregate_;
  const ValueTable* values_;
  std::int64_t count_ = 0;
  Scalar extreme_;                       // min, max
  __extension__ __int128 integers_ = 0;  // the sum of the integers
  double reals_ = 0;                     // the sum of the reals …
  double lost_ = 0;                      // … and what rounding took from it (Neumaier)
  double magnitude_ = 0;                 // the sum of all magnitudes
  bool has_reals_ = false;
  std::uint8_t faults_ = kNoFault;
};

}  // namespace isolde
