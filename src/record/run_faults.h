// record/run_faults.h: the faults of one run: done to its clients, and to the server that the run started itself.
//
// Use: before the run, check_faults(); when the clients are there, RunFaults faults(…); once they are done, finish().
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "db/database.h"
#include "db/server.h"
#include "record/faults.h"
#include "record/session_client.h"

namespace isolde::record {

// Whether this database can be done that to; the error says what is missing. `server`: null if the run started none.
[[nodiscard]] Result<void> check_faults(const FaultPlan& plan, const db::Url& url, const db::Server* server);

class RunFaults {
 public:
  // Begins at once. `progress`: how much of the run is over, from 0 to 1; called from another thread. `marks`: the file
  // that a line is added to for each fault done (format/recording.h); empty: none. All that is given outlives this.
  RunFaults(const FaultPlan& plan, std::uint64_t seed, RunShared& shared,
            std::span<const std::unique_ptr<SessionClient>> clients, db::Server* server,
            std::function<double()> progress, const std::string& marks);

  // Nothing more is done once it returns, and the server runs. Returns what was done: less than the plan if the run was
  // over before.
  FaultPlan finish() { return injector_->finish(); }
  [[nodiscard]] bool all_done() const { return injector_->all_done(); }

 private:
  [[nodiscard]] FaultActions actions(std::function<double()> progress);
  [[nodiscard]] Result<void> terminate(std::uint32_t client);
  [[nodiscard]] Result<void> restart(db::Stop how);
  void mark(const PlannedFault& done, std::int64_t from, std::int64_t to);

  RunShared& shared_;
  std::span<const std::unique_ptr<SessionClient>> clients_;
  db::Server* server_;
  std::ofstream marks_;
  std::unique_ptr<db::Connection> observer_;  // used by the injector's thread only
  std::optional<FaultInjector> injector_;     // last: its thread uses the others
};

}  // namespace isolde::record
