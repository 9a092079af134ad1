#include "check/mirror/key_look.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde::mirror {

KeyLook::KeyLook(Core& core, Taken& txn, TxnSlot slot, KeySlot key, const TakenLook& look,
                 const CompiledPredicate& condition)
    : Candidates(core, txn, slot, key), key_(key), look_(look), condition_(condition) {
  const ReadMoment& kept = txn.moments[look.moment];
  at_ = look.alone ? Moment{kept.lo, kept.hi, kNoNode, kNoTxnSlot} : core.now({kept.lo, kept.hi, kept.node, slot});
}

Match KeyLook::match_of(int v) {
  if (v == kBase && state_.has(kBaseUnknown)) return Match::kUnclear;
  if (v != kBase && version(v).has(kStepwise)) return Match::kUnclear;
  return core_.looks.match(condition_, state_, key_, value(v));
}

void KeyLook::add(int v) {
  const Match match = match_of(v);
  ++(match == Match::kYes ? yes_ : match == Match::kNo ? no_ : unclear_);
  seen_.push_back({v, match});
}

void KeyLook::gather() {
  if (state_.has(kLossy)) ++unclear_;
  if (core_.options.profile.reads == Reads::kCertified) return gather_certified();
  if (state_.has(kHasDeletes)) settle_deletes(core_, key_, at_.hi);
  if (std::any_of(versions_.begin(), versions_.end(), [](const Version& v) { return v.has(kStepwise); }))
    settle_steps(core_, key_, at_.hi);
  for (int v = kBase; v < static_cast<int>(versions_.size()); ++v) {
    if (may_be_seen(v)) add(v);
  }
}

// By timestamps: any committed version that had not been replaced before it began.
void KeyLook::gather_certified() {
  if (!state_.has(kBaseGone)) add(kBase);
  for (int v = 0; v < static_cast<int>(versions_.size()); ++v) {
    const Version& seen = version(v);
    if (seen.has(kInstalled | kMaybe) && !seen.has(kOverwritten) && !own(seen)) add(v);
  }
}

bool KeyLook::not_shown() {
  const bool certified = core_.options.profile.reads == Reads::kCertified;
  if (yes_ == 0 && unclear_ == 0) return trace();
  if (unclear_ > 0) return false;
  if (no_ == 0) {
    if (look_.moving && yes_ > 1) return false;  // a row that moves while it is looked for may never be met
    tell_missed();
    return true;
  }
  // Whoever is missing may have written what was seen.
  if (no_ > 1 || (look_.moving && yes_ > 1) || !core_.time.complete) return false;
  const auto seen = std::find_if(seen_.begin(), seen_.end(), [](const Seen& s) { return s.match == Match::kNo; });
  const int version = seen->version;
  // Whoever may have committed may still turn out to have.
  const bool settled = std::none_of(seen_.begin(), seen_.end(),
                                    [&](const Seen& s) { return s.version != kBase && is_maybe(s.version); });
  if (!certified && !take(version)) return true;
  return trace_one(version) && settled;
}

bool KeyLook::changed() {
  is_shown_ = true;
  if (unclear_ > 0) return false;
  if (yes_ == 0) tell_changed();
  if (yes_ != 1) return yes_ == 0 || no_ == 0;
  if (!core_.time.complete) return false;
  const auto seen = std::find_if(seen_.begin(), seen_.end(), [](const Seen& s) { return s.match == Match::kYes; });
  const int version = seen->version;
  if (core_.options.profile.reads != Reads::kCertified && !take(version)) return true;
  return trace_one(version);
}

bool KeyLook::take(int v) {
  if (v != kBase) {
    Version& seen = versions_[static_cast<std::size_t>(v)];
    if (seen.has(kMaybe)) count_unknown(core_, seen, at_.hi);
    if (seen.has(kDelete)) {  // who looked before did not count it
      state_.flags |= kOpen;
      txn_.left_open = true;
    }
    seen.flags &= ~kDelete;  // it was seen
    Moment commit = core_.commit_of(seen);
    if (!core_.before(commit, at_, Why::kWr, key_)) {
      tell_contradiction(seen, true);
      return false;
    }
  }
  for (int i = 0; i < v; ++i) {
    if (counts(version(i)) && !replaces(i, version(v))) state_.flags |= kOpen;
  }
  bool found_next = false;
  for (std::size_t i = static_cast<std::size_t>(v + 1); i < versions_.size(); ++i) {
    const Version& n = versions_[i];
    if (!counts(n)) continue;
    if (!replaces(v, n)) {
      if (n.lo <= at_.hi) state_.flags |= kOpen;  // before or after what was seen?
      continue;
    }
    if ((found_next && core_.ordered_by_locks()) || n.lo > at_.hi) break;
    found_next = true;
    Moment commit = core_.commit_of(n);
    if (!core_.before(at_, commit, Why::kRw, key_)) {
      tell_contradiction(n, false);
      return false;
    }
  }
  put_back();
  return true;
}

void KeyLook::put_back() {
  if (look_.alone) return;
  ReadMoment& kept = txn_.moments[look_.moment];
  kept.lo = at_.lo;
  kept.hi = at_.hi;
  kept.node = at_.node;
}

// The version that certainly comes next; kBase: none.
int KeyLook::after(int v) const {
  for (int n = v + 1; n < static_cast<int>(versions_.size()); ++n) {
    const Version& next = version(n);
    if (!next.has(kInstalled) || next.has(kDelete | kOverwritten) || !replaces(v, next)) continue;
    return is_next(core_, versions_, v, static_cast<std::size_t>(n)) ? n : kBase;
  }
  return kBase;
}

// The version that certainly comes just before; kBase: none, unless `is_base`.
int KeyLook::before(int v, bool& is_base) const {
  is_base = false;
  int last = kBase;
  for (int p = 0; p < v; ++p) {
    const Version& u = version(p);
    if (u.has(kInstalled) && !u.has(kDelete | kOverwritten) && replaces(p, version(v))) last = p;
  }
  if (last == kBase && (state_.has(kBaseGone | kBaseUnknown) || !replaces(kBase, version(v)))) return kBase;
  if (!is_next(core_, versions_, last, static_cast<std::size_t>(v))) return kBase;
  is_base = last == kBase;
  return last;
}

KeyLook::Run KeyLook::run_of(const Seen& seen) {
  Run run{kBase, seen.version, kBase};
  for (int n = after(run.last); n != kBase; n = after(run.last)) {
    const Match match = match_of(n);
    if (match == Match::kUnclear) break;
    if (match != seen.match) {
      run.next = n;
      break;
    }
    run.last = n;
  }
  if (run.next == kBase) run.last = kBase;  // nothing ends it: where it does does not matter
  for (int v = seen.version; v != kBase;) {
    bool is_base = false;
    const int earlier = before(v, is_base);
    if (earlier == kBase && !is_base) break;
    if (!is_base && own(version(earlier))) {  // it wrote that later: what follows it was seen for itself
      run.first = v;
      break;
    }
    const Match match = match_of(earlier);
    if (match == Match::kUnclear) break;
    if (match != seen.match) run.first = v;
    if (match != seen.match || is_base) break;
    v = earlier;
  }
  return run;
}

bool KeyLook::trace_one(int v) {
  seen_.assign(1, {v, match_of(v)});
  return trace();
}

bool KeyLook::trace() {
  const Certifier certifier = core_.options.profile.certifier;
  if (certifier == Certifier::kNone || seen_.empty() || versions_.empty()) return true;
  if (!core_.time.complete) return false;
  const Run run = run_of(seen_.front());
  for (const Seen& seen : seen_) {
    const Run other = run_of(seen);
    if (other.next != run.next || other.last != run.last) return false;
  }
  const bool one = seen_.size() == 1;
  // A version that may not be there, and does not have to.
  if (one && run.first != kBase && version(run.first).has(kMaybe)) return false;
  if (certifier == Certifier::kConflictCheck) return still_holds(run.next);
  return look_traced(core_, slot_, key_, one ? run.first : kBase, run.last, run.next);
}

// Certifier::kConflictCheck: what a transaction that writes has looked at matches as before at its commit.
bool KeyLook::still_holds(int next) {
  if (!txn_.wrote() || next == kBase || own(version(next))) return true;
  const Version& n = version(next);
  Moment mine = core_.now({0, 0, txn_.commit, kNoTxnSlot});
  Moment commit = core_.commit_of(n);
  if (core_.before(mine, commit, Why::kRw, key_)) return true;
  Found told = found(AnomalyKind::kG2);
  told.rule = "serialization certifier";
  told.txns.push_back(n.txn);
  told.version = n.value;
  told.text = fmt::format(
      "the {} `{}` looked at it before {} changed whether it matches, with a commit within {}, before its own, within "
      "{}",
      look_name(look_.kind), core_.text_of(look_.where), txn_text(core_, n.txn), window_text(commit.lo, commit.hi),
      window_text(mine.lo, mine.hi));
  told.steps = {{0, 1, StepType::kRw, told.key}};
  tell(core_, told);
  return true;
}

Found KeyLook::found(AnomalyKind kind) const {
  Found told{.kind = kind, .rule = "consistent read", .txns = {txn_.id}, .text = {}};
  told.key = state_.key;
  told.time = txn_.end;
  told.statement = look_.statement;
  return told;
}

void KeyLook::tell_missed() {
  Found told = found(AnomalyKind::kResultSetMismatch);
  int shown = seen_.front().version;
  for (const Seen& seen : seen_) {
    if (seen.version != kBase && counts(version(seen.version)) && core_.commit_of(version(seen.version)).hi < at_.lo)
      shown = seen.version;
  }
  told.version = value(shown);
  const bool settled = shown == kBase && !state_.has(kBaseInitial) && state_.base_txn != kNullFingerprint;
  const bool certain = shown != kBase && counts(version(shown)) && core_.commit_of(version(shown)).hi < at_.lo;
  if (settled || certain) {
    told.txns.push_back(settled ? state_.base_txn : version(shown).txn);
    told.steps = {{0, 1, StepType::kRw, told.key}, {1, 0, StepType::kRealtime}};
  }
  told.text = fmt::format("the {} `{}` missed it; {} that it can have seen within {} matches", look_name(look_.kind),
                          core_.text_of(look_.where), seen_.size() == 1 ? "the only version" : "every version",
                          window_text(at_.lo, at_.hi));
  tell(core_, told);
}

void KeyLook::tell_changed() {
  Found told = found(AnomalyKind::kResultSetMismatch);
  told.version = seen_.empty() ? kNullFingerprint : value(seen_.back().version);
  told.text = fmt::format("the update `{}` changed it; no version that it can have seen within {} matches",
                          core_.text_of(look_.where), window_text(at_.lo, at_.hi));
  tell(core_, told);
}

void KeyLook::tell_contradiction(const Version& v, bool from) {
  put_back();
  Found told = found(AnomalyKind::kGSingle);
  told.txns.push_back(v.txn);
  told.version = v.value;
  const Moment commit = core_.commit_of(v);
  told.text = fmt::format(
      "the {} `{}` {} it, so it came {} the commit of {}, within {}, and what else was read and locked leaves only {} "
      "for it",
      look_name(look_.kind), core_.text_of(look_.where), is_shown_ ? "showed" : "did not show",
      from ? "after" : "before", txn_text(core_, v.txn), window_text(commit.lo, commit.hi),
      window_text(at_.lo, at_.hi));
  told.steps = {from ? Found::Step{1, 0, StepType::kWr, told.key} : Found::Step{0, 1, StepType::kRw, told.key}};
  tell(core_, told);
}

}  // namespace isolde::mirror
