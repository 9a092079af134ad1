#include "hunt/run/refusals.h"

#include "db/product.h"
#include "hunt/case/dialects.h"

namespace isolde::hunt {

bool is_of_code(std::string_view row, std::string_view code) {
  return row.ends_with('*') ? code.starts_with(row.substr(0, row.size() - 1)) : row == code;
}

std::span<const RefusalRow> refusals_of(std::string_view dialect) {
  const db::HuntRules* const rules = hunt_dialect(dialect);
  return rules == nullptr ? std::span<const RefusalRow>() : rules->refusals;
}

Refusal refusal_of(std::string_view code) {
  for (const db::Product* const product : db::products()) {
    if (product->hunt == nullptr) continue;
    if (product->hunt->code_length != 0 && product->hunt->code_length != code.size()) continue;
    for (const RefusalRow& row : product->hunt->refusals)
      if (is_of_code(row.code, code)) return row.refusal;
  }
  return Refusal::kOwn;
}

}  // namespace isolde::hunt
