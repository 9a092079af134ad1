#include "cluster/state_store.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include "base/hash.h"
#include "base/state_file.h"
#include "stream/position.h"

namespace isolde::cluster {
namespace {

constexpr std::size_t kPartBytes = std::size_t{256} << 10;
constexpr std::size_t kPartsAtOnce = 8;  // a busy broker answers to so many within its time limit
constexpr std::string_view kManifestKind = "isolde-state-1";
constexpr std::chrono::milliseconds kPartsWait{2000};
constexpr int kMostInVain = 4;
constexpr int kPackLevel = 1;

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

std::string StateStore::parts_subject(std::uint32_t partition, const Manifest& m) const {
  return fmt::format("{}.{}.{}", names_.state_parts(partition), m.epoch, m.attempt);
}

std::string StateStore::copy_of(std::uint32_t partition) const {
  return fmt::format("{}/{}-{}.state", folder_, names_.trace(), partition);
}

std::optional<StoredState> StateStore::load_from_folder(std::uint32_t partition) const {
  std::error_code error;
  if (folder_.empty() || !std::filesystem::exists(copy_of(partition), error)) return std::nullopt;
  auto in = StateReader::read(copy_of(partition));
  if (!in) return std::nullopt;  // damaged: the broker's is used
  StoredState state;
  state.epoch = in->get<std::uint64_t>();
  state.resume = in->get<std::uint64_t>();
  state.bytes = in->get_text();
  if (!in->good()) return std::nullopt;
  return state;
}

Result<std::optional<StoredState>> StateStore::load_from_broker(std::uint32_t partition) {
  auto last = broker_->last(names_.state(), names_.manifest(partition));
  if (!last) return std::move(last).error();
  if (!*last) return std::optional<StoredState>{};
  const auto manifest = read((*last)->data);
  if (!manifest)
    return Error{fmt::format("the checkpoint of partition {} was written by another version of isolde", partition)};
  auto reader = broker_->reader(names_.state(), parts_subject(partition, *manifest), manifest->first);
  if (!reader) return std::move(reader).error();
  StoredState state{manifest->epoch, manifest->resume, {}};
  int in_vain = 0;
  for (std::uint64_t left = manifest->parts; left > 0;) {
    auto parts = (*reader)->fetch(left, kPartsWait);
    if (!parts) return std::move(parts).error();
    // A busy broker may need a while for the first.
    if (parts->empty() && ++in_vain == kMostInVain)
      return Error{fmt::format("the checkpoint of partition {} cannot be read to its end", partition)};
    for (const StoredMessage& part : *parts) state.bytes += part.data;
    left -= std::min<std::uint64_t>(left, parts->size());
  }
  state.bytes = unpacked(state.bytes, manifest->bytes);
  if (state.bytes.size() != manifest->bytes || hash_bytes(state.bytes.data(), state.bytes.size()) != manifest->sum)
    return Error{fmt::format("the checkpoint of partition {} is damaged", partition)};
  return std::optional(std::move(state));
}

Result<std::optional<StoredState>> StateStore::load(std::uint32_t partition) {
  std::optional<StoredState> copy = load_from_folder(partition);
  auto stored = load_from_broker(partition);
  if (!stored) {
    if (copy) return copy;
    return std::move(stored).error();
  }
  if (copy && (!*stored || copy->resume > (*stored)->resume)) return copy;
  return stored;
}

Result<StateStore::Saved> StateStore::save(std::uint32_t partition, const StoredState& state) {
  if (!folder_.empty()) {
    StateWriter out;
    out.put(state.epoch);
    out.put(state.resume);
    out.put_text(state.bytes);
    if (auto written = out.write_to(copy_of(partition)); !written) return std::move(written).error();
  }
  auto last = broker_->last(names_.state(), names_.manifest(partition));
  if (!last) return Saved::kNotNow;
  if (*last) {
    const auto known = read((*last)->data);
    if (known && known->epoch > state.epoch) return Saved::kLost;
    if (known && known->resume > state.resume) return Saved::kYes;  // another worker is further: nothing to add
  }
  Manifest manifest{.epoch = state.epoch,
                    .attempt = ++attempts_,
                    .resume = state.resume,
                    .bytes = state.bytes.size(),
                    .sum = hash_bytes(state.bytes.data(), state.bytes.size())};
  const std::string bytes = packed(state.bytes);
  std::uint64_t before = 0;
  const auto give_up = [&] {
    static_cast<void>(broker_->drop(names_.state(), parts_subject(partition, manifest), ~std::uint64_t{0}));
    return Saved::kNotNow;
  };
  for (std::size_t at = 0; at < bytes.size();) {
    std::vector<OutgoingMessage> parts;
    for (; at < bytes.size() && parts.size() < kPartsAtOnce; at += kPartBytes)
      parts.push_back({parts_subject(partition, manifest), bytes.substr(at, kPartBytes), {}});
    manifest.parts += parts.size();
    for (const Appended& part : broker_->append_all(parts)) {
      if (part.outcome != AppendOutcome::kStored || part.sequence <= before) return give_up();
      if (before == 0) manifest.first = part.sequence;
      before = part.sequence;
    }
  }
  const Appended written =
      broker_->append({names_.manifest(partition), text(manifest), {}}, *last ? (*last)->sequence : 0);
  if (written.outcome == AppendOutcome::kRefused) return give_up();
  // Without an answer the manifest may be there: its parts stay.
  if (written.outcome != AppendOutcome::kStored) return Saved::kNotNow;
  static_cast<void>(broker_->drop(names_.state(), names_.state_parts(partition) + ".>", manifest.first));
  static_cast<void>(broker_->drop(names_.state(), names_.manifest(partition), written.sequence));
  return Saved::kYes;
}

}  // namespace isolde::cluster
