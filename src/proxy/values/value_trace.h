// proxy/values/value_trace.h: the file that transactions are written to, as they end (format/value_trace.h).
//
// Always:  safe from any thread. From time to time a line says since when all that began is over, so that a file that
//          was cut by a kill says which of its transactions have all their writers beside them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "proxy/capture/line_file.h"
#include "proxy/values/catalogue.h"
#include "proxy/values/transaction.h"

namespace isolde::proxy::values {

class ValueTrace {
 public:
  // `secret` 0: values are written as they are. Requires: nothing is at `path` yet.
  [[nodiscard]] static Result<std::unique_ptr<ValueTrace>> create(const std::string& path, Catalogue& catalogue,
                                                                  std::uint64_t secret);

  void transaction(std::int64_t session, const EndedByValue& ended);
  // Something may have written all of these.
  void touched(const Touched& touched, std::string_view why);
  // One column of a table, or all if null.
  void touched(const FollowedTable& table, const FollowedColumn* column, std::string_view why);
  // The session has something open, or waits for an answer, since then; 0: not any more.
  void open_since(std::int64_t session, std::int64_t time);
  void left_out(std::string_view why) { file_->left_out(why); }
  void judged() { ++judged_; }
  void over() {
    file_->write("{\"over\":1}\n");
    file_->flush();
  }

  [[nodiscard]] std::int64_t next_session() { return next_session_++; }
  [[nodiscard]] std::uint64_t transactions() const { return transactions_; }
  [[nodiscard]] std::uint64_t statements_judged() const { return judged_; }
  [[nodiscard]] capture::LeftOut all_left_out() const { return file_->all_left_out(); }
  // Transactions that were recorded, by their isolation level.
  [[nodiscard]] capture::LeftOut levels() const;
  [[nodiscard]] std::string fault() const { return file_->fault(); }

 private:
  ValueTrace(std::unique_ptr<capture::LineFile> file, Catalogue& catalogue, std::uint64_t secret)
      : file_(std::move(file)), catalogue_(catalogue), secret_(secret) {}
  [[nodiscard]] std::string horizon();
  void write_first(const ValueOp& op, std::string& to);

  std::unique_ptr<capture::LineFile> file_;
  Catalogue& catalogue_;
  std::uint64_t secret_;
  std::atomic<std::int64_t> next_session_ = 0;
  std::atomic<std::uint64_t> transactions_ = 0, judged_ = 0;
  mutable std::mutex mutex_;
  std::set<std::pair<const FollowedTable*, const FollowedColumn*>> touched_;
  capture::LeftOut levels_;
  std::map<std::int64_t, std::int64_t> open_;  // by session
};

}  // namespace isolde::proxy::values
