// probe/schedule.h: runs a scripted interleaving of transactions on real connections, whatever waits for whatever.
//
// In, out: steps in their global order, one connection a transaction -> Transcript.
// Always:  a step is *blocked* only if the server itself lists its session as waiting for a lock; one that gives no
//          answer within the limit is passed by too, and told apart. Steps of a blocked transaction come later, when it
//          answered; the others go on. A transaction that the database ended, or that can only be rolled back, is
//          rolled back and the rest of its steps is not sent. No step is sent before everything that is under way has
//          answered or is known to wait. Nothing hangs: what is left at the end is cancelled, or ended at the server.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "db/database.h"
#include "probe/crew.h"
#include "probe/transcript.h"

namespace isolde::probe {

struct ScheduleOptions {
  std::chrono::milliseconds patience{2000};
  std::chrono::milliseconds first_look{2};  // how long after a step was sent it is asked whether it waits
  // One that does not answer within it, and does not wait by the server's word: the others go on; false: it is
  // cancelled.
  bool passes_by = true;
  // The server looks for deadlocks only so long after a wait began: the next step is sent later than that, so that the
  // one that closes a cycle is always the one that gets the error.
  std::chrono::milliseconds deadlock_time{0};
  // More that wait at the same time: the one that was sent last is cancelled. Two that are let go by the same step go
  // on side by side, and which of them comes first is nobody's choice.
  std::size_t most_waiting = SIZE_MAX;
  // A transaction of which a statement failed is rolled back, also where the server would let it go on.
  bool rolls_back_failed = false;
  // Sessions say so when they wait and have looked for a deadlock (db::Connection::says_it_waits()): the server's
  // tables need not be asked about each step that takes its time, and deadlock_time has no meaning.
  bool sessions_speak = false;
  // The SQL of a step, made when it is sent; none: Step::sql. An error: something that it needs is missing; the step is
  // not sent and its transaction is rolled back.
  std::function<Result<std::string>(std::size_t step, const Transcript& so_far)> sql_of;
};

// Requires: each transaction's first step is its kBegin, or has it in Step::before, and crew.size() is more than every
// Step::transaction; `observer`
//           is no member of the crew.
// Ensures:  no transaction is open on any usable member.
[[nodiscard]] Transcript run_schedule(db::Database& database, db::Connection& observer, Crew& crew,
                                      std::span<const Step> steps, const ScheduleOptions& options);

}  // namespace isolde::probe
