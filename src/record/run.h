// record/run.h: one recorded run: schema, clients, faults, certificate; leaves a recording folder (format/recording.h).
//
// In, out: a database, a level, a workload -> a folder with everything that the clients saw, and a summary.
// Always:  what is in the folder at any moment is a readable recording; an error of ours, or one that the database's
//          table does not know, stops the run and is returned, and the folder keeps what was recorded until then.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/rng.h"
#include "db/database.h"
#include "db/server.h"
#include "record/faults.h"
#include "record/latency.h"
#include "record/recovery.h"
#include "record/session_client.h"
#include "record/workload/workload.h"

namespace isolde::record {

struct RunOptions {
  std::uint32_t clients = 8;
  std::optional<std::uint64_t> transactions;  // of all clients together; none: for so many seconds
  double seconds = 10;
  std::optional<double> rate;          // transactions a second, of all clients together
  double rollbacks = 0;                // share of the commits that are made rollbacks
  std::chrono::microseconds think{0};  // how long a client waits before it ends a transaction, on average
  std::uint64_t seed = 1;
  bool trace = true;     // false: the same statements, but nothing is recorded (to measure what recording costs)
  bool evidence = true;  // ask the database for what it knows: facts of each commit, its log
  bool shadow = false;   // version sets of predicate reads by shadow transactions (PostgreSQL)
  FaultPlan faults;
  std::string about;  // for the header, besides what the run says of itself
};

struct RunProgress {
  double seconds = 0;
  std::uint64_t committed = 0, aborted = 0, unknown = 0;
};

struct RunHooks {
  std::function<void(const RunProgress&)> progress;  // about four times a second, from the caller's thread
  const std::atomic<bool>* interrupted = nullptr;    // set: finish early, in good order
  // The folder and its journals are there, and no client has begun; the clock is that of all times in the journals.
  std::function<void(const RunClock&)> started = {};
  db::Server* server = nullptr;  // what faults may restart
};

struct RunSummary {
  std::string database;                   // what it calls itself
  double setup_seconds = 0, seconds = 0;  // `seconds`: from the first transaction to the last
  double cpu_seconds = 0;                 // meanwhile, of this process and of the server if it started one
  std::uint64_t committed = 0, aborted = 0, unknown = 0, statements = 0, reconnects = 0;
  std::uint64_t journal_bytes = 0;
  std::map<std::string, std::uint64_t> failures;  // by the server's code
  LatencyHistogram latency;                       // of committed transactions
  FactCounts facts;
  FaultPlan faults;             // those that were done
  std::string evidence_source;  // "logical replication slot, pgoutput"; empty: none
  std::string no_evidence_because;
  std::uint64_t versions = 0;
  double recovery_seconds = 0;
};

// Requires: `folder` does not exist yet (unused where nothing is traced). A run by time goes on until the last fault.
[[nodiscard]] Result<RunSummary> run(db::Database& database, const db::Url& url, const db::ServerLevel& level,
                                     Workload& workload, const RunOptions& options, const std::string& folder,
                                     const RunHooks& hooks);

}  // namespace isolde::record
