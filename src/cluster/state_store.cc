#include "cluster/state_store.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>

#include "base/hash.h"
#include "base/state_file.h"
#include "stream/position.h"

namespace isolde::cluster {
namespace {

constexpr std::size_t kPartBytes = std::size_t{256} << 10;
constexpr std::size_t kPartsAtOnce = 8;  // on their way: a busy broker answers to so many within its time limit
constexpr std::string_view kManifestKind = "isolde-state-2";
constexpr std::size_t kManifestNumbers = 17;
constexpr std::chrono::milliseconds kStateRetry{250};
// A leader that was just elected may not know everything yet.
constexpr std::chrono::seconds kStatePatience{60};
constexpr std::chrono::seconds kNewestPatience{15};  // before the state before the newest one is taken
constexpr int kPackLevel = -3;  // states are taken often and read seldom: at 1 it took a quarter of a worker's time

std::string packed(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kPackLevel);
  out.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return out;
}

// Nothing if it is damaged.
std::optional<std::string> unpacked(const std::string& bytes, std::size_t size) {
  constexpr std::size_t kMost = std::size_t{16} << 30;
  if (size > kMost || ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != size) return std::nullopt;
  std::string out(size, '\0');
  if (ZSTD_decompress(out.data(), size, bytes.data(), bytes.size()) != size) return std::nullopt;
  return out;
}

}  // namespace

std::string StateStore::text(const Manifest& m) {
  const Generation &n = m.newest, &b = m.before;
  return stream::make_position(
      kManifestKind, {n.writer, n.attempt, n.epoch, n.resume, n.first, n.parts, n.bytes, n.sum, b.writer, b.attempt,
                      b.epoch, b.resume, b.first, b.parts, b.bytes, b.sum, m.dropped ? 1U : 0U});
}

std::optional<StateStore::Manifest> StateStore::read(std::string_view text) {
  const auto n = stream::numbers_of(text, kManifestKind, kManifestNumbers);
  if (!n) return std::nullopt;
  const auto generation = [&](std::size_t at) {
    const std::uint64_t* const g = n->data() + at;
    return Generation{g[0], g[1], g[2], g[3], g[4], g[5], g[6], g[7]};
  };
  return Manifest{generation(0), generation(8), n->back() != 0};
}

std::string StateStore::attempt_subject(const Generation& g) const {
  return fmt::format("{}.{:016x}.{}", names_.state_parts(partition_), g.writer, g.attempt);
}

std::string StateStore::part_subject(const Generation& g, std::uint64_t index) const {
  return fmt::format("{}.{}", attempt_subject(g), index);
}

std::string StateStore::copy_path() const { return fmt::format("{}/{}-{}.state", folder_, names_.trace(), partition_); }

// ---- loading --------------------------------------------------------------------------------------------------------

std::optional<StoredState> StateStore::load_copy() const {
  std::error_code error;
  if (folder_.empty() || !std::filesystem::exists(copy_path(), error)) return std::nullopt;
  auto in = StateReader::read(copy_path());
  if (!in) return std::nullopt;  // damaged: the broker's is used
  const auto stream = in->get<std::uint64_t>();
  StoredState state;
  state.epoch = in->get<std::uint64_t>();
  state.resume = in->get<std::uint64_t>();
  state.bytes = in->get_text();
  if (!in->good() || stream != stream_) return std::nullopt;
  return state;
}

// Requires: the same generation until it is kYes or kMissing.
StateStore::Tried StateStore::try_generation(const Generation& g, Time now, StoredState& out) {
  Loading& l = *loading_;
  while (l.parts.size() < g.parts) {
    while (l.expected.size() < kPartsAtOnce && l.parts.size() + l.expected.size() < g.parts)
      l.expected.push_back(broker_->last(names_.state(), part_subject(g, l.parts.size() + l.expected.size())));
    if (!l.expected.front().here()) return Tried::kPending;
    const Result<StoredMessage>& part = *l.expected.front();
    if (!part) {  // no answer
      l.expected.clear();
      l.again = now + kStateRetry;
      return Tried::kPending;
    }
    if (part->sequence == 0) break;
    l.parts.push_back(part->data);
    l.expected.pop_front();
  }
  const bool complete = g.parts > 0 && l.parts.size() == g.parts;
  std::string all;
  for (const std::string& part : l.parts) all += part;
  l.parts.clear();
  l.expected.clear();
  auto bytes = complete ? unpacked(all, g.bytes) : std::nullopt;
  if (!bytes || hash_bytes(bytes->data(), bytes->size()) != g.sum) return Tried::kMissing;
  out = {g.epoch, g.resume, *std::move(bytes)};
  return Tried::kYes;
}

std::optional<Result<LoadedState>> StateStore::load_from_broker(Time now) {
  if (loading_ == nullptr) {
    loading_ = std::make_unique<Loading>();
    loading_->begun = now;
  }
  Loading& l = *loading_;
  if (now < l.again) return std::nullopt;
  if (!l.manifest) {
    if (!l.asked.asked()) l.asked = broker_->last(names_.state(), names_.manifest(partition_));
    if (!l.asked.here()) return std::nullopt;
    const LastAnswer answered = std::exchange(l.asked, {});
    const Result<StoredMessage>& last = *answered;
    if (!last) {
      l.again = now + kStateRetry;
      return std::nullopt;
    }
    last_ = based_on_ = last->sequence;
    if (last->sequence == 0) return LoadedState{};
    l.manifest = read(last->data);
    if (!l.manifest)
      return Error{fmt::format("the checkpoint of partition {} was written by another version of isolde", partition_)};
    dropped_ = l.manifest->dropped;
    l.tried_newest = false;
  }
  LoadedState loaded{.state = StoredState{}, .in_stream = true};
  for (; true; l.tried_newest = true) {
    const Generation& g = l.tried_newest ? l.manifest->before : l.manifest->newest;
    const Tried tried = try_generation(g, now, *loaded.state);
    if (tried == Tried::kPending) return std::nullopt;
    if (tried == Tried::kYes) {
      kept_ = g;
      return loaded;
    }
    if (l.tried_newest) break;
    // What a manifest names was complete. If it is not shown, that is rather an old answer than a loss, and messages
    // that the state before does not cover may have been dropped.
    if (now - l.begun < kNewestPatience) {
      l.manifest.reset();
      l.again = now + kStateRetry;
      return std::nullopt;
    }
  }
  if (now - l.begun >= kStatePatience) return LoadedState{.state = std::nullopt, .lost = dropped_};
  // Another one may just have written two new ones, or this leader does not know them yet.
  l.manifest.reset();
  l.again = now + kStateRetry;
  return std::nullopt;
}

std::optional<Result<LoadedState>> StateStore::load(Time now) {
  auto loaded = load_from_broker(now);
  if (!loaded) return std::nullopt;
  loading_.reset();
  if (!*loaded) return loaded;
  std::optional<StoredState> copy = load_copy();
  if (!copy || ((*loaded)->state && copy->resume <= (*loaded)->state->resume)) return loaded;
  kept_ = {};
  return LoadedState{.state = std::move(copy)};
}

// ---- saving ---------------------------------------------------------------------------------------------------------

Result<void> StateStore::write_copy() const {
  StateWriter out;
  out.put(stream_);
  out.put(saving_->generation.epoch);
  out.put(saving_->generation.resume);
  out.put_text(saving_->bytes);
  return out.write_to(copy_path());
}

void StateStore::begin_save(std::uint64_t epoch, std::uint64_t resume, const std::string& bytes) {
  saving_ = std::make_unique<Saving>();
  saving_->packed = packed(bytes);
  if (!folder_.empty()) saving_->bytes = bytes;
  saving_->generation = {.writer = writer_,
                         .attempt = ++attempts_,
                         .epoch = epoch,
                         .resume = resume,
                         .parts = (saving_->packed.size() + kPartBytes - 1) / kPartBytes,
                         .bytes = bytes.size(),
                         .sum = hash_bytes(bytes.data(), bytes.size())};
}

StateStore::Saved StateStore::give_up(Saved how) {
  // A manifest that was sent may still arrive, and its parts have to be there then.
  if (!saving_->manifest_sent)
    broker_->drop(names_.state(), attempt_subject(saving_->generation) + ".>", ~std::uint64_t{0});
  saving_.reset();
  return how;
}

StateStore::Saved StateStore::look_at_last(Time now) {
  if (last_) return Saved::kYes;
  if (!looking_.asked()) looking_ = broker_->last(names_.state(), names_.manifest(partition_));
  if (!looking_.here()) return Saved::kPending;
  const LastAnswer answered = std::exchange(looking_, {});
  const Result<StoredMessage>& last = *answered;
  if (!last) {
    saving_->again = now + kStateRetry;
    return Saved::kPending;
  }
  if (last->sequence == 0 && based_on_ != 0) return give_up(Saved::kNotNow);  // it is not shown
  if (last->sequence != 0 && last->sequence != based_on_) {
    const auto known = read(last->data);
    if (!known || known->newest.writer != writer_) return give_up(Saved::kLost);
    if (known->newest.attempt == saving_->generation.attempt) return finish(last->sequence);
  }
  last_ = last->sequence;
  return Saved::kYes;
}

void StateStore::doubt() {
  if (saving() || looking_.asked()) return;
  looking_ = broker_->last(names_.state(), names_.manifest(partition_));
}

bool StateStore::overtaken() {
  if (saving() || !looking_.here()) return false;
  const LastAnswer answered = std::exchange(looking_, {});
  const Result<StoredMessage>& last = *answered;
  if (!last || last->sequence == 0 || last->sequence == based_on_) return false;
  const auto known = read(last->data);
  return !known || known->newest.writer != writer_;
}

// One that failed is sent again: the last message under its subject counts.
Result<StateStore::Saved> StateStore::send_parts(Time now) {
  Saving& s = *saving_;
  const auto send = [&](std::uint64_t index) {
    return broker_->append({part_subject(s.generation, index), s.packed.substr(index * kPartBytes, kPartBytes), {}},
                           std::nullopt);
  };
  while (true) {
    for (; s.sent < s.generation.parts && s.parts.size() < kPartsAtOnce; ++s.sent)
      s.parts.push_back({s.sent, send(s.sent)});
    if (s.parts.empty()) return Saved::kYes;
    Part& part = s.parts.front();
    if (!part.answer.here()) return Saved::kPending;
    if (part.answer->outcome == AppendOutcome::kForbidden) {
      Error why{"a checkpoint cannot be stored: " + part.answer->why};
      give_up(Saved::kNotNow);
      return why;
    }
    if (part.answer->outcome != AppendOutcome::kStored) {
      part.answer = send(part.index);
      s.again = now + kStateRetry;
      return Saved::kPending;
    }
    std::uint64_t& first = s.generation.first;
    first = first == 0 ? part.answer->sequence : std::min(first, part.answer->sequence);
    s.parts.pop_front();
  }
}

StateStore::Saved StateStore::finish(std::uint64_t sequence) {
  const std::uint64_t replaced = std::exchange(based_on_, sequence);
  last_ = sequence;
  looking_ = {};  // asked before
  if (kept_.parts > 0) {
    dropped_ = true;
    broker_->drop(names_.state(), names_.state_parts(partition_) + ".>", kept_.first);
    broker_->drop(names_.state(), names_.manifest(partition_), replaced);
  }
  kept_ = saving_->generation;
  saving_.reset();
  return Saved::kYes;
}

Result<StateStore::Saved> StateStore::save(Time now, bool commit) {
  if (now < saving_->again) return Saved::kPending;
  while (true) {
    Saving& s = *saving_;
    if (s.written.here()) {
      const Appended written = *std::exchange(s.written, {});
      if (written.outcome == AppendOutcome::kStored) return finish(written.sequence);
      // Refused: somebody has written one, perhaps this writer. No answer: it may be there, and will be looked for.
      last_ = std::nullopt;
      if (written.outcome == AppendOutcome::kForbidden) return Error{"a checkpoint cannot be stored: " + written.why};
      if (written.outcome != AppendOutcome::kRefused) {
        s.again = now + kStateRetry;
        return Saved::kPending;
      }
    }
    if (s.written.pending()) return Saved::kPending;
    if (const Saved last = look_at_last(now); last != Saved::kYes || saving_ == nullptr) return last;
    auto sent = send_parts(now);
    if (!sent || *sent != Saved::kYes) return sent;
    if (!commit) return Saved::kPending;
    if (!folder_.empty() && !std::exchange(s.copied, true)) {
      if (auto copied = write_copy(); !copied) return std::move(copied).error();
    }
    const Manifest manifest{s.generation, kept_, dropped_ || kept_.parts > 0};
    s.written = broker_->append({names_.manifest(partition_), text(manifest), {}}, *last_);
    s.manifest_sent = true;
  }
}

}  // namespace isolde::cluster
