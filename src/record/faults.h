// record/faults.h: what goes wrong on purpose while a run is recorded, and when.
//
// In, out: a plan and a seed -> a schedule of moments; FaultInjector carries it out from a thread of its own.
// Always:  a fault is done to a client from outside, so it may come at any moment: between transactions, within one,
// and
//          after a commit was sent and before it is answered, which is when a client cannot know what became of it.
//          The injector tells no client what it did: what a client records is what a client can know. What it did, and
//          when, is marked beside that, for people.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "db/server.h"

namespace isolde::record {

// How often each is to happen, or has happened.
struct FaultPlan {
  std::uint32_t sever = 0;      // a client's connection is cut at its end
  std::uint32_t terminate = 0;  // a client's session is ended by the server, as an administrator does
  std::uint32_t restart_orderly = 0;
  std::uint32_t restart_crash = 0;

  [[nodiscard]] std::uint32_t restarts() const { return restart_orderly + restart_crash; }
  [[nodiscard]] std::uint32_t all() const { return sever + terminate + restarts(); }
  friend bool operator==(const FaultPlan&, const FaultPlan&) = default;
};

// "kill-connections:50,restart:3": names of kFaultNames, each with how often; without a number once.
[[nodiscard]] Result<FaultPlan> parse_faults(std::string_view text);
// The same text again, for a recording's header and for reports: "kill-connections:50,restart:3"; empty: none.
[[nodiscard]] std::string to_text(const FaultPlan& plan);

enum class Fault : std::uint8_t { kSever, kTerminate, kRestartOrderly, kRestartCrash };

struct FaultName {
  std::string_view name;
  Fault fault;
  std::string_view about;
};
inline constexpr FaultName kFaultNames[] = {
    {"kill-connections", Fault::kSever, "cut a client's connection on the client side"},
    {"terminate-backends", Fault::kTerminate, "have the server end a client's session"},
    {"restart", Fault::kRestartOrderly, "shut the server down cleanly and start it again"},
    {"crash", Fault::kRestartCrash, "kill the server (SIGKILL) and start it again"},
};

[[nodiscard]] std::string_view name_of(Fault fault);

// What a client is doing now, as others see it.
enum class Phase : std::uint8_t { kIdle, kInTransaction, kCommitting };

struct PlannedFault {
  double moment = 0;  // of the run, from 0 to 1
  Fault fault = Fault::kSever;
  std::uint32_t client = 0;  // of kSever, kTerminate
  Phase aim = Phase::kIdle;  // the same: wait a little for this phase; kIdle: any moment will do
};

// In the order of their moments. Restarts are spread evenly, so that clients have time to come back between them.
// Requires: clients > 0.
[[nodiscard]] std::vector<PlannedFault> schedule_faults(const FaultPlan& plan, std::uint32_t clients, Rng rng);

// What the runner lets be done; each is called from the injector's thread, one at a time.
struct FaultActions {
  std::function<double()> progress;  // how much of the run is over: 0 to 1
  std::function<Phase(std::uint32_t client)> phase;
  std::function<void(std::uint32_t client)> sever;
  std::function<Result<void>(std::uint32_t client)> terminate;
  std::function<Result<void>(db::Stop how)> restart;
  // It was done between these times of now(), for marks on time axes; may be empty.
  std::function<void(const PlannedFault& done, std::int64_t from, std::int64_t to)> note = {};
  std::function<std::int64_t()> now = {};  // the clock of the recording; needed with `note`
  std::function<void(Error)> fail;         // a fault that could not be done: the run is not what was asked for
};

class FaultInjector {
 public:
  // `actions` stay usable until finish(). The thread starts at once.
  FaultInjector(std::vector<PlannedFault> schedule, FaultActions actions);
  FaultInjector(const FaultInjector&) = delete;
  FaultInjector& operator=(const FaultInjector&) = delete;
  ~FaultInjector();

  // Nothing more is done once it returns; a restart under way is finished first. Returns what was done.
  FaultPlan finish();
  // Of the schedule nothing is left.
  [[nodiscard]] bool all_done() const { return over_.load(); }

 private:
  void work();
  [[nodiscard]] Result<void> carry_out(const PlannedFault& planned);
  void wait_for_phase(const PlannedFault& planned) const;

  std::vector<PlannedFault> schedule_;
  FaultActions actions_;
  FaultPlan done_;
  std::atomic<bool> stop_ = false, over_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace isolde::record
