// db/postgres/hlc.h: CockroachDB's hybrid logical timestamps as 64-bit integers that keep their order.
//
// In, out: "1563297416651183000.0000000002" (wall nanoseconds, ten digits of logical counter) -> an integer.
// Always:  a < b as timestamps if and only if a < b as integers. Nanoseconds since 1970 leave two bits of 64, too few
//          for the counter, which runs up to thousands where a node's clock is behind. So a process counts from one
//          hour before the first timestamp that it meets, times 32,768, plus the counter: good for 78 hours around it.
//          What does not fit is an error, never a wrong order.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace isolde::db {

struct Hlc {
  std::int64_t wall = 0;  // nanoseconds since 1970
  std::int32_t logical = 0;
  friend auto operator<=>(const Hlc&, const Hlc&) = default;
};

// None: it is not of that form.
[[nodiscard]] std::optional<Hlc> parse_hlc(std::string_view text);

class HlcScale {
 public:
  // From any thread.
  [[nodiscard]] Result<std::int64_t> place(Hlc time);
  [[nodiscard]] Result<std::int64_t> place(std::string_view text);

 private:
  std::atomic<std::int64_t> base_ = 0;  // 0: no timestamp was met yet
};

// The one of this process: commits and the log of a run are compared.
[[nodiscard]] HlcScale& hlc_scale();

}  // namespace isolde::db
