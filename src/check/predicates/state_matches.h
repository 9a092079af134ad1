// check/predicates/state_matches.h: the version that each key has now, and which of them match a predicate.
//
// In, out: set() as the replay goes on -> the keys whose versions match a condition.
// Always:  a key whose version is not known (a list or counter in the making) is in no answer; `has_unknown` tells.
//          Ranges of columns answer only where the condition can have no fault on any version; else each key is asked.
// Cost:    a conjunction of ranges: 4 bytes a key and column, or, with many keys, about as much as it finds. Other
//          comparisons of columns with literals, joined by AND and OR: 4 bytes a key and comparison. Another condition:
//          an evaluation for each key (in its ranges, if it has any).
#pragma once

#include <cstdint>
#include <vector>

#include "check/predicates/column_ranks.h"
#include "history/history.h"
#include "history/predicate_set.h"

namespace isolde {

class StateMatches {
 public:
  struct Version {
    ValueId value;
    TxnId writer;  // kNoTxn: initial
    bool known;    // false: appended to or incremented, so no value of the table
  };

  StateMatches(const History& history, const PredicateSet& set);

  void set(KeyId key, const Version& version);
  [[nodiscard]] const Version& at(KeyId key) const { return now_[raw(key)]; }
  [[nodiscard]] bool has_unknown() const { return unknown_ > 0; }

  // The keys that match, in no order. `faulty`: on some version the condition has a fault; those keys are left out.
  struct Matches {
    std::vector<KeyId> keys;
    bool faulty = false;
  };
  void find(std::uint32_t text, Matches& out);
  [[nodiscard]] std::uint64_t cost() const { return cost_; }  // steps (base/limits.h) of all answers so far

 private:
  // How a condition is answered.
  struct Plan {
    enum class Way : std::uint8_t {
      kNotMade,
      kAskAll,   // ask every key
      kAskSome,  // ask those in the ranges
      kRanges,   // those in the ranges match
      kBits,     // comparisons of columns, 64 keys at a time
    };
    Way way = Way::kNotMade;
    std::uint32_t first = 0, count = 0;  // of ranges_, or of steps_
  };
  // In postfix order. A comparison that is unknown counts as false: without NOT above it the whole is true just as
  // often.
  struct BitStep {
    enum class Is : std::uint8_t { kIn, kOutside, kAnd, kOr };
    Is is;
    std::uint32_t column = 0;
    ColumnRanks::Range range = {0, 0};
  };
  struct ColumnRange {
    std::uint32_t column;
    ColumnRanks::Range range;
  };

  [[nodiscard]] std::vector<ValueId> versions_of_history() const;
  void make_columns();
  [[nodiscard]] const ColumnRanks* column(PredicateRange::Subject subject, ValueId name) const;
  [[nodiscard]] Plan make_plan(const CompiledPredicate& condition);
  [[nodiscard]] bool cannot_fault(const CompiledPredicate& condition, bool& only_ranges) const;
  [[nodiscard]] bool make_bit_steps(const CompiledPredicate& condition);
  [[nodiscard]] bool add_comparison(ValueId column, const PredicateRange& range, bool outside);
  void find_by_bits(const Plan& plan, std::vector<KeyId>& out) const;
  void find_in_ranges(const Plan& plan, std::vector<KeyId>& out) const;
  void ask(const CompiledPredicate& condition, KeyId key, Matches& out) const;

  const History& h_;
  const PredicateSet& set_;
  std::vector<Version> now_;
  std::uint32_t unknown_ = 0;
  std::vector<ColumnRanks> columns_;
  std::vector<Plan> plans_;  // by text
  std::vector<ColumnRange> ranges_;
  std::vector<BitStep> steps_;
  std::vector<KeyId> candidates_;
  std::uint64_t cost_ = 0;
};

}  // namespace isolde
