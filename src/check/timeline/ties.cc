#include "check/timeline/ties.h"

#include <algorithm>

#include "check/accesses.h"

namespace isolde::timeline {
namespace {

constexpr std::size_t kTriesEach = 8;

}  // namespace

void Ties::settle(const TieGroup& group, const TieState& state, std::vector<Event>& events) {
  const auto begin = events.begin() + group.first_event;
  const auto end = begin + group.event_count;
  std::vector<TxnId> waiting;
  std::unordered_set<std::uint32_t> with_start;
  for (auto e = begin; e != end; ++e) {
    if (e->is_commit()) waiting.push_back(e->txn());
    if (!e->is_commit()) with_start.insert(raw(e->txn()));
  }
  remember(waiting, state);
  // Those that write nothing disturb nobody: they go as soon as they fit.
  std::stable_partition(waiting.begin(), waiting.end(), [this](TxnId t) { return !writes_anything(h_, t); });
  std::size_t tries = waiting.size() * kTriesEach;
  std::vector<TxnId> placed;
  while (!waiting.empty()) {
    std::size_t chosen = waiting.size();
    std::size_t allowed = waiting.size();  // by the orders, whether it fits or not
    for (std::size_t i = 0; i < waiting.size() && chosen == waiting.size() && tries > 0; ++i, --tries) {
      if (!may_go_first(waiting, waiting[i])) continue;
      if (allowed == waiting.size()) allowed = i;
      if (fits(waiting[i], state)) chosen = i;
    }
    if (tries == 0 && chosen == waiting.size()) return;
    if (chosen == waiting.size()) chosen = allowed == waiting.size() ? 0 : allowed;
    for_each_access(h_, waiting[chosen], [&](const Access& a) {
      if (a.kind == OpKind::kWrite) written_[raw(a.key)] = a.value;
    });
    placed.push_back(waiting[chosen]);
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  auto e = begin;
  for (const TxnId t : placed) {
    if (with_start.contains(raw(t))) *e++ = Event::start(t);
    *e++ = Event::commit(t);
  }
}

void Ties::remember(const std::vector<TxnId>& members, const TieState& state) {
  before_.clear();
  rich_before_.clear();
  written_.clear();
  for (const TxnId t : members) {
    for_each_access(h_, t, [&](const Access& a) {
      if (state.is_rich_now(a.key)) {
        rich_before_.insert(raw(a.key));
      } else {
        before_.emplace(raw(a.key), state.register_now(a.key));
      }
    });
  }
}

bool Ties::held_before(KeyId key, ValueId value) const {
  const auto at = before_.find(raw(key));
  return rich_before_.contains(raw(key)) || (at != before_.end() && at->second == value);
}

bool Ties::may_go_first(const std::vector<TxnId>& waiting, TxnId t) const {
  if (order_ == AddedOrder::kNone) return true;
  return std::none_of(waiting.begin(), waiting.end(), [&](TxnId other) {
    if (other == t) return false;
    if (h_.session(other) == h_.session(t) && other < t) return true;
    return order_ == AddedOrder::kRealTime && h_.status(other) == Status::kCommitted && h_.end(other) != kNoTime &&
           h_.begin(t) != kNoTime && h_.end(other) < h_.begin(t);
  });
}

// Whether the reads of the snapshot are right after those already placed. What these appended or added is not followed.
bool Ties::fits(TxnId t, const TieState& state) const {
  std::unordered_set<std::uint32_t> touched;
  bool good = true;
  for_each_access(h_, t, [&](const Access& a) {
    const bool first = touched.insert(raw(a.key)).second;
    if (a.kind != OpKind::kRead || !first) return;
    const auto at = written_.find(raw(a.key));
    good = good && (at != written_.end() ? at->second == a.value : state.shows_now(a.key, a.value));
  });
  return good;
}

}  // namespace isolde::timeline
