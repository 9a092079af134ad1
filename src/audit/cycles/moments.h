// audit/cycles/moments.h: can these dependencies come to pass together at a level? And in which order of events?
//
// In, out: members, dependencies between their operations, level -> an order of moments, or none: then it cannot
//          happen.
// Always:  exact for the events that a database of that level has. A statement has two moments: R, when it looks (its
//          snapshot, its plain reads), and L, when it has its locks (locked reads, writes); it may have waited between.
//          A member has these one after the other, then its commit C. Each dependency puts one moment before another:
//            wr, ww, lock, locked rw   C of the first < the operation of the second
//            rw                        the read of the first < C of the second
//          When an operation takes place:
//            read committed  plain reads at R; locked reads and writes at L. The WHERE of UPDATE and DELETE finds rows
//                            at R and looks again at L at those that it waited for: an rw from it counts from R, a wr
//                            to it from L. The same for a locking read of more than one row. An rw from it to a DELETE
//                            is a ww: what it found it has changed. A row that another inserts is found if its commit
//                            is before R: nobody waits for a row that he does not see.
//            MySQL's rr      plain reads of SELECTs at the R of the first of them, rows that the member itself updated
//                            before as of that update; everything else at L
//            snapshot        reads, and ww too, at the R of the first statement that is no LOCK TABLE (who changes a
//            row
//                            that was changed since then is turned away); waiting for a lock at L
//          It can come to pass exactly if this has no cycle.
//          The paper compares operations only (r before w), which forbids what multi-version databases do: reading the
//          old version after the new one was written and before it is committed. TimingRule::kOperations is its rule.
// Cost:    the square of the number of edges, at least of machine words; no allocation for up to 64 members and 96
//          edges.
// Source:  IsoDiff, section 3.6 (timing violation); what the levels do was seen on PostgreSQL and MariaDB.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "audit/cycles/cycle.h"

namespace isolde::audit {

enum class TimingRule : std::uint8_t { kMoments, kOperations };

// What happens at a moment, in the order of a schedule.
struct Event {
  enum class Kind : std::uint8_t {
    kStart,
    kStatement,  // it is sent
    kContinues,  // a statement that waited has its locks now and ends
    kCommit,
  };
  std::uint32_t member;
  Kind kind;
  std::uint32_t statement = 0;  // of the class
  bool waits = false;           // kStatement: for a lock, until its kContinues
  bool operator==(const Event&) const = default;
};

// `edges`: those of the cycle and those that are correlated with it.
[[nodiscard]] bool can_happen(const Classes& classes, std::span<const ClassId> members,
                              std::span<const CycleEdge> edges, WeakLevel level, TimingRule rule);

// The order in which it goes wrong, every statement of every member in it; statements of a member stay together as far
// as the dependencies let them, and wait for a lock only if there is no order without waiting. None: it cannot happen.
[[nodiscard]] std::optional<std::vector<Event>> schedule(const Classes& classes, std::span<const ClassId> members,
                                                         std::span<const CycleEdge> edges, WeakLevel level);

}  // namespace isolde::audit
