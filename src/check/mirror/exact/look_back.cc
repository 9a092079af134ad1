// check/mirror: what the rules leave open is tried out where it is small: a transaction that was judged, with those
// around it that share keys.
//
// Always:  every transaction that can have changed one of the keys since the state they start from is in the group.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "check/mirror/core.h"
#include "check/mirror/exact/group.h"

namespace isolde::mirror {
namespace {

constexpr std::int64_t kMostSteps = std::int64_t{1} << 17;

bool is_past(const Script& script, std::int64_t cut) {
  return script.status != Status::kUnknown && script.at.commit_hi <= cut;
}

bool writes_key(const Script& script, Fingerprint key) {
  return script.status != Status::kAborted && std::any_of(script.acts.begin(), script.acts.end(), [&](const Act& act) {
           return script.writes(act) && act.key == key;
         });
}

// Reads have no moment: which version was read may still come.
bool is_untimed(const Profile& profile) {
  return profile.reads == Reads::kCertified && profile.certifier != Certifier::kTimestampOrder;
}

bool touches_key(const Script& script, Fingerprint key) {
  return std::any_of(script.acts.begin(), script.acts.end(),
                     [&](const Act& act) { return act.kind == ActKind::kRange ? in_range(act, key) : act.key == key; });
}

class LookBack {
 public:
  LookBack(Core& core, std::uint32_t number, std::int64_t until, bool final) : core_(core), final_(final) {
    cut_ = core.recent.is_whole() ? kAlways : core.recent.cut();
    for (RecentTxn& txn : core.recent.unknown()) take(txn, true);
    for (RecentTxn& txn : core.recent.judged()) {
      if (txn.number == number) seed_ = pool_.size();
      take(txn, true);
    }
    for (const Core::Place& place : core.in_order) {
      if (place.time > until) break;
      Taken& txn = core.txns[place.slot];
      if (txn.number == place.number && !txn.judged) take(txn.source, false);
    }
  }

  [[nodiscard]] std::int64_t cost() const { return static_cast<std::int64_t>(looked_ / 16 + pool_.size()); }

  // kTooLarge: nothing is said.
  Answer run(std::int64_t& steps) {
    if (seed_ >= pool_.size() || pool_[seed_].part != Part::kWhole) return Answer::kPossible;
    if (!choose_keys()) return Answer::kTooLarge;
    if (group_.keys.empty()) return Answer::kPossible;
    if (!choose_members()) return Answer::kTooLarge;
    for (const Fingerprint key : group_.keys) group_.start.push_back(start_of(key));
    if (core_.options.profile.reads == Reads::kDirty) gather_sent();
    return explain(group_, core_.options.profile, steps);
  }

  void tell_impossible() {
    reduce(group_, core_.options.profile);
    Found found{
        .kind = AnomalyKind::kNoOrder, .rule = broken_rule(group_, core_.options.profile), .txns = {}, .text = {}};
    const Script& seed = *pool_[seed_].script;
    for (std::size_t i = group_.members.size(); i-- > 0;) {
      if (group_.members[i].part == Part::kWhole) found.txns.push_back(group_.members[i].script->id);
    }
    if (found.txns.empty()) found.txns.push_back(seed.id);
    found.about_key = group_.keys.size() == 1;
    found.key = group_.keys.front();
    found.time = seed.at.end;
    found.text =
        "no order of these transactions' snapshots, statements, locks and commits within their intervals gives "
        "what they read";
    tell(core_, found);
  }

  // Whether all was asked, from what the keys held at first: else much is possible that is not. Of predicates only the
  // rows are asked that they returned or changed.
  [[nodiscard]] bool asked_all() const {
    if (seed_ < pool_.size() && pool_[seed_].script->looks) return false;
    const auto looks = [](const Member& m) { return m.part == Part::kWhole && m.script->looks; };
    return std::find(group_.start.begin(), group_.start.end(), kAnyFingerprint) == group_.start.end() &&
           std::none_of(group_.members.begin(), group_.members.end(), looks);
  }

  // Those that were asked in full, with all of their keys.
  void note_covered(std::unordered_set<std::uint32_t>& covered) const {
    if (!all_keys_) return;
    for (const Member& member : group_.members) {
      if (member.part == Part::kWhole) covered.insert(member.script->number);
    }
  }

 private:
  void take(RecentTxn& txn, bool judged) {
    const Script& script = txn.acts();
    looked_ += script.acts.size();
    pool_.push_back({&script, judged && !txn.unsure ? Part::kWhole : Part::kMaybeChanges});
  }

  bool add_key(Fingerprint key) {
    if (std::find(group_.keys.begin(), group_.keys.end(), key) != group_.keys.end()) return false;
    group_.keys.push_back(key);
    return true;
  }
  [[nodiscard]] bool is_written(Fingerprint key) const {
    return std::any_of(pool_.begin(), pool_.end(), [&](const Member& m) { return writes_key(*m.script, key); });
  }

  // Adds the keys of a transaction; `written`: those that somebody here writes.
  void add_keys(const Script& script, bool written) {
    for (const Act& act : script.acts) {
      if (group_.keys.size() > kMostExactKeys) return;
      if (act.kind != ActKind::kRange) {
        if (!written || is_written(act.key)) add_key(act.key);
        continue;
      }
      for (const Member& m : pool_) {
        for (const Act& other : m.script->acts) {
          if (m.script->writes(other) && in_range(act, other.key)) add_key(other.key);
        }
      }
    }
  }

  // All keys that hang together with the seed's, if they are few; else all that are written; else the seed's own.
  bool choose_keys() {
    for (const bool written : {false, true}) {
      group_.keys.clear();
      add_keys(*pool_[seed_].script, written);
      for (std::size_t done = 0; done != group_.keys.size() && group_.keys.size() <= kMostExactKeys;) {
        done = group_.keys.size();
        for (const Member& m : pool_) {
          const bool touches = std::any_of(group_.keys.begin(), group_.keys.end(),
                                           [&](Fingerprint key) { return touches_key(*m.script, key); });
          if (touches) add_keys(*m.script, written);
        }
      }
      all_keys_ = group_.keys.size() <= kMostExactKeys;
      if (all_keys_) return true;
    }
    group_.keys.clear();
    add_keys(*pool_[seed_].script, true);
    return group_.keys.size() <= kMostExactKeys;
  }

  [[nodiscard]] bool writes_any(const Script& script) const {
    return std::any_of(group_.keys.begin(), group_.keys.end(),
                       [&](Fingerprint key) { return writes_key(script, key); });
  }

  // All writers of the keys since the cut, and whoever reads them while there is room. False: too many.
  bool choose_members() {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      const Script& script = *pool_[i].script;
      const bool touches = std::any_of(group_.keys.begin(), group_.keys.end(),
                                       [&](Fingerprint key) { return touches_key(script, key); });
      if (!touches || is_past(script, cut_)) continue;
      all.push_back(i);
    }
    if (all.size() > kMostExactTxns) {
      all_keys_ = false;
      const std::int64_t seed_begin = pool_[seed_].script->at.begin;
      if (later_cut(all) >= seed_begin) drop_readers(all);
      if (all.size() > kMostExactTxns) cut_ = later_cut(all);
      std::erase_if(all, [&](std::size_t i) { return is_past(*pool_[i].script, cut_); });
    }
    if (all.size() > kMostExactTxns || pool_[seed_].script->at.begin <= cut_) return false;
    for (const std::size_t i : all) {
      const Part part = part_of(pool_[i]);
      if (part == Part::kMaybeChanges && pool_[i].script->at.commit_lo <= cut_) {
        split(*pool_[i].script);
      } else {
        group_.members.push_back({pool_[i].script, part});
      }
    }
    return true;
  }

  // Who may have committed before the cut: what the keys hold there may count one of its changes and not another.
  void split(const Script& script) {
    for (const Fingerprint key : group_.keys) {
      if (!writes_key(script, key)) continue;
      Script& piece = pieces_.emplace_back(script);
      std::erase_if(piece.acts, [&](const Act& act) { return act.key != key || !script.writes(act); });
      group_.members.push_back({&piece, Part::kMaybeChanges});
    }
  }

  void drop_readers(std::vector<std::size_t>& all) const {
    const std::int64_t begin = pool_[seed_].script->at.begin;
    for (const bool any : {false, true}) {  // those that were over first
      for (std::size_t i = 0; i < all.size() && all.size() > kMostExactTxns;) {
        const Script& script = *pool_[all[i]].script;
        const bool drop = all[i] != seed_ && !writes_any(script) && (any || script.at.end < begin);
        if (drop) {
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
      }
    }
  }

  // After those that were over first.
  [[nodiscard]] std::int64_t later_cut(const std::vector<std::size_t>& all) const {
    std::vector<std::int64_t> ends;
    for (const std::size_t i : all) {
      if (pool_[i].script->status != Status::kUnknown) ends.push_back(pool_[i].script->at.commit_hi);
    }
    std::sort(ends.begin(), ends.end());
    const std::size_t over = all.size() - kMostExactTxns;
    return over <= ends.size() ? std::max(cut_, ends[over - 1]) : kNever;
  }

  [[nodiscard]] Part part_of(const Member& member) const {
    const Script& script = *member.script;
    if (member.part != Part::kWhole || script.at.begin > cut_) return member.part;
    return script.at.commit_lo > cut_ && script.status == Status::kCommitted ? Part::kChanges : Part::kMaybeChanges;
  }

  // What the key holds at the cut, if nobody who is asked has changed it by then.
  [[nodiscard]] Fingerprint start_of(Fingerprint key) const {
    const Member* last = nullptr;
    for (const Member& m : pool_) {
      if (!is_past(*m.script, cut_) || !writes_key(*m.script, key)) continue;
      if (last == nullptr || last->script->at.commit_lo < m.script->at.commit_lo) last = &m;
    }
    if (last != nullptr) return left_by(*last, key);
    return core_.recent.is_whole() ? initial_of(key) : settled_of(key);
  }

  [[nodiscard]] Fingerprint left_by(const Member& last, Fingerprint key) const {
    const Script& script = *last.script;
    if (last.part != Part::kWhole || script.status != Status::kCommitted) return kAnyFingerprint;
    if (!core_.recent.is_whole() && script.at.commit_lo <= core_.recent.cut()) return kAnyFingerprint;
    for (const Member& m : pool_) {
      if (m.script == &script || !is_past(*m.script, cut_) || !writes_key(*m.script, key)) continue;
      if (m.script->at.commit_hi >= script.at.commit_lo) return kAnyFingerprint;
    }
    Fingerprint value = kAnyFingerprint;
    for (const Act& act : script.acts) {
      if (!script.writes(act) || act.key != key) continue;
      const bool sets = (act.kind == ActKind::kSet && act.value != kNullFingerprint) || act.kind == ActKind::kRow;
      value = sets ? act.value : kAnyFingerprint;
    }
    return value;
  }

  [[nodiscard]] Fingerprint initial_of(Fingerprint key) const {
    const KeySlot slot = core_.keys.find(key);
    if (slot != kNoKeySlot && core_.keys[slot].has(kBaseInitial)) return core_.keys[slot].base;
    if (const Fingerprint* told = core_.recent.initial(key)) return *told;
    return core_.recent.has_all_initials() ? core_.default_initial : kAnyFingerprint;
  }

  // Nobody here was over by the cut: the settled version, if whoever came after it is here.
  [[nodiscard]] Fingerprint settled_of(Fingerprint key) const {
    const KeySlot slot = core_.keys.find(key);
    if (slot == kNoKeySlot || !core_.recent.settled()) return kAnyFingerprint;
    const KeyState& state = core_.keys[slot];
    if (state.has(kBaseUnknown | kBaseGone | kLossy) || state.base_hi > cut_) return kAnyFingerprint;
    const auto is_here = [&](Fingerprint id) {
      return std::any_of(pool_.begin(), pool_.end(), [&](const Member& m) { return m.script->id == id; });
    };
    if (!state.has(kBaseInitial) && is_here(state.base_txn)) return kAnyFingerprint;
    for (const Version& v : core_.keys.versions(slot)) {
      if (v.has(kInstalled | kMaybe) && !is_here(v.txn)) return kAnyFingerprint;
    }
    return state.base;
  }

  void gather_sent() {
    group_.all_sent = final_ && core_.recent.is_whole();
    if (!group_.all_sent) return;
    for (std::size_t k = 0; k < group_.keys.size(); ++k)
      group_.sent.push_back({group_.keys[k], group_.start[k], kAlways});
    for (const Member& m : pool_) {
      for (const Act& act : m.script->acts) {
        if (!m.script->writes(act)) continue;
        const bool steps = act.kind == ActKind::kAppend || act.kind == ActKind::kIncrement;
        group_.sent.push_back({act.key, steps ? kAnyFingerprint : act.value, act.lo});
      }
    }
  }

  Core& core_;
  const bool final_;
  std::int64_t cut_ = kAlways;
  std::vector<Member> pool_;
  std::size_t seed_ = static_cast<std::size_t>(-1);
  std::size_t looked_ = 0;
  bool all_keys_ = false;
  std::deque<Script> pieces_;
  Group group_;
};

}  // namespace

void look_back(Core& core, TxnSlot slot, bool open) {
  const Taken& txn = core.txns[slot];
  core.counts.unsearched += core.recent.take_let_go();
  const auto leave = [&](bool count) {
    if (count) ++core.counts.unsearched;
  };
  if (core.columns.on || core.recent.lost()) return leave(open);
  // Whoever is missing may be what decides, also where the rules see nothing open. (Once, whoever shares the keys.)
  if (!core.time.complete) {
    leave(core.share.is_all());
    return core.recent.forget(std::max(core.last_end, core.time.watermark));
  }
  const Profile& profile = core.options.profile;
  if (is_untimed(profile)) {
    if (open) core.recent.wait();
    return;
  }
  const bool spare = core.recent.spare > Recent::kMostSpare / 2;
  if (!spare && (!open || core.credit < 0)) return leave(open);
  LookBack back(core, txn.number, txn.end, false);
  std::int64_t steps = kMostSteps;
  const Answer answer = back.run(steps);
  (spare ? core.recent.spare : core.credit) -= kMostSteps - steps + back.cost();
  if (answer == Answer::kImpossible) return back.tell_impossible();
  const bool cut_off = txn.begin <= core.recent.forgotten();
  leave(answer == Answer::kTooLarge ? open || cut_off : open && !back.asked_all());
}

void look_back_at_all(Core& core) {
  const Profile& profile = core.options.profile;
  core.counts.unsearched += core.recent.take_let_go();
  if (profile.reads != Reads::kDirty && !is_untimed(profile)) return;
  if (core.columns.on || core.recent.lost() || !core.time.complete) {
    for (const RecentTxn& txn : core.recent.judged()) core.counts.unsearched += txn.waits ? 1 : 0;
    return;
  }
  std::unordered_set<std::uint32_t> covered;
  std::vector<std::uint32_t> numbers;
  for (const RecentTxn& txn : core.recent.judged()) numbers.push_back(txn.number);
  for (auto at = numbers.rbegin(); at != numbers.rend(); ++at) {
    if (covered.contains(*at)) continue;
    LookBack back(core, *at, kNever, true);
    std::int64_t steps = kMostSteps;
    const Answer answer = back.run(steps);
    if (answer == Answer::kTooLarge) ++core.counts.unsearched;
    if (answer == Answer::kImpossible) back.tell_impossible();
    back.note_covered(covered);
  }
}

}  // namespace isolde::mirror
