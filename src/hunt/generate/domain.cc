#include "hunt/generate/domain.h"

#include <fmt/format.h>

#include <array>

namespace isolde::hunt::generate {
namespace {

constexpr std::array<std::string_view, 8> kWords = {"", "a", "b", "c", "ab", "ba", "abc", "bab"};
constexpr std::array<std::string_view, 7> kPatterns = {"%", "a%", "%b", "%a%", "_", "_b%", "ab_"};

std::string literal_text(Rng& rng, sql::Type type) {
  switch (type) {
    case sql::Type::kDecimal: {
      const std::int64_t quarters = rng.between(0, 20);
      return fmt::format("{}.{:02}", quarters / 4, quarters % 4 * 25);
    }
    case sql::Type::kText:
      return fmt::format("'{}'", kWords[rng.below(kWords.size())]);
    case sql::Type::kBoolean:
      return percent(rng, 50) ? "true" : "false";
    case sql::Type::kDate:
      return fmt::format("'2020-01-{:02}'", rng.between(1, 6));
    case sql::Type::kInteger:
    case sql::Type::kNone:
      break;
  }
  return fmt::format("{}", rng.between(0, 8));
}

}  // namespace

sql::NodePtr draw_literal(Rng& rng, sql::Type type) {
  return sql::make(sql::Kind::kLiteral, type, literal_text(rng, type));
}

sql::NodePtr draw_pattern(Rng& rng) {
  return sql::make(sql::Kind::kLiteral, sql::Type::kText, fmt::format("'{}'", kPatterns[rng.below(kPatterns.size())]));
}

sql::NodePtr integer(std::int64_t value) {
  return sql::make(sql::Kind::kLiteral, sql::Type::kInteger, fmt::format("{}", value));
}

sql::NodePtr null_of(sql::Type type) { return sql::make(sql::Kind::kLiteral, type, "null"); }

}  // namespace isolde::hunt::generate
