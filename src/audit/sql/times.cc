#include "audit/sql/times.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/ascii.h"

namespace isolde::audit {

using tree::as;
using tree::child;
using tree::list;

namespace {

constexpr std::array kNow = {
    "now",           "current_timestamp",     "localtimestamp",      "localtime",      "sysdate",
    "utc_timestamp", "transaction_timestamp", "statement_timestamp", "clock_timestamp"};
constexpr std::array kLongUnits = {"hour", "day", "week", "month", "year"};

std::string function_of(tree::Json json) {
  const auto call = as(tree::without_casts(json), "FuncCall");
  const auto parts = call ? tree::names(*call, "funcname") : std::vector<std::string_view>{};
  return parts.empty() ? std::string() : lower_case(parts.back());
}

std::vector<tree::Json> arguments_of(tree::Json json) {
  const auto call = as(tree::without_casts(json), "FuncCall");
  return call ? list(*call, "args") : std::vector<tree::Json>{};
}

bool names_long_unit(std::string_view text) {
  const std::string lower = lower_case(text);
  return std::ranges::any_of(kLongUnits, [&](const char* unit) { return lower.find(unit) != std::string::npos; });
}

// "1", "3 hours": a whole number that is not 0, and nothing before it.
bool begins_with_a_count(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end != text.data() && number > 0;
}

// An interval of at least an hour: INTERVAL '3 hours', $1 * INTERVAL '1 DAY'.
bool is_long(tree::Json json, std::span<const std::string_view> literals) {
  if (const auto product = as(json, "A_Expr")) {
    const auto op = tree::names(*product, "name");
    const auto left = child(*product, "lexpr"), right = child(*product, "rexpr");
    if (op.size() != 1 || op[0] != "*" || !left || !right) return false;
    const auto count = tree::parameter(*left);
    return count && *count < literals.size() && begins_with_a_count(literals[*count]) && is_long(*right, literals);
  }
  if (const auto count = tree::parameter(json))
    return *count < literals.size() && begins_with_a_count(literals[*count]) && names_long_unit(literals[*count]);
  const auto constant = as(tree::without_casts(json), "A_Const");
  const auto text = constant ? tree::inner(*constant, "sval") : std::nullopt;
  return text && begins_with_a_count(tree::text(*text, "sval")) && names_long_unit(tree::text(*text, "sval"));
}

}  // namespace

bool is_now(tree::Json json) {
  if (const auto value = as(tree::without_casts(json), "SQLValueFunction")) {
    const std::string_view op = tree::text(*value, "op");
    return op.find("TIMESTAMP") != std::string_view::npos;
  }
  const std::string function = function_of(json);
  return !function.empty() && std::ranges::find(kNow, function) != kNow.end();
}

bool is_long_ago(tree::Json json, std::span<const std::string_view> literals) {
  if (const auto difference = as(json, "A_Expr")) {
    const auto op = tree::names(*difference, "name");
    const auto left = child(*difference, "lexpr"), right = child(*difference, "rexpr");
    return op.size() == 1 && op[0] == "-" && left && right && is_now(*left) && is_long(*right, literals);
  }
  const std::string function = function_of(json);
  if (function != "date_sub" && function != "subdate") return false;
  const std::vector<tree::Json> args = arguments_of(json);
  return args.size() == 2 && is_now(args[0]) && is_long(args[1], literals);
}

}  // namespace isolde::audit
