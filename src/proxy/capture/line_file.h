// proxy/capture/line_file.h: a file that lines are added to while others may read it, and what is counted beside them.
//
// Always:  whole lines, in the order of the calls, at the file's end; each is there a moment (kFlushMs) later at the
//          latest, so that one write of the system serves many lines. After a fault nothing more is written. Safe from
//          any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

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
  // What was given is in the file when this returns.
  void flush();
  [[nodiscard]] std::string fault() const;

  // Why a statement or transaction is not judged: counted.
  void left_out(std::string_view why);
  [[nodiscard]] LeftOut all_left_out() const;

 private:
  explicit LineFile(int fd) : fd_(fd) {}
  void write_out(std::string_view lines);
  void flush_now_and_then();

  int fd_;
  std::atomic<bool> faulty_ = false;
  mutable std::mutex mutex_;  // of what follows
  std::string waiting_;
  bool over_ = false;
  std::condition_variable wake_;
  mutable std::mutex writing_;  // held while the system writes; taken before the other one
  std::thread thread_;
  LeftOut left_out_;
  std::string fault_;
};

}  // namespace isolde::proxy::capture
