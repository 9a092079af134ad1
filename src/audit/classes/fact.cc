#include "audit/classes/fact.h"

namespace isolde::audit {

std::array<std::string_view, kFactKinds> fact_kind_names() {
  return {"equal",      "choice", "same-choice", "co-insert", "queue", "constant",
          "not-chosen", "flow",   "names",       "unchanged", "values"};
}

void FactSwitches::turn_off(const FactSwitches& others) {
  for (std::size_t i = 0; i < off_.size(); ++i) off_[i] = off_[i] || others.off_[i];
}

std::string_view name(FactKind kind) { return fact_kind_names()[static_cast<std::size_t>(kind)]; }

std::optional<FactKind> fact_kind_named(std::string_view name) {
  const auto names = fact_kind_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<FactKind>(i);
  }
  return std::nullopt;
}

}  // namespace isolde::audit
