// tests/support/draft_predicate.h: conditions and aggregates over the rows of a Draft, evaluated by plain C++ apart
// from the predicate language of src/history, so that random histories can be right or wrong by their own lights.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "tests/support/draft.h"

namespace isolde {

struct DraftCondition {
  int shape = 0;
  std::int64_t a = 0, b = 0;

  [[nodiscard]] std::string text() const;
  // False where SQL says unknown, and of an absent row; nothing where the condition has a fault.
  [[nodiscard]] std::optional<bool> matches(const std::string& key, const DraftValue& row) const;
};
[[nodiscard]] DraftCondition random_condition(Rng& rng);

// count(*), count(v), …
[[nodiscard]] std::string random_aggregate(Rng& rng);
[[nodiscard]] DraftValue aggregate_of(const std::string& call, const std::vector<DraftValue>& rows);

}  // namespace isolde
