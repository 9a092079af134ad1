// proxy/values/value_capture.h: one MariaDB connection's commands and answers -> what its transactions read and wrote,
// by value.
//
// Always:  nothing that passes is changed. A write in a form that is not understood touches every table that its text
//          names, and those are not judged from there on; what only reads and is not understood is not judged.
// Source:  /docs/proxy.md says what is recorded and what is not.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/mysql/conversation.h"
#include "proxy/values/catalogue.h"
#include "proxy/values/rows.h"
#include "proxy/values/statement.h"
#include "proxy/values/transaction.h"
#include "proxy/values/value_trace.h"

namespace isolde::proxy::values {

class ValueCapture : public mysql::Listener, private ValueSink {
 public:
  ValueCapture(Catalogue& catalogue, ValueTrace& trace) : catalogue_(catalogue), trace_(trace), transactions_(*this) {}

  void logged_in(const mysql::Login& login) override;
  void command(std::uint64_t number, const mysql::Packet& packet) override;
  void answer(const mysql::Answer& answer, const mysql::Packet& packet) override;
  void at(std::int64_t time) override { now_ = time; }
  void lost_track() override;
  void closed() override;

 private:
  using Statements = std::shared_ptr<const std::vector<Statement>>;
  struct Prepared {
    Statements statements;
    std::size_t parameters = 0;
    std::vector<std::uint16_t> types = {};
    std::vector<bool> sent_apart = {};
  };
  struct Task {
    std::uint64_t number;
    mysql::Command command;
    Statements statements = {};              // kQuery, kPrepare; of an execution once it is resolved
    std::string body = {};                   // of an execution: its parameters
    std::vector<FieldSeen> parameters = {};  // point into `body`
    std::int64_t sent = 0;
    std::size_t step = 0;  // of the statements, how many were answered
    bool resolved = false;
  };
  struct Result {
    std::vector<ColumnSeen> columns;
    std::size_t rows = 0;
    std::vector<ValueOp> ops;
  };

  void read_execution(Task& task);
  void touch_before(const std::vector<Statement>& statements);
  [[nodiscard]] const Statement* statement_of(const Task& task) const;
  void row(const Task& task, const Statement& statement, std::string_view packet);
  void carried_out(Task& task, const mysql::Answer& answer, std::string_view packet);
  void failed(const Task& task, std::string_view packet);
  void controls(const Statement& statement, bool open, std::int64_t sent);
  [[nodiscard]] std::vector<ValueOp> ops_of(const Task& task, const Statement& statement, const mysql::Answer& answer,
                                            std::string_view packet);
  void update(const Task& task, const Statement& statement, const FollowedTable& table, std::uint64_t changed,
              std::vector<ValueOp>& to);
  void insert(const Task& task, const Statement& statement, const FollowedTable& table, const mysql::Answer& answer,
              std::vector<ValueOp>& to);
  void absence(const Task& task, const Statement& statement, std::vector<ValueOp>& to);
  [[nodiscard]] Value value_of(const Task& task, const Term& term, ColumnKind kind) const;
  // From `column = value AND …`; empty: it names no whole key.
  [[nodiscard]] std::string key_of(const Task& task, const Statement& statement, const FollowedTable& table,
                                   bool nothing_else) const;
  [[nodiscard]] const FollowedTable* table_of(const Statement& statement) const;

  void ended(EndedByValue&& transaction) override { trace_.transaction(session_, transaction); }
  void left_out(std::string_view why) override { trace_.left_out(why); }

  Catalogue& catalogue_;
  ValueTrace& trace_;
  StatementReader reader_;
  ValueTransactions transactions_;
  std::int64_t session_ = 0, now_ = 0;
  std::uint64_t capabilities_ = 0;
  std::string schema_, set_level_;
  bool records_ = false, utf8_ = false, over_ = false;
  bool blind_ = false;  // a temporary table may hide another one
  std::map<std::uint64_t, Prepared> prepared_;
  std::uint64_t last_prepared_ = 0;
  std::deque<Task> tasks_;
  Result result_;
  std::vector<FieldSeen> fields_;
};

}  // namespace isolde::proxy::values
