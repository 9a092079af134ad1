// Arrivals are gathered and put into the index together, in the order of their times: what is late among them then goes
// to the end of its keys' lists, and where the next ones will go is known before they do.
#include <algorithm>

#include "check/timeline/online/engine.h"

namespace isolde::timeline {

void Online::stage(std::uint32_t txn, bool reads, bool writes) {
  window_.at(txn).flags |= static_cast<std::uint16_t>((reads ? kReadsStaged : 0) | (writes ? kWritesStaged : 0));
}

// No verdict that is final before this moment depends on what is staged: that arrived later.
std::int64_t Online::horizon() const { return applied_ == window_.next() ? time_.now : staged_since_; }

void Online::apply_staged() {
  staged_.clear();
  for (; applied_ != window_.next(); ++applied_) {
    const TxnRecord& r = window_.at(applied_);
    if ((r.flags & (kReadsStaged | kWritesStaged)) != 0) staged_.push_back({r.commit, applied_});
  }
  const auto is_earlier = [](const Staged& a, const Staged& b) {
    return a.time != b.time ? a.time < b.time : arrived_before(a.txn, b.txn);
  };
  if (!std::is_sorted(staged_.begin(), staged_.end(), is_earlier)) {
    std::sort(staged_.begin(), staged_.end(), is_earlier);
  }
  const std::size_t size = staged_.size();
  const auto late = static_cast<std::ptrdiff_t>(late_reads_.size());
  const auto broken = static_cast<std::ptrdiff_t>(broken_.size());
  for (auto& keys : ahead_) keys.clear();
  // Each of these is needed to know where the next one lies.
  const auto look_ahead = [&](std::size_t i) {
    if (i + 8 < size) __builtin_prefetch(&window_.at(staged_[i + 8].txn));
    if (i + 4 < size) find_keys(staged_[i + 4].txn, ahead_[(i + 4) % kAhead]);
    for (const KeyTimeline* const key : ahead_[(i + 2) % kAhead]) {
      if (key->tail != nullptr) __builtin_prefetch(key->tail);
    }
    for (const KeyTimeline* const key : ahead_[(i + 1) % kAhead]) {
      if (key->tail == nullptr) continue;
      const auto* const last = reinterpret_cast<const char*>(key->tail->entries() + key->tail->count);
      __builtin_prefetch(last - 96);
      __builtin_prefetch(last - 32);
      __builtin_prefetch(last + 32, 1);
    }
  };
  for (std::size_t i = 0; i < size; ++i) {
    look_ahead(i);
    const std::uint32_t txn = staged_[i].txn;
    TxnRecord& r = window_.at(txn);
    held_ = &window_.held(r);
    was_late_ = false;
    could_compare_ = true;
    replay(txn, (r.flags & kReadsStaged) != 0, (r.flags & kWritesStaged) != 0);
    r.flags &= static_cast<std::uint16_t>(~(kReadsStaged | kWritesStaged));
    if (was_late_) ++counts_.late;
    if (!could_compare_) ++counts_.unchecked;
  }
  // They are judged in the order of arrival.
  std::stable_sort(late_reads_.begin() + late, late_reads_.end(),
                   [](const LateRead& a, const LateRead& b) { return arrived_before(a.txn, b.txn); });
  std::stable_sort(broken_.begin() + broken, broken_.end(),
                   [](const Broken& a, const Broken& b) { return arrived_before(a.by, b.by); });
}

void Online::find_keys(std::uint32_t txn, std::vector<const KeyTimeline*>& keys) {
  const TxnRecord& r = window_.at(txn);
  Window::Held& held = window_.held(r);
  const History& h = held.chunk->history;
  const std::uint32_t end = h.end_op(r.txn);
  keys.clear();
  for (std::uint32_t i = h.first_op(r.txn); i < end; ++i) {
    const OpHead op = h.op(i);
    if (!op.is_read_or_write()) continue;
    keys.push_back(&keys_.at(number_of(held, op.key())));
    __builtin_prefetch(keys.back());
  }
}

}  // namespace isolde::timeline
