#include "check/weak/look_aggregates.h"

#include <algorithm>
#include <limits>

#include "history/commit_interval.h"

namespace isolde::weak {

using namespace graph;

namespace {

constexpr std::uint32_t kWithoutClock = 16;  // places that are tried
constexpr std::uint32_t kMostPlaces = 1024;  // in a window
constexpr std::uint32_t kFewForPairs = 32;   // open ones: two at once are tried

std::uint64_t first_bits(std::uint32_t n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

}  // namespace

LookAggregates::LookAggregates(const LookOrder& order)
    : o_(order),
      at_(order.history.key_count()),
      own_stamp_(order.history.key_count(), 0),
      moved_stamp_(order.history.key_count(), 0) {
  const History& h = o_.history;
  for (std::uint32_t k = 0; k < h.key_count(); ++k) at_[k] = o_.slots.begin(KeyId{k});
  for (const TxnId t : o_.turns) {
    const std::int64_t sent = commit_sent(h, t), answered = commit_answered(h, t);
    done_.push_back(sent == kNoTime ? std::numeric_limits<std::int64_t>::min() : sent);
    end_.push_back(answered == kNoTime ? std::numeric_limits<std::int64_t>::max() : answered);
  }
  last_end_ = end_;
  first_done_ = done_;
  for (std::size_t p = 1; p < end_.size(); ++p) last_end_[p] = std::max(last_end_[p - 1], last_end_[p]);
  for (std::size_t p = end_.size(); p-- > 1;) first_done_[p - 1] = std::min(first_done_[p - 1], first_done_[p]);
}

LookAggregates::Window LookAggregates::window_of(TxnId t, OpId op) const {
  const History& h = o_.history;
  const std::uint32_t mine = o_.place[raw(t)];
  History::Interval at = h.at(t, op);
  // A snapshot may be as old as the transaction.
  if (at.before == kNoTime || snapshot_) at.before = h.begin(t);
  if (at.after == kNoTime) at.after = h.end(t);
  if (at.before == kNoTime || at.after == kNoTime) {
    constexpr auto kEver = std::numeric_limits<std::int64_t>::max();
    return {mine - std::min(mine, kWithoutClock), mine, {std::numeric_limits<std::int64_t>::min(), kEver}};
  }
  Window window{0, 0, at};
  window.end = static_cast<std::uint32_t>(std::upper_bound(first_done_.begin(), first_done_.end(), at.after) -
                                          first_done_.begin());
  window.end = std::min(window.end, mine);
  window.first =
      static_cast<std::uint32_t>(std::lower_bound(last_end_.begin(), last_end_.end(), at.before) - last_end_.begin());
  window.first = std::min(window.first, window.end);
  window.first = std::max(window.first, window.end - std::min(window.end, kMostPlaces));
  return window;
}

void LookAggregates::sort_writers(TxnId t, OpId op, const Window& window) {
  kind_.assign(window.end - window.first, kIn);
  open_.clear();
  for (std::uint32_t p = window.first; p < window.end; ++p) {
    const TxnId writer = o_.turns[p];
    if (o_.trace.first_version[raw(writer)] == o_.trace.first_version[raw(writer) + 1]) continue;
    if (done_[p] > window.at.after) {
      kind_[p - window.first] = kOut;
    } else if (end_[p] >= window.at.before) {
      open_.push_back(p);
    }
  }
  steps_ += kind_.size();
  std::stable_sort(open_.begin(), open_.end(), [&](std::uint32_t a, std::uint32_t b) { return end_[a] < end_[b]; });
  if (open_.size() > kMostOpen) open_.erase(open_.begin(), open_.end() - kMostOpen);
  std::erase_if(open_, [&](std::uint32_t p) {
    const bool missed = is_missed_later(t, op, o_.turns[p]);
    if (missed) kind_[p - window.first] = kOut;
    return missed;
  });
  for (std::uint8_t bit = 0; bit < open_.size(); ++bit) kind_[open_[bit] - window.first] = bit;
}

bool LookAggregates::is_missed_later(TxnId t, OpId op, TxnId writer) {
  const History& h = o_.history;
  const OpId from = snapshot_ ? OpId{h.first_op(t)} : op;
  for (const TracedRead& read : o_.trace.reads_of(t)) {
    if (read.op < from || read.version == kNoVersion) continue;
    const Version v = o_.trace.version_of(writer, read.key);
    if (v != kNoVersion && o_.slots.of(read.version, read.key) < o_.slots.of(v, read.key)) return true;
  }
  // A version that matches, and that nobody can have overwritten yet, is not in a result.
  for (std::uint32_t i = raw(from); i < h.end_op(t); ++i) {
    if (h.op(i).kind() != OpKind::kScan && h.op(i).kind() != OpKind::kUpdate) continue;
    const Predicate& p = h.predicate(h.op(i).predicate());
    const std::int64_t after = h.at(t, OpId{i}).after;
    const Matcher matcher(h, o_.slots, o_.predicates.condition(h.op(i).predicate()));
    for (Version v = o_.trace.first_version[raw(writer)]; v < o_.trace.first_version[raw(writer) + 1]; ++v) {
      const KeyId key = o_.trace.versions[v].key;
      const Slot slot = o_.slots.of(v, key);
      steps_ += 1 + p.item_count;
      if (o_.trace.version_of(t, key) != kNoVersion || matcher.of(slot) != Match::kYes) continue;
      if (std::any_of(h.items(p).begin(), h.items(p).end(), [key](const Item& item) { return item.key == key; }))
        continue;
      if (slot + 1 == o_.slots.end(key)) return true;
      if (after != kNoTime && done_[o_.place[raw(o_.slots.writer(slot + 1))]] > after) return true;
    }
  }
  return false;
}

// The last version from before that place; windows follow each other closely.
Slot LookAggregates::slot_before(KeyId key, std::uint32_t place) {
  Slot& at = at_[raw(key)];
  while (at != o_.slots.begin(key) && o_.place[raw(o_.slots.writer(at))] >= place) --at, ++steps_;
  while (at + 1 < o_.slots.end(key) && o_.place[raw(o_.slots.writer(at + 1))] < place) ++at, ++steps_;
  return at;
}

void LookAggregates::add_moved(KeyId key, const Window& window, const LookFloors& floors, const Matcher& matcher) {
  moved_stamp_[raw(key)] = stamp_;
  const auto first = static_cast<std::uint32_t>(candidates_.size());
  const Slot base = std::max(floors.of(key), slot_before(key, window.first));
  candidates_.push_back({base, 0, matcher.of(base)});
  for (Slot s = base + 1; s < o_.slots.end(key); ++s) {
    const std::uint32_t place = o_.place[raw(o_.slots.writer(s))];
    if (place >= window.end) break;
    const std::uint8_t kind = kind_[place - window.first];
    if (kind == kOut) continue;
    if (kind == kIn) candidates_.resize(first);  // those before it are not looked at any more
    candidates_.push_back({s, kind == kIn ? 0 : std::uint64_t{1} << kind, matcher.of(s)});
  }
  moved_.push_back({key, first, static_cast<std::uint32_t>(candidates_.size())});
}

void LookAggregates::sort_keys(const Window& window, const LookFloors& floors, std::span<const Slot> forced,
                               const Matcher& matcher) {
  const History& h = o_.history;
  const auto is_forced = [&](KeyId key) { return !forced.empty() && forced[raw(key)] != kNoSlot; };
  moved_.clear();
  candidates_.clear();
  for (std::uint32_t p = window.first; p < window.end; ++p) {
    const TxnId writer = o_.turns[p];
    for (Version v = o_.trace.first_version[raw(writer)]; v < o_.trace.first_version[raw(writer) + 1]; ++v) {
      const KeyId key = o_.trace.versions[v].key;
      if (own_stamp_[raw(key)] == stamp_ || moved_stamp_[raw(key)] == stamp_ || is_forced(key)) continue;
      add_moved(key, window, floors, matcher);
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
    fixed_->add(h.columns().key_name[k], o_.slots.value(slot));
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

bool LookAggregates::search(ValueId recorded) {
  const auto n = static_cast<std::uint32_t>(open_.size());
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

std::optional<std::span<const Slot>> LookAggregates::explain(TxnId t, OpId op, const LookFloors& floors,
                                                             std::span<const OwnRow> own,
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
    if (match == Match::kFault) return std::nullopt;
    if (match == Match::kYes) fixed_->add(h.columns().key_name[raw(row.key)], row.value);
  }
  const Window window = window_of(t, snapshot_ ? OpId{h.first_op(t)} : op);
  sort_writers(t, op, window);
  sort_keys(window, floors, forced, matcher);
  if (faulty_ || !search(h.op_value(raw(op)))) return std::nullopt;
  looks_.insert(looks_.end(), fixed_looks_.begin(), fixed_looks_.end());
  return looks_;
}

}  // namespace isolde::weak
