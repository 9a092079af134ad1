// proxy/capture/line_file.h: a file that lines are added to while others may read it, and what is counted beside them.
//
// Always:  a line is in the file when the call returns, whole: one write per call, at the file's end. After a fault
//          nothing more is written. Safe from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace isolde::proxy::capture {

using LeftOut = std::map<std::string, std::uint64_t, std::less<>>;

class LineFile {
 public:
  // Requires: nothing is at `path` yet.
  [[nodiscard]] static Result<std::unique_ptr<LineFile>> create(const std::string& path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  void write(std::string_view lines);
  [[nodiscard]] std::string fault() const;

  // Why a statement or transaction is not judged: counted.
  void left_out(std::string_view why);
  [[nodiscard]] LeftOut all_left_out() const;

 private:
  explicit LineFile(int fd) : fd_(fd) {}

  int fd_;
  std::atomic<bool> faulty_ = false;
  mutable std::mutex mutex_;
  LeftOut left_out_;
  std::string fault_;
};

}  // namespace isolde::proxy::capture
