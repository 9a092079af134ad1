// audit/confirm/confirm.h: runs stories of anomalies on a real scratch database and says whether they happen.
//
// In, out: anomalies, schema, database -> a Confirmation each, at the chosen level and at SERIALIZABLE.
// Always:  it works in tables of its own making, in scratch schemas or databases that it removes again. A story ends as
//            confirmed        a run, which is shown, is unlike every serial order of its transactions, each run on the
//                             same rows on the same server, every dependency of the story's cycle was seen in it, and
//                             it does not happen at SERIALIZABLE
//            impossible       every different order of the steps that could show the story's cycle was run (orders.h),
//                             on every pattern of rows on which it could matter (patterns.h), and none did
//            not reproduced   anything else: a statement that could not be run there, rows that could not be made to
//                             meet, or more orders and patterns than the budget, with how many of how many were run
//          Written values are made different for each transaction, so that every read says whom it read from. The
//          budget is counted in runs, not in time; the same input gives the same outcome, whatever the number of
//          threads.
// Limits:  rows are made up, so that the statements find what they look for: "confirmed" says that the server lets it
//          happen to these statements, not that the application's rows are ever so. A statement's text is fixed: what
//          an application would have done with another value that it read is not tried. Keys that two members would
//          insert alike are made different, which `why` says. Foreign keys and triggers are not there. Each member runs
//          once.
// Cost:    some 20 ms for a story that happens in its own order, on a server on the same machine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/story/story.h"
#include "audit/trace/log.h"
#include "base/limits.h"
#include "base/result.h"
#include "db/database.h"

namespace isolde::audit {

enum class Happened : std::uint8_t {
  kYes,     // no serial order gives what was seen, and the story's cycle was seen
  kNo,      // a serial order does: by waiting, by an error, or because the rows never met; or see Run::another
  kNotRun,  // a statement could not be carried out there, or found nothing to do (why)
};

struct ConfirmedStep {
  std::uint32_t member;
  std::string sql;
  std::string answer;  // "1 row: 10", "waited for T1's commit", "error 40001 …"
};

struct Run {
  std::string level;  // as the server calls it
  Happened happened = Happened::kNotRun;
  std::vector<ConfirmedStep> steps;
  std::string why;       // "T1 and T2 both read d_next_o_id = 10; in T1, T2 order T2 reads 11"
  bool another = false;  // kNo: no serial order gives what was seen, but it is not by the story's cycle
};

enum class Outcome : std::uint8_t {
  kConfirmed,
  kHappens,  // at SERIALIZABLE, too, or that could not be run
  kImpossible,
  kNotReproduced,
};
[[nodiscard]] std::string_view name(Outcome outcome);  // "not reproduced"

struct Confirmation {
  std::string server;  // "PostgreSQL 15.19"
  Run at_level, at_serializable;
  // Different orders of the steps that could show the cycle (on the pattern that has most), patterns of rows, those of
  // them on which it could matter, and how many runs there were of all orders on these. One in which it happens is what
  // at_level shows.
  std::uint64_t orders = 0, patterns = 0, patterns_that_matter = 0, runs = 0;
  // Orders on a pattern that were not run because what is sent would be the same as in another run (run_tree.h).
  std::uint64_t same_runs = 0;
  std::uint64_t patterns_excluded = 0;  // the statements themselves say that their rows cannot meet
  bool all_tried = false;
  [[nodiscard]] bool confirmed() const {
    return at_level.happened == Happened::kYes && at_serializable.happened == Happened::kNo;
  }
  // It happens in no order of these statements, on no rows that they could be about.
  [[nodiscard]] bool impossible() const {
    return at_level.happened == Happened::kNo && all_tried && patterns_that_matter + patterns_excluded > 0;
  }
  [[nodiscard]] Outcome outcome() const {
    if (confirmed()) return Outcome::kConfirmed;
    if (at_level.happened == Happened::kYes) return Outcome::kHappens;
    return impossible() ? Outcome::kImpossible : Outcome::kNotReproduced;
  }
};

struct ConfirmOptions {
  WeakLevel level = WeakLevel::kReadCommitted;
  std::uint32_t rows = 3;         // that each table is given besides those that the story needs
  std::uint64_t most_runs = 400;  // at the level, where the story's own order does not show it; 0: that is enough
  unsigned threads = 1;           // stories that are run at the same time, each on tables of its own
  Progress* progress = nullptr;
};

// Runs stories one after the other, on one scratch schema and a few connections.
class Confirmer {
 public:
  // The error: the database is not there, or does not let us work in it. Both outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Confirmer>> open(db::Database& database, const Classes& classes,
                                                               const TraceLog& log, const ConfirmOptions& options);
  virtual ~Confirmer() = default;
  Confirmer(const Confirmer&) = delete;
  Confirmer& operator=(const Confirmer&) = delete;
  [[nodiscard]] virtual Result<Confirmation> confirm(const Anomaly& anomaly) = 0;

 protected:
  Confirmer() = default;
};

// One story.
[[nodiscard]] Result<Confirmation> confirm(const Anomaly& anomaly, const Classes& classes, const TraceLog& log,
                                           db::Database& database, const ConfirmOptions& options);
// Many, by `options.threads` Confirmers at the same time; by anomaly. The error is about the database.
[[nodiscard]] Result<std::vector<Confirmation>> confirm_all(std::span<const Anomaly> anomalies, const Classes& classes,
                                                            const TraceLog& log, db::Database& database,
                                                            const ConfirmOptions& options);

}  // namespace isolde::audit
