#include "db/postgres/cells.h"

#include <charconv>

namespace isolde::db {
namespace {

// pg_type.dat; these never change.
constexpr std::uint32_t kBool = 16, kInt8 = 20, kInt2 = 21, kInt4 = 23, kOid = 26, kFloat4 = 700, kFloat8 = 701,
                        kNumeric = 1700;

template <typename T>
Cell number_cell(std::string_view text) {
  T value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::string(text);
  return value;
}

}  // namespace

Cell postgres_cell(std::uint32_t type_oid, std::string_view text) {
  switch (type_oid) {
    case kBool:
      return std::int64_t{text == "t"};
    case kInt2:
    case kInt4:
    case kInt8:
    case kOid:
    case kNumeric:  // sums of bigint are numeric; what is no integer stays text
      return number_cell<std::int64_t>(text);
    case kFloat4:
    case kFloat8:
      return number_cell<double>(text);
    default:
      return std::string(text);
  }
}

}  // namespace isolde::db
