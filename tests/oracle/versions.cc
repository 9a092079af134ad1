// tests/oracle/versions.cc: what commit timestamps and snapshots say about the order of one key's versions.
//
// Every order of the versions of a key is tried against what the reads of that key, by themselves, and the given orders
// allow. Timestamps hold for the key if some order that is left agrees with all of them; then snapshots, likewise.

#include <algorithm>
#include <functional>

#include "tests/oracle/tiny.h"

namespace isolde::tiny {
namespace {

using Order = std::vector<std::size_t>;  // transactions

class KeyOrders {
 public:
  KeyOrders(Tiny& tiny, TxnSet counted, Level level, std::uint32_t key)
      : tiny_(tiny), counted_(counted), follows_(follows(level)), key_(key) {
    Order order;
    for (std::size_t t = 0; t < tiny.size(); ++t) {
      if (contains(counted, t) && (tiny.txns[t].writes >> key & 1U) != 0) order.push_back(t);
    }
    do {
      if (explains(order)) left.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
  }

  std::vector<Order> left;

  // Keeps what agrees with all pairs; false, and nothing changes, if that is none.
  bool keep(const Pairs& pairs) {
    std::vector<Order> agree;
    for (const Order& order : left) {
      const auto place = [&](std::size_t t) { return std::find(order.begin(), order.end(), t) - order.begin(); };
      if (std::all_of(pairs.begin(), pairs.end(), [&](const auto& p) { return place(p.first) < place(p.second); }))
        agree.push_back(order);
    }
    if (agree.empty()) return false;
    left = std::move(agree);
    return true;
  }

  // Pairs of different writers that `before` holds of.
  template <typename F>
  [[nodiscard]] Pairs pairs(F&& before) const {
    Pairs out;
    for (std::size_t a = 0; a < tiny_.size(); ++a) {
      for (std::size_t b = 0; b < tiny_.size(); ++b) {
        if (a != b && writes(a) && writes(b) && before(tiny_.txns[a], tiny_.txns[b])) out.emplace_back(a, b);
      }
    }
    return out;
  }

 private:
  // Where lost updates are forbidden, who reads a key and writes it writes the very next version.
  static bool follows(Level level) {
    const LevelFamily family = info(level).family;
    return family == LevelFamily::kSnapshot || family == LevelFamily::kSerializable ||
           level == Level::kRepeatableRead || level == Level::kCursorStability;
  }
  [[nodiscard]] bool writes(std::size_t t) const {
    return contains(counted_, t) && (tiny_.txns[t].writes >> key_ & 1U) != 0;
  }

  bool explains(const Order& order) {
    States states = tiny_.initial;
    std::vector<State> versions{states[key_]};
    for (const std::size_t t : order) {
      tiny_.commit(states, t);
      versions.push_back(states[key_]);
    }
    for (std::size_t t = 0; t < tiny_.size(); ++t) {
      if (contains(counted_, t) && !explains(order, versions, t)) return false;
    }
    return true;
  }

  // Every read of the key returned some version, changed by the transaction's own operations before it.
  bool explains(const Order& order, const std::vector<State>& versions, std::size_t t) {
    const auto own = static_cast<std::size_t>(std::find(order.begin(), order.end(), t) - order.begin());
    const auto& ops = tiny_.txns[t].ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != OpKind::kRead || ops[i].key != key_) continue;
      bool found = false;
      for (std::size_t v = 0; v < versions.size(); ++v) {
        State state = versions[v];
        bool overwritten = false;
        for (std::size_t j = 0; j < i; ++j) {
          if (ops[j].kind == OpKind::kRead || ops[j].key != key_) continue;
          state = tiny_.apply(state, ops[j]);
          overwritten |= ops[j].kind == OpKind::kWrite;
        }
        const bool placed = own == order.size() ? true : follows_ ? v == own : v <= own;
        found |= state == ops[i].state && (overwritten || placed);
      }
      if (!found) return false;
    }
    return true;
  }

  Tiny& tiny_;
  const TxnSet counted_;
  const bool follows_;
  const std::uint32_t key_;
};

bool committed_before(const Txn& a, const Txn& b) {
  return a.commit_ts != kNoTime && b.commit_ts != kNoTime && a.commit_ts < b.commit_ts;
}

}  // namespace

bool visible(const Txn& a, const Txn& b) {
  if (!a.snapshot || !b.snapshot || !a.snapshot->xid) return false;
  const std::int64_t xid = *a.snapshot->xid;
  if (xid < b.snapshot->xmin) return true;
  if (xid >= b.snapshot->xmax) return false;
  const auto& active = b.snapshot->active;
  return std::find(active.begin(), active.end(), xid) == active.end();
}

std::optional<VersionEvidence> version_evidence(Tiny& tiny, TxnSet counted, Level level, OracleEvidence use) {
  VersionEvidence out;
  for (std::uint32_t key = 0; key < tiny.keys; ++key) {
    KeyOrders orders(tiny, counted, level, key);
    Pairs given;
    if (has(use, OracleEvidence::kVersions)) {
      auto pairs = tiny.version_pairs(counted, key);
      if (!pairs) return std::nullopt;
      given = *std::move(pairs);
    }
    out.pairs.insert(out.pairs.end(), given.begin(), given.end());
    if (!orders.keep(given)) orders.left.clear();
    const auto add = [&](OracleEvidence kind, const Pairs& pairs) {
      if (has(use, kind) && orders.keep(pairs)) out.pairs.insert(out.pairs.end(), pairs.begin(), pairs.end());
    };
    add(OracleEvidence::kCommitOrder, orders.pairs(committed_before));
    add(OracleEvidence::kSnapshots, orders.pairs(visible));
    out.one_order_each &= orders.left.size() == 1;
  }
  return out;
}

}  // namespace isolde::tiny
