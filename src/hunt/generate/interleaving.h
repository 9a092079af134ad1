// hunt/generate/interleaving.h: draws in which order the statements of transactions come up.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"

namespace isolde::hunt::generate {

// `turns`: how often each transaction comes up (its statements, and its end). Each order can come out; those in which
// one transaction is carried out between two statements of another are the most frequent, because that is where stale
// snapshots and lost updates are.
[[nodiscard]] std::vector<std::uint32_t> draw_interleaving(Rng& rng, const std::vector<std::uint32_t>& turns);

// The first does one statement, the others are carried out, up to their ends or all but those, then it goes on.
[[nodiscard]] std::vector<std::uint32_t> draw_enclosing(Rng& rng, const std::vector<std::uint32_t>& turns);

}  // namespace isolde::hunt::generate
