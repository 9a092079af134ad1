#include "audit/classes/equal_slots.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace isolde::audit {

void EqualSlots::add(std::span<const LiteralId> values) {
  if (values.empty()) return;
  if (!any_) {
    any_ = true;
    leader_.assign(1, 0);
    refine(values);
    return;
  }
  bool differs = false;
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    differs |= values[slot] != values[leader_[group_[slot]]];
  }
  if (differs) refine(values);
}

void EqualSlots::refine(std::span<const LiteralId> values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::uint32_t slot) { return std::tuple(group_[slot], values[slot], slot); });
  leader_.clear();
  std::vector<std::uint32_t> group(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t slot = order[i];
    const bool same = i > 0 && group_[slot] == group_[order[i - 1]] && values[slot] == values[order[i - 1]];
    if (!same) leader_.push_back(slot);
    group[slot] = static_cast<std::uint32_t>(leader_.size() - 1);
  }
  group_ = std::move(group);
}

}  // namespace isolde::audit
