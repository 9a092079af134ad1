// tests/fuzz/same_again.h: what a reader accepts is well formed, and what a lossless format writes of it reads the
// same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/format_fuzz.h"

namespace isolde::fuzz {

inline Result<ReadResult> read(const FormatInfo& format, std::string_view bytes, bool lenient) {
  auto result = format.read(testing::source_of(bytes), {.lenient = lenient});
  if (!result) {
    require(!result.error().text.empty() && result.error().line > 0, "an error without words or place");
    return result;
  }
  const std::string defect = defect_of(result->history.columns());
  require(defect.empty(), "a defect: " + defect);
  return result;
}

inline void same_again(const FormatInfo& format, const History& history) {
  testing::MemoryOutput output;
  const auto written = write_history(history, format, output, Losses::kRefuse);
  require(written && written->lost.empty(), "it cannot be written without loss");
  const std::string text = output.text();
  const auto again = read(format, text, false);
  require(again.has_value(), "what was written cannot be read: " + (again ? std::string{} : again.error().message()));
  const std::string different = difference(history, again->history);
  require(different.empty(), std::string(format.name) + " lost in writing: " + different);
}

}  // namespace isolde::fuzz
