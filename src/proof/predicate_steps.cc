#include "proof/predicate_steps.h"

#include <algorithm>

namespace isolde::proof {
namespace {

// Predicates of these are evaluated on one state.
bool has_states(Level level) {
  const LevelFamily family = info(level).family;
  return family == LevelFamily::kSerializable || family == LevelFamily::kSnapshot || family == LevelFamily::kPrefix;
}

Match other(Match match) { return match == Match::kYes ? Match::kNo : Match::kYes; }

// Where a walk stands: what it started from is before the start, or at least before the commit, of a transaction.
enum class Point : std::uint8_t { kStart, kCommit };

// False: the walk leads on, but no order does.
bool lead_on(Point& point, StepType type, Level level) {
  const LevelFamily family = info(level).family;
  if (family != LevelFamily::kSnapshot && family != LevelFamily::kPrefix) return true;
  if (type == StepType::kRw) {
    // It says: start of the one before commit of the other.
    if (point != Point::kStart) return false;
    point = Point::kCommit;
  } else {
    point = type == StepType::kWw && family == LevelFamily::kPrefix ? Point::kCommit : Point::kStart;
  }
  return true;
}

}  // namespace

PredicateSteps::PredicateSteps(const History& history, const Verdict& verdict)
    : h_(history), level_(verdict.level), matches_(history) {
  std::vector<bool> keys(h_.key_count(), false);
  for (const Anomaly& a : verdict.anomalies) {
    if (a.kind == AnomalyKind::kResultSetMismatch && a.key != kNoKey) keys[raw(a.key)] = true;
    for (const Step& s : a.steps) {
      if (s.key != kNoKey && (is_predicate_of(s.from, s.from_op) || is_predicate_of(s.to, s.to_op)))
        keys[raw(s.key)] = true;
    }
  }
  versions_.emplace(h_, keys);
}

bool PredicateSteps::is_predicate_of(TxnId txn, OpId op) const {
  return op != kNoOp && raw(op) >= h_.first_op(txn) && raw(op) < h_.end_op(txn) && is_predicate(h_.op(raw(op)).kind());
}

Fault PredicateSteps::askable(TxnId txn, OpId op, KeyId key) const {
  if (!matches_.defect().empty()) return matches_.defect();
  if (!is_predicate_of(txn, op)) return "there is no such predicate operation";
  return holds(!own_version(h_, txn, key, op), "the transaction itself had written the key");
}

Match PredicateSteps::needed(OpId op, KeyId key) const {
  if (matches_.details(op).has_vset != 0) return matches_.of(op, key, matches_.in_vset(op, key));
  if (h_.op(raw(op)).kind() == OpKind::kAggregate) return matches_.counts_none(op) ? Match::kNo : Match::kUnclear;
  return matches_.in_result(op, key) ? Match::kYes : Match::kNo;
}

std::vector<TxnId> PredicateSteps::looked_at(TxnId txn, OpId op, KeyId key) const {
  std::vector<TxnId> out;
  const ValueId value = matches_.in_vset(op, key);
  if (h_.initial(key) == value) out.push_back(kNoTxn);
  for (const Version& v : versions_->of(key)) {
    if (v.value == value && v.txn != txn) out.push_back(v.txn);
  }
  return out;
}

bool PredicateSteps::is_visible(TxnId writer, TxnId txn) const {
  if (writer == txn) return false;
  const std::int64_t xid = h_.snapshot(writer)->xid;
  const Snapshot& in = *h_.snapshot(txn);
  const auto active = h_.columns().active_xids.subspan(in.active, in.active_count);
  return xid < in.xmin || (xid < in.xmax && std::find(active.begin(), active.end(), xid) == active.end());
}

std::optional<TxnId> PredicateSteps::shown(TxnId txn, KeyId key, const Before& before) const {
  if (h_.snapshot(txn) == nullptr) return std::nullopt;
  const std::vector<Version>& all = versions_->of(key);
  for (const Version& v : all) {
    const Snapshot* const its = h_.snapshot(v.txn);
    if (its == nullptr || its->has_xid == 0) return std::nullopt;
  }
  TxnId last = kNoTxn;
  for (const Version& v : all) {
    const bool sees = is_visible(v.txn, txn);
    for (const Version& u : all) {
      if (u.txn == v.txn) continue;
      // The order of all is known, and who is visible comes first.
      if (!before(u.txn, v.txn) && !before(v.txn, u.txn)) return std::nullopt;
      if (sees && !is_visible(u.txn, txn) && !before(v.txn, u.txn)) return std::nullopt;
    }
    if (sees && (last == kNoTxn || before(last, v.txn))) last = v.txn;
  }
  return last;
}

PredicateSteps::Look PredicateSteps::look(TxnId txn, OpId op, const Step& s, const Before& before) const {
  if (matches_.details(op).has_vset != 0) return {true, looked_at(txn, op, s.key), needed(op, s.key)};
  if (s.ground != Ground::kSnapshot) return {false, {}, needed(op, s.key)};
  if (!has_states(level_) || !matches_.looks_at_all(op)) return {true};
  const auto writer = shown(txn, s.key, before);
  if (!writer) return {true};
  return {true, {*writer}, matches_.of(op, s.key, version_of(*writer, s.key))};
}

ValueId PredicateSteps::version_of(TxnId writer, KeyId key) const {
  for (const Version& v : versions_->of(key)) {
    if (v.txn == writer) return v.value;
  }
  return h_.initial(key);
}

Fault PredicateSteps::against_snapshot(const Anomaly& a, const Before& before) const {
  const TxnId t = a.transactions.front();
  if (Fault wrong = askable(t, a.op, a.key)) return wrong;
  if (!has_states(level_)) return "the level has no state";
  if (matches_.details(a.op).has_vset != 0) return "it has a version set";
  const auto writer = shown(t, a.key, before);
  if (!writer || a.expected_writer != *writer || !a.expected_known || a.expected != version_of(*writer, a.key))
    return "its snapshot is not known to show that version";
  const TxnId from = *writer == kNoTxn ? t : *writer;
  for (const TxnId named : a.transactions) {
    if (named != t && named != from) return "names a transaction that has no part in it";
  }
  const auto type = *writer == kNoTxn ? StepType::kProgram : StepType::kWr;
  if (a.steps.size() != 1 || a.steps[0].type != type || a.steps[0].from != from || a.steps[0].to != t ||
      a.steps[0].key != a.key)
    return "its step is a different one";
  const Match right = needed(a.op, a.key);
  if (right != (a.source == ReadSource::kRowMissed ? Match::kNo : Match::kYes)) return "its result does not need that";
  return holds(matches_.of(a.op, a.key, a.expected) == other(right), "that version explains it");
}

bool PredicateSteps::is_later(TxnId reader, TxnId txn, const Before& before) const {
  return txn == reader || (has_states(level_) && before(reader, txn));
}

Fault PredicateSteps::read_dependency(const Step& s, const Before& before) const {
  if (Fault wrong = askable(s.to, s.to_op, s.key)) return wrong;
  if (level_ == Level::kReadUncommitted) return "the level says nothing of reads";
  const Look look_at = look(s.to, s.to_op, s, before);
  const bool has_vset = look_at.told;
  const auto from_on = [&](TxnId t) { return t != kNoTxn && (t == s.from || before(s.from, t)); };
  if (has_vset) {
    const std::vector<TxnId>& seen = look_at.seen;
    if (seen.empty() || !std::all_of(seen.begin(), seen.end(), from_on))
      return "the version looked at is not known to be the first's, or after it";
  }
  // The weak levels: as if it had read that version.
  if (!has_states(level_) && level_ != Level::kRepeatableRead)
    return holds(has_vset, "at this level nothing shows which version was looked at");
  const Match match = look_at.match;
  if (match == Match::kUnclear) return "it is not known what it needs of the key";
  const std::vector<Version>& all = versions_->of(s.key);
  // Nothing before the first's version may do. With a version set, what is parted from it by a change may not.
  std::vector<TxnId> parting;
  for (auto u = all.rbegin(); has_vset && u != all.rend(); ++u) {
    if (matches_.of(s.to_op, s.key, u->value) == other(match) && before(u->txn, s.from)) parting.push_back(u->txn);
  }
  const auto is_excluded = [&](TxnId t, ValueId value) {
    return matches_.of(s.to_op, s.key, value) == other(match) ||
           std::any_of(parting.begin(), parting.end(), [&](TxnId u) { return t == kNoTxn || before(t, u); });
  };
  if (!is_excluded(kNoTxn, h_.initial(s.key))) return "the initial version would do";
  for (const Version& v : all) {
    if (!is_later(s.to, v.txn, before) && !from_on(v.txn) && !is_excluded(v.txn, v.value))
      return "a version that may come before the first's would do";
  }
  return std::nullopt;
}

Fault PredicateSteps::anti_dependency(const Step& s, const Before& before) const {
  if (Fault wrong = askable(s.from, s.from_op, s.key)) return wrong;
  if (!has_states(level_)) return "the level lets a predicate look at older versions";
  const Look look_at = look(s.from, s.from_op, s, before);
  const Match match = look_at.match;
  if (match == Match::kUnclear) return "it is not known what it needs of the key";
  const std::vector<Version>& all = versions_->of(s.key);
  const auto is_wrong = [&](const Version& v) { return matches_.of(s.from_op, s.key, v.value) == other(match); };
  const auto overwriter = std::find_if(all.begin(), all.end(), [&](const Version& v) { return v.txn == s.to; });
  if (overwriter == all.end() || !is_wrong(*overwriter)) return "the second does not change the matches";
  if (look_at.told) {
    const std::vector<TxnId>& seen = look_at.seen;
    const auto is_before = [&](TxnId t) { return t == kNoTxn || before(t, s.to); };
    // What stands on top of the reader's own version is not what it looked at.
    const bool no_other =
        std::all_of(seen.begin(), seen.end(), [&](TxnId t) { return is_before(t) || is_later(s.from, t, before); });
    return holds(no_other && std::any_of(seen.begin(), seen.end(), is_before),
                 "the version looked at is not known to be before the second's");
  }
  for (const Version& v : all) {
    if (!is_later(s.from, v.txn, before) && !is_wrong(v) && !before(v.txn, s.to))
      return "a version that may come after the second's would do";
  }
  return std::nullopt;
}

Fault PredicateSteps::walk(const Anomaly& a, const Before& before,
                           const std::function<Fault(const Step&)>& step) const {
  const TxnId t = a.transactions.front();
  if (Fault wrong = askable(t, a.op, a.key)) return wrong;
  if (!has_states(level_) && level_ != Level::kRepeatableRead) return "the level has no state";
  std::vector<Step> steps = a.steps;
  // A walk that leads nowhere: no version at all explains the result.
  if (steps.size() == 1 && steps[0].type == StepType::kProgram && steps[0].from == t && steps[0].to == t) steps.clear();
  const auto split = std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.from == t; });
  if (split == steps.end() && !steps.empty() && steps.back().to != t) return "its steps do not lead to it";
  const bool from_below = split != steps.begin();
  const bool to_above = split != steps.end();
  Point point = Point::kCommit;
  for (auto s = steps.begin(); s != steps.end(); ++s) {
    if (s != steps.begin() && (s - 1)->to != s->from) return "its steps are not a path";
    if (Fault wrong = step(*s)) return wrong;
    if (s == split && from_below && point != Point::kStart && !is_whole()) return "its steps do not lead to its start";
    if (s == split) point = Point::kStart;
    if (!lead_on(point, s->type, level_)) return "its steps are not an order";
  }
  if (from_below && !to_above && point != Point::kStart && !is_whole()) return "its steps do not lead to its start";
  if (from_below && level_ == Level::kRepeatableRead) return "the level lets a predicate look at older versions";
  const TxnId low = from_below ? steps.front().from : kNoTxn;
  const TxnId high = to_above ? steps.back().to : kNoTxn;
  if (low == t || high == t) return "its steps lead back to it";
  const std::vector<Version>& all = versions_->of(a.key);
  const auto leaves_version = [&](TxnId w) {
    return w == kNoTxn || std::any_of(all.begin(), all.end(), [&](const Version& v) { return v.txn == w; });
  };
  if (!leaves_version(low) || !leaves_version(high)) return "an end of its steps does not write the key";
  const Match right = needed(a.op, a.key);
  if (right != (a.source == ReadSource::kRowMissed ? Match::kNo : Match::kYes)) return "its result does not need that";
  const Match wrong_match = other(right);
  // It read the key in the same state.
  if (const auto seen = has_states(level_) ? first_read(t, a.key) : std::nullopt) {
    if (matches_.of(a.op, a.key, *seen) == wrong_match) return std::nullopt;
  }
  if (low == kNoTxn && matches_.of(a.op, a.key, h_.initial(a.key)) != wrong_match)
    return "the initial version explains it";
  for (const Version& v : all) {
    if (is_later(t, v.txn, before) || (low != kNoTxn && before(v.txn, low))) continue;
    if (high != kNoTxn && (v.txn == high || before(high, v.txn))) continue;
    if (matches_.of(a.op, a.key, v.value) != wrong_match) return "a version that its steps leave explains it";
  }
  return std::nullopt;
}

std::optional<ValueId> PredicateSteps::first_read(TxnId t, KeyId key) const {
  for (const Touch& touch : touches(h_, t)) {
    if (touch.key != key) continue;
    return touch.kind == OpKind::kRead ? std::optional(touch.value) : std::nullopt;
  }
  return std::nullopt;
}

bool PredicateSteps::is_whole() const {
  const LevelFamily family = info(level_).family;
  return family != LevelFamily::kSnapshot && family != LevelFamily::kPrefix;
}

}  // namespace isolde::proof
