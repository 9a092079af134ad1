// cluster/state_store.h: the checkpoints of partitions, kept by the broker, so that they move with the partition.
//
//   NAME.s.P.part.EPOCH.N   the bytes of a state (the Nth that was tried), compressed, in messages of at most 256 KiB
//   NAME.s.P.now            the manifest: which of these are the state of partition P, and from where to read on
//
// Always:  a manifest is replaced only by one who knew the last one (compare and set). Whoever finds one of a later
//          epoch has lost the partition. A state is used only if its checksum holds.
//          With a folder, every state is also written there and synced: JetStream of NATS 2.9 does not sync, so after a
//          power cut that copy is what is left. The newer of the two is loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cluster/broker.h"
#include "cluster/names.h"

namespace isolde::cluster {

struct StoredState {
  std::uint64_t epoch = 0;
  std::uint64_t resume = 1;  // the first message that the state does not cover
  std::string bytes;
};

class StateStore {
 public:
  // `folder`: empty, or where copies go.
  StateStore(Broker& broker, Names names, std::string folder)
      : broker_(&broker), names_(std::move(names)), folder_(std::move(folder)) {}

  // Nothing: there is none.
  [[nodiscard]] Result<std::optional<StoredState>> load(std::uint32_t partition);

  enum class Saved : std::uint8_t { kYes, kLost, kNotNow };  // kLost: somebody else has the partition by now
  [[nodiscard]] Result<Saved> save(std::uint32_t partition, const StoredState& state);

 private:
  struct Manifest {
    std::uint64_t epoch = 0, attempt = 0, resume = 1, first = 0, parts = 0, bytes = 0, sum = 0;
  };
  [[nodiscard]] Result<std::optional<StoredState>> load_from_broker(std::uint32_t partition);
  [[nodiscard]] std::optional<StoredState> load_from_folder(std::uint32_t partition) const;
  [[nodiscard]] std::string parts_subject(std::uint32_t partition, const Manifest& manifest) const;
  [[nodiscard]] std::string copy_of(std::uint32_t partition) const;
  [[nodiscard]] static std::string text(const Manifest& manifest);
  [[nodiscard]] static std::optional<Manifest> read(std::string_view text);

  Broker* broker_;
  Names names_;
  std::string folder_;
  std::uint64_t attempts_ = 0;
};

}  // namespace isolde::cluster
