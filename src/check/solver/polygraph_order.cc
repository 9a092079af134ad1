#include "check/solver/polygraph_order.h"

#include <deque>

namespace isolde::solver {

namespace {

class Scheduler {
 public:
  Scheduler(const Problem& problem, const Pruner& pruner)
      : problem_(problem),
        pruner_(pruner),
        waits_(problem.nodes, 0),
        unread_(problem.keys.size(), 0),
        current_(problem.writers_begin.size(), kNone32),
        active_(problem.writers_begin.size(), kNoTxn),
        waiting_(problem.writers_begin.size()) {
    for (Node v = 0; v < problem.nodes; ++v) {
      pruner.reach().each_next(v, [&](Node next) { ++waits_[next]; });
    }
    for (std::uint32_t slot = 0; slot < problem.keys.size(); ++slot) {
      pruner.each_reader(slot, [&](std::uint32_t) { ++unread_[slot]; });
    }
  }

  std::vector<Node> run() {
    order_.reserve(problem_.nodes);
    std::vector<bool> done(problem_.nodes, false);
    for (Node v = 0; v < problem_.nodes; ++v) {
      if (waits_[v] == 0) ready_.push_back(v);
    }
    while (order_.size() < problem_.nodes) {
      bool forced = false;
      if (ready_.empty()) {  // all wait for reads that cannot come yet: the one that waits longest goes on
        while (!held_.empty() && done[held_.front()]) held_.pop_front();
        if (held_.empty()) break;
        ready_.push_back(held_.front());
        held_.pop_front();
        forced = true;
      }
      const Node v = ready_.front();
      ready_.pop_front();
      if (done[v]) continue;
      if (!forced) {
        const std::uint32_t key = blocked_by(v);
        if (key != kNone32) {
          waiting_[key].push_back(v);
          held_.push_back(v);
          continue;
        }
      }
      done[v] = true;
      place(v);
    }
    return std::move(order_);
  }

 private:
  [[nodiscard]] TxnId txn_of(Node v) const { return TxnId{problem_.has_points() ? v / 2 : v}; }

  // A key whose current version others have still to read, or that another writer is about to write.
  [[nodiscard]] std::uint32_t blocked_by(Node v) const {
    const TxnId t = txn_of(v);
    if (raw(t) >= problem_.txns) return kNone32;
    const bool writes = v == problem_.write_node(t), starts = v == problem_.overwrite_node(t);
    for (const KeyId key : problem_.keys_of(t)) {
      const std::uint32_t k = raw(key);
      if (starts && problem_.has_points() && active_[k] != kNoTxn && active_[k] != t) return k;
      if (!writes || current_[k] == kNone32 || unread_[current_[k]] == 0) continue;
      std::uint32_t own = 0;
      if (!problem_.has_points()) {
        pruner_.each_reader(current_[k], [&](std::uint32_t r) { own += problem_.reads[r].txn == t ? 1 : 0; });
      }
      if (unread_[current_[k]] > own) return k;
    }
    return kNone32;
  }

  void release(std::uint32_t key) {
    for (const Node v : waiting_[key]) ready_.push_back(v);
    waiting_[key].clear();
  }

  void place(Node v) {
    order_.push_back(v);
    const TxnId t = txn_of(v);
    if (raw(t) < problem_.txns) {
      if (v == problem_.read_node(t)) read(t);
      const bool points = problem_.form == graph::Nodes::kPoints;
      for (std::uint32_t slot = problem_.keys_begin[raw(t)]; slot < problem_.keys_begin[raw(t) + 1]; ++slot) {
        const std::uint32_t key = raw(problem_.keys[slot]);
        if (points && v == problem_.overwrite_node(t)) active_[key] = t;
        if (v != problem_.write_node(t)) continue;
        current_[key] = slot;
        active_[key] = kNoTxn;
        if (points || unread_[slot] == 0) release(key);
      }
    }
    pruner_.reach().each_next(v, [&](Node next) {
      if (--waits_[next] == 0) ready_.push_back(next);
    });
  }

  void read(TxnId t) {
    for (std::uint32_t i = problem_.reads_begin[raw(t)]; i < problem_.reads_begin[raw(t) + 1]; ++i) {
      if (pruner_.fixed(i) == kNone32) continue;
      const TxnId writer = problem_.candidates[pruner_.fixed(i)];
      if (writer == kNoTxn) continue;
      const std::uint32_t slot = pruner_.slot_of(writer, problem_.reads[i].key);
      const std::uint32_t key = raw(problem_.reads[i].key);
      // One left may be the waiting writer's own read.
      if (--unread_[slot] <= 1 && current_[key] == slot) release(key);
    }
  }

  const Problem& problem_;
  const Pruner& pruner_;
  std::vector<std::uint32_t> waits_, unread_, current_;
  std::vector<TxnId> active_;
  std::vector<std::vector<Node>> waiting_;
  std::deque<Node> ready_, held_;
  std::vector<Node> order_;
};

}  // namespace

std::vector<Node> tentative_order(const Problem& problem, const Pruner& pruner) {
  return Scheduler(problem, pruner).run();
}

}  // namespace isolde::solver
