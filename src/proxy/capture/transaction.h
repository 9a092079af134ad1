// proxy/capture/transaction.h: one client's statements, as they are answered -> its transactions.
//
// In, out: the steps of the client's texts, the rows that the server named, command tags, errors and the status of
//          ReadyForQuery -> transactions with their operations, each when it is over.
// Always:  a transaction that may be cut otherwise than the server cut it is left out as a whole (and counted). What a
//          failed statement or a savepoint that was rolled back did is left out. A commit whose answer was lost is
//          unknown. Leaving out is always sound: versions of a transaction that is not there are not judged
//          (format/proxy_trace.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"
#include "proxy/capture/isolation.h"
#include "proxy/capture/plan.h"
#include "proxy/postgres/rows.h"

namespace isolde::proxy::capture {

struct RowSeen {
  char kind;  // as in the trace: r, l, s, w, d
  const Table* table;
  std::shared_ptr<const Plan> plan;  // keeps the table
  std::string key;
  postgres::VersionName version;
  std::int64_t before = 0, after = 0;
};

struct Ended {
  Status status = Status::kCommitted;
  std::int64_t begin = 0, end = 0;
  std::int64_t commit_sent = 0, commit_answered = 0;
  std::string level;
  std::vector<RowSeen> rows;
};

class TransactionSink {
 public:
  virtual ~TransactionSink() = default;
  virtual void ended(Ended&& transaction) = 0;
  virtual void left_out(std::string_view why) = 0;
};

class Transactions {
 public:
  explicit Transactions(TransactionSink& sink) : sink_(sink) {}

  [[nodiscard]] SessionLevel& level() { return level_; }
  // A statement is being answered that was sent then.
  void starts(std::int64_t sent);
  void row(RowSeen&& row);
  // It was carried out. `tag`: the command tag.
  void done(const Step& step, std::string_view tag, std::int64_t sent, std::int64_t answered);
  void failed(const Step& step);
  // ReadyForQuery: I, T or E.
  void ready(char status, std::int64_t answered);
  // Nothing more will be heard. `waits`: for the answer to something that was sent, the last part of it then.
  void lost(bool waits, std::int64_t last_sent);
  // Nothing that was or will be said of the transaction that is open can be relied on.
  void doubt(std::string_view why);

 private:
  struct Savepoint {
    std::string name;
    std::size_t rows;
  };
  void drop_repeated();
  void control(const Step& step, std::string_view tag, std::int64_t sent, std::int64_t answered);
  void end(Status status, std::int64_t sent, std::int64_t answered);
  void back_to(const std::string& name);
  void release(const std::string& name);

  TransactionSink& sink_;
  bool open_ = false, explicit_ = false, failed_ = false;
  std::string_view doubt_;
  std::int64_t begin_ = 0, last_sent_ = 0;
  std::vector<RowSeen> rows_;
  std::size_t settled_ = 0;  // rows of statements that were carried out
  std::vector<Savepoint> savepoints_;
  SessionLevel level_;
};

}  // namespace isolde::proxy::capture
