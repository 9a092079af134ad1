#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "check/timeline/online/engine.h"

namespace isolde::timeline {
namespace {

constexpr std::size_t kMostTold = std::size_t{1} << 20;

std::string without_quotes(std::string text) {
  if (text.size() >= 2 && text.front() == '"' && text.find('\\') == std::string::npos)
    text = text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

void Online::judge(std::uint32_t txn, bool early) {
  TxnRecord& r = window_.at(txn);
  ++counts_.checked;
  if (open_count_ > 0) defer(r);
  while (!late_reads_.empty() && !arrived_before(txn, late_reads_.front().txn)) {
    const LateRead& late = late_reads_.front();
    const TxnRecord& of = window_.at(late.txn);
    const Broken read{late.txn,      late.key,           kNone32, of.start, raw64(of.id), late.value,
                      of.read_order, AnomalyKind::kGSIb, {}};
    const OwnTop* const own = late.on_own ? &late.top : nullptr;
    if (!early || !postpone(read, keys_.at(late.key).key, of.arrived, own)) judge_late(late, early);
    late_reads_.pop_front();
  }
  while (!broken_.empty() && !arrived_before(txn, broken_.front().by)) {
    const Broken& read = broken_.front();
    const KeyTimeline& key = keys_.at(read.key);
    // Of one that read on top of its own appends the index may still have these.
    const Place at = read.reader_txn == kNone32 ? Place{nullptr, 0}
                                                : KeyIndex::find_entry(key, read.time, read.order, read.reader_txn);
    const OwnTop* const own = at.valid() && at.entry().kind == EntryKind::kReadOnOwn ? &keys_.top(at.entry()) : nullptr;
    if (!early || !postpone(read, key.key, window_.at(read.by).arrived, own)) judge_broken(read, false, nullptr, early);
    broken_.pop_front();
  }
  if (r.wrong == 0) return;
  std::vector<std::uint32_t> seen;
  const Window::Held& held = window_.held(r);
  for_each_access(held.chunk->history, r.txn, [&](const Access& a) {
    if (a.kind != OpKind::kRead) return;
    const std::uint32_t number = held.key[raw(a.key)];
    if (number == kNone32 || std::find(seen.begin(), seen.end(), number) != seen.end()) return;
    seen.push_back(number);
    const KeyTimeline& key = keys_.at(number);
    const Place at = KeyIndex::find_entry(key, r.start, r.read_order, txn);
    if (!at.valid() || !at.entry().is_wrong() || (key.flags & kOpenKey) != 0) return;
    if (early) {
      const Wrong wrong = wrong_of(txn, key, at);
      if (is_cloudy(key, wrong.read, wrong.state.rich() || wrong.own != nullptr)) {
        ++counts_.unchecked;
        return;
      }
      const bool internal = wrong.own != nullptr && !wrong.own->ends_with_own;
      const AnomalyKind kind = internal ? AnomalyKind::kInternal : name_of(wrong).kind;
      const Broken read{txn, number, txn, r.start, raw64(r.id), wrong.read, r.read_order, kind, {}};
      if (postpone(read, key.key, r.arrived, wrong.own)) return;
    }
    report_read(txn, key, at, early ? "memory ran out before its deadline was over" : "");
  });
}

// A read of a held transaction that does not show its state.
void Online::report_read(std::uint32_t txn, const KeyTimeline& key, Place at, std::string_view suspect) {
  report_external(wrong_of(txn, key, at), suspect);
}

Online::Wrong Online::wrong_of(std::uint32_t txn, const KeyTimeline& key, Place at) const {
  const Entry& entry = at.entry();
  Place version = prev_of(at);
  while (version.valid() && !version.entry().is_write()) version = prev_of(version);
  Wrong wrong{txn, &key, Fingerprint{entry.value}, nullptr, entry.behind(), true, 0, kNone32};
  if (entry.kind == EntryKind::kReadOnOwn) {
    wrong.own = &keys_.top(entry);
    wrong.read = wrong.own->read;
  }
  if (version.valid()) {
    wrong.writer = version.entry().writer;
    wrong.writer_txn = version.entry().txn;
  } else {
    wrong.writer = key.base_writer;
    wrong.has_writer = key.base_time != kNoTime;
  }
  return wrong;
}

void Online::defer(TxnRecord& r) const {
  const Window::Held& held = window_.held(r);
  for_each_access(held.chunk->history, r.txn, [&](const Access& a) {
    const std::uint32_t number = held.key[raw(a.key)];
    if (number != kNone32 && (keys_.at(number).flags & kOpenKey) != 0) r.flags |= kDeferred;
  });
  if ((r.flags & kCountedOpen) != 0) r.flags |= kDeferred;
}

// One that was never placed may be why.
bool Online::is_cloudy(const KeyTimeline& key, Fingerprint read, bool rich) const {
  if ((key.flags & kCloudyKey) == 0) return false;
  return rich || (key.flags & kCloudyRich) != 0 || cloud_.contains(pair_of(key.key, read));
}

void Online::judge_late(const LateRead& late, bool early) {
  const TxnRecord& r = window_.at(late.txn);
  const KeyTimeline& key = keys_.at(late.key);
  const auto version = spill_->last_before(key.key, r.start, r.read_order);
  if (!spill_->good()) {
    ++counts_.unchecked;
    return;
  }
  Wrong wrong{late.txn, &key, late.value, late.on_own ? &late.top : nullptr, {}, version.has_value(), 0, kNone32};
  if (version) {
    wrong.state = {version->state, version->state_kind};
    wrong.writer = version->writer;
  } else {
    wrong.state = initial_of(key.key);
  }
  if (wrong.state.kind == StateKind::kOpaque) ++counts_.unchecked;
  const bool right = late.on_own ? shows(wrong.state, late.top) : shows(wrong.state, late.value);
  if (!right) report_external(wrong, early ? "memory ran out before its deadline was over" : "");
}

void Online::collect() {
  const std::int64_t now = horizon();
  const auto is_over = [&](std::int64_t since, int times) { return (now - since) / times >= options_.deadline; };
  if (!postponed_.empty()) judge_postponed(now);
  while (judged_ != window_.next() && is_over(window_.at(judged_).arrived, 1)) judge(judged_++, false);
  if (open_count_ > 0 && is_over(open_since_, 2)) settle(false);
  if (asks_predicates_) {
    if (!must_ask()) return;
    ask_predicates(false);
  }
  while (window_.first() != judged_) {
    const TxnRecord& r = window_.at(window_.first());
    // Those that may have to do with one that is still open stay.
    const bool free = open_count_ == 0 ||
                      (open_since_ - r.arrived > options_.deadline && (r.flags & (kDeferred | kCountedOpen)) == 0);
    if (!free || !is_over(r.arrived, 2)) return;
    release_one();
  }
}

// A key that nobody touches any more gives back what it holds, little by little.
void Online::tidy() {
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(kTidy, keys_.size()); ++i) {
    if (sweep_ >= keys_.size()) sweep_ = 0;
    KeyTimeline& key = keys_.at(sweep_++);
    if (key.head != nullptr && arrived_before(key.head->newest, window_.first())) keys_.trim(key, window_.first());
  }
  if (counts_.operations < next_room_ || bytes() + keys_.growth() <= options_.memory_limit) return;
  make_room();
  // It looks at all keys: not again at once where it did not help.
  if (bytes() > options_.memory_limit / 8 * 7) next_room_ = counts_.operations + keys_.size() / 8;
}

std::size_t Online::bytes() const {
  return keys_.bytes_used() + window_.bytes() + clock_.bytes() + names_.bytes() + given_up_.bytes() +
         given_up_cloudy_.bytes() + shadows_.bytes() + (told_.size() + cloud_.size()) * 48 + rows_.bytes() +
         broken_.size() * sizeof(Broken) + postponed_bytes_ +
         (spill_ == nullptr ? 0 : spill_->memory() + read_spill_->memory() + start_spill_->memory());
}

// The oldest go before their time, until a quarter is free: keys, if it is they that fill it, else transactions.
void Online::make_room() {
  apply_staged();
  const std::size_t wanted = options_.memory_limit / 4 * 3;
  if (keys_.bytes_used() > options_.memory_limit / 2) give_up_keys(wanted);
  if (bytes() <= wanted) return;
  if (asks_predicates_) ask_predicates(false);
  if (open_count_ > 0) settle(false);
  for (int round = 0; round < 8 && bytes() > wanted && window_.size() > 0; ++round) {
    const std::uint32_t until = window_.first() + static_cast<std::uint32_t>((window_.size() + 3) / 4);
    while (window_.first() != until) {
      if (judged_ == window_.first()) judge(judged_++, true);
      forget_open(window_.first());
      release_one();
    }
    for (std::uint32_t k = 0; k < keys_.size(); ++k) keys_.trim(keys_.at(k), window_.first());
  }
  give_up_keys(wanted);
}

void Online::release_one() {
  const std::uint32_t txn = window_.first();
  shadows_.release(txn);
  spill_released(txn);
  if (asks_predicates_) note_released(window_.at(txn));
  window_.release();
  released_any_ = true;
}

void Online::report_external(const Wrong& wrong, std::string_view suspect) {
  const TxnRecord& r = window_.at(wrong.txn);
  const KeyTimeline& key = *wrong.key;
  if (is_cloudy(key, wrong.read, wrong.state.rich() || wrong.own != nullptr)) {
    ++counts_.unchecked;
    return;
  }
  OnlineViolation v;
  v.key = text_in(r, key.key);
  v.read = text_in(r, wrong.read);
  const State expected = wrong.own != nullptr ? with_own(wrong.state, *wrong.own) : wrong.state;
  v.expected = state_text(expected);
  v.transactions.push_back(id_of(r));
  if (wrong.own != nullptr && !wrong.own->ends_with_own) {
    v.kind = AnomalyKind::kInternal;
    v.rule = "INT";
    v.text =
        fmt::format("{} read {} = {} after appending to it itself; its own elements are not at the end (expected {}).",
                    v.transactions[0], v.key, v.read, v.expected);
    tell(std::move(v), raw64(r.id), key.key, suspect);
    return;
  }
  const Name name = name_of(wrong);
  v.kind = name.kind;
  v.rule = "EXT";
  const std::string by = wrong.has_writer ? fmt::format("written by {}", id_text(wrong.writer)) : "its initial state";
  v.text = fmt::format("{} read {} = {}, but at its {} {} the key held {}, {}.", v.transactions[0], v.key, v.read,
                       serial_ ? "place in commit order" : "snapshot", r.start, v.expected, by);
  // By database timestamps: the snapshot's, or the place that it has in commit order.
  const StepType unseen = serial_ ? StepType::kCommit : StepType::kInvisible;
  const StepType seen = serial_ ? StepType::kCommit : StepType::kVisible;
  switch (name.origin.source) {
    case ReadSource::kNewer:
      v.transactions.push_back(id_text(name.origin.writer));
      v.steps = {{1, 0, StepType::kWr, v.key}, {0, 1, unseen}};
      v.text += fmt::format(" What it read was committed later, by {}.", v.transactions[1]);
      break;
    case ReadSource::kAborted:
      v.transactions.push_back(id_text(name.origin.writer));
      v.steps = {{1, 0, StepType::kWr, v.key}};
      v.text += fmt::format(" What it read was written by {}, which did not commit.", v.transactions[1]);
      break;
    case ReadSource::kIntermediate:
      v.transactions.push_back(id_text(name.origin.writer));
      v.steps = {{1, 0, StepType::kWr, v.key}};
      v.text += fmt::format(" What it read was written by {}, which overwrote it itself.", v.transactions[1]);
      break;
    case ReadSource::kNeverWritten:
      v.text += " Nobody wrote what it read.";
      break;
    default:
      if (!name.names_expected) break;
      v.transactions.push_back(id_text(wrong.writer));
      if (name.origin.source == ReadSource::kOlder || name.origin.source == ReadSource::kInitial)
        v.steps = {{1, 0, seen}, {0, 1, StepType::kRw, v.key}};
      break;
  }
  tell(std::move(v), raw64(r.id), key.key, suspect);
}

void Online::report_internal(const TxnRecord& r, Fingerprint key, ValueId read, std::string expected) {
  OnlineViolation v;
  v.kind = AnomalyKind::kInternal;
  v.rule = "INT";
  v.transactions.push_back(id_of(r));
  v.key = text_in(r, key);
  v.read = window_.history(r).value_text(read);
  v.expected = std::move(expected);
  v.text = fmt::format("{} read {} = {}, but had itself read or written {} before.", v.transactions[0], v.key, v.read,
                       v.expected);
  tell(std::move(v), raw64(r.id), key, {});
}

void Online::report_conflict(const TxnRecord& r, const KeyTimeline& key, std::uint64_t other,
                             std::int64_t other_commit) {
  const Chunk& chunk = *window_.held(r).chunk;
  bool written = false;
  bool read_before = false;  // its last write
  for_each_access(chunk.history, r.txn, [&](const Access& a) {
    if (chunk.key(a.key) != key.key) return;
    if (a.kind == OpKind::kRead) {
      read_before = read_before || !written;
    } else {
      written = true;
    }
  });
  OnlineViolation v;
  v.kind = read_before ? AnomalyKind::kLostUpdate : AnomalyKind::kGSIa;
  v.rule = "NOCONFLICT";
  v.transactions = {id_of(r), id_text(other)};
  v.key = text_in(r, key.key);
  v.text = fmt::format("{} started at {} and wrote {}, which {} had written too and committed at {}: they overlap.",
                       v.transactions[0], r.start, v.key, v.transactions[1], other_commit);
  v.steps = {{1, 0, StepType::kWw, v.key}, {0, 1, StepType::kInvisible}};
  tell(std::move(v), raw64(r.id), key.key, {});
}

void Online::report_order(std::uint64_t id, AnomalyKind kind, std::uint64_t before) {
  OnlineViolation v;
  v.kind = kind;
  v.transactions.push_back(id_text(id));
  if (kind == AnomalyKind::kTimestampOrder) {
    v.rule = "TIMESTAMP";
    v.text = fmt::format("{} has a start_ts after its commit_ts.", v.transactions[0]);
  } else {
    v.transactions.push_back(id_text(before));
    v.rule = kind == AnomalyKind::kSessionOrder ? "SESSION" : "REALTIME";
    v.steps = {{1, 0, kind == AnomalyKind::kSessionOrder ? StepType::kSession : StepType::kRealtime},
               {0, 1, serial_ ? StepType::kCommit : StepType::kInvisible}};
    v.text = fmt::format(
        "{} {} {}, yet by the timestamps the latter does not see it.", v.transactions[1],
        kind == AnomalyKind::kSessionOrder ? "comes in its session before" : "had ended before the begin of",
        v.transactions[0]);
  }
  tell(std::move(v), id, kNullFingerprint, {});
}

void Online::report_gap(const TxnRecord& r, std::uint64_t before, std::int64_t before_sno, std::int64_t sno) {
  OnlineViolation v;
  v.kind = AnomalyKind::kSessionGap;
  v.rule = "SESSION";
  v.transactions = {id_of(r), id_text(before)};
  v.steps = {{1, 0, StepType::kSession}};
  v.text = fmt::format("{} is number {} of its session and comes right after {}, which is number {}.",
                       v.transactions[0], sno, v.transactions[1], before_sno);
  tell(std::move(v), raw64(r.id), kNullFingerprint, {});
}

void Online::tell(OnlineViolation v, std::uint64_t guilty, Fingerprint key, std::string_view suspect) {
  v.time = time_.now;
  // Who else is named may depend on who has arrived, so it is no part of the identity. It is made of fingerprints: the
  // names may not be held any more, or not yet again after a restart.
  const std::string kind = full_name(v.kind, v.variant);
  v.identity = mix64(mix64(hash_bytes(kind.data(), kind.size()) + guilty) + raw64(key));
  if (was_told(v.identity)) return;
  if (suspect.empty()) {
    ++counts_.violations;
    sink_.violated(v);
  } else {
    ++counts_.suspicions;
    ++counts_.unchecked;
    sink_.suspected(v, suspect);
  }
}

bool Online::was_told(std::uint64_t identity) {
  if (!told_.insert(identity).second) return true;
  told_order_.push_back(identity);
  if (told_order_.size() > kMostTold) {
    told_.erase(told_order_.front());
    told_order_.pop_front();
  }
  return false;
}

// What stands in the transaction's own chunk has its name as long as the transaction is held.
std::string Online::text_in(const TxnRecord& r, Fingerprint fingerprint) const {
  const Chunk& chunk = *window_.held(r).chunk;
  const auto& fingerprints = chunk.table_value_fingerprint;
  const auto found = std::find(fingerprints.begin(), fingerprints.end(), fingerprint);
  if (found == fingerprints.end()) return names_.text(fingerprint);
  return chunk.history.value_text(ValueId{kFirstTableValue + static_cast<std::uint32_t>(found - fingerprints.begin())});
}

std::string Online::id_text(std::uint64_t fingerprint) const {
  return without_quotes(names_.text(Fingerprint{fingerprint}));
}

std::string Online::id_of(const TxnRecord& r) const { return without_quotes(text_in(r, r.id)); }

std::string Online::state_text(State state) const {
  switch (state.kind) {
    case StateKind::kCounter:
      return std::to_string(static_cast<std::int64_t>(state.bits));
    case StateKind::kNoNumber:
    case StateKind::kOpaque:
      return "\"not a number\"";
    case StateKind::kList:
      if (state.bits == raw64(kNullFingerprint)) return "[]";
      [[fallthrough]];
    default:
      return names_.text(Fingerprint{state.bits});
  }
}

}  // namespace isolde::timeline
