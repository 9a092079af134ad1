#include "check/weak/look_aggregates.h"

#include <algorithm>
#include <limits>

namespace isolde::weak {

using namespace graph;

namespace {

constexpr std::uint32_t kWithoutClock = 16;  // places that are tried
constexpr std::uint32_t kFewForPairs = 32;   // in the window: two at once are tried

std::uint64_t first_bits(std::uint32_t n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

}  // namespace

LookAggregates::LookAggregates(const LookOrder& order, bool one_view)
    : o_(order),
      one_view_(one_view),
      latest_end_(order.turns.size()),
      earliest_commit_(order.turns.size()),
      at_(order.history.key_count()),
      own_stamp_(order.history.key_count(), 0),
      moved_stamp_(order.history.key_count(), 0) {
  const History& h = o_.history;
  for (std::uint32_t k = 0; k < h.key_count(); ++k) at_[k] = o_.slots.begin(KeyId{k});
  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  for (std::size_t p = 0; p < o_.turns.size(); ++p) {
    const TxnId t = o_.turns[p];
    const std::int64_t end = h.end(t);
    latest = std::max(latest, end == kNoTime ? std::numeric_limits<std::int64_t>::max() : end);
    latest_end_[p] = latest;
    std::int64_t commit = h.begin(t);
    if (h.end_op(t) > h.first_op(t)) commit = std::max(commit, h.at(t, OpId{h.end_op(t) - 1}).after);
    earliest_commit_[p] = commit == kNoTime ? std::numeric_limits<std::int64_t>::min() : commit;
  }
  for (std::size_t p = o_.turns.size(); p-- > 1;) {
    earliest_commit_[p - 1] = std::min(earliest_commit_[p - 1], earliest_commit_[p]);
  }
}

LookAggregates::Window LookAggregates::window_of(TxnId t, OpId op) const {
  const History& h = o_.history;
  const std::uint32_t mine = o_.place[raw(t)];
  History::Interval at = h.at(t, op);
  if (at.before == kNoTime) at.before = h.begin(t);
  if (at.after == kNoTime) at.after = h.end(t);
  if (at.before == kNoTime || at.after == kNoTime) return {mine - std::min(mine, kWithoutClock), mine};
  const auto place = [](auto begin, auto found) { return static_cast<std::uint32_t>(found - begin); };
  Window window{};
  window.end =
      place(earliest_commit_.begin(), std::upper_bound(earliest_commit_.begin(), earliest_commit_.end(), at.after));
  window.end = std::min(window.end, mine);
  window.first = place(latest_end_.begin(), std::lower_bound(latest_end_.begin(), latest_end_.end(), at.before));
  window.first = std::min(window.first, window.end);
  window.first = std::max(window.first, window.end - std::min(window.end, kWindow));
  return window;
}

// The last version from before that place; windows follow each other closely.
Slot LookAggregates::slot_before(KeyId key, std::uint32_t place) {
  Slot& at = at_[raw(key)];
  while (at != o_.slots.begin(key) && o_.place[raw(o_.slots.writer(at))] >= place) --at, ++steps_;
  while (at + 1 < o_.slots.end(key) && o_.place[raw(o_.slots.writer(at + 1))] < place) ++at, ++steps_;
  return at;
}

void LookAggregates::sort_keys(const Window& window, const LookFloors& floors, std::span<const Slot> forced,
                               const Matcher& matcher) {
  const History& h = o_.history;
  Slots& slots = o_.slots;
  const auto is_forced = [&](KeyId key) { return !forced.empty() && forced[raw(key)] != kNoSlot; };
  moved_.clear();
  candidates_.clear();
  for (std::uint32_t p = window.first; p < window.end; ++p) {
    const TxnId writer = o_.turns[p];
    for (Version v = o_.trace.first_version[raw(writer)]; v < o_.trace.first_version[raw(writer) + 1]; ++v) {
      const KeyId key = o_.trace.versions[v].key;
      if (own_stamp_[raw(key)] == stamp_ || moved_stamp_[raw(key)] == stamp_ || is_forced(key)) continue;
      moved_stamp_[raw(key)] = stamp_;
      Moved moved{key, static_cast<std::uint32_t>(candidates_.size()), 0};
      const Slot base = std::max(floors.of(key), slot_before(key, window.first));
      candidates_.push_back({base, 0, matcher.of(base)});
      for (Slot s = base + 1; s < slots.end(key) && o_.place[raw(slots.writer(s))] < window.end; ++s) {
        const std::uint32_t place = o_.place[raw(slots.writer(s))];
        if (place < window.first) continue;
        candidates_.push_back({s, std::uint64_t{1} << (place - window.first), matcher.of(s)});
      }
      moved.end = static_cast<std::uint32_t>(candidates_.size());
      moved_.push_back(moved);
    }
  }
  fixed_looks_.clear();
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    const KeyId key{k};
    if (own_stamp_[k] == stamp_ || moved_stamp_[k] == stamp_) continue;
    const Slot slot = is_forced(key) ? forced[k] : std::max(floors.of(key), slot_before(key, window.first));
    const Match match = matcher.of(slot);
    if (match == Match::kFault) faulty_ = true;
    if (match != Match::kYes) continue;
    fixed_->add(h.columns().key_name[k], slots.value(slot));
    fixed_looks_.push_back(slot);
  }
  steps_ += h.key_count() + candidates_.size();
}

bool LookAggregates::agrees(std::uint64_t in, ValueId recorded) {
  AggregateState all = *fixed_;
  looks_.clear();
  steps_ += candidates_.size() + 1;
  for (const Moved& moved : moved_) {
    std::uint32_t c = moved.end - 1;
    while (candidates_[c].bit != 0 && (candidates_[c].bit & in) == 0) --c;
    if (candidates_[c].match == Match::kFault) return false;
    if (candidates_[c].match != Match::kYes) continue;
    all.add(o_.history.columns().key_name[raw(moved.key)], o_.slots.value(candidates_[c].slot));
    looks_.push_back(candidates_[c].slot);
  }
  return all.faults() == kNoFault && all.agrees(recorded);
}

bool LookAggregates::search(const Window& window, ValueId recorded) {
  const std::uint32_t n = window.end - window.first;
  for (std::uint32_t c = 0; c <= n; ++c) {
    if (agrees(first_bits(c), recorded)) return true;
  }
  for (const bool pairs : {false, true}) {
    if (pairs && n > kFewForPairs) return false;
    for (std::uint32_t c = 0; c <= n; ++c) {
      for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint64_t one = first_bits(c) ^ std::uint64_t{1} << i;
        if (!pairs && agrees(one, recorded)) return true;
        for (std::uint32_t j = i + 1; pairs && j < n; ++j) {
          if (agrees(one ^ std::uint64_t{1} << j, recorded)) return true;
        }
      }
    }
  }
  return false;
}

bool LookAggregates::explain_at(TxnId t, OpId op, OpId when, const LookFloors& floors, std::span<const OwnRow> own,
                                std::span<const Slot> forced) {
  const History& h = o_.history;
  const PredicateId predicate = h.op(raw(op)).predicate();
  const Matcher matcher(h, o_.slots, o_.predicates.condition(predicate));
  ++stamp_;
  faulty_ = false;
  fixed_.emplace(o_.predicates.aggregate(predicate), h.values());
  for (const OwnRow& row : own) {
    own_stamp_[raw(row.key)] = stamp_;
    const Match match = matcher.of_value(row.key, row.value);
    if (match == Match::kFault) return false;
    if (match == Match::kYes) fixed_->add(h.columns().key_name[raw(row.key)], row.value);
  }
  const Window window = window_of(t, when);
  sort_keys(window, floors, forced, matcher);
  if (faulty_ || !search(window, h.op_value(raw(op)))) return false;
  looks_.insert(looks_.end(), fixed_looks_.begin(), fixed_looks_.end());
  return true;
}

std::optional<std::span<const Slot>> LookAggregates::explain(TxnId t, OpId op, const LookFloors& floors,
                                                             std::span<const OwnRow> own,
                                                             std::span<const Slot> forced) {
  const OpId first{o_.history.first_op(t)};
  if (!one_view_ && explain_at(t, op, op, floors, own, forced)) return looks_;
  if ((one_view_ || first != op) && explain_at(t, op, first, floors, own, forced)) return looks_;
  return std::nullopt;
}

}  // namespace isolde::weak
