#include <algorithm>

#include "hunt/reduce/reduce.h"
#include "hunt/reduce/session.h"

namespace isolde::hunt {
namespace {

bool same(const Table& a, const Table& b) {
  return a.name == b.name && a.columns == b.columns && a.create == b.create && a.rows == b.rows &&
         a.inserted == b.inserted;
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

}  // namespace

Result<Finding> reduce(Arena& arena, const Finding& finding, const TrialOptions& trial, const ReduceOptions& options) {
  std::optional<Schema> made = finding.test.schema;
  const TryAgain again = [&](const Finding& candidate) -> Result<std::optional<Finding>> {
    if (!made || !same(*made, candidate.test.schema)) {
      made.reset();
      // A schema that the server refuses is no smaller one.
      if (!arena.prepare(candidate.test.schema)) return std::optional<Finding>();
      made = candidate.test.schema;
    }
    return try_again(arena, candidate, trial);
  };
  auto reduced = reduce(finding, again, options);
  const bool stopped = options.stop != nullptr && options.stop->load();
  if (reduced && !stopped && finding.wrong != Wrong::kCrash) order_as_sent(arena, again, *reduced);
  // If the server refuses, the next reset() fails, and says so.
  if (!made || !same(*made, finding.test.schema)) (void)arena.prepare(finding.test.schema);
  return reduced;
}

}  // namespace isolde::hunt
