// gen/shuffle.h: the same transactions in another order of lines, which tells nothing but the order within sessions.
//
// In, out: a generated History -> one whose transactions stand elsewhere, and where each went.
// Always:  transactions of one session keep their order. Each session's are drawn to places of the file by a chance of
//          its own (early, late or anywhere), so that even the shares of the sessions seen so far say little of time.
//          A transaction's id is its new place: ids tell no more than lines do. Values and evidence are the same.
// Cost:    sorts the transactions; copies the columns that follow them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/rng.h"
#include "history/history.h"

namespace isolde {

// Second: by old TxnId, the new one. Requires: ids are places, as the generator gives them; no snapshots.
[[nodiscard]] std::pair<History, std::vector<TxnId>> shuffled(const History& history, Rng& rng);

}  // namespace isolde
