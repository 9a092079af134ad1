#include "db/postgres/hlc.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"

namespace isolde::db {
namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;
constexpr std::int64_t kCounters = 1 << 15;
constexpr std::size_t kLogicalDigits = 10;

template <typename T>
bool read_all(std::string_view digits, T& out) {
  if (!is_all_digits(digits)) return false;
  return std::from_chars(digits.data(), digits.data() + digits.size(), out).ec == std::errc{};
}

}  // namespace

std::optional<Hlc> parse_hlc(std::string_view text) {
  Hlc time;
  const std::size_t point = text.find('.');
  if (!read_all(text.substr(0, point), time.wall)) return std::nullopt;
  if (point == std::string_view::npos) return time;
  const std::string_view logical = text.substr(point + 1);
  if (logical.size() != kLogicalDigits || !read_all(logical, time.logical)) return std::nullopt;
  return time;
}

Result<std::int64_t> HlcScale::place(Hlc time) {
  std::int64_t base = 0;
  const std::int64_t wanted = time.wall > kHour ? time.wall - kHour : 1;
  if (base_.compare_exchange_strong(base, wanted)) base = wanted;
  const std::int64_t passed = time.wall - base;
  constexpr std::int64_t kMost = INT64_MAX / kCounters;
  if (passed >= kMost || passed <= -kMost)
    return Error{fmt::format("the timestamp {} is more than 78 hours away from the first one of this run", time.wall)};
  if (time.logical >= kCounters) {
    return Error{
        fmt::format("the timestamp {}.{:010} has a logical counter of {} or more: a node's clock is far behind",
                    time.wall, time.logical, kCounters)};
  }
  return passed * kCounters + time.logical;
}

Result<std::int64_t> HlcScale::place(std::string_view text) {
  const auto time = parse_hlc(text);
  if (!time) return Error{fmt::format("expected a timestamp of CockroachDB (nanoseconds.counter), not \"{}\"", text)};
  return place(*time);
}

HlcScale& hlc_scale() {
  static HlcScale scale;
  return scale;
}

}  // namespace isolde::db
