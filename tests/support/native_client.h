// tests/support/native_client.h: a client whose transactions become lines of the native format in memory, so that what
// workloads record can be read by a test.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "db/database.h"
#include "history/history.h"
#include "record/workload/client.h"
#include "record/workload/workload.h"

namespace isolde {

class NativeClient : public record::Client {
 public:
  // Clients of one history have different places below `clients`.
  NativeClient(std::unique_ptr<db::Connection> connection, const db::Dialect& dialect, std::uint32_t place,
               std::uint32_t clients);

  bool begin() override;
  using Client::run;
  bool run(std::string_view sql, std::span<const db::Cell> parameters) override;
  bool commit() override;
  void roll_back() override;
  const db::Reply& reply() const override { return reply_; }
  const db::Dialect& dialect() const override { return dialect_; }
  void will_write(std::string_view key, std::string_view value) override;
  void will_append(std::string_view key, std::string_view element) override;
  void saw(std::string_view key, std::string_view value, Lock lock) override;
  void wrote(std::string_view key, std::string_view value) override;
  void scanned(std::string_view where, std::span<const record::RecordedItem> rows, Lock lock) override;
  void aggregated(std::string_view expression, std::string_view where, std::string_view value) override;
  void updated(std::string_view where, std::span<const record::RecordedItem> rows_after) override;
  void go_on() override {}
  std::int64_t unique() override { return next_unique_ += clients_; }

  // Operations of the transaction that is open, or of the last one: `["r",7,1],["w",7,2]`.
  [[nodiscard]] const std::string& ops() const { return ops_; }
  [[nodiscard]] const std::string& lines() const { return lines_; }
  [[nodiscard]] std::uint64_t committed() const { return committed_; }
  // The first fault that the driver's table does not know; empty: none.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  void note(const std::string& op);
  bool fail(const Result<db::Reply>& reply);
  void end(std::string_view status);

  std::unique_ptr<db::Connection> connection_;
  const db::Dialect& dialect_;
  std::uint32_t place_, clients_;
  std::int64_t next_unique_;
  db::Reply reply_;
  std::string ops_, lines_, fault_;
  std::uint64_t committed_ = 0;
};

// Makes a workload's tables with its first rows; what went wrong, or nothing.
[[nodiscard]] std::string make_tables(db::Connection& connection, record::Workload& workload);

}  // namespace isolde
