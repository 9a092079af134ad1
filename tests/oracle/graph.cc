// tests/oracle/graph.cc: the levels that Adya and Bailis define by cycles: read-uncommitted, read-committed,
// cursor-stability, monotonic-atomic-view, repeatable-read.
//
// All of them forbid cycles of overwrites, so whatever version orders there may be agree with one order of all
// transactions: every such order is tried, and in it every version that a read may have returned.

#include <algorithm>
#include <array>
#include <optional>

#include "tests/oracle/relation.h"
#include "tests/oracle/tiny.h"

namespace isolde::tiny {
namespace {

struct ItemRead {
  std::size_t txn;
  std::uint32_t key;
  std::vector<std::size_t> versions;  // that it may have returned
};

// A predicate operation: whom it may depend on, one way a set. Sets that ask for more than another are left out.
struct PredicateRead {
  std::size_t txn;
  std::vector<TxnSet> ways;
};

class GraphSearch {
 public:
  GraphSearch(Tiny& tiny, TxnSet counted, Level level) : tiny_(tiny), counted_(counted), level_(level) {}

  void before(std::size_t a, std::size_t b) { earlier_[b] |= 1U << a; }

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
  bool order_fits() {
    if (level_ == Level::kReadUncommitted) return true;
    States states = tiny_.initial;
    for (std::size_t k = 0; k < tiny_.keys; ++k) versions_[k].assign(1, {states[k], std::nullopt});
    for (const std::size_t t : order_) {
      tiny_.commit(states, t);
      for (std::size_t k = 0; k < tiny_.keys; ++k) {
        if ((tiny_.txns[t].writes >> k & 1U) != 0) versions_[k].push_back({states[k], t});
      }
    }
    reads_.clear();
    looks_.clear();
    for (const std::size_t t : order_) {
      if (!collect_reads(t) || !collect_looks(t)) return false;
    }
    std::vector<std::size_t> digit;
    return choose(digit);
  }

  // Every way to choose for the reads and looks that are left. What some of them break, all of them do. The depth is
  // the number of reads.
  bool choose(std::vector<std::size_t>& digit) const {
    if (!choice_fits(digit)) return false;
    const std::size_t i = digit.size();
    if (i == reads_.size() + looks_.size()) return true;
    const std::size_t ways = i < reads_.size() ? reads_[i].versions.size() : looks_[i - reads_.size()].ways.size();
    for (std::size_t way = 0; way < ways; ++way) {
      digit.push_back(way);
      if (choose(digit)) return true;
      digit.pop_back();
    }
    return false;
  }

  // False if the result of a predicate operation follows from no versions. Only repeatable-read asks for more than that
  // here: what the others say of versions that were not returned is left open (docs/predicates.md).
  bool collect_looks(std::size_t t) {
    for (const Look& look : tiny_.txns[t].looks) {
      States own_states = tiny_.initial;
      const std::uint32_t own = tiny_.own_before(t, look, own_states);
      // Every choice of versions, as a counter with one digit a key.
      std::vector<std::vector<std::size_t>> candidates(tiny_.keys);
      for (std::size_t k = 0; k < tiny_.keys; ++k) {
        for (std::size_t v = 0; v < versions_[k].size(); ++v) {
          const Version& version = versions_[k][v];
          const bool may = look.looked ? tiny_.accepts(tiny_.may_look_at(t, versions_[k], v)) : version.writer != t;
          if (contains(own, k) ? v == 0 : may && may_look(look, k, version.state)) candidates[k].push_back(v);
        }
        if (candidates[k].empty()) return false;
      }
      PredicateRead read{t, {}};
      std::vector<std::size_t> digit(tiny_.keys, 0);
      for (std::size_t i = 0; i < digit.size() || digit.empty();) {
        States states = own_states;
        TxnSet from = 0;
        for (std::size_t k = 0; k < tiny_.keys; ++k) {
          if (contains(own, k)) continue;
          const std::size_t v = candidates[k][digit[k]];
          states[k] = versions_[k][v].state;
          if (!look.looked || tiny_.may_look_at(t, versions_[k], v) == Fit::kYes) from |= changer(look, k, v);
        }
        // Whether who itself changed the matches may have looked at what came later is left open.
        const bool may = !contains(from, t) || tiny_.open_fits;
        if (may && tiny_.accepts(tiny_.follows(look, states, own))) read.ways.push_back(from & ~(1U << t));
        if (digit.empty()) break;
        for (i = 0; i < digit.size() && ++digit[i] == candidates[i].size(); ++i) digit[i] = 0;
      }
      if (read.ways.empty()) return false;
      if (level_ != Level::kRepeatableRead) continue;
      std::vector<TxnSet> least;
      for (const TxnSet way : read.ways) {
        const auto asks_less = [&](TxnSet other) { return (other & ~way) == 0 && other != way; };
        if (std::none_of(read.ways.begin(), read.ways.end(), asks_less) &&
            std::find(least.begin(), least.end(), way) == least.end()) {
          least.push_back(way);
        }
      }
      read.ways = std::move(least);
      looks_.push_back(std::move(read));
    }
    return true;
  }

  // Whether the operation may have been evaluated on that version, as far as the key alone tells.
  bool may_look(const Look& look, std::size_t key, State state) {
    if (look.looked) return (*look.looked)[key] == state;
    return look.kind == OpKind::kAggregate || tiny_.accepts(tiny_.follows(look, key, state));
  }

  // The latest transaction that changed the matches, up to the version looked at, if any.
  TxnSet changer(const Look& look, std::size_t key, std::size_t version) {
    for (std::size_t v = version; v > 0; --v) {
      if (tiny_.changes_matches(look, key, versions_[key], v)) return 1U << *versions_[key][v].writer;
    }
    return 0;
  }

  // False if a read returned no final version of a counted transaction, or not what the reader itself wrote.
  bool collect_reads(std::size_t t) {
    const auto& ops = tiny_.txns[t].ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != OpKind::kRead) continue;
      const auto after_own = [&](State state) {
        for (std::size_t j = 0; j < i; ++j) {
          if (ops[j].kind != OpKind::kRead && ops[j].key == ops[i].key) state = tiny_.apply(state, ops[j]);
        }
        return state;
      };
      const bool overwritten =
          std::any_of(ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const Op& op) { return op.kind == OpKind::kWrite && op.key == ops[i].key; });
      if (overwritten) {
        if (after_own(tiny_.initial[ops[i].key]) != ops[i].state) return false;
        continue;
      }
      ItemRead read{t, ops[i].key, {}};
      const auto& versions = versions_[read.key];
      for (std::size_t v = 0; v < versions.size(); ++v) {
        if (versions[v].writer != t && after_own(versions[v].state) == ops[i].state) read.versions.push_back(v);
      }
      if (read.versions.empty()) return false;
      reads_.push_back(std::move(read));
    }
    return true;
  }

  bool choice_fits(const std::vector<std::size_t>& digit) const {
    Relation<kOracleMaxTxns> depends;
    for (const auto& versions : versions_) {
      for (std::size_t v = 2; v < versions.size(); ++v) depends.add(*versions[v - 1].writer, *versions[v].writer);
    }
    const std::size_t reads = std::min(digit.size(), reads_.size());
    for (std::size_t i = 0; i < reads; ++i) {
      const auto writer = versions_[reads_[i].key][reads_[i].versions[digit[i]]].writer;
      if (writer) depends.add(*writer, reads_[i].txn);
    }
    for (std::size_t i = 0; reads_.size() + i < digit.size(); ++i) {
      for (std::size_t t = 0; t < tiny_.size(); ++t) {
        if (contains(looks_[i].ways[digit[reads_.size() + i]], t)) depends.add(t, looks_[i].txn);
      }
    }
    if (!depends.acyclic()) return false;  // G0, G1c

    for (std::size_t i = 0; i < reads; ++i) {
      const ItemRead& read = reads_[i];
      const std::size_t version = read.versions[digit[i]];
      const auto own = place_of(read.key, read.txn);
      if (level_ == Level::kCursorStability && own && *own != version + 1) return false;
      if (level_ == Level::kRepeatableRead && version + 1 < versions_[read.key].size()) {
        const std::size_t next = *versions_[read.key][version + 1].writer;
        if (next != read.txn) depends.add(read.txn, next);
      }
      if (level_ != Level::kMonotonicAtomicView) continue;
      for (std::size_t j = 0; j < i; ++j) {
        if (reads_[j].txn != read.txn) continue;
        const auto seen = versions_[reads_[j].key][reads_[j].versions[digit[j]]].writer;
        const auto place = seen ? place_of(read.key, *seen) : std::nullopt;
        if (place && *place > version) return false;  // OTV
      }
    }
    return depends.acyclic();
  }

  std::optional<std::size_t> place_of(std::uint32_t key, std::size_t writer) const {
    const auto& versions = versions_[key];
    for (std::size_t v = 1; v < versions.size(); ++v) {
      if (versions[v].writer == writer) return v;
    }
    return std::nullopt;
  }

  Tiny& tiny_;
  TxnSet counted_;
  Level level_;
  std::array<TxnSet, kOracleMaxTxns> earlier_{};
  std::vector<std::size_t> order_;
  Versions versions_;
  std::vector<ItemRead> reads_;  // of one transaction: in program order
  std::vector<PredicateRead> looks_;
};

// At read-uncommitted a read need not be explained, but lists show the order of the appends, as long as all reads of
// the key agree on it, none shows an element twice, and each element has one writer.
Pairs pairs_from_lists(const Tiny& tiny, TxnSet counted) {
  Pairs pairs;
  for (std::uint32_t key = 0; key < tiny.keys; ++key) {
    if (tiny.use_of(key) != Tiny::KeyUse::kAppended) continue;
    std::vector<const std::vector<ValueId>*> lists;
    for (std::size_t t = 0; t < tiny.size(); ++t) {
      for (const Op& op : tiny.txns[t].ops) {
        // An unknown transaction may count; what it read is nobody's promise here.
        if (tiny.txns[t].status != Status::kCommitted || op.kind != OpKind::kRead || op.key != key) continue;
        if (const auto* elements = tiny.list(op.state)) lists.push_back(elements);
      }
    }
    std::sort(lists.begin(), lists.end(), [](const auto* a, const auto* b) { return a->size() < b->size(); });
    bool agree = true;
    for (std::size_t i = 1; i < lists.size(); ++i) {
      agree &= std::equal(lists[i - 1]->begin(), lists[i - 1]->end(), lists[i]->begin());
    }
    if (!agree || lists.empty()) continue;
    std::vector<ValueId> elements = *lists.back();
    std::sort(elements.begin(), elements.end());
    if (std::adjacent_find(elements.begin(), elements.end()) != elements.end()) continue;
    std::vector<std::size_t> writers;
    for (const ValueId element : *lists.back()) {
      const auto [how_many, writer] = tiny.writer_of(key, element);
      if (how_many == Tiny::Writers::kOne && contains(counted, writer)) writers.push_back(writer);
    }
    for (std::size_t i = 1; i < writers.size(); ++i) {
      if (writers[i - 1] != writers[i]) pairs.emplace_back(writers[i - 1], writers[i]);
    }
  }
  return pairs;
}

// Whether some counted transaction read a value that only an unknown transaction outside `counted` wrote.
bool leaves_out_a_seen_one(const Tiny& tiny, TxnSet counted) {
  for (std::size_t t = 0; t < tiny.size(); ++t) {
    if (!contains(counted, t)) continue;
    for (const Op& op : tiny.txns[t].ops) {
      if (op.kind != OpKind::kRead || op.state == tiny.initial[op.key]) continue;
      const auto* elements = tiny.list(op.state);
      std::vector<ValueId> seen;
      if (tiny.use_of(op.key) == Tiny::KeyUse::kWritten) seen = {op.value};
      if (tiny.use_of(op.key) == Tiny::KeyUse::kAppended && elements != nullptr) seen = *elements;
      for (const ValueId value : seen) {
        const auto [how_many, writer] = tiny.writer_of(op.key, value);
        if (how_many == Tiny::Writers::kOne && contains(tiny.unknown() & ~counted, writer)) return true;
      }
    }
    for (const Look& look : tiny.txns[t].looks) {
      for (const auto& [key, value] : look.named) {
        const auto [how_many, writer] = tiny.writer_of(key, value);
        if (how_many == Tiny::Writers::kOne && contains(tiny.unknown() & ~counted, writer)) return true;
      }
    }
  }
  return false;
}

}  // namespace

bool graph_exists(Tiny& tiny, TxnSet counted, Level level, const Pairs& versions) {
  if (leaves_out_a_seen_one(tiny, counted)) return false;
  GraphSearch search(tiny, counted, level);
  for (const auto& [a, b] : versions) search.before(a, b);
  for (const auto& [a, b] : pairs_from_lists(tiny, counted)) search.before(a, b);
  return search.extend(0);
}

}  // namespace isolde::tiny
