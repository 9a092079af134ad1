#include "audit/confirm/run_tree.h"

#include <algorithm>

namespace isolde::audit {

void RunTree::add(const std::vector<SentStep>& sent) {
  std::uint32_t at = 0;
  for (const SentStep& step : sent) {
    const auto [next, is_new] = nodes_[at].next.try_emplace(step.member, static_cast<std::uint32_t>(nodes_.size()));
    at = next->second;
    if (is_new) nodes_.emplace_back();
    nodes_[at].stands_still = step.stands_still;
  }
  nodes_[at].end = true;
}

bool RunTree::has(const std::vector<std::uint32_t>& order) const {
  std::vector<std::uint32_t> left = order;
  std::uint32_t at = 0;
  while (true) {
    const std::vector<bool>& still = nodes_[at].stands_still;
    const auto step =
        std::ranges::find_if(left, [&](std::uint32_t member) { return member >= still.size() || !still[member]; });
    if (step == left.end()) return nodes_[at].end;
    const auto next = nodes_[at].next.find(*step);
    if (next == nodes_[at].next.end()) return false;
    at = next->second;
    left.erase(step);
  }
}

}  // namespace isolde::audit
