// tests/oracle/looked.cc: read-committed, cursor-stability, monotonic-atomic-view (with and without sessions),
// read-atomic and causal where there are predicates: as if each key had been read in the version looked at.
//
// Every order of all transactions is tried, and in it every version that a read may have returned and that an operation
// may have looked at. The versions of a key stand in that order; what is read is from before the reader. But for
// read-committed and cursor-stability, a transaction that has seen W reads no version that stands before one of W. In
// one operation keys may have been looked at in any order, before, between and after its rows, which were read one
// after the other.

#include <algorithm>
#include <set>

#include "tests/oracle/tiny.h"

namespace isolde::tiny {
namespace {

// What one operation reads: an item; or a look, and the rows that it returned.
struct Event {
  const Look* look = nullptr;
  std::vector<std::pair<std::uint32_t, State>> reads;  // that the transaction had not written itself
  std::uint32_t own = 0;                               // keys that it had
  States own_states{};
};

using Choices = std::vector<std::size_t>;  // versions of one key

class LookedSearch {
 public:
  LookedSearch(Tiny& tiny, TxnSet counted, Level level)
      : tiny_(tiny), counted_(counted), level_(level), events_(tiny.size()), past_(tiny.size(), 0) {}

  void before(std::size_t a, std::size_t b) { earlier_[b] |= 1U << a; }

  // False if a transaction contradicts its own operations.
  bool collect() {
    for (std::size_t t = 0; t < tiny_.size(); ++t) {
      if (contains(counted_, t) && !collect(t)) return false;
    }
    return true;
  }

  // The depth is the number of transactions.
  bool extend(TxnSet placed) {
    if (placed == counted_) return order_fits();
    for (std::size_t t = 0; t < tiny_.size(); ++t) {
      if (!contains(counted_, t) || contains(placed, t) || (earlier_[t] & ~placed) != 0) continue;
      order_.push_back(t);
      if (extend(placed | 1U << t)) return true;
      order_.pop_back();
    }
    return false;
  }

 private:
  bool collect(std::size_t t) {
    const Txn& txn = tiny_.txns[t];
    std::uint32_t own = 0;
    States now = tiny_.initial;
    std::size_t look = 0;
    for (std::size_t i = 0; i <= txn.ops.size();) {
      if (look < txn.looks.size() && txn.looks[look].place == i) {
        Event event{&txn.looks[look++], {}, own, now};
        const std::size_t rows = event.look->kind == OpKind::kScan ? event.look->items.size() : 0;
        for (const std::size_t end = i + rows; i < end; ++i) {
          const Op& row = txn.ops[i];
          if (contains(own, row.key) && now[row.key] != row.state) return false;
          if (!contains(own, row.key)) event.reads.emplace_back(row.key, row.state);
        }
        events_[t].push_back(std::move(event));
        continue;
      }
      if (i == txn.ops.size()) break;
      const Op& op = txn.ops[i++];
      if (op.kind != OpKind::kRead) {
        now[op.key] = tiny_.apply(now[op.key], op);
        own |= 1U << op.key;
      } else if (!contains(own, op.key)) {
        events_[t].push_back({nullptr, {{op.key, op.state}}, own, now});
      } else if (now[op.key] != op.state) {
        return false;
      }
    }
    return true;
  }

  bool order_fits() {
    States states = tiny_.initial;
    for (std::size_t k = 0; k < tiny_.keys; ++k) versions_[k].assign(1, {states[k], std::nullopt});
    for (const std::size_t t : order_) {
      tiny_.commit(states, t);
      for (std::size_t k = 0; k < tiny_.keys; ++k) {
        if ((tiny_.txns[t].writes >> k & 1U) != 0) versions_[k].push_back({states[k], t});
      }
    }
    if (level_ == Level::kCausal) return pasts_fit(0, 0);
    TxnSet placed = 0;
    for (const std::size_t t : order_) {
      switch (level_) {
        case Level::kReadCommitted:
        case Level::kCursorStability:
          if (!all_fit(t, placed, 0)) return false;
          break;
        case Level::kReadAtomic:
          if (!some_set_fits(t, placed)) return false;
          break;
        default:
          if (!one_by_one(t, placed)) return false;
      }
      placed |= 1U << t;
    }
    return true;
  }

  TxnSet session_before(std::size_t t) const {
    TxnSet set = 0;
    for (const auto& [a, b] : tiny_.session_pairs(counted_)) set |= b == t ? 1U << a : 0U;
    return set;
  }

  // The least version of the key that may be read after these were seen.
  std::size_t floor(std::size_t key, TxnSet seen) const {
    std::size_t least = 0;
    for (std::size_t v = 1; v < versions_[key].size(); ++v) {
      if (contains(seen, *versions_[key][v].writer)) least = v;
    }
    return least;
  }

  // The versions of the key, by these transactions and not older than what those wrote that were seen, that `t` may
  // read.
  Choices readable(std::size_t t, std::size_t key, TxnSet from, TxnSet seen) const {
    Choices out;
    const auto& versions = versions_[key];
    for (std::size_t v = floor(key, seen); v < versions.size(); ++v) {
      if (versions[v].writer && !contains(from, *versions[v].writer)) continue;
      if (level_ == Level::kCursorStability && (tiny_.txns[t].writes >> key & 1U) != 0 &&
          (v + 1 >= versions.size() || versions[v + 1].writer != t)) {
        continue;
      }
      out.push_back(v);
    }
    return out;
  }

  Choices read_choices(std::size_t t, std::pair<std::uint32_t, State> read, TxnSet from, TxnSet seen) const {
    Choices out = readable(t, read.first, from, seen);
    std::erase_if(out, [&](std::size_t v) { return versions_[read.first][v].state != read.second; });
    return out;
  }

  // Keys that the look says something of beside its rows and what the transaction had written.
  std::vector<std::uint32_t> looked_keys(const Event& event) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t k = 0; k < tiny_.keys; ++k) {
      const bool is_row = std::any_of(event.reads.begin(), event.reads.end(), [k](auto& r) { return r.first == k; });
      if (!is_row && !contains(event.own, k)) out.push_back(k);
    }
    return out;
  }

  // What follows from own writes, rows and version sets, whatever was looked at.
  bool result_fits(const Event& event) {
    const Look& look = *event.look;
    if (look.looked) return tiny_.accepts(tiny_.follows(look, event.own_states, event.own));
    if (look.kind == OpKind::kAggregate) return true;
    for (const auto& [key, row] : event.reads) {
      if (!tiny_.accepts(tiny_.follows(look, key, row))) return false;
    }
    for (std::uint32_t k = 0; k < tiny_.keys; ++k) {
      if (contains(event.own, k) && !tiny_.accepts(tiny_.follows(look, k, event.own_states[k]))) return false;
    }
    return true;
  }

  // Of those, the versions that the look may have been at, as far as the key alone tells.
  Choices look_choices(std::size_t t, const Look& look, std::uint32_t key, Choices out) {
    const auto& versions = versions_[key];
    std::erase_if(out, [&](std::size_t v) {
      if (!look.looked) {
        return look.kind != OpKind::kAggregate && !tiny_.accepts(tiny_.follows(look, key, versions[v].state));
      }
      for (std::size_t u = 0; u < versions.size(); ++u) {
        if (versions[u].state != (*look.looked)[key]) continue;
        const bool open = tiny_.may_look_at(t, versions, u) == Fit::kOpen;
        if (open ? tiny_.open_fits : tiny_.agree(look, key, versions, u, v)) return false;
      }
      return true;
    });
    return out;
  }

  // Calls f(versions) with each way to have looked at the keys, one version each, until it returns true.
  template <typename F>
  bool for_each_way(const Event& event, const std::vector<std::uint32_t>& keys, const std::vector<Choices>& choices,
                    F&& f) {
    std::vector<std::size_t> digit(keys.size(), 0), way(keys.size());
    if (std::any_of(choices.begin(), choices.end(), [](const Choices& c) { return c.empty(); })) return false;
    const bool joint = event.look->kind == OpKind::kAggregate && !event.look->looked;
    for (;;) {
      States states = event.own_states;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        way[i] = choices[i][digit[i]];
        states[keys[i]] = versions_[keys[i]][way[i]].state;
      }
      if ((!joint || tiny_.accepts(tiny_.follows(*event.look, states))) && f(way)) return true;
      std::size_t i = 0;
      while (i < digit.size() && ++digit[i] == choices[i].size()) digit[i++] = 0;
      if (i == digit.size()) return false;
    }
  }

  // Whether all that `t` reads and looks at may be by `from`, and not older than what `seen` wrote.
  bool all_fit(std::size_t t, TxnSet from, TxnSet seen) {
    for (const Event& event : events_[t]) {
      for (const auto& read : event.reads) {
        if (read_choices(t, read, from, seen).empty()) return false;
      }
      if (event.look == nullptr) continue;
      if (!result_fits(event)) return false;
      const auto keys = looked_keys(event);
      std::vector<Choices> choices;
      for (const std::uint32_t k : keys) choices.push_back(look_choices(t, *event.look, k, readable(t, k, from, seen)));
      if (!for_each_way(event, keys, choices, [](const auto&) { return true; })) return false;
    }
    return true;
  }

  // read-atomic: of some set that holds what it saw.
  bool some_set_fits(std::size_t t, TxnSet placed) {
    for (TxnSet set = placed;; set = (set - 1) & placed) {
      const TxnSet seen = set | session_before(t);
      if (all_fit(t, seen, seen)) return true;
      if (set == 0) return false;
    }
  }

  // causal: such sets that hold those of all in them. The depth is the number of transactions.
  bool pasts_fit(std::size_t at, TxnSet placed) {
    if (at == order_.size()) return true;
    const std::size_t t = order_[at];
    std::vector<TxnSet> fit;
    for (TxnSet set = placed;; set = (set - 1) & placed) {
      TxnSet closed = set | session_before(t);
      for (std::size_t a = 0; a < tiny_.size(); ++a) closed |= contains(closed, a) ? past_[a] : 0U;
      if (closed == set && all_fit(t, set, set)) fit.push_back(set);
      if (set == 0) break;
    }
    for (const TxnSet set : fit) {
      // Who knows less asks for less.
      if (std::any_of(fit.begin(), fit.end(), [set](TxnSet o) { return o != set && (o & ~set) == 0; })) continue;
      past_[t] = set;
      if (pasts_fit(at + 1, placed | 1U << t)) return true;
    }
    past_[t] = 0;
    return false;
  }

  // monotonic-atomic-view: what was seen so far.
  bool one_by_one(std::size_t t, TxnSet placed) {
    std::set<TxnSet> seen{0};
    for (const Event& event : events_[t]) {
      std::set<TxnSet> next;
      for (const TxnSet set : seen) {
        if (event.look == nullptr) {
          read_in_turn(t, event, 0, {}, {}, placed, set, 0, next);
          continue;
        }
        if (!result_fits(event)) return false;
        const auto keys = looked_keys(event);
        std::vector<Choices> choices;
        for (const std::uint32_t k : keys)
          choices.push_back(look_choices(t, *event.look, k, readable(t, k, placed, set)));
        for_each_way(event, keys, choices, [&](const std::vector<std::size_t>& way) {
          read_in_turn(t, event, 0, keys, way, placed, set, 0, next);
          return false;
        });
      }
      seen = std::move(next);
    }
    return !seen.empty();
  }

  // Every order of the looks and rows of one operation; `done`: looks. The depth is their number.
  void read_in_turn(std::size_t t, const Event& event, std::size_t row, const std::vector<std::uint32_t>& keys,
                    const std::vector<std::size_t>& way, TxnSet placed, TxnSet seen, std::uint32_t done,
                    std::set<TxnSet>& out) {
    const auto with = [&](std::size_t key, std::size_t v) {
      const auto writer = versions_[key][v].writer;
      return writer ? seen | 1U << *writer : seen;
    };
    if (row == event.reads.size() && done + 1 == 1U << keys.size()) {
      out.insert(seen);
      return;
    }
    if (row < event.reads.size()) {
      for (const std::size_t v : read_choices(t, event.reads[row], placed, seen)) {
        read_in_turn(t, event, row + 1, keys, way, placed, with(event.reads[row].first, v), done, out);
      }
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (contains(done, i) || way[i] < floor(keys[i], seen)) continue;
      read_in_turn(t, event, row, keys, way, placed, with(keys[i], way[i]), done | 1U << i, out);
    }
  }

  Tiny& tiny_;
  TxnSet counted_;
  Level level_;
  std::array<TxnSet, kOracleMaxTxns> earlier_{};
  std::vector<std::size_t> order_;
  Versions versions_;
  std::vector<std::vector<Event>> events_;  // by transaction
  std::vector<TxnSet> past_;                // by transaction
};

}  // namespace

bool looked_exists(Tiny& tiny, TxnSet counted, Level level, const Pairs& versions) {
  LookedSearch search(tiny, counted, level);
  for (const auto& [a, b] : versions) search.before(a, b);
  if (info(level).family == LevelFamily::kAxiomatic) {
    for (const auto& [a, b] : tiny.session_pairs(counted)) search.before(a, b);
  }
  return search.collect() && search.extend(0);
}

}  // namespace isolde::tiny
