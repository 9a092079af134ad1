// check/solver/schedule.h: runs the transactions of a Problem one after the other, as a store would.
//
// In, out: ranks of the nodes and choices that are held -> an order of nodes, as far as it goes.
// Always:  what ran so far breaks nothing: each node ran after those with an edge to it, known or held; each read found
//          its version in place; a version was overwritten only when all who are known or held to read it had; with
//          start and commit points, writers of a key did not overlap. Of the nodes that can run the one with the least
//          rank runs first, so that ranks which are such an order give it back.
//          An open read takes any version with its value, unless one is held.
// Cost:    linear in nodes, edges and reads, and in what is taken back.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/limits.h"
#include "check/solver/problem.h"
#include "check/solver/rank_queue.h"

namespace isolde::solver {

class Schedule {
 public:
  Schedule(const Problem& problem, std::vector<std::uint32_t> rank);

  enum class End : std::uint8_t { kAll, kStuck, kLimit };
  End run(const Limits& limits);

  [[nodiscard]] std::span<const Node> order() const { return log_; }
  [[nodiscard]] bool is_done(Node node) const { return place_[node] != kNone32; }
  [[nodiscard]] std::uint32_t place(Node node) const { return place_[node]; }  // kNone32: has not run
  [[nodiscard]] std::uint32_t rank(Node node) const { return rank_[node]; }

  // Takes back what ran at that place of the order and after it.
  void rewind(std::uint32_t place);

  // Choices. Requires: what ran does not contradict them: rewind() before.
  void hold_order(TxnId before, TxnId after);
  void drop_order(TxnId before, TxnId after);
  void hold_source(std::uint32_t read, TxnId writer);
  void drop_source(std::uint32_t read);
  [[nodiscard]] bool has_source(std::uint32_t read) const {
    return problem_.reads[read].is_fixed() || held_source_.contains(read);
  }

  // Why a node that is not done does not run: calls f(Link) for each edge to it from a node that is not done.
  template <typename F>
  void for_each_wait(Node node, F&& f) const;
  // Some nodes that wait and are not done, those with the least ranks first.
  [[nodiscard]] std::vector<Node> first_waiting(std::size_t most) const;
  // Nodes that wait for nothing but a value of an open read that no held choice gives; the read that waits.
  [[nodiscard]] std::vector<std::uint32_t> reads_without_value() const;
  // Whose version of the key stands there; kNoTxn: the initial state.
  [[nodiscard]] TxnId current_writer(KeyId key) const { return writer_of_[current_[raw(key)]]; }

 private:
  using Slot = std::uint32_t;  // a version: place in Problem::keys, and after those the initial state of each key
  static constexpr std::uint32_t kNoQueue = kNone32;
  enum class State : std::uint8_t { kWaiting, kReady, kParked, kDone };

  void index_reads();
  [[nodiscard]] Slot slot_of(TxnId t, KeyId key) const;
  [[nodiscard]] Slot source_slot(std::uint32_t read) const;
  [[nodiscard]] bool is_read_node(Node v) const { return v < points_end_ && (!points_ || v % 2 == 0); }
  [[nodiscard]] bool is_write_node(Node v) const { return v < points_end_ && (!points_ || v % 2 == 1); }
  [[nodiscard]] TxnId txn_of(Node v) const { return TxnId{points_ ? v / 2 : v}; }

  void make_ready(Node v);
  void park(Node v, std::uint32_t queue);
  void wake(std::uint32_t queue);
  void wake_node(Node v);
  bool blocked(Node v);
  void settle_read(std::uint32_t read);
  void execute(Node v);
  void take_back(Node v);
  [[nodiscard]] std::uint32_t held_readers(Slot slot) const;
  void hurry_readers(KeyId key);
  [[nodiscard]] std::span<const std::uint32_t> fixed_readers(Slot slot) const {
    return std::span(readers_).subspan(readers_begin_[slot], readers_begin_[slot + 1] - readers_begin_[slot]);
  }

  const Problem& problem_;
  const bool points_;
  const bool locks_;  // writers of a key may not overlap
  const Node points_end_;
  const std::vector<std::uint32_t> rank_;
  std::vector<Node> node_at_;  // by rank
  const Slot initial_;         // the slot of key 0's initial state

  std::vector<std::uint32_t> reverse_begin_;
  std::vector<Node> reverse_;  // known edges by where they end
  std::vector<std::uint32_t> readers_begin_;
  std::vector<std::uint32_t> readers_;    // fixed reads, by the slot that they read
  std::vector<std::uint32_t> own_read_;   // by slot: the read of that key by the transaction that wrote it
  std::vector<TxnId> writer_of_;          // by slot
  std::vector<std::uint32_t> read_slot_;  // by read: of a fixed one
  std::unordered_map<std::uint32_t, Slot> held_source_;                       // read -> slot
  std::unordered_map<Slot, std::vector<std::uint32_t>> held_readers_;         // slot -> reads
  std::unordered_map<Node, std::vector<std::pair<TxnId, TxnId>>> held_from_;  // by write_node of the first
  std::unordered_map<Node, std::vector<std::pair<TxnId, TxnId>>> held_to_;    // by overwrite_node of the second

  std::vector<Node> held_lately_;     // that wait for another since the last rewind
  std::vector<std::uint32_t> waits_;  // edges from nodes that are not done
  std::vector<State> state_;
  std::vector<std::uint32_t> parked_;  // the queue
  std::vector<Node> parked_nodes_;     // all that were since the last rewind, some twice
  RankQueue ready_;
  std::vector<Node> urgent_;
  std::vector<std::uint32_t> woken_from_;           // the queue that a node was woken from
  std::vector<std::vector<std::uint32_t>> queues_;  // heaps of ranks: 2k: for readers of key k; 2k+1: for its lock
  std::vector<std::vector<Node>> value_queues_;     // by value of open reads

  std::vector<Slot> current_;           // by key
  std::vector<std::uint32_t> pending_;  // by key: readers of the current version that are not done
  std::vector<TxnId> lock_;             // by key: who started and will write it
  std::vector<Node> log_;
  std::vector<std::uint32_t> place_;
  std::uint64_t taken_back_ = 0;  // nodes, since the last run
  struct Overwritten {
    Slot slot;
    std::uint32_t pending;
  };
  std::vector<Overwritten> overwritten_;  // as the writes in log_ did
};

template <typename F>
void Schedule::for_each_wait(Node node, F&& f) const {
  for (std::uint32_t i = reverse_begin_[node]; i < reverse_begin_[node + 1]; ++i) {
    if (!is_done(reverse_[i])) f(Link{Link::Kind::kKnown, reverse_[i], node});
  }
  if (const auto held = held_to_.find(node); held != held_to_.end()) {
    for (const auto& [a, b] : held->second) {
      if (!is_done(problem_.write_node(a))) f(Link{Link::Kind::kBefore, problem_.write_node(a), node, a, b});
    }
  }
  if (is_read_node(node)) {
    for (std::uint32_t r = problem_.reads_begin[raw(txn_of(node))]; r < problem_.reads_begin[raw(txn_of(node)) + 1];
         ++r) {
      const auto held = held_source_.find(r);
      if (held == held_source_.end() || writer_of_[held->second] == kNoTxn) continue;
      const TxnId a = writer_of_[held->second];
      if (!is_done(problem_.write_node(a)))
        f(Link{Link::Kind::kFrom, problem_.write_node(a), node, a, txn_of(node), r});
    }
  }
  if (node >= points_end_) return;
  const TxnId t = txn_of(node);
  const bool by_lock = locks_ && is_read_node(node);
  const bool by_readers = is_write_node(node);
  for (const KeyId key : problem_.keys_of(t)) {
    if (by_lock && lock_[raw(key)] != kNoTxn && lock_[raw(key)] != t) {
      const TxnId a = lock_[raw(key)];
      f(Link{Link::Kind::kBefore, problem_.write_node(a), node, a, t});
    }
    if (!by_readers || pending_[raw(key)] == 0) continue;
    const Slot slot = current_[raw(key)];
    const auto read_by = [&](std::uint32_t r) {
      const TxnId reader = problem_.reads[r].txn;
      if (reader == t || is_done(problem_.read_node(reader))) return;
      f(Link{Link::Kind::kAnti, problem_.read_node(reader), node, writer_of_[slot], t, r});
    };
    for (const std::uint32_t r : fixed_readers(slot)) read_by(r);
    if (const auto held = held_readers_.find(slot); held != held_readers_.end()) {
      for (const std::uint32_t r : held->second) read_by(r);
    }
  }
}

}  // namespace isolde::solver
