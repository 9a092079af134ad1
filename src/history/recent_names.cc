#include "history/recent_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde {

void RecentNames::note(const std::shared_ptr<const Chunk>& chunk) {
  if (!chunks_.empty() && chunks_.back() == chunk) return;
  chunks_.push_back(chunk);
  bytes_ += chunk->bytes();
  while (chunks_.size() > 1 && bytes_ > limit_) {
    bytes_ -= chunks_.front()->bytes();
    chunks_.pop_front();
  }
}

std::string RecentNames::text(Fingerprint fingerprint) const {
  if (fingerprint == kNullFingerprint) return "null";
  if (is_integer(fingerprint)) return std::to_string(integer_of(fingerprint));
  for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
    const auto& fingerprints = (*chunk)->table_value_fingerprint;
    const auto found = std::find(fingerprints.begin(), fingerprints.end(), fingerprint);
    if (found == fingerprints.end()) continue;
    const auto entry = static_cast<std::uint32_t>(found - fingerprints.begin());
    return (*chunk)->history.value_text(ValueId{kFirstTableValue + entry});
  }
  return fmt::format("(value {:x}, no longer held)", raw64(fingerprint));
}

}  // namespace isolde
