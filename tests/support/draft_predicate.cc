#include "tests/support/draft_predicate.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde {
namespace {

constexpr int kShapes = 15;
constexpr const char* kCalls[] = {"count(*)", "count(v)", "max(v)", "min(v)", "sum(v)", "avg(v)"};

}  // namespace

std::string DraftCondition::text() const {
  switch (shape) {
    case 0:
      return fmt::format("v >= {}", a);
    case 1:
      return fmt::format("v = {}", a);
    case 2:
      return fmt::format("v < {}", a);
    case 3:
      return fmt::format("v BETWEEN {} AND {}", a, b);
    case 4:
      return "v IS NULL";
    case 5:
      return fmt::format("v IN ({}, {})", a, b);
    case 6:
      return fmt::format("v <> {}", a);
    case 7:
      return fmt::format("NOT (v = {} OR v = {})", a, b);
    case 8:
      return fmt::format("v IS NULL OR v > {}", a);
    case 9:
      return "key = 'x'";
    case 10:
      return fmt::format("key <> 'x' AND v < {}", a + 1);
    case 11:
      return "TRUE";
    case 12:
      return fmt::format("6 / v > {}", a);
    case 13:
      return "v % 2 = 0";
    default:
      return fmt::format("n > {}", a);
  }
}

std::optional<bool> DraftCondition::matches(const std::string& key, const DraftValue& row) const {
  if (row.type == DraftValue::Type::kNull) return false;
  const std::optional<std::int64_t> v = row.column("v");
  switch (shape) {
    case 0:
      return v && *v >= a;
    case 1:
      return v && *v == a;
    case 2:
      return v && *v < a;
    case 3:
      return v && *v >= a && *v <= b;
    case 4:
      return !v;
    case 5:
      return v && (*v == a || *v == b);
    case 6:
      return v && *v != a;
    case 7:
      return v && *v != a && *v != b;
    case 8:
      return !v || *v > a;
    case 9:
      return key == "x";
    case 10:
      return key != "x" && v && *v < a + 1;
    case 11:
      return true;
    case 12:
      if (v && *v == 0) return std::nullopt;
      return v && 6 / *v > a;
    case 13:
      return v && *v % 2 == 0;
    default:
      return row.column("n").value_or(INT64_MIN) > a;
  }
}

DraftCondition random_condition(Rng& rng) {
  DraftCondition c;
  c.shape = static_cast<int>(rng.below(kShapes));
  c.a = rng.between(0, 3);
  c.b = rng.between(c.a, 3);
  return c;
}

std::string random_aggregate(Rng& rng) { return kCalls[rng.below(std::size(kCalls))]; }

DraftValue aggregate_of(const std::string& call, const std::vector<DraftValue>& rows) {
  if (call == "count(*)") return DraftValue::of(static_cast<std::int64_t>(rows.size()));
  std::vector<std::int64_t> values;
  for (const DraftValue& row : rows) {
    if (const auto v = row.column("v")) values.push_back(*v);
  }
  if (call == "count(v)") return DraftValue::of(static_cast<std::int64_t>(values.size()));
  if (values.empty()) return {};
  if (call == "max(v)") return DraftValue::of(*std::max_element(values.begin(), values.end()));
  if (call == "min(v)") return DraftValue::of(*std::min_element(values.begin(), values.end()));
  std::int64_t sum = 0;
  for (const std::int64_t v : values) sum += v;
  if (call == "sum(v)") return DraftValue::of(sum);
  return DraftValue::of_real(static_cast<double>(sum) / static_cast<double>(values.size()));
}

}  // namespace isolde
