// check/weak/past_search.h: as past.h, where there are too many sessions for clocks: the past of each reader of a stale
// version is searched, as far back as the writers that matter.
//
// Cost: for each such reader, the transactions of its past since the first of these writers; it gives up where that is
//       more than kStepsEach a transaction on the whole.
#pragma once

#include <span>
#include <vector>

#include "check/weak/contradictions.h"

namespace isolde::weak {

class PastSearch {
 public:
  // `before`: of each number, the one before it in its session.
  PastSearch(const Table& table, std::span<const Number> before)
      : table_(table), before_(before), reached_(table.size(), kNone32) {}

  // `stale`: by reader. `previous`: of each version, the one before it in the order.
  void look_back(std::span<const StaleRead> stale, std::span<const graph::Version> previous, const Limits& limits,
                 Contradictions& out);

 private:
  // Calls f(writer) for each that wrote the key since the version that was read.
  template <typename F>
  void for_each_since(const StaleRead& stale, std::span<const graph::Version> previous, F&& f) {
    for (graph::Version v = stale.latest; v != table_.reads[stale.read].version && steps_left_ > 0; v = previous[v]) {
      --steps_left_;
      if (table_.writer[v] < stale.reader) f(table_.writer[v]);
    }
  }
  // Marks those in the past of the reader, from `oldest` on.
  void search(Number reader, Number oldest);
  void reach(Number from, Number reader, Number oldest);

  const Table& table_;
  const std::span<const Number> before_;
  std::vector<Number> reached_;  // by number: whose past it was found in last
  std::vector<Number> queue_;
  std::uint64_t steps_left_ = 0;
};

}  // namespace isolde::weak
