// anomaly/methods.h: why each method was or was not chosen (`check --explain-method`).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace isolde {

struct MethodCase {
  enum class Fate : std::uint8_t {
    kTaken,
    kCould,   // it could check this level on this history, but was passed over
    kCannot,  // it lacks evidence
  };
  std::string_view name;
  Fate fate = Fate::kCannot;
  std::string why;  // one clause
};

[[nodiscard]] constexpr std::string_view name(MethodCase::Fate fate) {
  constexpr std::string_view kNames[] = {"taken", "could", "cannot"};
  return kNames[static_cast<std::size_t>(fate)];
}

}  // namespace isolde
