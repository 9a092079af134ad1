#include <fmt/format.h>

#include <algorithm>

#include "check/timeline/online/engine.h"
#include "check/timeline/online/window_history.h"
#include "check/timeline/timeline.h"

namespace isolde::timeline {

// What it touches is judged when its own place is settled, or given up.
void Online::open_place(std::uint32_t txn) {
  TxnRecord& r = window_.at(txn);
  if ((r.flags & kCountedOpen) != 0) return;
  r.flags |= kOpenPlace | kCountedOpen;
  if (open_count_++ == 0) open_since_ = r.arrived;
  mark_keys(txn);
}

void Online::mark_keys(std::uint32_t txn) {
  const TxnRecord& r = window_.at(txn);
  Window::Held& held = window_.held(r);
  for_each_access(held.chunk->history, r.txn, [&](const Access& a) {
    const std::uint32_t number = number_of(held, a.key);
    KeyTimeline& key = keys_.at(number);
    if ((key.flags & kOpenKey) != 0) return;
    key.flags |= kOpenKey;
    open_keys_.push_back(number);
  });
}

// Its writes may have been seen by anybody, at any time.
void Online::cloud(std::uint32_t txn) {
  const TxnRecord& r = window_.at(txn);
  Window::Held& held = window_.held(r);
  for_each_access(held.chunk->history, r.txn, [&](const Access& a) {
    if (a.kind == OpKind::kRead) return;
    KeyTimeline& key = keys_.at(number_of(held, a.key));
    key.flags |= kCloudyKey;
    if (a.kind != OpKind::kWrite || cloud_.size() >= most_cloud_) {
      key.flags |= kCloudyRich;
      any_cloudy_rich_ = true;
    } else {
      cloud_.insert(pair_of(key.key, held.chunk->value(a.value)));
    }
  });
}

void Online::forget_open(std::uint32_t txn) {
  TxnRecord& r = window_.at(txn);
  if ((r.flags & kCountedOpen) == 0) return;
  r.flags &= static_cast<std::uint16_t>(~kCountedOpen);
  cloud(txn);
  if (--open_count_ == 0) close_keys();
}

void Online::close_keys() {
  for (const std::uint32_t number : open_keys_) keys_.at(number).flags &= static_cast<std::uint8_t>(~kOpenKey);
  open_keys_.clear();
}

// In the order of their ids where that keeps each session's order, as a file would have them.
std::vector<std::uint32_t> Online::in_file_order() const {
  std::vector<std::uint32_t> order;
  for (std::uint32_t t = window_.first(); t != window_.next(); ++t) order.push_back(t);
  std::vector<std::uint32_t> sorted = order;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return raw64(window_.at(a).id) < raw64(window_.at(b).id); });
  std::unordered_map<std::uint64_t, std::uint32_t> last;
  for (const std::uint32_t t : sorted) {
    const TxnRecord& r = window_.at(t);
    const auto [at, fresh] = last.emplace(raw64(window_.held(r).chunk->session(r.txn)), t);
    if (!fresh && arrived_before(t, at->second)) return order;
    at->second = t;
  }
  return sorted;
}

// The state before all that the window holds; opaque if a version in between is of one that is not held any more.
State Online::before_window(KeyTimeline& key) {
  keys_.trim(key, window_.first());
  for (const Block* block = key.head; block != nullptr; block = block->next) {
    for (std::uint32_t i = 0; i < block->count; ++i) {
      const Entry& e = block->entries()[i];
      if (e.is_write() && !window_.holds(e.txn)) return {0, StateKind::kOpaque};
    }
  }
  return key.base();
}

// Replays what touches the open keys with the engine `timeline`, and tells what it finds. `all`: nothing more comes;
// else only those whose deadline is over are told of, or settled.
void Online::settle(bool all) {
  apply_staged();
  const bool whole = !released_any_ && asks_predicates_ && can_ask();
  WindowHistory made(whole);
  bool unclear = false;  // which key a name of the header is
  bool blind = false;    // what a key held is forgotten, so that others might seem to explain its reads
  std::unordered_set<std::uint64_t> left_out;  // keys of which nobody knows what they held before: nothing is said
  const auto add_key = [&](const Chunk& chunk, KeyId k) {
    const Fingerprint fingerprint = chunk.key(k);
    const std::uint32_t number = keys_.find(fingerprint);
    if (made.has_key(fingerprint) || left_out.contains(raw64(fingerprint))) return;
    if (header_keys_.is_real(fingerprint) != HeaderKeys::Real::kYes) {
      unclear = unclear || header_keys_.is_real(fingerprint) == HeaderKeys::Real::kUnclear;
      return;
    }
    const State before = number != kNone32                 ? before_window(keys_.at(number))
                         : given_up_.may_hold(fingerprint) ? State{0, StateKind::kOpaque}
                                                           : initial_of(fingerprint);
    blind = blind || (before.kind == StateKind::kOpaque && given_up_until_ != kNoTime);
    if (before.kind == StateKind::kOpaque) {
      left_out.insert(raw64(fingerprint));
      return;
    }
    const bool past = number != kNone32 && keys_.at(number).base_time != kNoTime;
    const auto initial = initial_value(fingerprint);
    const bool known = !past && initial && before.kind != StateKind::kOpaque;
    made.add_key(chunk, k, before, known ? head_ : nullptr, initial.value_or(kNullValue));
  };
  if (head_) made.set_default_initial(*head_, head_->default_initial());
  const auto add_all = [&](const Chunk& chunk) {
    for (std::uint32_t k = 0; k < chunk.history.key_count(); ++k) add_key(chunk, KeyId{k});
  };
  if (whole && head_ != nullptr) add_all(*head_chunk_);
  if (whole)
    window_.for_each_chunk([&](std::uint32_t, const Window::Held& held) {
      if (held.chunk != nullptr) add_all(*held.chunk);
    });
  for (std::uint32_t t = window_.first(); t != window_.next(); ++t) {
    const TxnRecord& r = window_.at(t);
    const Window::Held& held = window_.held(r);
    for_each_access(held.chunk->history, r.txn, [&](const Access& a) {
      const std::uint32_t number = held.key[raw(a.key)];
      if (number != kNone32 && (keys_.at(number).flags & kOpenKey) != 0) add_key(*held.chunk, a.key);
    });
  }
  for (const std::uint32_t t : in_file_order()) {
    const TxnRecord& r = window_.at(t);
    made.add_txn(*window_.held(r).chunk, r.txn, t);  // whoever has no place may stand anywhere among all the others
  }
  counts_.unchecked += left_out.size() + (unclear && whole ? 1 : 0);
  const std::optional<History> history = made.finish();
  if (!history || blind) {
    ++counts_.unchecked;
  } else {
    const Verdict verdict = timeline::judge(*history, level_.level, Limits{}, Clock::kTimestamps);
    if (verdict.outcome == Outcome::kViolated) {
      for (const Anomaly& a : verdict.anomalies) report_settled(made, *history, a, all);
    } else if (verdict.outcome == Outcome::kUndecided) {
      ++counts_.unchecked;
    } else {
      adopt(made, *history, verdict, all);
    }
  }
  close_keys();
  for (std::uint32_t t = window_.first(); t != judged_; ++t) {
    window_.at(t).flags &= static_cast<std::uint16_t>(~kDeferred);
  }
  settled_ = judged_;
  const std::size_t before = open_count_;
  open_count_ = 0;
  for (std::uint32_t t = window_.first(); before > 0 && t != window_.next(); ++t) {
    TxnRecord& r = window_.at(t);
    if ((r.flags & kCountedOpen) == 0) continue;
    if (all || arrived_before(t, judged_)) {
      r.flags &= static_cast<std::uint16_t>(~kCountedOpen);
      const bool has_sure_commit = r.commit != kNoTime && (r.flags & (kUnknownOutcome | kChained | kAdopted)) == 0;
      if (!has_sure_commit) cloud(t);
    } else {
      if (open_count_++ == 0) open_since_ = r.arrived;
      mark_keys(t);
    }
  }
}

void Online::report_settled(const WindowHistory& made, const History& history, const Anomaly& a, bool all) {
  const std::uint32_t txn = made.number_of(a.transactions[0]);
  const TxnRecord& r = window_.at(txn);
  // Those whose deadline is not over may still be explained; those that were settled or judged before are.
  const bool of_order = a.kind == AnomalyKind::kSessionOrder || a.kind == AnomalyKind::kRealtimeOrder;
  if (!arrived_before(txn, judged_)) return;
  if (a.kind == AnomalyKind::kResultSetMismatch) {
    if (!all) return;  // predicates are asked at the end
  } else if (of_order ? arrived_before(txn, settled_) : (r.flags & kDeferred) == 0) {
    return;
  }
  bool opaque = a.key != kNoKey && made.is_opaque(a.key);
  for (const Step& step : a.steps) opaque = opaque || (step.key != kNoKey && made.is_opaque(step.key));
  if (opaque) {
    ++counts_.unchecked;
    return;
  }
  if (!of_order && is_excused(r, a.key == kNoKey ? kNullFingerprint : made.fingerprint_of(a.key))) {
    ++counts_.unchecked;
    return;
  }
  OnlineViolation v;
  v.kind = a.kind;
  v.variant = a.variant;
  for (const TxnId t : a.transactions) v.transactions.push_back(id_of(window_.at(made.number_of(t))));
  for (const Step& step : a.steps) {
    const auto place = [&](TxnId t) {
      return static_cast<std::uint32_t>(std::find(a.transactions.begin(), a.transactions.end(), t) -
                                        a.transactions.begin());
    };
    const std::uint32_t from = place(step.from), to = place(step.to);
    if (from != to && std::max(from, to) < a.transactions.size())
      v.steps.push_back(
          {from, to, step.type, step.key == kNoKey ? std::string() : names_.text(made.fingerprint_of(step.key))});
  }
  const bool of_state = a.kind == AnomalyKind::kGSIb && serial_ && a.transactions.size() > 1;
  if (of_state && skewed(window_.at(made.number_of(a.transactions[1])), r)) v.kind = AnomalyKind::kWriteSkew;
  if (a.key != kNoKey) v.key = names_.text(made.fingerprint_of(a.key));
  if (a.source != ReadSource::kNotARead) {
    v.read = history.value_text(a.read);
    if (a.expected_known) v.expected = a.expected_text.empty() ? history.value_text(a.expected) : a.expected_text;
  }
  switch (a.kind) {
    case AnomalyKind::kInternal:
      v.rule = "INT";
      break;
    case AnomalyKind::kSessionOrder:
      v.rule = "SESSION";
      break;
    case AnomalyKind::kRealtimeOrder:
      v.rule = "REALTIME";
      break;
    case AnomalyKind::kTimestampOrder:
      v.rule = "TIMESTAMP";
      break;
    case AnomalyKind::kResultSetMismatch:
      v.rule = "PREDICATE";
      break;
    default:
      v.rule = a.source == ReadSource::kNotARead && a.kind != AnomalyKind::kGSingle ? "NOCONFLICT" : "EXT";
      break;
  }
  v.text = fmt::format("{}: {}", v.transactions[0], info(v.kind).summary);
  if (!v.key.empty()) v.text += fmt::format(" Key {}", v.key);
  if (!v.read.empty()) v.text += fmt::format(", read {}", v.read);
  if (!v.expected.empty()) v.text += fmt::format(", expected {}", v.expected);
  v.text += '.';
  const bool any_state = a.kind != AnomalyKind::kInternal && !of_order && reads_dropped(r);
  tell(std::move(v), raw64(r.id), a.key == kNoKey ? kNullFingerprint : made.fingerprint_of(a.key),
       any_state ? "a state that is not held any more may explain it" : "");
}

// Whether it reads a key at a moment before the window, or may do so, since nobody knows when it read.
bool Online::reads_dropped(const TxnRecord& r) const {
  const Window::Held& held = window_.held(r);
  const std::int64_t time = serial_ ? r.commit : held.chunk->history.start_ts(r.txn);
  bool dropped = false;
  for_each_access(held.chunk->history, r.txn, [&](const Access& a) {
    const std::uint32_t number = held.key[raw(a.key)];
    if (a.kind != OpKind::kRead || number == kNone32) return;
    const KeyTimeline& key = keys_.at(number);
    dropped = dropped || (key.base_time != kNoTime && (time == kNoTime || time <= key.base_time));
  });
  return dropped;
}

// Whether a transaction that was given up may explain what it read (of that key; kNullFingerprint: of any).
bool Online::is_excused(const TxnRecord& r, Fingerprint key) const {
  if (cloud_.empty() && !any_cloudy_rich_) return false;
  const Window::Held& held = window_.held(r);
  bool excused = false;
  for_each_access(held.chunk->history, r.txn, [&](const Access& a) {
    const std::uint32_t number = held.key[raw(a.key)];
    if (number == kNone32 || a.kind != OpKind::kRead) return;
    const KeyTimeline& k = keys_.at(number);
    if (key != kNullFingerprint && k.key != key) return;
    const bool list = held.chunk->history.values().type(a.value) == ValueType::kList;
    excused = excused || is_cloudy(k, held.chunk->value(a.value), list);
  });
  return excused;
}

// Those whose place was found by who saw them are versions from now on.
void Online::adopt(const WindowHistory& made, const History& history, const Verdict& verdict, bool all) {
  if (all) return;
  const bool points = verdict.witness.kind == Witness::Kind::kPoints;
  std::int64_t next = kNoTime;  // time of the event behind
  const std::vector<std::uint32_t>& events = verdict.witness.events;
  for (std::size_t i = events.size(); i-- > 0;) {
    const TxnId t{points ? events[i] >> 1 : events[i]};
    const bool is_commit = !points || (events[i] & 1) != 0;
    const std::uint32_t txn = made.number_of(t);
    TxnRecord& r = window_.at(txn);
    const bool floats = (r.flags & (kUnknownOutcome | kAdopted)) != 0 || r.commit == kNoTime;
    if (!floats) {
      if ((r.flags & (kOpenPlace)) == 0) next = is_commit && points ? r.commit : r.start;
      continue;
    }
    if (!is_commit || !arrived_before(txn, judged_) || (r.flags & kAdopted) != 0) continue;
    const std::int64_t own = history.commit_ts(t);
    if (own == kNoTime && next == kNoTime) continue;
    r.commit = own != kNoTime ? own : next;
    r.write_order =
        own != kNoTime ? (serial_ ? kSerialWrite : kCommitOrder) : (serial_ ? kSerialPlacedWrite : kPlacedWrite);
    r.flags |= kAdopted;
    adopting_ = true;
    put_adopted(txn);
    adopting_ = false;
  }
}

}  // namespace isolde::timeline
