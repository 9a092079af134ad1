// audit/trace/log.h: a trace as transactions: columns of statements (shape, literals, line), grouped by transaction.
//
// In, out: the events of read_trace -> TraceLog.
// Always:  BEGIN, START TRANSACTION, COMMIT, ROLLBACK, END, ABORT, SET autocommit, SAVEPOINT, RELEASE and ROLLBACK TO
//          are carried out here and are no statements of the log; DDL that commits by itself (MySQL) does so. A
//          statement outside of a transaction is a transaction of its own. What was rolled back to a savepoint is not
//          in it, nor are statements that failed. SET, SHOW, USE and others that touch no row are only counted, and a
//          transaction without any other is left out and counted.
//          Transactions stand in the order in which they ended; those that never did come last.
//          A transaction without statements that touch rows is left out, but what it says of requests (pool marks) goes
//          to the session's next one.
// Cost:    about 32 bytes a statement and 4 a literal; texts are kept once a shape.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "audit/schema/ids.h"
#include "audit/sql/shape.h"
#include "audit/trace/read_trace.h"
#include "audit/trace/request_tag.h"

namespace isolde::audit {

enum class TxnOutcome : std::uint8_t { kCommitted, kRolledBack, kOpen };

struct TraceStatement {
  ShapeId shape;
  std::uint32_t first_literal;  // in TraceLog::literals; as many as the shape has
  std::uint32_t line;
};

// What a connection pool sends when it hands a connection to a request or takes it back.
enum PoolMark : std::uint8_t {
  kMarkDiscard = 1,     // DISCARD ALL, RESET ALL, DEALLOCATE ALL
  kMarkRollback = 2,    // ROLLBACK where no transaction is open
  kMarkNames = 4,       // SET NAMES, SET CHARACTER SET
  kMarkAutocommit = 8,  // SET autocommit = 1 where it is on already
  kMarkSet = 16,        // another SET of the session
};

struct TraceTransaction {
  std::uint32_t session;
  std::uint32_t first_statement;  // in TraceLog::statements
  std::uint32_t statements;
  TxnOutcome outcome;
  bool autocommit;                        // one statement by itself
  std::uint64_t begun, ended;             // numbers of events: two transactions were concurrent if these overlap
  SaidLevel level = SaidLevel::kNothing;  // BEGIN ISOLATION LEVEL …, SET TRANSACTION …, SET SESSION …
  std::uint8_t marks = 0;                 // PoolMarks since the session's transaction before it
  std::uint32_t tag = kNone32;            // in TraceLog::tags: what its first tagged statement says
  std::int64_t begun_us = kNoTime, ended_us = kNoTime;  // the clock of the trace; kNoTime: it has none
};

// A piece of the trace that could not be made sense of.
struct UnreadText {
  std::uint64_t line;
  std::string text;  // the beginning of it
  std::string why;
};

struct TraceLog {
  TraceFacts facts;
  ShapeTable shapes;
  std::vector<LiteralId> literals;
  std::vector<TraceStatement> statements;  // those of a transaction are neighbours
  std::vector<TraceTransaction> transactions;
  std::vector<UnreadText> unread;  // the first thousand; all are counted
  std::uint64_t unread_count = 0;
  std::uint64_t control_statements = 0;  // BEGIN, COMMIT …
  std::uint64_t no_data_statements = 0;  // SET NAMES, SHOW, USE …
  std::uint64_t failed_statements = 0;   // the log says so
  std::uint64_t empty_transactions = 0;  // with no statement that touches rows
  std::uint64_t sessions = 0;
  std::vector<RequestTag> tags;       // each once
  std::vector<bool> closed_sessions;  // by session: the trace has its end, and it had statements on rows

  [[nodiscard]] std::span<const TraceStatement> of(const TraceTransaction& txn) const {
    return std::span(statements).subspan(txn.first_statement, txn.statements);
  }
  [[nodiscard]] std::span<const LiteralId> literals_of(const TraceStatement& statement) const;
  // The statement's text with its literals in it.
  [[nodiscard]] std::string text_of(const TraceStatement& statement) const;
};

[[nodiscard]] Result<TraceLog> load_trace(const std::string& path, const TraceOptions& options);
[[nodiscard]] Result<TraceLog> load_trace_text(std::string_view text, const std::string& file,
                                               const TraceOptions& options);

}  // namespace isolde::audit
