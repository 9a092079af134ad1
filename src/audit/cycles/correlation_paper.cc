// The paper's rule: each two operations on one row are given a direction such that operations have an order and the
// dependencies stay within the level. What can go only one way is fixed first; then they are chosen one after the
// other.
#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "audit/cycles/correlation.h"
#include "audit/cycles/order.h"

namespace isolde::audit {
namespace {

CycleEdge reversed(const CycleEdge& edge) {
  CycleEdge out = edge;
  std::swap(out.from, out.to);
  std::swap(out.conflict.from_op, out.conflict.to_op);
  out.conflict.vulnerable = false;
  if (edge.conflict.kind == EdgeKind::kWr) out.conflict.kind = EdgeKind::kRw;
  if (is_rw(edge.conflict.kind)) out.conflict.kind = EdgeKind::kWr;
  return out;
}

bool about_the_same(const CycleEdge& a, const CycleEdge& b) {
  return a.from == b.from && a.to == b.to && a.conflict.from_op == b.conflict.from_op &&
         a.conflict.to_op == b.conflict.to_op;
}

}  // namespace

// Every two operations of the graph on one row, by themselves or with all of their two statements.
void Correlation::choose_directions(bool together) {
  alternatives_.clear();
  choices_.clear();
  struct Pair {
    std::uint32_t statement_a, statement_b, row;
    CycleEdge edge;
  };
  std::vector<Pair> pairs;
  for (std::uint32_t a = 0; a < members_.size(); ++a) {
    for (std::uint32_t b = a + 1; b < members_.size(); ++b) {
      pairs.clear();
      for (const Conflict& conflict : graph_.conflicts(members_[a], members_[b])) {
        const std::uint32_t row = row_of(a, conflict.from_op);
        if (row != row_of(b, conflict.to_op)) continue;
        const CycleEdge edge{a, b, conflict}, back = reversed(edge);
        const auto is_there = [&](const CycleEdge& own) {
          return about_the_same(own, edge) || about_the_same(own, back);
        };
        if (std::any_of(edges_.begin(), edges_.begin() + static_cast<long>(own_edges_), is_there)) continue;
        pairs.push_back({operation(a, conflict.from_op).statement, operation(b, conflict.to_op).statement, row, edge});
      }
      const auto group = [](const Pair& pair) { return std::tuple(pair.statement_a, pair.statement_b, pair.row); };
      if (together) std::ranges::stable_sort(pairs, {}, group);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        forward_.push_back(pairs[i].edge);
        backward_.push_back(reversed(pairs[i].edge));
        if (!together || i + 1 == pairs.size() || group(pairs[i]) != group(pairs[i + 1])) add_choice();
      }
    }
  }
}

// An edge that begins no later and ends no earlier than another of its kind says nothing more.
void Correlation::keep_the_tightest(std::uint32_t first) {
  if (options_.timing == TimingRule::kMoments) return;
  std::uint32_t end = first;
  for (std::uint32_t i = first; i < alternatives_.size(); ++i) {
    const CycleEdge one = alternatives_[i];
    const auto says_more = [](const CycleEdge& a, const CycleEdge& b) {
      return a.conflict.kind == b.conflict.kind && a.conflict.from_op >= b.conflict.from_op &&
             a.conflict.to_op <= b.conflict.to_op;
    };
    const auto kept = std::span(alternatives_).subspan(first, end - first);
    if (std::ranges::any_of(kept, [&](const CycleEdge& other) { return says_more(other, one); })) continue;
    const auto gone = std::ranges::remove_if(kept, [&](const CycleEdge& other) { return says_more(one, other); });
    end -= static_cast<std::uint32_t>(gone.size());
    alternatives_[end++] = one;
  }
  alternatives_.resize(end);
}

bool Correlation::within_level() const {
  const std::size_t n = members_.size();
  if (n > kMostOrdered) return true;
  std::array<std::uint64_t, kMostOrdered> before{};  // by ww and wr
  for (const CycleEdge& edge : edges_) {
    if (!is_rw(edge.conflict.kind)) before[edge.to] |= std::uint64_t{1} << edge.from;
  }
  if (options_.level == WeakLevel::kSnapshotIsolation) {
    // Also by one of these and an rw: a cycle of such steps has no two rw in a row.
    const std::array<std::uint64_t, kMostOrdered> depends = before;
    for (const CycleEdge& edge : edges_) {
      if (is_rw(edge.conflict.kind)) before[edge.to] |= depends[edge.from];
    }
  }
  return has_order(before, n);
}

// Would this edge, after all others, leave operations without an order? It would if its beginning follows on its end.
bool Correlation::closes_a_cycle(const CycleEdge& edge) {
  constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
  follows_.assign(members_.size(), kNever);  // by member: the first operation that follows
  follows_[edge.to] = edge.conflict.to_op;
  for (bool changed = true; changed;) {
    changed = false;
    for (const CycleEdge& other : edges_) {
      if (other.conflict.from_op < follows_[other.from] || other.conflict.to_op >= follows_[other.to]) continue;
      follows_[other.to] = other.conflict.to_op;
      changed = true;
    }
    if (follows_[edge.from] <= edge.conflict.from_op) return true;
  }
  return false;
}

// Adds an alternative, or nothing.
bool Correlation::add(std::uint32_t first, std::uint32_t end) {
  ++steps_;
  const std::size_t before = edges_.size();
  for (std::uint32_t i = first; i < end; ++i) {
    if (closes_a_cycle(alternatives_[i])) {
      edges_.resize(before);
      return false;
    }
    edges_.push_back(alternatives_[i]);
  }
  if (within_level()) return true;
  edges_.resize(before);
  return false;
}

// Fixes what can go only one way. False: something can go neither way. After some rounds little more comes of it.
bool Correlation::propagate() {
  constexpr int kRounds = 8;
  bool changed = true;
  for (int round = 0; changed && round < kRounds; ++round) {
    changed = false;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      if (fixed_[i]) continue;
      const Choice& choice = choices_[i];
      const std::size_t before = edges_.size();
      const bool one_way = add(choice.first, choice.middle);
      edges_.resize(before);
      const bool other_way = add(choice.middle, choice.end);
      edges_.resize(before);
      if (!one_way && !other_way) return false;
      if (one_way && other_way) continue;
      add(one_way ? choice.first : choice.middle, one_way ? choice.middle : choice.end);
      fixed_[i] = changed = true;
    }
  }
  return true;
}

Possible Correlation::enumerate_directions() {
  edges_.resize(own_edges_);
  fixed_.assign(choices_.size(), false);
  if (!can_happen(facts_.classes(), members_, edges_, options_.level, TimingRule::kOperations) || !within_level()) {
    return Possible::kNo;
  }
  if (!propagate()) return Possible::kNo;
  steps_ = 0;
  struct Taken {
    std::size_t choice, edges;  // how many edges there were before it
    std::uint8_t tried;         // of its two ways
  };
  std::vector<Taken> taken;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    if (!fixed_[i]) taken.push_back({i, 0, 0});
  }
  std::size_t depth = 0;
  while (depth < taken.size()) {
    if (steps_ > options_.most_steps) return Possible::kLimit;
    Taken& last = taken[depth];
    const Choice& choice = choices_[last.choice];
    if (last.tried == 0) last.edges = edges_.size();
    edges_.resize(last.edges);
    if (last.tried == 2) {
      last.tried = 0;
      if (depth-- == 0) return Possible::kNo;
    } else {
      const bool first = last.tried++ == 0;
      if (add(first ? choice.first : choice.middle, first ? choice.middle : choice.end)) ++depth;
    }
  }
  return steps_ > options_.most_steps ? Possible::kLimit : Possible::kYes;
}

}  // namespace isolde::audit
