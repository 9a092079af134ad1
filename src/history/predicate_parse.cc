// libpg_query's JSON -> ExprTree.
//
// libpg_query 15-4.0.0 leaves integers below one out of its JSON ("ival":{}), so these are read from the text.
#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>
#include <optional>

#include "history/predicate_statement.h"
#include "history/predicate_tree.h"

namespace isolde {
namespace {

using Json = simdjson::dom::element;
using simdjson::dom::array;
using simdjson::dom::object;

struct NamedKind {
  std::string_view name;
  ExprKind kind;
};
constexpr NamedKind kBinary[] = {
    {"=", ExprKind::kEqual},    {"<>", ExprKind::kNotEqual},     {"<", ExprKind::kLess},   {"<=", ExprKind::kLessEqual},
    {">", ExprKind::kGreater},  {">=", ExprKind::kGreaterEqual}, {"+", ExprKind::kAdd},    {"-", ExprKind::kSubtract},
    {"*", ExprKind::kMultiply}, {"/", ExprKind::kDivide},        {"%", ExprKind::kModulo},
};
constexpr NamedKind kFunctions[] = {
    {"abs", ExprKind::kAbs},       {"lower", ExprKind::kLower},        {"upper", ExprKind::kUpper},
    {"length", ExprKind::kLength}, {"char_length", ExprKind::kLength},
};
struct NamedAggregate {
  std::string_view name;
  AggregateKind kind;
};
constexpr NamedAggregate kAggregates[] = {
    {"count", AggregateKind::kCount}, {"min", AggregateKind::kMin}, {"max", AggregateKind::kMax},
    {"sum", AggregateKind::kSum},     {"avg", AggregateKind::kAvg},
};

// The one member of a libpg_query node: {"A_Expr": {…}}.
struct Node {
  std::string_view type;
  object fields;
};
std::optional<Node> node_of(Json json) {
  object outer;
  if (json.get(outer) || outer.size() == 0) return std::nullopt;
  const auto member = *outer.begin();
  Node node{.type = member.key, .fields = {}};
  if (member.value.get(node.fields)) return std::nullopt;
  return node;
}

// The texts of a list of String nodes; nothing if one is anything else (a *).
std::optional<std::vector<std::string>> names_of(object fields, std::string_view name) {
  array list;
  std::vector<std::string> names;
  if (fields[name].get(list)) return std::nullopt;
  for (const Json item : list) {
    const auto node = node_of(item);
    if (!node || node->type != "String") return std::nullopt;
    names.emplace_back(text_field(node->fields, "sval"));
  }
  return names;
}

class TreeReader {
 public:
  TreeReader(std::string_view statement, std::size_t prefix, ExprTree& tree)
      : statement_(statement), prefix_(prefix), tree_(tree) {}

  using Fault = std::optional<Error>;

  // Adds the nodes of `json`; `index` becomes the root's.
  Fault expression(Json json, int depth, std::uint32_t& index) {
    const auto node = node_of(json);
    if (!node) return unsupported("this form", {});
    if (depth > kMaxPredicateDepth) {
      return fault(fmt::format("the expression is nested more than {} levels deep", kMaxPredicateDepth), node->fields);
    }
    if (node->type == "A_Const") return constant(node->fields, index);
    if (node->type == "ColumnRef") return column(node->fields, index);
    if (node->type == "A_Expr") return operation(node->fields, depth, index);
    if (node->type == "BoolExpr") return boolean(node->fields, depth, index);
    if (node->type == "NullTest") return null_test(node->fields, depth, index);
    if (node->type == "BooleanTest") return boolean_test(node->fields, depth, index);
    if (node->type == "CoalesceExpr") return with_list(ExprKind::kCoalesce, node->fields, depth, index);
    if (node->type == "FuncCall") return function(node->fields, depth, index);
    if (node->type == "SubLink") return unsupported("a subquery", node->fields);
    if (node->type == "TypeCast") return unsupported("a cast", node->fields);
    if (node->type == "CaseExpr") return unsupported("CASE", node->fields);
    if (node->type == "ParamRef") return unsupported("a parameter", node->fields);
    return unsupported(node->type, node->fields);
  }

  Fault unsupported(std::string_view what, object fields) {
    return fault(fmt::format("{} is not supported in a predicate", what), fields);
  }
  Fault fault(std::string text, object fields) {
    return Error{.text = std::move(text), .line = 1, .column = offset_of(fields) + std::uint64_t{1}};
  }

 private:
  using Children = std::vector<std::uint32_t>;

  // Where a node stands in the text; 0 where libpg_query does not say.
  [[nodiscard]] std::uint32_t offset_of(object fields) const {
    std::int64_t location = 0;
    if (fields["location"].get(location)) return 0;
    const auto prefix = static_cast<std::int64_t>(prefix_);
    return location < prefix ? 0 : static_cast<std::uint32_t>(location - prefix);
  }

  Expr& add(ExprKind kind, object fields, const Children& children, std::uint32_t& index) {
    index = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes.push_back(Expr{.kind = kind,
                               .children = static_cast<std::uint32_t>(tree_.children.size()),
                               .child_count = static_cast<std::uint32_t>(children.size()),
                               .offset = offset_of(fields)});
    tree_.children.insert(tree_.children.end(), children.begin(), children.end());
    return tree_.nodes.back();
  }

  Fault negated(object fields, std::uint32_t& index) {
    add(ExprKind::kNot, fields, {index}, index);
    return std::nullopt;
  }

  Fault constant(object fields, std::uint32_t& index) {
    Scalar value;
    std::string text;
    object inner;
    bool is_null = false;
    if (!fields["isnull"].get(is_null) && is_null) {
    } else if (!fields["ival"].get(inner)) {
      std::int64_t integer = 0;
      if (inner["ival"].get(integer) && !missing_integer(offset_of(fields), integer)) {
        return unsupported("this notation of a number", fields);
      }
      value = Scalar::of_integer(integer);
    } else if (!fields["fval"].get(inner)) {
      text = text_field(inner, "fval");
      value = scalar_of_number(text);
    } else if (!fields["sval"].get(inner)) {
      text = text_field(inner, "sval");
      value = Scalar::of_text(ScalarKind::kString, text);
    } else if (!fields["boolval"].get(inner)) {
      bool truth = false;
      if (inner["boolval"].get(truth)) truth = false;
      value = Scalar::of_boolean(truth);
    } else {
      return unsupported("a bit string", fields);
    }
    Expr& e = add(ExprKind::kLiteral, fields, {}, index);
    e.literal = value;
    e.name = std::move(text);
    return std::nullopt;
  }

  // An integer that the JSON left out: zero, or a negative literal whose place is its sign. Between the sign and the
  // digits there may be spaces, comments, parentheses and pairs of further signs.
  bool missing_integer(std::size_t at, std::int64_t& value) const {
    const std::string_view text = statement_.substr(prefix_);
    bool negative = false;
    while (at < text.size() && (text[at] < '0' || text[at] > '9')) {
      const std::string_view rest = text.substr(at);
      if (rest.starts_with("--") || rest.starts_with("/*")) return false;
      if (std::string_view(" \t\n\r\f\v(").find(text[at]) == std::string_view::npos && text[at] != '-') return false;
      if (text[at] == '-') negative = !negative;
      ++at;
    }
    if (at == text.size()) return false;
    std::int64_t magnitude = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), magnitude);
    if (error != std::errc{} || magnitude > 0x80000000LL || (!negative && magnitude != 0)) return false;
    value = -magnitude;
    return true;
  }

  Fault column(object fields, std::uint32_t& index) {
    const auto names = names_of(fields, "fields");
    if (!names || names->empty()) return unsupported("*", fields);
    if (names->size() > 1) return unsupported("a column name with a table name before it", fields);
    const std::string& name = names->front();
    const ExprKind kind = name == "key" ? ExprKind::kKey : name == "value" ? ExprKind::kValue : ExprKind::kColumn;
    Expr& e = add(kind, fields, {}, index);
    const std::string_view written = statement_.substr(prefix_ + e.offset, name.size());
    if (written != name && !written.empty() && written[0] != '"') e.written = written;
    e.name = name;
    return std::nullopt;
  }

  Fault list_of(Json json, int depth, Children& children) {
    const auto node = node_of(json);
    array items;
    if (!node || node->type != "List" || node->fields["items"].get(items)) return unsupported("this list", {});
    return children_of(items, depth, children);
  }
  Fault children_of(array items, int depth, Children& children) {
    for (const Json item : items) {
      std::uint32_t child = 0;
      if (Fault f = expression(item, depth + 1, child)) return f;
      children.push_back(child);
    }
    return std::nullopt;
  }

  Fault with_list(ExprKind kind, object fields, int depth, std::uint32_t& index) {
    array args;
    Children children;
    if (fields["args"].get(args)) return unsupported("a call without arguments", fields);
    if (Fault f = children_of(args, depth, children)) return f;
    add(kind, fields, children, index);
    return std::nullopt;
  }

  Fault boolean(object fields, int depth, std::uint32_t& index) {
    const std::string_view op = text_field(fields, "boolop");
    const ExprKind kind = op == "AND_EXPR" ? ExprKind::kAnd : op == "OR_EXPR" ? ExprKind::kOr : ExprKind::kNot;
    return with_list(kind, fields, depth, index);
  }

  Fault null_test(object fields, int depth, std::uint32_t& index) {
    Json arg;
    if (fields["arg"].get(arg)) return unsupported("this test", fields);
    if (Fault f = expression(arg, depth + 1, index)) return f;
    add(ExprKind::kIsNull, fields, {index}, index);
    return text_field(fields, "nulltesttype") == "IS_NOT_NULL" ? negated(fields, index) : std::nullopt;
  }

  Fault boolean_test(object fields, int depth, std::uint32_t& index) {
    Json arg;
    if (fields["arg"].get(arg)) return unsupported("this test", fields);
    if (Fault f = expression(arg, depth + 1, index)) return f;
    const std::string_view test = text_field(fields, "booltesttype");
    const ExprKind kind = test.ends_with("TRUE")    ? ExprKind::kIsTrue
                          : test.ends_with("FALSE") ? ExprKind::kIsFalse
                                                    : ExprKind::kIsNull;
    add(kind, fields, {index}, index);
    return test.starts_with("IS_NOT_") ? negated(fields, index) : std::nullopt;
  }

  Fault operation(object fields, int depth, std::uint32_t& index) {
    const std::string_view kind = text_field(fields, "kind");
    const auto names = names_of(fields, "name");
    Json left, right;
    if (!names || names->size() != 1 || fields["rexpr"].get(right)) return unsupported("this operator", fields);
    const std::string& name = names->front();
    Children children;
    if (fields["lexpr"].get(left)) {
      if (kind != "AEXPR_OP" || (name != "-" && name != "+")) return unsupported(name + " before a value", fields);
      if (Fault f = expression(right, depth + 1, index)) return f;
      if (name == "-") add(ExprKind::kNegate, fields, {index}, index);
      return std::nullopt;
    }
    std::uint32_t child = 0;
    if (Fault f = expression(left, depth + 1, child)) return f;
    children.push_back(child);

    if (kind == "AEXPR_IN" || kind == "AEXPR_BETWEEN" || kind == "AEXPR_NOT_BETWEEN") {
      if (Fault f = list_of(right, depth, children)) return f;
      add(kind == "AEXPR_IN" ? ExprKind::kIn : ExprKind::kBetween, fields, children, index);
      const bool is_not = kind == "AEXPR_NOT_BETWEEN" || (kind == "AEXPR_IN" && name == "<>");
      return is_not ? negated(fields, index) : std::nullopt;
    }
    if (kind == "AEXPR_LIKE" || kind == "AEXPR_ILIKE") {
      char escape = '\\';
      if (Fault f = pattern(right, depth, escape, child)) return f;
      children.push_back(child);
      Expr& e = add(ExprKind::kLike, fields, children, index);
      e.escape = escape;
      e.ignore_case = kind == "AEXPR_ILIKE";
      return name[0] == '!' ? negated(fields, index) : std::nullopt;
    }
    const bool distinct = kind == "AEXPR_DISTINCT";
    if (!distinct && kind != "AEXPR_NOT_DISTINCT" && kind != "AEXPR_OP") {
      return unsupported(kind.starts_with("AEXPR_") ? kind.substr(6) : kind, fields);
    }
    std::optional<ExprKind> binary;
    for (const NamedKind& row : kBinary) {
      if (row.name == name) binary = row.kind;
    }
    if (!binary) return unsupported(fmt::format("the operator {}", name), fields);
    if (Fault f = expression(right, depth + 1, child)) return f;
    children.push_back(child);
    add(kind == "AEXPR_OP" ? *binary : ExprKind::kDistinct, fields, children, index);
    return kind == "AEXPR_NOT_DISTINCT" ? negated(fields, index) : std::nullopt;
  }

  // The pattern of a LIKE; with ESCAPE it comes as like_escape(pattern, escape).
  Fault pattern(Json json, int depth, char& escape, std::uint32_t& index) {
    const auto node = node_of(json);
    const auto names = node && node->type == "FuncCall" ? names_of(node->fields, "funcname") : std::nullopt;
    if (!names || names->size() != 2 || names->back() != "like_escape") return expression(json, depth + 1, index);
    array args;
    if (node->fields["args"].get(args) || args.size() != 2) return unsupported("this escape", node->fields);
    if (Fault f = expression(args.at(1), depth + 1, index)) return f;
    const Expr& e = tree_.nodes[index];
    const bool is_text = e.kind == ExprKind::kLiteral && e.literal.kind == ScalarKind::kString;
    if (!is_text || e.name.size() > 1 || (e.name.size() == 1 && static_cast<unsigned char>(e.name[0]) >= 0x80)) {
      return unsupported("an ESCAPE other than one ASCII character in quotes", node->fields);
    }
    escape = e.name.empty() ? kNoEscape : e.name[0];
    tree_.nodes.pop_back();
    return expression(args.at(0), depth + 1, index);
  }

  Fault function(object fields, int depth, std::uint32_t& index) {
    const auto names = names_of(fields, "funcname");
    if (names && names->size() == 1) {
      for (const NamedKind& row : kFunctions) {
        array args;
        if (row.name != names->front()) continue;
        if (fields["args"].get(args) || args.size() != 1 || fields.at_key("over").error() == simdjson::SUCCESS) break;
        return with_list(row.kind, fields, depth, index);
      }
    }
    return unsupported(fmt::format("the call of {}", names ? names->back() : "a function"), fields);
  }

  std::string_view statement_;
  std::size_t prefix_;
  ExprTree& tree_;
};

}  // namespace

Result<ExprTree> parse_predicate(std::string_view where) {
  constexpr std::string_view kPrefix = "SELECT 1 WHERE ";
  const std::string statement = std::string(kPrefix) + std::string(where);
  simdjson::dom::parser parser;
  auto parsed = parse_statement(statement, kPrefix.size(), parser);
  if (!parsed) return std::move(parsed).error();
  const object select = *parsed;
  Json clause;
  if (select["whereClause"].get(clause)) return Error{.text = "expected a condition", .line = 1, .column = 1};
  ExprTree tree;
  std::uint32_t root = 0;
  if (auto fault = TreeReader(statement, kPrefix.size(), tree).expression(clause, 1, root)) return *fault;
  return tree;
}

Result<AggregateTree> parse_aggregate(std::string_view expression) {
  constexpr std::string_view kPrefix = "SELECT ";
  constexpr std::string_view kExpected = "expected count(*), or one of count, min, max, sum and avg of one expression";
  const std::string statement = std::string(kPrefix) + std::string(expression);
  simdjson::dom::parser parser;
  auto parsed = parse_statement(statement, kPrefix.size(), parser);
  if (!parsed) return std::move(parsed).error();
  const object select = *parsed;
  AggregateTree tree;
  TreeReader reader(statement, kPrefix.size(), tree.argument);
  object target, call;
  const Error wrong{.text = std::string(kExpected), .line = 1, .column = 1};
  if (select["targetList"].at(0)["ResTarget"].get(target) || target["val"]["FuncCall"].get(call) ||
      select.at_key("whereClause").error() == simdjson::SUCCESS) {
    return wrong;
  }
  for (const auto field : call) {
    if (field.key != "funcname" && field.key != "args" && field.key != "agg_star" && field.key != "funcformat" &&
        field.key != "location") {
      return *reader.unsupported(fmt::format("{} of an aggregate", field.key), call);
    }
  }
  const auto names = names_of(call, "funcname");
  const NamedAggregate* found = nullptr;
  for (const NamedAggregate& row : kAggregates) {
    if (names && names->size() == 1 && row.name == names->front()) found = &row;
  }
  if (found == nullptr) return wrong;
  bool star = false;
  if (!call["agg_star"].get(star) && star) {
    return found->kind == AggregateKind::kCount ? Result<AggregateTree>(std::move(tree)) : wrong;
  }
  array args;
  std::uint32_t root = 0;
  if (call["args"].get(args) || args.size() != 1) return wrong;
  if (auto fault = reader.expression(args.at(0), 1, root)) return *fault;
  tree.kind = found->kind;
  return tree;
}

}  // namespace isolde
