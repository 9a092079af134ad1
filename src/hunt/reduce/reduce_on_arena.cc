#include <algorithm>

#include "hunt/finding/cause.h"
#include "hunt/reduce/reduce.h"
#include "hunt/reduce/session.h"

namespace isolde::hunt {
namespace {

bool same(const Table& a, const Table& b) {
  return a.name == b.name && a.columns == b.columns && a.create == b.create && a.rows == b.rows &&
         a.inserted == b.inserted && a.partitions == b.partitions && a.trigger == b.trigger;
}
bool same(const View& a, const View& b) { return a.name == b.name && a.create == b.create; }

template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}

// Whether the server would be told the same.
bool same(const Schema& a, const Schema& b) {
  return same(a.tables, b.tables) && a.more == b.more && same(a.views, b.views) && a.drops == b.drops;
}

// Where a statement waits, the fewest changes between transactions may be an order that nobody can type in.
void order_as_sent(Arena& arena, const TryAgain& again, Finding& finding) {
  if (!again(finding)) return;  // its schema is made
  if (!arena.reset()) return;
  const Execution execution = arena.run(finding.test, true);
  if (execution.fault || execution.lost) return;
  Finding candidate = finding;
  candidate.test.order = sending_order(finding.test, execution.answered);
  if (candidate.test.order == finding.test.order) return;
  auto seen = again(candidate);
  if (!seen || !*seen || (*seen)->wrong != finding.wrong || (*seen)->anomaly != finding.anomaly) return;
  candidate.where = (*seen)->where;
  candidate.expected = std::move((*seen)->expected);
  candidate.actual = std::move((*seen)->actual);
  finding = std::move(candidate);
}

// Of something that does not come every time: runs of all attempts together, and the fewest attempts.
constexpr std::uint64_t kRareRuns = 8000, kFewestRare = 20;
// A second plan or server needs schemas of its own in each run.
constexpr std::uint64_t kSchemasARun = 10;
// What hangs takes as long as it is allowed to.
constexpr std::uint64_t kHangRuns = 60;

// So many runs that it is missed once in seven times or so.
std::uint64_t tries_to_see(Rate rate) {
  constexpr std::uint64_t kMost = 300;
  if (!rate.is_rare()) return 1;
  return std::clamp<std::uint64_t>(2 * rate.runs / std::max<std::uint64_t>(rate.seen, 1), 2, kMost);
}

Result<std::optional<Finding>> try_until_seen(Arena& arena, const Finding& finding, const TrialOptions& trial,
                                              std::uint64_t tries) {
  Result<std::optional<Finding>> again = std::optional<Finding>();
  for (std::uint64_t i = 0; i < tries && again && !*again; ++i) again = try_again(arena, finding, trial);
  return again;
}

// How often what is left comes: what was seen twice running may still be rare, and what is rare may come more often now
// that it is small.
void measure(Arena& arena, const TryAgain& again, const TrialOptions& trial, Finding& finding) {
  constexpr std::uint64_t kSteady = 4;  // runs, all of which show what comes every time
  if (!again(finding)) return;          // its schema is made
  Rate rate;
  while (rate.runs < kSteady) {
    const auto seen = try_again(arena, finding, trial);
    if (!seen) return;
    ++rate.runs;
    rate.seen += *seen ? 1 : 0;
  }
  if (rate.seen == rate.runs && !finding.rate.is_rare()) return;
  const auto seen = try_often(arena, finding, trial, trial.rare_runs, rate);
  if (seen && *seen) finding.rate = (*seen)->rate;
}

}  // namespace

Result<Finding> reduce(Arena& arena, const Finding& finding, const TrialOptions& trial, const ReduceOptions& options) {
  std::optional<Schema> made = finding.test.schema;
  const std::uint64_t tries = tries_to_see(finding.rate);
  const TryAgain again = [&](const Finding& candidate) -> Result<std::optional<Finding>> {
    if (!made || !same(*made, candidate.test.schema)) {
      made.reset();
      // A schema that the server refuses is no smaller one.
      if (!arena.prepare(candidate.test.schema)) return std::optional<Finding>();
      made = candidate.test.schema;
    }
    if (!finding.rate.is_rare()) return try_again(arena, candidate, trial);
    return try_until_seen(arena, candidate, trial, tries);
  };
  ReduceOptions how = options;
  if (finding.rate.is_rare()) how.most_runs = std::min(how.most_runs, std::max(kRareRuns / tries, kFewestRare));
  if (finding.wrong == Wrong::kHang) how.most_runs = std::min(how.most_runs, kHangRuns);
  if (finding.wrong == Wrong::kPlan || finding.wrong == Wrong::kAgainst) how.most_runs /= kSchemasARun;
  auto reduced = reduce(finding, again, how);
  const bool stopped = options.stop != nullptr && options.stop->load();
  if (reduced && !stopped && finding.wrong != Wrong::kCrash && finding.wrong != Wrong::kHang) {
    measure(arena, again, trial, *reduced);
    // Its class has its own causes.
    if (reduced->rate.is_rare() && finding.cause.empty()) {
      reduced->cause.clear();
      reduced->cause = cause_of(*reduced);
    }
  }
  const bool alone_only = finding.wrong == Wrong::kPlan || finding.wrong == Wrong::kAgainst;
  if (reduced && !stopped && finding.wrong != Wrong::kCrash && !alone_only && !reduced->rate.is_rare())
    order_as_sent(arena, again, *reduced);
  // If the server refuses, the next reset() fails, and says so.
  if (!made || !same(*made, finding.test.schema)) (void)arena.prepare(finding.test.schema);
  return reduced;
}

}  // namespace isolde::hunt
