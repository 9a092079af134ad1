#include <array>

#include "record/basic/basic.h"
#include "record/standard/standard.h"
#include "record/workload/workload.h"

namespace isolde::record {
namespace {

constexpr auto kWorkloads = std::to_array<WorkloadInfo>({
    // basic: docs/workloads.md
    {"register", "blind writes and reads of single keys", make_register},
    {"rmw", "a key is read and then written; --for-update locks the read", make_rmw},
    {"list-append", "appends to lists that are text, and reads of them", make_list_append},
    {"list-append-array", "the same, where a list is an array or JSON", make_list_append_array},
    {"bank", "transfers between accounts that keep the sum, reads of all accounts", make_bank},
    {"predicate", "range reads and aggregates, predicate updates, inserts and deletes", make_predicate},
    {"predicate-updates", "mostly updates and deletes of overlapping ranges", make_predicate_updates},
    {"merge", "a key is read and then set by MERGE or by UPDATE, on few hot keys", make_merge},
    {"upsert", "INSERT that overwrites, and deletes, on keys that come and go", make_upsert},
    {"write-skew", "both rows of a pair are read, one is written", make_write_skew},
    {"long-fork", "writers of one key, readers of a group of keys", make_long_fork},
    // standard: docs/workloads.md
    {"blindw-w", "BlindW-W: transactions of 8 blind writes", make_blindw_w},
    {"blindw-rw", "BlindW-RW: half of the transactions read 8 keys, half write 8 blindly", make_blindw_rw},
    {"blindw-rw+", "BlindW-RW+: as blindw-rw, half of the reads are of ranges of 10 keys", make_blindw_rw_plus},
    {"ycsb-a", "YCSB A: half reads, half updates, a few hot keys", make_ycsb_a},
    {"smallbank", "SmallBank: six transactions on savings and checking accounts", make_smallbank},
    {"tpcc", "TPC-C: new-order, payment, order-status, delivery, stock-level", make_tpcc},
});

}  // namespace

std::span<const WorkloadInfo> workloads() { return kWorkloads; }

const WorkloadInfo* workload_named(std::string_view name) {
  for (const WorkloadInfo& row : kWorkloads) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace isolde::record
