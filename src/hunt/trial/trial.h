// hunt/trial/trial.h: one case tried on an arena, from the first run to the last oracle: what `hunt` does over and
// over, and what reduction and replay do again.
//
// The case is run in transactions, and refined until it can be judged: statements that fail are dropped, those that
// wait are put where they came to run, writers in cycles of dependencies are dropped; each time it is run anew, and its
// level is checked. Then its statements are run alone in several orders, without the plain reads that stand in cycles.
//
// More oracles at the same price: what one run shows by itself (judge/at_once.h), the same run once more without the
// extra reads, the transactions one after the other against their statements alone, and at SERIALIZABLE an order of
// transactions that explains a run without extra reads (serial.h).
//
// Always: a Finding was seen twice (it is run again before it is told), and the version sets say that the server is
//         wrong. What was seen once is run again many times; what comes back is a Finding with its Rate, what does not
//         is handed on as Trial::once and is no finding. Finding::cause is set only if the cause is one that the level
//         is known for (applicability.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "hunt/case/case.h"
#include "hunt/finding/finding.h"
#include "hunt/run/arena.h"
#include "hunt/trial/second_opinion.h"

namespace isolde::hunt {

struct TrialOptions {
  Level level = Level::kSerializable;  // what the server is held to
  std::uint32_t orders = 3;            // oracle rounds
  std::uint32_t refinements = 12;      // how often a case is run anew before it is given up
  bool extra_oracles = true;           // rerun, transactions one after the other
  std::uint32_t rare_runs = 300;       // of what was seen once, before it is given up
  Arena* against = nullptr;            // a second server that is asked the same; null: there is none
};

struct TrialCounts {
  std::uint64_t cases = 0, runs = 0, rounds = 0;  // of transactions; of statements alone
  std::uint64_t statements = 0, failed = 0, waited = 0, dropped_for_cycles = 0, timed_out = 0;
  std::uint64_t given_up = 0;   // cases that were not judged
  std::uint64_t histories = 0;  // checked against the level
  std::uint64_t no_oracle = 0;  // orders that the versions speak against although nothing depends on itself
  std::uint64_t unsteady = 0;   // what was seen once and never again
  std::uint64_t rare_runs = 0;  // runs to see it again
  std::uint64_t unproved = 0;   // anomalies that could not be proved again: a fault of ours, not told
};

struct Trial {
  std::optional<Finding> finding;
  std::optional<Finding> once;  // seen once and not again, with its Rate
  Case refined;                 // what was judged
  std::optional<Error> fault;   // the arena's: nothing was learnt
  bool lost = false;            // the server went away while `refined` ran
  std::vector<Place> alone;     // … alone, in this order
};

// Runs `test` on `arena`, whose schema is the case's and prepared.
[[nodiscard]] Trial try_case(Arena& arena, const Case& test, const TrialOptions& options, Rng& rng,
                             TrialCounts& counts);

// Some cases of one schema, asked of a second plan and of options.against (second_opinion.h): the first that differs,
// seen twice. Afterwards the arena may have another schema.
[[nodiscard]] Trial try_second_opinion(Arena& arena, const std::vector<Case>& cases, const TrialOptions& options,
                                       FewerIndexes fewer, TrialCounts& counts);

// The finding run again and again, until it was seen twice more or `runs` are used up: what was seen last, with its
// Rate
// (`before`: what is known of it already). None: it never was.
[[nodiscard]] Result<std::optional<Finding>> try_often(Arena& arena, const Finding& finding,
                                                       const TrialOptions& options, std::uint64_t runs, Rate before);

// Whether the finding is seen again, as it stands: the same interleaving, the same order alone, no refinement.
// The new finding has what was expected and what came this time. None: it is not.
[[nodiscard]] Result<std::optional<Finding>> try_again(Arena& arena, const Finding& finding,
                                                       const TrialOptions& options);

}  // namespace isolde::hunt
