// probe/probe.h: every scenario at every level of a database: what happened, what prevented it, and what that says of
// the levels.
//
// In, out: a database, scenarios -> Findings. An error is a fault: the database cannot be reached, a scenario's SQL is
//          wrong; it names the scenario's file and line.
// Always:  the tables that it makes have names of their own (isolde_probe_…) and are dropped again.
#pragma once

#include <chrono>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/limits.h"
#include "db/database.h"
#include "probe/scenario.h"
#include "probe/schedule.h"

namespace isolde::probe {

enum class Outcome : std::uint8_t {
  kPrevented,
  kHappened,
  kUndecided,  // a step gave no answer in time, and the server did not say that it waited; or a connection was lost
};

// One cell of the table.
struct Finding {
  Outcome outcome = Outcome::kUndecided;
  // What prevented it: an error's code, "blk" (somebody waited), or nothing: nobody was stopped.
  std::string by;
  std::string by_text;  // the server's words
  std::vector<Step> steps;
  Transcript transcript;
  std::map<std::string, db::Reply> tables;  // at the end, by the scenario's names
};

struct LevelFindings {
  const db::ServerLevel* level = nullptr;
  std::vector<Finding> findings;  // a scenario
};

struct Findings {
  std::string database;  // as it describes itself
  std::vector<LevelFindings> levels;
};

struct ProbeOptions {
  std::vector<const db::ServerLevel*> levels;  // none: all that there are
  std::chrono::milliseconds patience{2000};
  Progress* progress = nullptr;
};

[[nodiscard]] Result<Findings> probe(db::Database& database, std::span<const Scenario> scenarios,
                                     const ProbeOptions& options);

}  // namespace isolde::probe
