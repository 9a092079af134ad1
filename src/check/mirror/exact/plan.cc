#include "check/mirror/exact/plan.h"

#include <algorithm>

#include "check/mirror/moments.h"

namespace isolde::mirror {
namespace {

// A transaction's own changes of one key so far.
struct Own {
  bool sets = false;
  Fingerprint value = kNullFingerprint;
  std::vector<TakenStep> steps = {};
  std::int64_t sent = kAlways;

  [[nodiscard]] bool any() const { return sets || !steps.empty(); }
  void set(Fingerprint to) {
    sets = true;
    value = to;
    steps.clear();
  }
  void step(const TakenStep& step) {
    if (sets) {
      value = after_steps(value, {step});
    } else {
      steps.push_back(step);
    }
  }
};

class Planner {
 public:
  Planner(const PlanInput& input, const Script& script, Part part)
      : p_(input.profile), input_(input), s_(script), part_(part) {}

  [[nodiscard]] int key_of(Fingerprint key) const {
    const auto at = std::find(input_.keys.begin(), input_.keys.end(), key);
    return at == input_.keys.end() ? -1 : static_cast<int>(at - input_.keys.begin());
  }
  // InnoDB at REPEATABLE READ; nothing differs if the key is not read later.
  [[nodiscard]] bool may_be_idle(std::size_t a) const {
    const Act& act = s_.acts[a];
    if (act.kind != ActKind::kSet || key_of(act.key) < 0) return false;
    if (act.value == kNullFingerprint) return true;
    if (part_ != Part::kWhole || !same_value_is_idle()) return false;
    return std::any_of(s_.acts.begin() + static_cast<std::ptrdiff_t>(a) + 1, s_.acts.end(), [&](const Act& later) {
      return (later.kind == ActKind::kRead && later.key == act.key) ||
             (later.kind == ActKind::kRange && in_range(later, act.key));
    });
  }

  // Its bits of Way::idle.
  [[nodiscard]] int idle_bits(std::size_t a) const {
    if (!may_be_idle(a)) return 0;
    return whole() && s_.acts[a].value == kNullFingerprint && looks_at_either() ? 2 : 1;
  }

  std::optional<TxnPlan> plan(Way way) {
    way_ = way;
    counts_ = way.commits;
    for (std::size_t a = 0; a < s_.acts.size(); ++a) {
      if (!take(a) || way_is_double_) return std::nullopt;
      if (plan_.events.size() + 4 > kMostEvents) plan_.too_large = true;
      if (plan_.too_large) return std::move(plan_);
    }
    finish();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool whole() const { return part_ == Part::kWhole; }
  [[nodiscard]] bool same_value_is_idle() const {
    return p_.reads == Reads::kTransaction && p_.locking_reads_see_latest && !p_.first_updater_wins;
  }
  [[nodiscard]] bool by_snapshot() const { return p_.reads == Reads::kTransaction; }

  // False: what it read contradicts what it did itself.
  bool take(std::size_t a) {
    const Act& act = s_.acts[a];
    if (act.kind == ActKind::kRange) {
      for (std::size_t k = 0; k < input_.keys.size(); ++k) {
        if (in_range(act, input_.keys[k]) && !found_row(a, input_.keys[k]) && !read(act, k, kNullFingerprint))
          return false;
      }
      return true;
    }
    const bool may_miss = act.kind == ActKind::kSet && (act.value == kNullFingerprint || same_value_is_idle());
    if (s_.writes(act) && !may_miss) plan_.wrote = true;
    const int key = key_of(act.key);
    if (key < 0) return true;
    const auto k = static_cast<std::size_t>(key);
    if (act.kind == ActKind::kRead) return read(act, k, act.value);
    write(act, k, idle_bits(a));
    return true;
  }

  [[nodiscard]] bool found_row(std::size_t range, Fingerprint key) const {
    for (std::size_t a = range; a-- > 0 && s_.acts[a].place == s_.acts[range].place;) {
      if (s_.acts[a].key == key) return true;
    }
    return false;
  }

  Event& add(EventKind kind, const Act& act) {
    plan_.events.push_back({kind, act.lo, act.hi, act.place});
    return plan_.events.back();
  }

  void lock(const Act& act, std::size_t k, bool exclusive, std::optional<Check> check) {
    if (!whole() || (held_[k] && !check)) return;
    if (!counts_ && !act.timed) return;  // it may have failed
    held_[k] = held_[k] || exclusive;
    Event& e = add(EventKind::kLock, act);
    e.key = static_cast<std::uint8_t>(k);
    e.exclusive = exclusive;
    if (check) e.checks.push_back(*std::move(check));
  }

  // At a moment of the statement; `alone`: not at that of its other rows.
  void at_statement(const Act& act, Check check, bool alone) {
    if (p_.rows_since_begin) {  // or at any since the begin, whatever other statements saw
      Event& e = add(EventKind::kRead, act);
      e.lo = s_.at.begin;
      e.place = kNone32;
      e.checks.push_back(std::move(check));
      return;
    }
    if (alone || p_.reads != Reads::kStatement || p_.snapshot_gathered) {
      add(EventKind::kRead, act).checks.push_back(std::move(check));
      return;
    }
    if (shared_place_ != act.place) {
      shared_place_ = act.place;
      shared_ = plan_.events.size();
      add(EventKind::kRead, act);
    }
    plan_.events[shared_].checks.push_back(std::move(check));
  }

  [[nodiscard]] bool was_sent(const Act& act, Fingerprint key, Fingerprint value) const {
    if (input_.sent == nullptr) return true;
    return std::any_of(input_.sent->begin(), input_.sent->end(), [&](const Sent& sent) {
      return sent.key == key && (sent.value == value || sent.value == kAnyFingerprint) && sent.lo <= act.hi;
    });
  }

  // Whether some version of that value certainly had been sent by the answer. An unknown value (kAnyFingerprint) may be
  // any.
  [[nodiscard]] bool value_was_sent(const Act& act, Fingerprint key, Fingerprint value) const {
    bool sent = false;
    for (const Sent& one : *input_.sent) {
      if (one.key != key || one.by == s_.id) continue;
      if (one.value == kAnyFingerprint) return false;
      sent = sent || (one.value == value && one.lo <= act.hi);
    }
    return sent;
  }

  bool read(const Act& act, std::size_t k, Fingerprint value) {
    if (!whole()) return true;
    const Own& own = own_[k];
    const bool locks = act.lock != Lock::kNone || p_.read_locks;
    const bool takes_lock = locks && p_.write_locks && value != kNullFingerprint;
    const bool exclusive = act.lock == Lock::kUpdate;
    if (!counts_) {
      if (takes_lock && !own.any()) lock(act, k, exclusive, std::nullopt);
      return true;
    }
    if (own.sets) return own.value == value || own.value == kAnyFingerprint;
    Check check{static_cast<std::uint8_t>(k), false, true, value, own.steps};
    if (own.any()) {
      read_after_steps(std::move(check));
      return true;
    }
    if (p_.reads == Reads::kDirty || p_.reads == Reads::kCertified) {
      if (takes_lock) lock(act, k, exclusive, std::nullopt);
      if (p_.reads == Reads::kDirty) return was_sent(act, input_.keys[k], value);
      // Nobody sees what has not been sent. Where nobody had sent that value, the clocks are wrong.
      if (input_.sent != nullptr && value_was_sent(act, input_.keys[k], value)) check.answered = act.hi;
      plan_.certified.push_back(std::move(check));
      return true;
    }
    const bool taken = p_.snapshot_at != SnapshotAt::kFirstRead || act.place >= s_.read_place;
    if (by_snapshot() && taken && (!locks || !p_.locking_reads_see_latest)) {
      if (takes_lock) lock(act, k, exclusive, std::nullopt);
      at_snapshot_.push_back(std::move(check));
    } else if (takes_lock) {
      lock(act, k, exclusive, std::move(check));
    } else {
      at_statement(act, std::move(check), locks);
    }
    return true;
  }

  // Whether what a statement changes is what the snapshot has. Else nothing says whether it looks there, where the
  // snapshot may not have been taken yet, or at what is latest.
  [[nodiscard]] bool changes_snapshot() const {
    return p_.first_updater_wins && p_.snapshot_at != SnapshotAt::kFirstRead;
  }
  [[nodiscard]] bool looks_at_either() const {
    return by_snapshot() && !p_.locking_reads_see_latest && !changes_snapshot();
  }
  // Whether nothing says what an append or increment is made to: a lock, first updater wins, or a certifier, which
  // counts it as read, would.
  [[nodiscard]] bool steps_are_blind() const {
    if (p_.reads == Reads::kDirty) return true;
    if (p_.write_locks || changes_snapshot()) return false;
    return p_.certifier == Certifier::kNone || p_.certifier == Certifier::kSsi;
  }

  // What was there before its own appends and increments.
  void read_after_steps(Check check) {
    if (p_.reads == Reads::kDirty) return;
    if (p_.reads == Reads::kCertified) {
      plan_.certified.push_back(std::move(check));
    } else if (by_snapshot() && !p_.locking_reads_see_latest) {
      if (changes_snapshot()) at_snapshot_.push_back(std::move(check));
    } else if (!steps_are_blind()) {  // nobody has changed it since, or it would not commit
      check.depends = false;
      at_commit_.push_back(std::move(check));
    }
  }

  void write(const Act& act, std::size_t k, int idle_bits) {
    Own& own = own_[k];
    const bool deletes = act.kind == ActKind::kSet && act.value == kNullFingerprint;
    if (!counts_) {  // deletes: as if they had found nothing
      if (p_.write_locks && !deletes) lock(act, k, true, std::nullopt);
      return;
    }
    bool may_be_idle = idle_bits > 0;
    const bool idle = may_be_idle && (way_.idle & 1U) != 0;
    const bool by_latest = idle_bits == 2 && (way_.idle & 2U) != 0;
    way_.idle >>= idle_bits;
    if (by_latest && !idle) way_is_double_ = true;
    if (may_be_idle && own.any()) {  // it finds what it wrote itself
      way_is_double_ = way_is_double_ || idle;
      may_be_idle = false;
    }
    if (deletes && own.sets && own.value == kNullFingerprint) return;
    std::optional<Check> check;
    if (may_be_idle && !deletes && idle) {
      lock(act, k, true, Check{static_cast<std::uint8_t>(k), false, false, act.value});
      return;
    }
    if (may_be_idle && deletes && whole()) {
      Check look{static_cast<std::uint8_t>(k), !idle, false, kNullFingerprint};
      if (p_.reads == Reads::kDirty) {
      } else if (p_.reads == Reads::kCertified) {
        look.answered = act.hi;  // nobody sees what has not been sent
        if (idle) plan_.certified.push_back(std::move(look));
      } else if (by_snapshot() && !p_.locking_reads_see_latest) {
        if (idle && by_latest) {
          at_statement(act, std::move(look), true);
        } else if (idle || changes_snapshot()) {
          at_snapshot_.push_back(std::move(look));
        }
      } else if (idle) {
        at_statement(act, std::move(look), true);
      } else if (p_.write_locks) {
        check = std::move(look);
      }
    }
    if (may_be_idle && idle) return;
    if (p_.write_locks) lock(act, k, true, std::move(check));
    if (!own.sets || own.value != act.value) own.sent = act.lo;
    if (act.kind == ActKind::kAppend || act.kind == ActKind::kIncrement) {
      own.step({act.value, kNone32, act.kind == ActKind::kAppend});
    } else {
      own.set(act.value);
    }
  }

  // The latest moment of the snapshot.
  [[nodiscard]] std::int64_t snapshot_until(std::int64_t end, std::uint32_t& first) const {
    first = p_.snapshot_at == SnapshotAt::kFirstRead ? s_.read_place : 0;
    if (first >= s_.statements) return end;
    if (p_.snapshot_at == SnapshotAt::kFirstRead) return s_.first_read.hi;
    return p_.snapshot_at == SnapshotAt::kBegin && s_.first_timed ? s_.first.lo : s_.first.hi;
  }

  void finish() {
    for (std::size_t k = 0; k < input_.keys.size(); ++k) {
      if (!own_[k].sets && own_[k].any() && steps_are_blind()) own_[k].set(kAnyFingerprint);
      if (counts_ && own_[k].any())
        plan_.changes.push_back(
            {static_cast<std::uint8_t>(k), own_[k].sets, own_[k].value, own_[k].steps, own_[k].sent});
    }
    plan_.wrote = plan_.wrote || !plan_.changes.empty();
    plan_.counts = counts_;
    plan_.bound = counts_ && whole();
    plan_.begin = s_.at.begin;
    plan_.end = s_.status == Status::kUnknown ? s_.at.commit_hi : s_.at.end;  // not its commit: a place in an order
    if (!whole()) {
      if (!plan_.changes.empty()) add_end(EventKind::kCommit).optional = part_ == Part::kMaybeChanges;
      return;
    }
    std::uint64_t all = earlier_than(s_.statements);
    for (std::size_t i = 0; i < plan_.events.size(); ++i) {
      Event& e = plan_.events[i];
      e.before = e.place == kNone32 ? 0 : earlier_than(e.place);
      if (e.place == kNone32) all |= std::uint64_t{1} << i;
    }
    const bool certifies = counts_ && p_.certifier == Certifier::kSsi;
    if (counts_ && by_snapshot() &&
        (!at_snapshot_.empty() || certifies || (p_.first_updater_wins && !plan_.changes.empty())))
      add_snapshot(all);
    if (certifies) {
      add_end(EventKind::kCount).before = all;
    }
    const bool has_locks = std::any_of(plan_.events.begin(), plan_.events.end(),
                                       [](const Event& e) { return e.kind == EventKind::kLock; });
    if ((counts_ && (!plan_.changes.empty() || !at_commit_.empty() || certifies)) || has_locks) {
      Event& e = add_end(counts_ ? EventKind::kCommit : EventKind::kRelease);
      e.before = all;
      e.checks = std::move(at_commit_);
    }
    plan_.too_large = plan_.events.size() > kMostEvents;
  }

  Event& add_end(EventKind kind) {
    plan_.events.push_back({kind, s_.at.commit_lo, s_.at.commit_hi, s_.statements});
    return plan_.events.back();
  }

  void add_snapshot(std::uint64_t& all) {
    std::uint32_t first = 0;
    const std::int64_t until = snapshot_until(s_.at.commit_hi, first);
    if (plan_.events.size() + at_snapshot_.size() + 4 > kMostEvents) {
      plan_.too_large = true;
      return;
    }
    const auto bit = std::uint64_t{1} << plan_.events.size();
    for (Event& e : plan_.events) {
      if (e.place >= first) e.before |= bit;
    }
    all |= bit;
    plan_.events.push_back({EventKind::kSnapshot, s_.at.begin, until});
    if (!p_.snapshot_gathered) {
      plan_.events.back().checks = std::move(at_snapshot_);
      return;
    }
    for (Check& check : at_snapshot_) {  // each row at a moment of its own
      all |= std::uint64_t{1} << plan_.events.size();
      plan_.events.push_back({EventKind::kRead, s_.at.begin, until});
      plan_.events.back().checks.push_back(std::move(check));
    }
  }

  [[nodiscard]] std::uint64_t earlier_than(std::uint32_t place) const {
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < plan_.events.size(); ++i) {
      if (plan_.events[i].place < place) mask |= std::uint64_t{1} << i;
    }
    return mask;
  }

  const Mechanisms& p_;
  const PlanInput& input_;
  const Script& s_;
  const Part part_;
  Way way_{};
  bool counts_ = false;
  bool way_is_double_ = false;  // another way says the same
  TxnPlan plan_;
  std::array<Own, kMostExactKeys> own_{};
  std::array<bool, kMostExactKeys> held_{};  // exclusively
  std::vector<Check> at_snapshot_, at_commit_;
  std::uint32_t shared_place_ = kNone32;
  std::size_t shared_ = 0;
};

}  // namespace

Fingerprint after_steps(Fingerprint state, const std::vector<TakenStep>& steps) {
  for (const TakenStep& step : steps) {
    if (state == kAnyFingerprint) return kAnyFingerprint;
    state = after_step(state, step).value_or(kAnyFingerprint);
  }
  return state;
}

int idle_choices(const PlanInput& input, const Script& script, Part part) {
  const Planner planner(input, script, part);
  int n = 0;
  for (std::size_t a = 0; a < script.acts.size(); ++a) n += planner.idle_bits(a);
  return n;
}

std::optional<TxnPlan> plan_of(const PlanInput& input, const Script& script, Part part, Way way) {
  return Planner(input, script, part).plan(way);
}

}  // namespace isolde::mirror
