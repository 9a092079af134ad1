#include "check/solver/frontier.h"

#include <algorithm>

#include "base/hash.h"
#include "base/rng.h"
#include "check/solver/dead_states.h"

namespace isolde::solver {
namespace {

constexpr std::uint64_t kStepsPerState = 30;
constexpr std::uint64_t kStatesBetweenLooks = 0xfff;  // at the limits

// What ran so far, and what it leaves: nodes run and are taken back, last in, first out.
class RunState {
 public:
  explicit RunState(const Problem& problem)
      : p_(problem),
        points_(problem.has_points()),
        locks_(problem.form == graph::Nodes::kPoints),
        points_end_(points_ ? 2 * problem.txns : problem.txns),
        waits_(problem.nodes, 0),
        ready_at_(problem.nodes, kNone32) {
    for (const Node to : p_.to) ++waits_[to];
    number_contents();
    for (Node v = 0; v < p_.nodes; ++v) {
      if (waits_[v] == 0) add_ready(v);
    }
  }

  [[nodiscard]] bool all_done() const { return log_.size() == p_.nodes; }
  [[nodiscard]] const std::vector<Node>& log() const { return log_; }
  [[nodiscard]] std::span<const Node> ready() const { return ready_; }  // nobody has to run before them
  [[nodiscard]] std::uint64_t hash() const { return hash_ & ~std::uint64_t{1}; }

  [[nodiscard]] bool can_run(Node v) const {
    if (v >= points_end_) return true;
    const TxnId t = txn_of(v);
    if (reads_at(v)) {
      for (std::uint32_t r = p_.reads_begin[raw(t)]; r < p_.reads_begin[raw(t) + 1]; ++r) {
        if (current_[raw(p_.reads[r].key)] != wanted_[r]) return false;
      }
      if (locks_ &&
          std::any_of(p_.keys_of(t).begin(), p_.keys_of(t).end(), [&](KeyId key) { return locked_[raw(key)] != 0; }))
        return false;
    }
    if (!writes_at(v)) return true;
    for (std::uint32_t s = p_.keys_begin[raw(t)]; s < p_.keys_begin[raw(t) + 1]; ++s) {
      const std::uint32_t content = current_[raw(p_.keys[s])];
      if (content == left_[s] || demand_[content] == 0 || supply_[content] > 0) continue;
      if (demand_[content] > own_demand(v, s, content)) return false;
    }
    return true;
  }

  // Requires: it can run. Whether from here an order exists only if one exists that goes on with it.
  [[nodiscard]] bool is_harmless(Node v) const {
    if (v >= points_end_) return true;
    const TxnId t = txn_of(v);
    if (p_.keys_of(t).empty()) return true;
    if (!writes_at(v)) return !locks_;  // a start that locks nothing
    for (std::uint32_t s = p_.keys_begin[raw(t)]; s < p_.keys_begin[raw(t) + 1]; ++s) {
      const std::uint32_t content = current_[raw(p_.keys[s])];
      if (demand_[left_[s]] > 0 || demand_[content] > own_demand(v, s, content)) return false;
    }
    return true;
  }

  // How much closer to running it brings those who are next, less how far it takes them from it.
  // Requires: count_wishes() in this state.
  [[nodiscard]] std::int64_t score(Node v) const {
    if (!writes_at(v)) return locks_ ? 0 : 1;
    const TxnId t = txn_of(v);
    std::int64_t sum = 0;
    for (std::uint32_t s = p_.keys_begin[raw(t)]; s < p_.keys_begin[raw(t) + 1]; ++s) {
      const std::uint32_t content = current_[raw(p_.keys[s])];
      if (content == left_[s]) continue;
      sum += wishes_[left_[s]] - wishes_[content];
      // The fewer will write it again, the dearer it is.
      if (demand_[content] > own_demand(v, s, content))
        sum -= kScarce * demand_[content] / (std::int64_t{supply_[content]} + 1);
    }
    return sum;
  }
  void count_wishes() {
    for (const std::uint32_t content : wished_) wishes_[content] = 0;
    wished_.clear();
    for (const Node v : ready_) {
      if (v >= points_end_ || !reads_at(v)) continue;
      const std::uint32_t begin = p_.reads_begin[raw(txn_of(v))], end = p_.reads_begin[raw(txn_of(v)) + 1];
      std::int64_t unmet = 0;
      for (std::uint32_t r = begin; r < end; ++r) unmet += current_[raw(p_.reads[r].key)] != wanted_[r] ? 1 : 0;
      for (std::uint32_t r = begin; r < end; ++r) {
        const bool met = current_[raw(p_.reads[r].key)] == wanted_[r];
        wishes_[wanted_[r]] += kWish / (unmet * unmet + (met ? 1 : 0) + 1);
        wished_.push_back(wanted_[r]);
      }
    }
  }

  void run(Node v) {
    remove_ready(v);
    log_.push_back(v);
    hash_ ^= mix64(v + std::uint64_t{1} + (std::uint64_t{1} << 40));
    if (v < points_end_) {
      const TxnId t = txn_of(v);
      if (reads_at(v)) {
        for (std::uint32_t r = p_.reads_begin[raw(t)]; r < p_.reads_begin[raw(t) + 1]; ++r) {
          const std::uint32_t key = raw(p_.reads[r].key);
          hash_ ^= mark(key);
          --demand_[wanted_[r]];
          hash_ ^= mark(key);
        }
        if (locks_) {
          for (const KeyId key : p_.keys_of(t)) locked_[raw(key)] = 1;
        }
      }
      if (writes_at(v)) {
        for (std::uint32_t s = p_.keys_begin[raw(t)]; s < p_.keys_begin[raw(t) + 1]; ++s) {
          const std::uint32_t key = raw(p_.keys[s]);
          overwritten_.push_back(current_[key]);
          hash_ ^= mark(key);
          current_[key] = left_[s];
          hash_ ^= mark(key);
          --supply_[left_[s]];
          if (locks_) locked_[key] = 0;
        }
      }
    }
    for (const Node to : p_.known(v)) {
      if (--waits_[to] == 0) add_ready(to);
    }
  }

  void take_back_to(std::size_t size) {
    while (log_.size() > size) take_back();
  }

 private:
  // Contents of keys: a value that open reads returned, or what one transaction left there, or the initial state.
  static constexpr std::int64_t kWish = 64, kScarce = 8;

  void number_contents() {
    const std::size_t keys = p_.writers_begin.size() - 1;
    const auto slots = static_cast<std::uint32_t>(p_.keys.size());
    const auto content_of = [&](std::uint32_t value, std::uint32_t otherwise) {
      return value == kNone32 ? p_.values + otherwise : value;
    };
    left_.resize(slots);
    for (std::uint32_t s = 0; s < slots; ++s)
      left_[s] = content_of(p_.value_left.empty() ? kNone32 : p_.value_left[s], s);
    current_.resize(keys);
    for (std::uint32_t k = 0; k < keys; ++k)
      current_[k] = content_of(p_.value_first.empty() ? kNone32 : p_.value_first[k], slots + k);
    const std::size_t contents = p_.values + slots + keys;
    supply_.assign(contents, 0);
    demand_.assign(contents, 0);
    wishes_.assign(contents, 0);
    for (const std::uint32_t content : left_) ++supply_[content];
    for (const Read& read : p_.reads) {
      wanted_.push_back(read.is_fixed() ? content_left(p_.candidates[read.first], read.key) : read.value);
      ++demand_[wanted_.back()];
    }
    locked_.assign(locks_ ? keys : 0, 0);
    for (std::uint32_t k = 0; k < keys; ++k) hash_ ^= mark(k);
  }
  [[nodiscard]] std::uint32_t content_left(TxnId writer, KeyId key) const {
    if (writer == kNoTxn) return current_[raw(key)];  // nothing ran yet
    const auto keys = p_.keys_of(writer);
    const auto at = std::lower_bound(keys.begin(), keys.end(), key);
    return left_[p_.keys_begin[raw(writer)] + static_cast<std::uint32_t>(at - keys.begin())];
  }

  [[nodiscard]] TxnId txn_of(Node v) const { return TxnId{points_ ? v / 2 : v}; }
  [[nodiscard]] bool reads_at(Node v) const { return !points_ || v % 2 == 0; }
  [[nodiscard]] bool writes_at(Node v) const { return !points_ || v % 2 == 1; }

  // Of the reads of what stands there, those that `v` does itself before it overwrites it.
  [[nodiscard]] std::uint32_t own_demand(Node v, std::uint32_t slot, std::uint32_t content) const {
    if (points_) return 0;
    std::uint32_t own = 0;
    for (std::uint32_t r = p_.reads_begin[raw(txn_of(v))]; r < p_.reads_begin[raw(txn_of(v)) + 1]; ++r)
      own += p_.reads[r].key == p_.keys[slot] && wanted_[r] == content ? 1 : 0;
    return own;
  }

  // What a key adds to the hash: nothing if nobody is going to read what stands there.
  [[nodiscard]] std::uint64_t mark(std::uint32_t key) const {
    return demand_[current_[key]] == 0 ? 0 : mix64((std::uint64_t{current_[key]} << 20 ^ key) + 1);
  }

  void take_back() {
    const Node v = log_.back();
    log_.pop_back();
    for (const Node to : p_.known(v)) {
      if (waits_[to]++ == 0) remove_ready(to);
    }
    if (v < points_end_) {
      const TxnId t = txn_of(v);
      if (writes_at(v)) {
        for (std::uint32_t s = p_.keys_begin[raw(t) + 1]; s-- > p_.keys_begin[raw(t)];) {
          const std::uint32_t key = raw(p_.keys[s]);
          ++supply_[left_[s]];
          hash_ ^= mark(key);
          current_[key] = overwritten_.back();
          hash_ ^= mark(key);
          overwritten_.pop_back();
          if (locks_) locked_[key] = 1;
        }
      }
      if (reads_at(v)) {
        for (std::uint32_t r = p_.reads_begin[raw(t)]; r < p_.reads_begin[raw(t) + 1]; ++r) {
          const std::uint32_t key = raw(p_.reads[r].key);
          hash_ ^= mark(key);
          ++demand_[wanted_[r]];
          hash_ ^= mark(key);
        }
        if (locks_) {
          for (const KeyId key : p_.keys_of(t)) locked_[raw(key)] = 0;
        }
      }
    }
    hash_ ^= mix64(v + std::uint64_t{1} + (std::uint64_t{1} << 40));
    add_ready(v);
  }

  void add_ready(Node v) {
    ready_at_[v] = static_cast<std::uint32_t>(ready_.size());
    ready_.push_back(v);
  }
  void remove_ready(Node v) {
    const std::uint32_t at = ready_at_[v];
    ready_[at] = ready_.back();
    ready_at_[ready_[at]] = at;
    ready_.pop_back();
    ready_at_[v] = kNone32;
  }

  const Problem& p_;
  const bool points_;
  const bool locks_;  // writers of a key may not overlap
  const Node points_end_;
  std::vector<std::uint32_t> left_;             // beside Problem::keys: the content that is left there
  std::vector<std::uint32_t> wanted_;           // beside Problem::reads: the content that was read
  std::vector<std::uint32_t> current_;          // by key: the content
  std::vector<std::uint32_t> supply_, demand_;  // by content: writes and reads of it that have not run
  std::vector<std::uint8_t> locked_;            // by key: somebody started who will write it
  std::vector<std::uint32_t> waits_;
  std::vector<Node> ready_;
  std::vector<std::uint32_t> ready_at_;
  std::vector<std::int64_t> wishes_;   // by content: of those who are next
  std::vector<std::uint32_t> wished_;  // contents of these
  std::vector<Node> log_;
  std::vector<std::uint32_t> overwritten_;  // contents, as the writes in log_ replaced them
  std::uint64_t hash_ = 0;
};

class FrontierSearch {
 public:
  FrontierSearch(const Problem& problem, std::span<const std::uint32_t> ranks, const Limits& limits,
                 const FrontierOptions& options)
      : ranks_(ranks),
        limits_(limits),
        options_(options),
        state_(problem),
        dead_(options.most_states),
        rng_(1),
        scores_(problem.nodes, 0) {}

  FrontierResult run() {
    FrontierResult out;
    std::uint64_t most = options_.first_run;
    while (states_ < options_.most_states && !stopped_) {
      const End end = run_once(std::min(states_ + most, options_.most_states));
      if (end == End::kOrder) out.order = state_.log();
      out.tried_all = end == End::kTriedAll;
      if (end != End::kGivenUp) break;
      state_.take_back_to(0);
      most += most / kGrowth + 1;
      ++runs_;
    }
    out.states = states_;
    return out;
  }

 private:
  enum class End : std::uint8_t { kOrder, kTriedAll, kGivenUp };
  // A state whose choices are being tried.
  struct Frame {
    std::size_t size;                // of the log
    std::uint64_t hash;              // without the node that is tried
    std::uint32_t first, next, end;  // in choices_
  };

  End run_once(std::uint64_t until) {
    frames_.clear();
    choices_.clear();
    if (!enter()) return End::kTriedAll;
    while (!state_.all_done()) {
      if (frames_.empty()) return End::kTriedAll;
      Frame& frame = frames_.back();
      state_.take_back_to(frame.size);
      if (frame.next == frame.end) {
        dead_.add(frame.hash);
        choices_.resize(frame.first);
        frames_.pop_back();
        continue;
      }
      if (states_ >= until || stopped_) return End::kGivenUp;
      state_.run(choices_[frame.next++]);
      (void)enter();
    }
    return End::kOrder;
  }

  // Runs what does no harm, and then lists what may come next. False: this state leads nowhere.
  bool enter() {
    ++states_;
    spend();
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < state_.ready().size();) {
        const Node v = state_.ready()[i];
        if (state_.can_run(v) && state_.is_harmless(v)) {
          state_.run(v);  // another one stands there now
          again = true;
        } else {
          ++i;
        }
      }
    }
    if (state_.all_done()) return true;
    const std::uint64_t hash = state_.hash();
    if (dead_.holds(hash)) return false;
    const auto first = static_cast<std::uint32_t>(choices_.size());
    for (const Node v : state_.ready()) {
      if (state_.can_run(v)) choices_.push_back(v);
    }
    const auto begin = choices_.begin() + first;
    state_.count_wishes();
    for (auto it = begin; it != choices_.end(); ++it)
      scores_[*it] = state_.score(*it) + (runs_ > 0 ? static_cast<std::int64_t>(rng_.below(kNoise)) : 0);
    std::sort(begin, choices_.end(), [&](Node a, Node b) {
      return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : ranks_[a] < ranks_[b];
    });
    frames_.push_back({state_.log().size(), hash, first, first, static_cast<std::uint32_t>(choices_.size())});
    return true;
  }

  void spend() {
    if ((states_ & kStatesBetweenLooks) != 0) return;
    limits_.spend(kStepsPerState * (kStatesBetweenLooks + 1));
    stopped_ = limits_.exhausted();
    if (limits_.progress != nullptr) limits_.progress->advance("search by states", states_, options_.most_states);
  }

  static constexpr std::uint64_t kGrowth = 20;  // of a run: by one part in so many
  static constexpr std::uint64_t kNoise = 200;  // of scores, in all runs but the first

  std::span<const std::uint32_t> ranks_;
  const Limits& limits_;
  const FrontierOptions options_;
  RunState state_;
  DeadStates dead_;
  Rng rng_;
  std::vector<std::int64_t> scores_;
  std::vector<Frame> frames_;
  std::vector<Node> choices_;
  std::uint64_t states_ = 0, runs_ = 0;
  bool stopped_ = false;
};

}  // namespace

FrontierResult order_by_frontiers(const Problem& problem, std::span<const std::uint32_t> ranks, const Limits& limits,
                                  const FrontierOptions& options) {
  return FrontierSearch(problem, ranks, limits, options).run();
}

}  // namespace isolde::solver
