// record/standard/standard.h: the workloads that papers and benchmarks use, for the table in record/workloads.cc.
#pragma once

#include <memory>

#include "record/workload/workload.h"

namespace isolde::record {

// BlindW of Cobra, in Leopard's three forms (section VI): one table, eight operations a transaction.
[[nodiscard]] Result<std::unique_ptr<Workload>> make_blindw_w(const WorkloadOptions& o, const db::Dialect& d);
[[nodiscard]] Result<std::unique_ptr<Workload>> make_blindw_rw(const WorkloadOptions& o, const db::Dialect& d);
[[nodiscard]] Result<std::unique_ptr<Workload>> make_blindw_rw_plus(const WorkloadOptions& o, const db::Dialect& d);
// YCSB, workload A: half reads, half updates, a few hot keys.
[[nodiscard]] Result<std::unique_ptr<Workload>> make_ycsb_a(const WorkloadOptions& o, const db::Dialect& d);
// SmallBank (Alomari, Cahill, Fekete, Röhm: The cost of serializability on platforms that use snapshot isolation).
[[nodiscard]] Result<std::unique_ptr<Workload>> make_smallbank(const WorkloadOptions& o, const db::Dialect& d);
// TPC-C, all five transactions.
[[nodiscard]] Result<std::unique_ptr<Workload>> make_tpcc(const WorkloadOptions& o, const db::Dialect& d);

}  // namespace isolde::record
