// check/mirror: predicate operations, judged with their transaction: every key that is known, as of the operation's
// moment (predicate_looks.h says why).
//
// Most keys have one version, settled long ago: an evaluation says whether it was missed. Only keys with versions in
// motion are looked at closely (key_look.h). Where the condition confines the key to a range of integers that is
// narrower than the table, only those are looked up.
#include <algorithm>

#include "check/mirror/key_look.h"
#include "check/mirror/look_aggregates.h"

namespace isolde::mirror {
namespace {

class LookAtKeys {
 public:
  LookAtKeys(Core& core, Taken& txn, TxnSlot slot, const TakenLook& look)
      : core_(core), txn_(txn), slot_(slot), look_(look), open_(look.open || core.gave_up_keys) {}

  void run() {
    condition_ = core_.looks.condition(look_.where);
    const bool whole = look_.kind != LookKind::kAggregate || !open_;  // a sum needs all of it
    if (condition_ == nullptr || is_untimed() || !whole || !find_range()) {
      ++core_.counts.unchecked;
      return;
    }
    if (look_.kind == LookKind::kAggregate) {
      AggregateLook sum(core_, txn_, slot_, look_, *condition_);
      for_each_key([&](KeySlot key) { sum.add(key, row_of(key)); });
      open_ = !sum.judge() || open_;
    } else {
      for_each_key([&](KeySlot key) { at_key(key); });
    }
    if (open_) ++core_.counts.unchecked;
  }

 private:
  // Reads have no moment: a version that does not match, and may have been seen, may still come.
  [[nodiscard]] bool is_untimed() const {
    const Profile& profile = core_.options.profile;
    return profile.reads == Reads::kCertified && profile.certifier != Certifier::kTimestampOrder;
  }

  // False: all of it would cost too much.
  bool find_range() {
    Looks& looks = core_.looks;
    low_ = 0;
    high_ = -1;
    std::int64_t cost = core_.keys.slots();
    for (const PredicateRange& range : condition_->ranges()) {
      if (range.subject != PredicateRange::Subject::kKey || !range.low || !range.high) continue;
      if (range.low->kind != ScalarKind::kInteger || range.high->kind != ScalarKind::kInteger) continue;
      const std::int64_t low = range.low->integer, high = range.high->integer;
      if (low > high) {
        ranged_ = true;
        cost = 0;
      } else if (const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
                 width < static_cast<std::uint64_t>(cost)) {
        ranged_ = true;
        low_ = low;
        high_ = high;
        cost = static_cast<std::int64_t>(width) + 1;
      }
    }
    looks.credit = std::min(looks.credit + Looks::kCreditALook, Looks::kMostCredit);
    if (looks.credit < cost) return false;
    looks.credit -= cost;
    return true;
  }

  template <typename F>
  void for_each_key(F&& f) {
    if (!ranged_) {
      for (KeySlot key = 0; key < core_.keys.slots(); ++key) {
        if (core_.keys[key].live && is_real(key)) at(key, f);
      }
      return;
    }
    for (std::int64_t k = low_; k <= high_; ++k) {
      const auto fingerprint = exact_fingerprint(k);
      const KeySlot key = fingerprint ? core_.keys.find(*fingerprint) : kNoKeySlot;
      if (key != kNoKeySlot && is_real(key)) at(key, f);
      if (k == high_) break;  // which may be the last number there is
    }
  }

  template <typename F>
  void at(KeySlot key, F&& f) {
    f(key);
    if (core_.keys[key].has(kOpen)) txn_.left_open = true;
  }

  bool is_real(KeySlot key) {
    if (core_.looks.header.empty()) return true;
    const HeaderKeys::Real real = core_.looks.header.is_real(core_.keys[key].key);
    if (real == HeaderKeys::Real::kUnclear && match_of_base(key) != Match::kNo) open_ = true;
    return real == HeaderKeys::Real::kYes;
  }

  [[nodiscard]] Match match_of_base(KeySlot key) {
    const KeyState& state = core_.keys[key];
    return core_.looks.match(*condition_, state, key, state.base);
  }

  [[nodiscard]] const LookRow* row_of(KeySlot key) const {
    const auto first = txn_.look_rows.begin() + look_.first_row;
    const auto end = first + look_.rows;
    const auto at = std::lower_bound(first, end, key, [](const LookRow& row, KeySlot k) { return row.key < k; });
    return at != end && at->key == key ? &*at : nullptr;
  }

  void at_key(KeySlot key) {
    const KeyState& state = core_.keys[key];
    const LookRow* const row = row_of(key);
    if (row != nullptr && (row->own != 0 || look_.kind == LookKind::kScan)) return;
    const bool settled = state.count == 0 && !state.has(kLossy | kBaseUnknown | kBaseGone);
    if (settled && row == nullptr) {
      const Match match = match_of_base(key);
      if (match == Match::kNo) return;
      if (match == Match::kUnclear) {
        open_ = true;
        return;
      }
    }
    // Whatever was ever written may be seen: only what was never there is wrong.
    if (core_.options.profile.reads == Reads::kDirty) {
      open_ = open_ || !may_be_dirty(key, row == nullptr ? Match::kNo : Match::kYes);
      return;
    }
    KeyLook close(core_, txn_, slot_, key, look_, *condition_);
    close.gather();
    const bool closed = row == nullptr ? close.not_shown() : close.changed();
    open_ = open_ || !closed;
  }

  // Whether some version that was ever written matches as it should.
  [[nodiscard]] bool may_be_dirty(KeySlot key, Match wanted) {
    const KeyState& state = core_.keys[key];
    if (!state.has(kBaseGone | kBaseUnknown) && match_of_base(key) == wanted) return true;
    const auto versions = core_.keys.versions(key);
    return std::any_of(versions.begin(), versions.end(), [&](const Version& v) {
      const bool own = v.slot == slot_ && v.txn == txn_.id;
      return !own && !v.has(kStepwise) && was_sent(v, key) &&
             core_.looks.match(*condition_, state, key, v.value) == wanted;
    });
  }
  // Whether the version can have been written by the end of the statement.
  [[nodiscard]] bool was_sent(const Version& v, KeySlot key) const {
    const Taken& writer = core_.txns[v.slot];
    if (!writer.live || writer.id != v.txn) return true;
    // Of a key that was written twice only the first write's interval is kept.
    const bool twice = std::any_of(writer.writes.begin(), writer.writes.end(), [&](const TakenWrite& write) {
      return write.key == key && (write.flags & kOverwritten) != 0;
    });
    const std::int64_t hi = txn_.moments[look_.moment].hi;
    return std::any_of(writer.writes.begin(), writer.writes.end(), [&](const TakenWrite& write) {
      return write.key == key && write.value == v.value && (twice ? writer.end : write.lock_lo) <= hi;
    });
  }

  Core& core_;
  Taken& txn_;
  const TxnSlot slot_;
  const TakenLook look_;
  const CompiledPredicate* condition_ = nullptr;
  bool open_;
  bool ranged_ = false;
  std::int64_t low_ = 0, high_ = -1;
};

}  // namespace

void check_looks(Core& core, Taken& txn, TxnSlot slot) {
  if (!txn.counts) {  // it may still turn out to have committed
    if (txn.status == Status::kUnknown) core.counts.unchecked += txn.looks.size();
    return;
  }
  for (std::size_t i = 0; i < txn.looks.size(); ++i) LookAtKeys(core, txn, slot, txn.looks[i]).run();
}

}  // namespace isolde::mirror
