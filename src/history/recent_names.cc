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

std::string RecentNames::text(Print print) const {
  if (print == kNullPrint) return "null";
  if (is_integer(print)) return std::to_string(integer_of(print));
  for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
    const auto& prints = (*chunk)->table_value_print;
    const auto found = std::find(prints.begin(), prints.end(), print);
    if (found == prints.end()) continue;
    const auto entry = static_cast<std::uint32_t>(found - prints.begin());
    return (*chunk)->history.value_text(ValueId{kFirstTableValue + entry});
  }
  return fmt::format("(value {:x}, no longer held)", raw64(print));
}

}  // namespace isolde
