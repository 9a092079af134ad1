// stream/greeting.h: the lines of the protocol that are no traces: {"token": …}, {"hello": …}, {"bye": true}.
//
// In, out: one line -> what it is; everything else is left to the reader of traces.
// Always:  a line is a greeting if its first field is one of these; then all of it must be right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace isolde::stream {

struct Greeting {
  enum class Kind { kNone, kToken, kHello, kBye, kWrong };
  Kind kind = Kind::kNone;
  std::string text;         // the token, the sender's name, or what is wrong
  std::uint64_t first = 1;  // {"hello": "name", "from": 501}: the sender has no lines before this one any more
};

inline constexpr std::size_t kMaxGreeting = 4096;  // bytes
inline constexpr std::size_t kMaxName = 256;

[[nodiscard]] Greeting greeting_in(std::string_view line);

// Takes as long for a wrong token as for the right one.
[[nodiscard]] bool same_token(std::string_view given, std::string_view wanted);

}  // namespace isolde::stream
