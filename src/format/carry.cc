#include "format/carry.h"

#include <algorithm>

#include "format/register_output.h"
#include "history/session_gaps.h"

namespace isolde {
namespace {

constexpr Carry kYes = Carry::kAll;
constexpr Carry kPart = Carry::kSome;
constexpr Carry kNo = Carry::kNone;

// In the order of the enumerations.
constexpr std::array<ContentInfo, kContentCount> kContents = {{
    // clang-format off
    //                                                                                                         native isl   edn    text   cobra  timekiller
    {HistoryContent::kRepeatedValues, "repeated value", "repeated values", true,                                     {kYes, kYes, kYes,  kYes,  kPart, kYes},
     "cobra: versions are identified by write ids, so values that were never read may repeat, and so may deletes"},
    {HistoryContent::kInitialValues, "initial value", "initial values", true,                                        {kYes, kYes, kYes,  kYes,  kPart, kPart},
     "cobra: unless the key was found absent, and was not deleted or its initial value not read; timekiller: not of a list"},
    {HistoryContent::kDeletes, "delete", "deletes", true,                                                            {kYes, kYes, kYes,  kYes,  kYes,  kYes}, ""},
    {HistoryContent::kAppends, "append", "appends", true,                                                            {kYes, kYes, kYes,  kNo,   kNo,   kYes}, ""},
    {HistoryContent::kIncrements, "increment", "increments", true,                                                   {kYes, kYes, kPart, kNo,   kNo,   kNo},
     "jepsen-edn: as a bank or a counter, if all transactions have that form"},
    {HistoryContent::kScans, "scan", "scans", true,                                                                  {kYes, kYes, kPart, kNo,   kNo,   kNo},
     "jepsen-edn: by TRUE, `value = v`, `value % n = r`"},
    {HistoryContent::kAggregates, "aggregate", "aggregates", true,                                                   {kYes, kYes, kNo,   kNo,   kNo,   kNo}, ""},
    {HistoryContent::kUpdates, "predicate update", "predicate updates", true,                                        {kYes, kYes, kNo,   kNo,   kNo,   kNo}, ""},
    {HistoryContent::kVersionSets, "version set of a predicate", "version sets of predicates", true,                 {kYes, kYes, kNo,   kNo,   kNo,   kNo}, ""},
    {HistoryContent::kAbortedReads, "aborted transaction that was read from",
     "aborted transactions that were read from", true,                                                        {kYes, kYes, kYes,  kYes,  kNo,   kNo}, ""},
    {HistoryContent::kUnknown, "transaction of unknown outcome", "transactions of unknown outcome", true,            {kYes, kYes, kPart, kPart, kPart, kPart},
     "jepsen-edn: not those that were seen and read absence; the others: as committed if they were seen, else left out, "
     "which changes nothing unless values repeat or there are clocks or timestamps"},
    {HistoryContent::kClientTimes, "transaction with begin or end", "transactions with begin or end", true,          {kYes, kYes, kPart, kNo,   kPart, kNo},
     "jepsen-edn: their order, if those of a session do not overlap; cobra: if every transaction has both"},
    {HistoryContent::kOpIntervals, "operation with an interval", "operations with intervals", true,                  {kYes, kYes, kNo,   kNo,   kNo,   kNo}, ""},
    {HistoryContent::kCommitIntervals, "transaction with the interval of its commit",
     "transactions with intervals of their commits", true,                                                    {kYes, kYes, kNo,   kNo,   kNo,   kNo}, ""},
    {HistoryContent::kTimestamps, "transaction with start_ts or commit_ts",
     "transactions with start_ts or commit_ts", true,                                                         {kYes, kYes, kNo,   kNo,   kNo,   kPart},
     "timekiller: not below 0"},
    {HistoryContent::kSerialOrder, "place in the expected order", "places in the expected order", true,              {kYes, kYes, kNo,   kNo,   kNo,   kNo}, ""},
    {HistoryContent::kSerialByCommitTs, "serial_by in the header", "serial_by in the header", true,                  {kYes, kYes, kNo,   kNo,   kNo,   kNo}, ""},
    {HistoryContent::kSessionGaps, "gap in the numbers of a session (sno)", "gaps in the numbers of sessions (sno)", true,          {kYes, kYes, kNo,   kNo,   kNo,   kPart},
     "timekiller: not if numbers decrease, or if numbered transactions are left out"},
    {HistoryContent::kSnapshots, "snapshot", "snapshots", true,                                                      {kYes, kYes, kNo,   kNo,   kNo,   kNo}, ""},
    {HistoryContent::kVersionOrders, "version order", "version orders", true,                                        {kYes, kYes, kNo,   kNo,   kNo,   kNo}, ""},
    {HistoryContent::kLocks, "lock of a read", "locks of reads", false,                                              {kYes, kYes, kNo,   kNo,   kNo,   kNo}, ""},
    {HistoryContent::kAbout, "text about the history", "texts about the history", false,                             {kYes, kYes, kNo,   kNo,   kNo,   kPart},
     "timekiller: only how its timestamps are packed"},
    {HistoryContent::kFaults, "fault", "faults", false,                                                              {kYes, kYes, kPart, kNo,   kNo,   kNo},
     "jepsen-edn: as operations of the nemesis, if begin and end are kept"},
    // clang-format on
}};

constexpr bool contents_in_enumeration_order() {
  for (std::size_t i = 0; i < kContents.size(); ++i) {
    if (static_cast<std::size_t>(kContents[i].content) != i) return false;
  }
  return true;
}
static_assert(contents_in_enumeration_order());

std::uint64_t operations_of_kind(const History& h, OpKind kind) {
  const auto ops = h.columns().op;
  return static_cast<std::uint64_t>(
      std::count_if(ops.begin(), ops.end(), [kind](OpHead op) { return op.kind() == kind; }));
}

template <typename Has>
std::uint64_t transactions_with(const History& h, Has&& has) {
  std::uint64_t n = 0;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) n += has(TxnId{t}) ? 1 : 0;
  return n;
}

std::uint64_t initial_values(const History& h) {
  std::uint64_t n = 0;
  for (std::uint32_t k = 0; k < h.key_count(); ++k) n += h.initial(KeyId{k}) != kNullValue ? 1 : 0;
  return n;
}

std::uint64_t deletes(const History& h) {
  std::uint64_t n = 0;
  for (std::uint32_t i = 0; i < h.op_count(); ++i) {
    n += h.op(i).kind() == OpKind::kWrite && h.op_value(i) == kNullValue ? 1 : 0;
  }
  return n;
}

std::uint64_t repeated_values(const History& h) {
  std::uint64_t n = 0;
  for (const Repeat& repeat : repeats_of(h)) n += repeat.times;
  return n;
}

std::uint64_t intervals(const History& h) {
  if (h.columns().op_before.empty()) return 0;
  std::uint64_t n = 0;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      n += h.at(TxnId{t}, OpId{i}).before != kNoTime ? 1 : 0;
    }
  }
  return n;
}

}  // namespace

std::span<const ContentInfo> all_contents() { return kContents; }
const ContentInfo& info(HistoryContent content) { return kContents[static_cast<std::size_t>(content)]; }

bool carries_everything(Writer writer) {
  return std::all_of(kContents.begin(), kContents.end(),
                     [&](const ContentInfo& row) { return carry_of(writer, row.content) == Carry::kAll; });
}

std::uint64_t count(const History& h, HistoryContent content) {
  const HistoryColumns& c = h.columns();
  switch (content) {
    case HistoryContent::kRepeatedValues:
      return repeated_values(h);
    case HistoryContent::kInitialValues:
      return initial_values(h);
    case HistoryContent::kDeletes:
      return deletes(h);
    case HistoryContent::kAppends:
      return operations_of_kind(h, OpKind::kAppend);
    case HistoryContent::kIncrements:
      return operations_of_kind(h, OpKind::kIncrement);
    case HistoryContent::kScans:
      return operations_of_kind(h, OpKind::kScan);
    case HistoryContent::kAggregates:
      return operations_of_kind(h, OpKind::kAggregate);
    case HistoryContent::kUpdates:
      return operations_of_kind(h, OpKind::kUpdate);
    case HistoryContent::kVersionSets:
      return static_cast<std::uint64_t>(
          std::count_if(c.predicates.begin(), c.predicates.end(), [](const Predicate& p) { return p.has_vset != 0; }));
    case HistoryContent::kAbortedReads:
      return aborted_and_read(h);
    case HistoryContent::kUnknown:
      return transactions_with(h, [&](TxnId t) { return h.status(t) == Status::kUnknown; });
    case HistoryContent::kClientTimes:
      return transactions_with(h, [&](TxnId t) { return h.begin(t) != kNoTime || h.end(t) != kNoTime; });
    case HistoryContent::kOpIntervals:
      return intervals(h);
    case HistoryContent::kCommitIntervals:
      return transactions_with(h, [&](TxnId t) { return h.commit_interval(t).before != kNoTime; });
    case HistoryContent::kTimestamps:
      return transactions_with(h, [&](TxnId t) { return h.start_ts(t) != kNoTime || h.commit_ts(t) != kNoTime; });
    case HistoryContent::kSerialOrder:
      return transactions_with(h, [&](TxnId t) { return h.order(t) != kNoTime; });
    case HistoryContent::kSerialByCommitTs:
      return h.has_flag(kSerialByCommitTs) ? 1 : 0;
    case HistoryContent::kSessionGaps:
      return session_gaps(h).size();
    case HistoryContent::kSnapshots:
      return c.snapshots.size();
    case HistoryContent::kVersionOrders:
      return c.version_orders.size();
    case HistoryContent::kLocks:
      return static_cast<std::uint64_t>(
          std::count_if(c.op.begin(), c.op.end(), [](OpHead op) { return op.lock() != Lock::kNone; }));
    case HistoryContent::kAbout:
      return c.about.empty() ? 0 : 1;
    case HistoryContent::kFaults:
      return c.faults.size();
  }
  return 0;
}

}  // namespace isolde
