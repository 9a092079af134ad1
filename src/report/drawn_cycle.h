// report/drawn_cycle.h: a cycle as the few boxes and arrows that a picture of it has.
//
// Always: each box once, in the order of the cycle; arrow i goes from box i to the next one, the last back to the
// first.
//         A long cycle is cut, and one arrow stands for what was left out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "anomaly/anomaly.h"
#include "history/history.h"

namespace isolde {

struct DrawnBox {
  std::string title;  // "T1 · session 1"
  std::vector<std::string> lines;
  std::vector<bool> is_named;  // a line each: the cycle's steps are about it
};

struct DrawnArrow {
  std::string label;  // "rw x"
  bool is_gap = false;
};

struct DrawnCycle {
  std::vector<DrawnBox> boxes;
  std::vector<DrawnArrow> arrows;
};

// None: the anomaly is no cycle through at least two transactions, each once. `lines`: operations a box, those that the
// steps are about first.
[[nodiscard]] std::optional<DrawnCycle> drawn_cycle(const History& history, const Anomaly& anomaly, std::size_t boxes,
                                                    std::size_t lines);

}  // namespace isolde
