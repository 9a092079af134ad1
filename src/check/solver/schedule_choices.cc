// Choices that a schedule is held to, and what of it waits.
#include <algorithm>
#include <iterator>

#include "check/solver/schedule.h"

namespace isolde::solver {

void Schedule::hold_order(TxnId before, TxnId after) {
  const Node from = problem_.write_node(before);
  const Node to = problem_.overwrite_node(after);
  held_from_[from].emplace_back(before, after);
  held_to_[to].emplace_back(before, after);
  held_lately_.push_back(to);
  if (is_done(from)) return;
  if (waits_[to]++ == 0) {
    if (state_[to] == State::kReady) ready_.erase(rank_[to]);
    state_[to] = State::kWaiting;
    parked_[to] = woken_from_[to] = kNoQueue;
  }
}

void Schedule::drop_order(TxnId before, TxnId after) {
  const Node from = problem_.write_node(before);
  const Node to = problem_.overwrite_node(after);
  std::erase(held_from_[from], std::pair(before, after));
  std::erase(held_to_[to], std::pair(before, after));
  if (is_done(from)) return;
  if (--waits_[to] == 0 && state_[to] == State::kWaiting) make_ready(to);
}

void Schedule::hold_source(std::uint32_t read, TxnId writer) {
  const Read& of = problem_.reads[read];
  const Slot slot = writer == kNoTxn ? initial_ + raw(of.key) : slot_of(writer, of.key);
  held_source_[read] = slot;
  held_readers_[slot].push_back(read);
  held_lately_.push_back(problem_.read_node(of.txn));
  if (current_[raw(of.key)] == slot) {
    ++pending_[raw(of.key)];
  } else {
    const Node to = problem_.read_node(of.txn);
    if (waits_[to]++ == 0) {
      if (state_[to] == State::kReady) ready_.erase(rank_[to]);
      state_[to] = State::kWaiting;
      parked_[to] = woken_from_[to] = kNoQueue;
    }
  }
}

void Schedule::drop_source(std::uint32_t read) {
  const Read& of = problem_.reads[read];
  const auto held = held_source_.find(read);
  const Slot slot = held->second;
  std::erase(held_readers_[slot], read);
  held_source_.erase(held);
  if (current_[raw(of.key)] == slot) {
    --pending_[raw(of.key)];
  } else {
    const Node to = problem_.read_node(of.txn);
    if (--waits_[to] == 0 && state_[to] == State::kWaiting) make_ready(to);
  }
}

std::vector<Node> Schedule::first_waiting(std::size_t most) const {
  // Those that were parked are the front of what is left; without any, everything waits by edges.
  std::vector<Node> out;
  for (const Node v : parked_nodes_) {
    if (state_[v] == State::kParked) out.push_back(v);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (out.empty()) {
    // Nothing but what was held lately can have closed a cycle.
    std::copy_if(held_lately_.begin(), held_lately_.end(), std::back_inserter(out),
                 [&](Node v) { return !is_done(v); });
  }
  if (out.empty()) {
    const auto left = std::find_if(state_.begin(), state_.end(), [](State s) { return s != State::kDone; });
    if (left != state_.end()) out.push_back(static_cast<Node>(left - state_.begin()));
  }
  most = std::min(most, out.size());
  std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(most), out.end(),
                    [&](Node a, Node b) { return rank_[a] < rank_[b]; });
  out.resize(most);
  return out;
}

std::vector<std::uint32_t> Schedule::reads_without_value() const {
  std::vector<std::uint32_t> out;
  if (problem_.values == 0) return out;
  for (Node v = 0; v < points_end_; ++v) {
    if (!is_read_node(v) || state_[v] != State::kParked || parked_[v] != kNoQueue) continue;
    const TxnId t = txn_of(v);
    for (std::uint32_t r = problem_.reads_begin[raw(t)]; r < problem_.reads_begin[raw(t) + 1]; ++r) {
      if (!has_source(r)) out.push_back(r);
    }
  }
  return out;
}

}  // namespace isolde::solver
