// record/recovery_cockroach.h: CockroachDB's certificate: every version of the traced tables, by a changefeed that
// begins where the run began and ends where it ended.
//
// In, out: cluster_logical_timestamp() before and after the run -> CREATE CHANGEFEED … WITH cursor, end_time, read to
//          its end -> versions (changefeed.h).
// Always:  nothing is left in the cluster: a changefeed without a sink ends with its statement.
// Needs:   the cluster's setting kv.rangefeed.enabled. No server is at hand: tested with answers written after the
//          documentation.
#pragma once

#include <memory>
#include <string>

#include "record/recovery.h"

namespace isolde::record {

[[nodiscard]] Result<std::unique_ptr<Recovery>> make_cockroach_recovery(const RecoverySetup& setup,
                                                                        std::string& why_not);

}  // namespace isolde::record
