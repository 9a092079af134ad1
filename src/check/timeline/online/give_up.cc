// Keys that are given up for memory, and what is known of them when they come back.
#include <algorithm>
#include <limits>
#include <utility>

#include "check/timeline/online/engine.h"

namespace isolde::timeline {

std::uint32_t Online::key_number(Fingerprint fingerprint) {
  const std::uint32_t known = keys_.size();
  const std::uint32_t number = keys_.find_or_add(fingerprint);
  if (number < known) return number;
  KeyTimeline& key = keys_.at(number);
  key.touched = window_.next();
  if (given_up_.may_hold(fingerprint)) [[unlikely]] {
    recall(key);
  } else if (!initial_.empty()) {
    set_initial(key);
  }
  if (given_up_cloudy_.may_hold(fingerprint)) [[unlikely]] {
    key.flags |= kCloudyKey | kCloudyRich;  // what the other wrote is not known any more
    any_cloudy_rich_ = true;
  }
  return number;
}

void Online::set_initial(KeyTimeline& key) const {
  const State state = initial_of(key.key);
  key.base_bits = state.bits;
  key.base_kind = state.kind;
}

// What it held last is on disk, or not known: then nothing before all that was given up can be told any more.
void Online::recall(KeyTimeline& key) {
  key.dropped = KeyTimeline::kAnyDropped;
  if (spill_ != nullptr) {
    const auto version = spill_->last_before(key.key, std::numeric_limits<std::int64_t>::max(),
                                             std::numeric_limits<std::uint8_t>::max());
    if (spill_->good()) {
      set_initial(key);
      if (!version) return;
      key.base_bits = version->state;
      key.base_kind = version->state_kind;
      key.base_time = version->time;
      key.base_order = version->order;
      key.base_writer = version->writer;
      return;
    }
  }
  key.base_bits = 0;
  key.base_kind = StateKind::kOpaque;
  key.base_time = given_up_until_;
  key.base_order = std::numeric_limits<std::uint8_t>::max();
  key.flags |= kForgottenKey;
}

// Those that were not touched for longest go first; none that a held transaction touches, or that is open.
void Online::give_up_keys(std::size_t wanted) {
  const std::size_t held = bytes();
  if (held <= wanted) return;
  std::vector<std::uint32_t> renumbered(keys_.size(), 0);
  for (std::uint32_t t = window_.first(); t != window_.next(); ++t) {
    const Window::Held& of = window_.held(window_.at(t));
    for_each_access(of.chunk->history, window_.at(t).txn, [&](const Access& a) {
      const std::uint32_t number = of.key[raw(a.key)];
      if (number != kNone32) renumbered[number] = 1;
    });
  }
  for (const LateRead& late : late_reads_) renumbered[late.key] = 1;
  for (const Broken& broken : broken_) renumbered[broken.key] = 1;
  struct Candidate {
    std::uint32_t age, key;
  };
  std::vector<Candidate> candidates;
  for (std::uint32_t k = 0; k < keys_.size(); ++k) {
    KeyTimeline& key = keys_.at(k);
    if (renumbered[k] != 0 || (key.flags & kOpenKey) != 0) continue;
    keys_.trim(key, window_.first());
    if (key.head == nullptr) candidates.push_back({window_.next() - key.touched, k});
  }
  // Whole pages are freed, so one more than needed.
  const std::size_t most = (held - wanted) / sizeof(KeyTimeline) + KeyIndex::kPageKeys;
  if (candidates.size() > most) {
    const auto is_older = [](const Candidate& a, const Candidate& b) {
      return a.age != b.age ? a.age > b.age : a.key < b.key;
    };
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(most), candidates.end(),
                     is_older);
    candidates.resize(most);
  }
  if (candidates.empty()) return;
  std::fill(renumbered.begin(), renumbered.end(), 0);
  for (const Candidate& c : candidates) {
    renumbered[c.key] = kNone32;
    give_up(keys_.at(c.key));
  }
  keys_.remove(renumbered);
  window_.for_each_held([&](Window::Held& of) {
    for (std::uint32_t& number : of.key) {
      if (number != kNone32) number = renumbered[number];
    }
  });
  for (std::uint32_t& number : open_keys_) number = renumbered[number];
  for (LateRead& late : late_reads_) late.key = renumbered[late.key];
  for (Broken& broken : broken_) broken.key = renumbered[broken.key];
  sweep_ = 0;
}

void Online::give_up(const KeyTimeline& key) {
  if ((key.flags & kCloudyKey) != 0) given_up_cloudy_.add(key.key);
  if (key.base_time == kNoTime) return;  // never written: it comes back as it was
  given_up_.add(key.key);
  given_up_until_ = std::max(given_up_until_, key.base_time);
  // Its last version was spilled as it left the list; what came too late has made it unknown since then.
  if (spill_ == nullptr || key.base_kind != StateKind::kOpaque || (key.flags & kForgottenKey) != 0) return;
  spill_->add({raw64(key.key), key.base_time, key.base_bits, key.base_writer, 0, key.base_order, key.base_kind,
               EntryKind::kWrite, 0, std::numeric_limits<std::uint32_t>::max()});
}

}  // namespace isolde::timeline
