#include "tests/mirror/moments.h"

#include <algorithm>

namespace isolde::moments {
namespace {

using mirror::Certifier;
using mirror::Profile;
using mirror::Reads;
using mirror::SnapshotAt;

bool is_absent(const DraftValue& value) {
  return value.type == DraftValue::Type::kNull || (value.type == DraftValue::Type::kList && value.list.empty());
}

// One key that an operation reads or changes.
struct Access {
  const TraceOp* op;
  std::size_t place;  // of the operation
  int key;
  DraftValue value;
  bool writes;
  Look look = Look::kNone;
};

std::vector<Access> accesses(const TraceTxn& txn, std::size_t keys, std::deque<TraceOp>& made) {
  std::vector<Access> all;
  for (std::size_t i = 0; i < txn.ops.size(); ++i) {
    const TraceOp& op = txn.ops[i];
    if (op.kind == OpKind::kAggregate) {
      all.push_back({&op, i, 0, op.value, false, Look::kAggregate});
      continue;
    }
    if (op.kind != OpKind::kScan && op.kind != OpKind::kUpdate) {
      all.push_back({&op, i, op.key, op.value, op.kind != OpKind::kRead});
      continue;
    }
    for (int key = 0; op.by_value && key < static_cast<int>(keys); ++key) {
      const bool shown = std::any_of(op.rows.begin(), op.rows.end(), [&](const auto& row) { return row.first == key; });
      if (!shown || op.kind == OpKind::kUpdate)
        all.push_back({&op, i, key, {}, false, shown ? Look::kMatches : Look::kDoesNot});
    }
    for (const auto& [key, value] : op.rows) {
      if (op.kind == OpKind::kScan) {
        all.push_back({&op, i, key, value, false});
      } else {
        made.push_back({.kind = OpKind::kUpdate, .key = key, .value = value, .before = op.before, .after = op.after});
        all.push_back({&made.back(), i, key, value, true});
      }
    }
    for (int key = op.low; op.kind == OpKind::kScan && !op.by_value && key <= op.high && key < static_cast<int>(keys);
         ++key) {
      if (std::none_of(op.rows.begin(), op.rows.end(), [&](const auto& row) { return row.first == key; }))
        all.push_back({&op, i, key, DraftValue{}, false});
    }
  }
  return all;
}

bool sets(const OwnOps& own) {
  return std::any_of(own.begin(), own.end(),
                     [](const TraceOp* op) { return op->kind == OpKind::kWrite || op->kind == OpKind::kUpdate; });
}

State fold(State state, const OwnOps& own, StateTable& states) {
  for (const TraceOp* op : own) state = states.apply(state, *op);
  return state;
}

enum class Idle : std::uint8_t { kNever, kDelete, kSameValue };

class TxnPlanner {
 public:
  TxnPlanner(const Trace& trace, std::size_t t, const Profile& profile, bool counts, std::deque<TraceOp>& made)
      : trace_(trace),
        txn_(trace.txns[t]),
        t_(t),
        p_(profile),
        counts_(counts),
        all_(accesses(txn_, trace.initial.size(), made)) {}

  // Whether a write may change nothing. A delete by an update of rows that it found does not.
  Idle may_be_idle(std::size_t a) const {
    const Access& access = all_[a];
    if (!access.writes || access.op->kind != OpKind::kWrite || !counts_) return Idle::kNever;
    if (is_absent(access.value)) return Idle::kDelete;
    if (p_.reads != Reads::kTransaction || !p_.locking_reads_see_latest || p_.first_updater_wins) return Idle::kNever;
    for (std::size_t b = a + 1; b < all_.size(); ++b) {  // else it makes no difference
      if (!all_[b].writes && (all_[b].key == access.key || all_[b].look == Look::kAggregate)) return Idle::kSameValue;
    }
    return Idle::kNever;
  }
  // A delete that may look at either state has a second bit: it looked at what is latest.
  int bits(Idle may) const {
    if (may == Idle::kNever) return 0;
    const bool either = snapshot_reads() && !p_.locking_reads_see_latest && !changes_snapshot();
    return may == Idle::kDelete && either ? 2 : 1;
  }
  int idle_choices() const {
    int n = 0;
    for (std::size_t a = 0; a < all_.size(); ++a) n += bits(may_be_idle(a));
    return n;
  }

  // Takes its bits off `idle`. False: the choice contradicts itself.
  bool plan(Plan& plan, StateTable& states, std::uint32_t& idle);

 private:
  bool snapshot_reads() const { return p_.reads == Reads::kTransaction; }
  // First updater wins makes what is latest and the snapshot the same, once there is one; else a statement that changes
  // something may look at either.
  bool changes_snapshot() const { return p_.first_updater_wins && p_.snapshot_at != SnapshotAt::kFirstRead; }
  // What an append or increment is made to: what its lock shows; what its snapshot has, if nobody else may replace
  // that; what a certifier takes for read. Else nothing says it.
  bool steps_are_blind() const {
    const bool by_certifier = p_.certifier == Certifier::kCycles || p_.certifier == Certifier::kTimestampOrder ||
                              p_.certifier == Certifier::kConflictCheck;
    return !p_.write_locks && !changes_snapshot() && !by_certifier;
  }
  bool read(const Access& access);
  bool look(const Access& access);
  bool aggregate(const Access& access);
  bool write(const Access& access, Idle idle, bool is_idle, bool by_latest);
  bool dirty_value(const Access& access) const;
  std::int64_t sent_by(const Access& access) const;
  void lock(const Access& access, bool exclusive, std::vector<Check> checks);
  void statement(const Access& access, Check check, bool alone);
  Moment& add(Moment::Kind kind, const Access& access);
  void finish(Plan& plan);
  std::uint64_t before_op(std::size_t place) const {
    std::uint64_t mask = 0;
    for (const auto& [moment, at] : of_op_) {
      if (at < place) mask |= std::uint64_t{1} << moment;
    }
    return mask;
  }

  const Trace& trace_;
  const TraceTxn& txn_;
  std::size_t t_;
  const Profile& p_;
  bool counts_;
  std::vector<Access> all_;

  Plan* plan_ = nullptr;
  StateTable* states_ = nullptr;
  PlannedTxn planned_;
  std::array<OwnOps, kMaxKeys> own_{};
  std::vector<Check> at_snapshot_, at_commit_;
  std::vector<std::pair<std::size_t, std::size_t>> of_op_;     // place of a moment, place of its operation
  std::optional<std::pair<std::size_t, std::size_t>> shared_;  // the moment of a statement's plain rows, its operation
  std::array<bool, kMaxKeys> locked_{};                        // exclusively
  std::uint64_t floating_ = 0;                                 // moments that are in no order with others
};

Moment& TxnPlanner::add(Moment::Kind kind, const Access& access) {
  Moment m{kind, t_, access.op->before, access.op->after};
  m.earlier = before_op(access.place);
  of_op_.emplace_back(plan_->moments.size(), access.place);
  plan_->moments.push_back(std::move(m));
  return plan_->moments.back();
}

void TxnPlanner::lock(const Access& access, bool exclusive, std::vector<Check> checks) {
  auto& held = locked_[static_cast<std::size_t>(access.key)];
  if (held && checks.empty()) return;
  held |= exclusive;
  Moment& m = add(Moment::Kind::kLock, access);
  m.key = access.key;
  m.exclusive = exclusive;
  m.checks = std::move(checks);
}

// A moment of the statement at which the check holds; `alone`: not that of its other rows.
void TxnPlanner::statement(const Access& access, Check check, bool alone) {
  if (p_.rows_since_begin) {  // … or any moment since the begin, in no order with those of other statements
    floating_ |= std::uint64_t{1} << plan_->moments.size();
    plan_->moments.push_back({Moment::Kind::kRead, t_, txn_.begin, access.op->after});
    plan_->moments.back().checks.push_back(std::move(check));
    return;
  }
  if (!alone && p_.reads == Reads::kStatement && !p_.snapshot_gathered) {
    if (!shared_ || shared_->second != access.place) {
      shared_ = {plan_->moments.size(), access.place};
      add(Moment::Kind::kRead, access);
    }
    plan_->moments[shared_->first].checks.push_back(std::move(check));
    return;
  }
  add(Moment::Kind::kRead, access).checks.push_back(std::move(check));
}

bool TxnPlanner::dirty_value(const Access& access) const {
  if (trace_.initial[static_cast<std::size_t>(access.key)] == access.value) return true;
  for (const TraceTxn& txn : trace_.txns) {
    std::deque<TraceOp> made;
    for (const Access& other : accesses(txn, trace_.initial.size(), made)) {
      if (other.writes && other.key == access.key && other.value == access.value &&
          other.op->before <= access.op->after)
        return true;
    }
  }
  return false;
}

// Reads have no moment, but nobody sees what has not been sent. Where nobody had sent that value, the clocks are wrong.
std::int64_t TxnPlanner::sent_by(const Access& access) const {
  if (p_.certifier == Certifier::kTimestampOrder) return kForever;
  bool sent = trace_.initial[static_cast<std::size_t>(access.key)] == access.value ||
              (is_absent(access.value) && is_absent(trace_.initial[static_cast<std::size_t>(access.key)]));
  for (std::size_t t = 0; t < trace_.txns.size(); ++t) {
    if (t == t_ || trace_.txns[t].status == Status::kAborted) continue;
    std::deque<TraceOp> made;
    const Access* last = nullptr;  // or the first of several of the same value
    const std::vector<Access> all = accesses(trace_.txns[t], trace_.initial.size(), made);
    for (const Access& other : all) {
      if (!other.writes || other.key != access.key) continue;
      if (other.op->kind != OpKind::kWrite && other.op->kind != OpKind::kUpdate) return kForever;
      if (last == nullptr || !(last->value == other.value)) last = &other;
    }
    if (last == nullptr || last->op->before > access.op->after) continue;
    sent = sent || last->value == access.value || (is_absent(last->value) && is_absent(access.value));
  }
  return sent ? access.op->after : kForever;
}

bool TxnPlanner::read(const Access& access) {
  if (counts_ && access.op->by_value && !trace_.matches(access.value)) return false;
  const OwnOps& own = own_[static_cast<std::size_t>(access.key)];
  const bool locks = access.op->lock != Lock::kNone || p_.read_locks;
  const bool takes_lock = locks && p_.write_locks && !is_absent(access.value);
  const bool exclusive = access.op->lock == Lock::kUpdate;
  if (!counts_) {
    if (takes_lock && own.empty()) lock(access, exclusive, {});
    return true;
  }
  Check check{access.key, own, states_->of(access.value)};
  if (sets(own)) return fold(kNullState, own, *states_) == check.expected;
  if (!own.empty()) {
    if (p_.reads == Reads::kDirty) return true;
    if (p_.reads == Reads::kCertified) {
      planned_.certified.push_back(std::move(check));
    } else if (snapshot_reads() && !p_.locking_reads_see_latest) {
      if (changes_snapshot()) at_snapshot_.push_back(std::move(check));
    } else if (!steps_are_blind()) {  // what it changed is still latest when it commits
      check.is_read = false;
      at_commit_.push_back(std::move(check));
    }
    return true;
  }
  switch (p_.reads) {
    case Reads::kDirty:
      if (takes_lock) lock(access, exclusive, {});
      return dirty_value(access);
    case Reads::kCertified:
      if (takes_lock) lock(access, exclusive, {});
      check.answered = sent_by(access);
      planned_.certified.push_back(std::move(check));
      return true;
    case Reads::kTransaction:
      if (!locks || !p_.locking_reads_see_latest) {
        if (takes_lock) lock(access, exclusive, {});
        at_snapshot_.push_back(std::move(check));
        return true;
      }
      break;
    default:
      break;
  }
  if (takes_lock) {
    lock(access, exclusive, {std::move(check)});
  } else {
    statement(access, std::move(check), locks);
  }
  return true;
}

// A key that a predicate operation does not show does not match; one that an update changes does.
bool TxnPlanner::look(const Access& access) {
  const OwnOps& own = own_[static_cast<std::size_t>(access.key)];
  const bool wanted = access.look == Look::kMatches;
  const bool updates = access.op->kind == OpKind::kUpdate;
  if (!counts_) return true;
  if (sets(own)) {
    const State state = fold(kNullState, own, *states_);
    return (state != kBroken && trace_.matches(states_->content(state))) == wanted;
  }
  Check check{.key = access.key, .own = {}, .expected = kNullState, .look = access.look};
  if (p_.reads == Reads::kDirty) {
    if (trace_.matches(trace_.initial[static_cast<std::size_t>(access.key)]) == wanted) return true;
    for (const TraceTxn& txn : trace_.txns) {
      std::deque<TraceOp> made;
      for (const Access& other : accesses(txn, trace_.initial.size(), made)) {
        if (other.writes && other.key == access.key && trace_.matches(other.value) == wanted &&
            other.op->before <= access.op->after)
          return true;
      }
    }
    return false;
  }
  if (p_.reads == Reads::kCertified) {
    planned_.certified.push_back(std::move(check));
    return true;
  }
  const bool locks = access.op->lock != Lock::kNone || p_.read_locks || updates;
  if (snapshot_reads() && (!locks || !p_.locking_reads_see_latest)) {
    if (!updates || changes_snapshot()) at_snapshot_.push_back(std::move(check));
    return true;
  }
  statement(access, std::move(check), locks);
  return true;
}

// Only where all keys are looked at in one moment.
bool TxnPlanner::aggregate(const Access& access) {
  if (!counts_ || p_.reads == Reads::kDirty) return true;
  const bool locks = access.op->lock != Lock::kNone || p_.read_locks;
  const bool one_moment =
      (p_.reads == Reads::kStatement || p_.reads == Reads::kTransaction) && !p_.snapshot_gathered && !locks;
  if (!one_moment) {
    plan_->too_large = true;
    return true;
  }
  Check check{.key = 0, .own = {}, .expected = kNullState, .look = Look::kAggregate, .aggregate = access.op};
  check.owns = own_;
  if (snapshot_reads()) {
    at_snapshot_.push_back(std::move(check));
  } else {
    statement(access, std::move(check), false);
  }
  return true;
}

bool TxnPlanner::write(const Access& access, Idle idle, bool is_idle, bool by_latest) {
  OwnOps& own = own_[static_cast<std::size_t>(access.key)];
  const bool by_snapshot = snapshot_reads() && !p_.locking_reads_see_latest;
  if (!counts_) {  // deletes: as if they had found nothing
    if (p_.write_locks && !(access.op->kind == OpKind::kWrite && is_absent(access.value))) lock(access, true, {});
    return true;
  }
  std::vector<Check> checks;
  if (idle == Idle::kSameValue && is_idle) {
    lock(access, true, {Check{access.key, {}, states_->of(access.value), false, false}});
    return true;
  }
  if (idle == Idle::kDelete) {
    Check check{access.key, {}, kNullState, !is_idle, false};
    const bool says_nothing = p_.reads == Reads::kDirty || p_.reads == Reads::kCertified;
    if (p_.reads == Reads::kCertified && is_idle) {
      check.answered = access.op->after;  // nobody sees what has not been sent
      planned_.certified.push_back(check);
    } else if (by_snapshot) {
      if (is_idle && by_latest) {
        statement(access, check, true);
      } else if (is_idle || changes_snapshot()) {
        at_snapshot_.push_back(check);
      }
    } else if (is_idle && !says_nothing) {
      statement(access, check, true);
    } else if (!is_idle && p_.write_locks && !says_nothing) {
      checks.push_back(check);
    }
    if (is_idle) return true;
  }
  // One that finds nothing left of what it wrote itself.
  if (access.op->kind == OpKind::kWrite && is_absent(access.value) && sets(own) &&
      fold(kNullState, own, *states_) == kNullState)
    return true;
  if (p_.write_locks) lock(access, true, std::move(checks));
  own.push_back(access.op);
  return true;
}

void TxnPlanner::finish(Plan& plan) {
  std::int64_t last = txn_.begin;
  for (const TraceOp& op : txn_.ops) last = std::max(last, op.after);
  const std::int64_t end = txn_.status == Status::kUnknown ? kForever : txn_.end;
  // The commit takes effect between its request and its answer; a rollback may only confirm what has happened already.
  const bool has_commit = txn_.commit_before != kNoTime;
  if (has_commit && txn_.status != Status::kAborted) last = txn_.commit_before;
  const std::int64_t committed =
      txn_.status == Status::kUnknown || !has_commit ? end : std::min(end, txn_.commit_after);
  for (std::size_t k = 0; k < kMaxKeys; ++k) {
    if (counts_ && !own_[k].empty())
      planned_.installs.push_back({static_cast<int>(k), own_[k], steps_are_blind() && !sets(own_[k])});
  }
  const bool has_locks = std::any_of(of_op_.begin(), of_op_.end(),
                                     [&](const auto& m) { return plan.moments[m.first].kind == Moment::Kind::kLock; });

  const bool needs_snapshot = counts_ && snapshot_reads() &&
                              (!at_snapshot_.empty() || p_.certifier == Certifier::kSsi ||
                               (p_.first_updater_wins && !planned_.installs.empty()));
  std::uint64_t all = before_op(txn_.ops.size()) | floating_;
  if (needs_snapshot) {
    std::size_t first = 0;
    if (p_.snapshot_at == SnapshotAt::kFirstRead) {
      first = txn_.ops.size();
      for (std::size_t i = txn_.ops.size(); i-- > 0;) {
        const TraceOp& op = txn_.ops[i];
        const bool reads = op.kind == OpKind::kRead || op.kind == OpKind::kScan || op.kind == OpKind::kAggregate;
        if (reads && op.lock == Lock::kNone) first = i;
      }
    }
    std::int64_t latest = committed;
    if (first < txn_.ops.size())
      latest = p_.snapshot_at == SnapshotAt::kBegin ? txn_.ops[first].before : txn_.ops[first].after;
    const std::uint64_t bit = std::uint64_t{1} << plan.moments.size();
    for (const auto& [moment, place] : of_op_) {
      if (place >= first) plan.moments[moment].earlier |= bit;
    }
    all |= bit;
    if (p_.snapshot_gathered) {  // each row at a moment of its own; first updater wins still asks one
      if (plan.moments.size() + at_snapshot_.size() + 4 > kMaxMoments) plan.too_large = true;
      std::vector<Moment> rows;
      for (Check& check : at_snapshot_) {
        rows.push_back({Moment::Kind::kRead, t_, txn_.begin, latest, 0, {std::move(check)}});
      }
      at_snapshot_.clear();
      plan.moments.push_back({Moment::Kind::kSnapshot, t_, txn_.begin, latest});
      for (Moment& row : rows) {
        if (plan.too_large) break;
        all |= std::uint64_t{1} << plan.moments.size();
        plan.moments.push_back(std::move(row));
      }
    } else {
      plan.moments.push_back({Moment::Kind::kSnapshot, t_, txn_.begin, latest, 0, std::move(at_snapshot_)});
    }
  }
  if (counts_ && p_.certifier == Certifier::kSsi) {
    // The commit is counted at a moment of its own: after it shows and its locks are free, as was seen on 15.20.
    plan.moments.push_back({Moment::Kind::kPrepare, t_, last, committed, all});
  }
  const bool commits =
      counts_ && (!planned_.installs.empty() || !at_commit_.empty() || p_.certifier == Certifier::kSsi);
  if (commits || has_locks) {
    plan.moments.push_back(
        {counts_ ? Moment::Kind::kCommit : Moment::Kind::kRelease, t_, last, committed, all, std::move(at_commit_)});
  }
  planned_.counts = counts_;
  planned_.begin = txn_.begin;
  planned_.end = end;
  plan.txns.push_back(std::move(planned_));
}

bool TxnPlanner::plan(Plan& plan, StateTable& states, std::uint32_t& idle) {
  plan_ = &plan;
  states_ = &states;
  for (std::size_t a = 0; a < all_.size(); ++a) {
    if (plan.moments.size() + 4 > kMaxMoments) {
      plan.too_large = true;
      return true;
    }
    if (!all_[a].writes) {
      const Access& access = all_[a];
      const bool fits = access.look == Look::kNone        ? read(access)
                        : access.look == Look::kAggregate ? aggregate(access)
                                                          : look(access);
      if (!fits) return false;
      continue;
    }
    Idle may = may_be_idle(a);
    bool is_idle = false, by_latest = false;
    if (may != Idle::kNever) {
      is_idle = (idle & 1U) != 0;
      by_latest = bits(may) == 2 && (idle & 2U) != 0;
      idle >>= bits(may);
    }
    if (!own_[static_cast<std::size_t>(all_[a].key)].empty()) may = Idle::kNever;
    if (!write(all_[a], may, is_idle, by_latest)) return false;
  }
  finish(plan);
  return true;
}

bool counts(const Trace& trace, std::size_t t, std::uint32_t unknown) {
  const Status status = trace.txns[t].status;
  return status == Status::kCommitted || (status == Status::kUnknown && (unknown >> t & 1U) != 0);
}

}  // namespace

State StateTable::of(const DraftValue& value) {
  if (is_absent(value)) return kNullState;
  const auto at = std::find(contents_.begin(), contents_.end(), value);
  if (at != contents_.end()) return static_cast<State>(at - contents_.begin());
  contents_.push_back(value);
  return static_cast<State>(contents_.size() - 1);
}

State StateTable::apply(State before, const TraceOp& op) {
  if (op.kind == OpKind::kWrite || op.kind == OpKind::kUpdate) return of(op.value);
  if (before == kBroken) return kBroken;
  DraftValue after = contents_[static_cast<std::size_t>(before)];
  if (op.kind == OpKind::kAppend) {
    if (before == kNullState) after = DraftValue::of_list({});
    if (after.type != DraftValue::Type::kList) return kBroken;
    after.list.push_back(op.value.integer);
  } else {
    if (before == kNullState) after = DraftValue::of(0);
    if (after.type != DraftValue::Type::kInteger) return kBroken;
    after.integer += op.value.integer;
  }
  return of(after);
}

int idle_choices(const Trace& trace, const Profile& profile) {
  int n = 0;
  std::deque<TraceOp> made;
  // As if every unknown transaction counted; what a transaction does not use changes nothing.
  for (std::size_t t = 0; t < trace.txns.size(); ++t)
    n += TxnPlanner(trace, t, profile, counts(trace, t, ~0U), made).idle_choices();
  return n;
}

std::optional<Plan> plan(const Trace& trace, const Profile& profile, Choice choice, StateTable& states) {
  Plan result;
  for (std::size_t t = 0; t < trace.txns.size(); ++t) {
    TxnPlanner planner(trace, t, profile, counts(trace, t, choice.unknown), result.made);
    if (!planner.plan(result, states, choice.idle)) return std::nullopt;
    if (result.too_large) return result;
  }
  return result;
}

}  // namespace isolde::moments
