// tests/support/random_finding.h: findings of any content, for what reads and writes them. Nothing in them runs.
#pragma once

#include "base/rng.h"
#include "hunt/finding/finding.h"

namespace isolde::test {

// Its texts are hostile: control characters, quotes, commas, line ends, bytes that are no UTF-8.
[[nodiscard]] hunt::Finding random_finding(Rng& rng);

}  // namespace isolde::test
