// check/timeline/online/spill.h: versions that left memory, on disk, for those that come later than all that is held
// and for keys that were given up. Likewise the reads of transactions that were released, and when these started.
//
// In, out: versions as they are dropped -> the newest one of a key before a moment, or those between two.
// Always:  complete as far as it was told; a file that cannot be written or read ends it: `good()` is false then.
// Cost:    sequential writes of 48 bytes a version, sorted in runs; a look-up reads a few blocks of each run that
//          reaches that far back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/timeline/online/entry.h"

namespace isolde::timeline {

struct SpilledVersion {
  std::uint64_t key;
  std::int64_t time;
  std::uint64_t state;
  std::uint64_t writer;
  std::uint64_t value;  // what was written: a fingerprint, or the number added
  std::uint8_t order;
  StateKind state_kind;
  EntryKind kind;
  std::uint8_t flags;
  std::uint32_t
      generation;  // of those of one transaction at one place only the latest count: a late write changed them

  [[nodiscard]] bool stands_before(std::int64_t t, std::uint8_t o) const {
    return time < t || (time == t && order < o);
  }
  [[nodiscard]] bool stands_behind(std::int64_t t, std::uint8_t o) const {
    return time > t || (time == t && order > o);
  }
};
static_assert(sizeof(SpilledVersion) == 48);

class Spill {
 public:
  // `most_bytes`: held in memory before they are written. `name`: what its files begin with.
  Spill(std::string folder, std::size_t most_bytes, std::string name = "versions")
      : folder_(std::move(folder)),
        name_(std::move(name)),
        run_(std::clamp(most_bytes / sizeof(SpilledVersion), kLeastRun, kMostRun)) {}
  ~Spill();
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;

  void add(const SpilledVersion& version);
  // The last version of the key that stands before (time, order).
  [[nodiscard]] std::optional<SpilledVersion> last_before(Fingerprint key, std::int64_t time, std::uint8_t order) const;
  // Those of the key behind (time, order) and not behind `until`, in order, of the latest generation; at most about
  // `most` of them.
  [[nodiscard]] std::vector<SpilledVersion> behind(Fingerprint key, std::int64_t time, std::uint8_t order,
                                                   std::int64_t until, std::size_t most) const;
  [[nodiscard]] std::uint64_t bytes() const { return on_disk_; }
  [[nodiscard]] std::size_t memory() const;
  [[nodiscard]] bool good() const { return good_; }

  // Checkpoints: everything goes to disk and stays there, and the list of runs is what has to be remembered.
  void keep();
  struct RunName {
    std::uint64_t number, count;
    std::int64_t least, most;
  };
  [[nodiscard]] std::vector<RunName> runs() const;
  // False if the files are not there any more.
  [[nodiscard]] bool restore(const std::vector<RunName>& runs);

 private:
  struct Run {
    RunName name;
    int file;
    std::vector<std::uint64_t> fence;  // key of every kFence-th version
  };
  static constexpr std::size_t kLeastRun = std::size_t{1} << 10, kMostRun = std::size_t{1} << 18;  // versions
  static constexpr std::size_t kFence = 512;
  static constexpr std::size_t kUnsorted = 2048;  // a look-up goes through so many one by one

  void write_run();
  [[nodiscard]] std::string path(std::uint64_t number) const;
  [[nodiscard]] std::optional<SpilledVersion> look(const Run& run, std::uint64_t key, std::int64_t time,
                                                   std::uint8_t order) const;

  std::string folder_, name_;
  std::size_t run_;
  void sort_fresh() const;

  mutable std::vector<SpilledVersion> fresh_;
  mutable std::size_t sorted_ = 0;  // so many of these are in order
  std::vector<Run> runs_;
  std::uint64_t next_ = 0, on_disk_ = 0;
  mutable bool good_ = true;
  bool keep_files_ = false;  // a checkpoint names them
};

}  // namespace isolde::timeline
