// audit/scope/requests.h: which transactions of a trace belong to one request: what the application meant to be one.
//
// A request (a page, a call of an API, a job) often runs several transactions, and nothing in SQL says which. The
// evidence, best first:
//   comment     statements carry the request's id (sqlcommenter's traceparent, marginalia's request_id). The only
//               evidence by which a request may use several connections. If comments name only the kind of request
//               (controller, action, route), a request ends where the kind changes, or at a gap
//   connection  one connection per request, as PHP does: most connections are closed in the trace, after a few
//               statements and a few seconds
//   pool        what a pool sends when it hands a connection out: DISCARD ALL, ROLLBACK without a transaction, SELECT
//               1, SET NAMES, SET autocommit = 1, SET …: at a regular place
//   gap         a pause between two transactions of a connection that is much longer than the usual one
//   opener      connections begin with the same statement (the session's row, the user's), which comes again and again
//   none        nothing of all this: a connection is taken for one request, and only statements near to each other are
//               compared (scope.h)
//
// In, out: TraceLog, what each shape does -> requests, each its committed transactions in the order in which they
//          began; the evidence, what it rests on, and how sure that is.
// Always:  a transaction is in one request or in none. The same trace gives the same requests.
// Limits:  requests that follow each other on one connection without a pause, a mark or a comment look like one.
// Cost:    a sort of the transactions.
// Source:  Warszawski and Bailis, ACIDRain (SIGMOD 2017), who spaced their calls and cut by time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audit/sql/statement.h"
#include "audit/trace/log.h"
#include "base/result.h"

namespace isolde::audit {

enum class RequestEvidence : std::uint8_t { kComment, kConnection, kPool, kGap, kOpener, kNone };
[[nodiscard]] std::string_view name(RequestEvidence evidence);

enum class Sureness : std::uint8_t { kSure, kLikely, kGuess, kNotKnown };
[[nodiscard]] std::string_view name(Sureness sure);  // "sure", "likely", "a guess", "not known"

struct RequestOptions {
  std::optional<RequestEvidence> only;  // nothing: the best that the trace has
  std::int64_t gap_us = 0;              // kGap: a pause of at least this; 0: as the trace's pauses are
};
// auto, comment, connection, pool, gap, gap=2s, gap=500ms, opener, none.
[[nodiscard]] Result<RequestOptions> request_options(std::string_view text);

struct Request {
  std::vector<std::uint32_t> transactions;  // in TraceLog::transactions
  std::string kind;                         // as comments name it: "cart#add"; may be empty
};

struct Requests {
  RequestEvidence evidence = RequestEvidence::kNone;
  Sureness sure = Sureness::kNotKnown;
  std::string why;  // "31 of 31 connections are closed, after 45 statements and 0.4 s (medians)"
  std::vector<Request> all;
};

// `statements`: by ShapeId.
[[nodiscard]] Requests find_requests(const TraceLog& log, std::span<const Statement> statements,
                                     const RequestOptions& options);

}  // namespace isolde::audit
