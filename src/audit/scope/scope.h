// audit/scope/scope.h: what a request checks in one transaction and acts upon in a later one.
//
// Isolation protects what is inside of one transaction. An application that reads in one and writes in another, or in
// autocommit, is not protected by any level: between the two anybody may come. (17 of the 22 vulnerabilities that
// ACIDRain confirmed are of this kind.) So this looks at requests (requests.h), not at levels: a plain read of rows by
// a key, and later in the same request, in another transaction, a write of that table with the same values of the key.
// Two requests of the same kind are enough: both read, then both write.
//   overwrites  UPDATE … SET x = value, and x was read: what others wrote in between is lost
//   acts        UPDATE … SET x = x - n, and x was read: the decision to do so was made before
//   inserts     INSERT of a row such as was looked for, counted or summed: two that find none, or room for one, both
//               insert
//   counts      UPDATE … SET x = value, and the value is what the statement before it has counted or added up, of rows
//               that the request has changed: the number misses what others have changed since
//
// A check may also be in an earlier request of the same user, such as the cart page, and the act in a later one, such
// as the payment page (earlier.h). Of these only UPDATEs that take from a value (x = x - n) are reported, in requests
// that do not look at the value themselves.
//
// Not reported, since it cannot happen:
//   - rows that the request has made itself: by the key that it gave, or by an id that came up only after its INSERT
//   - an INSERT of a whole unique key that was looked for: it turns the second away
//   - an UPDATE that asks again for what was read (`AND version = 5`, `AND stock >= 1`), if it changes what it asks for
//   - a read that the writing transaction makes again, before or (of a row that it has locked) after its write
//   - an UPDATE that sets what its own transaction has just counted: that is a matter of its level
//   - a row that was taken from those that are looked for, under a lock (WHERE state = 'ready' FOR UPDATE, SET state =
//     'running'): the second request takes another
//   - what lies between the taking and the giving back of a lock that both requests must take: a row that is switched
//   by
//     UPDATE … SET locked = 'Y' … WHERE … locked = 'N', or an advisory lock of the session; for the rows that the lock
//     is about
// Ranked lower, and marked: keys that are a session's, a user's or a cart's (two requests of the same user are needed);
// columns that are written back as they were; values that are always the same.
//
// In, out: TraceLog, classes, requests -> pairs of statements, the likeliest first.
// Always:  one finding for each cause (what is written, and how); the read is the one that decides most. The trace has
//          the pair in at least half of the writes, which keeps reads out that go before by chance. Where nothing shows
//          where requests begin, at most kMostBetween statements lie between the two, and they have more in common
//          than a table or a value of the program (state = 'ready').
// Limits:  results of reads are not in a trace: whether the write depends on the read is taken from their keys. Locks
// that
//          the application holds by other means (a session file, a mutex) are not seen.
// Cost:    for each request, its writes times its reads of the same table.
// Source:  Warszawski and Bailis, ACIDRain (SIGMOD 2017): scope-based anomalies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/scope/requests.h"
#include "audit/story/story.h"

namespace isolde::audit {

inline constexpr std::size_t kMostBetween = 64;

enum class ScopeKind : std::uint8_t { kOverwrites, kActs, kInserts, kCounts };
[[nodiscard]] std::string_view name(ScopeKind kind);  // "overwrites"

struct ScopeFinding {
  ScopeKind kind;
  ShapeId read, write;
  ColumnId column;                          // that is read and then written; of an INSERT, that was looked for
  LiteralId entry = kNoLiteral;             // the name under which the table keeps the value (schema/entries.h)
  std::uint64_t times = 0;                  // that the trace has the one and then the other, on the same key
  std::uint64_t writes = 0;                 // that it has the write, of rows that the request has not made itself
  std::uint32_t read_at = 0, write_at = 0;  // an example: in TraceLog::statements
  std::uint32_t read_in = 0, write_in = 0;  // … and their transactions
  bool aggregates = false;                  // the read is a count, a sum, a largest value or a test of existence
  bool same_user = false;                   // two requests of the same user or session are needed
  bool unchanged = false;                   // the column is only ever written back as it was
  std::uint32_t locked_by = kNone32;        // the statement that takes a lock, which may be of other rows
  bool adds_up = false;          // the writing transaction counts or adds up something itself, before it writes
  bool earlier_request = false;  // the read is in an earlier request of the same user
  std::uint32_t others = 0;      // pairs of statements of the same cause
  double rank = 0;
  std::string words = {};             // what goes wrong
  std::vector<StoryStep> steps = {};  // of R1 and R2, members 0 and 1
};

// "wp_postmeta[_stock].meta_value"
[[nodiscard]] std::string scope_column(const ScopeFinding& finding, const Schema& schema, const TraceLog& log);

// New values may be added to the log's literals.
[[nodiscard]] std::vector<ScopeFinding> find_scope_errors(TraceLog& log, const Classes& classes,
                                                          const Requests& requests);

}  // namespace isolde::audit
