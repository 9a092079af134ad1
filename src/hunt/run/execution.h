// hunt/run/execution.h: what a server did with a case: each statement's answer, and the versions that it saw and left.
//
// Always: rows are kept as the server writes them (its own types), sorted by pkey; answers are compared as multisets.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "hunt/case/case.h"

namespace isolde::hunt {

struct Version {
  std::int64_t pkey = 0, vkey = 0;
  std::string cells;  // all columns, as text that tells NULL from 'NULL' and 1 from '1'
  friend bool operator==(const Version&, const Version&) = default;
};
using Contents = std::vector<Version>;                    // of one table, by pkey
using ContentsByTable = std::map<std::string, Contents>;  // of those tables that were read

// How a statement's run ended.
enum class Ran : std::uint8_t {
  kNotSent,   // its transaction had ended before
  kDone,      //
  kFailed,    // the server refused it, whatever became of its transaction
  kTimedOut,  // the server's limit, or ours
};

struct StatementRun {
  Ran ran = Ran::kNotSent;
  db::Reply reply;
  // It waited for a lock, or one of its extra reads did: other transactions' steps came in between, so that what the
  // reads show is not what it saw.
  bool apart = false;
  bool around = false;  // not done: it was one of the extra reads that failed
  // It was known to wait for a lock, by the server's word; and the time from its start to its answer, the extra reads
  // included.
  bool waited = false;
  std::chrono::milliseconds taken{0};
  // Of one that waited: how long no other transaction had been open when it was answered.
  std::chrono::milliseconds waited_for_nobody{0};
  ContentsByTable seen;                                      // of Statement::reads, right before
  ContentsByTable left;                                      // of Statement::writes, right after
  std::optional<std::vector<std::int64_t>> about_to_change;  // what Statement::before answered
};

enum class Ended : std::uint8_t { kCommitted, kRolledBack, kAborted, kUnknown };

struct Execution {
  std::vector<std::vector<StatementRun>> runs;  // by transaction and statement
  std::vector<Ended> ends;                      // by transaction; kAborted: not as the case wanted
  std::vector<db::Failure> end_failures;        // by transaction: why its COMMIT or ROLLBACK failed; empty: it did not
  // Statements and ends (statement == number of statements) in the order in which they were answered.
  std::vector<Place> answered;
  ContentsByTable final;               // of all tables, when everything had ended
  std::optional<Error> fault;          // an error that no table of errors knows: the run says nothing
  std::optional<Place> fault_at;       // whose error it was, if it was a statement's or an end's
  bool lost = false;                   // a connection broke: the server may have crashed
  std::chrono::milliseconds limit{0};  // what a statement was allowed to take; 0: nobody looked
};

[[nodiscard]] inline const StatementRun& at(const Execution& execution, Place place) {
  return execution.runs[place.transaction][place.statement];
}

// The statements one after the other, each in a transaction of its own.
struct AloneRun {
  std::vector<StatementRun> runs;  // in the order that was asked for; `seen`, `left` are empty
  ContentsByTable final;
  std::optional<Error> fault;  // the statements after the one whose error it was are not told of
  std::optional<Place> fault_at;
  bool lost = false;
  std::chrono::milliseconds taken{0};  // by all statements together
};

}  // namespace isolde::hunt
