#include "audit/cycles/forms.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "audit/cycles/ways.h"
#include "base/hash.h"

namespace isolde::audit {

CycleForms::CycleForms(const Classes& classes) {
  for (const TransactionClass& one : classes.classes) {
    first_.push_back(forms_.size());
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
    for (const Operation& operation : one.operations) {
      const Access& access = operation.access;
      const std::uint32_t how =
          static_cast<std::uint32_t>(access.action) | static_cast<std::uint32_t>(access.lock) << 2 |
          static_cast<std::uint32_t>(access.in_where) << 4 | static_cast<std::uint32_t>(access.inserts) << 5 |
          static_cast<std::uint32_t>(access.deletes) << 6 | static_cast<std::uint32_t>(access.foreign_key) << 7 |
          static_cast<std::uint32_t>(access.of_write) << 8 | static_cast<std::uint32_t>(access.of_written_row) << 9;
      const auto next = static_cast<std::uint32_t>(numbers.size());
      forms_.push_back(numbers.try_emplace({operation.statement, access.row_set, how}, next).first->second);
    }
  }
}

std::vector<std::uint32_t> CycleForms::group(ClassId a, ClassId b, std::span<Conflict> conflicts) const {
  const auto key = [&](const Conflict& conflict) {
    return std::tuple(form(a, conflict.from_op), form(b, conflict.to_op), conflict.kind, conflict.vulnerable);
  };
  std::ranges::stable_sort(conflicts, {}, key);
  std::vector<std::uint32_t> ends;
  for (std::uint32_t i = 0; i < conflicts.size(); ++i) {
    if (i + 1 == conflicts.size() || key(conflicts[i]) != key(conflicts[i + 1])) ends.push_back(i + 1);
  }
  return ends;
}

std::uint64_t CycleForms::fingerprint(const Cycle& cycle) const {
  const std::size_t n = cycle.edges.size();
  std::array<std::uint64_t, kMostMembers> steps;
  for (std::size_t i = 0; i < n; ++i) {
    const CycleEdge& edge = cycle.edges[i];
    const ClassId from = cycle.members[edge.from], to = cycle.members[edge.to];
    const std::uint64_t classes = std::uint64_t{raw(from)} << 32 | raw(to);
    const std::uint64_t forms = std::uint64_t{form(from, edge.conflict.from_op)} << 32 | form(to, edge.conflict.to_op);
    const std::uint64_t kind = static_cast<std::uint64_t>(edge.conflict.kind) << 1 | (edge.conflict.vulnerable ? 1 : 0);
    steps[i] = mix64(mix64(mix64(classes + 1) ^ forms) + kind + 1);
  }
  std::uint64_t least = ~std::uint64_t{0};  // of the rotations
  for (std::size_t first = 0; first < n; ++first) {
    std::uint64_t hash = n;
    for (std::size_t i = 0; i < n; ++i) hash = mix64(hash ^ steps[first + i < n ? first + i : first + i - n]);
    least = std::min(least, hash);
  }
  return least;
}

std::optional<std::uint8_t> Verdicts::find(std::uint64_t fingerprint) {
  Shard& shard = shards_[fingerprint & 63];
  const std::scoped_lock lock(shard.mutex);
  const auto place = shard.verdicts.find(fingerprint);
  if (place == shard.verdicts.end()) return std::nullopt;
  return place->second;
}

void Verdicts::add(std::uint64_t fingerprint, std::uint8_t verdict) {
  Shard& shard = shards_[fingerprint & 63];
  const std::scoped_lock lock(shard.mutex);
  shard.verdicts.emplace(fingerprint, verdict);
}

}  // namespace isolde::audit
