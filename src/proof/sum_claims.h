// proof/sum_claims.h: that no set of transactions adds up to what one transaction read.
//
// In, out: a History, a Verdict, an anomaly that names reads of one transaction -> nothing if it is so, else what is
//          wrong.
// Always:  the keys that it read are only ever added to, else it is not proved. Whoever adds to them is in the set, is
//          not, or may be, by sessions and clocks where the level asks for these. Where few may be every set is tried;
//          else the sum must be out of reach of all of them: too small, too large, or no multiple of their common
//          divisor, for one of the keys or for all together. Nothing of any engine is used.
// Cost:    linear in operations; 2^16 sets at most.
#pragma once

#include "anomaly/anomaly.h"
#include "anomaly/verdict.h"
#include "history/history.h"
#include "proof/fault.h"

namespace isolde::proof {

[[nodiscard]] Fault sum_fault(const History& history, const Verdict& verdict, const Anomaly& anomaly);

}  // namespace isolde::proof
