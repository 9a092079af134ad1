// hunt/log_watch.h: looks at what a server's log gains for lines that no healthy server writes.
//
// Always: a line is told once. Lines that quote SQL are passed over: what is in them is ours.
// Cost:   one stat() where nothing was written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isolde::hunt {

class LogWatch {
 public:
  // What stands in the file already does not count. Empty path: there is no log.
  explicit LogWatch(std::string path);
  // Lines written since the last call that tell of a crash, a failed assertion or a sanitizer's complaint.
  [[nodiscard]] std::vector<std::string> new_faults();

 private:
  std::string path_;
  std::uint64_t read_ = 0;  // bytes
};

[[nodiscard]] bool tells_of_a_fault(std::string_view line);

}  // namespace isolde::hunt
