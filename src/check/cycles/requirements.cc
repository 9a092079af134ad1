#include "check/cycles/requirements.h"

#include <algorithm>

#include "check/cycles/explain_cycle.h"

namespace isolde::graph {
namespace {

constexpr std::string_view kFaultText = "a predicate compares values of different kinds, or divides by zero";

bool follows(Level level) {
  const LevelFamily family = info(level).family;
  return family == LevelFamily::kSnapshot || family == LevelFamily::kSerializable;
}

}  // namespace

Requirements::Requirements(const History& history, const Trace& trace, Slots& slots, Level level, PredicateFacts& out)
    : h_(history),
      trace_(trace),
      slots_(slots),
      rule_(predicate_rule(level)),
      overwrites_follow_(follows(level)),
      out_(out),
      read_(history.key_count()),
      own_(history.key_count()),
      edge_from_(history.txn_count(), kNoTxn),
      edge_to_(history.txn_count(), kNoTxn) {}

void Requirements::enter(TxnId txn) {
  txn_ = txn;
  for (Version v = trace_.first_version[raw(txn)]; v < trace_.first_version[raw(txn) + 1]; ++v) {
    const KeyId key = trace_.versions[v].key;
    own_[raw(key)] = {txn, slots_.of(v, key), kNoOp};
  }
  if (rule_ != PredicateRule::kState) return;
  for (const TracedRead& read : trace_.reads_of(txn)) {
    if (read.version == kNoVersion) continue;
    Known& known = read_[raw(read.key)];
    if (known.txn != txn) known = {txn, slots_.of(read.version, read.key), read.op};
  }
}

bool Requirements::maybe(KeyId key, Match status) const {
  const auto maybes = slots_.maybes(key);
  return std::any_of(maybes.begin(), maybes.end(), [&](ValueId value) {
    const Match match = matcher_->of_value(key, value);
    return match == status || match == Match::kFault;
  });
}

std::optional<Requirements::Exact> Requirements::exact(KeyId key) const {
  if (rule_ != PredicateRule::kState) return std::nullopt;
  const Known& known = read_[raw(key)];
  if (known.txn == txn_) return Exact{known.slot, known.read};
  if (!overwrites_follow_ || slots_.kind(key) != KeyKind::kOrdered) return std::nullopt;
  const Slot own = own_slot(key);
  if (own == kNoSlot) return std::nullopt;
  return Exact{own - 1};
}

Slot Requirements::end_for_me(KeyId key) const {
  if (rule_ != PredicateRule::kState) return slots_.end(key);
  const Slot own = own_slot(key);
  return own == kNoSlot ? slots_.end(key) : own;
}

void Requirements::require(KeyId key, Match status) {
  if (slots_.kind(key) == KeyKind::kOpaque) {
    return unsure("a predicate is evaluated on " + h_.key_text(key) + ", whose value is not known");
  }
  if (const auto known = exact(key)) return require_exact(key, *known, status);
  if (rule_ == PredicateRule::kDependencies) return require_earliest(key, status);
  if (slots_.kind(key) == KeyKind::kOpen) return require_unordered(key, status);
  require_in_runs(key, status);
}

void Requirements::require_none_of(KeyId key, std::span<const Slot> matching) {
  if (rule_ == PredicateRule::kDependencies || slots_.kind(key) != KeyKind::kOrdered || exact(key) ||
      maybe(key, Match::kNo)) {
    return require(key, Match::kNo);
  }
  // The gaps between those that match.
  const Slot end = end_for_me(key);
  Slot run_first = kNoSlot, run_last = kNoSlot;
  Slot from = slots_.begin(key);
  for (std::size_t i = 0; i <= matching.size() && from < end; ++i) {
    const Slot to = i < matching.size() ? std::min(matching[i], end) : end;
    if (to > from) {
      if (run_first != kNoSlot) return open(key, Match::kNo);
      run_first = from;
      run_last = to - 1;
    }
    from = to + 1;
  }
  if (run_first == kNoSlot) return mismatch(key, Match::kNo, {});
  one_run(key, run_first, run_last, end);
}

// All that is left is where the one run of right versions lies.
void Requirements::one_run(KeyId key, Slot first, Slot last, Slot end) {
  if (first != slots_.begin(key)) edge(key, first, false);
  if (last + 1 < end) edge(key, last + 1, true);
}

void Requirements::require_exact(KeyId key, const Exact& known, Match status) {
  const Match match = matcher_->of(known.slot);
  if (match == status) return;
  if (match == Match::kFault) return unsure(std::string(kFaultText));
  if (known.read == kNoOp && maybe(key, status)) return open(key, status);
  std::vector<Step> steps;
  const TxnId writer = slots_.writer(known.slot);
  if (known.read == kNoOp) {
    if (writer != kNoTxn) {
      steps.push_back({StepType::kWw, writer, txn_, key, last_write(h_, writer, key), last_write(h_, txn_, key)});
    }
  } else {
    if (writer != kNoTxn) {
      steps.push_back({StepType::kWr, writer, txn_, key, last_write(h_, writer, key), known.read});
    }
    if (slots_.kind(key) == KeyKind::kOrdered && known.slot + 1 < slots_.end(key)) {
      const TxnId next = slots_.writer(known.slot + 1);
      if (next != txn_) {
        steps.push_back({StepType::kRw, txn_, next, key, known.read, last_write(h_, next, key)});
      }
    }
  }
  mismatch(key, status, std::move(steps));
}

// Only read-dependencies count, from the transaction that began the run of versions: the earliest run asks least, and
// one that the transaction itself began tells nothing.
void Requirements::require_earliest(KeyId key, Match status) {
  const Slot begin = slots_.begin(key);
  if (matcher_->of(begin) == status) return;
  if (maybe(key, status)) return open(key, status);
  const bool ordered = slots_.kind(key) == KeyKind::kOrdered;
  Slot run = matcher_->of(begin) == status ? begin : kNoSlot;  // the first slot of the run that goes on
  Slot earliest = kNoSlot;
  std::uint32_t count = 0;
  for (Slot s = begin; s < slots_.end(key); ++s) {
    const Match match = matcher_->of(s);
    if (match == Match::kFault) return unsure(std::string(kFaultText));
    if (match != status) {
      run = kNoSlot;
      continue;
    }
    if (run == kNoSlot) run = s;
    if (is_mine(s)) continue;
    if (ordered && is_mine(run)) return unsure("a predicate may have seen a version from after its transaction's own");
    ++count;
    if (earliest == kNoSlot) earliest = ordered ? run : s;
  }
  if (count == 0) return mismatch(key, status, {});
  if (ordered) return edge(key, earliest, false);
  // Of an open key's versions nobody knows which is the earliest, nor what stands before it.
  if (count == 1 && own_slot(key) == kNoSlot) return edge(key, earliest, false);
  open(key, status);
}

void Requirements::require_in_runs(KeyId key, Match status) {
  if (maybe(key, status)) return open(key, status);
  const Slot end = end_for_me(key);
  Slot first = kNoSlot, last = kNoSlot;
  for (Slot s = slots_.begin(key); s < end; ++s) {
    const Match match = matcher_->of(s);
    if (match == Match::kFault) return unsure(std::string(kFaultText));
    if (match != status) continue;
    if (first == kNoSlot) {
      first = last = s;
    } else if (s == last + 1) {
      last = s;
    } else {
      return open(key, status);
    }
  }
  if (first == kNoSlot) return mismatch(key, status, {});
  one_run(key, first, last, end);
}

void Requirements::require_unordered(KeyId key, Match status) {
  if (maybe(key, status)) return open(key, status);
  const Slot begin = slots_.begin(key);
  Slot found = kNoSlot;
  std::uint32_t count = 0;
  for (Slot s = begin; s < slots_.end(key); ++s) {
    if (is_mine(s)) continue;
    const Match match = matcher_->of(s);
    if (match == Match::kFault) return unsure(std::string(kFaultText));
    if (match != status) continue;
    ++count;
    if (found == kNoSlot) found = s;
  }
  if (count == 0) return mismatch(key, status, {});
  if (count == 1 && found == begin) {
    for (Slot s = begin + 1; s < slots_.end(key); ++s) edge(key, s, true);
    return;
  }
  if (count == 1) edge(key, found, false);
  if (count < slots_.end(key) - begin) open(key, status);
}

void Requirements::looked_at(KeyId key, ValueId value, const Slots::Found& found, Match status) {
  const auto maybes = slots_.maybes(key);
  // What may have been committed may be the version named, or stand before it and match alike.
  const bool several =
      found.several || maybe(key, status) || std::find(maybes.begin(), maybes.end(), value) != maybes.end();
  const Slot slot = found.slot;
  if (slots_.kind(key) == KeyKind::kOpaque) return require(key, status);
  if (slot == kNoSlot && !several) return unsure("a version set has a version that no transaction left behind");
  if (!several && is_mine(slot)) return unsure("a version set has a version that its transaction wrote only later");
  if (several || slots_.kind(key) != KeyKind::kOrdered) {
    // Less is known than the version set says.
    if (several || slots_.end(key) - slots_.begin(key) > 1) {
      require(key, status);
      unsure("a version set has a version whose place in the order is not known");
    }
    return;
  }
  if (own_slot(key) < slot)  // kNoSlot is greater than any
    return unsure("a version set has a version from after its transaction's own");
  if (rule_ == PredicateRule::kState) require_exact_again(key, status);
  Slot first = slot;
  Match match = Match::kNo;
  while (first != slots_.begin(key) && (match = matcher_->of(first - 1)) == status) --first;
  if (first != slots_.begin(key)) {
    if (match == Match::kFault) return unsure(std::string(kFaultText));
    edge(key, first, false);
  }
  if (rule_ != PredicateRule::kState) return;
  Slot next = slot + 1;
  while (next < slots_.end(key) && (match = matcher_->of(next)) == status) ++next;
  if (next < slots_.end(key)) {
    if (match == Match::kFault) return unsure(std::string(kFaultText));
    edge(key, next, true);
  }
}

void Requirements::require_exact_again(KeyId key, Match status) {
  if (const auto known = exact(key)) require_exact(key, *known, status);
}

void Requirements::edge(KeyId key, Slot other, bool anti) {
  const TxnId txn = slots_.writer(other);
  if (txn == txn_ || txn == kNoTxn) return;
  auto& done = anti ? edge_to_ : edge_from_;
  if (done[raw(txn)] == txn_) return;
  done[raw(txn)] = txn_;
  out_.edges.push_back({txn_, txn, key, op_, anti});
}

void Requirements::mismatch(KeyId key, Match status, std::vector<Step> steps) {
  Anomaly a{};
  a.kind = AnomalyKind::kResultSetMismatch;
  a.transactions.push_back(txn_);
  for (const Step& s : steps) {
    for (const TxnId t : {s.from, s.to}) {
      if (std::find(a.transactions.begin(), a.transactions.end(), t) == a.transactions.end())
        a.transactions.push_back(t);
    }
  }
  if (steps.empty()) steps.push_back({StepType::kProgram, txn_, txn_, key, op_, kNoOp});
  a.steps = std::move(steps);
  a.source = status == Match::kNo ? ReadSource::kRowMissed : ReadSource::kRowExtra;
  a.op = op_;
  a.key = key;
  for (const Item& item : h_.items(h_.predicate(h_.op(raw(op_)).predicate()))) {
    if (item.key == key) a.read = item.value;
  }
  out_.mismatches.push_back(std::move(a));
}

}  // namespace isolde::graph
