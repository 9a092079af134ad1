#include "proof/matches.h"

#include <fmt/format.h>

#include <unordered_map>

namespace isolde::proof {

std::optional<std::string> Matches::vset_fault(OpId op) const {
  const Predicate& p = details(op);
  const OpKind kind = h_.op(raw(op)).kind();
  std::unordered_map<std::uint32_t, ValueId> looked_at;
  std::optional<AggregateState> state;
  if (kind == OpKind::kAggregate) state.emplace(aggregate(op));
  for (const Item& item : h_.vset(p)) {
    const auto [at, is_new] = looked_at.emplace(raw(item.key), item.value);
    if (is_new) continue;
    if (at->second != item.value) return "cannot be proved: its version set names one key with two versions";
  }
  std::unordered_map<std::uint32_t, ValueId> result;
  for (const Item& item : h_.items(p)) {
    result.emplace(raw(item.key), item.value);
    const auto at = looked_at.find(raw(item.key));
    if (at == looked_at.end() || (kind == OpKind::kScan && at->second != item.value)) {
      return fmt::format("its version set has another version of {} than its result", h_.key_text(item.key));
    }
  }
  for (const auto& [k, version] : looked_at) {
    const Match match = of(op, KeyId{k}, version);
    if (match == Match::kUnclear) {
      return fmt::format("cannot be proved: nobody knows whether the version of {} in its version set matches",
                         h_.key_text(KeyId{k}));
    }
    if (state) {
      if (match == Match::kYes) add(*state, KeyId{k}, version);
    } else if ((match == Match::kYes) != result.contains(k)) {
      return fmt::format("its result does not follow from its version set, at {}", h_.key_text(KeyId{k}));
    }
  }
  if (!state) return std::nullopt;
  if (state->faults() != kNoFault) return "cannot be proved: its aggregate has a fault";
  if (!state->agrees(h_.op_value(raw(op)))) return "its value is not the aggregate of its version set";
  return std::nullopt;
}

}  // namespace isolde::proof
