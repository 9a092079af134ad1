// format/jepsen_workload.h: what the operations of a Jepsen history mean, by workload.
//
// In, out: an invocation and its completion -> reads, writes, increments and scans of one transaction.
// Always:  a read whose result is not known is left out; a write that was asked for never is.
//          What a workload does not have (another :f, another micro-operation) is a fault, never skipped: a write that
//          is left out would turn a good read of it into a garbage read.
// Source:  Elle (list-append, rw-register, closed-predicate), Jepsen's workloads (bank, counter, set, register, mutex).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "format/jepsen_bank.h"
#include "format/jepsen_names.h"
#include "format/jepsen_op.h"
#include "history/history_builder.h"

namespace isolde {

enum class Workload : std::uint8_t {
  kUndecided,
  kTxn,  // micro-operations: list-append, rw-register, long-fork, closed-predicate
  kBank,
  kCounter,
  kSet,
  kRegister,
  kKeyedRegister,  // registers by key: values are [key value], as jepsen.independent writes them
  kMutex,
};

// Finds the workload: told of one operation after another until it is decided.
class WorkloadFinder {
 public:
  // True: decided.
  bool see(const JepsenOp& op);
  // What it is, or may be for all that was seen.
  [[nodiscard]] Workload workload() const;

 private:
  Workload decided_ = Workload::kUndecided;
  bool adds_ = false, integer_reads_ = false, list_reads_ = false, functions_ = false;
};

class WorkloadMapper {
 public:
  WorkloadMapper(HistoryBuilder& builder, JepsenNames& names, Workload workload);

  // Adds the operations of one transaction, which is open in the builder. Either may be null, not both.
  [[nodiscard]] std::optional<EdnFault> add(Status status, const JepsenOp* invocation, const JepsenOp* completion);

  // Whether it is the operation that says what the keys hold at first: {:f :init, :value {k v …}}.
  [[nodiscard]] bool is_init(const JepsenOp& op) const;
  // Requires: is_init(op). Its map becomes the initial values.
  [[nodiscard]] std::optional<EdnFault> add_initial(const JepsenOp& op);
  // When all operations are added. Bank files do not say what the accounts hold at first; one that no transfer touches
  // holds all the time what it was first read to hold. `start`: what others held, once that is known; or null.
  void finish(const BankStart* start);

 private:
  using Fault = std::optional<EdnFault>;
  Fault add_txn(Status status, const JepsenOp* invocation, const JepsenOp* completion);
  Fault add_micro(EdnRef micro, bool reads_known);
  Fault add_predicate_read(EdnRef micro);
  Fault where_of(EdnRef predicate, std::string& where);
  void append_literal(EdnRef value, std::string& where);
  // Fills items_ from a map of keys and values.
  void collect_items(EdnRef map);

  Fault add_bank(const JepsenOp& op, EdnRef value);
  Fault add_counter(const JepsenOp& op, EdnRef value);
  Fault add_set(const JepsenOp& op, EdnRef value);
  Fault add_register(Status status, const JepsenOp& op, EdnRef value, bool value_is_known);
  Fault add_mutex(Status status, const JepsenOp& op);

  HistoryBuilder& builder_;
  JepsenNames& names_;
  Workload workload_;
  std::vector<Item> items_;
  std::unordered_map<std::uint32_t, ValueId> first_balance_;  // by account
  std::unordered_set<std::uint32_t> transferred_;             // accounts
};

}  // namespace isolde
