// record/tree_cpu.h: the CPU time of this process and of those that it started (a scratch server with its backends).
//
// In, out: /proc -> seconds, user and system. What a measurement of costs needs on a machine that does other work too.
// Always:  0 where there is no /proc. In steps of a tick, 10 ms as a rule.
#pragma once

namespace isolde::record {

[[nodiscard]] double tree_cpu_seconds();

}  // namespace isolde::record
