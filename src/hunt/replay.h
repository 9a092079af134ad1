// hunt/replay.h: a finding run again on a server: the same or another version, the same or another machine.
//
// In, out: a finding (read from its file) and a database -> seen, not seen, or that it cannot be run there, and why.
// Always:  it runs in the hunt's own schema, and what it made is dropped again. It is not run on a server whose
//          settings give a level another meaning than where it was found (server_facts.h). Seen means that the
//          evidence is as good as it was the first time: the versions say that this server is wrong at the level that
//          it claims.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/database.h"
#include "hunt/finding/finding.h"
#include "hunt/run/arena.h"
#include "hunt/trial/trial.h"

namespace isolde::hunt {

struct ReplayOptions {
  ArenaOptions arena;
  TrialOptions trial;       // its level is set by the server's
  std::uint32_t tries = 3;  // it is seen if one of so many runs shows it; more if it has a Rate
};

struct ReplayOutcome {
  enum class What : std::uint8_t { kSeen, kNotSeen, kCannotRun };
  What what = What::kNotSeen;
  std::uint32_t tries = 0;
  Finding seen;        // kSeen: with what was expected and what came this time, and the server
  std::string server;  // as it calls itself
  std::string level;   // that it ran at
  std::string
      happened;        // kNotSeen: what became of the statements and transactions that did not go through, a line each
  std::string reason;  // kCannotRun
  std::vector<std::string> notes;  // what is different from where it was found, a sentence each
};

// `level`: where the finding says nothing else, db::level_named(database, finding.level). The error: there is no server
// to be reached.
[[nodiscard]] Result<ReplayOutcome> replay(db::Database& database, const db::ServerLevel& level, const Finding& finding,
                                           const ReplayOptions& options);

}  // namespace isolde::hunt
