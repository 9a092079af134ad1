// check/mirror/exact/search.h: whether any order of the events of a few transactions gives what they read.
//
// In, out: one TxnPlan a transaction, what the keys held before, the mechanisms -> possible, impossible, or too much.
// Always:  events are carried out one by one on a small database, each order within the windows: equal readings force
//          none. Locks are taken as late as can be: nobody else changes what they protect, so nothing is lost by it.
//          Where no dependency is asked, a read that fits and costs no time is made at once.
// Cost:    exponential, at most `steps`; what failed once from one state is not tried again from it. States are known
//          by 128 bits of a hash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/mirror/exact/plan.h"

namespace isolde::mirror {

enum class Answer : std::uint8_t { kPossible, kImpossible, kTooLarge };

// `start`: one a key; kAnyFingerprint where it is not known. Takes what it used off `steps`.
[[nodiscard]] Answer search_orders(const std::vector<const TxnPlan*>& txns, const std::vector<Fingerprint>& start,
                                   const Mechanisms& profile, std::int64_t& steps);

}  // namespace isolde::mirror
