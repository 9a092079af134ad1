// proof/exhaustion.h: that some reads of a small history have no explanation together, shown by trying everything
// again.
//
// In, out: a History, a Verdict that claims it and the reads -> nothing if it is so, else what is wrong.
// Always:  the reads that are not named need no explanation here, so that less is asked than the level does. Which
//          transactions of unknown outcome took place is tried in every way; what cannot be told (a condition with a
//          fault) counts as explained. Nothing of any engine is used. Transactions that wrote nothing and of which no
//          read is named are left out first: if the others have no order without them, they have none with them.
// Cost:    exponential in the number of transactions; at most kMostTried steps, then it is not proved.
#pragma once

#include <cstdint>
#include <vector>

#include "anomaly/anomaly.h"
#include "anomaly/verdict.h"
#include "history/history.h"
#include "proof/fault.h"
#include "proof/matches.h"

namespace isolde::proof {

// Six transactions with version sets, the most that the engine takes, have 12! / 2^6 orders of their points.
inline constexpr std::uint64_t kMostTried = 1'000'000'000;

// Requires: what the anomaly names is there.
[[nodiscard]] Fault exhaustion_fault(const History& history, const Verdict& verdict, const Anomaly& anomaly);

// How many steps are left, counted down by those who try.
struct Patience {
  std::uint64_t left = kMostTried;
  bool spend(std::uint64_t steps) {
    left = left > steps ? left - steps : 0;
    return left > 0;
  }
};

// The version orders that the history gives, followed as versions come one by one: whether they may come so.
class GivenOrders {
 public:
  // `counted`: by transaction. `use`: false: nothing is asked.
  GivenOrders(const History& history, const std::vector<bool>& counted, bool use);

  using Places = std::vector<std::uint32_t>;  // by order: the entry that is to come next
  [[nodiscard]] Places start() const;
  void write(TxnId txn, Places& places) const;
  [[nodiscard]] bool is_done(const Places& places) const;

 private:
  struct Entry {
    std::vector<TxnId> writers;  // that count
  };
  struct Order {
    KeyId key;
    std::vector<Entry> entries;  // those that must be met
  };
  std::vector<Order> orders_;
};

// A version of a key, and who left it; kNoTxn: it was there at first.
struct LeftVersion {
  ValueId value;
  TxnId writer;
};

// Whether an operation's result cannot follow from these versions, one a key. What is unclear may follow.
[[nodiscard]] bool fails(const History& history, const Matches& matches, OpId op, const std::vector<ValueId>& versions);
// … from these, or from its version set where it has one; `own`: keys that its transaction had written.
[[nodiscard]] bool cannot_follow(const History& history, const Matches& matches, OpId op,
                                 const std::vector<ValueId>& now, const std::vector<bool>& own);
// Whether the version set of an operation may be what `txn` looked at where it stands at that version of the key: it
// names one that no change of matches parts from it. Requires: it has a version set.
[[nodiscard]] bool may_have_looked(const Matches& matches, OpId op, KeyId key, TxnId txn,
                                   const std::vector<LeftVersion>& versions, std::size_t at);

// The levels that ask for less than one state a transaction. Whether some order of the counted transactions, and a
// version for each of the named reads, is allowed.
enum class Tried : std::uint8_t { kFound, kNone, kTooMuch };
[[nodiscard]] Tried try_views(const History& history, Level level, const std::vector<TxnId>& counted,
                              const std::vector<bool>& asked, const Matches* matches, const GivenOrders& orders,
                              Patience& patience);

}  // namespace isolde::proof
