// audit/confirm/orders.h: the orders in which the steps of a few transactions can be sent, each different one once.
//
// Two orders are the same run if one becomes the other by swapping neighbours that do not matter to each other: two
// reads, a read and a write that is not committed yet, writes to different tables. Of 34,650 orders of three
// transactions with four steps each, a few dozen are different runs. They are enumerated by depth-first search with
// sleep sets (Godefroid): when the search comes back from trying step `a` first, then in the branches of `a`'s later
// siblings `a` sleeps until something is sent that matters to it, for until then swapping `a` to the front gives an
// order that has been seen already. So no two orders that come out are the same run, and none is missed.
//
// What matters to what (Effect) is by tables, and by rows where a statement names its row by a whole key. It errs on
// the side of "matters":
//   - reading sees what was committed before: a plain read, against the COMMIT of one that writes a table that it
//   reads;
//     where the level has snapshots, the first read, against the COMMIT of any that writes;
//   - writing and locking wait: against each other on the same table, and against the COMMIT that lets them go.
//
// `before` keeps only orders in which certain steps come before others. A pair that does not matter to each other is
// left out of account: it could forbid one of two orders that are the same run, and the search may have kept the other.
//
// In, out: steps of each member in their order, pairs -> orders, as the members whose next step is sent.
// Always:  the same input gives the same orders in the same order. Work is counted: at most `most` orders are listed,
//          and counting ends at kMostCounted.
// Source:  Godefroid, Partial-Order Methods for the Verification of Concurrent Systems (1996), chapter 5.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "audit/schema/ids.h"

namespace isolde::audit {

// A row of a table by its key; empty: any of them.
struct RowPlace {
  TableId table;
  std::string row = {};
  auto operator<=>(const RowPlace&) const = default;
};

[[nodiscard]] bool share_a_row(const std::vector<RowPlace>& a, const std::vector<RowPlace>& b);

struct Effect {
  std::vector<RowPlace> looks;  // what is committed in them at this moment is seen
  std::vector<RowPlace> holds;  // written or locked; kCommit: what the member has written or locked
  std::vector<RowPlace> shows;  // commit only: what the member has written
  bool takes_snapshot = false;  // what is committed in any table at this moment is seen
  bool commits = false;
};

// Of different members: swapping them when they are neighbours may change the run.
[[nodiscard]] bool matters(const Effect& a, const Effect& b);

struct StepPlace {
  std::uint32_t member, step;
  auto operator<=>(const StepPlace&) const = default;
};

struct Orders {
  static constexpr std::uint64_t kMostCounted = 100'000;
  std::vector<std::vector<std::uint32_t>> listed;  // the member of each step
  std::uint64_t count = 0;                         // all of them; kMostCounted: at least so many
};

// `steps`: by member. `before`: the first before the second.
[[nodiscard]] Orders different_orders(const std::vector<std::vector<Effect>>& steps,
                                      const std::vector<std::pair<StepPlace, StepPlace>>& before, std::size_t most);

}  // namespace isolde::audit
