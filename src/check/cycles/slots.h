// check/cycles/slots.h: the versions of every key side by side, in their order, with what each holds.
//
// In, out: a Trace and its VersionOrders -> for each key a run of slots: the initial state, then its versions.
// Always:  the slots of a key whose order is complete stand in that order; of an open key, in any. Only transactions
//          that count have slots. A key that is appended to or incremented holds no values here.
// Cost:    linear; the values of a column are taken out of the rows once, when it is first asked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "check/cycles/version_order.h"
#include "history/predicate_set.h"

namespace isolde::graph {

using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = kNone32;
inline constexpr ValueId kKeyColumn{0};  // the key itself as a column; an integer is no column's name

enum class KeyKind : std::uint8_t {
  kOrdered,
  kOpen,    // the order of its versions is not complete
  kOpaque,  // appended to or incremented: what it holds is no value of the history
};

class Slots {
 public:
  Slots(const History& history, const Trace& trace, const VersionOrders& orders);

  [[nodiscard]] KeyKind kind(KeyId key) const { return kind_[raw(key)]; }
  [[nodiscard]] Slot begin(KeyId key) const { return begin_[raw(key)]; }  // the initial state
  [[nodiscard]] Slot end(KeyId key) const { return begin_[raw(key) + 1]; }
  [[nodiscard]] ValueId value(Slot s) const { return value_[s]; }
  [[nodiscard]] TxnId writer(Slot s) const { return writer_[s]; }  // kNoTxn: the initial state
  [[nodiscard]] Slot of(Version v, KeyId key) const { return v == kInitialVersion ? begin(key) : slot_of_[v]; }
  [[nodiscard]] std::size_t size() const { return value_.size(); }
  [[nodiscard]] KeyId key_of(Slot s) const { return key_[s]; }

  // Calls f(slot) for each slot of `key` that holds `value`.
  template <typename F>
  void for_each_holding(KeyId key, ValueId value, F&& f) const {
    for (Slot s = first_holding(key, value); s != kNoSlot; s = same_value_[s]) f(s);
  }
  // The one slot of `key` that holds `value`; several: kNoSlot and `several`.
  struct Found {
    Slot slot = kNoSlot;
    bool several = false;
  };
  [[nodiscard]] Found find(KeyId key, ValueId value) const {
    const Slot s = first_holding(key, value);
    if (s == kNoSlot || same_value_[s] == kNoSlot) return {s, false};
    return {kNoSlot, true};
  }
  // What a transaction of which it is not known whether it committed may have left in the key.
  [[nodiscard]] std::span<const ValueId> maybes(KeyId key) const;

  // What was asked of the slots so far, in steps (base/limits.h).
  void count_questions(std::uint64_t questions) { questions_ += questions; }
  [[nodiscard]] std::uint64_t steps() const { return questions_ / kQuestionsPerStep; }

  // The scalars of a column, by slot; NULL where there is none.
  [[nodiscard]] const std::vector<Scalar>& column(ValueId name);
  // Each is an integer or NULL, so that a comparison with an integer has no fault.
  [[nodiscard]] bool is_all_integers(ValueId name);
  // The slots ordered by such a scalar.
  [[nodiscard]] const std::vector<Slot>& by_column(ValueId name);

 private:
  void place_versions(const VersionOrders& orders);
  void fill_values();
  void link_equal_values();
  // Where the search for a key and value starts in first_of_value_.
  [[nodiscard]] std::size_t hash(KeyId key, ValueId value) const {
    const std::uint64_t both = (std::uint64_t{raw(key)} << 32) | raw(value);
    return static_cast<std::size_t>((both * 0x9e3779b97f4a7c15ULL) >> hash_shift_);
  }
  [[nodiscard]] Slot first_holding(KeyId key, ValueId value) const {
    for (std::size_t i = hash(key, value);; i = (i + 1) & (first_of_value_.size() - 1)) {
      const Slot s = first_of_value_[i];
      if (s == kNoSlot || (value_[s] == value && key_[s] == key)) return s;
    }
  }

  static constexpr std::uint64_t kQuestionsPerStep = 4;

  struct ColumnOf {
    std::vector<Scalar> scalars;
    std::vector<Slot> order;
    bool all_integers = true;
  };

  const History& h_;
  const Trace& trace_;
  std::vector<KeyKind> kind_;
  std::vector<Slot> begin_;
  std::vector<ValueId> value_;
  std::vector<TxnId> writer_;
  std::vector<KeyId> key_;
  std::vector<Slot> slot_of_;         // by version
  std::vector<Slot> first_of_value_;  // a hash table of (key, value)
  std::vector<Slot> same_value_;      // by slot: the next one of the key that holds the same
  int hash_shift_ = 64;
  std::uint64_t questions_ = 0;
  std::unordered_map<std::uint32_t, std::vector<ValueId>> maybes_;  // by key
  std::unordered_map<std::uint32_t, std::unique_ptr<ColumnOf>> columns_;
};

}  // namespace isolde::graph
