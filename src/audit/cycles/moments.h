// audit/cycles/moments.h: can these dependencies come to pass together at a level? And in which order of events?
//
// In, out: members, dependencies between their operations, level -> an order of moments, or none: then it cannot
// happen. Always:  exact for the events that a database of that level has. Each member has a snapshot (start), a moment
// for each
//          of its statements' reads and writes, and a commit; each dependency says that one moment is before another:
//            read committed  wr, ww, lock: commit of the first < operation; rw: read < commit of the second
//            MySQL's rr      plain reads at the snapshot, which is taken by the first of them; else as read committed
//            snapshot        wr, ww: commit of the first < start of the second; rw: start of the first < commit of the
//                            second; a lock only makes wait: commit of the first < operation of the second
//          (a locked rw: both that of rw and that of lock). Plain reads of one statement share a moment. It can come to
//          pass exactly if these have no circle.
//          The paper compares operations only (r before w), which forbids what multi-version databases do: reading the
//          old version after the new one was written and before it is committed. TimingRule::kOperations is its rule.
// Source:  IsoDiff, section 3.6 (timing violation).
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
  enum class Kind : std::uint8_t { kStart, kStatement, kCommit };
  std::uint32_t member;
  Kind kind;
  std::uint32_t statement = 0;  // of the class
};

// `edges`: those of the cycle and those that are correlated with it.
[[nodiscard]] bool can_happen(const Classes& classes, std::span<const ClassId> members,
                              std::span<const CycleEdge> edges, WeakLevel level, TimingRule rule);

// The order in which it goes wrong, every statement of every member in it; statements of a member stay together as far
// as the dependencies let them. None: it cannot happen.
[[nodiscard]] std::optional<std::vector<Event>> schedule(const Classes& classes, std::span<const ClassId> members,
                                                         std::span<const CycleEdge> edges, WeakLevel level);

}  // namespace isolde::audit
