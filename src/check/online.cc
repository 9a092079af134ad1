#include "check/online.h"

#include <algorithm>

#include "base/hash.h"

namespace isolde {

std::uint64_t identity_of(const OnlineViolation& violation) {
  std::string all = full_name(violation.kind, violation.variant);
  std::vector<std::string> ids = violation.transactions;
  std::sort(ids.begin(), ids.end());
  for (const std::string& id : ids) (all += '\n') += id;
  (all += '\n') += violation.key;
  return hash_bytes(all.data(), all.size());
}

}  // namespace isolde
