#include "proxy/capture/isolation.h"

#include <algorithm>

#include "base/ascii.h"

namespace isolde::proxy::capture {
namespace {

namespace tree = audit::tree;

constexpr std::string_view kSetting = "default_transaction_isolation";

// {"A_Const":{"sval":{"sval":"serializable"}}}
std::string constant_text(tree::Json json) {
  const auto constant = tree::as(json, "A_Const");
  const auto inner = constant ? tree::inner(*constant, "sval") : std::nullopt;
  return inner ? lower_case(tree::text(*inner, "sval")) : std::string();
}

// Among the options of BEGIN or SET TRANSACTION.
std::string level_option(const std::vector<tree::Json>& options) {
  for (const tree::Json item : options) {
    const auto element = tree::as(item, "DefElem");
    if (!element || tree::text(*element, "defname") != "transaction_isolation") continue;
    if (const auto value = tree::child(*element, "arg")) return constant_text(*value);
  }
  return {};
}

}  // namespace

LevelChange level_change(const tree::Node& statement) {
  using Reach = LevelChange::Reach;
  if (statement.type == "TransactionStmt") {
    std::string level = level_option(tree::list(statement.fields, "options"));
    return level.empty() ? LevelChange{} : LevelChange{Reach::kTransaction, std::move(level)};
  }
  if (statement.type != "VariableSetStmt") return {};
  const std::string name = lower_case(tree::text(statement.fields, "name"));
  const auto arguments = tree::list(statement.fields, "args");
  const std::string value = arguments.empty() ? std::string() : constant_text(arguments[0]);
  if (name == "transaction" || name == "session characteristics") {
    std::string level = level_option(arguments);
    if (level.empty()) return {};
    return {name == "transaction" ? Reach::kTransaction : Reach::kSession, std::move(level)};
  }
  if (name == "transaction_isolation" && !value.empty()) return {Reach::kTransaction, value};
  if (name == kSetting) return {Reach::kSession, tree::flag(statement.fields, "is_local") ? "unknown" : value};
  // RESET ALL, DISCARD ALL
  if (name.empty()) return {Reach::kSession, {}};
  return {};
}

std::string level_in_startup(std::string_view name, std::string_view value) {
  if (name == kSetting) return lower_case(value);
  if (name != "options") return {};
  const std::size_t at = value.find(kSetting);
  if (at == std::string_view::npos) return {};
  std::string text = lower_case(value.substr(at + kSetting.size()));
  text.erase(0, text.find_first_not_of("= '"));
  // -c name=repeatable\ read
  std::string level;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      level.push_back(text[++i]);
    } else if (text[i] == ' ' || text[i] == '\'') {
      break;
    } else {
      level.push_back(text[i]);
    }
  }
  return level;
}

}  // namespace isolde::proxy::capture
