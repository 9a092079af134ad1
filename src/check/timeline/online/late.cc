// What comes when others that it has to do with have been judged, or are not held any more.
//
// A read is judged when its deadline is over. A writer that it should have seen may still come afterwards, and so may
// one that overlaps with a writer that has long been let go. Such a writer is compared with what the index still has of
// them, and with what was spilled: a writer's conflict is certain at once, a read that it breaks is judged once more
// when the late writer's own deadline is over, since another late one may explain it. Where nothing is left to compare
// with, that is counted as unchecked, and the verdict is undecided.
//
// A transaction that has to go for memory before its deadline is over takes its wrong reads with it into `postponed_`:
// with a spill they are judged in time, as if it were still held. Those that are right are spilled like others, so that
// a writer that breaks them finds them.
//
// Which reads are gone: KeyTimeline::dropped bounds those of a key, `released_until_` those of all. Writers that come
// in time are behind both, so nothing is looked up for them.
#include <fmt/format.h>

#include <algorithm>

#include "check/timeline/online/engine.h"

namespace isolde::timeline {
namespace {

// Wrong reads that wait for their deadline may take an eighth of the memory, and this much however small that is.
constexpr std::size_t kLeastPostponed = std::size_t{1} << 20;

}  // namespace

// Counted once a transaction.
void Online::could_not_compare(Lane& lane) {
  lane.was_late = true;
  lane.could_compare = false;
}

// NOCONFLICT of a writer that is not held any more: `late` was committed after its start.
void Online::check_released_conflict(Lane& lane, const KeyTimeline& key, const Entry& late, std::uint64_t later,
                                     std::int64_t commit, std::uint8_t order) {
  // Of the others the start is their commit, or is not known; who was placed by those who saw it has no commit.
  if (order != kCommitOrder || late.order == kPlacedWrite || later == late.writer) return;
  if (start_spill_ == nullptr) return could_not_compare(lane);
  const auto found = start_spill_->last_before(Fingerprint{later}, commit, 1);
  if (!start_spill_->good()) return could_not_compare(lane);
  if (!found || found->time != commit) return;  // it started after its commit, which was told
  const auto start = static_cast<std::int64_t>(found->state);
  if (late.time <= start) return;
  OnlineViolation v;
  v.kind = AnomalyKind::kGSIa;
  v.rule = "NOCONFLICT";
  v.transactions = {id_text(later), id_text(late.writer)};
  v.key = names_.text(key.key);
  v.text = fmt::format("{} started at {} and wrote {}, which {} had written too and committed at {}: they overlap.",
                       v.transactions[0], start, v.key, v.transactions[1], late.time);
  v.steps = {{1, 0, StepType::kWw, v.key}, {0, 1, StepType::kInvisible}};
  tell(std::move(v), later, key.key, {});
}

// Whether a version of one that is not held any more stands at the same place, so that nobody knows which is first.
bool Online::is_tied(const KeyTimeline& key, Place at) {
  const Entry& mine = at.entry();
  const auto same = [&](const Entry& e) { return e.time == mine.time && e.order == mine.order; };
  for (Place p = prev_of(at); p.valid() && same(p.entry()); p = prev_of(p)) {
    if (p.entry().is_write() && p.entry().writer != mine.writer) return true;
  }
  for (Place p = next_of(at); p.valid() && same(p.entry()); p = next_of(p)) {
    if (p.entry().is_write() && p.entry().writer != mine.writer) return true;
  }
  return key.base_time == mine.time && key.base_order == mine.order && key.base_writer != mine.writer;
}

void Online::breaks_spilled_read(Lane& lane, const KeyTimeline& key, const Entry& late, const SpilledVersion& read) {
  lane.broken.push_back({lane.order,
                         {late.txn,
                          keys_.find(key.key),
                          kNone32,
                          read.time,
                          read.writer,
                          Fingerprint{read.value},
                          read.order,
                          AnomalyKind::kGSIb,
                          {}}});
}

// Reads between the late write and the next version that are on disk only.
void Online::look_for_released_reads(Lane& lane, const KeyTimeline& key, const Entry& late, std::int64_t until,
                                     std::uint8_t until_order) {
  if (read_spill_ == nullptr) return could_not_compare(lane);
  const auto reads = read_spill_->behind(key.key, late.time, late.order, until, kMostCompared);
  if (!read_spill_->good() || reads.size() == kMostCompared) could_not_compare(lane);
  for (const SpilledVersion& read : reads) {
    if (!read.stands_before(until, until_order) || read.writer == late.writer) continue;
    if (read.kind != EntryKind::kRead || late.kind != EntryKind::kWrite) {
      could_not_compare(lane);
    } else if (!shows(late.behind(), Fingerprint{read.value})) {
      breaks_spilled_read(lane, key, late, read);
    }
  }
}

// The same where versions are on disk, too, as they are with the late write.
void Online::look_for_spilled_reads(Lane& lane, const KeyTimeline& key, const Entry& late, std::int64_t until,
                                    std::uint8_t until_order) {
  const auto reads = read_spill_->behind(key.key, late.time, late.order, until, kMostCompared);
  if (!read_spill_->good() || reads.size() == kMostCompared) could_not_compare(lane);
  for (const SpilledVersion& read : reads) {
    if (!read.stands_before(until, until_order) || read.writer == late.writer) continue;
    if (read.kind != EntryKind::kRead) {
      could_not_compare(lane);
      continue;
    }
    if (key.is_past(read.time, read.order)) {
      const auto version = spill_->last_before(key.key, read.time, read.order);
      if (version && shows({version->state, version->state_kind}, Fingerprint{read.value})) continue;
    }
    breaks_spilled_read(lane, key, late, read);
  }
}

// All that stands around it has left memory.
void Online::compare_with_spilled(Lane& lane, const KeyTimeline& key, const Entry& late) {
  const auto before = spill_->last_before(key.key, late.time, late.order);
  const auto around = spill_->behind(key.key, late.time - 1, kStartRead, kLatest, kMostCompared);
  if (!spill_->good()) return could_not_compare(lane);
  const SpilledVersion* after = nullptr;
  for (const SpilledVersion& v : around) {
    if (v.writer == late.writer || v.stands_before(late.time, late.order)) continue;
    if (v.time == late.time && v.order == late.order) return could_not_compare(lane);  // nobody knows which is first
    after = &v;
    break;
  }
  if (!serial_) {
    const TxnRecord& r = window_.at(late.txn);
    const bool overlaps = before && (r.flags & kHasStart) != 0 && before->time > r.start;
    if (overlaps && before->order != kPlacedWrite && before->writer != late.writer)
      report_conflict(r, key, before->writer, before->time);
    if (after != nullptr && (after->flags & kConflictTold) == 0)
      check_released_conflict(lane, key, late, after->writer, after->time, after->order);
  }
  // What is grown on top of it shows it, up to where it is overwritten.
  const auto end = std::find_if(around.begin(), around.end(), [&](const SpilledVersion& v) {
    return v.kind == EntryKind::kWrite && v.stands_behind(late.time, late.order);
  });
  const bool ends = end != around.end();
  look_for_spilled_reads(lane, key, late, ends ? end->time : kLatest, ends ? end->order : 0);
  if (late.time <= released_open_) could_not_compare(lane);
}

void Online::judge_broken(const Broken& b, bool postponed, const OwnTop* own, bool early) {
  const KeyTimeline& key = keys_.at(b.key);
  State state = key.base();
  std::uint64_t writer = key.base_writer;
  bool has_writer = key.base_time != kNoTime;
  bool known = (key.flags & (kOpenKey | kForgottenKey)) == 0;
  Place version = KeyIndex::last_before(key, b.time, b.order);
  while (version.valid() && !version.entry().is_write()) version = prev_of(version);
  if (version.valid()) {
    known = known && !is_tied(key, version);
    state = version.entry().behind();
    writer = version.entry().writer;
    has_writer = true;
  } else if (key.is_past(b.time, b.order)) {
    const auto found = spill_ == nullptr ? std::nullopt : spill_->last_before(key.key, b.time, b.order);
    known = known && spill_ != nullptr && spill_->good();
    state = found ? State{found->state, found->state_kind} : initial_of(key.key);
    writer = found ? found->writer : 0;
    has_writer = found.has_value();
  }
  const std::uint32_t reader = b.reader_txn;
  const Place at = reader == kNone32 ? Place{nullptr, 0} : KeyIndex::find_entry(key, b.time, b.order, reader);
  const bool right = own != nullptr ? shows(state, *own)
                     : at.valid()   ? is_right(at.entry(), state)
                                    : shows(state, b.value);
  if (right && state.kind != StateKind::kOpaque) return;
  known = known && (has_writer || postponed);
  if (!known || state.kind == StateKind::kOpaque || is_cloudy(key, b.value, state.rich() || own != nullptr)) {
    ++counts_.unchecked;
    return;
  }
  const std::string_view suspect = early ? "memory ran out before its deadline was over" : "";
  if (at.valid() && window_.holds(reader)) return report_read(reader, key, at, suspect);
  OnlineViolation v;
  v.kind = b.kind;
  v.rule = b.kind == AnomalyKind::kInternal ? "INT" : "EXT";
  v.transactions = {id_text(b.reader)};
  v.key = names_.text(key.key);
  v.read = names_.text(b.value);
  v.expected = state_text(own != nullptr ? with_own(state, *own) : state);
  v.text = fmt::format("{} read {} = {}, but at its {} {} the key held {}, {}.", v.transactions[0], v.key, v.read,
                       serial_ ? "place in commit order" : "snapshot", b.time, v.expected,
                       has_writer ? fmt::format("written by {}", id_text(writer)) : "its initial state");
  const bool names_writer = v.kind != AnomalyKind::kGarbageRead && v.kind != AnomalyKind::kInternal;
  if (has_writer && names_writer) v.transactions.push_back(id_text(writer));
  if (has_writer && !postponed) {
    v.steps = {{1, 0, serial_ ? StepType::kCommit : StepType::kVisible}, {0, 1, StepType::kRw, v.key}};
    v.text += fmt::format(" {} came when {} had been judged.", v.transactions[1], v.transactions[0]);
  }
  tell(std::move(v), b.reader, key.key, suspect);
}

// False: there is no room for it, or nothing that it could be judged by later.
bool Online::postpone(const Broken& read, Fingerprint key, std::int64_t arrived, const OwnTop* own) {
  if (spill_ == nullptr || postponed_bytes_ > std::max(kLeastPostponed, options_.memory_limit / 8)) return false;
  Postponed later{read, key, arrived + options_.deadline, own != nullptr, own == nullptr ? OwnTop{} : *own};
  later.read.reader_txn = kNone32;
  postponed_bytes_ += later.bytes();
  postponed_.push_back(std::move(later));
  return true;
}

// Those whose deadline is over by then.
void Online::judge_postponed(std::int64_t until) {
  while (!postponed_.empty() && postponed_.front().due <= until) {
    Postponed next = std::move(postponed_.front());
    postponed_.pop_front();
    postponed_bytes_ -= std::min(postponed_bytes_, next.bytes());
    next.read.key = key_number(next.key);
    judge_broken(next.read, true, next.on_own ? &next.top : nullptr, false);
  }
}

// For those that come later: what it read, and when it started.
void Online::spill_released(std::uint32_t txn) {
  const TxnRecord& r = window_.at(txn);
  if (r.commit == kNoTime || (r.flags & (kAborted | kUnknownOutcome)) != 0) return;
  if ((r.flags & kOpenPlace) != 0) released_open_ = std::max(released_open_, r.commit);
  released_until_ = std::max({released_until_, r.start, r.commit});
  if (spill_ == nullptr) return;
  Window::Held& held = window_.held(r);
  reserve_stamps(1);
  ++stamp_;
  bool writes = false;
  for_each_access(held.chunk->history, r.txn, [&](const Access& a) {
    const bool is_read = a.kind == OpKind::kRead;
    writes = writes || !is_read;
    const std::uint32_t number = held.key[raw(a.key)];
    if (number == kNone32) return;
    KeyTimeline& key = keys_.at(number);
    constexpr std::uint32_t kDone = 1, kHasOwn = 2;  // KeyTimeline::local
    const std::uint32_t known = key.stamp == stamp_ ? key.local : 0;
    key.stamp = stamp_;
    const bool grows = !is_read && a.kind != OpKind::kWrite;
    key.local = grows && known == 0 ? kHasOwn : grows ? known : kDone;
    if (!is_read || known == kDone || (r.flags & (kOpenPlace | kNoSnapshot)) != 0) return;
    read_spill_->add({raw64(key.key), r.start, 0, raw64(r.id), raw64(held.chunk->value(a.value)), r.read_order,
                      StateKind::kPlain, known == kHasOwn ? EntryKind::kReadOnOwn : EntryKind::kRead, 0, 0});
  });
  if (writes && (r.flags & kHasStart) != 0) {
    start_spill_->add({raw64(r.id), r.commit, static_cast<std::uint64_t>(r.start), raw64(r.id), 0, 0, StateKind::kPlain,
                       EntryKind::kRead, 0, 0});
  }
}

}  // namespace isolde::timeline
