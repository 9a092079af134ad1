#include "proof/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "proof/case_claims.h"
#include "proof/clock_claims.h"
#include "proof/committed.h"
#include "proof/cycle_claims.h"
#include "proof/exhaustion.h"
#include "proof/operations.h"
#include "proof/predicate_claims.h"
#include "proof/read_claims.h"

namespace isolde::proof {
namespace {

// Whether all that the anomaly names is there to be looked at.
bool is_within(const History& h, const Anomaly& a, bool is_cycle) {
  const auto is_txn = [&](TxnId t) { return raw(t) < h.txn_count(); };
  const auto may_be_txn = [&](TxnId t) { return t == kNoTxn || is_txn(t); };
  const auto may_be_key = [&](KeyId k) { return k == kNoKey || raw(k) < h.key_count(); };
  const auto may_be_op = [&](OpId op) { return op == kNoOp || raw(op) < h.op_count(); };
  const auto is_value = [&](ValueId v) { return raw(v) < kFirstTableValue + h.values().size(); };
  if (a.transactions.empty() || !std::all_of(a.transactions.begin(), a.transactions.end(), is_txn)) return false;
  const bool has_key =
      is_cycle || a.kind == AnomalyKind::kSessionOrder || a.kind == AnomalyKind::kRealtimeOrder ||
      a.kind == AnomalyKind::kTimestampOrder || a.kind == AnomalyKind::kSessionGap || a.kind == AnomalyKind::kGSingle ||
      (a.kind == AnomalyKind::kResultSetMismatch && a.source == ReadSource::kWrongAggregate) || a.key != kNoKey;
  if (!has_key || !may_be_key(a.key) || !may_be_op(a.op) || !is_value(a.read) || !is_value(a.expected)) return false;
  if (!may_be_txn(a.source_writer) || !may_be_txn(a.expected_writer)) return false;
  const auto are_steps = [&](const std::vector<Step>& steps) {
    return std::all_of(steps.begin(), steps.end(), [&](const Step& s) {
      return is_txn(s.from) && is_txn(s.to) && may_be_key(s.key) && may_be_op(s.from_op) && may_be_op(s.to_op) &&
             may_be_txn(s.source) && may_be_txn(s.reader);
    });
  };
  return are_steps(a.steps) &&
         std::all_of(a.unexplained.begin(), a.unexplained.end(), [&](OpId op) { return raw(op) < h.op_count(); }) &&
         std::all_of(a.cases.begin(), a.cases.end(), [&](const Case& one) { return are_steps(one.steps); });
}

// Whether anomalies are told by dependencies alone: no order of all transactions is given.
bool by_dependencies(const Verdict& verdict) { return verdict.given == Given::kVersionOrders; }

class Claims {
 public:
  Claims(const History& history, const Verdict& verdict)
      : h_(history), verdict_(verdict), committed_(history, verdict), reads_(history, verdict, committed_) {
    const auto is_mismatch = [](const Anomaly& a) { return a.kind == AnomalyKind::kResultSetMismatch; };
    if (std::any_of(verdict.anomalies.begin(), verdict.anomalies.end(), is_mismatch))
      predicates_.emplace(history, verdict, committed_);
    if (by_dependencies(verdict)) cycles_.emplace(history, verdict, committed_.counted());
  }

  Result<void> run() {
    for (const Anomaly& a : verdict_.anomalies) {
      Fault fault = a.kind == AnomalyKind::kResultSetMismatch ? Fault{} : reads_.read_fault(a);
      if (!fault) fault = claim(a);
      if (a.kind != AnomalyKind::kNoOrder) {
        if (a.steps.empty()) fault = "has no steps";
        if (!a.cases.empty()) fault = "has cases";
        if (std::any_of(a.steps.begin(), a.steps.end(), [](const Step& s) { return s.ground == Ground::kAssumed; }))
          fault = "a step is assumed, but there are no cases";
      }
      for (const Step& step : a.steps) {
        if (!fault) fault = step_fault(a, step);
      }
      if (fault)
        return Error{
            fmt::format("anomaly {} of transaction {}: {}", full_name(a), h_.txn_text(a.transactions.front()), *fault)};
    }
    return {};
  }

 private:
  Fault claim(const Anomaly& a) {
    const TxnId t = a.transactions.front();
    if (a.tried_all) {
      if (a.kind != AnomalyKind::kNoOrder || !a.cases.empty())
        return "is not an anomaly that is shown by trying every order";
      return exhaustion_fault(h_, verdict_, a);
    }
    if (a.kind == AnomalyKind::kNoOrder) {
      if (!cycles_ || a.source != ReadSource::kNotARead) return "is not shown by dependencies";
      return CaseClaims(h_, verdict_.level, committed_.counted(), *cycles_).fault(a);
    }
    if (a.kind == AnomalyKind::kSessionGap) return session_gap(a);
    if (!committed_.counts(t)) return "the transaction does not count as committed";
    if (a.kind == AnomalyKind::kResultSetMismatch) {
      const bool by_snapshot =
          std::any_of(a.steps.begin(), a.steps.end(), [](const Step& s) { return s.ground == Ground::kSnapshot; });
      if (cycles_ && by_snapshot && a.expected_known) {
        const Fault wrong = predicates_->result_fault(a);
        return wrong ? wrong : cycles_->snapshot_fault(a);
      }
      const bool by_walk = cycles_ && !a.expected_known && a.source != ReadSource::kWrongAggregate;
      if (!by_walk) return predicates_->fault(a);
      const Fault wrong = predicates_->result_fault(a);
      return wrong ? wrong : cycles_->walk_fault(a);
    }
    if (cycles_ && a.kind != AnomalyKind::kTimestampOrder) {
      if (a.kind == AnomalyKind::kDuplicateWrite || a.kind == AnomalyKind::kIncompatibleOrder)
        return cycles_->list_fault(a);
      if (a.source == ReadSource::kNotARead) return cycles_->fault(a);
    }
    switch (a.kind) {
      case AnomalyKind::kInternal:
        return reads_.internal(t, a);
      case AnomalyKind::kSessionOrder:
      case AnomalyKind::kRealtimeOrder:
        return contradiction(a);
      case AnomalyKind::kTimestampOrder:
        if (h_.start_ts(t) == kNoTime || h_.commit_ts(t) == kNoTime || h_.start_ts(t) <= h_.commit_ts(t))
          return "its start_ts is not after its commit_ts";
        return std::nullopt;
      case AnomalyKind::kGSingle:
        return reads_.no_moment(t, a);
      default:
        break;
    }
    if (a.source == ReadSource::kNotARead) return overlap(a);
    if (h_.txn_of(a.op) != t) return "the operation is another transaction's";
    if (verdict_.given != Given::kVersionOrders) return reads_.differs_from_state(t, a);
    const Fault somebody = reads_.nobody_left_it(t, a);
    return somebody && cycles_ && committed_.is_appended_to(a.key) ? cycles_->list_fault(a) : somebody;
  }

  // Two neighbours of a session whose numbers are no neighbours.
  Fault session_gap(const Anomaly& a) const {
    if (!implies(verdict_.level, Level::kStrongSessionSnapshotIsolation)) return "the level does not ask for numbers";
    if (a.steps.size() != 1 || a.steps[0].type != StepType::kSession) return "does not have exactly one session step";
    const TxnId before = a.steps[0].from, after = a.steps[0].to;
    if (h_.session(before) != h_.session(after) || before >= after) return "they are not in this order in one session";
    for (std::uint32_t t = raw(before) + 1; t < raw(after); ++t) {
      if (h_.session(TxnId{t}) == h_.session(after)) return "another transaction of the session is between them";
    }
    const std::int64_t one = h_.sno(before), other = h_.sno(after);
    if (one == kNoTime || other == kNoTime) return "one of them has no number";
    return holds(one == INT64_MAX || one + 1 != other, "its number follows the one before it");
  }

  // A step by session or real time, and one of timestamps that leads back.
  Fault contradiction(const Anomaly& a) const {
    const bool is_session = a.kind == AnomalyKind::kSessionOrder;
    const AddedOrder added = info(verdict_.level).order;
    if (added == AddedOrder::kNone || (!is_session && added != AddedOrder::kRealTime))
      return "the level does not ask for this order";
    if (a.steps.size() != 2) return "does not have exactly two steps";
    const Step& order = a.steps[0];
    const Step& against = a.steps[1];
    if (order.type != (is_session ? StepType::kSession : StepType::kRealtime))
      return "its first step is not such an order";
    if (order.from != against.to || order.to != against.from || order.from == order.to)
      return "its steps do not contradict each other";
    if (!committed_.counts(order.from) || !committed_.counts(order.to))
      return "one of them does not count as committed";
    if (against.type == StepType::kInvisible && !committed_.is_serial()) return std::nullopt;
    if (against.type == StepType::kOrder && committed_.is_serial() && verdict_.given == Given::kExpectedOrder)
      return std::nullopt;
    return holds(against.type == StepType::kCommit || against.type == StepType::kVisible,
                 "its second step is neither by timestamps nor by the expected order");
  }

  // Two writers of one key, neither in the other's snapshot.
  Fault overlap(const Anomaly& a) const {
    if (a.transactions.size() < 2) return "names no second transaction";
    const TxnId t = a.transactions[0];
    const TxnId other = a.transactions[1];
    if (info(verdict_.level).family != LevelFamily::kSnapshot) return "the level lets writers overlap";
    if (t == other || !committed_.counts(other)) return "the other does not count as committed";
    if (!writes(h_, t, a.key) || !writes(h_, other, a.key)) return "they do not both write the key";
    if (h_.start_ts(t) == kNoTime || h_.commit_ts(other) == kNoTime || h_.start_ts(t) >= h_.commit_ts(other))
      return "the one is in the snapshot of the other";
    if (h_.commit_ts(t) == kNoTime || h_.commit_ts(other) > h_.commit_ts(t)) return "they are named in the wrong order";
    return std::nullopt;
  }

  Fault step_fault(const Anomaly& a, const Step& step) const {
    const auto has = [&](TxnId t, OpId op) {
      return op == kNoOp || (raw(op) >= h_.first_op(t) && raw(op) < h_.end_op(t));
    };
    if (raw(step.from) >= h_.txn_count() || raw(step.to) >= h_.txn_count()) return "a step names no transaction";
    if (!has(step.from, step.from_op)) return "a step names another transaction's operation";
    if (step.type != StepType::kProgram && !has(step.to, step.to_op))
      return "a step names another transaction's operation";
    const std::int64_t from_commit = committed_.moment_of_commit(step.from);
    const std::int64_t to_commit = committed_.moment_of_commit(step.to);
    switch (step.type) {
      case StepType::kVisible:
        return holds(from_commit != kNoTime && h_.start_ts(step.to) != kNoTime && from_commit <= h_.start_ts(step.to),
                     "the first is not in the snapshot of the second");
      case StepType::kInvisible:
        return holds(to_commit != kNoTime && h_.start_ts(step.from) != kNoTime && h_.start_ts(step.from) < to_commit,
                     "the second is in the snapshot of the first");
      case StepType::kCommit:
        return holds(from_commit != kNoTime && to_commit != kNoTime && from_commit <= to_commit,
                     "the first does not commit before the second");
      case StepType::kOrder:
        return holds(
            h_.order(step.from) != kNoTime && h_.order(step.to) != kNoTime && h_.order(step.from) <= h_.order(step.to),
            "the first does not come before the second in the expected order");
      case StepType::kSession:
        return holds(h_.session(step.from) == h_.session(step.to) && step.from < step.to,
                     "they are not in this order in one session");
      case StepType::kRealtime:
        return holds(
            h_.end(step.from) != kNoTime && h_.begin(step.to) != kNoTime && h_.end(step.from) < h_.begin(step.to),
            "the first had not ended when the second began");
      case StepType::kWr:
        return holds(writes(h_, step.from, step.key) && may_read(a, step.to, step.key, step.to_op),
                     "no write and read of the key");
      case StepType::kRw:
        return holds(may_read(a, step.from, step.key, step.from_op) && writes(h_, step.to, step.key),
                     "no read and write of the key");
      case StepType::kWw:
        return holds(writes(h_, step.from, step.key) && writes(h_, step.to, step.key),
                     "they do not both write the key");
      case StepType::kProgram:
        return holds(step.from == step.to, "two transactions");
    }
    return "unknown step";
  }

  // What a predicate operation says of keys that it did not return has been checked already.
  [[nodiscard]] bool may_read(const Anomaly& a, TxnId t, KeyId key, OpId op) const {
    if (reads(h_, t, key, op)) return true;
    if (op == kNoOp || !is_predicate(h_.op(raw(op)).kind())) return false;
    return cycles_ || (a.kind == AnomalyKind::kResultSetMismatch && op == a.op && key == a.key);
  }

  const History& h_;
  const Verdict& verdict_;
  const Committed committed_;
  const ReadClaims reads_;
  std::optional<CycleClaims> cycles_;          // of engines that tell by dependencies
  std::optional<PredicateClaims> predicates_;  // where there are any
};

}  // namespace

Result<void> check_claims(const History& history, const Verdict& verdict) {
  if (verdict.given == Given::kProfile) return check_clock_claims(history, verdict);
  if (verdict.anomalies.empty()) return Error{"a violated verdict without an anomaly"};
  for (const Anomaly& a : verdict.anomalies) {
    const bool is_cycle =
        (by_dependencies(verdict) || a.kind == AnomalyKind::kNoOrder) && a.source == ReadSource::kNotARead;
    if (!is_within(history, a, is_cycle)) return Error{"an anomaly names something that does not exist"};
  }
  return Claims(history, verdict).run();
}

}  // namespace isolde::proof
