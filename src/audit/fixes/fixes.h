// audit/fixes/fixes.h: the least to change: columns that cover the cycles, round after round, and what to do in SQL.
//
// In, out: cycles -> TargetColumns; each with advice, and with what is left when it is followed.
// Always:  a round's columns cover every cycle of the round (greedy set cover: the column in most uncovered cycles, the
//          first by name among equals); then the graph is searched again without them, until nothing is found. Columns
//          that a hint keeps are no candidates; a cycle of only such columns is reported as not fixable.
// Source:  IsoDiff, Algorithm 1 and section 3.7.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/cycles/search.h"

namespace isolde::audit {

enum class Remedy : std::uint8_t {
  kForUpdate,         // add FOR UPDATE to this SELECT
  kConditional,       // make the UPDATE conditional on the value that was read
  kRelative,          // write x = x + n instead of a value that was computed by the client
  kUniqueConstraint,  // the check for an absent row and the INSERT: a unique key and an upsert
  kSerializable,      // raise these classes to SERIALIZABLE
  kSnapshot,          // raise a transaction that only reads to REPEATABLE READ / SNAPSHOT
  kLockParent,        // take a lock on one row that all of them share (phantoms)
};

struct Advice {
  Remedy remedy;
  std::string text;  // one sentence that says what to write where
  std::vector<ClassId> classes;
  std::string before, after;  // the statement as it is and as it could be; empty: no statement of its own
  std::uint64_t removes = 0;  // of the column's cycles that were judged, when it is simulated
  bool leaves_none = false;   // and a new search of their classes finds none through the column
};

struct TargetColumn {
  ColumnId column = kNoColumn;
  std::uint32_t round = 1;
  std::uint64_t cycles = 0;    // of its round that go through it
  std::uint64_t judged = 0;    // of these: the first so many, which the advice was tried on
  std::vector<Advice> advice;  // the best first
};

struct FixPlan {
  std::vector<TargetColumn> targets;
  std::uint32_t rounds = 0;
  std::vector<SearchCounts> searches;  // one a round; the last found nothing, if `complete`
  std::vector<Cycle> first_round;      // the cycles of the application as it is
  std::vector<Cycle> not_fixable;
  bool complete = true;
};

[[nodiscard]] FixPlan plan_fixes(const Classes& classes, const TraceLog& log, const DependencyGraph& graph,
                                 const Hints& hints, const SearchOptions& options);

}  // namespace isolde::audit
