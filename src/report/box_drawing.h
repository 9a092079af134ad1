// report/box_drawing.h: a cycle drawn with box characters, for a terminal.
//
//   ┌ T1 ────────────┐        ┌ T2 ────────────┐
//   │ found y absent │  rw y  │ found x absent │
//   │ wrote x = 1    │───────▶│ wrote y = 1    │
//   └────────────────┘        └────────────────┘
//           ▲                         │
//           └──────────rw x───────────┘
//
// Where that is too wide, the boxes stand below each other, and the last arrow goes back up on the right.
#pragma once

#include <cstddef>
#include <string>

#include "report/drawn_cycle.h"

namespace isolde {

// Each line begins with `indent` blanks. Empty: it does not fit `width`, or has letters whose width is not known.
[[nodiscard]] std::string box_drawing(const DrawnCycle& cycle, std::size_t indent, std::size_t width);

}  // namespace isolde
