// check/mirror: consistent read: what was read had been committed, and nothing newer had, at the moment of the read.
//
// Candidate versions of a read are those with its value that can have been the latest at its moment. None: a violation.
// One: its commit comes before the moment, the moment before the commit of the next. Several: nothing is forced yet.
#include <fmt/format.h>

#include <algorithm>

#include "check/mirror/candidates.h"
#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

class Reading : private Candidates {
 public:
  Reading(Core& core, Taken& txn, TxnSlot slot, TakenRead& read)
      : Candidates(core, txn, slot, read.key), read_(read), kept_(txn.moments[read.moment]) {
    at_ = core_.now({kept_.lo, kept_.hi, kept_.node, kept_.rows > 1 || read.moment == 0 ? slot : kNoTxnSlot, kept_.at});
  }

  void check() {
    if ((read_.flags & kPresence) != 0) return check_presence();
    if (state_.has(kLossy)) {
      read_.flags |= kRefused;
      return leave_open();
    }
    if (core_.options.profile.reads == Reads::kDirty)
      return was_ever_written(kInstalled | kMaybe | kAbortedWrite | kOverwritten);
    if (core_.options.profile.reads == Reads::kCertified) return certified();
    if (state_.has(kHasDeletes)) settle_deletes(core_, read_.key, at_.hi);
    read_.flags |= kLeftOpen;
    if (!states_known()) return leave_open();
    find_candidates();
    if (candidates_ > 1) return leave_open();
    read_.flags &= ~kLeftOpen;
    if (candidates_ == 0) return none();
    take();
  }

 private:
  // Which of its writers was seen the columns say; here only that there was a row at all.
  void check_presence() {
    read_.flags |= kRefused;
    if (state_.has(kLossy | kBaseUnknown)) return;
    bool always = state_.base == kPresentFingerprint;
    for (const Version& v : versions_) always = always && (v.value == kPresentFingerprint || v.has(kAbortedWrite));
    if (always) return;
    if (state_.has(kHasDeletes)) settle_deletes(core_, read_.key, at_.hi);
    if (!states_known()) return;
    find_candidates();
    if (candidates_ == 0) none();
  }

  void leave_open() {
    ++core_.counts.unchecked;
    state_.flags |= kOpen;
  }

  // Whether every list and counter state that it can have seen is known.
  bool states_known() {
    for (int round = 0; round < 2; ++round) {
      bool known = true;
      for (const Version& v : versions_) {
        if (v.has(kStepwise) && v.has(kInstalled | kMaybe) && v.lo <= at_.hi && !own(v)) known = false;
      }
      if (known) return true;
      if (round == 0) settle_steps(core_, read_.key, at_.hi);
    }
    return false;
  }

  // Reads may be dirty: only a value that nobody wrote is wrong, as far as all that was written is still held.
  void was_ever_written(std::uint32_t flags) {
    read_.flags |= kRefused;
    if (state_.base == read_.value && !state_.has(kBaseGone)) return;
    for (const Version& v : versions_) {
      if (v.value == read_.value && v.has(flags)) return;
    }
    wait_for_value();
  }

  void wait_for_value() {
    constexpr std::size_t kMostUnmet = 4096;
    if (state_.has(kBaseUnknown) || core_.written.full() || core_.unmet.size() >= kMostUnmet || !core_.time.complete) {
      return leave_open();
    }
    // What stood in a column at first is mostly not told.
    if (core_.columns.is_column(read_.key) && !core_.written.has(state_.key, kPresentFingerprint)) return leave_open();
    core_.unmet.push_back({txn_.id, state_.key, read_.value, at_.lo, at_.hi, txn_.end});
  }

  // Whether the write of a version had been sent when the read was answered. Of a key that its transaction wrote twice
  // only the first write's interval is kept.
  [[nodiscard]] Match was_sent(const Version& v) const {
    const Taken& writer = core_.txns[v.slot];
    if (!writer.live || writer.id != v.txn) return Match::kYes;
    bool sent = true, once = true;
    for (const TakenWrite& write : writer.writes) {
      if (write.key != read_.key) continue;
      once = once && (write.flags & kOverwritten) == 0;
      sent = sent && write.lock_lo <= at_.hi;
    }
    return !sent ? Match::kNo : once ? Match::kYes : Match::kUnclear;
  }

  // Any committed version will do that had been sent; which one it was the certifier needs to know. By timestamps one
  // that was sent later comes later; else only the clocks tell that.
  void certified() {
    const bool timed = core_.options.profile.certifier == Certifier::kTimestampOrder;
    int version = kBase;
    int matches = !state_.has(kBaseGone) && state_.base == read_.value ? 1 : 0;
    bool later = false;
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      const Version& v = versions_[i];
      if (v.value != read_.value || !v.has(kInstalled | kMaybe) || v.has(kOverwritten) || own(v)) continue;
      const Match sent = timed ? Match::kYes : was_sent(v);
      later = later || sent == Match::kNo;
      if (sent == Match::kNo) continue;
      matches += sent == Match::kYes ? 1 : 2;
      version = static_cast<int>(i);
    }
    if (matches == 0 && later) return leave_open();
    // By timestamps nobody sees what had been replaced before it began.
    if (matches == 0 && state_.has(kBaseUnknown)) return leave_open();
    if (matches == 0 && !timed) return wait_for_value();
    if (matches == 0) return none();
    if (matches > 1 || (state_.has(kDropped) && !timed)) return leave_open();
    if (version != kBase) {
      Version& v = versions_[static_cast<std::size_t>(version)];
      if (v.has(kMaybe)) count_unknown(core_, v, kNever);
      v.flags &= ~kDelete;
      read_.from = v.txn;
    } else {
      read_.from = state_.base_txn;
    }
    read_.flags |= kTraced;
    read_traced(core_, slot_, read_, version);
  }

  void find_candidates() {
    if (!state_.has(kBaseGone) && (state_.base == read_.value || state_.has(kBaseUnknown)) && !replaced(kBase)) {
      candidates_ = 1;
      candidate_ = kBase;
    }
    bool exact = candidates_ == 0 || state_.base == read_.value;
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      const Version& v = versions_[i];
      if (v.value != read_.value || !v.has(kInstalled | kMaybe) || v.has(kOverwritten) || own(v)) continue;
      if (v.lo > at_.hi || core_.commit_of(v).lo > at_.hi) continue;
      if (replaced(static_cast<int>(i))) continue;
      if (!exact) candidates_ = 0;  // a version with that very value comes before one that is not known
      exact = true;
      ++candidates_;
      candidate_ = static_cast<int>(i);
    }
  }

  void take() {
    if (candidate_ == kBase && state_.has(kBaseUnknown)) {
      ++core_.counts.unchecked;
      if (!core_.time.complete) return;
      state_.base = read_.value;
      state_.base_hi = at_.hi;
      state_.flags = static_cast<std::uint8_t>(state_.flags & ~kBaseUnknown);
    }
    read_.flags |= kTraced;
    ++core_.counts.dependencies;
    if (candidate_ == kBase) {
      read_.flags |= kFromBase;
      read_.from = state_.base_txn;
    } else {
      Version& v = versions_[static_cast<std::size_t>(candidate_)];
      if (v.has(kMaybe)) count_unknown(core_, v, at_.hi);
      if (v.has(kDelete)) state_.flags |= kOpen;  // who looked before did not count it
      v.flags &= ~kDelete;                        // it was seen
      read_.from = v.txn;
      read_.from_slot = v.slot;
      Moment commit = core_.commit_of(v);
      if (v.hi >= at_.lo) {
        ++core_.counts.overlapping;
        ++core_.counts.deduced;
      }
      if (!core_.before(commit, at_, Why::kWr, read_.key, &read_.value)) return contradiction(v, true);
    }
    for (int i = 0; i < candidate_; ++i) {
      const Version& u = versions_[static_cast<std::size_t>(i)];
      if (counts(u) && !replaces(i, versions_[static_cast<std::size_t>(candidate_)])) state_.flags |= kOpen;
    }
    // The next version comes after the read.
    bool found_next = false;
    for (std::size_t i = static_cast<std::size_t>(candidate_ + 1); i < versions_.size(); ++i) {
      const Version& n = versions_[i];
      if (!counts(n)) continue;
      if (!replaces(candidate_, n)) {
        if (n.lo <= at_.hi) state_.flags |= kOpen;  // before or after what was read?
        continue;
      }
      if (!found_next) {
        ++core_.counts.dependencies;
        if (n.lo <= at_.hi) {
          ++core_.counts.overlapping;
          ++core_.counts.deduced;
        }
      }
      if (found_next && core_.ordered_by_locks()) break;
      found_next = true;
      if (n.lo > at_.hi) break;
      Moment commit = core_.commit_of(n);
      if (!core_.before(at_, commit, Why::kRw, read_.key, &read_.value)) return contradiction(n, false);
    }
    put_back();
    if ((read_.flags & kNoDependency) != 0) return;
    if (core_.options.profile.certifier == Certifier::kConflictCheck && !still_latest()) return;
    read_traced(core_, slot_, read_, candidate_);
  }

  // Certifier::kConflictCheck: what a transaction that writes has read is the latest at its commit.
  bool still_latest() {
    if (!txn_.wrote()) return true;
    for (std::size_t i = static_cast<std::size_t>(candidate_ + 1); i < versions_.size(); ++i) {
      const Version& n = versions_[i];
      if (!counts(n)) continue;
      if (!replaces(candidate_, n)) {
        state_.flags |= kOpen;  // before or after what was read?
        continue;
      }
      Moment mine = core_.now({0, 0, txn_.commit, kNoTxnSlot});
      Moment commit = core_.commit_of(n);
      if (core_.before(mine, commit, Why::kRw, read_.key, &read_.value)) continue;
      Found found{
          .kind = AnomalyKind::kG2Item, .rule = "serialization certifier", .txns = {txn_.id, n.txn}, .text = {}};
      fill(found);
      found.text =
          fmt::format("{} replaced that with a commit within {}, before its own, within {}", txn_text(core_, n.txn),
                      window_text(commit.lo, commit.hi), window_text(mine.lo, mine.hi));
      found.steps = {{0, 1, StepType::kRw, found.key}};
      tell(core_, found);
      return false;
    }
    return true;
  }

  void put_back() {
    kept_.lo = at_.lo;
    kept_.hi = at_.hi;
    kept_.node = at_.node;
  }

  void fill(Found& found) const {
    found.key = state_.key;
    found.about_read = true;
    found.read = read_.value;
    found.time = txn_.end;
  }

  void contradiction(const Version& v, bool from) {
    put_back();
    read_.flags = (read_.flags & ~(kTraced | kFromBase)) | kRefused;
    Found found{.kind = AnomalyKind::kGSingle, .rule = "consistent read", .txns = {txn_.id, v.txn}, .text = {}};
    fill(found);
    const Moment commit = core_.commit_of(v);
    found.text =
        fmt::format("{} {} with a commit within {}, and what else was read and locked leaves only {} for the read",
                    txn_text(core_, v.txn), from ? "wrote that" : "replaced that", window_text(commit.lo, commit.hi),
                    window_text(at_.lo, at_.hi));
    if (from) {
      found.steps = {{1, 0, StepType::kWr, found.key}};
    } else {
      found.steps = {{0, 1, StepType::kRw, found.key}};
    }
    tell(core_, found);
  }

  // The one that should have been seen, for the message; null: none that is known.
  const Version* expect(Found& found) const {
    const Version* last = nullptr;
    for (const Version& v : versions_) {
      if (counts(v) && core_.commit_of(v).hi < at_.lo) last = &v;
    }
    if (last == nullptr && (state_.has(kBaseGone | kBaseUnknown))) return nullptr;
    found.expects = true;
    found.expected = last == nullptr ? state_.base : last->value;
    if (last != nullptr) found.txns.push_back(last->txn);
    return last;
  }

  void none() {
    read_.flags |= kRefused;
    Found found{.kind = AnomalyKind::kGarbageRead, .rule = "consistent read", .txns = {txn_.id}, .text = {}};
    fill(found);
    const std::string moment = window_text(at_.lo, at_.hi);
    const Version* match = nullptr;
    const Version* spoiled = nullptr;
    for (const Version& v : versions_) {
      if (v.value != read_.value) continue;
      if (v.has(kInstalled | kMaybe) && !v.has(kOverwritten)) {
        match = &v;
      } else {
        spoiled = &v;
      }
    }
    if (match != nullptr && own(*match)) {
      found.kind = AnomalyKind::kInternal;
      found.text = fmt::format("it writes that value itself, but later; it read within {}", moment);
    } else if (match != nullptr && match->lo > at_.hi) {
      found.kind = AnomalyKind::kGSIa;
      found.txns.push_back(match->txn);
      found.steps = {{1, 0, StepType::kWr, found.key}, {0, 1, StepType::kRealtime}};
      found.text = fmt::format("it read within {}, and {}, which wrote that, committed within {}", moment,
                               txn_text(core_, match->txn), window_text(match->lo, match->hi));
    } else if (match != nullptr || (state_.base == read_.value && !state_.has(kBaseUnknown))) {
      found.kind = AnomalyKind::kGSIb;
      if (match != nullptr) {
        found.txns.push_back(match->txn);
        found.steps = {{1, 0, StepType::kWr, found.key}};
      }
      const Version* const last = expect(found);
      if (last != nullptr && (match == nullptr || core_.commit_of(*match).hi < core_.commit_of(*last).lo)) {
        const auto place = static_cast<std::uint32_t>(found.txns.size() - 1);
        found.steps.push_back({0, place, StepType::kRw, found.key});
        found.steps.push_back({place, 0, StepType::kRealtime});
      }
      found.text = fmt::format("that had been replaced before it read, within {}", moment);
    } else if (spoiled != nullptr) {
      const bool aborted = spoiled->has(kAbortedWrite);
      found.kind = aborted ? AnomalyKind::kG1a : AnomalyKind::kG1b;
      found.txns.push_back(spoiled->txn);
      found.steps = {{1, 0, StepType::kWr, found.key}};
      found.text = fmt::format("{} wrote that and {}", txn_text(core_, spoiled->txn),
                               aborted ? "did not commit" : "overwrote it before it committed");
    } else {
      found.kind = state_.has(kDropped) ? AnomalyKind::kGSIb : AnomalyKind::kGarbageRead;
      // What it read is gone, or never was; who wrote what it should have read is known, and had committed.
      const Version* const last = expect(found);
      if (last == nullptr && found.expects && state_.base_txn != kNullFingerprint && state_.base_hi < at_.lo) {
        found.txns.push_back(state_.base_txn);
        found.steps = {{1, 0, StepType::kRealtime}};
      }
      found.text = state_.has(kDropped)
                       ? fmt::format(
                             "that is no version it can have seen within {}: it had long been replaced, or was "
                             "never written",
                             moment)
                       : fmt::format("nobody wrote that; it read within {}", moment);
    }
    tell(core_, found);
    if (!core_.time.complete) state_.flags |= kBaseUnknown;
  }

  TakenRead& read_;
  ReadMoment& kept_;
  int candidates_ = 0;
  int candidate_ = kBase;
};

}  // namespace

namespace {

// A scan of a range of keys read the absence of those that are known and not in its result.
void read_absences(Core& core, Taken& txn) {
  for (const TakenRange& range : txn.ranges) {
    const auto first = txn.range_keys.begin() + range.first_key;
    for (std::int64_t k = range.low; k <= range.high; ++k) {
      const auto fingerprint = exact_fingerprint(k);
      const KeySlot key = fingerprint && core.share.holds(*fingerprint) ? core.keys.find(*fingerprint) : kNoKeySlot;
      if (key == kNoKeySlot || std::find(first, first + range.keys, key) != first + range.keys) continue;
      core.keys[key].touched = std::max(core.keys[key].touched, txn.number);
      std::uint32_t moment = range.moment;
      if (range.alone != 0) {
        moment = static_cast<std::uint32_t>(txn.moments.size());
        const ReadMoment whole = txn.moments[range.moment];
        txn.moments.push_back({whole.lo, whole.hi, kNoNode, 0});
      }
      ++txn.moments[moment].rows;
      txn.reads.push_back({kNullFingerprint, kNullFingerprint, key, moment, 0, kNoTxnSlot});
    }
  }
}

}  // namespace

void tell_unmet(Core& core) {
  for (const UnmetRead& read : core.unmet) {
    // Appends and increments, whose states nothing says, may have come after it.
    const KeySlot slot = core.keys.find(read.key);
    if (core.written.full() || (slot != kNoKeySlot && core.keys[slot].has(kLossy))) {
      ++core.counts.unchecked;
      continue;
    }
    if (core.written.has(read.key, read.value)) continue;
    Found found{.kind = AnomalyKind::kGarbageRead, .rule = "consistent read", .txns = {read.txn}, .text = {}};
    found.key = read.key;
    found.about_read = true;
    found.read = read.value;
    found.time = read.end;
    found.text = fmt::format("nobody wrote that; it read within {}", window_text(read.lo, read.hi));
    tell(core, found);
  }
  core.unmet.clear();
}

namespace {

void count_version(Version& v, std::int64_t hi) {
  v.flags = (v.flags & ~kMaybe) | kInstalled;
  v.hi = std::min(v.hi, hi);
}

}  // namespace

void count_unknown(Core& core, Version& seen, std::int64_t hi) {
  const Taken& txn = core.txns[seen.slot];
  if (!txn.live || txn.id != seen.txn) return count_version(seen, hi);
  count_committed(core, seen.slot, hi);
}

void count_committed(Core& core, TxnSlot slot, std::int64_t hi) {
  Taken& txn = core.txns[slot];
  txn.counts = true;
  txn.commit_hi = std::min(txn.commit_hi, hi);
  for (const TakenWrite& write : txn.writes) {
    for (Version& v : core.keys.versions(write.key)) {
      if (v.slot == slot && v.txn == txn.id && v.has(kMaybe)) count_version(v, hi);
    }
  }
  if (core.summary == nullptr) return;
  txn.named_in = 0;
  share_txn(core, slot);
}

void check_reads(Core& core, Taken& txn, TxnSlot slot) {
  if (!txn.counts) return;
  read_absences(core, txn);
  for (TakenRead& read : txn.reads) Reading(core, txn, slot, read).check();
}

void check_open_reads(Core& core, Taken& txn, TxnSlot slot) {
  for (TakenRead& read : txn.reads) {
    if ((read.flags & kLeftOpen) == 0) continue;
    --core.counts.unchecked;
    Reading(core, txn, slot, read).check();
  }
}

}  // namespace isolde::mirror
