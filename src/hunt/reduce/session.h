// hunt/reduce/session.h: the smallest finding so far, and what may still be tried to make it smaller.
//
// Always: `best` was seen. Nothing is run twice, nothing after the runs are used up.
#pragma once

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "hunt/reduce/reduce.h"

namespace isolde::hunt {

class Reduction {
 public:
  Reduction(const Finding& finding, const TryAgain& again, const ReduceOptions& options);

  [[nodiscard]] const Finding& best() const { return best_; }
  // Runs it; it is the best from now on if it shows the same. False: it does not, or nothing is run any more.
  bool attempt(const Finding& candidate);
  // The runs are used up, or the server fails again and again.
  [[nodiscard]] bool over() const;
  // Of its first runs, all had a fault: there is no server to ask.
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

  // The best is the last of those that were the best that is seen now: a failure that comes and goes may have let a
  // step through that has nothing to do with it. Some runs are kept for this.
  void confirm();

 private:
  enum class Answer : std::uint8_t { kSeen, kNotSeen, kFault };
  Answer ask(const Finding& candidate, Finding& seen);

  const TryAgain& again_;
  const ReduceOptions& options_;
  std::uint64_t runs_ = 0;
  std::uint32_t faults_ = 0;  // one after the other
  bool ran_ = false;
  std::optional<Error> fault_;
  Finding best_;
  std::vector<Finding> stations_;            // what was the best before
  std::unordered_set<std::uint64_t> tried_;  // by their texts' hashes
};

// Which of `count` parts can go: `keep(kept)` tries those that are left, in their order. Halves are tried first, then
// ever smaller pieces, until no single part can go. `least`: so many are always left.
template <typename Keep>
bool drop_parts(std::size_t count, std::size_t least, const Reduction& reduction, const Keep& keep) {
  std::vector<std::size_t> kept(count);
  for (std::size_t i = 0; i < count; ++i) kept[i] = i;
  bool any = false;
  for (std::size_t chunk = count; chunk > 0;) {
    bool dropped = false;
    // From the end: what comes later depends on what comes before, not the other way round.
    for (std::size_t end = kept.size(); end > 0 && !reduction.over();) {
      const std::size_t begin = end > chunk ? end - chunk : 0;
      std::vector<std::size_t> fewer(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(begin));
      fewer.insert(fewer.end(), kept.begin() + static_cast<std::ptrdiff_t>(end), kept.end());
      if (fewer.size() >= least && keep(fewer)) {
        kept = std::move(fewer);
        dropped = any = true;
      }
      end = begin;
    }
    if (reduction.over()) break;
    if (chunk > 1) {
      chunk = std::min((chunk + 1) / 2, std::max<std::size_t>(kept.size(), 1));
    } else if (!dropped) {
      break;
    }
  }
  return any;
}

// The passes. Each answers whether it made the case smaller.
[[nodiscard]] bool drop_transactions(Reduction& reduction);
[[nodiscard]] bool drop_statements(Reduction& reduction);
[[nodiscard]] bool make_serial(Reduction& reduction);          // fewer changes from one transaction to another
[[nodiscard]] bool number_transactions(Reduction& reduction);  // in the order in which they begin
[[nodiscard]] bool shrink_trees(Reduction& reduction);
[[nodiscard]] bool send_plainly(Reduction& reduction);  // nothing undone before it, not prepared, by no cursor
[[nodiscard]] bool drop_objects(Reduction& reduction);  // indexes, views, tables
[[nodiscard]] bool drop_rows(Reduction& reduction);
[[nodiscard]] bool drop_columns(Reduction& reduction);  // of tables and indexes, and constraints
[[nodiscard]] bool simplify_cells(Reduction& reduction);
[[nodiscard]] bool unite_tables(Reduction& reduction);  // one table where there were two
[[nodiscard]] bool keep_one_row(Reduction& reduction);  // of a table, and without the conditions that choose it
[[nodiscard]] bool drop_drops(Reduction& reduction);    // of what is not made any more

// The finding without these statements: in its case, in the order alone, and what `where` points at.
[[nodiscard]] Finding without(const Finding& finding, const std::vector<Place>& places);

// The case's order as its steps can really be sent: those of a transaction that waits come after the step that lets it
// go. `answered` as in Execution.
[[nodiscard]] std::vector<std::uint32_t> sending_order(const Case& test, const std::vector<Place>& answered);

}  // namespace isolde::hunt
