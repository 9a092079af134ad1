// cluster/state_store.h: the checkpoints of a partition, kept by the broker, so that they move with the partition.
//
//   NAME.s.P.part.EPOCH.N   the bytes of a state (the Nth that was tried), compressed, in messages of at most 256 KiB
//   NAME.s.P.now            the manifest: which of these are the state of partition P, and from where to read on
//
// Always:  a manifest is replaced only by one who knew the last one (compare and set). Whoever finds one of a later
//          epoch has lost the partition, and so has one that finds a manifest which it did not load: a server that has
//          just started again may say that there is none. A state is used only if its checksum holds.
//          Nothing waits: load() and save() begin, and each step goes as far as the answers allow.
//          With a folder, every state is also written there and synced: JetStream of NATS 2.9 does not sync, so after a
//          power cut that copy is what is left. The newer of the two is loaded.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
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
  using Time = std::chrono::nanoseconds;
  // `folder`: empty, or where copies go.
  StateStore(Broker& broker, Names names, std::uint32_t partition, std::string folder)
      : broker_(&broker), names_(std::move(names)), partition_(partition), folder_(std::move(folder)) {}

  // Until it returns something. An error: it can be read neither there nor here. No state inside: there is none.
  [[nodiscard]] std::optional<Result<std::optional<StoredState>>> load(Time now);

  enum class Saved : std::uint8_t { kPending, kYes, kLost, kNotNow };  // kLost: somebody else has the partition by now
  // Requires: not saving().
  [[nodiscard]] Result<void> begin_save(std::uint64_t epoch, std::uint64_t resume, const std::string& bytes);
  // `commit`: what the state covers is stored, so that its manifest may be written.
  [[nodiscard]] Saved save(bool commit);
  [[nodiscard]] bool saving() const { return saving_ != nullptr; }

  // Asks whether there is a manifest that was not loaded; overtaken() is true when that is so. `epoch`: of who asks.
  void doubt();
  [[nodiscard]] bool overtaken(std::uint64_t epoch);

 private:
  struct Manifest {
    std::uint64_t epoch = 0, attempt = 0, resume = 1, first = 0, parts = 0, bytes = 0, sum = 0;
  };
  struct Loading {
    LastAnswer asked;
    Manifest manifest;
    std::unique_ptr<MessageReader> reader;
    std::uint64_t parts = 0;
    std::string bytes;
    Time begun{0}, progress{0};
  };
  struct Saving {
    Manifest manifest;
    std::string packed;
    std::size_t sent = 0;  // bytes
    std::deque<AppendAnswer> parts;
    std::uint64_t before = 0;  // the number of the last part
    AppendAnswer written;
  };
  [[nodiscard]] std::optional<Result<std::optional<StoredState>>> load_from_broker(Time now);
  [[nodiscard]] std::optional<StoredState> load_from_folder() const;
  [[nodiscard]] Result<std::optional<StoredState>> unpack(const Loading& loading) const;
  // Nothing: the last manifest is known, and a state of this epoch may replace it.
  [[nodiscard]] std::optional<Saved> look_at_last();
  [[nodiscard]] std::optional<Saved> send_parts();
  [[nodiscard]] Saved give_up(Saved how);
  [[nodiscard]] std::string parts_subject(const Manifest& manifest) const;
  [[nodiscard]] std::string copy_of() const;
  [[nodiscard]] static std::string text(const Manifest& manifest);
  [[nodiscard]] static std::optional<Manifest> read(std::string_view text);

  Broker* broker_;
  Names names_;
  std::uint32_t partition_;
  std::string folder_;
  std::uint64_t attempts_ = 0;
  std::unique_ptr<Loading> loading_;
  std::unique_ptr<Saving> saving_;
  LastAnswer looking_;
  std::optional<std::uint64_t> last_;  // the number of the last manifest, if it is known
  std::uint64_t based_on_ = 0;         // … of the one that was loaded, or written after it; 0: none
};

}  // namespace isolde::cluster
