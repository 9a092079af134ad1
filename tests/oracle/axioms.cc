// tests/oracle/axioms.cc: strong-session-monotonic-atomic-view (their read committed), read-atomic and causal by the
// axioms of Biswas and Enea.
//
// Registers: a commit order exists exactly if what must be in it has no cycle, so only the choice of writers is
// searched. Lists and counters: what a version holds depends on those before it, so every commit order is written out,
// and in it every version that a read may have returned; then the axioms are held against it, word by word.

#include <algorithm>
#include <array>
#include <optional>

#include "tests/oracle/relation.h"
#include "tests/oracle/tiny.h"

namespace isolde::tiny {
namespace {

constexpr std::size_t kInit = kOracleMaxTxns;  // the writer of the initial state

struct ExternalRead {
  std::size_t txn;
  std::uint32_t key;
  std::vector<std::size_t> writers;  // that it may have read from
};

class AxiomSearch {
 public:
  AxiomSearch(Tiny& tiny, TxnSet counted, Level level) : tiny_(tiny), counted_(counted), level_(level) {}

  // False if a read can have no writer, or contradicts the transaction's own operations.
  bool collect_reads() {
    for (std::size_t t = 0; t < tiny_.size(); ++t) {
      if (!contains(counted_, t)) continue;
      if (!looks_fit(t)) return false;
      std::vector<std::optional<State>> own(tiny_.keys);
      std::vector<std::optional<State>> seen(tiny_.keys);
      for (const Op& op : tiny_.txns[t].ops) {
        if (op.kind == OpKind::kWrite) {
          own[op.key] = op.state;
        } else if (own[op.key]) {
          if (*own[op.key] != op.state) return false;
        } else {
          if (level_ != Level::kStrongSessionMonotonicAtomicView && seen[op.key] && *seen[op.key] != op.state)
            return false;
          seen[op.key] = op.state;
          reads_.push_back({t, op.key, writers_of(op.key, op.state, t)});
          if (reads_.back().writers.empty()) return false;
        }
      }
    }
    return true;
  }

  bool run(const Pairs& session, const Pairs& versions) {
    std::vector<std::size_t> digit;
    return choose(digit, session, versions);
  }

 private:
  // Every choice of writers for the reads that are left. What some of them break, all of them do. The depth is the
  // number of reads.
  bool choose(std::vector<std::size_t>& digit, const Pairs& session, const Pairs& versions) const {
    if (!commit_order_exists(digit, session, versions)) return false;
    if (digit.size() == reads_.size()) return true;
    for (std::size_t way = 0; way < reads_[digit.size()].writers.size(); ++way) {
      digit.push_back(way);
      if (choose(digit, session, versions)) return true;
      digit.pop_back();
    }
    return false;
  }

  // Whether every result follows from some versions that there are. Which ones is left open (docs/predicates.md).
  bool looks_fit(std::size_t t) {
    for (const Look& look : tiny_.txns[t].looks) {
      States states = tiny_.initial;
      const std::uint32_t own = tiny_.own_before(t, look, states);
      std::vector<std::vector<State>> candidates(tiny_.keys);
      for (std::uint32_t k = 0; k < tiny_.keys; ++k) {
        candidates[k].push_back(states[k]);
        for (std::size_t other = 0; other < tiny_.size() && !contains(own, k); ++other) {
          const Op* const last = last_write(k, other);
          const bool others = other != t || look.looked;  // of itself: see Tiny::may_look_at
          if (others && contains(counted_, other) && last != nullptr) candidates[k].push_back(last->state);
        }
        if (look.looked && !contains(own, k)) {
          std::erase_if(candidates[k], [&](State state) { return state != (*look.looked)[k]; });
        }
        if (candidates[k].empty()) return false;
      }
      if (!some_versions_fit(look, candidates, states, own)) return false;
    }
    return true;
  }

  bool some_versions_fit(const Look& look, const std::vector<std::vector<State>>& candidates, States states,
                         std::uint32_t own) {
    std::vector<std::size_t> digit(candidates.size(), 0);
    for (;;) {
      for (std::size_t k = 0; k < digit.size(); ++k) states[k] = candidates[k][digit[k]];
      if (tiny_.accepts(tiny_.follows(look, states, own))) return true;
      std::size_t i = 0;
      while (i < digit.size() && ++digit[i] == candidates[i].size()) digit[i++] = 0;
      if (i == digit.size()) return false;
    }
  }

  const Op* last_write(std::uint32_t key, std::size_t t) const {
    const auto& ops = tiny_.txns[t].ops;
    const auto last = std::find_if(ops.rbegin(), ops.rend(),
                                   [&](const Op& op) { return op.kind == OpKind::kWrite && op.key == key; });
    return last == ops.rend() ? nullptr : &*last;
  }

  std::vector<std::size_t> writers_of(std::uint32_t key, State state, std::size_t reader) const {
    std::vector<std::size_t> writers;
    if (tiny_.initial[key] == state) writers.push_back(kInit);
    for (std::size_t t = 0; t < tiny_.size(); ++t) {
      if (t == reader || !contains(counted_, t)) continue;
      const Op* const last = last_write(key, t);
      if (last != nullptr && last->state == state) writers.push_back(t);
    }
    return writers;
  }

  bool commit_order_exists(const std::vector<std::size_t>& digit, const Pairs& session, const Pairs& versions) const {
    Relation<kOracleMaxTxns + 1> so_wr;
    for (const auto& [a, b] : session) so_wr.add(a, b);
    for (std::size_t i = 0; i < digit.size(); ++i) so_wr.add(reads_[i].writers[digit[i]], reads_[i].txn);
    Relation<kOracleMaxTxns + 1> order = so_wr;
    for (const auto& [a, b] : versions) order.add(a, b);
    for (std::size_t t = 0; t < tiny_.size(); ++t) order.add(kInit, t);
    const Relation<kOracleMaxTxns + 1> causes = so_wr.closure();

    for (std::size_t i = 0; i < digit.size(); ++i) {
      const std::size_t reader = reads_[i].txn;
      const std::size_t writer = reads_[i].writers[digit[i]];
      for (std::size_t other = 0; other < tiny_.size(); ++other) {
        if (!contains(counted_, other) || other == writer || other == reader) continue;
        if ((tiny_.txns[other].writes >> reads_[i].key & 1U) == 0) continue;
        bool must_precede = false;
        if (level_ == Level::kStrongSessionMonotonicAtomicView) {
          for (std::size_t j = 0; j < i; ++j) {
            must_precede |= reads_[j].txn == reader && reads_[j].writers[digit[j]] == other;
          }
        } else {
          must_precede = (level_ == Level::kCausal ? causes : so_wr).holds(other, reader);
        }
        if (must_precede) order.add(other, writer);
      }
    }
    return order.acyclic();
  }

  Tiny& tiny_;
  TxnSet counted_;
  Level level_;
  std::vector<ExternalRead> reads_;  // of one transaction: in program order
};

// What a read may have been of: places in the versions of its key.
struct StateRead {
  std::size_t txn;
  std::uint32_t key;
  std::vector<std::size_t> versions;
};

class StateAxioms {
 public:
  StateAxioms(Tiny& tiny, TxnSet counted, Level level) : tiny_(tiny), level_(level) {
    for (std::size_t t = 0; t < tiny.size(); ++t) {
      if (contains(counted, t)) order_.push_back(t);
    }
  }

  bool run(const Pairs& session, const Pairs& versions) {
    do {
      if (keeps(session) && keeps(versions) && order_fits(session)) return true;
    } while (std::next_permutation(order_.begin(), order_.end()));
    return false;
  }

 private:
  std::size_t place(std::size_t t) const {
    return static_cast<std::size_t>(std::find(order_.begin(), order_.end(), t) - order_.begin());
  }
  bool keeps(const Pairs& pairs) const {
    return std::all_of(pairs.begin(), pairs.end(), [&](const auto& p) { return place(p.first) < place(p.second); });
  }

  bool order_fits(const Pairs& session) {
    States states = tiny_.initial;
    for (std::size_t k = 0; k < tiny_.keys; ++k) versions_[k].assign(1, {states[k], std::nullopt});
    for (const std::size_t t : order_) {
      tiny_.commit(states, t);
      for (std::size_t k = 0; k < tiny_.keys; ++k) {
        if ((tiny_.txns[t].writes >> k & 1U) != 0) versions_[k].push_back({states[k], t});
      }
    }
    reads_.clear();
    for (const std::size_t t : order_) {
      if (!collect(t)) return false;
    }
    std::vector<std::size_t> digit;
    return choose(digit, session);
  }
  bool choose(std::vector<std::size_t>& digit, const Pairs& session) const {
    if (!choice_fits(digit, session)) return false;
    if (digit.size() == reads_.size()) return true;
    for (std::size_t way = 0; way < reads_[digit.size()].versions.size(); ++way) {
      digit.push_back(way);
      if (choose(digit, session)) return true;
      digit.pop_back();
    }
    return false;
  }

  bool collect(std::size_t t) {
    const auto& ops = tiny_.txns[t].ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != OpKind::kRead) continue;
      bool overwritten = false;
      for (std::size_t j = 0; j < i; ++j) overwritten |= ops[j].kind == OpKind::kWrite && ops[j].key == ops[i].key;
      StateRead read{t, ops[i].key, {}};
      for (std::size_t v = 0; v < versions_[read.key].size(); ++v) {
        const auto writer = versions_[read.key][v].writer;
        if (writer && place(*writer) >= place(t)) continue;
        State state = versions_[read.key][v].state;
        for (std::size_t j = 0; j < i; ++j) {
          if (ops[j].kind != OpKind::kRead && ops[j].key == read.key) state = tiny_.apply(state, ops[j]);
        }
        if (state == ops[i].state) read.versions.push_back(v);
      }
      if (read.versions.empty()) return false;
      if (!overwritten) reads_.push_back(std::move(read));
    }
    return true;
  }

  bool choice_fits(const std::vector<std::size_t>& digit, const Pairs& session) const {
    const auto from = [&](std::size_t i) { return versions_[reads_[i].key][reads_[i].versions[digit[i]]].writer; };
    Relation<kOracleMaxTxns> so_wr;
    for (const auto& [a, b] : session) so_wr.add(a, b);
    for (std::size_t i = 0; i < digit.size(); ++i) {
      if (from(i)) so_wr.add(*from(i), reads_[i].txn);
    }
    const Relation<kOracleMaxTxns> causes = so_wr.closure();
    for (std::size_t i = 0; i < digit.size(); ++i) {
      for (const std::size_t other : order_) {
        if (other == reads_[i].txn || other == from(i)) continue;
        if ((tiny_.txns[other].writes >> reads_[i].key & 1U) == 0) continue;
        bool must_precede = false;
        if (level_ == Level::kStrongSessionMonotonicAtomicView) {
          for (std::size_t j = 0; j < i; ++j) must_precede |= reads_[j].txn == reads_[i].txn && from(j) == other;
        } else {
          must_precede = (level_ == Level::kCausal ? causes : so_wr).holds(other, reads_[i].txn);
        }
        if (must_precede && (!from(i) || place(other) > place(*from(i)))) return false;
      }
    }
    return true;
  }

  Tiny& tiny_;
  Level level_;
  std::vector<std::size_t> order_;
  Versions versions_;
  std::vector<StateRead> reads_;  // of one transaction: in program order
};

}  // namespace

bool axioms_hold(Tiny& tiny, TxnSet counted, Level level, const Pairs& versions) {
  if (!tiny.registers_only) return StateAxioms(tiny, counted, level).run(tiny.session_pairs(counted), versions);
  AxiomSearch search(tiny, counted, level);
  return search.collect_reads() && search.run(tiny.session_pairs(counted), versions);
}

}  // namespace isolde::tiny
