// tests/oracle/looks.cc: what predicate operations say, from docs/predicates.md, "What a level says of predicates".

#include <algorithm>

#include "tests/oracle/tiny.h"

namespace isolde::tiny {
namespace {

Fit both(Fit a, Fit b) { return std::min(a, b); }
Fit opposite(Fit fit) { return fit == Fit::kOpen ? fit : fit == Fit::kYes ? Fit::kNo : Fit::kYes; }

}  // namespace

bool Tiny::explains(const States& snapshot, std::size_t t) {
  const Txn& txn = txns[t];
  States now = snapshot;
  std::uint32_t own = 0;
  std::size_t look = 0;
  for (std::size_t i = 0; i <= txn.ops.size(); ++i) {
    for (; look < txn.looks.size() && txn.looks[look].place == i; ++look) {
      if (by_snapshot_sets && txn.snapshot && !txn.looks[look].looked) continue;  // see snapshot_sets_fit
      if (!accepts(follows(txn.looks[look], now, own))) return false;
    }
    if (i == txn.ops.size()) break;
    const Op& op = txn.ops[i];
    if (op.kind != OpKind::kRead) {
      now[op.key] = apply(now[op.key], op);
      own |= 1U << op.key;
    } else if (now[op.key] != op.state) {
      return false;
    }
  }
  return true;
}

std::uint32_t Tiny::own_before(std::size_t t, const Look& look, States& states) {
  std::uint32_t own = 0;
  for (std::size_t i = 0; i < look.place; ++i) {
    const Op& op = txns[t].ops[i];
    if (op.kind == OpKind::kRead) continue;
    states[op.key] = apply(states[op.key], op);
    own |= 1U << op.key;
  }
  return own;
}

Fit Tiny::matches(const Look& look, std::size_t key, State state) {
  const ValueId name = history_.columns().key_name[key];
  const Evaluation e = predicates_.condition(look.predicate)
                           .evaluate(history_.values(), name, value_of_[static_cast<std::size_t>(state)]);
  if (e.faults != kNoFault) return Fit::kOpen;
  return e.matches() ? Fit::kYes : Fit::kNo;
}

Fit Tiny::follows(const Look& look, std::size_t key, State state) {
  bool in_result = false;
  bool same_row = true;
  for (const auto& [k, row] : look.items) {
    in_result |= k == key;
    same_row &= k != key || look.kind != OpKind::kScan || row == state;
  }
  if (!same_row) return Fit::kNo;
  return in_result ? matches(look, key, state) : opposite(matches(look, key, state));
}

Fit Tiny::follows(const Look& look, const States& now, std::uint32_t own) {
  if (!look.looked) return follows(look, now);
  States with_own = *look.looked;
  for (std::size_t k = 0; k < keys; ++k) {
    if (contains(own, k)) with_own[k] = now[k];
  }
  if (with_own == *look.looked) return follows(look, with_own);
  // It says that it looked past what the transaction itself had written.
  const bool either = std::max(follows(look, with_own), follows(look, *look.looked)) != Fit::kNo;
  return either ? Fit::kOpen : Fit::kNo;
}

Fit Tiny::follows(const Look& look, const States& states) {
  Fit fit = Fit::kYes;
  if (look.kind != OpKind::kAggregate) {
    for (std::size_t k = 0; k < keys; ++k) fit = both(fit, follows(look, k, states[k]));
    return fit;
  }
  AggregateState aggregate(predicates_.aggregate(look.predicate), history_.values());
  for (std::size_t k = 0; k < keys; ++k) {
    const Fit match = matches(look, k, states[k]);
    if (match == Fit::kOpen) return Fit::kOpen;
    if (match == Fit::kYes) {
      aggregate.add(history_.columns().key_name[k], value_of_[static_cast<std::size_t>(states[k])]);
    }
  }
  if (aggregate.faults() != kNoFault) return Fit::kOpen;
  return aggregate.agrees(look.value) ? Fit::kYes : Fit::kNo;
}

bool Tiny::changes_matches(const Look& look, std::size_t key, const std::vector<Version>& versions, std::size_t v) {
  const Fit before = matches(look, key, versions[v - 1].state);
  const Fit after = matches(look, key, versions[v].state);
  if (before == Fit::kOpen || after == Fit::kOpen) return !open_fits;
  return before != after;
}

Fit Tiny::may_look_at(std::size_t t, const std::vector<Version>& versions, std::size_t v) {
  for (std::size_t own = 0; own <= v; ++own) {
    if (versions[own].writer == t) return Fit::kOpen;
  }
  return Fit::kYes;
}

bool Tiny::agree(const Look& look, std::size_t key, const std::vector<Version>& versions, std::size_t looked,
                 std::size_t at) {
  bool agrees = true;
  for (std::size_t other = 1; other < versions.size(); ++other) {
    agrees &= !changes_matches(look, key, versions, other) || (other <= looked) == (other <= at);
  }
  return agrees;
}

std::optional<std::size_t> Tiny::shown(std::size_t t, const std::vector<Version>& versions) const {
  std::size_t last = 0;
  for (std::size_t v = 1; v < versions.size(); ++v) {
    const Txn& writer = txns[*versions[v].writer];
    if (!writer.snapshot || !writer.snapshot->xid) return std::nullopt;
    if (*versions[v].writer == t || !visible(writer, txns[t])) continue;
    if (v != last + 1) return std::nullopt;
    last = v;
  }
  return last;
}

bool Tiny::snapshot_sets_fit(std::size_t t, const Versions& versions, const Places& at) {
  if (!by_snapshot_sets || !txns[t].snapshot) return true;
  for (const Look& look : txns[t].looks) {
    if (look.looked) continue;
    States states{};
    for (std::size_t k = 0; k < keys; ++k) states[k] = versions[k][at[k]].state;
    const std::uint32_t own = own_before(t, look, states);
    for (std::size_t k = 0; k < keys; ++k) {
      const auto v = contains(own, k) ? std::nullopt : shown(t, versions[k]);
      if (!v) continue;
      if (!agree(look, k, versions[k], *v, at[k])) return false;
      states[k] = versions[k][*v].state;
    }
    if (!accepts(follows(look, states))) return false;
  }
  return true;
}

bool Tiny::vsets_fit(std::size_t t, const Versions& versions, const Places& at) {
  for (const Look& look : txns[t].looks) {
    if (!look.looked) continue;
    States states = initial;
    const std::uint32_t own = own_before(t, look, states);
    for (std::size_t k = 0; k < keys; ++k) {
      if (contains(own, k)) continue;
      bool fits = false;
      for (std::size_t v = 0; v < versions[k].size(); ++v) {
        if (versions[k][v].state != (*look.looked)[k]) continue;
        if (may_look_at(t, versions[k], v) == Fit::kOpen) {
          fits |= open_fits;
          continue;
        }
        fits |= agree(look, k, versions[k], v, at[k]);
      }
      if (!fits) return false;
    }
  }
  return true;
}

}  // namespace isolde::tiny
