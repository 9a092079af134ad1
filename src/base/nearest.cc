#include "base/nearest.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace isolde {
namespace {

// Edits between two names, where swapping two neighbours is one edit.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({change, previous[j] + 1, current[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::vector<std::string_view> nearest(std::string_view typed, std::span<const std::string_view> names) {
  // Nobody means a name by a text that is much longer than any.
  if (typed.size() > 64) return {};
  const std::string wanted = folded(typed);
  std::vector<std::pair<std::size_t, std::string_view>> close;
  for (const std::string_view name : names) {
    const std::string candidate = folded(name);
    std::size_t d = distance(wanted, candidate);
    if (wanted.size() >= 3 && candidate.find(wanted) != std::string::npos) d = std::min<std::size_t>(d, 1);
    if (d <= std::max<std::size_t>(1, candidate.size() / 3)) close.emplace_back(d, name);
  }
  std::stable_sort(close.begin(), close.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> out;
  for (const auto& [d, name] : close) {
    if (out.size() < 3 && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string_view> names) {
  const auto found = nearest(typed, names);
  if (found.empty()) return {};
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0) text += i + 1 == found.size() ? " or " : ", ";
    text += found[i];
  }
  return text + "?";
}

}  // namespace isolde
