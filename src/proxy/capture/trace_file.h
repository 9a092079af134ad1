// proxy/capture/trace_file.h: the file that transactions are written to, as they end (format/proxy_trace.h).
//
// Always:  safe from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "proxy/capture/line_file.h"
#include "proxy/capture/transaction.h"

namespace isolde::proxy::capture {

class TraceFile {
 public:
  // Requires: nothing is at `path` yet.
  [[nodiscard]] static Result<std::unique_ptr<TraceFile>> create(const std::string& path, std::int64_t first_xid,
                                                                 std::string_view server);

  void transaction(std::int64_t session, const Ended& ended);
  // Why a statement or transaction is not judged: counted.
  void left_out(std::string_view why) { file_->left_out(why); }
  void judged() { ++judged_; }
  // The last lines. Tables whose rows were moved, and those that were defined anew.
  void over(const std::vector<std::string>& moved, const std::vector<std::string>& changed);

  [[nodiscard]] std::int64_t next_session() { return next_session_++; }
  [[nodiscard]] std::uint64_t transactions() const { return transactions_; }
  [[nodiscard]] std::uint64_t statements_judged() const { return judged_; }
  [[nodiscard]] LeftOut all_left_out() const { return file_->all_left_out(); }
  // Transactions that were recorded, by their isolation level.
  [[nodiscard]] LeftOut levels() const {
    const std::lock_guard lock(mutex_);
    return levels_;
  }
  [[nodiscard]] std::string fault() const { return file_->fault(); }

 private:
  explicit TraceFile(std::unique_ptr<LineFile> file) : file_(std::move(file)) {}

  std::unique_ptr<LineFile> file_;
  std::atomic<std::int64_t> next_session_ = 0;
  std::atomic<std::uint64_t> transactions_ = 0, judged_ = 0;
  mutable std::mutex mutex_;
  LeftOut levels_;
};

}  // namespace isolde::proxy::capture
