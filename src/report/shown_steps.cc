#include "report/shown_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/words.h"

namespace isolde {
namespace {

// How much a step tells: the smaller, the more.
int rank(const Step& step) {
  switch (step.type) {
    case StepType::kRw:
      return 0;
    case StepType::kWw:
    case StepType::kWr:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

std::vector<std::size_t> shown_steps(std::span<const Step> steps, std::size_t most) {
  std::vector<std::size_t> shown;
  if (steps.size() <= most) {
    for (std::size_t i = 0; i < steps.size(); ++i) shown.push_back(i);
    return shown;
  }
  std::vector<bool> taken(steps.size(), false);
  std::size_t count = 0;
  const auto take = [&](std::size_t i) {
    if (taken[i] || count == most) return;
    taken[i] = true;
    ++count;
  };
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, steps.size() - 1, steps.size() - 2}) take(i);
  // A long run of plain dependencies tells nothing more with a few more of them.
  const int last = steps.size() <= 2 * most ? 2 : 1;
  for (int wanted = 0; wanted <= last; ++wanted) {
    // Of one kind half come from the front and half from the end, where the cycle closes.
    std::vector<std::size_t> kind;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (rank(steps[i]) == wanted && !taken[i]) kind.push_back(i);
    }
    const std::size_t room = std::min(kind.size(), most - count);
    for (std::size_t i = 0; i < (room + 1) / 2; ++i) take(kind[i]);
    for (std::size_t i = 0; i < room / 2; ++i) take(kind[kind.size() - 1 - i]);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (taken[i]) shown.push_back(i);
  }
  return shown;
}

std::string gap_text(const History& h, std::span<const Step> left_out) {
  std::string text = words::counted(left_out.size(), "more step");
  const auto same = [&](auto member) {
    return std::all_of(left_out.begin(), left_out.end(),
                       [&](const Step& s) { return s.*member == left_out[0].*member; });
  };
  if (left_out.size() < 2 || !same(&Step::type)) return text;
  text += fmt::format(", all {}", name(left_out[0].type));
  if (left_out[0].key != kNoKey && same(&Step::key)) text += fmt::format(" on {}", words::key(h, left_out[0].key));
  return text;
}

}  // namespace isolde
