#include "audit/classes/classes.h"

namespace isolde::audit {

std::uint32_t Classes::concurrent(ClassId a, ClassId b) const {
  return seen_concurrent.empty() ? 0 : seen_concurrent[std::size_t{raw(a)} * classes.size() + raw(b)];
}

std::uint32_t Classes::same_row(ClassId a, ClassId b) const {
  return seen_same_row.empty() ? 0 : seen_same_row[std::size_t{raw(a)} * classes.size() + raw(b)];
}

}  // namespace isolde::audit
