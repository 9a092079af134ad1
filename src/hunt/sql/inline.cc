#include "hunt/sql/inline.h"

#include <algorithm>
#include <functional>

#include "hunt/sql/sound.h"

namespace isolde::hunt::sql {
namespace {

// Null: it stays as it is, and its children are looked at.
using Replace = std::function<NodePtr(const Node&)>;

NodePtr replaced(const NodePtr& node, const Replace& with) {
  if (!node) return node;
  if (NodePtr other = with(*node)) return other;
  std::vector<NodePtr> children;
  bool changed = false;
  for (const NodePtr& child : node->children) {
    children.push_back(replaced(child, with));
    changed = changed || children.back() != child;
  }
  return changed ? make(node->kind, node->type, node->text, std::move(children), node->alias) : node;
}

bool has_window(const Node& node) {
  return node.kind == Kind::kWindow || std::any_of(node.children.begin(), node.children.end(),
                                                   [](const NodePtr& child) { return child && has_window(*child); });
}

// Neither changes how many rows there are nor looks at others.
bool is_plain_select(const Node& query) {
  if (query.kind != Kind::kSelect || query.text == "distinct" || !query.children[1]) return false;
  for (std::size_t i = 3; i < query.children.size(); ++i)
    if (query.children[i]) return false;
  return !has_aggregate(*query.children[0]) && !has_window(*query.children[0]);
}

NodePtr item_named(const Node& query, const std::string& name) {
  for (const NodePtr& item : query.children[0]->children)
    if ((item->alias.empty() ? item->children[0]->text : item->alias) == name) return item->children[0];
  return nullptr;
}

void add_derived(const Node& source, std::vector<const Node*>& all) {
  if (source.kind == Kind::kDerived && is_plain_select(*source.children[0])) all.push_back(&source);
  if (source.kind != Kind::kJoin) return;
  add_derived(*source.children[0], all);
  add_derived(*source.children[1], all);
}

std::size_t uses(const Node& node, const std::string& name) {
  std::size_t count = node.kind == Kind::kTable && node.text == name ? 1 : 0;
  for (const NodePtr& child : node.children)
    if (child) count += uses(*child, name);
  return count;
}

}  // namespace

std::vector<NodePtr> without_derived(const Node& select) {
  std::vector<NodePtr> steps;
  std::vector<const Node*> all;
  if (select.children.size() > 1 && select.children[1]) add_derived(*select.children[1], all);
  for (const Node* derived : all) {
    const Node& query = *derived->children[0];
    std::vector<NodePtr> children;
    for (const NodePtr& child : select.children)
      children.push_back(replaced(child, [&](const Node& node) -> NodePtr {
        if (&node == derived) return query.children[1];
        return node.kind == Kind::kColumn && node.alias == derived->alias ? item_named(query, node.text) : nullptr;
      }));
    steps.push_back(make(select.kind, select.type, select.text, std::move(children), select.alias));
  }
  return steps;
}

std::vector<NodePtr> without_common(const Node& with) {
  std::vector<NodePtr> steps;
  for (std::size_t i = 1; i < with.children.size(); ++i) {
    const Node& common = *with.children[i];
    if (uses(with, common.alias) != 1 || uses(common, common.alias) != 0) continue;
    std::vector<NodePtr> children;
    for (const NodePtr& child : with.children) {
      if (child.get() == &common) continue;
      children.push_back(replaced(child, [&](const Node& node) -> NodePtr {
        if (node.kind != Kind::kTable || node.text != common.alias) return nullptr;
        return make(Kind::kDerived, Type::kNone, "", common.children, node.alias.empty() ? node.text : node.alias);
      }));
    }
    if (children.size() == 1)
      steps.push_back(children[0]);
    else
      steps.push_back(make(with.kind, with.type, with.text, std::move(children), with.alias));
  }
  return steps;
}

}  // namespace isolde::hunt::sql
