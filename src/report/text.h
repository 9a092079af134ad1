// report/text.h: a verdict to be read on a terminal.
//
// Out:    the verdict in the first line, then level, method, evidence and cost, then the first anomalies, explained.
// Always: ends with a newline; has escape sequences only where `colour` is asked for.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"

namespace isolde {

enum class Colour : std::uint8_t { kNever, kAlways };

struct TextStyle {
  Colour colour = Colour::kNever;
  bool verdict_only = false;  // one line a file
  std::size_t shown = 3;      // how many anomalies are explained
  std::size_t width = 0;      // of the terminal: cycles that fit are drawn; 0: none is
};

[[nodiscard]] std::string render_text(const Report& report, const TextStyle& style);

}  // namespace isolde
