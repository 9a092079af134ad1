// check/timeline/ties.h: an order for transactions whose timestamps are equal, in which their reads are right.
//
// In, out: a tie group and the state before it -> the group's events in that order; what the keys held before it.
// Always:  session order and real time are kept where the level asks for them. The choice is greedy: where it fails
// another
//          order may do, so nothing that then goes wrong in the group is forced.
// Cost:    about linear: a group that takes more than kTriesEach looks a member is left as it stands.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "anomaly/level.h"
#include "check/timeline/schedule.h"
#include "history/history.h"

namespace isolde::timeline {

// What the sweep knows of the keys at the moment of the group.
class TieState {
 public:
  virtual ~TieState() = default;
  // Whether a read of the key would return `value` now.
  [[nodiscard]] virtual bool shows_now(KeyId key, ValueId value) const = 0;
  // Whether the key is a list or counter now; else `register_now` is its value.
  [[nodiscard]] virtual bool is_rich_now(KeyId key) const = 0;
  [[nodiscard]] virtual ValueId register_now(KeyId key) const = 0;
};

class Ties {
 public:
  Ties(const History& history, AddedOrder order) : h_(history), order_(order) {}

  void settle(const TieGroup& group, const TieState& state, std::vector<Event>& events);

  // Whether the key held `value` before the group at hand (of lists and counters: possibly).
  [[nodiscard]] bool held_before(KeyId key, ValueId value) const;

 private:
  void remember(const std::vector<TxnId>& members, const TieState& state);
  [[nodiscard]] bool may_go_first(const std::vector<TxnId>& waiting, TxnId t) const;
  [[nodiscard]] bool fits(TxnId t, const TieState& state) const;

  const History& h_;
  const AddedOrder order_;
  std::unordered_map<std::uint32_t, ValueId> before_;   // registers
  std::unordered_set<std::uint32_t> rich_before_;       // lists and counters
  std::unordered_map<std::uint32_t, ValueId> written_;  // registers, by members already placed
};

}  // namespace isolde::timeline
