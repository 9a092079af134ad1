#include "hunt/trial/applicability.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "hunt/case/dialects.h"

namespace isolde::hunt {
namespace {

bool is_about(const db::UnjudgedLevel& row, std::string_view level, std::string_view server) {
  const auto says = [&](std::string_view text) { return server.find(text) != std::string_view::npos; };
  if (row.whole ? level != row.level : level.find(row.level) == std::string_view::npos) return false;
  return (row.if_says.empty() || says(row.if_says)) &&
         std::none_of(row.unless_says.begin(), row.unless_says.end(), says);
}

}  // namespace

std::optional<NotApplicable> why_not(std::string_view dialect, std::string_view level, std::string_view server) {
  const db::HuntRules* const known = hunt_dialect(dialect);
  if (known == nullptr)
    return NotApplicable{fmt::format("hunting knows the SQL of {}, not of {}", hunted_products(), dialect), false, {}};
  const std::string asked = folded(level);
  for (const db::UnjudgedLevel& row : known->unjudged)
    if (is_about(row, asked, server))
      return NotApplicable{std::string(row.why), !row.recognised_by.empty(), std::string(row.recognised_by)};
  return std::nullopt;
}

}  // namespace isolde::hunt
