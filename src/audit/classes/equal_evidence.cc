#include "audit/classes/equal_evidence.h"

#include <cmath>

namespace isolde::audit {
namespace {

constexpr std::uint64_t kPairsWithoutReason = 60;
const double kLogChanceWithoutReason = std::log(1e-6);
const double kLogChanceWithReason = std::log(1e-2);

}  // namespace

EqualEvidence::EqualEvidence(const TraceLog& log, const Schema& schema, std::span<const Statement> statements)
    : log_(log), statements_(statements), domains_(schema), values_(schema.columns()), total_(schema.columns(), 0) {}

void EqualEvidence::count_values() {
  counted_ = true;
  for (const TraceStatement& here : log_.statements) {
    const std::span<const LiteralId> literals = log_.literals_of(here);
    for (const RowSet& rows : statements_[raw(here.shape)].row_sets) {
      for (const RowKey& key : rows.keys) {
        if (key.literal >= literals.size()) continue;
        ++values_[raw(key.column)][literals[key.literal]];
        ++total_[raw(key.column)];
      }
    }
  }
}

double EqualEvidence::log_q_of_trace(ColumnId a, ColumnId b) {
  if (!counted_) count_values();
  const auto &left = values_[raw(a)], &right = values_[raw(b)];
  if (left.empty() || right.empty()) return 0;
  double sum = 0;
  for (const auto& [value, times] : left) {
    if (const auto same = right.find(value); same != right.end())
      sum += static_cast<double>(times) * static_cast<double>(same->second);
  }
  sum /= static_cast<double>(total_[raw(a)]) * static_cast<double>(total_[raw(b)]);
  return sum > 0 ? std::min(0.0, std::log(sum)) : 0;
}

void EqualEvidence::add(ColumnId a, ColumnId b, std::uint64_t pairs, double log_q) {
  if (domains_.of(a) == domains_.of(b)) log_q = log_q_of_trace(a, b);
  Pooled& pooled = pooled_[in_order(a, b)];
  pooled.pairs += pairs;
  pooled.log_chance += static_cast<double>(pairs) * log_q;
}

bool EqualEvidence::enough(ColumnId a, ColumnId b) const {
  if (a == b) return true;
  const auto found = pooled_.find(in_order(a, b));
  if (found == pooled_.end()) return false;
  if (domains_.of(a) == domains_.of(b)) return found->second.log_chance <= kLogChanceWithReason;
  return found->second.pairs >= kPairsWithoutReason && found->second.log_chance <= kLogChanceWithoutReason;
}

std::vector<AlwaysEqual> EqualEvidence::all() const {
  std::vector<AlwaysEqual> out;
  for (const auto& [pair, pooled] : pooled_)
    out.push_back({pair.first, pair.second, pooled.pairs, enough(pair.first, pair.second)});
  return out;
}

}  // namespace isolde::audit
