// tests/support/replayer.h: a judge of small and middling histories; shares no code with the generator or the engines.
//
// In, out: a History and the transactions to look at -> the levels that they break, with the first reason.
// Prefix, snapshot and serializable families go by timestamps; read-committed, read-atomic and causal by values and
// sessions (Biswas and Enea). `broken_by_values` tries every order instead, so it is for a handful of transactions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "anomaly/level.h"
#include "history/history.h"

namespace isolde::replayer {

// By level: the first thing that breaks it. A level that holds is not in it.
using Broken = std::map<Level, std::string>;

// The whole history, by timestamps: prefix, snapshot and serializable families and nothing weaker.
[[nodiscard]] Broken broken_by_timestamps(const History& history);
// Some transactions that share no key with the others, at the levels of kPlantLevels.
[[nodiscard]] Broken broken_by_timestamps(const History& history, const std::vector<TxnId>& txns);
[[nodiscard]] Broken broken_by_values(const History& history, const std::vector<TxnId>& txns);

}  // namespace isolde::replayer
