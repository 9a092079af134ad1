// audit/trace/log_builder.h: events of a trace -> transactions, by the rules of the dialect.
//
// Always:  A level that is set for one transaction is PostgreSQL's for the one that is open, MySQL's for the next.
//          MySQL: BEGIN and DDL commit what is open; turning autocommit on does too. PostgreSQL: BEGIN inside of a
//          transaction means nothing; after a failure COMMIT rolls back; the statements of one message are one
//          transaction. SQLite: an outermost SAVEPOINT begins a transaction and its RELEASE commits it.
//          A transaction is told to the log when nothing can change it any more: with the session's next statement.
// Cost:    a session that is going on costs some 150 bytes and its open transaction.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/trace/control.h"
#include "audit/trace/log.h"

namespace isolde::audit {

class LogBuilder : public TraceSink {
 public:
  explicit LogBuilder(TraceLog& log) : log_(log) {}

  void begin_trace(const TraceFacts& facts) override;
  void statement(const TraceEvent& event) override;
  void failed(std::uint32_t session) override;
  void begin_message(std::uint32_t session) override;
  void end_message(std::uint32_t session) override;
  void end_of_session(std::uint32_t session) override;
  void not_read(std::uint64_t line, std::string_view text, std::string_view why) override;

  // After the last event.
  void finish();

 private:
  struct Savepoint {
    std::string name;
    std::size_t statements;
    bool begins = false;  // it opened the transaction
  };
  struct Draft {
    std::vector<TraceStatement> statements;
    std::uint64_t begun = 0, ended = 0;
    TxnOutcome outcome = TxnOutcome::kOpen;
    bool autocommit = false;
    SaidLevel level = SaidLevel::kNothing;
    std::string prepared;  // its name in a two-phase commit
    std::uint8_t marks = 0;
    std::uint32_t tag = kNone32;
    std::int64_t begun_us = kNoTime, ended_us = kNoTime;
  };
  enum class Last : std::uint8_t { kNothing, kStatement, kOther };
  struct Session {
    bool is_open = false;
    bool of_message = false;  // the transaction ends with the message, unless BEGIN was said
    bool in_message = false;
    bool autocommit = true;
    bool poisoned = false;
    SaidLevel level = SaidLevel::kNothing;  // of transactions that say nothing
    SaidLevel next = SaidLevel::kNothing;   // MySQL: of the next one only
    Last last = Last::kNothing;             // what a failure would concern
    Draft open;
    std::vector<Savepoint> savepoints;
    std::uint8_t marks = 0;      // since the transaction before
    bool touched_rows = false;   // it has had a transaction that is in the log
    std::int64_t now = kNoTime;  // the clock at its last event
    bool has_ended = false;      // `ended` waits for the session's next statement: a failure may still undo it
    Draft ended;
  };

  Session& session(std::uint32_t number);
  void control(Session& s, const ControlStatement& control);
  void data(Session& s, const TraceEvent& event);
  static void note_mark(Session& s, std::string_view sql, SqlDialect dialect, const ControlStatement& control);
  std::uint32_t tag_of(std::string_view sql);
  void begin(Session& s, bool of_message);
  void end(Session& s, TxnOutcome outcome);
  void roll_back_to(Session& s, std::string_view name);
  void release(Session& s, std::string_view name);
  void set_level(Session& s, const ControlStatement& control);
  void tell(std::uint32_t session, Session& s, Draft& draft);
  void settle(std::uint32_t number, Session& s);

  TraceLog& log_;
  SqlDialect dialect_ = SqlDialect::kPostgres;
  std::unordered_map<std::uint32_t, Session> sessions_;
  std::uint32_t cached_number_ = kNone32;
  Session* cached_ = nullptr;
  std::unordered_map<std::string, std::size_t> prepared_;  // name -> transaction of the log
  std::map<RequestTag, std::uint32_t> tags_;
  std::uint64_t event_ = 0;
};

}  // namespace isolde::audit
