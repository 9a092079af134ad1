// audit/classes/equal_slots.h: which places of a class's transactions had equal values in all of them.
//
// In, out: for each transaction, the literal at each slot -> groups of slots that were always equal.
// Cost:    one step a slot and transaction while nothing differs; a difference costs a sort of the slots, and there can
//          be no more of these than slots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "audit/schema/ids.h"

namespace isolde::audit {

class EqualSlots {
 public:
  explicit EqualSlots(std::size_t slots) : group_(slots, 0) {}

  // Requires: as many values as slots.
  void add(std::span<const LiteralId> values);

  // Slots of equal groups were equal in everything that was added.
  [[nodiscard]] std::uint32_t group(std::size_t slot) const { return group_[slot]; }

 private:
  void refine(std::span<const LiteralId> values);

  std::vector<std::uint32_t> group_;
  std::vector<std::uint32_t> leader_;  // by group: its first slot
  bool any_ = false;
};

}  // namespace isolde::audit
