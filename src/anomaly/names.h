// anomaly/names.h: compares names of levels and anomalies however people write them.
#pragma once

#include <string>
#include <string_view>

namespace isolde {

// Lower case, without '-', '_' and ' '.
[[nodiscard]] inline std::string folded(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (const char c : name) {
    if (c == '-' || c == '_' || c == ' ') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

}  // namespace isolde
