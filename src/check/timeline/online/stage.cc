// Arrivals are gathered and put into the index together, in the order of their times: what is late among them then goes
// to the end of its keys' lists, and where the next ones will go is known before they do.
//
// With several threads the keys are dealt out to lanes (lane.h): first one thread looks all keys up and counts the
// accesses to each group of keys. If one lane would have much more to do than others, the groups are dealt out anew,
// the largest first, each to the lane that has least to do so far. So a hot key does not leave the other threads idle,
// as long as it is not hotter than all others together, and keys mostly stay where they are in the cache.
#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "base/prefetch.h"
#include "check/timeline/online/engine.h"

namespace isolde::timeline {
namespace {

// Calls f for the items of all lanes in their order.
template <typename T, typename F>
void for_each_found(std::span<Lane> lanes, std::vector<T> Lane::* items, F&& f) {
  if (lanes.size() == 1) {
    for (const T& item : lanes[0].*items) f(item);
    return;
  }
  std::vector<std::size_t> next(lanes.size(), 0);
  for (;;) {
    const T* first = nullptr;
    std::size_t of = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const std::vector<T>& all = lanes[i].*items;
      if (next[i] == all.size() || (first != nullptr && first->order <= all[next[i]].order)) continue;
      first = &all[next[i]];
      of = i;
    }
    if (first == nullptr) return;
    ++next[of];
    f(*first);
  }
}

// How many different ones there are.
std::size_t count_all(std::span<Lane> lanes, std::vector<std::uint32_t> Lane::* places) {
  if (lanes.size() == 1) return (lanes[0].*places).size();
  std::vector<std::uint32_t> all;
  for (const Lane& lane : lanes) all.insert(all.end(), (lane.*places).begin(), (lane.*places).end());
  std::sort(all.begin(), all.end());
  return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
}

}  // namespace

void Online::stage(std::uint32_t txn, bool reads, bool writes) {
  window_.at(txn).flags |= static_cast<std::uint16_t>((reads ? kReadsStaged : 0) | (writes ? kWritesStaged : 0));
}

// No verdict that is final before this moment depends on what is staged: that arrived later.
std::int64_t Online::horizon() const { return applied_ == window_.next() ? time_.now : staged_since_; }

void Online::apply_staged() {
  staged_.clear();
  for (; applied_ != window_.next(); ++applied_) {
    TxnRecord& r = window_.at(applied_);
    const auto what = static_cast<std::uint16_t>(r.flags & (kReadsStaged | kWritesStaged));
    if (what == 0) continue;
    r.flags &= static_cast<std::uint16_t>(~what);
    staged_.push_back({r.commit, applied_, what});
  }
  if (staged_.empty()) return;
  const auto is_earlier = [](const Staged& a, const Staged& b) {
    return a.time != b.time ? a.time < b.time : arrived_before(a.txn, b.txn);
  };
  if (!std::is_sorted(staged_.begin(), staged_.end(), is_earlier)) {
    std::sort(staged_.begin(), staged_.end(), is_earlier);
  }
  reserve_stamps(staged_.size());
  const auto late = static_cast<std::ptrdiff_t>(late_reads_.size());
  const auto broken = static_cast<std::ptrdiff_t>(broken_.size());
  if (lanes_.size() > 1 && staged_.size() >= options_.worth_sharing) {
    deal_keys();
    team_->run([this](std::size_t i) { put_staged(lanes_[i]); });
    take_over(lanes_);
    keys_.level_stores();
  } else {
    have_all_keys(lanes_[0]);
    put_staged(lanes_[0]);
    take_over({lanes_.data(), 1});
  }
  stamp_ += static_cast<std::uint32_t>(staged_.size());
  // They are judged in the order of arrival.
  std::stable_sort(late_reads_.begin() + late, late_reads_.end(),
                   [](const LateRead& a, const LateRead& b) { return arrived_before(a.txn, b.txn); });
  std::stable_sort(broken_.begin() + broken, broken_.end(),
                   [](const Broken& a, const Broken& b) { return arrived_before(a.by, b.by); });
}

// Looks up the keys of all that is staged, and says which lane has which.
void Online::deal_keys() {
  std::array<std::uint64_t, 64> load{};
  constexpr std::size_t kSlots = 12, kUnknown = 6;
  for (std::size_t i = 0; i < staged_.size(); ++i) {
    if (i + kSlots < staged_.size()) hint_keys(staged_[i + kSlots].txn, false);
    if (i + kUnknown < staged_.size()) hint_keys(staged_[i + kUnknown].txn, true);
    const TxnRecord& r = window_.at(staged_[i].txn);
    Window::Held& held = window_.held(r);
    for_each_access(held.chunk->history, r.txn,
                    [&](const Access& a) { ++load[Lane::group_of(number_of(held, a.key))]; });
  }
  std::uint64_t all = 0, most = 0;
  for (const Lane& lane : lanes_) {
    std::uint64_t work = 0;
    for (std::uint32_t g = 0; g < load.size(); ++g) work += ((lane.groups >> g) & 1) != 0 ? load[g] : 0;
    all += work;
    most = std::max(most, work);
  }
  const bool dealt = std::exchange(dealt_, true);
  if (dealt && most * lanes_.size() * 16 <= all * 17) return;
  std::array<std::uint32_t, 64> groups{};
  for (std::uint32_t g = 0; g < groups.size(); ++g) groups[g] = g;
  std::stable_sort(groups.begin(), groups.end(), [&](std::uint32_t a, std::uint32_t b) { return load[a] > load[b]; });
  std::vector<std::uint64_t> work(lanes_.size(), 0);
  for (Lane& lane : lanes_) lane.groups = 0;
  for (const std::uint32_t g : groups) {
    const auto least = std::min_element(work.begin(), work.end());
    *least += load[g];
    lanes_[static_cast<std::size_t>(least - work.begin())].groups |= std::uint64_t{1} << g;
  }
}

void Online::put_staged(Lane& lane) {
  const std::size_t size = staged_.size();
  const bool alone = ~lane.groups == 0;  // else deal_keys() has looked all keys up
  // Each of these is needed to know where the next one lies.
  constexpr std::size_t kRecord = 24, kSlots = 20, kUnknown = 14, kKeys = 8, kTail = 5, kEnd = 2;
  static_assert(kKeys < Lane::kAhead);
  const auto find = [&](std::size_t i) {
    if (i < size) find_keys(lane, staged_[i].txn, lane.ahead[i % Lane::kAhead]);
  };
  const auto look_ahead = [&](std::size_t i) {
    if (i + kRecord < size) prefetch(&window_.at(staged_[i + kRecord].txn));
    if (alone && i + kSlots < size) hint_keys(staged_[i + kSlots].txn, false);
    if (alone && i + kUnknown < size) hint_keys(staged_[i + kUnknown].txn, true);
    find(i + kKeys);
    if (i + kTail < size) {
      for (const Lane::Touch& touch : lane.ahead[(i + kTail) % Lane::kAhead]) {
        if (touch.key->tail != nullptr) prefetch(touch.key->tail);
      }
    }
    if (i + kEnd >= size) return;
    for (const Lane::Touch& touch : lane.ahead[(i + kEnd) % Lane::kAhead]) {
      const Block* const tail = touch.key->tail;
      if (tail == nullptr) continue;
      const auto* const last = reinterpret_cast<const char*>(tail->entries() + tail->count);
      prefetch(last - 96);
      prefetch(last - 32);
      prefetch(last + 32);
    }
  };
  for (std::size_t i = 0; i < kKeys; ++i) find(i);
  for (std::size_t i = 0; i < size; ++i) {
    look_ahead(i);
    const Staged& staged = staged_[i];
    lane.txn = staged.txn;
    lane.stamp = stamp_ + 1 + static_cast<std::uint32_t>(i);
    lane.held = &window_.held(window_.at(staged.txn));
    lane.was_late = false;
    lane.could_compare = true;
    const auto place = static_cast<std::uint32_t>(i);
    put(lane, place, lane.ahead[i % Lane::kAhead], (staged.what & kReadsStaged) != 0,
        (staged.what & kWritesStaged) != 0);
    if (lane.was_late) lane.late.push_back(place);
    if (!lane.could_compare) lane.uncompared.push_back(place);
  }
}

void Online::have_all_keys(Lane& lane) {
  lane.groups = ~std::uint64_t{0};
  dealt_ = false;
}

// The writes of a transaction whose place was found by those who saw it.
void Online::put_adopted(std::uint32_t txn) {
  reserve_stamps(1);
  Lane& lane = lanes_[0];
  have_all_keys(lane);
  lane.txn = txn;
  lane.stamp = ++stamp_;
  lane.held = &window_.held(window_.at(txn));
  find_keys(lane, txn, lane.ahead[0]);
  put(lane, 0, lane.ahead[0], false, true);
  take_over({lanes_.data(), 1});
}

// What lanes found becomes the engine's.
void Online::take_over(std::span<Lane> lanes) {
  for_each_found(lanes, &Lane::shadows, [&](const Lane::NotedShadow& s) { shadows_.add(s.of, s.shadow); });
  for_each_found(lanes, &Lane::changes, [&](const Lane::Change& c) {
    TxnRecord& r = window_.at(c.txn);
    r.wrong = static_cast<std::uint16_t>(c.wrong ? r.wrong + 1 : r.wrong - 1);
    if (!c.flips) return;
    ++counts_.flips;
    if ((r.flags & kFlipped) == 0) ++counts_.flipped_txns;
    r.flags |= kFlipped;
    if (options_.flips != nullptr) options_.flips->flipped(r.id, c.key, c.wrong, r.arrived, time_.now);
  });
  for_each_found(lanes, &Lane::broken, [&](const Lane::NotedBroken& b) { broken_.push_back(b.broken); });
  for_each_found(lanes, &Lane::findings, [&](const Lane::Finding& f) {
    const TxnRecord& r = window_.at(f.txn);
    if (f.kind == Lane::Finding::Kind::kConflict) {
      report_conflict(r, *f.key, f.other, f.time);
    } else {
      report_internal(r, f.key->key, f.read, state_text(f.expected));
    }
  });
  counts_.late += count_all(lanes, &Lane::late);
  counts_.unchecked += count_all(lanes, &Lane::uncompared);
  for (Lane& lane : lanes) {
    counts_.unchecked += lane.unchecked;
    lane.clear_found();
  }
}

// After 2^32 of them old stamps would look like new ones.
void Online::reserve_stamps(std::size_t count) {
  if (stamp_ + count < std::numeric_limits<std::uint32_t>::max()) return;
  for (std::uint32_t k = 0; k < keys_.size(); ++k) keys_.at(k).stamp = 0;
  stamp_ = 0;
}

}  // namespace isolde::timeline
