#include "audit/graph/graph.h"

#include <algorithm>

namespace isolde::audit {
namespace {

// The conflicts that stay, with the places where each pair begins moved.
template <typename Stays>
void filter(std::vector<Conflict>& conflicts, std::vector<std::uint32_t>& begin, Stays&& stays) {
  std::uint32_t out = 0;
  std::uint32_t in = 0;
  for (std::size_t pair = 0; pair + 1 < begin.size(); ++pair) {
    const std::uint32_t end = begin[pair + 1];
    begin[pair] = out;
    for (; in < end; ++in) {
      if (stays(conflicts[in])) conflicts[out++] = conflicts[in];
    }
  }
  if (!begin.empty()) begin.back() = out;
  conflicts.resize(out);
  conflicts.shrink_to_fit();
}

}  // namespace

std::string_view name(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kWw:
      return "ww";
    case EdgeKind::kWr:
      return "wr";
    case EdgeKind::kRw:
      return "rw";
    case EdgeKind::kLockedRw:
      return "locked rw";
    case EdgeKind::kLock:
      return "lock";
  }
  return "";
}

std::span<const Conflict> DependencyGraph::conflicts(ClassId a, ClassId b) const {
  const std::size_t pair = std::size_t{raw(a)} * count_ + raw(b);
  return std::span(conflicts_).subspan(begin_[pair], begin_[pair + 1] - begin_[pair]);
}

std::span<const Conflict> DependencyGraph::locks(ClassId a, ClassId b) const {
  const std::size_t pair = std::size_t{raw(a)} * count_ + raw(b);
  return std::span(locks_).subspan(lock_begin_[pair], lock_begin_[pair + 1] - lock_begin_[pair]);
}

const Conflict* DependencyGraph::find(ClassId a, ClassId b, std::uint32_t from_op, std::uint32_t to_op) const {
  const std::span<const Conflict> all = conflicts(a, b);
  const auto place = std::ranges::lower_bound(all, std::pair(from_op, to_op), {}, [](const Conflict& conflict) {
    return std::pair(conflict.from_op, conflict.to_op);
  });
  return place != all.end() && place->from_op == from_op && place->to_op == to_op ? &*place : nullptr;
}

DependencyGraph DependencyGraph::without(std::span<const ColumnId> columns) const {
  DependencyGraph out = *this;
  std::vector<ColumnId> gone(columns.begin(), columns.end());
  std::ranges::sort(gone);
  const auto stays = [&](const Conflict& conflict) { return !std::ranges::binary_search(gone, conflict.column); };
  filter(out.conflicts_, out.begin_, stays);
  filter(out.locks_, out.lock_begin_, stays);
  out.count_edges();
  return out;
}

void DependencyGraph::count(const Classes& classes) {
  stats_ = {};
  for (std::uint32_t i = 0; i < count_; ++i) {
    stats_.transactions += replicas_[i];
    stats_.operations += std::uint64_t{replicas_[i]} * classes.classes[i].operations.size();
  }
  count_edges();
}

void DependencyGraph::count_edges() {
  stats_.transaction_edges = stats_.operation_edges = stats_.rw_edges = stats_.vulnerable_rw_edges = 0;
  stats_.dangerous_paths = 0;
  const bool snapshot = snapshots_;
  std::vector<std::uint64_t> in(count_, 0),
      out(count_, 0);  // edges that may be part of a dangerous path, of one replica
  for (std::uint32_t a = 0; a < count_; ++a) {
    for (std::uint32_t b = 0; b < count_; ++b) {
      const std::span<const Conflict> all = conflicts(ClassId(a), ClassId(b));
      if (all.empty()) continue;
      std::uint64_t rw = 0, vulnerable = 0, last = 0;
      for (const Conflict& conflict : all) {
        if (!is_rw(conflict.kind)) continue;
        ++rw;
        vulnerable += conflict.vulnerable ? 1 : 0;
        last += conflict.kind == EdgeKind::kRw && (conflict.vulnerable || !snapshot) ? 1 : 0;
      }
      const std::uint64_t others = replicas_[b] - (a == b ? 1 : 0);  // replicas of b that one of a meets
      const std::uint64_t pairs = replicas_[a] * others;
      stats_.transaction_edges += pairs;
      stats_.operation_edges += pairs * all.size();
      stats_.rw_edges += pairs * rw;
      stats_.vulnerable_rw_edges += pairs * vulnerable;
      if (!snapshot) stats_.dangerous_paths += pairs * last;
      out[a] += others * last;
      in[b] += (replicas_[a] - (a == b ? 1 : 0)) * vulnerable;
    }
  }
  if (!snapshot) return;
  for (std::uint32_t middle = 0; middle < count_; ++middle) {
    stats_.dangerous_paths += replicas_[middle] * in[middle] * out[middle];
  }
}

}  // namespace isolde::audit
