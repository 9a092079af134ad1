#include "proof/clock_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "proof/fault.h"
#include "proof/matches.h"
#include "proof/operations.h"

namespace isolde::proof {
namespace {

// By when at the latest the first event of a transaction had happened: an operation was answered, or all of it.
std::int64_t earliest_answer(const History& h, TxnId t) {
  std::int64_t time = h.end(t);
  if (const std::int64_t after = h.commit_interval(t).after; after != kNoTime && h.status(t) != Status::kUnknown) {
    time = time == kNoTime ? after : std::min(time, after);
  }
  for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op) {
    const std::int64_t after = h.at(t, OpId{op}).after;
    if (after != kNoTime && (time == kNoTime || after < time)) time = after;
  }
  return time;
}

// Its last event, the commit, cannot have happened before: the commit was sent; where that is not known, its begin, or
// the last time that it sent or got something. (An aborted one may be over before its client says so.)
std::int64_t latest_event(const History& h, TxnId t) {
  const std::int64_t sent = h.commit_interval(t).before;
  if (sent != kNoTime && h.status(t) != Status::kAborted) return sent;
  std::int64_t time = h.begin(t);
  for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op) {
    const History::Interval at = h.at(t, OpId{op});
    for (const std::int64_t moment : {at.before, at.after}) {
      if (moment != kNoTime && (time == kNoTime || moment > time)) time = moment;
    }
  }
  return time;
}

bool scans(const History& h, TxnId t) {
  for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op) {
    if (is_predicate(h.op(op).kind())) return true;
  }
  return false;
}

Fault step_fault(const History& h, const Step& step) {
  const auto is_txn = [&](TxnId t) { return raw(t) < h.txn_count(); };
  if (!is_txn(step.from) || !is_txn(step.to) || step.from == step.to) return "a step is between no two transactions";
  const bool about_key = step.type == StepType::kWr || step.type == StepType::kRw || step.type == StepType::kWw;
  if (about_key && (step.key == kNoKey || raw(step.key) >= h.key_count())) return "a step names no key";
  // A predicate looks at every key. An append or increment is made to what it found.
  const auto saw = [&](TxnId t) {
    const std::vector<Touch> all = touches(h, t);
    return scans(h, t) || std::any_of(all.begin(), all.end(), [&](const Touch& touch) {
             return touch.key == step.key && touch.kind != OpKind::kWrite;
           });
  };
  switch (step.type) {
    case StepType::kWr:
      return holds(writes(h, step.from, step.key) && saw(step.to), "no write and read of the key");
    case StepType::kRw:
      return holds(saw(step.from) && writes(h, step.to, step.key), "no read and write of the key");
    case StepType::kWw:
      return holds(writes(h, step.from, step.key) && writes(h, step.to, step.key), "they do not both write the key");
    case StepType::kRealtime: {
      const std::int64_t first = earliest_answer(h, step.from), last = latest_event(h, step.to);
      return holds(first != kNoTime && last != kNoTime && first < last,
                   "by the clients' clocks nothing of the first had happened before the second was over");
    }
    case StepType::kInvisible: {
      const std::int64_t begin = h.begin(step.from), end = h.end(step.to);
      return holds(begin == kNoTime || end == kNoTime || begin <= end, "the second had ended when the first began");
    }
    case StepType::kSession:
      return holds(h.session(step.from) == h.session(step.to) && step.from < step.to,
                   "they are not in this order in one session");
    default:
      return "a step that the clients' clocks do not show";
  }
}

// Who committed, or may have committed, a value of a key: kNoTxn if several did.
class Written {
 public:
  explicit Written(const History& h) {
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
      if (h.status(TxnId{t}) == Status::kAborted) continue;
      for (const Touch& touch : touches(h, TxnId{t})) {
        if (touch.kind != OpKind::kWrite) continue;
        const auto [at, fresh] = by_.emplace(pair_id(touch.key, touch.value), TxnId{t});
        if (!fresh && at->second != TxnId{t}) at->second = kNoTxn;
      }
    }
  }
  [[nodiscard]] bool by_another(TxnId reader, KeyId key, ValueId value) const {
    const auto at = by_.find(pair_id(key, value));
    return at != by_.end() && at->second != reader;
  }

 private:
  std::unordered_map<std::uint64_t, TxnId> by_;
};

// The value of the key that has this text: one that a transaction wrote which may have committed (`by`, if it is one),
// or the initial one.
std::optional<ValueId> value_named(const History& h, KeyId key, const std::string& text, TxnId by) {
  if (by == kNoTxn && h.value_text(h.initial(key)) == text) return h.initial(key);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if ((by != kNoTxn && by != TxnId{t}) || h.status(TxnId{t}) == Status::kAborted) continue;
    for (const Touch& touch : touches(h, TxnId{t})) {
      if (touch.kind == OpKind::kWrite && touch.key == key && h.value_text(touch.value) == text) return touch.value;
    }
  }
  return std::nullopt;
}

// A row that was missed matches; one that was returned, or changed, does not.
Fault result_fault(const History& h, const Anomaly& a, const Matches& matches) {
  if (a.op == kNoOp || !is_predicate(h.op(raw(a.op)).kind())) return "names no predicate operation";
  if (!matches.defect().empty()) return matches.defect();
  const OpKind kind = h.op(raw(a.op)).kind();
  if (kind == OpKind::kAggregate) return holds(a.key == kNoKey, "an aggregate is not about one key");
  if (a.key == kNoKey || raw(a.key) >= h.key_count()) return "names no key";
  const std::optional<ValueId> row = matches.in_result(a.op, a.key);
  if (row && kind == OpKind::kScan)
    return holds(matches.of(a.op, a.key, *row) == Match::kNo, "the row that was returned matches");
  const TxnId writer = a.transactions.size() > 1 ? a.transactions[1] : kNoTxn;
  const std::optional<ValueId> version = value_named(h, a.key, a.expected_text, writer);
  if (!version) return "no transaction wrote the version that it names";
  const Match match = matches.of(a.op, a.key, *version);
  return row ? holds(match == Match::kNo, "the version that it changed matches")
             : holds(match == Match::kYes, "the version that it missed does not match");
}

Fault anomaly_fault(const History& h, const Anomaly& a, std::optional<Written>& written,
                    std::optional<Matches>& matches) {
  if (a.transactions.empty()) return "names no transaction";
  for (const TxnId t : a.transactions) {
    if (raw(t) >= h.txn_count()) return "names something that does not exist";
  }
  if (!a.cases.empty()) return "has cases, which are about a level and not about clocks";
  const TxnId guilty = a.transactions.front();
  if (a.op != kNoOp) {
    if (raw(a.op) >= h.op_count() || h.txn_of(a.op) != guilty) return "the operation is another transaction's";
    const OpHead op = h.op(raw(a.op));
    if (a.kind == AnomalyKind::kGarbageRead && op.kind() == OpKind::kRead) {
      if (!written) written.emplace(h);
      if (written->by_another(guilty, op.key(), h.op_value(raw(a.op)))) return "a transaction wrote what it read";
    }
  }
  if (a.kind == AnomalyKind::kResultSetMismatch) {
    if (!matches) matches.emplace(h);
    if (const Fault fault = result_fault(h, a, *matches)) return fault;
  }
  for (const Step& step : a.steps) {
    if (const Fault fault = step_fault(h, step)) return fault;
  }
  return std::nullopt;
}

}  // namespace

Result<void> check_clock_claims(const History& history, const Verdict& verdict) {
  if (verdict.anomalies.empty()) return Error{"a violated verdict without an anomaly"};
  std::optional<Written> written;  // where they are needed
  std::optional<Matches> matches;
  for (const Anomaly& a : verdict.anomalies) {
    if (const Fault fault = anomaly_fault(history, a, written, matches))
      return Error{fmt::format("anomaly {}: {}", full_name(a), *fault)};
  }
  return {};
}

}  // namespace isolde::proof
