#include "check/solver/polygraph_order.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace isolde::solver {

namespace {

constexpr std::uint64_t kMostVisits = 40;  // a node, on average

class WriterPlacer {
 public:
  WriterPlacer(const Problem& problem, const Pruner& pruner)
      : problem_(problem),
        pruner_(pruner),
        state_(problem.nodes, State::kOpen),
        current_(problem.writers_begin.size(), kNone32),
        active_(problem.writers_begin.size(), kNoTxn),
        begin_(problem.nodes + std::size_t{1}, 0) {
    const Reachability& reach = pruner.reach();
    for (Node v = 0; v < problem.nodes; ++v) reach.each_next(v, [&](Node next) { ++begin_[next + 1]; });
    for (Node v = 0; v < problem.nodes; ++v) begin_[v + 1] += begin_[v];
    from_.resize(begin_.back());
    std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
    for (Node v = 0; v < problem.nodes; ++v) reach.each_next(v, [&](Node next) { from_[at[next]++] = v; });
  }

  std::vector<Node> run(std::span<const Node> sequence) {
    order_.reserve(problem_.nodes);
    for (const Node v : sequence) {
      if (state_[v] != State::kPlaced) place_all(v);
    }
    for (Node v = 0; v < problem_.nodes; ++v) {
      if (state_[v] != State::kPlaced) place_all(v);
    }
    return std::move(order_);
  }

 private:
  enum class State : std::uint8_t { kOpen, kWaits, kPlaced };
  struct Frame {
    Node node;
    std::uint32_t next_before;  // in from_
    bool must;                  // the one below needs it; else it only wants it
    std::vector<Node> given_up;
  };

  void push(Node node, bool must) {
    state_[node] = State::kWaits;
    stack_.push_back({node, begin_[node], must, {}});
    ++visits_;
  }

  void place_all(Node root) {
    push(root, true);
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      while (frame.next_before < begin_[frame.node + 1] && state_[from_[frame.next_before]] == State::kPlaced) {
        ++frame.next_before;
      }
      if (frame.next_before < begin_[frame.node + 1]) {
        const Node before = from_[frame.next_before];
        if (state_[before] == State::kWaits) {
          give_up();
        } else {
          push(before, true);
        }
        continue;
      }
      const Node wanted = visits_ < kMostVisits * problem_.nodes ? wanted_before(frame) : kNone32;
      if (wanted != kNone32) {
        push(wanted, false);
        continue;
      }
      place(frame.node);
      stack_.pop_back();
    }
  }

  // The top needs a node that waits for it: whatever wanted it goes on without.
  void give_up() {
    for (bool must = true; must;) {
      const Node node = stack_.back().node;
      must = stack_.back().must;
      state_[node] = State::kOpen;
      stack_.pop_back();
      if (!must) stack_.back().given_up.push_back(node);
    }
  }

  [[nodiscard]] TxnId txn_of(Node v) const { return TxnId{problem_.has_points() ? v / 2 : v}; }

  // A node that should come first, though it need not.
  [[nodiscard]] Node wanted_before(const Frame& frame) const {
    const TxnId t = txn_of(frame.node);
    if (raw(t) >= problem_.txns) return kNone32;
    const auto can = [&](Node node) {
      return state_[node] == State::kOpen &&
             std::find(frame.given_up.begin(), frame.given_up.end(), node) == frame.given_up.end();
    };
    const bool writes = frame.node == problem_.write_node(t);
    const bool starts = problem_.form == graph::Nodes::kPoints && frame.node == problem_.overwrite_node(t);
    for (const KeyId key : problem_.keys_of(t)) {
      const std::uint32_t k = raw(key);
      if (starts && active_[k] != kNoTxn && can(problem_.write_node(active_[k]))) {
        return problem_.write_node(active_[k]);
      }
      if (!writes || current_[k] == kNone32) continue;
      Node wanted = kNone32;
      pruner_.each_reader(current_[k], [&](std::uint32_t r) {
        const Node reader = problem_.read_node(problem_.reads[r].txn);
        if (wanted == kNone32 && problem_.reads[r].txn != t && can(reader)) wanted = reader;
      });
      if (wanted != kNone32) return wanted;
    }
    return kNone32;
  }

  void place(Node v) {
    order_.push_back(v);
    state_[v] = State::kPlaced;
    const TxnId t = txn_of(v);
    if (raw(t) >= problem_.txns) return;
    for (std::uint32_t slot = problem_.keys_begin[raw(t)]; slot < problem_.keys_begin[raw(t) + 1]; ++slot) {
      const std::uint32_t key = raw(problem_.keys[slot]);
      if (v == problem_.write_node(t)) {
        current_[key] = slot;
        if (active_[key] == t) active_[key] = kNoTxn;
      } else {
        active_[key] = t;
      }
    }
  }

  const Problem& problem_;
  const Pruner& pruner_;
  std::vector<State> state_;
  std::vector<std::uint32_t> current_;  // by key: the version, as a place in Problem::keys
  std::vector<TxnId> active_;           // by key: who has started and will write it
  std::vector<std::uint32_t> begin_;
  std::vector<Node> from_;  // edges by where they end
  std::vector<Frame> stack_;
  std::uint64_t visits_ = 0;
  std::vector<Node> order_;
};

}  // namespace

std::vector<Node> tentative_order(const Problem& problem, const Pruner& pruner, std::span<const Node> hint) {
  WriterPlacer placer(problem, pruner);
  if (!hint.empty()) return placer.run(hint);
  // Ids often follow time. Who asks for no hint gets none.
  std::vector<std::pair<std::uint64_t, Node>> scrambled(problem.nodes);
  for (Node v = 0; v < problem.nodes; ++v) scrambled[v] = {mix64(problem.has_points() ? v / 2 : v), v};
  std::sort(scrambled.begin(), scrambled.end());
  std::vector<Node> sequence;
  for (const auto& [hash, v] : scrambled) sequence.push_back(v);
  return placer.run(sequence);
}

}  // namespace isolde::solver
