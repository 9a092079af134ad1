// tests/mirror/trace.h: a small history with an interval for each operation, while a test still makes and changes it.
//
// In, out: plain structs -> build() -> History, as a client would have recorded it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "history/history.h"
#include "tests/support/draft.h"

namespace isolde {

inline constexpr std::int64_t kForever = INT64_MAX;

struct TraceOp {
  OpKind kind = OpKind::kRead;  // any
  int key = 0;                  // an integer key
  DraftValue value = {};
  Lock lock = Lock::kNone;
  std::int64_t before = 0, after = 0;
  int low = 0, high = 0;                              // of kScan and kUpdate: `key between low and high`
  std::vector<std::pair<int, DraftValue>> rows = {};  // … and its rows
  bool by_value = false;                              // the condition is the trace's, on values
  bool sum = false;                                   // kAggregate: a sum, else a count; always by value
};

struct TraceTxn {
  Status status = Status::kCommitted;
  std::int64_t begin = 0, end = 0;
  std::vector<TraceOp> ops = {};
  std::int64_t commit_before = kNoTime, commit_after = kForever;  // kNoTime: its interval is not known
};

struct Trace {
  std::vector<TraceTxn> txns;
  std::vector<DraftValue> initial;  // one a key: keys are 0, 1, …
  int low = 0, high = 0;            // the condition on values: they lie between
  bool as_rows = false;             // numbers are written as rows {"a": n}

  [[nodiscard]] bool matches(const DraftValue& value) const {
    return value.type == DraftValue::Type::kInteger && value.integer >= low && value.integer <= high;
  }

  // One session a transaction. Ids are the places in `txns`.
  [[nodiscard]] History build() const;
  [[nodiscard]] std::string text() const;  // native, for messages
};

}  // namespace isolde
