// check/weak/choose_writers.h: a writer for each read whose value several transactions wrote: a guess.
//
// In, out: a Trace with open reads, a place for each transaction -> a Trace without: each of them reads from the latest
//          transaction before its own that left the value, else from the initial state, else from the next one.
// Always:  only transactions that count are chosen. If a level holds with these writers it holds; if not, others might
//          do.
// Cost:    linear; a look-up a version.
#pragma once

#include <optional>
#include <span>

#include "check/cycles/trace.h"

namespace isolde::weak {

// Nothing: nobody who counts left what some read returned. Requires: trace.only_open. `place`: by transaction.
[[nodiscard]] std::optional<graph::Trace> choose_writers(const History& history, const graph::Trace& trace,
                                                         std::span<const std::uint32_t> place);

}  // namespace isolde::weak
