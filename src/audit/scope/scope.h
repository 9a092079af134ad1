// audit/scope/scope.h: what is checked in one transaction and acted upon in a later one.
//
// Isolation protects what is inside of one transaction. An application that reads in one and writes in another, or in
// autocommit, is not protected by any level: between the two anybody may come. (17 of the 22 vulnerabilities that
// ACIDRain confirmed are of this kind.) So this looks at sessions, not at levels: a plain read of rows by a key, and
// later in the same session, in another transaction, a write of that table with the same values of the key:
//   overwrites  UPDATE … SET x = value, and x was read: what others wrote in between is lost
//   acts        UPDATE … SET x = x - n, and x was read: the decision to do so was made before
//   inserts     INSERT of a row such as was looked for: two that find none, or room for one, both insert
// Safe, and not told: an UPDATE whose WHERE asks for more than the key (an optimistic lock, `AND stock >= 1`); a read
// that is made again in the writing transaction itself; an INSERT of a whole unique key, which turns the second away.
//
// In, out: TraceLog, classes -> pairs of statements, the likeliest first.
// Always:  the trace has the pair in at least half of all uses of the write, in sessions of their own: reads that go
//          before by chance do not. At most kMostBetween statements lie between the two.
// Limits:  a request that uses several connections is not seen as one; a session that serves many requests may pair
//          statements of two of them. Results of reads are not in a trace: whether the write depends on the read is
//          taken from their keys. Locks that the application holds by other means (a session file, a mutex) are not
//          seen.
// Cost:    statements times kMostBetween at worst.
// Source:  Warszawski and Bailis, ACIDRain (SIGMOD 2017): scope-based anomalies.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/classes/classes.h"

namespace isolde::audit {

inline constexpr std::size_t kMostBetween = 64;

enum class ScopeKind : std::uint8_t { kOverwrites, kActs, kInserts };

struct ScopeFinding {
  ScopeKind kind;
  ShapeId read, write;
  ColumnId column;                          // that is read and then written; of an INSERT, that was looked for
  std::uint64_t times = 0;                  // that the trace has the one and then the other, on the same key
  std::uint64_t writes = 0;                 // that it has the write
  std::uint32_t read_at = 0, write_at = 0;  // an example: in TraceLog::statements
  double rank = 0;
};

[[nodiscard]] std::vector<ScopeFinding> find_scope_errors(const TraceLog& log, const Classes& classes);

}  // namespace isolde::audit
