// db/postgres/facts.h: what PostgreSQL says of a transaction that is about to commit, and how its words are read.
//
// Always: asking assigns no xid and writes nothing; it reads no table, so SSI records nothing of it. At repeatable read
//         and serializable it sees the transaction's one snapshot; at the weaker levels every statement has a snapshot
//         of its own, so none is asked for.
#pragma once

#include <optional>
#include <string_view>

#include "db/postgres/flavour.h"

namespace isolde::db {

// "10:20:10,14,15" -> xmin 10, xmax 20, active {10, 14, 15}; none if it is not of that form.
[[nodiscard]] std::optional<TxnFacts::Seen> parse_snapshot(std::string_view text);

// `one_snapshot`: the level keeps one for the whole transaction.
[[nodiscard]] FactsQuestion postgres_facts(bool one_snapshot);

}  // namespace isolde::db
