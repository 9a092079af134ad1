// hunt/hunt.h: hunts for transactional bugs: draws cases, tries each, reduces and groups what is found.
//
// Always: the same seed on the same server draws the same cases with the same verdicts. The library prints nothing:
//         what happens is told to a HuntSink. TrialOptions::level, GenerateOptions::dialect and ::server_version follow
//         from the database and its level: hunt() sets them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/database.h"
#include "hunt/finding/finding.h"
#include "hunt/generate/generate.h"
#include "hunt/reduce/reduce.h"
#include "hunt/trial/applicability.h"
#include "hunt/trial/trial.h"

namespace isolde::hunt {

struct HuntOptions {
  std::uint64_t seed = 1;
  std::chrono::seconds time{60};
  std::uint64_t most_cases = UINT64_MAX;
  std::uint64_t most_findings = 10;  // of different causes; then it stops
  std::uint32_t cases_a_schema = 50;
  GenerateOptions generate;
  TrialOptions trial;
  ReduceOptions reduce;
  ArenaOptions arena;
  std::uint32_t second_opinions = 2;  // cases of a schema that a second plan, or server, is asked about
  db::Database* against = nullptr;    // the second server, if there is one; it speaks the same dialect
  const db::ServerLevel* against_level = nullptr;
  const std::atomic<bool>* stop = nullptr;  // ctrl-C
};

struct HuntCounts : TrialCounts {
  std::uint64_t schemas = 0, findings = 0, causes = 0, restarts = 0;
  std::uint64_t faults = 0;  // cases that met an error which no table of errors knows: nothing was learnt of them
  double seconds = 0;
};

struct HuntSink {
  std::function<void(const HuntCounts&)> progress;            // after each case
  std::function<void(const Finding&, bool new_cause)> found;  // reduced if its cause is new
  std::function<void(const Finding&)> smaller = {};           // of a cause that was told: it takes the place of that
  std::function<void(const Finding&)> once = {};              // seen once and not again: no finding, but worth keeping
};

// What brings a server back after a crash, and its log; null functions where it is not ours.
struct HuntedServer {
  std::function<Result<void>()> restart;
  std::string log_file;
};

struct HuntResult {
  HuntCounts counts;
  std::vector<Finding> findings;  // one a cause, reduced
  std::string server;
  std::string ended;                           // why: "the time is over" …
  bool cut_short = false;                      // by an error, which `ended` says
  std::string first_fault;                     // of counts.faults
  std::optional<NotApplicable> not_held = {};  // it was run nevertheless: one cause is known beforehand
};

[[nodiscard]] Result<HuntResult> hunt(db::Database& database, const db::ServerLevel& level, const HuntOptions& options,
                                      const HuntedServer& server, const HuntSink& sink);

// "PostgreSQL 15.3, fsync=off" -> 150003, "MariaDB 10.11.6" -> 101106; 0: it has none.
[[nodiscard]] int version_number(std::string_view server);

// Settings for a scratch server that nobody will miss: kinds and values as db::ServerOptions has them.
[[nodiscard]] std::map<std::string, std::string> fast_settings(std::string_view kind);

}  // namespace isolde::hunt
