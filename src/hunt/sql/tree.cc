#include "hunt/sql/tree.h"

#include <utility>

namespace isolde::hunt::sql {

NodePtr make(Kind kind, Type type, std::string text, std::vector<NodePtr> children, std::string alias) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->type = type;
  node->text = std::move(text);
  node->alias = std::move(alias);
  node->children = std::move(children);
  return node;
}

std::string_view simplest_literal(Type type) {
  switch (type) {
    case Type::kInteger:
      return "1";
    case Type::kDecimal:
      return "1.00";
    case Type::kText:
      return "'a'";
    case Type::kBoolean:
      return "true";
    case Type::kDate:
      return "'2024-01-01'";
    case Type::kNone:
      break;
  }
  return "";
}

namespace {

std::size_t node_size(const Node& node) {
  if (node.kind == Kind::kColumn) return 3;
  if (node.kind == Kind::kLiteral) {
    const bool simple = node.text == simplest_literal(node.type) || node.text == "null" || node.text == "false" ||
                        node.type == Type::kNone;
    return simple ? 2 : 3;
  }
  if (node.kind == Kind::kJoin && node.text == "full join") return 4;
  const bool more = node.text == "distinct" || (node.kind == Kind::kSelect && !node.alias.empty()) ||
                    (node.text == "not" && node.kind != Kind::kUnary) || node.text.starts_with("left join") ||
                    (node.kind == Kind::kJoin && node.text == "right join") ||
                    (node.kind == Kind::kForUpdate && !node.text.empty());
  return more ? 3 : 2;
}

}  // namespace

std::size_t size(const Node& tree) {
  std::size_t count = 0;
  std::vector<const Node*> left = {&tree};
  while (!left.empty()) {
    const Node* node = left.back();
    left.pop_back();
    count += node_size(*node);
    for (const NodePtr& child : node->children)
      if (child) left.push_back(child.get());
  }
  return count;
}

}  // namespace isolde::hunt::sql
