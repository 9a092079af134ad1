// format/jepsen_schedule.h: in which order a history's invocations and completions are written to a Jepsen file.
//
// In, out: a History -> events in file order. File order is real time, so it must say what `begin` and `end` say.
// Always:  at one time, begins stand before ends (equal times are not ordered); a process invokes only when its last
//          transaction is completed. A history for which there is no such order, or that has no times, gets completions
//          only: then nothing is said of real time, rather than something wrong.
//          A history that was read from a Jepsen file gets exactly the places it had.
// Cost:    a sort of the events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "history/history.h"

namespace isolde {

struct JepsenEvent {
  TxnId txn;
  bool is_invocation;
  std::int64_t index;  // as written; kNoTime: none
  std::int64_t time;   // by the history's clock, where the events have its order; INT64_MAX: at the end
};

struct JepsenSchedule {
  std::vector<JepsenEvent> events;
  std::int64_t first_index = kNoTime;  // of the operations that go before the events
  bool keeps_real_time = true;         // false: the history has times, and the file does not say their order
  bool by_time = false;                // the events have the order of the clock
  std::vector<std::string> lost;
};

// What a reader takes from an invocation that nothing completes: in transactions (:txn) all that it says, in a bank and
// of a counter no results of reads. There a transaction of unknown outcome that read something is completed by :info.
enum class Unanswered : std::uint8_t { kSaysAll, kSaysNoReads };

// `before`: how many operations will be written before the events.
[[nodiscard]] JepsenSchedule schedule_jepsen(const History& history, std::int64_t before, Unanswered unanswered);

// The transactions in the order in which a reader of the file will have them.
[[nodiscard]] std::vector<TxnId> reading_order(const History& history, const JepsenSchedule& schedule);

}  // namespace isolde
