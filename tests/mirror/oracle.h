// tests/mirror/oracle.h: the truth about profiles: an exhaustive check of small traces, written from the definitions
// (docs/profiles.md) and nothing else.
//
// In, out: a Trace and a Profile -> whether some execution of a DBMS that has these mechanisms gives what was read.
// Always:  everything that the trace leaves open is tried: which unknown transactions committed, which deletes found
//          nothing, and all orders of moments (snapshots, statements, locks, commits) that the intervals allow, which
//          are simulated one by one. Equal readings of clocks order nothing. No code of the engine is used.
// Cost:    exponential; states that failed once are not tried again.
#pragma once

#include <cstdint>

#include "check/mirror/profile.h"
#include "tests/mirror/trace.h"

namespace isolde {

enum class MirrorTruth : std::uint8_t {
  kPossible,
  kImpossible,
  kTooLarge,  // … or a data type at a level that says nothing of it
};

[[nodiscard]] MirrorTruth mirror_truth(const Trace& trace, const mirror::Profile& profile);

}  // namespace isolde
