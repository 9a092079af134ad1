#include "proof/predicate_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace isolde::proof {
namespace {

constexpr std::size_t kMostPossibleStates = 4096;  // that may be possible for one aggregate

bool is_about_rows(const Anomaly& a) { return a.source == ReadSource::kRowMissed || a.source == ReadSource::kRowExtra; }

bool uses(const Anomaly& a, StepType type) {
  return std::any_of(a.steps.begin(), a.steps.end(), [type](const Step& s) { return s.type == type; });
}

// Whether the JSON text is the scalar; a real may be written with fewer digits.
bool says(std::string_view json, const Scalar& result) {
  if (result.is_null()) return json == "null";
  if (result.kind == ScalarKind::kBoolean) return json == (result.integer != 0 ? "true" : "false");
  if (result.is_number()) {
    double number = 0;
    const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), number);
    const double right = nearest_real(result);
    return error == std::errc{} && end == json.data() + json.size() &&
           std::fabs(number - right) <= 1e-6 * std::max(1.0, std::fabs(right));
  }
  if (result.fold != Fold::kNone) return json.size() >= 2 && json.front() == '"' && json.back() == '"';
  std::string text;
  append_json_string(result.string(), text);
  return json == text;
}

}  // namespace

PredicateClaims::PredicateClaims(const History& history, const Verdict& verdict, const Committed& committed)
    : h_(history), verdict_(verdict), committed_(committed), matches_(history) {
  std::vector<bool> keys(h_.key_count(), false);
  for (const Anomaly& a : verdict.anomalies) {
    if (a.kind != AnomalyKind::kResultSetMismatch) continue;
    if (a.key == kNoKey) keys.assign(keys.size(), true);
    if (a.key != kNoKey) keys[raw(a.key)] = true;
  }
  versions_.emplace(h_, keys);
}

Fault PredicateClaims::result_fault(const Anomaly& a) const {
  if (!matches_.defect().empty()) return matches_.defect();
  if (verdict_.level == Level::kReadUncommitted) return "the level says nothing of reads";
  const TxnId t = a.transactions.front();
  if (a.op == kNoOp || h_.txn_of(a.op) != t || !is_predicate(h_.op(raw(a.op)).kind()))
    return "there is no such predicate operation";
  for (const Item& item : h_.vset(matches_.details(a.op))) {
    if (matches_.in_vset(a.op, item.key) != item.value) return "its version set names one key with two versions";
  }
  const bool is_aggregate = h_.op(raw(a.op)).kind() == OpKind::kAggregate;
  if (a.source == ReadSource::kWrongAggregate) {
    return holds(is_aggregate && a.key == kNoKey && a.read == h_.op_value(raw(a.op)), "there is no such aggregate");
  }
  if (!is_about_rows(a) || a.key == kNoKey) return "names no row";
  if (is_aggregate) return std::nullopt;
  const auto row = matches_.in_result(a.op, a.key);
  if (a.source == ReadSource::kRowMissed) return holds(!row && a.read == kNullValue, "its result has the key");
  const bool is_told = a.expected_known || a.read != kNullValue;  // a walk names no version, and may name no row
  return holds(is_told ? matches_.has_row(a.op, a.key, a.read) : row.has_value(), "its result has no such row");
}

Fault PredicateClaims::fault(const Anomaly& a) const {
  if (Fault wrong = result_fault(a)) return wrong;
  const TxnId t = a.transactions.front();
  const TxnId other = a.expected_writer == kNoTxn ? t : a.expected_writer;
  for (const TxnId named : a.transactions) {
    if (named != t && named != other) return "names a transaction that has no part in it";
  }
  const auto is_inside = [&](const Step& s) {
    return (s.from == t || s.from == other) && (s.to == t || s.to == other);
  };
  if (!std::all_of(a.steps.begin(), a.steps.end(), is_inside)) return "a step is about another transaction";
  if (uses(a, StepType::kWw)) return "a step that shows nothing";
  return a.source == ReadSource::kWrongAggregate ? aggregate_fault(a) : row_fault(a);
}

Fault PredicateClaims::row_fault(const Anomaly& a) const {
  if (!a.expected_known) return "does not say what it was evaluated on";
  const TxnId t = a.transactions.front();
  const OpKind kind = h_.op(raw(a.op)).kind();
  const bool has_vset = matches_.details(a.op).has_vset != 0;
  const bool by_run = uses(a, StepType::kRw) || uses(a, StepType::kWr);
  if (by_run) return has_vset && !own_version(h_, t, a.key, a.op) && knows_state() ? run_fault(a) : "has no run";
  if (kind == OpKind::kAggregate && !has_vset) return "an aggregate says nothing of one key";
  const auto own = own_version(h_, t, a.key, a.op);
  const bool is_wrong = matches_.of(a.op, a.key, a.expected) == wrong_match(a);
  // The operation contradicts itself.
  if (kind == OpKind::kScan && has_vset && a.source == ReadSource::kRowExtra && a.expected != a.read &&
      matches_.in_vset(a.op, a.key) == a.expected && (!own || a.expected_writer != t))
    return holds(a.expected_writer == kNoTxn || left(a.expected_writer, a.key, a.expected),
                 "its writer is a different one");
  if (!is_wrong) return "the version does not match as it says";
  if (a.expected_writer == kNoTxn && kind == OpKind::kScan && a.source == ReadSource::kRowExtra && a.expected == a.read)
    return std::nullopt;
  if (kind != OpKind::kAggregate && has_vset && matches_.in_vset(a.op, a.key) == a.expected &&
      (!own || a.expected_writer != t)) {
    return holds(a.expected_writer == kNoTxn || left(a.expected_writer, a.key, a.expected),
                 "its writer is a different one");
  }
  if (own) {
    if (kind == OpKind::kAggregate) return "an aggregate says nothing of one key";
    return holds(a.expected_writer == t && *own == a.expected, "it is not what the transaction itself had written");
  }
  if (a.expected_writer == t) return has_vset && knows_state() ? run_fault(a) : "the transaction had not written it";
  if (!knows_state()) return "nothing shows that it was evaluated on that version";
  const auto is_between = [&](const Step& s) { return s.from != s.to; };
  if (a.expected_writer != kNoTxn && std::none_of(a.steps.begin(), a.steps.end(), is_between))
    return "no step is about its writer";
  const Fault wrong = kind == OpKind::kAggregate ? Fault{"it has no row of the key"} : state_fault(a);
  return wrong && has_vset ? run_fault(a) : wrong;
}

bool PredicateClaims::left(TxnId t, KeyId key, ValueId value) const {
  const auto& all = versions_->of(key);
  return std::any_of(all.begin(), all.end(), [&](const Version& v) { return v.txn == t && v.value == value; });
}

// Timestamps or places tell the state of these levels.
bool PredicateClaims::knows_state() const {
  const LevelFamily family = info(verdict_.level).family;
  return verdict_.given != Given::kVersionOrders &&
         (family == LevelFamily::kSnapshot || family == LevelFamily::kSerializable);
}

// Those that write, start and commit at one time stand in any order.
bool PredicateClaims::at_once(TxnId t) const {
  return !committed_.is_serial() && committed_.turn(t) == 2 && !keys_written(touches(h_, t)).empty();
}

PredicateClaims::Possible PredicateClaims::in_state(TxnId t, KeyId key, bool& overlap) const {
  const std::int64_t moment = committed_.moment(t);
  const bool serial = committed_.is_serial();
  Possible open;
  Possible last;  // those that are in the state for sure, and none of those later
  const auto place = [&](TxnId w) { return std::pair(committed_.time_of(w), serial ? 0 : committed_.turn(w)); };
  for (const Version& v : versions_->of(key)) {
    if (v.txn == t) continue;
    const std::int64_t time = committed_.time_of(v.txn);
    const bool is_later = time == kNoTime ? !serial && h_.start_ts(v.txn) > moment : time > moment;
    if (is_later) continue;
    const bool may_be_after = time == moment && (serial || (committed_.turn(v.txn) == 2 && at_once(t)));
    if (!committed_.counts(v.txn) || time == kNoTime || may_be_after) {
      open.push_back(v);
      continue;
    }
    if (!last.empty() && place(v.txn) < place(last.front().txn)) continue;
    if (!last.empty() && place(last.front().txn) < place(v.txn)) last.clear();
    last.push_back(v);
    // Two that had started before wrote the key and committed at one time: that alone breaks the level.
    if (last.size() > 1 && !serial && committed_.turn(v.txn) == 0) overlap = true;
  }
  if (last.empty()) last.push_back({kNoTxn, h_.initial(key)});
  open.insert(open.end(), last.begin(), last.end());
  return open;
}

Fault PredicateClaims::state_fault(const Anomaly& a) const {
  const TxnId t = a.transactions.front();
  if (committed_.moment(t) == kNoTime) return "it has no timestamp to read at";
  bool overlap = false;
  const Possible possible = in_state(t, a.key, overlap);
  const bool is_one = std::any_of(possible.begin(), possible.end(), [&](const Version& v) {
    return v.txn == a.expected_writer && v.value == a.expected;
  });
  if (!is_one) return "the state has another version of the key";
  if (overlap) return std::nullopt;
  const bool all = std::all_of(possible.begin(), possible.end(),
                               [&](const Version& v) { return matches_.of(a.op, a.key, v.value) == wrong_match(a); });
  return holds(all, "the state may have another version, which explains the result");
}

// From the version set's version to the state's not all match alike, and `expected` is among them. Its own change of
// the matches does not bind the transaction, but what others changed after it does.
Fault PredicateClaims::run_fault(const Anomaly& a) const {
  const TxnId t = a.transactions.front();
  const std::int64_t moment = committed_.moment(t);
  if (moment == kNoTime) return "it has no timestamp to read at";
  if (!a.expected_known) return "does not say what changed the matches";
  const ValueId looked_at = matches_.in_vset(a.op, a.key);
  const bool serial = committed_.is_serial();
  // By time: the initial version, then all. What is not certain decides nothing.
  struct Placed {
    std::pair<std::int64_t, int> place;
    Version version;
  };
  std::vector<Placed> all;
  for (const Version& v : versions_->of(a.key)) {
    const std::int64_t time = v.txn == t && serial ? moment : committed_.time_of(v.txn);
    if (!committed_.counts(v.txn) || time == kNoTime)
      return "cannot be proved: when a version of the key was committed is not known";
    all.push_back({{time, serial ? 0 : committed_.turn(v.txn)}, v});
  }
  std::sort(all.begin(), all.end(), [](const Placed& x, const Placed& y) { return x.place < y.place; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_tied = i > 0 && all[i].place == all[i - 1].place;
    // Two that had started before wrote the key and committed at one time: that alone breaks the level.
    if (is_tied && !serial && all[i].place.second == 0) return std::nullopt;
    const bool at_moment = all[i].version.txn != t && all[i].place.first == moment && (serial || at_once(t));
    if (is_tied || at_moment) return "cannot be proved: versions of the key have one time";
  }
  all.insert(all.begin(), {{kNoTime, 0}, {kNoTxn, h_.initial(a.key)}});
  std::vector<std::size_t> looked;  // where it is
  std::size_t state = 0;
  std::size_t named = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Version& v = all[i].version;
    if (v.value == looked_at && v.txn != t) looked.push_back(i);
    if (i > 0 && v.txn != t && all[i].place.first <= moment) state = i;
    if (i > 0 && v.txn == a.expected_writer && v.value == a.expected) named = i;
  }
  if (looked.empty()) {
    const bool is_own = a.expected_writer == t && a.expected == looked_at && left(t, a.key, looked_at);
    return holds(is_own, "no transaction committed the version that it looked at");
  }
  if (named == 0) return "no transaction committed the version that it names";
  const bool is_since = named <= state;
  const std::size_t first = is_since ? looked.back() : state;
  const std::size_t last = is_since ? state : looked.front();
  if (named <= first || named > last) return "what it names is not between the version looked at and the state's";
  bool changes = false;
  Match before = Match::kUnclear;
  for (std::size_t i = first; i <= last; ++i) {
    const bool is_own = all[i].version.txn == t;
    const Match match = matches_.of(a.op, a.key, all[i].version.value);
    if (match == Match::kUnclear && !is_own) continue;
    changes |= !is_own && before != Match::kUnclear && before != match;
    before = match;
  }
  if (!changes) return "from the one looked at to the state's all match alike";
  // Changed since: it comes before the one that changed it; changed later: after.
  return holds(!uses(a, is_since ? StepType::kWr : StepType::kRw), "a step leads the wrong way");
}

Fault PredicateClaims::aggregate_fault(const Anomaly& a) const {
  const TxnId t = a.transactions.front();
  const ValueId recorded = h_.op_value(raw(a.op));
  if (matches_.details(a.op).has_vset != 0) {
    AggregateState right = matches_.aggregate(a.op);
    if (Fault unclear = matches_.add_vset(a.op, right)) return unclear;
    if (!right.agrees(recorded) && !names_aggregate(a, right)) return std::nullopt;
    return own_aggregate_fault(a);
  }
  if (!knows_state()) return "nothing shows what it was evaluated on";
  if (committed_.moment(t) == kNoTime) return "it has no timestamp to read at";
  std::vector<std::pair<KeyId, Possible>> open;  // keys that may match
  std::size_t states = 1;
  bool overlap = false;
  std::vector<bool> is_own(h_.key_count(), false);
  for (const KeyId k : keys_written(touches(h_, t))) is_own[raw(k)] = own_version(h_, t, k, a.op).has_value();
  for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
    Possible possible = is_own[k] ? Possible{{t, *own_version(h_, t, KeyId{k}, a.op)}} : in_state(t, KeyId{k}, overlap);
    bool may_match = false;
    for (Version& v : possible) {
      const Match match = matches_.of(a.op, KeyId{k}, v.value);
      if (match == Match::kUnclear)
        return "cannot be proved: it is not known whether its condition holds for a version";
      if (match == Match::kNo) v.value = kNullValue;
      may_match |= match == Match::kYes;
    }
    if (!may_match) continue;
    if (states *= possible.size(); states > kMostPossibleStates)
      return "cannot be proved: too many states are possible";
    open.emplace_back(KeyId{k}, std::move(possible));
  }
  bool named = false;
  for (std::size_t state = 0; state < states; ++state) {
    AggregateState right = matches_.aggregate(a.op);
    std::size_t rest = state;
    for (const auto& [key, possible] : open) {
      matches_.add(right, key, possible[rest % possible.size()].value);
      rest /= possible.size();
    }
    if (right.faults() != kNoFault) return "cannot be proved: the aggregate cannot be evaluated";
    if (right.agrees(recorded)) {
      if (overlap) continue;
      return "the aggregate of the state is what it says";
    }
    named |= !names_aggregate(a, right);
  }
  return holds(named, "the right aggregate is different");
}

// Of the version set, but of what the transaction itself wrote in its own version.
Fault PredicateClaims::own_aggregate_fault(const Anomaly& a) const {
  const TxnId t = a.transactions.front();
  auto versions = matches_.looked_at(a.op);
  for (const KeyId k : keys_written(touches(h_, t))) {
    if (const auto own = own_version(h_, t, k, a.op)) versions[raw(k)] = *own;
  }
  AggregateState right = matches_.aggregate(a.op);
  for (const auto& [k, version] : versions) {
    const Match match = matches_.of(a.op, KeyId{k}, version);
    if (match == Match::kUnclear) return matches_.unclear(KeyId{k});
    if (match == Match::kYes) matches_.add(right, KeyId{k}, version);
  }
  if (right.faults() != kNoFault) return "cannot be proved: the aggregate cannot be evaluated";
  if (right.agrees(h_.op_value(raw(a.op)))) return "the aggregate of its version set is what it says";
  return names_aggregate(a, right);
}

Fault PredicateClaims::names_aggregate(const Anomaly& a, const AggregateState& right) const {
  return holds(says(a.expected_text, right.result()), "the right aggregate is different");
}

}  // namespace isolde::proof
