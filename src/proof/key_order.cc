#include "proof/key_order.h"

#include <algorithm>

namespace isolde::proof {
namespace {

constexpr std::uint32_t kFirst = kNone32 - 1;  // as a predecessor: the initial state

}  // namespace

KeyOrder::KeyOrder(const History& history, KeyId key, Rule rule, std::vector<Writer> writers, std::vector<Read> reads,
                   Others others)
    : h_(history),
      key_(key),
      rule_(rule),
      writers_(std::move(writers)),
      reads_(std::move(reads)),
      others_(std::move(others)) {
  bool is_written = false;
  for (std::uint32_t i = 0; i < writers_.size(); ++i) {
    place_[raw(writers_[i].txn)] = i;
    for (const Touch& w : writers_[i].writes) {
      is_list_ |= w.kind == OpKind::kAppend;
      is_written |= w.kind == OpKind::kWrite;
      is_told_by_value_ &= w.kind != OpKind::kIncrement;
      auto& all = values_[raw(w.value)];
      if (all.empty() || all.back() != i) all.push_back(i);
    }
  }
  is_told_by_value_ &= !(is_list_ && is_written);
  given_pairs();
  list_places();
  find_runs();
}

bool KeyOrder::others_wrote(ValueId value, std::uint8_t how) const {
  const auto at = others_.find(raw(value));
  return at != others_.end() && (at->second & how) != 0;
}

std::uint32_t KeyOrder::only_writer(ValueId value) const {
  if (value == h_.initial(key_) || others_wrote(value, kMayHaveWritten | kAborted)) return kNone32;
  const auto at = values_.find(raw(value));
  return at == values_.end() || at->second.size() != 1 ? kNone32 : at->second[0];
}

const KeyOrder::Writer* KeyOrder::writer(TxnId t) const {
  const auto at = place_.find(raw(t));
  return at == place_.end() ? nullptr : &writers_[at->second];
}

const KeyOrder::Read* KeyOrder::read(TxnId txn, OpId op) const {
  const auto at =
      std::find_if(reads_.begin(), reads_.end(), [&](const Read& r) { return r.txn == txn && r.touch.op == op; });
  return at == reads_.end() ? nullptr : &*at;
}

std::optional<std::span<const ValueId>> KeyOrder::others(const Read& read) const {
  const auto elements = h_.values().elements(read.touch.value);
  if (!elements || rule_ == Rule::kUnread) return elements;
  if (elements->size() < read.own.size() || !std::equal(read.own.rbegin(), read.own.rend(), elements->rbegin()))
    return std::nullopt;
  return elements->first(elements->size() - read.own.size());
}

std::optional<std::vector<std::uint32_t>> KeyOrder::pieces(std::span<const ValueId> list) const {
  std::vector<std::uint32_t> out;
  const auto initial = h_.values().elements(h_.initial(key_));
  if (!initial || list.size() < initial->size() || !std::equal(initial->begin(), initial->end(), list.begin()))
    return std::nullopt;
  for (std::size_t i = initial->size(); i < list.size();) {
    const auto at = values_.find(raw(list[i]));
    if (at == values_.end() || at->second.size() != 1 || others_wrote(list[i], kMayHaveWritten)) return std::nullopt;
    out.push_back(at->second[0]);
    for (const Touch& touch : writers_[out.back()].writes) {
      if (i == list.size() || list[i++] != touch.value) return std::nullopt;
    }
  }
  return out;
}

std::optional<TxnId> KeyOrder::version_read(TxnId txn, OpId op) const {
  const Read* const found = read(txn, op);
  return found == nullptr ? std::nullopt : version(*found);
}

std::optional<TxnId> KeyOrder::version(const Read& read) const {
  const ValueId value = read.touch.value;
  if (!is_told_by_value_) return std::nullopt;
  if (is_list_) {
    const auto list = others(read);
    const auto found = list ? pieces(*list) : std::nullopt;
    if (!found) return std::nullopt;
    if (found->empty()) return kNoTxn;
    return writers_[found->back()].txn == read.txn ? std::nullopt : std::optional(writers_[found->back()].txn);
  }
  // Whoever left it: the initial state, or exactly one other.
  if (others_wrote(value, kMayHaveLeft)) return std::nullopt;
  std::optional<TxnId> found;
  if (value == h_.initial(key_)) found = kNoTxn;
  const auto at = values_.find(raw(value));
  if (at == values_.end()) return found;
  for (const std::uint32_t place : at->second) {
    const Writer& w = writers_[place];
    if (w.writes.back().value != value || w.txn == read.txn) continue;
    if (found) return std::nullopt;
    found = w.txn;
  }
  return found;
}

void KeyOrder::given_pairs() {
  for (const VersionOrder& order : h_.columns().version_orders) {
    if (order.key != key_) continue;
    std::vector<std::uint32_t> sequence;
    for (const std::uint32_t entry : h_.columns().version_entries.subspan(order.first, order.count)) {
      if (order.by_txn != 0) {
        if (const auto at = place_.find(entry); at != place_.end()) sequence.push_back(at->second);
      } else if (const std::uint32_t writer = only_writer(ValueId{entry}); writer != kNone32) {
        sequence.push_back(writer);
      }
    }
    given_next_.resize(writers_.size());
    for (std::size_t i = 1; i < sequence.size(); ++i) {
      if (sequence[i - 1] != sequence[i]) given_next_[sequence[i - 1]].push_back(sequence[i]);
    }
    given_.push_back(std::move(sequence));
  }
}

void KeyOrder::list_places() {
  if (!is_list_) return;
  std::span<const ValueId> longest;
  for (const Read& read : reads_) {
    if (read.again || (rule_ == Rule::kUnread && h_.status(read.txn) != Status::kCommitted)) continue;
    if (const auto list = others(read); list && list->size() > longest.size()) longest = *list;
  }
  if (rule_ != Rule::kUnread) {
    if (const auto found = pieces(longest)) shown_ = *found;
    return;
  }
  for (const ValueId element : longest) {
    const auto at = values_.find(raw(element));
    if (at == values_.end() || at->second.size() != 1) continue;
    if (shown_.empty() || shown_.back() != at->second[0]) shown_.push_back(at->second[0]);
  }
}

void KeyOrder::link(std::uint32_t before, std::uint32_t after) {
  if (before == after || previous_[after] != kNone32) return;
  if (before == kFirst) {
    if (std::find(previous_.begin(), previous_.end(), kFirst) != previous_.end()) return;
  } else {
    if (next_[before] != kNone32) return;
    next_[before] = after;
  }
  previous_[after] = before;
}

// Runs of versions each of which comes right after the one before.
void KeyOrder::find_runs() {
  const auto n = static_cast<std::uint32_t>(writers_.size());
  next_.assign(n, kNone32);
  previous_.assign(n, kNone32);
  run_.assign(n, kNone32);
  rank_.assign(n, 0);
  if (rule_ == Rule::kUnread) return;
  for (std::size_t i = 0; i < shown_.size(); ++i) link(i == 0 ? kFirst : shown_[i - 1], shown_[i]);
  if (rule_ == Rule::kFollow) {
    // Each that updated a version comes right after it; of two that did, nobody knows which.
    std::unordered_map<std::uint32_t, std::uint32_t> updates;
    const auto place = [this](TxnId t) { return t == kNoTxn ? kFirst : place_.at(raw(t)); };
    for (const Read& read : reads_) {
      const auto seen = version(read);
      if (!seen || read.again || !writes(read.txn)) continue;
      if (updated_.insert({raw(read.txn), raw(*seen)}).second) ++updates[place(*seen)];
    }
    for (const Read& read : reads_) {
      const auto seen = version(read);
      if (seen && !read.again && writes(read.txn) && updates[place(*seen)] == 1)
        link(place(*seen), place_.at(raw(read.txn)));
    }
  }
  if (rule_ == Rule::kMaySkip) {
    for (const Read& read : reads_) {
      const auto seen = version(read);
      if (seen && !read.again && writes(read.txn)) updated_.insert({raw(read.txn), raw(*seen)});
    }
  }
  std::uint32_t runs = 0;
  std::uint32_t first_run = kNone32;
  for (std::uint32_t head = 0; head < n; ++head) {
    if (previous_[head] != kNone32 && previous_[head] != kFirst) continue;
    if (previous_[head] == kFirst) first_run = runs;
    std::uint32_t rank = 0;
    for (std::uint32_t v = head; v != kNone32; v = next_[v]) {
      run_[v] = runs;
      rank_[v] = rank++;
    }
    ++runs;
  }
  after_.resize(runs);
  for (const auto& sequence : given_) {
    for (std::size_t i = 1; i < sequence.size(); ++i) {
      const std::uint32_t a = run_[sequence[i - 1]];
      const std::uint32_t b = run_[sequence[i]];
      if (a != b && a != kNone32 && b != kNone32) after_[a].push_back(b);
    }
  }
  for (const auto& [reader, seen] : updated_) {
    if (seen == kNone32) continue;
    const std::uint32_t a = run_[place_.at(seen)];
    const std::uint32_t b = run_[place_.at(reader)];
    if (a != b && a != kNone32 && b != kNone32) after_[a].push_back(b);
  }
  for (std::uint32_t r = 0; first_run != kNone32 && r < runs; ++r) {
    if (r != first_run) after_[first_run].push_back(r);
  }
}

std::vector<TxnId> KeyOrder::run_of(TxnId t) const {
  const auto at = place_.find(raw(t));
  if (at == place_.end() || run_[at->second] == kNone32) return {t};
  std::vector<TxnId> out;
  for (std::uint32_t i = 0; i < writers_.size(); ++i) {
    if (run_[i] == run_[at->second]) out.push_back(writers_[i].txn);
  }
  return out;
}

bool KeyOrder::before(TxnId a, TxnId b) const {
  if (a == b || !writes(a) || !writes(b)) return false;
  const std::uint32_t x = place_.at(raw(a));
  const std::uint32_t y = place_.at(raw(b));
  if (is_given(x, y)) return true;
  // Shown by a list, or not there when the other is.
  const auto at = std::find(shown_.begin(), shown_.end(), x);
  if (at != shown_.end() && std::find(at, shown_.end(), y) != shown_.end()) return true;
  if (rule_ == Rule::kUnread) return false;
  if (at != shown_.end() && std::find(shown_.begin(), shown_.end(), y) == shown_.end()) return true;
  // The one updated the initial state, or the other updated the one's version.
  if (updated_.contains({raw(a), kNone32}) && rule_ == Rule::kFollow) return true;
  if (updated_.contains({raw(b), raw(a)})) return true;
  // By runs.
  if (run_[x] == kNone32 || run_[y] == kNone32) {
    for (std::uint32_t v = next_[x], steps = 0; v != kNone32 && steps < writers_.size(); v = next_[v], ++steps) {
      if (v == y) return true;
    }
    return false;
  }
  if (run_[x] == run_[y]) return rank_[x] < rank_[y];
  std::vector<std::uint32_t> queue{run_[x]};
  std::vector<bool> reached(after_.size(), false);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t next : after_[queue[i]]) {
      if (next == run_[y]) return true;
      if (!reached[next]) queue.push_back(next);
      reached[next] = true;
    }
  }
  return false;
}

// By one line, or by several that meet.
bool KeyOrder::is_given(std::uint32_t x, std::uint32_t y) const {
  if (given_next_.empty()) return false;
  std::vector<std::uint32_t> queue{x};
  std::vector<bool> reached(writers_.size(), false);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t next : given_next_[queue[i]]) {
      if (next == y) return true;
      if (!reached[next]) queue.push_back(next);
      reached[next] = true;
    }
  }
  return false;
}

bool KeyOrder::before(TxnId a, TxnId b, Ground ground) const {
  switch (ground) {
    case Ground::kTimestamps:
    case Ground::kSnapshot:
      break;
    case Ground::kList:
      return is_list_ && before(a, b);
    case Ground::kGiven:
      return !given_.empty() && before(a, b);
    case Ground::kUpdate:
      return !updated_.empty() && before(a, b);
    default:
      return before(a, b);
  }
  if (before(a, b)) return true;
  // What was read and given comes first.
  if (a == b || !writes(a) || !writes(b) || before(b, a)) return false;
  const std::uint32_t x = place_.at(raw(a));
  const std::uint32_t y = place_.at(raw(b));
  if (evidence_says(x, y, ground)) return true;
  // Nothing lies within a run: one pair orders two runs.
  if (rule_ == Rule::kUnread || run_[x] == kNone32 || run_[y] == kNone32 || run_[x] == run_[y]) return false;
  std::vector<std::uint32_t> first, second;
  for (std::uint32_t p = 0; p < writers_.size(); ++p) {
    const bool tells = ground == Ground::kSnapshot || h_.commit_ts(writers_[p].txn) != kNoTime;
    if (run_[p] == run_[x] && tells) first.push_back(p);
    if (run_[p] == run_[y] && tells) second.push_back(p);
  }
  if (ground == Ground::kTimestamps && !first.empty() && !second.empty()) {
    const auto by_time = [this](auto p, auto q) {
      return h_.commit_ts(writers_[p].txn) < h_.commit_ts(writers_[q].txn);
    };
    return evidence_says(*std::min_element(first.begin(), first.end(), by_time),
                         *std::max_element(second.begin(), second.end(), by_time), ground);
  }
  return std::any_of(first.begin(), first.end(), [&](std::uint32_t p) {
    return std::any_of(second.begin(), second.end(), [&](std::uint32_t q) { return evidence_says(p, q, ground); });
  });
}

bool KeyOrder::evidence_says(std::uint32_t x, std::uint32_t y, Ground ground) const {
  const TxnId a = writers_[x].txn;
  const TxnId b = writers_[y].txn;
  if (ground == Ground::kTimestamps) {
    return h_.commit_ts(a) != kNoTime && h_.commit_ts(b) != kNoTime && h_.commit_ts(a) < h_.commit_ts(b);
  }
  const Snapshot* const first = h_.snapshot(a);
  const Snapshot* const second = h_.snapshot(b);
  if (first == nullptr || second == nullptr || first->has_xid == 0) return false;
  if (first->xid < second->xmin) return true;
  const auto active = h_.columns().active_xids.subspan(second->active, second->active_count);
  return first->xid < second->xmax && std::find(active.begin(), active.end(), first->xid) == active.end();
}

}  // namespace isolde::proof
