#include "check/weak/past_search.h"

#include <algorithm>

#include "base/count_progress.h"

namespace isolde::weak {

using namespace graph;

namespace {

constexpr std::uint64_t kStepsPerTransaction = 4000;  // for each transaction
constexpr int kMostPairsPerRead = 8;                  // for each read: further ones show when the order has these

}  // namespace

void PastSearch::look_back(std::span<const StaleRead> stale, std::span<const Version> previous, const Limits& limits,
                           Contradictions& out) {
  steps_left_ = kStepsPerTransaction * table_.size();
  std::fill(reached_.begin(), reached_.end(), kNone32);
  out.gave_up = true;
  CountProgress looked(limits, "stale reads", stale.size(), 1U << 6);
  for (auto first = stale.begin(); first != stale.end();) {
    const Number reader = first->reader;
    const auto end = std::find_if(first, stale.end(), [&](const StaleRead& s) { return s.reader != reader; });
    Number oldest = reader;
    for (auto s = first; s != end; ++s) for_each_since(*s, previous, [&](Number w) { oldest = std::min(oldest, w); });
    const std::uint64_t before = steps_left_;
    if (oldest < reader) search(reader, oldest);
    limits.spend(before - steps_left_ + 1);
    if (steps_left_ == 0 || limits.exhausted()) return;
    looked.add(static_cast<std::uint64_t>(end - first));
    for (; first != end; ++first) {
      int pairs = 0;
      for_each_since(*first, previous, [&](Number w) {
        if (reached_[w] == reader && ++pairs <= kMostPairsPerRead)
          add_contradiction(table_, reader, first->read, w, out);
      });
    }
  }
  out.gave_up = steps_left_ == 0;
}

void PastSearch::search(Number reader, Number oldest) {
  queue_.assign(1, reader);
  while (!queue_.empty() && steps_left_ > 0) {
    const Number i = queue_.back();
    queue_.pop_back();
    reach(before_[i], reader, oldest);
    for (std::uint32_t r = table_.read_begin[i]; r < table_.read_begin[i + 1] && steps_left_ > 0; ++r) {
      --steps_left_;
      if (table_.reads[r].version != kInitialVersion) reach(table_.writer[table_.reads[r].version], reader, oldest);
    }
  }
}

void PastSearch::reach(Number from, Number reader, Number oldest) {
  if (from == kNone32 || from < oldest || reached_[from] == reader) return;
  reached_[from] = reader;
  queue_.push_back(from);
}

}  // namespace isolde::weak
