// proxy/capture/trace_file.h: the file that transactions are written to, as they end (format/proxy_trace.h).
//
// Always:  a line is in the file when the call returns, whole: one write per line, at the file's end. After a fault
//          nothing more is written. Safe from any thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "proxy/capture/transaction.h"

namespace isolde::proxy::capture {

class TraceFile {
 public:
  // Requires: nothing is at `path` yet.
  [[nodiscard]] static Result<std::unique_ptr<TraceFile>> create(const std::string& path, std::int64_t first_xid,
                                                                 std::string_view server);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void transaction(std::int64_t session, const Ended& ended);
  // Why a statement or transaction is not judged: counted.
  void left_out(std::string_view why);
  void judged() { ++judged_; }
  // The last lines. Tables whose rows were moved, and those that were defined anew.
  void over(const std::vector<std::string>& moved, const std::vector<std::string>& changed);

  [[nodiscard]] std::int64_t next_session() { return next_session_++; }
  [[nodiscard]] std::uint64_t transactions() const { return transactions_; }
  [[nodiscard]] std::uint64_t statements_judged() const { return judged_; }
  [[nodiscard]] std::map<std::string, std::uint64_t, std::less<>> all_left_out() const;
  [[nodiscard]] std::string fault() const;

 private:
  explicit TraceFile(int fd) : fd_(fd) {}
  void write(std::string_view line);

  int fd_;
  std::atomic<std::int64_t> next_session_ = 0;
  std::atomic<std::uint64_t> transactions_ = 0, judged_ = 0;
  std::atomic<bool> faulty_ = false;
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> left_out_;
  std::string fault_;
};

}  // namespace isolde::proxy::capture
