// record/basic/basic.h: the basic workloads: each shows a few kinds of anomaly soon, on few keys (docs/workloads.md).
//
// Always: what is recorded is what the statement did: a write that is announced is one that the statement makes
// whenever
//         it succeeds; everything else is recorded by the reply. An option that a workload cannot use is an Error.
#pragma once

#include <memory>

#include "record/workload/workload.h"

namespace isolde::record {

[[nodiscard]] Result<std::unique_ptr<Workload>> make_bank(const WorkloadOptions& options, const db::Dialect& dialect);
[[nodiscard]] Result<std::unique_ptr<Workload>> make_list_append(const WorkloadOptions& options,
                                                                 const db::Dialect& dialect);
[[nodiscard]] Result<std::unique_ptr<Workload>> make_list_append_array(const WorkloadOptions& options,
                                                                       const db::Dialect& dialect);
[[nodiscard]] Result<std::unique_ptr<Workload>> make_long_fork(const WorkloadOptions& options,
                                                               const db::Dialect& dialect);
[[nodiscard]] Result<std::unique_ptr<Workload>> make_merge(const WorkloadOptions& options, const db::Dialect& dialect);
[[nodiscard]] Result<std::unique_ptr<Workload>> make_predicate(const WorkloadOptions& options,
                                                               const db::Dialect& dialect);
[[nodiscard]] Result<std::unique_ptr<Workload>> make_predicate_updates(const WorkloadOptions& options,
                                                                       const db::Dialect& dialect);
[[nodiscard]] Result<std::unique_ptr<Workload>> make_register(const WorkloadOptions& options,
                                                              const db::Dialect& dialect);
[[nodiscard]] Result<std::unique_ptr<Workload>> make_rmw(const WorkloadOptions& options, const db::Dialect& dialect);
[[nodiscard]] Result<std::unique_ptr<Workload>> make_upsert(const WorkloadOptions& options, const db::Dialect& dialect);
[[nodiscard]] Result<std::unique_ptr<Workload>> make_write_skew(const WorkloadOptions& options,
                                                                const db::Dialect& dialect);

}  // namespace isolde::record
