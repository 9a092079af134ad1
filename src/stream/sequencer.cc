#include "stream/sequencer.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde::stream {
namespace {

constexpr std::uint64_t kStateMark = 0x31716573646c7369;  // "isldseq1"
constexpr std::size_t kMostPieces = 1 << 16;              // between the oldest needed and the newest

}  // namespace

Sequencer::Sequencer(const SequencerOptions& options)
    : options_(options),
      // What is held is bounded by pressed(): a chunk that is in memory anyway is not refused.
      pipeline_({.local_items = SIZE_MAX, .total_items = SIZE_MAX, .silence = options.silence, .hold = options.hold}) {}

Sequencer::Session& Sequencer::session(Fingerprint fingerprint, std::int64_t now) {
  const auto found = sessions_.find(raw64(fingerprint));
  if (found != sessions_.end()) {
    found->second.heard = now;
    found->second.leaving = false;
    return found->second;
  }
  if (sessions_.size() >= std::max<std::size_t>(options_.max_sessions, 1)) forget_silent();
  Session& added = sessions_[raw64(fingerprint)];
  added.heard = now;
  return added;
}

void Sequencer::add(const std::shared_ptr<const Chunk>& chunk, std::int64_t now, std::int64_t came) {
  advance(now);
  closed_ = false;
  const History& h = chunk->history;
  const std::uint32_t count = h.txn_count();
  Piece& piece = pieces_.emplace_back();
  piece.transactions = count;
  counts_.added += count;

  batches_.resize(std::max<std::size_t>(batches_.size(), h.session_count()));
  batch_sizes_.assign(h.session_count(), 0);
  for (std::uint32_t t = 0; t < count; ++t) ++batch_sizes_[raw(h.session(TxnId{t}))];
  for (std::uint32_t s = 0; s < h.session_count(); ++s) batches_[s].reserve(batch_sizes_[s]);
  auto repeated = chunk->repeated.begin();
  for (std::uint32_t t = 0; t < count; ++t) {
    bool known = false;
    if (repeated_at_ < repeated_.size()) known = repeated_[repeated_at_++] != 0;
    if (repeated != chunk->repeated.end() && *repeated == TxnId{t}) {
      ++repeated;
      known = true;
    }
    if (known) {
      if (piece.delivered.empty()) piece.delivered.resize(count);
      piece.delivered[t] = true;
      ++counts_.skipped;
    } else {
      ++piece.pending;
      batches_[raw(h.session(TxnId{t}))].push_back({h.begin(TxnId{t}), {&piece, TxnId{t}}});
    }
  }
  if (piece.pending != 0) {
    piece.chunk = chunk;
    piece.bytes = chunk->bytes() + count * sizeof(Timed<Pending>);
    piece.delivered.resize(count);
    bytes_ += piece.bytes;
  } else {
    piece.delivered.clear();
  }

  for (std::uint32_t s = 0; s < h.session_count(); ++s) {
    if (batches_[s].empty()) continue;
    const Fingerprint fingerprint = chunk->session_fingerprint[s];
    Session& from = session(fingerprint, came);
    if (from.name.empty()) from.name = h.value_text(h.columns().session_name[s]);
    const std::int64_t first = batches_[s].front().time;
    if (!from.producer.is_open()) from.producer = pipeline_.open(fingerprint, came, first);
    from.producer.push_wait(batches_[s], came);  // never waits: there is no limit of items
  }
  for (const Heartbeat& beat : chunk->heartbeats) {
    Session& from = session(beat.session, came);
    if (from.producer.is_open()) {
      from.producer.heartbeat(beat.time, came);
    } else {
      from.producer = pipeline_.open(beat.session, came, beat.time);
    }
  }
  while (!pieces_.empty() && pieces_.front().pending == 0) {
    pieces_.pop_front();
    ++first_piece_;
  }
  end_of_repeat();
}

void Sequencer::delivered(const Pending& pending) {
  Piece& piece = *pending.piece;
  piece.delivered[raw(pending.txn)] = true;
  if (--piece.pending != 0) return;
  bytes_ -= piece.bytes;
  piece.chunk.reset();
  piece.delivered = {};
  while (!pieces_.empty() && pieces_.front().pending == 0) {
    pieces_.pop_front();
    ++first_piece_;
  }
}

void Sequencer::advance(std::int64_t now) {
  if (std::exchange(restored_, false)) {
    // No session was silent for longer than since the restart.
    for (auto& [fingerprint, known] : sessions_) {
      known.heard = now;
      known.producer.touch(now);
    }
  }
  pipeline_.advance(now);
}

void Sequencer::gone(Fingerprint fingerprint) {
  const auto found = sessions_.find(raw64(fingerprint));
  if (found == sessions_.end()) return;
  found->second.producer.close();
  found->second.leaving = true;
  leaving_.push_back(fingerprint);
}

void Sequencer::drop_ended() {
  std::erase_if(leaving_, [this](Fingerprint fingerprint) {
    const auto found = sessions_.find(raw64(fingerprint));
    if (found == sessions_.end() || !found->second.leaving) return true;
    if (!found->second.producer.ended()) return false;
    sessions_.erase(found);
    return true;
  });
}

// Of those that are known, the sixteenth part that was silent for longest: what they gave is delivered, and should they
// come back, they are new.
void Sequencer::forget_silent() {
  std::vector<std::pair<std::int64_t, std::uint64_t>> by_age;
  by_age.reserve(sessions_.size());
  for (const auto& [fingerprint, known] : sessions_) by_age.emplace_back(known.heard, fingerprint);
  const auto middle = by_age.begin() + static_cast<std::ptrdiff_t>(by_age.size() / 16);
  std::nth_element(by_age.begin(), middle, by_age.end());
  for (auto entry = by_age.begin(); entry <= middle; ++entry) {
    const auto found = sessions_.find(entry->second);
    found->second.producer.close();
    if (!found->second.leaving) ++counts_.forgotten;
    sessions_.erase(found);
  }
}

void Sequencer::close_all() {
  closed_ = true;
  for (auto& [fingerprint, known] : sessions_) {
    known.producer.close();
    if (!std::exchange(known.leaving, true)) leaving_.push_back(Fingerprint{fingerprint});
  }
}

bool Sequencer::pressed() const {
  return closed_ || (bytes_ > options_.max_bytes && pieces_.size() > 1) || pieces_.size() > kMostPieces;
}

StreamTime Sequencer::time(std::int64_t now) {
  advance(now);
  return {now, pipeline_.watermark(), pipeline_.complete() && counts_.forgotten == 0};
}

std::string Sequencer::name_of(Fingerprint fingerprint) const {
  const auto found = sessions_.find(raw64(fingerprint));
  if (found != sessions_.end() && !found->second.name.empty()) return found->second.name;
  if (is_integer(fingerprint)) return fmt::format("{}", integer_of(fingerprint));
  return fmt::format("(fingerprint {:x})", raw64(fingerprint));
}

std::vector<std::string> Sequencer::missing(std::size_t max) const {
  std::vector<std::string> names;
  for (const std::uint64_t fingerprint : pipeline_.missing()) {
    if (names.size() == max) break;
    names.push_back(name_of(Fingerprint{fingerprint}));
  }
  return names;
}

std::vector<std::string> Sequencer::notices() {
  std::vector<std::string> lines;
  for (const PipelineEvent& event : pipeline_.take_events()) {
    const std::string name = name_of(event.producer);
    switch (event.what) {
      case PipelineEvent::What::kSilent:
        lines.push_back(fmt::format("session {} sent nothing for {:g} s: it is no longer waited for", name,
                                    static_cast<double>(options_.silence) * 1e-9));
        break;
      case PipelineEvent::What::kGivenUpForRoom:
        lines.push_back(fmt::format("session {} held back more than {} MiB of the others: it is no longer waited for",
                                    name, options_.max_bytes >> 20));
        break;
      case PipelineEvent::What::kBehind:
        lines.push_back(fmt::format("session {} sent what began before others that were already checked", name));
        break;
      case PipelineEvent::What::kCaughtUp:
        lines.push_back(fmt::format("session {} is back in order", name));
        break;
    }
  }
  return lines;
}

SequencerCounts Sequencer::counts() const {
  const PipelineCounts& now = pipeline_.counts();
  SequencerCounts sum = counts_;
  sum.delivered += now.delivered;
  sum.late += now.late;
  sum.silent += now.silent;
  sum.for_room += now.for_room;
  sum.returned += now.returned;
  return sum;
}

// One a transaction from piece oldest_needed() on, as the input repeats them.
std::vector<std::uint8_t> Sequencer::delivered_marks() const {
  std::vector<std::uint8_t> marks;
  for (const Piece& piece : pieces_) {
    if (piece.pending == 0) {
      marks.insert(marks.end(), piece.transactions, 1);
    } else {
      marks.insert(marks.end(), piece.delivered.begin(), piece.delivered.end());
    }
  }
  marks.insert(marks.end(), repeated_.begin() + static_cast<std::ptrdiff_t>(repeated_at_), repeated_.end());
  return marks;
}

void Sequencer::save(StateWriter& out) const {
  out.put(kStateMark);
  out.put(first_piece_);
  out.put(pipeline_.floor());
  out.put(counts());
  out.put_all(delivered_marks());
  out.put(std::uint64_t{sessions_.size()});
  std::vector<std::uint64_t> fingerprints;
  fingerprints.reserve(sessions_.size());
  for (const auto& [fingerprint, known] : sessions_) fingerprints.push_back(fingerprint);
  std::sort(fingerprints.begin(), fingerprints.end());
  for (const std::uint64_t fingerprint : fingerprints) {
    const Session& known = sessions_.at(fingerprint);
    out.put(fingerprint);
    out.put_text(known.name);
    out.put(pipeline_.save(known.producer));
  }
}

bool Sequencer::load(StateReader& in, bool repeated) {
  if (in.get<std::uint64_t>() != kStateMark) return false;
  first_piece_ = in.get<std::uint64_t>();
  pipeline_.restore_floor(in.get<std::int64_t>());
  counts_ = in.get<SequencerCounts>();
  repeated_ = in.get_all<std::uint8_t>();
  repeated_at_ = 0;
  if (!repeated) repeated_.clear();
  counts_.added -= repeated_.size();
  const auto count = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < count && in.good(); ++i) {
    const Fingerprint fingerprint{in.get<std::uint64_t>()};
    Session& known = sessions_[raw64(fingerprint)];
    known.name = in.get_text();
    const auto saved = in.get<Pipeline<Pending>::Saved>();
    known.producer = pipeline_.restore(fingerprint, saved);
    if (saved.closed) leave_after_repeat_.push_back(fingerprint);
  }
  restored_ = true;
  end_of_repeat();
  return in.good();
}

// Who had left before the restart leaves again, when all of its pending transactions are back.
void Sequencer::end_of_repeat() {
  if (repeated_at_ < repeated_.size()) return;
  repeated_.clear();
  repeated_at_ = 0;
  for (const Fingerprint fingerprint : std::exchange(leave_after_repeat_, {})) gone(fingerprint);
}

}  // namespace isolde::stream
