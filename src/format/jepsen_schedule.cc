#include "format/jepsen_schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde {
namespace {

constexpr const char* kIdsLost = "transaction ids: they are not an ascending :index";

struct Timed {
  std::int64_t time;
  int rank;  // at one time: what closes the way for the next of its process (-1), begins (0), ends (1)
  TxnId txn;
  bool is_invocation;
};

bool is_unknown(const History& h, TxnId t) { return h.status(t) == Status::kUnknown; }

// The times that no begin or end has, below the last one: in a Jepsen file, those of the :info completions.
// Empty if the times are no places in a file.
std::vector<std::int64_t> gaps_of(const std::vector<Timed>& events) {
  const std::int64_t limit = static_cast<std::int64_t>(events.size()) * 4 + 1024;
  std::vector<bool> used(static_cast<std::size_t>(limit), false);
  std::int64_t last = -1;
  for (const Timed& event : events) {
    if (event.time < 0 || event.time >= limit || used[static_cast<std::size_t>(event.time)]) return {};
    used[static_cast<std::size_t>(event.time)] = true;
    last = std::max(last, event.time);
  }
  std::vector<std::int64_t> gaps;
  for (std::int64_t time = 0; time <= last; ++time) {
    if (!used[static_cast<std::size_t>(time)]) gaps.push_back(time);
  }
  return gaps;
}

bool reads_something(const History& h, TxnId t) {
  for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op) {
    if (h.op(op).kind() == OpKind::kRead) return true;
  }
  return false;
}

// Completes the unknown transactions by :info, at places that change nothing. Those that are the last of their session
// may as well stay open, if an invocation says all of them: they are the `tail`, of which the first `tail_infos` are
// completed, at the end of the file.
void add_infos(const History& h, Unanswered unanswered, std::size_t tail_infos, std::vector<Timed>& events,
               std::vector<TxnId>& tail) {
  constexpr std::int64_t kAtEnd = INT64_MAX;
  const std::uint32_t txns = h.txn_count();
  // When the next transaction of the same session needs the way free; kNoTime: there is none.
  std::vector<std::int64_t> next_of(txns, kNoTime);
  std::vector<std::uint32_t> next_in_session(h.session_count(), kNone32);
  for (std::uint32_t t = txns; t-- > 0;) {
    std::uint32_t& next = next_in_session[raw(h.session(TxnId{t}))];
    if (next != kNone32) {
      const bool open = h.begin(TxnId{next}) != kNoTime;
      next_of[t] = open ? h.begin(TxnId{next}) : is_unknown(h, TxnId{next}) ? kAtEnd : h.end(TxnId{next});
    }
    next = t;
  }
  const std::vector<std::int64_t> gaps = gaps_of(events);
  std::size_t gap = 0;
  std::int64_t completed = -1;
  for (std::uint32_t t = 0; t < txns; ++t) {
    const TxnId txn{t};
    if (!is_unknown(h, txn)) {
      completed = std::max(completed, h.end(txn));
      continue;
    }
    const std::int64_t after = std::max(completed, h.begin(txn));
    while (gap < gaps.size() && gaps[gap] <= after) ++gap;
    if (gap < gaps.size() && (next_of[t] == kNoTime || gaps[gap] < next_of[t])) {
      events.push_back({gaps[gap], 1, txn, false});
      completed = gaps[gap++];
    } else if (next_of[t] != kNoTime && next_of[t] != kAtEnd) {
      events.push_back({next_of[t], -1, txn, false});
    } else if (next_of[t] == kAtEnd || h.begin(txn) == kNoTime ||
               (unanswered == Unanswered::kSaysNoReads && reads_something(h, txn))) {
      events.push_back({kAtEnd, 1, txn, false});
    } else {
      if (tail.size() < tail_infos) events.push_back({kAtEnd, 1, txn, false});
      tail.push_back(txn);
    }
  }
}

// Whether every process invokes and completes its transactions one after another, in session order.
bool is_well_formed(const History& h, const std::vector<Timed>& events) {
  std::vector<std::uint32_t> open(h.session_count(), kNone32);
  std::vector<std::uint32_t> last(h.session_count(), kNone32);
  for (const Timed& event : events) {
    const std::uint32_t session = raw(h.session(event.txn));
    const std::uint32_t txn = raw(event.txn);
    if (event.is_invocation || h.begin(event.txn) == kNoTime) {
      if (open[session] != kNone32 || (last[session] != kNone32 && last[session] > txn)) return false;
      last[session] = txn;
      if (event.is_invocation) open[session] = txn;
    } else {
      if (open[session] != txn) return false;
      open[session] = kNone32;
    }
  }
  return true;
}

// The events in the order of their times, or nothing if file order cannot say it.
std::optional<std::vector<Timed>> by_time(const History& h, Unanswered unanswered, std::size_t tail_infos,
                                          std::vector<TxnId>& tail) {
  std::vector<Timed> events;
  bool any = false;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId txn{t};
    const std::int64_t begin = h.begin(txn);
    const std::int64_t end = is_unknown(h, txn) ? kNoTime : h.end(txn);
    if (!is_unknown(h, txn) && (end == kNoTime || end < begin)) return std::nullopt;
    if (begin != kNoTime) events.push_back({begin, 0, txn, true});
    if (end != kNoTime) events.push_back({end, 1, txn, false});
    any = any || begin != kNoTime || end != kNoTime;
  }
  if (!any) return std::nullopt;
  add_infos(h, unanswered, tail_infos, events, tail);
  std::stable_sort(events.begin(), events.end(),
                   [](const Timed& a, const Timed& b) { return a.time != b.time ? a.time < b.time : a.rank < b.rank; });
  if (!is_well_formed(h, events)) return std::nullopt;
  return events;
}

bool has_times(const History& h) {
  const auto known = [](std::int64_t time) { return time != kNoTime; };
  return std::any_of(h.columns().begin.begin(), h.columns().begin.end(), known) ||
         std::any_of(h.columns().end.begin(), h.columns().end.end(), known);
}

// Whether reading the file back gives these very times.
bool times_are_places(const History& h, const std::vector<Timed>& events) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Timed& event = events[i];
    if (!event.is_invocation && is_unknown(h, event.txn)) continue;
    if (event.time != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

// An :index for every operation, ascending, such that a reader gives the transactions their ids. False: there is none.
bool number_by_ids(const History& h, std::int64_t before, JepsenSchedule& schedule) {
  std::vector<bool> numbered(h.txn_count(), false);
  std::int64_t next = INT64_MAX;
  for (std::size_t i = schedule.events.size(); i-- > 0;) {
    JepsenEvent& event = schedule.events[i];
    const ValueId id = h.columns().id[raw(event.txn)];
    if (numbered[raw(event.txn)]) {
      event.index = next - 1;
    } else {
      if (h.values().type(id) != ValueType::kInteger) return false;
      event.index = h.values().integer(id);
      numbered[raw(event.txn)] = true;
    }
    if (event.index >= next || event.index < before) return false;
    next = event.index;
  }
  schedule.first_index = next == INT64_MAX ? 0 : next - before;
  return true;
}

bool ids_are_places(const History& h, const std::vector<TxnId>& order) {
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    if (raw(h.columns().id[raw(order[place])]) != place) return false;
  }
  return true;
}

// Numbers the events; false if the transactions' ids are lost.
bool number(const History& h, std::int64_t before, JepsenSchedule& schedule) {
  if (number_by_ids(h, before, schedule)) return true;
  for (JepsenEvent& event : schedule.events) event.index = kNoTime;
  schedule.first_index = kNoTime;
  return ids_are_places(h, reading_order(h, schedule));
}

// How many of the tail had an :info, by their ids: it was the :index of that :info, behind every invocation's, so
// where the ids descend, those that were never completed begin.
std::size_t infos_by_ids(const History& h, const std::vector<TxnId>& tail) {
  const auto id = [&h](TxnId t) {
    const ValueId value = h.columns().id[raw(t)];
    return h.values().type(value) == ValueType::kInteger ? h.values().integer(value) : INT64_MAX;
  };
  for (std::size_t i = 1; i < tail.size(); ++i) {
    if (id(tail[i]) < id(tail[i - 1])) return i;
  }
  return 0;
}

std::optional<JepsenSchedule> schedule_by_time(const History& h, std::int64_t before, Unanswered unanswered) {
  std::vector<TxnId> tail;
  if (!by_time(h, unanswered, 0, tail)) return std::nullopt;
  const std::size_t guess = infos_by_ids(h, tail);
  JepsenSchedule schedule;
  int best = -1;  // 2: the ids are kept, 1: the order
  for (const std::size_t infos : {guess, tail.size()}) {
    std::vector<TxnId> ignored;
    const auto events = by_time(h, unanswered, infos, ignored);
    if (!events) return std::nullopt;
    JepsenSchedule candidate;
    candidate.events.reserve(events->size());
    for (const Timed& event : *events)
      candidate.events.push_back({event.txn, event.is_invocation, kNoTime, event.time});
    candidate.by_time = true;
    if (!times_are_places(h, *events)) candidate.lost.emplace_back("begin and end: only their order is kept");
    const bool keeps_ids = number(h, before, candidate);
    if (!keeps_ids) candidate.lost.emplace_back(kIdsLost);
    const std::vector<TxnId> order = reading_order(h, candidate);
    const int kept = (keeps_ids ? 2 : 0) + (std::is_sorted(order.begin(), order.end()) ? 1 : 0);
    if (kept > best) schedule = std::move(candidate);
    best = std::max(best, kept);
    if (best == 3 || tail.empty()) break;
  }
  std::uint64_t unknown_ends = 0;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (is_unknown(h, TxnId{t}) && h.end(TxnId{t}) != kNoTime) ++unknown_ends;
  }
  if (unknown_ends > 0) {
    schedule.lost.push_back(fmt::format("the end of {} transactions of unknown outcome", unknown_ends));
  }
  return schedule;
}

}  // namespace

std::vector<TxnId> reading_order(const History& h, const JepsenSchedule& schedule) {
  std::vector<TxnId> order;
  order.reserve(h.txn_count());
  std::vector<bool> completed(h.txn_count(), false);
  for (const JepsenEvent& event : schedule.events) {
    if (event.is_invocation) continue;
    order.push_back(event.txn);
    completed[raw(event.txn)] = true;
  }
  for (const JepsenEvent& event : schedule.events) {
    if (event.is_invocation && !completed[raw(event.txn)]) order.push_back(event.txn);
  }
  return order;
}

JepsenSchedule schedule_jepsen(const History& h, std::int64_t before, Unanswered unanswered) {
  if (auto schedule = schedule_by_time(h, before, unanswered)) return *std::move(schedule);
  JepsenSchedule schedule;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) schedule.events.push_back({TxnId{t}, false, kNoTime, kNoTime});
  schedule.keeps_real_time = !has_times(h);
  if (!number(h, before, schedule)) schedule.lost.emplace_back(kIdsLost);
  return schedule;
}

}  // namespace isolde
