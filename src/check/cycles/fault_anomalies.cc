#include "check/cycles/fault_anomalies.h"

#include <algorithm>

#include "check/cycles/causal.h"
#include "check/cycles/explain_cycle.h"
#include "check/read_rules/read_rules.h"

namespace isolde::graph {
namespace {

ValueId read_value(const History& h, const BadRead& bad) {
  const OpHead op = h.op(raw(bad.op));
  if (!is_predicate(op.kind())) return h.op_value(raw(bad.op));
  for (const Item& item : h.items(h.predicate(op.predicate()))) {
    if (item.key == bad.key) return item.value;
  }
  return kNullValue;
}

// The reader did not see what the writer left in the key that it read.
Step overwritten(const History& h, const Missed& missed) {
  return {StepType::kRw,   missed.read.txn, missed.writer,
          missed.read.key, missed.read.op,  last_write(h, missed.writer, missed.read.key)};
}

}  // namespace

Anomaly bad_read(const History& history, const BadRead& bad) {
  Anomaly a{};
  a.kind = bad.kind;
  a.transactions.push_back(bad.txn);
  if (bad.other != kNoTxn && bad.other != bad.txn) a.transactions.push_back(bad.other);
  a.source = bad.source;
  a.op = bad.op;
  a.key = bad.key;
  a.read = read_value(history, bad);
  a.source_writer = bad.source == ReadSource::kNotARead ? kNoTxn : bad.other;
  a.steps.push_back({StepType::kProgram, bad.txn, bad.txn, bad.key, bad.op, kNoOp});
  if (bad.other_op != kNoOp)
    a.steps.push_back({StepType::kProgram, bad.other, bad.other, bad.key, bad.other_op, kNoOp});
  return a;
}

bool add_read_faults(const History& history, const Trace& trace, const Limits& limits, Verdict& verdict) {
  if (!trace.breaks_a_rule && trace.bad_reads.empty()) return true;
  if (!add_read_rule_anomalies(history, verdict.level, limits, verdict, trace.counts)) return false;
  std::vector<OpId> named;
  for (const Anomaly& a : verdict.anomalies) named.push_back(a.op);
  std::sort(named.begin(), named.end());
  for (const BadRead& bad : trace.bad_reads) {
    if (std::binary_search(named.begin(), named.end(), bad.op)) continue;
    verdict.add(bad_read(history, bad), limits.max_anomalies);
  }
  return true;
}

Anomaly lost_update(const History& history, const LostUpdate& lost) {
  const TracedRead& first = lost.first;
  const TracedRead& second = lost.second;
  Anomaly a{};
  a.kind = AnomalyKind::kLostUpdate;
  a.key = first.key;
  a.transactions = {second.txn, first.txn};
  a.steps = {{StepType::kRw, second.txn, first.txn, a.key, second.op, last_write(history, first.txn, a.key)},
             {StepType::kRw, first.txn, second.txn, a.key, first.op, last_write(history, second.txn, a.key)}};
  return a;
}

Anomaly missed_version(const History& history, const Trace& trace, const MissedVersion& fault) {
  const TracedRead& read = fault.read;
  Anomaly a{};
  a.key = read.key;
  a.transactions = {read.txn};
  if (fault.between == kNoVersion) {
    a.kind = AnomalyKind::kLostUpdate;
    a.steps = {{StepType::kProgram, read.txn, read.txn, read.key, fault.other.op, read.op}};
    return a;
  }
  const TxnId between = trace.versions[fault.between].txn;
  const OpId write = last_write(history, between, read.key);
  a.kind = AnomalyKind::kGSingle;
  a.transactions.push_back(between);
  a.steps = {{StepType::kRw, read.txn, between, read.key, read.op, write},
             {StepType::kWw, between, read.txn, read.key, write, last_write(history, read.txn, read.key)}};
  return a;
}

Anomaly missed_write(const History& history, SeenRule rule, const Missed& missed) {
  Anomaly a{};
  const bool session = missed.seen.op == kNoOp;
  a.kind = session                  ? AnomalyKind::kSessionOrder
           : rule == SeenRule::kAny ? AnomalyKind::kFracturedRead
                                    : AnomalyKind::kOTV;
  a.transactions = {missed.read.txn, missed.writer};
  if (session) {
    a.steps.push_back({StepType::kSession, missed.writer, missed.read.txn});
  } else {
    a.steps.push_back({StepType::kWr, missed.writer, missed.read.txn, missed.seen.key,
                       last_write(history, missed.writer, missed.seen.key), missed.seen.op});
  }
  a.steps.push_back(overwritten(history, missed));
  return a;
}

Anomaly missed_past(const History& history, const Trace& trace, const Missed& missed) {
  Anomaly a{};
  a.kind = kMissedPast;
  a.transactions.push_back(missed.read.txn);
  std::uint64_t no_limit = ~std::uint64_t{0};
  a.steps = causal_path(history, trace, missed.writer, missed.read.txn, no_limit);
  a.steps.push_back(overwritten(history, missed));
  add_order_and_transactions(a);
  return a;
}

}  // namespace isolde::graph
