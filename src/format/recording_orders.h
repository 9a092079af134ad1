// format/recording_orders.h: the places that commits had in the database's own order -> the order of each key's
// versions.
//
// In, out: what a HistoryBuilder holds, and the places of its transactions -> a version order by transaction a key.
// Always:  an order is called complete only if every writer of the key that is not aborted has a place: one without may
//          stand anywhere between them.
// Cost:    sorts the writes of transactions that are not aborted.
#pragma once

#include <optional>

#include "format/recording_journal.h"
#include "history/history_builder.h"

namespace isolde {

// A place that two transactions have, if there is one: the later one of the two as it was read. Nothing is added then.
[[nodiscard]] std::optional<JournalFindings::Place> add_orders(JournalFindings& findings, HistoryBuilder& builder);

// An expected serialization order that leaves out a transaction which wrote and may have committed would leave the
// question open that version orders decide: then it is dropped. How many were left out; 0: it is whole, or there is
// none.
[[nodiscard]] std::size_t drop_partial_order(HistoryBuilder& builder);

}  // namespace isolde
