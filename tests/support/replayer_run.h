// tests/support/replayer_run.h: what the replayer's judgements share: a transaction run on a state, and who counts.
//
// Shares no code with the generator or the engines, as replayer.h says.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "history/history.h"
#include "history/predicate_set.h"
#include "tests/support/replayer.h"

namespace isolde::replayer {

using Key = std::uint32_t;
// A state of a key: a register's value alone, or a list's elements; nothing for absence.
using State = std::vector<std::uint32_t>;

[[nodiscard]] State state_of(const History& h, ValueId value);

// Runs a transaction on `store` read as its snapshot. Its final writes are returned; `why` says what did not fit.
std::map<Key, State> run(const History& h, const PredicateSet& predicates, TxnId t,
                         const std::function<State(Key)>& store, std::string& why);

// What does not fit if they run one after the other; empty if all does.
[[nodiscard]] std::string replay_serially(const History& h, const PredicateSet& predicates,
                                          const std::vector<TxnId>& order);

// One read or write of one key; a scan's rows are reads, and so are the keys among `keys` that it did not return: first
// of all, because a read that comes first asks least of read-committed.
struct Access {
  bool is_read;
  Key key;
  ValueId value;
};
[[nodiscard]] std::vector<Access> accesses(const History& h, TxnId t, const std::set<Key>& keys = {});

// The committed ones, and those of unknown outcome of which one that counts saw a write. Of rows, what a predicate did
// not find may have been seen too; there a commit timestamp says that it took effect.
[[nodiscard]] std::vector<TxnId> counted(const History& h, const std::vector<TxnId>& txns);

// read-committed, read-atomic, causal: the axioms of Biswas and Enea on a handful of transactions.
void weak_levels(const History& h, const std::vector<TxnId>& all, Broken& broken);

}  // namespace isolde::replayer
