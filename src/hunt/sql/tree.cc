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

std::size_t size(const Node& tree) {
  std::size_t count = 0;
  std::vector<const Node*> left = {&tree};
  while (!left.empty()) {
    const Node* node = left.back();
    left.pop_back();
    const bool more = node->text == "distinct" || (node->text == "not" && node->kind != Kind::kUnary) ||
                      node->text.starts_with("left join");
    count += more ? 2 : 1;
    for (const NodePtr& child : node->children)
      if (child) left.push_back(child.get());
  }
  return count;
}

}  // namespace isolde::hunt::sql
