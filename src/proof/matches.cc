#include "proof/matches.h"

#include <fmt/format.h>

namespace isolde::proof {

std::optional<std::string> Matches::add_vset(OpId op, AggregateState& state) const {
  for (const auto& [k, version] : looked_at(op)) {
    const Match match = of(op, KeyId{k}, version);
    if (match == Match::kUnclear) return unclear(KeyId{k});
    if (match == Match::kYes) add(state, KeyId{k}, version);
  }
  if (state.faults() != kNoFault) return "cannot be proved: its aggregate cannot be evaluated";
  return std::nullopt;
}

std::optional<std::string> Matches::vset_fault(OpId op) const {
  const OpKind kind = h_.op(raw(op)).kind();
  const auto versions = looked_at(op);
  for (const Item& item : h_.vset(details(op))) {
    if (versions.at(raw(item.key)) != item.value)
      return "cannot be proved: its version set names one key with two versions";
  }
  if (kind == OpKind::kAggregate) {
    AggregateState state = aggregate(op);
    if (auto wrong = add_vset(op, state)) return wrong;
    if (!state.agrees(h_.op_value(raw(op)))) return "its value is not the aggregate of its version set";
    return std::nullopt;
  }
  std::unordered_map<std::uint32_t, ValueId> result;
  for (const Item& item : h_.items(details(op))) {
    result.emplace(raw(item.key), item.value);
    const auto at = versions.find(raw(item.key));
    if (at == versions.end() || (kind == OpKind::kScan && at->second != item.value)) {
      return fmt::format("its version set has another version of {} than its result", h_.key_text(item.key));
    }
  }
  for (const auto& [k, version] : versions) {
    const Match match = of(op, KeyId{k}, version);
    if (match == Match::kUnclear) return unclear(KeyId{k});
    if ((match == Match::kYes) != result.contains(k))
      return fmt::format("its result does not follow from its version set, at {}", h_.key_text(KeyId{k}));
  }
  return std::nullopt;
}

std::unordered_map<std::uint32_t, ValueId> Matches::looked_at(OpId op) const {
  std::unordered_map<std::uint32_t, ValueId> versions;
  for (const Item& item : h_.vset(details(op))) versions.emplace(raw(item.key), item.value);
  return versions;
}

std::string Matches::unclear(KeyId key) const {
  return fmt::format("cannot be proved: it is not known whether its condition holds for {}", h_.key_text(key));
}

}  // namespace isolde::proof
