// check/timeline/online: predicates of a stream that never ends.
//
// A predicate is asked of the state at its transaction's place, over all keys. As long as all that happened is held,
// the window is replayed once, at the end (settle.cc). A longer stream is asked in pieces: when the window has grown to
// its share of memory, the state before it and all that it holds are replayed by the engine `timeline`, and whoever's
// deadline is over is told, once. Then what is old is released as always; the rows that it leaves to its keys are kept
// by their fingerprints (RowValues), so that the next piece begins with them.
// Always:  a transaction that reads before what has been summed up, keys that were given up, lists that were begun
// before
//          the window, rows for which there is no room: nothing is said, and the transaction counts as unchecked.
// Cost:    a piece costs its transactions, twice in memory while it lasts, and all keys; pieces are an eighth of the
//          memory limit, or half of the window.
#include <algorithm>

#include "check/timeline/online/engine.h"
#include "check/timeline/online/window_history.h"
#include "check/timeline/timeline.h"

namespace isolde::timeline {

// Every key with what it held before the window. `latest`: no version among these is newer. False: one is not known.
bool Online::add_known_keys(WindowHistory& made, std::int64_t& latest) {
  if (given_up_until_ != kNoTime || lost_values_) return false;
  // Keys that nobody wrote, and that nobody in the window names, would hold it.
  if (released_any_ && head_ != nullptr && head_->default_initial() != kNullValue) return false;
  for (std::uint32_t k = 0; k < keys_.size(); ++k) {
    KeyTimeline& key = keys_.at(k);
    const State before = before_window(key);
    const HeaderKeys::Real real = header_keys_.is_real(key.key);
    if (real == HeaderKeys::Real::kNo) continue;
    if (real == HeaderKeys::Real::kUnclear || before.rich()) return false;
    if (key.base_time == kNoTime) continue;  // what it held at first: it is in the header, or a chunk has it
    const auto name = rows_.find(key.key), value = rows_.find(Fingerprint{before.bits});
    if (!name || !value) return false;
    latest = std::max(latest, key.base_time);
    made.add_key(key.key, rows_.table(), *name, *value);
  }
  const auto add_initial = [&](const Chunk& chunk) {
    for (std::uint32_t k = 0; k < chunk.history.key_count(); ++k) {
      const Fingerprint fingerprint = chunk.key(KeyId{k});
      if (made.has_key(fingerprint) || header_keys_.is_real(fingerprint) != HeaderKeys::Real::kYes) continue;
      const auto initial = initial_value(fingerprint);
      made.add_key(chunk, KeyId{k}, initial_of(fingerprint), initial ? head_ : nullptr, initial.value_or(kNullValue));
    }
  };
  if (head_ != nullptr) add_initial(*head_chunk_);
  window_.for_each_chunk([&](std::uint32_t, const Window::Held& held) {
    if (held.chunk != nullptr) add_initial(*held.chunk);
  });
  return true;
}

// `all`: nothing more comes; else only those whose deadline is over.
void Online::ask_predicates(bool all) {
  apply_staged();
  next_asked_ = window_.next() + static_cast<std::uint32_t>(window_.size() / 2);
  std::vector<std::uint32_t> asked;
  for (std::uint32_t t = window_.first(); t != window_.next(); ++t) {
    const TxnRecord& r = window_.at(t);
    if ((r.flags & kPredicates) == 0 || (r.flags & (kAsked | kAborted)) != 0) continue;
    if (all || arrived_before(t, judged_)) asked.push_back(t);
  }
  if (asked.empty()) return;
  for (const std::uint32_t t : asked) window_.at(t).flags |= kAsked;
  WindowHistory made(true);
  std::int64_t latest = kNoTime;
  if (head_ != nullptr) made.set_default_initial(*head_, head_->default_initial());
  if (!can_ask() || !add_known_keys(made, latest)) {
    unasked_ += asked.size();
    return;
  }
  for (const std::uint32_t t : in_file_order()) {
    const TxnRecord& r = window_.at(t);
    made.add_txn(*window_.held(r).chunk, r.txn, t);
  }
  const std::optional<History> history = made.finish();
  const Verdict verdict = history ? timeline::judge(*history, level_.level, Limits{}, Clock::kTimestamps) : Verdict{};
  if (!history || verdict.outcome == Outcome::kUndecided) {
    unasked_ += asked.size();
    return;
  }
  // Who reads before what is summed up has another state.
  const auto reads_past = [&](const TxnRecord& r) {
    return latest != kNoTime && (r.start == kNoTime || r.start <= latest);
  };
  unasked_ += static_cast<std::uint64_t>(
      std::count_if(asked.begin(), asked.end(), [&](std::uint32_t t) { return reads_past(window_.at(t)); }));
  for (const Anomaly& a : verdict.anomalies) {
    if (a.kind != AnomalyKind::kResultSetMismatch) continue;
    const std::uint32_t t = made.number_of(a.transactions[0]);
    if (!std::binary_search(asked.begin(), asked.end(), t) || reads_past(window_.at(t))) continue;
    report_settled(made, *history, a, true);
  }
}

// What it leaves to its keys may soon be what they held before the window.
void Online::note_released(const TxnRecord& r) {
  if ((r.flags & kPredicates) != 0 && (r.flags & (kAsked | kAborted)) == 0) ++unasked_;
  if ((r.flags & kAborted) != 0 || lost_values_) return;
  const std::size_t limit = options_.memory_limit / 16;
  if (rows_.bytes() >= limit / 8 * 7) {
    sweep_rows();
    lost_values_ = rows_.bytes() >= limit / 8 * 6;  // they would have to be swept again at once
  }
  const Chunk& chunk = *window_.held(r).chunk;
  const ValueTable& values = chunk.history.values();
  for_each_access(chunk.history, r.txn, [&](const Access& a) {
    if (a.kind == OpKind::kRead) return;
    const bool kept = rows_.add(values, chunk.history.columns().key_name[raw(a.key)], chunk.key(a.key), limit) &&
                      rows_.add(values, a.value, chunk.value(a.value), limit);
    lost_values_ = lost_values_ || !kept;
  });
  if (lost_values_) rows_ = RowValues();
}

void Online::sweep_rows() {
  std::unordered_set<std::uint64_t> live;
  for (std::uint32_t k = 0; k < keys_.size(); ++k) {
    KeyTimeline& key = keys_.at(k);
    keys_.trim(key, window_.first());
    live.insert(raw64(key.key));
    live.insert(key.base_bits);
    for (const Block* block = key.head; block != nullptr; block = block->next) {
      for (std::uint32_t i = 0; i < block->count; ++i) {
        const Entry& e = block->entries()[i];
        if (e.is_write() && !window_.holds(e.txn)) live.insert(e.behind().bits);
      }
    }
  }
  rows_.sweep(live);
}

}  // namespace isolde::timeline
