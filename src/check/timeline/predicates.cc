#include "check/timeline/predicates.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/accesses.h"

namespace isolde::timeline {
namespace {

void merge_findings(PredicateReplay& to, PredicateReplay&& more, std::size_t max_anomalies) {
  to.sure += more.sure;
  to.open += more.open;
  if (to.undecided.empty()) to.undecided = std::move(more.undecided);
  for (PredicateFinding& f : more.findings) {
    if (to.findings.size() < max_anomalies) to.findings.push_back(std::move(f));
  }
}

// Keys whose version in some state is not sure, and by whose doing: one transaction's, or of several (kNoTxn).
using DoubtfulKeys = std::unordered_map<std::uint32_t, TxnId>;

DoubtfulKeys doubtful_keys(const History& h, const Schedule& schedule, LevelFamily family) {
  DoubtfulKeys keys;
  for (const auto* group : {&schedule.floating_writers, &schedule.maybes}) {
    for (const TxnId t : *group) {
      for_each_access(h, t, [&](const Access& a) {
        if (a.kind == OpKind::kRead) return;
        const auto [at, fresh] = keys.emplace(raw(a.key), t);
        if (!fresh && at->second != t) at->second = kNoTxn;
      });
    }
  }
  // Of several that wrote a key at one time nobody knows which is the last. Whoever stands outside a tie group meets it
  // whole, so that nothing else in it is in doubt.
  std::unordered_map<std::uint32_t, TxnId> in_group;
  const auto add_write = [&](TxnId t) {
    for_each_access(h, t, [&](const Access& a) {
      if (a.kind == OpKind::kRead) return;
      const auto [at, fresh] = in_group.emplace(raw(a.key), t);
      if (!fresh && at->second != t) keys[raw(a.key)] = kNoTxn;
    });
  };
  for (const TieGroup& tie : schedule.ties) {
    in_group.clear();
    for (std::uint32_t e = 0; e < tie.event_count; ++e) add_write(schedule.events[tie.first_event + e].txn());
  }
  if (family != LevelFamily::kSnapshot) return keys;
  TxnId last = kNoTxn;
  bool is_group = false;
  for (const Event e : schedule.events) {
    if (!e.is_commit()) continue;
    const bool same = last != kNoTxn && commit_time(h, last) == commit_time(h, e.txn());
    if (same && !is_group) {
      in_group.clear();
      add_write(last);
    }
    if (same) add_write(e.txn());
    is_group = same;
    last = e.txn();
  }
  return keys;
}

Anomaly anomaly_of(const Context& c, const PredicateFinding& f) {
  const bool serial = c.family == LevelFamily::kSerializable;
  Anomaly a;
  a.kind = AnomalyKind::kResultSetMismatch;
  a.transactions.push_back(f.txn);
  if (f.writer != kNoTxn && f.writer != f.txn) a.transactions.push_back(f.writer);
  a.source = f.source;
  a.op = f.op;
  a.key = f.key;
  a.read = f.read;
  a.expected = f.expected;
  a.expected_known = true;
  a.expected_text = f.expected_text;
  a.expected_writer = f.writer;
  if (a.transactions.size() == 1) {
    a.steps.push_back({StepType::kProgram, f.txn, f.txn, f.key, f.op, kNoOp});
  } else if (f.basis != PredicateFinding::Basis::kChangedLater) {
    a.steps.push_back({serial ? c.serial_step() : StepType::kVisible, f.writer, f.txn, f.key, kNoOp, kNoOp});
  } else {
    a.steps.push_back({serial ? c.serial_step() : StepType::kInvisible, f.txn, f.writer, f.key, kNoOp, kNoOp});
  }
  return a;
}

}  // namespace

PredicateReplay ask_predicates(const History& h, const PredicateSet& set, const Schedule& schedule,
                               const SweepResult& swept, LevelFamily family, const Uncertain& uncertain,
                               const Limits& limits) {
  if (h.columns().predicates.empty()) return {};
  const bool serial = family == LevelFamily::kSerializable;
  std::vector<std::uint32_t> events;
  events.reserve(schedule.events.size());
  for (const Event e : schedule.events) events.push_back(serial ? raw(e.txn()) : e.word());
  const DoubtfulKeys doubtful = doubtful_keys(h, schedule, family);
  const auto is_sure = [&](const PredicateFinding& f) {
    if (uncertain.in_ties.contains(raw(f.txn))) return false;
    // One that starts and commits at one time stands somewhere among those of that time.
    const bool at_once = !serial && h.start_ts(f.txn) == commit_time(h, f.txn) && writes_anything(h, f.txn);
    if (at_once && f.basis != PredicateFinding::Basis::kState) return false;
    const auto is_own = [&f](const auto& entry) { return entry.second == f.txn; };
    if (f.key == kNoKey) return std::all_of(doubtful.begin(), doubtful.end(), is_own);
    const auto at = doubtful.find(raw(f.key));
    return at == doubtful.end() || (is_own(*at) && f.basis == PredicateFinding::Basis::kState);
  };
  PredicateReplay replay =
      replay_predicates(h, set, events, serial ? EventForm::kSerial : EventForm::kPoints, limits, is_sure);
  std::vector<TxnId> unasked;
  for (const auto* group : {&schedule.missing_snapshot, &schedule.floating_writers, &schedule.start_after_commit}) {
    std::copy_if(group->begin(), group->end(), std::back_inserter(unasked),
                 [&](TxnId t) { return swept.start_rank[raw(t)] == 0; });
  }
  merge_findings(replay, contradictions_of(h, set, unasked, limits), limits.max_anomalies);
  return replay;
}

void add_predicate_findings(const Context& context, const PredicateReplay& replay, std::size_t max_anomalies,
                            Verdict& verdict) {
  verdict.counts[static_cast<std::size_t>(AnomalyKind::kResultSetMismatch)] += replay.sure;
  for (const PredicateFinding& f : replay.findings) {
    if (verdict.anomalies.size() >= max_anomalies) return;
    verdict.anomalies.push_back(anomaly_of(context, f));
  }
}

}  // namespace isolde::timeline
