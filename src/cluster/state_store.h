// cluster/state_store.h: the checkpoints of a partition, kept by the broker, so that they move with the partition.
//
//   NAME.s.P.part.WRITER.N.I   the Ith part of a state (the Nth that this writer tried): compressed, at most 256 KiB
//   NAME.s.P.now               the manifest: which parts are the newest state of partition P, and which the one before
//
// Always:  load() finds a state, and every message that this state does not cover is still in the stream: after any
//          kill of any processes, all of them at once included, at any moment. Why:
//
//          1. What a manifest names is complete. A writer appends the manifest when all parts of its state were
//             acknowledged. The state before is one that this writer loaded or wrote, so it was complete, too.
//          2. Manifests are a chain. A manifest is appended by compare and set, by one who knew the last one; a writer
//             that finds one which it neither loaded nor wrote has lost the partition. So states follow each other:
//             each was made from one of the two that the manifest before names.
//          3. What the last manifest names is never dropped. Drops are asked for after a manifest M was acknowledged,
//             and only of parts with numbers below those of M's state before. Later manifests name states that were
//             stored later, or that same one. An attempt's own parts are dropped only if no manifest of it was sent.
//             Writers have numbers of their own, drawn at random, so no two attempts share a subject, even if a broker
//             forgot a lease and gave its number out twice.
//          4. Nothing that M's state before does not cover is dropped from the stream of batches (cluster/worker.h).
//
//          A kill before the append of M leaves some parts that nobody names, which later drops remove. A kill after it
//          leaves M or the manifest before it, depending on whether M arrived, and what either names is there.
//
//          An answer may be old (cluster/broker.h), and show a manifest that was replaced, whose states may not cover
//          enough. By 2 nothing that is made from them is ever saved; the worker misses the batches that are gone, asks
//          for the manifest once more, and begins again (overtaken()).
//
//          The state before is more than this needs. It is for brokers that forget: NATS 2.9 does not sync, and servers
//          that are killed often have forgotten messages that they had acknowledged (docs/cluster.md). If the last
//          manifest is forgotten, the one before is shown, and its newest state is still there, and all messages that
//          follow it; not those that follow its state before. So if parts are gone, the state before is loaded only
//          after a while: an answer that shows none of them may be an old one. Also, who loads has one
//          checkpoint's time to do so, before what it reads is dropped by somebody who still writes.
//          If no state can be read for a minute, although the broker answers, it is given up: nothing is lost by that
//          if nothing was ever dropped from the stream, and otherwise `lost` says so.
//
//          Parts and manifests are read by asking for the last message under a subject, which the leader of the stream
//          answers. A consumer may sit at a server that was just started, and lacks messages for a while.
//          Nothing waits: load() and save() begin, and each call goes as far as the answers allow.
//          With a folder, every state is also written there and synced, before its manifest is appended: after a power
//          cut that copy is what is left. The newer of the two is loaded.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cluster/broker.h"
#include "cluster/names.h"

namespace isolde::cluster {

struct StoredState {
  std::uint64_t epoch = 0;
  std::uint64_t resume = 1;  // the first message that the state does not cover
  std::string bytes;
};

struct LoadedState {
  std::optional<StoredState> state;  // none: there is none, or it is lost
  bool in_stream = false;            // the next manifest will name it as the state before
  bool lost = false;                 // messages were dropped that only a lost state covered
};

class StateStore {
 public:
  using Time = std::chrono::nanoseconds;
  // `writer`: unlike that of every other store that ever was. `folder`: empty, or where copies go. `stream`: a copy for
  // another one is not used (ClusterPlan::stream).
  StateStore(Broker& broker, Names names, std::uint32_t partition, std::uint64_t writer, std::string folder = {},
             std::uint64_t stream = 0)
      : broker_(&broker),
        names_(std::move(names)),
        partition_(partition),
        writer_(writer),
        folder_(std::move(folder)),
        stream_(stream) {}

  // Until it returns something. An error: another version of isolde wrote it.
  [[nodiscard]] std::optional<Result<LoadedState>> load(Time now);

  enum class Saved : std::uint8_t { kPending, kYes, kLost, kNotNow };  // kLost: somebody else has the partition by now
  // Requires: not saving().
  void begin_save(std::uint64_t epoch, std::uint64_t resume, const std::string& bytes);
  // `commit`: what the state covers is stored, so that its manifest may be written. An error: the copy cannot be
  // written, or the broker will never take the state.
  [[nodiscard]] Result<Saved> save(Time now, bool commit);
  [[nodiscard]] bool saving() const { return saving_ != nullptr; }

  // Asks whether there is a manifest that was not loaded; overtaken() is true when that is so.
  void doubt();
  [[nodiscard]] bool overtaken();

 private:
  // A state of which all parts were stored. parts = 0: none.
  struct Generation {
    std::uint64_t writer = 0, attempt = 0, epoch = 0, resume = 1, first = 0, parts = 0, bytes = 0, sum = 0;
  };
  struct Manifest {
    Generation newest, before;
    bool dropped = false;  // messages that a state covers may have been dropped
  };
  struct Loading {
    LastAnswer asked;  // for the manifest
    std::optional<Manifest> manifest;
    bool tried_newest = false;
    std::vector<std::string> parts;   // of the generation that is tried
    std::deque<LastAnswer> expected;  // behind them
    Time begun{0}, again{0};
  };
  struct Part {
    std::uint64_t index;
    AppendAnswer answer;
  };
  struct Saving {
    Generation generation;
    std::string packed, bytes;  // `bytes`: for the copy
    std::uint64_t sent = 0;     // parts
    std::deque<Part> parts;     // on their way
    AppendAnswer written;
    bool manifest_sent = false, copied = false;
    Time again{0};
  };
  enum class Tried : std::uint8_t { kPending, kYes, kMissing };
  [[nodiscard]] std::optional<Result<LoadedState>> load_from_broker(Time now);
  [[nodiscard]] Tried try_generation(const Generation& generation, Time now, StoredState& out);
  [[nodiscard]] std::optional<StoredState> load_copy() const;
  [[nodiscard]] Result<void> write_copy() const;
  // kYes: the last manifest is known, and a state of this writer may replace it.
  [[nodiscard]] Saved look_at_last(Time now);
  [[nodiscard]] Result<Saved> send_parts(Time now);
  Saved give_up(Saved how);
  Saved finish(std::uint64_t sequence);
  [[nodiscard]] std::string attempt_subject(const Generation& generation) const;
  [[nodiscard]] std::string part_subject(const Generation& generation, std::uint64_t index) const;
  [[nodiscard]] std::string copy_path() const;
  [[nodiscard]] static std::string text(const Manifest& manifest);
  [[nodiscard]] static std::optional<Manifest> read(std::string_view text);

  Broker* broker_;
  Names names_;
  std::uint32_t partition_;
  std::uint64_t writer_;
  std::string folder_;
  std::uint64_t stream_;
  std::uint64_t attempts_ = 0;
  std::unique_ptr<Loading> loading_;
  std::unique_ptr<Saving> saving_;
  LastAnswer looking_;
  std::optional<std::uint64_t> last_;  // the number of the last manifest, if it is known
  std::uint64_t based_on_ = 0;         // … of the one that was loaded, or written after it; 0: none
  Generation kept_;                    // what was loaded from the stream, or written after it
  bool dropped_ = false;
};

}  // namespace isolde::cluster
