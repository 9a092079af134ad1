// check/mirror/number_index.h: the slot of a transaction that is held, by its number in the stream.
//
// Cost: one look; four bytes a number between the oldest that is held and the newest.
#pragma once

#include <cstdint>
#include <vector>

#include "check/mirror/taken.h"

namespace isolde::mirror {

[[nodiscard]] inline TxnSlot slot_by_number(const std::vector<TxnSlot>& slots, const std::vector<Taken>& txns,
                                            std::uint32_t number) {
  if (slots.empty()) return kNoTxnSlot;
  const TxnSlot slot = slots[number & (slots.size() - 1)];
  return slot < txns.size() && txns[slot].live && txns[slot].number == number ? slot : kNoTxnSlot;
}

// Requires: the transaction stands in its slot.
inline void note_number(std::vector<TxnSlot>& slots, const std::vector<Taken>& txns, TxnSlot slot) {
  const auto is_taken = [&](std::uint32_t number) {
    const TxnSlot other = slots[number & (slots.size() - 1)];
    return other < txns.size() && txns[other].live && txns[other].number != number &&
           (txns[other].number & (slots.size() - 1)) == (number & (slots.size() - 1));
  };
  if (slots.empty()) slots.assign(1024, kNoTxnSlot);
  bool fits = !is_taken(txns[slot].number);
  while (!fits) {
    slots.assign(slots.size() * 2, kNoTxnSlot);
    fits = true;
    for (TxnSlot s = 0; s < txns.size() && fits; ++s) {
      if (!txns[s].live) continue;
      fits = !is_taken(txns[s].number);
      slots[txns[s].number & (slots.size() - 1)] = s;
    }
  }
  slots[txns[slot].number & (slots.size() - 1)] = slot;
}

}  // namespace isolde::mirror
