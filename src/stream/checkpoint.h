// stream/checkpoint.h: the folder in which a watcher leaves what a restart goes on from.
//
// In, out: a folder -> the settings and state that the last watcher left there, or none; later states into it.
//   lock              held while a watcher works here: a second one is refused
//   state             settings, position in the input, everything that the engine holds; whole or absent
//   violations.jsonl  every violation that was shown, in the order of finding (stream/violation_record.h)
//   spool/            what cannot be read again, until a state covers it
//   spill/            what an engine keeps on disk
// Always:  a state is used only with the settings that it was made with.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/state_file.h"

namespace isolde::stream {

// What must be the same after a restart, in words: {"level", "snapshot-isolation"}, {"input", "file /x/h.jsonl"}.
using Settings = std::vector<std::pair<std::string, std::string>>;
// "level snapshot-isolation before, serializable now"; empty: the same.
[[nodiscard]] std::string difference(const Settings& before, const Settings& now);

class CheckpointFolder {
 public:
  // Makes it if it is not there, and takes its lock.
  [[nodiscard]] static Result<CheckpointFolder> open(const std::string& folder);
  CheckpointFolder(CheckpointFolder&& other) noexcept;
  CheckpointFolder& operator=(CheckpointFolder&&) = delete;
  ~CheckpointFolder();

  struct Earlier {
    Settings settings;
    std::string position;
    StateReader rest;
  };
  [[nodiscard]] std::optional<Earlier>& earlier() { return earlier_; }

  // `rest` puts what Earlier::rest will give.
  [[nodiscard]] Result<void> write(const Settings& settings, const std::string& position,
                                   const std::function<void(StateWriter&)>& rest);

  [[nodiscard]] const std::string& path() const { return folder_; }
  [[nodiscard]] std::string violations() const { return folder_ + "/violations.jsonl"; }
  [[nodiscard]] std::string spool() const { return folder_ + "/spool"; }
  [[nodiscard]] std::string spill() const { return folder_ + "/spill"; }

 private:
  explicit CheckpointFolder(std::string folder, int lock) : folder_(std::move(folder)), lock_(lock) {}
  [[nodiscard]] Result<void> read();
  [[nodiscard]] std::string state() const { return folder_ + "/state"; }

  std::string folder_;
  int lock_ = -1;
  std::optional<Earlier> earlier_;
};

}  // namespace isolde::stream
