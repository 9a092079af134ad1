#include "audit/sql/tree.h"

#include <pg_query.h>

#include <array>

namespace isolde::audit::tree {
namespace {

// What libpg_query's grammar takes by left recursion makes its tree deeper without its parser noticing, and it writes
// the tree by recursion: some 200 bytes of stack a level. What is nested in brackets is bounded by the parser's stack.
constexpr std::size_t kMaxChained = 16'384;
constexpr std::string_view kChainingSymbols = "+-*/%^|&~!@#?:[";
constexpr std::array<std::string_view, 16> kChainingWords = {
    "join", "union", "intersect", "except",  "is",      "isnull", "notnull", "in",
    "like", "ilike", "similar",   "between", "collate", "at",     "not",     "operator"};

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_chaining_word(std::string_view word) {
  std::array<char, 16> small{};
  if (word.size() > small.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) small[i] = static_cast<char>(word[i] | 0x20);
  const std::string_view lower(small.data(), word.size());
  for (const std::string_view w : kChainingWords) {
    if (w == lower) return true;
  }
  return false;
}

std::size_t chained(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (is_letter(text[i])) {
      const std::size_t begin = i;
      while (i < text.size() && is_letter(text[i])) ++i;
      count += is_chaining_word(text.substr(begin, i - begin)) ? 1 : 0;
    } else {
      count += kChainingSymbols.find(text[i]) != std::string_view::npos ? 1 : 0;
      ++i;
    }
  }
  return count;
}

struct ParseResult {
  explicit ParseResult(const std::string& sql) : raw(pg_query_parse(sql.c_str())) {}
  ParseResult(const ParseResult&) = delete;
  ParseResult& operator=(const ParseResult&) = delete;
  ~ParseResult() { pg_query_free_parse_result(raw); }
  PgQueryParseResult raw;
};

}  // namespace

std::optional<Node> node_of(Json json) {
  Fields outer;
  if (json.get(outer) || outer.size() == 0) return std::nullopt;
  const auto member = *outer.begin();
  Node node{.type = member.key, .fields = {}};
  if (member.value.get(node.fields)) return std::nullopt;
  return node;
}

std::optional<Fields> as(Json json, std::string_view type) {
  const auto node = node_of(json);
  if (!node || node->type != type) return std::nullopt;
  return node->fields;
}

std::string_view text(Fields fields, std::string_view name) {
  std::string_view value;
  if (fields[name].get(value)) return {};
  return value;
}

bool flag(Fields fields, std::string_view name) {
  bool value = false;
  return !fields[name].get(value) && value;
}

std::int64_t number(Fields fields, std::string_view name) {
  std::int64_t value = 0;
  if (fields[name].get(value)) return 0;
  return value;
}

std::optional<Json> child(Fields fields, std::string_view name) {
  Json value;
  if (fields[name].get(value)) return std::nullopt;
  return value;
}

std::optional<Fields> inner(Fields fields, std::string_view name) {
  Fields value;
  if (fields[name].get(value)) return std::nullopt;
  return value;
}

std::vector<Json> list(Fields fields, std::string_view name) {
  simdjson::dom::array items;
  if (fields[name].get(items)) return {};
  return {items.begin(), items.end()};
}

std::vector<std::string_view> names(Fields fields, std::string_view name) {
  std::vector<std::string_view> found;
  for (const Json item : list(fields, name)) {
    const auto node = node_of(item);
    if (node && node->type == "String") found.push_back(text(node->fields, "sval"));
    if (node && node->type == "A_Star") found.push_back("*");
  }
  return found;
}

Json without_casts(Json json) {
  for (auto cast = as(json, "TypeCast"); cast; cast = as(json, "TypeCast")) {
    const auto arg = child(*cast, "arg");
    if (!arg) break;
    json = *arg;
  }
  return json;
}

std::optional<std::uint32_t> parameter(Json json) {
  const auto fields = as(without_casts(json), "ParamRef");
  if (!fields) return std::nullopt;
  const std::int64_t n = number(*fields, "number");
  if (n < 1) return std::nullopt;
  return static_cast<std::uint32_t>(n - 1);
}

bool is_null(Json json) {
  const auto fields = as(without_casts(json), "A_Const");
  return fields && flag(*fields, "isnull");
}

bool Tree::parse(const std::string& sql) {
  statements_.clear();
  why_not_.clear();
  if (sql.find('\0') != std::string::npos) return why_not_ = "a NUL character in it", false;
  if (!simdjson::validate_utf8(sql.data(), sql.size())) return why_not_ = "no valid UTF-8", false;
  if (chained(sql) > kMaxChained) return why_not_ = "nested too deeply", false;
  const ParseResult result(sql);
  if (result.raw.error != nullptr) return why_not_ = result.raw.error->message, false;
  const std::string_view json(result.raw.parse_tree);
  if (parser_.allocate(json.size(), kMaxTreeDepth)) return why_not_ = "no memory for its tree", false;
  Json document;
  if (const auto error = parser_.parse(json.data(), json.size()).get(document)) {
    why_not_ = error == simdjson::DEPTH_ERROR ? "nested too deeply" : "libpg_query's tree cannot be read";
    return false;
  }
  Fields root;
  if (document.get(root)) return why_not_ = "libpg_query's tree cannot be read", false;
  for (const Json item : list(root, "stmts")) {
    Fields raw;
    if (item.get(raw)) continue;
    if (const auto stmt = child(raw, "stmt")) {
      if (const auto node = node_of(*stmt)) statements_.push_back(*node);
    }
  }
  return true;
}

}  // namespace isolde::audit::tree
