// audit/sql/tree.h: libpg_query's tree of a text, read from its JSON.
//
// In, out: text in PostgreSQL's grammar -> its statements as nodes; or why it could not be parsed.
// Always:  a tree is nowhere deeper than kMaxTreeDepth, so walking it by recursion is safe; texts that could exhaust
//          libpg_query's stack are refused before they are parsed.
// Cost:    about 50 us for a statement of a shop.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isolde::audit::tree {

using Json = simdjson::dom::element;
using Fields = simdjson::dom::object;

inline constexpr std::size_t kMaxTreeDepth = 2048;  // levels of JSON: two for each operator, join or subquery

// The one member of a node: {"A_Expr": {…}}.
struct Node {
  std::string_view type;
  Fields fields;
};

[[nodiscard]] std::optional<Node> node_of(Json json);
// The fields of `json` if it is a node of that type.
[[nodiscard]] std::optional<Fields> as(Json json, std::string_view type);

// A field that is not there is empty: libpg_query leaves out what is null, zero or false.
[[nodiscard]] std::string_view text(Fields fields, std::string_view name);
[[nodiscard]] bool flag(Fields fields, std::string_view name);
[[nodiscard]] std::int64_t number(Fields fields, std::string_view name);
[[nodiscard]] std::optional<Json> child(Fields fields, std::string_view name);
[[nodiscard]] std::optional<Fields> inner(Fields fields, std::string_view name);  // an object without a type of its own
[[nodiscard]] std::vector<Json> list(Fields fields, std::string_view name);
// The texts of a list of String nodes; a * is "*".
[[nodiscard]] std::vector<std::string_view> names(Fields fields, std::string_view name);

// Casts and nothing else are taken off.
[[nodiscard]] Json without_casts(Json json);
// $n -> n - 1, also under casts.
[[nodiscard]] std::optional<std::uint32_t> parameter(Json json);
[[nodiscard]] bool is_null(Json json);

class Tree {
 public:
  // False: why_not() says why.
  [[nodiscard]] bool parse(const std::string& sql);
  [[nodiscard]] const std::vector<Node>& statements() const { return statements_; }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  simdjson::dom::parser parser_;
  std::vector<Node> statements_;
  std::string why_not_;
};

}  // namespace isolde::audit::tree
