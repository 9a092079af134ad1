// proof/matches.h: what a predicate operation says of the versions that it was evaluated on.
//
// In, out: a History -> of an operation and a version of a key: matches, does not, or nobody knows.
// Always:  a version on which the condition has a fault (docs/predicates.md) is kUnclear: nothing may rest on it.
// Cost:    one compilation a text, one evaluation a question.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "history/history.h"
#include "history/predicate_set.h"

namespace isolde::proof {

enum class Match : std::uint8_t { kNo, kYes, kUnclear };

// Contents that are no values of the table. A list or counter in the making exists and is no row, so a condition on
// columns and the key can be asked of it, but not one on the value. Of the other nothing is known.
inline constexpr ValueId kNoPlainValue{kNone32};
inline constexpr ValueId kUnknownValue{kNone32 - 1};

class Matches {
 public:
  explicit Matches(const History& history) : h_(history), set_(history) {}

  // Empty, or why nothing may be asked.
  [[nodiscard]] const std::string& defect() const { return set_.defect(); }
  [[nodiscard]] const Predicate& details(OpId op) const { return h_.predicate(h_.op(raw(op)).predicate()); }

  // Operations of one condition have one number, from 0 to conditions() - 1.
  [[nodiscard]] std::uint32_t condition_of(OpId op) const { return set_.text_of(h_.op(raw(op)).predicate()); }
  [[nodiscard]] std::size_t conditions() const { return set_.size(); }

  [[nodiscard]] Match of(OpId op, KeyId key, ValueId version) const {
    if (version == kNullValue) return Match::kNo;
    if (version == kUnknownValue) return Match::kUnclear;
    const CompiledPredicate& condition = set_.condition(h_.op(raw(op)).predicate());
    const bool is_plain = version != kNoPlainValue;
    if (!is_plain && condition.uses_value()) return Match::kUnclear;
    const Evaluation e =
        condition.evaluate(h_.values(), h_.columns().key_name[raw(key)], is_plain ? version : kAnyNumber);
    if (e.faults != kNoFault) return Match::kUnclear;
    if (!e.matches()) return Match::kNo;
    return is_plain || h_.op(raw(op)).kind() != OpKind::kAggregate ? Match::kYes : Match::kUnclear;
  }
  // Its result says that no version matches. Requires: the operation is an aggregate.
  [[nodiscard]] bool counts_none(OpId op) const {
    return set_.aggregate(h_.op(raw(op)).predicate()).kind() == AggregateKind::kCountAll &&
           h_.op_value(raw(op)) == ValueId{0};
  }
  // Min and max may be found at one end of an index, without a look at the other versions that match.
  [[nodiscard]] bool looks_at_all(OpId op) const {
    if (h_.op(raw(op)).kind() != OpKind::kAggregate) return true;
    const AggregateKind kind = set_.aggregate(h_.op(raw(op)).predicate()).kind();
    return kind != AggregateKind::kMin && kind != AggregateKind::kMax;
  }
  // An aggregate in the making. Requires: the operation is one.
  [[nodiscard]] AggregateState aggregate(OpId op) const {
    return {set_.aggregate(h_.op(raw(op)).predicate()), h_.values()};
  }
  void add(AggregateState& state, KeyId key, ValueId version) const {
    state.add(h_.columns().key_name[raw(key)], version);
  }

  // The row of the key in the operation's result.
  [[nodiscard]] std::optional<ValueId> in_result(OpId op, KeyId key) const { return find(h_.items(details(op)), key); }
  // Whether the result has that row; a faulty server may return a key twice.
  [[nodiscard]] bool has_row(OpId op, KeyId key, ValueId row) const {
    const auto items = h_.items(details(op));
    return std::any_of(items.begin(), items.end(), [&](const Item& i) { return i.key == key && i.value == row; });
  }
  // The version that its version set names; absent where it names none. Requires: it has one.
  [[nodiscard]] ValueId in_vset(OpId op, KeyId key) const {
    return find(h_.vset(details(op)), key).value_or(kNullValue);
  }
  // Takes in what matches of the version set; or why that is not clear.
  [[nodiscard]] std::optional<std::string> add_vset(OpId op, AggregateState& state) const;
  // What is wrong if the result does not follow from the version set.
  [[nodiscard]] std::optional<std::string> vset_fault(OpId op) const;

  // By key: the versions that its version set names.
  [[nodiscard]] std::unordered_map<std::uint32_t, ValueId> looked_at(OpId op) const;
  // The words for a version that decides nothing.
  [[nodiscard]] std::string unclear(KeyId key) const;

 private:
  static constexpr ValueId kAnyNumber{0};
  [[nodiscard]] static std::optional<ValueId> find(std::span<const Item> items, KeyId key) {
    for (const Item& item : items) {
      if (item.key == key) return item.value;
    }
    return std::nullopt;
  }

  const History& h_;
  const PredicateSet set_;
};

}  // namespace isolde::proof
