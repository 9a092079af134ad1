#include "check/solver/schedule.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

namespace isolde::solver {
namespace {

constexpr std::uint32_t kFewReaders = 64;  // more are not hurried one by one
constexpr std::uint64_t kStepsPerNode = 10;
constexpr std::uint32_t kNodesBetweenLooks = 0xfffff;  // at the limits

}  // namespace

Schedule::Schedule(const Problem& problem, std::vector<std::uint32_t> rank)
    : problem_(problem),
      points_(problem.has_points()),
      locks_(problem.form == graph::Nodes::kPoints),
      points_end_(points_ ? 2 * problem.txns : problem.txns),
      rank_(std::move(rank)),
      node_at_(problem.nodes),
      initial_(static_cast<Slot>(problem.keys.size())),
      waits_(problem.nodes, 0),
      state_(problem.nodes, State::kWaiting),
      parked_(problem.nodes, kNoQueue),
      ready_(problem.nodes),
      woken_from_(problem.nodes, kNoQueue),
      place_(problem.nodes, kNone32) {
  const std::size_t keys = problem.writers_begin.size() - 1;
  for (Node v = 0; v < problem.nodes; ++v) node_at_[rank_[v]] = v;
  reverse_begin_.assign(problem.nodes + std::size_t{1}, 0);
  for (const Node to : problem.to) {
    ++waits_[to];
    ++reverse_begin_[to + 1];
  }
  std::partial_sum(reverse_begin_.begin(), reverse_begin_.end(), reverse_begin_.begin());
  reverse_.resize(problem.to.size());
  std::vector<std::uint32_t> at(reverse_begin_.begin(), reverse_begin_.end() - 1);
  for (Node v = 0; v < problem.nodes; ++v) {
    for (const Node to : problem.known(v)) reverse_[at[to]++] = v;
  }
  queues_.resize(2 * keys);
  value_queues_.resize(problem.values);
  lock_.assign(locks_ ? keys : 0, kNoTxn);
  index_reads();
  current_.resize(keys);
  pending_.resize(keys);
  for (std::uint32_t k = 0; k < keys; ++k) {
    current_[k] = initial_ + k;
    pending_[k] = static_cast<std::uint32_t>(fixed_readers(current_[k]).size());
  }
  log_.reserve(problem.nodes);
  for (Node v = 0; v < problem.nodes; ++v) {
    if (waits_[v] == 0) make_ready(v);
  }
}

void Schedule::index_reads() {
  const std::size_t slots = problem_.keys.size() + problem_.writers_begin.size() - 1;
  writer_of_.assign(slots, kNoTxn);
  own_read_.assign(slots, kNoRead);
  for (std::uint32_t t = 0; t < problem_.txns; ++t) {
    for (Slot s = problem_.keys_begin[t]; s < problem_.keys_begin[t + 1]; ++s) writer_of_[s] = TxnId{t};
  }
  read_slot_.assign(problem_.reads.size(), kNone32);
  readers_begin_.assign(slots + 1, 0);
  for (std::uint32_t r = 0; r < problem_.reads.size(); ++r) {
    const Read& read = problem_.reads[r];
    if (const Slot own = slot_of(read.txn, read.key); own != kNone32) own_read_[own] = r;
    if (!read.is_fixed()) continue;
    const TxnId writer = problem_.candidates[read.first];
    read_slot_[r] = writer == kNoTxn ? initial_ + raw(read.key) : slot_of(writer, read.key);
    ++readers_begin_[read_slot_[r] + 1];
  }
  std::partial_sum(readers_begin_.begin(), readers_begin_.end(), readers_begin_.begin());
  readers_.resize(readers_begin_.back());
  std::vector<std::uint32_t> at(readers_begin_.begin(), readers_begin_.end() - 1);
  for (std::uint32_t r = 0; r < problem_.reads.size(); ++r) {
    if (read_slot_[r] != kNone32) readers_[at[read_slot_[r]]++] = r;
  }
}

Schedule::Slot Schedule::slot_of(TxnId t, KeyId key) const {
  const auto keys = problem_.keys_of(t);
  const auto at =
      keys.size() <= 8 ? std::find(keys.begin(), keys.end(), key) : std::lower_bound(keys.begin(), keys.end(), key);
  if (at == keys.end() || *at != key) return kNone32;
  return problem_.keys_begin[raw(t)] + static_cast<std::uint32_t>(at - keys.begin());
}

Schedule::Slot Schedule::source_slot(std::uint32_t read) const {
  if (read_slot_[read] != kNone32) return read_slot_[read];
  const auto held = held_source_.find(read);
  return held == held_source_.end() ? kNone32 : held->second;
}

void Schedule::make_ready(Node v) {
  state_[v] = State::kReady;
  ready_.insert(rank_[v]);
}

void Schedule::park(Node v, std::uint32_t queue) {
  state_[v] = State::kParked;
  parked_[v] = queue;
  parked_nodes_.push_back(v);
  auto& heap = queues_[queue];
  heap.push_back(rank_[v]);
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

void Schedule::wake_node(Node v) {
  woken_from_[v] = parked_[v];
  parked_[v] = kNoQueue;
  make_ready(v);
}

// The first that still waits there.
void Schedule::wake(std::uint32_t queue) {
  auto& heap = queues_[queue];
  while (!heap.empty()) {
    const Node v = node_at_[heap.front()];
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
    if (state_[v] != State::kParked || parked_[v] != queue) continue;
    return wake_node(v);
  }
}

Schedule::End Schedule::run(const Limits& limits) {
  limits.spend(kStepsPerNode * (std::exchange(taken_back_, 0) + 1));
  std::uint32_t nodes = 0;
  while (true) {
    Node v = kNone32;
    while (!urgent_.empty() && v == kNone32) {
      if (state_[urgent_.back()] == State::kReady) v = urgent_.back();
      urgent_.pop_back();
    }
    if (v == kNone32) {
      if (ready_.empty()) break;
      v = node_at_[ready_.smallest()];
    }
    ready_.erase(rank_[v]);
    state_[v] = State::kWaiting;
    const std::uint32_t queue = woken_from_[v];
    woken_from_[v] = kNoQueue;
    if (!blocked(v)) execute(v);
    // The next in the line has its turn, unless this one went back to the head of it.
    if (queue != kNoQueue && parked_[v] != queue) wake(queue);
    if ((++nodes & kNodesBetweenLooks) != 0) continue;
    limits.spend(kStepsPerNode * (kNodesBetweenLooks + 1));
    if (limits.exhausted()) return End::kLimit;
  }
  limits.spend(kStepsPerNode * (nodes & kNodesBetweenLooks));
  return log_.size() == problem_.nodes ? End::kAll : End::kStuck;
}

// Whether something that can change keeps the node from running; it is parked there.
bool Schedule::blocked(Node v) {
  if (v >= points_end_) return false;
  const TxnId t = txn_of(v);
  if (problem_.values > 0 && is_read_node(v)) {
    for (std::uint32_t r = problem_.reads_begin[raw(t)]; r < problem_.reads_begin[raw(t) + 1]; ++r) {
      const Read& read = problem_.reads[r];
      if (read.is_fixed() || held_source_.contains(r)) continue;
      const Slot slot = current_[raw(read.key)];
      const std::uint32_t value = slot >= initial_ ? problem_.value_first[slot - initial_] : problem_.value_left[slot];
      if (value == read.value && read.count > 0) continue;
      state_[v] = State::kParked;
      parked_nodes_.push_back(v);
      value_queues_[read.value].push_back(v);
      return true;
    }
  }
  if (locks_ && is_read_node(v)) {
    for (const KeyId key : problem_.keys_of(t)) {
      if (lock_[raw(key)] == kNoTxn) continue;
      park(v, 2 * raw(key) + 1);
      return true;
    }
  }
  if (!is_write_node(v)) return false;
  for (Slot s = problem_.keys_begin[raw(t)]; s < problem_.keys_begin[raw(t) + 1]; ++s) {
    const KeyId key = problem_.keys[s];
    const std::uint32_t pending = pending_[raw(key)];
    if (pending == 0) continue;
    // Its own read is done with it, or was before.
    if (pending == 1 && !points_ && own_read_[s] != kNoRead && source_slot(own_read_[s]) == current_[raw(key)])
      continue;
    park(v, 2 * raw(key));
    hurry_readers(key);
    return true;
  }
  return false;
}

// Those who read what somebody is about to overwrite come next.
void Schedule::hurry_readers(KeyId key) {
  if (pending_[raw(key)] > kFewReaders) return;
  for (const std::uint32_t r : fixed_readers(current_[raw(key)])) {
    const Node reader = problem_.read_node(problem_.reads[r].txn);
    if (state_[reader] == State::kReady) urgent_.push_back(reader);
  }
}

// A read of the current version was done.
void Schedule::settle_read(std::uint32_t read) {
  const Read& of = problem_.reads[read];
  if (source_slot(read) == kNone32) return;
  const std::uint32_t key = raw(of.key);
  const std::uint32_t left = --pending_[key];
  if (left == 0) return wake(2 * key);
  if (left > 1 || points_ || queues_[2 * key].empty()) return;
  // The last reader may be one that waits to overwrite what it reads.
  const auto try_wake = [&](std::uint32_t r) {
    const Node v = problem_.read_node(problem_.reads[r].txn);
    if (state_[v] == State::kParked && parked_[v] == 2 * key) wake_node(v);
  };
  const Slot slot = current_[key];
  for (const std::uint32_t r : fixed_readers(slot)) try_wake(r);
  if (const auto held = held_readers_.find(slot); held != held_readers_.end()) {
    for (const std::uint32_t r : held->second) try_wake(r);
  }
}

std::uint32_t Schedule::held_readers(Slot slot) const {
  if (held_readers_.empty()) return 0;
  const auto held = held_readers_.find(slot);
  return held == held_readers_.end() ? 0 : static_cast<std::uint32_t>(held->second.size());
}

void Schedule::execute(Node v) {
  state_[v] = State::kDone;
  place_[v] = static_cast<std::uint32_t>(log_.size());
  log_.push_back(v);
  if (is_read_node(v)) {
    const TxnId t = txn_of(v);
    for (std::uint32_t r = problem_.reads_begin[raw(t)]; r < problem_.reads_begin[raw(t) + 1]; ++r) settle_read(r);
    if (locks_) {
      for (const KeyId key : problem_.keys_of(t)) lock_[raw(key)] = t;
    }
  }
  if (is_write_node(v)) {
    const TxnId t = txn_of(v);
    for (Slot s = problem_.keys_begin[raw(t)]; s < problem_.keys_begin[raw(t) + 1]; ++s) {
      const std::uint32_t key = raw(problem_.keys[s]);
      overwritten_.push_back({current_[key], pending_[key]});
      current_[key] = s;
      pending_[key] = static_cast<std::uint32_t>(fixed_readers(s).size()) + held_readers(s);
      if (locks_) {
        lock_[key] = kNoTxn;
        wake(2 * key + 1);
      }
      if (pending_[key] == 0) wake(2 * key);
      if (problem_.values == 0 || problem_.value_left[s] == kNone32) continue;
      auto& waiting = value_queues_[problem_.value_left[s]];
      for (const Node reader : waiting) {
        if (state_[reader] == State::kParked && parked_[reader] == kNoQueue) make_ready(reader);
      }
      waiting.clear();
    }
  }
  for (const Node to : problem_.known(v)) {
    if (--waits_[to] == 0) make_ready(to);
  }
  if (const auto held = held_from_.find(v); held != held_from_.end()) {
    for (const auto& [a, b] : held->second) {
      const Node to = problem_.overwrite_node(b);
      if (--waits_[to] == 0) make_ready(to);
    }
  }
  if (!held_readers_.empty() && is_write_node(v)) {
    const TxnId t = txn_of(v);
    for (Slot s = problem_.keys_begin[raw(t)]; s < problem_.keys_begin[raw(t) + 1]; ++s) {
      const auto readers = held_readers_.find(s);
      if (readers == held_readers_.end()) continue;
      for (const std::uint32_t r : readers->second) {
        const Node to = problem_.read_node(problem_.reads[r].txn);
        if (--waits_[to] == 0) make_ready(to);
      }
    }
  }
}

void Schedule::take_back(Node v) {
  const auto wait_again = [&](Node to) {
    if (waits_[to]++ != 0) return;
    if (state_[to] == State::kReady) ready_.erase(rank_[to]);
    state_[to] = State::kWaiting;
    parked_[to] = woken_from_[to] = kNoQueue;
  };
  for (const Node to : problem_.known(v)) wait_again(to);
  if (const auto held = held_from_.find(v); held != held_from_.end()) {
    for (const auto& [a, b] : held->second) wait_again(problem_.overwrite_node(b));
  }
  const TxnId t = txn_of(v);
  if (is_write_node(v)) {
    for (Slot s = problem_.keys_begin[raw(t) + 1]; s-- > problem_.keys_begin[raw(t)];) {
      if (const auto readers = held_readers_.find(s); readers != held_readers_.end()) {
        for (const std::uint32_t r : readers->second) wait_again(problem_.read_node(problem_.reads[r].txn));
      }
      const std::uint32_t key = raw(problem_.keys[s]);
      current_[key] = overwritten_.back().slot;
      pending_[key] = overwritten_.back().pending;
      overwritten_.pop_back();
      if (locks_) lock_[key] = t;
    }
  }
  if (is_read_node(v)) {
    if (locks_) {
      for (const KeyId key : problem_.keys_of(t)) lock_[raw(key)] = kNoTxn;
    }
    for (std::uint32_t r = problem_.reads_begin[raw(t)]; r < problem_.reads_begin[raw(t) + 1]; ++r) {
      if (source_slot(r) != kNone32) ++pending_[raw(problem_.reads[r].key)];
    }
  }
  place_[v] = kNone32;
  make_ready(v);
}

void Schedule::rewind(std::uint32_t place) {
  if (log_.size() > place) taken_back_ += log_.size() - place;
  taken_back_ += parked_nodes_.size();
  while (log_.size() > place) {
    const Node v = log_.back();
    log_.pop_back();
    take_back(v);
  }
  // What kept others waiting may be gone.
  for (const Node v : parked_nodes_) {
    if (state_[v] != State::kParked) continue;
    parked_[v] = kNoQueue;
    make_ready(v);
  }
  parked_nodes_.clear();
  urgent_.clear();
  held_lately_.clear();
}

}  // namespace isolde::solver
