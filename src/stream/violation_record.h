// stream/violation_record.h: the violations of a watched stream, each once, in a file that outlives the watcher.
//
// In, out: violations as an engine tells them -> lines of DIR/violations.jsonl; whether one is new.
// Always:  a violation is in the file before anybody is shown it; one that is in the file is never new again, though a
//          restart derives it a second time. A last line that a kill cut off is removed: it was shown to nobody.
// Cost:    one write a violation. In memory: the identities since the last checkpoint, and of the latest before it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/result.h"
#include "base/state_file.h"
#include "check/online.h"

namespace isolde::stream {

// {"event": "violation", "identity": "…", "name": "GSIb", …}, without a newline. `why`: of a suspicion; empty: none.
[[nodiscard]] std::string violation_json(const OnlineViolation& violation, std::string_view event,
                                         std::string_view why = {});

class ViolationRecord {
 public:
  ViolationRecord() = default;  // in memory only
  ViolationRecord(const ViolationRecord&) = delete;
  ViolationRecord& operator=(const ViolationRecord&) = delete;
  ~ViolationRecord();

  // What a checkpoint keeps of it, so that a restart reads only the lines that were written after it.
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);
  // Opens the file, after load() if there was a checkpoint, and reads what came after that.
  [[nodiscard]] Result<void> open(const std::string& path);

  // True: it is new, and recorded. False: known already, or it could not be written: see fault().
  bool add(const OnlineViolation& violation);
  [[nodiscard]] const std::string& fault() const { return fault_; }

  // Everything is on the disk. To be called before a checkpoint that covers it is written …
  [[nodiscard]] Result<void> sync();
  // … and this when it is written: nothing from before is derived again.
  void covered();

  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::uint64_t since_checkpoint() const { return fresh_; }
  [[nodiscard]] const std::map<std::string, std::uint64_t>& counts() const { return counts_; }  // by name

 private:
  void note(std::uint64_t identity, const std::string& name);
  void trim();

  std::string path_, fault_;
  int file_ = -1;
  std::uint64_t size_ = 0;   // of the file
  std::uint64_t total_ = 0;  // violations ever recorded
  std::uint64_t fresh_ = 0;  // of these since the last checkpoint: the last so many of order_
  std::map<std::string, std::uint64_t> counts_;
  std::unordered_set<std::uint64_t> known_;
  std::deque<std::uint64_t> order_;
};

}  // namespace isolde::stream
