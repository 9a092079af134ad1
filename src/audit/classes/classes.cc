#include "audit/classes/classes.h"

#include <algorithm>

namespace isolde::audit {
namespace {

std::uint32_t look_up(const std::unordered_map<std::uint64_t, std::uint32_t>& counts, std::uint64_t pair) {
  const auto place = counts.find(pair);
  return place == counts.end() ? 0 : place->second;
}

}  // namespace

std::uint64_t Classes::pair(ClassId a, ClassId b) {
  return std::uint64_t{raw(std::min(a, b))} << 32U | raw(std::max(a, b));
}

Classes with_assumptions(const Classes& classes) {
  Classes out = classes;
  for (TransactionClass& one : out.classes) {
    for (const TransactionClass::Narrowed& narrowed : one.narrowed)
      one.operations[narrowed.operation].access.row_set = narrowed.rows;
  }
  return out;
}

std::uint32_t Classes::concurrent(ClassId a, ClassId b) const { return look_up(seen_concurrent, pair(a, b)); }

std::uint32_t Classes::same_row(ClassId a, ClassId b) const { return look_up(seen_same_row, pair(a, b)); }

}  // namespace isolde::audit
