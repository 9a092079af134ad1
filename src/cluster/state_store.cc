#include "cluster/state_store.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/state_file.h"
#include "stream/position.h"

namespace isolde::cluster {
namespace {

constexpr std::size_t kPartBytes = std::size_t{256} << 10;
constexpr std::size_t kPartsAtOnce = 8;  // on their way: a busy broker answers to so many within its time limit
constexpr std::string_view kManifestKind = "isolde-state-1";
constexpr std::chrono::seconds kPartsWait{30}, kPartsPatience{4};  // a busy broker may need a while
constexpr int kPackLevel = -3;  // states are taken often and read seldom: at 1 it took a quarter of a worker's time

std::string packed(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kPackLevel);
  out.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return out;
}

// Empty if it is damaged.
std::string unpacked(const std::string& bytes, std::size_t size) {
  constexpr std::size_t kMost = std::size_t{16} << 30;
  if (size > kMost || ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != size) return {};
  std::string out(size, '\0');
  if (ZSTD_decompress(out.data(), size, bytes.data(), bytes.size()) != size) return {};
  return out;
}

}  // namespace

std::string StateStore::text(const Manifest& m) {
  return stream::make_position(kManifestKind, {m.epoch, m.attempt, m.resume, m.first, m.parts, m.bytes, m.sum});
}

std::optional<StateStore::Manifest> StateStore::read(std::string_view text) {
  const auto n = stream::numbers_of(text, kManifestKind, 7);
  if (!n) return std::nullopt;
  return Manifest{(*n)[0], (*n)[1], (*n)[2], (*n)[3], (*n)[4], (*n)[5], (*n)[6]};
}

std::string StateStore::parts_subject(const Manifest& m) const {
  return fmt::format("{}.{}.{}", names_.state_parts(partition_), m.epoch, m.attempt);
}

std::string StateStore::copy_of() const { return fmt::format("{}/{}-{}.state", folder_, names_.trace(), partition_); }

// ---- loading --------------------------------------------------------------------------------------------------------

std::optional<StoredState> StateStore::load_from_folder() const {
  std::error_code error;
  if (folder_.empty() || !std::filesystem::exists(copy_of(), error)) return std::nullopt;
  auto in = StateReader::read(copy_of());
  if (!in) return std::nullopt;  // damaged: the broker's is used
  StoredState state;
  state.epoch = in->get<std::uint64_t>();
  state.resume = in->get<std::uint64_t>();
  state.bytes = in->get_text();
  if (!in->good()) return std::nullopt;
  return state;
}

Result<std::optional<StoredState>> StateStore::unpack(const Loading& loading) const {
  const Manifest& manifest = loading.manifest;
  StoredState state{manifest.epoch, manifest.resume, unpacked(loading.bytes, manifest.bytes)};
  if (state.bytes.size() != manifest.bytes || hash_bytes(state.bytes.data(), state.bytes.size()) != manifest.sum)
    return Error{fmt::format("the checkpoint of partition {} is damaged", partition_)};
  return std::optional(std::move(state));
}

std::optional<Result<std::optional<StoredState>>> StateStore::load_from_broker(Time now) {
  using Loaded = Result<std::optional<StoredState>>;
  if (loading_ == nullptr) {
    loading_ = std::make_unique<Loading>();
    loading_->begun = loading_->progress = now;
    loading_->asked = broker_->last(names_.state(), names_.manifest(partition_));
  }
  if (!loading_->asked.here()) return std::nullopt;
  Manifest& manifest = loading_->manifest;
  if (loading_->reader == nullptr) {
    const auto& last = *loading_->asked;
    if (!last) return Loaded(last.error());
    last_ = based_on_ = last->sequence;
    if (last->sequence == 0) return Loaded(std::optional<StoredState>{});
    const auto known = read(last->data);
    if (!known)
      return Loaded(
          Error{fmt::format("the checkpoint of partition {} was written by another version of isolde", partition_)});
    manifest = *known;
    loading_->reader = broker_->reader(names_.state(), parts_subject(manifest), manifest.first);
  }
  while (loading_->parts < manifest.parts) {
    const auto parts = loading_->reader->fetch(manifest.parts - loading_->parts);
    if (!parts || parts->empty()) {
      if (now - loading_->begun < kPartsWait && now - loading_->progress < kPartsPatience) return std::nullopt;
      if (now - loading_->begun < kPartsWait) {  // who held the partition before may just have replaced them
        const Time begun = loading_->begun;
        loading_ = std::make_unique<Loading>();
        loading_->begun = begun;
        loading_->progress = now;
        loading_->asked = broker_->last(names_.state(), names_.manifest(partition_));
        return std::nullopt;
      }
      return Loaded(Error{fmt::format("the checkpoint of partition {} cannot be read to its end", partition_)});
    }
    for (const StoredMessage& part : *parts) loading_->bytes += part.data;
    loading_->parts += parts->size();
    loading_->progress = now;
  }
  return unpack(*loading_);
}

std::optional<Result<std::optional<StoredState>>> StateStore::load(Time now) {
  auto stored = load_from_broker(now);
  if (!stored) return std::nullopt;
  loading_.reset();
  std::optional<StoredState> copy = load_from_folder();
  if (copy && (!*stored || !**stored || copy->resume > (**stored)->resume))
    return Result<std::optional<StoredState>>(std::move(copy));
  return stored;
}

// ---- saving ---------------------------------------------------------------------------------------------------------

Result<void> StateStore::begin_save(std::uint64_t epoch, std::uint64_t resume, const std::string& bytes) {
  if (!folder_.empty()) {
    StateWriter out;
    out.put(epoch);
    out.put(resume);
    out.put_text(bytes);
    if (auto written = out.write_to(copy_of()); !written) return std::move(written).error();
  }
  saving_ = std::make_unique<Saving>();
  saving_->manifest = {.epoch = epoch,
                       .attempt = ++attempts_,
                       .resume = resume,
                       .bytes = bytes.size(),
                       .sum = hash_bytes(bytes.data(), bytes.size())};
  saving_->packed = packed(bytes);
  return {};
}

StateStore::Saved StateStore::give_up(Saved how) {
  broker_->drop(names_.state(), parts_subject(saving_->manifest), ~std::uint64_t{0});
  saving_.reset();
  return how;
}

std::optional<StateStore::Saved> StateStore::look_at_last() {
  if (last_) return std::nullopt;
  if (!looking_.asked()) looking_ = broker_->last(names_.state(), names_.manifest(partition_));
  if (!looking_.here()) return Saved::kPending;
  const LastAnswer answered = std::exchange(looking_, {});
  const auto& last = *answered;
  if (!last) return give_up(Saved::kNotNow);
  if (last->sequence == 0 && based_on_ != 0) return give_up(Saved::kNotNow);
  if (last->sequence != 0) {
    const auto known = read(last->data);
    const bool is_own = known && known->epoch == saving_->manifest.epoch;
    if (!is_own && last->sequence != based_on_) return give_up(Saved::kLost);
  }
  last_ = last->sequence;
  return std::nullopt;
}

void StateStore::doubt() {
  if (saving() || looking_.asked()) return;
  looking_ = broker_->last(names_.state(), names_.manifest(partition_));
}

bool StateStore::overtaken(std::uint64_t epoch) {
  if (saving() || !looking_.here()) return false;
  const LastAnswer answered = std::exchange(looking_, {});
  const auto& last = *answered;
  if (!last || last->sequence == 0 || last->sequence == based_on_) return false;
  const auto known = read(last->data);
  return !known || known->epoch != epoch;
}

std::optional<StateStore::Saved> StateStore::send_parts() {
  Saving& s = *saving_;
  while (true) {
    for (; s.sent < s.packed.size() && s.parts.size() < kPartsAtOnce; s.sent += kPartBytes) {
      s.parts.push_back(
          broker_->append({parts_subject(s.manifest), s.packed.substr(s.sent, kPartBytes), {}}, std::nullopt));
      ++s.manifest.parts;
    }
    if (s.parts.empty()) return std::nullopt;
    if (!s.parts.front().here()) return Saved::kPending;
    const Appended& part = *s.parts.front();
    if (part.outcome != AppendOutcome::kStored || part.sequence <= s.before) return give_up(Saved::kNotNow);
    if (s.before == 0) s.manifest.first = part.sequence;
    s.before = part.sequence;
    s.parts.pop_front();
  }
}

StateStore::Saved StateStore::save(bool commit) {
  if (!saving_->written.asked()) {
    if (const auto early = look_at_last()) return *early;
    if (const auto early = send_parts()) return *early;
    if (!commit) return Saved::kPending;
    saving_->written = broker_->append({names_.manifest(partition_), text(saving_->manifest), {}}, *last_);
  }
  if (!saving_->written.here()) return Saved::kPending;
  const Appended written = *saving_->written;
  last_ = std::nullopt;
  if (written.outcome == AppendOutcome::kRefused) {
    // By whom, look_at_last() finds out.
    saving_->written = {};
    const auto early = look_at_last();
    return early ? *early : Saved::kPending;
  }
  if (written.outcome != AppendOutcome::kStored) {
    saving_.reset();  // the manifest may be there: its parts stay
    return Saved::kNotNow;
  }
  last_ = based_on_ = written.sequence;
  looking_ = {};  // asked before
  broker_->drop(names_.state(), names_.state_parts(partition_) + ".>", saving_->manifest.first);
  broker_->drop(names_.state(), names_.manifest(partition_), written.sequence);
  saving_.reset();
  return Saved::kYes;
}

}  // namespace isolde::cluster
