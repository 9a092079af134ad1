// check/mirror: appends, increments, and reads of what the transaction has changed itself.
#include "check/mirror/arrival_reader.h"

namespace isolde::mirror {

// What was there before its own appends and increments, by what it read after them.
void ArrivalReader::read_after_steps(KeySlot key, const TakenWrite& own, Fingerprint value, ValueId read_value,
                                     std::uint32_t moment, std::uint32_t op) {
  const Profile& profile = core_.options.profile;
  if (profile.reads == Reads::kDirty) return;
  txn_.left_open = true;  // also where a read says most of it: two who both changed what they found
  core_.keys[key].flags |= kOpen;
  if (profile.reads == Reads::kCertified) return;
  std::vector<Fingerprint> elements;
  std::int64_t number = is_integer(value) ? integer_of(value) : 0;
  bool fits = true;
  std::size_t appends = 0;
  for (std::uint32_t i = own.first_step; i != kNone32; i = txn_.steps[i].next) {
    const TakenStep& s = txn_.steps[i];
    if (s.appends) {
      ++appends;
      elements.push_back(s.value);
    } else if (is_integer(value) && is_integer(s.value)) {
      number -= integer_of(s.value);
    } else {
      fits = false;
    }
  }
  Fingerprint before = kNullFingerprint;
  if (appends > 0) {
    const auto list = h_.values().elements(read_value);
    fits = fits && list && list->size() >= appends;
    for (std::size_t i = 0; fits && i < list->size(); ++i) {
      const Fingerprint element = fingerprint_of(h_.values(), (*list)[i]);
      if (i + appends < list->size()) {
        before = appended(before, element);
      } else if (element != elements[i + appends - list->size()]) {
        fits = false;
      }
    }
  } else if (fits && is_integer(value)) {
    const auto fingerprint = exact_fingerprint(number);
    if (!fingerprint) return;
    before = *fingerprint;
  } else {
    fits = false;
  }
  if (!fits) return own_read_differs(key, value, value, op);
  // A counter that was absent counts as zero: which of the two it was is not told.
  if (appends == 0 && number == 0) return;
  const bool by_snapshot = moment == 0 && profile.first_updater_wins && profile.reads == Reads::kTransaction &&
                           !profile.locking_reads_see_latest;
  if (!by_snapshot && !profile.write_locks) return;
  if (!by_snapshot) {
    txn_.moments.push_back({own.lock_lo, own.lock_hi, kNoNode, 0});
    moment = static_cast<std::uint32_t>(txn_.moments.size() - 1);
    txn_.writes[core_.keys[key].own_at].lock_moment = moment;
  }
  txn_.reads.push_back({before, kNullFingerprint, key, moment, by_snapshot ? 0U : kNoDependency, kNoTxnSlot});
  ++txn_.moments[moment].rows;
}

void ArrivalReader::step(KeySlot key, const TakenStep& step, const Window& at) {
  KeyState& state = core_.keys[key];
  if (state.own == txn_.number && (txn_.writes[state.own_at].flags & kStepwise) == 0) {
    const auto after = after_step(txn_.writes[state.own_at].value, step);
    if (after && (txn_.writes[state.own_at].flags & kDelete) == 0) return write(key, *after, at, 0, 0);
    txn_.writes[state.own_at].flags |= kStepwise | kStateUnsure;
    return;
  }
  const auto place = static_cast<std::uint32_t>(txn_.steps.size());
  txn_.steps.push_back(step);
  if (state.own == txn_.number) {
    TakenWrite& own = txn_.writes[state.own_at];
    if (own.last_step != kNone32) txn_.steps[own.last_step].next = place;
    own.last_step = place;
    return;
  }
  write(key, step.value, at, kStepwise, 0);
  txn_.writes.back().first_step = txn_.writes.back().last_step = place;
}

// A write that changed nothing was a read of what stood there, at its moment.
void ArrivalReader::write_was_idle(KeySlot key, KeyState& state) {
  TakenWrite& own = txn_.writes[state.own_at];
  own.flags = kOverwritten;
  state.own = 0;
  const Profile& profile = core_.options.profile;
  if (profile.write_locks && own.value != kNullFingerprint) txn_.locks.push_back({own.lock_hi, key, 1, kNone32});
  if (profile.reads == Reads::kCertified) txn_.left_open = true;
  if (profile.reads == Reads::kDirty || profile.reads == Reads::kCertified) return;
  std::uint32_t moment = 0;
  if (profile.snapshot_at == SnapshotAt::kFirstRead || profile.reads != Reads::kTransaction ||
      !profile.first_updater_wins) {
    txn_.moments.push_back({txn_.begin, own.lock_hi, kNoNode, 0});
    moment = static_cast<std::uint32_t>(txn_.moments.size() - 1);
  }
  txn_.reads.push_back({own.value, kNullFingerprint, key, moment, kNoDependency, kNoTxnSlot});
  ++txn_.moments[moment].rows;
}

void ArrivalReader::own_read_differs(KeySlot key, Fingerprint read, Fingerprint own, std::uint32_t) {
  if (txn_.status != Status::kCommitted) return;
  Found found{.kind = AnomalyKind::kInternal, .rule = "consistent read", .txns = {txn_.id}, .text = {}};
  found.key = core_.keys[key].key;
  found.about_read = found.expects = true;
  found.read = read;
  found.expected = own;
  found.time = txn_.end;
  found.text = "it had itself written the expected value before";
  txn_.source.unsure = true;
  tell(core_, found);
}

}  // namespace isolde::mirror
