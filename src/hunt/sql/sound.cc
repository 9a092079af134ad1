#include "hunt/sql/sound.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace isolde::hunt::sql {
namespace {

using Names = std::set<std::string>;
using Columns = std::optional<Names>;            // none: a table or view, whose columns are not known here
using Sources = std::map<std::string, Columns>;  // by alias

const std::string& item_name(const Node& item) { return item.alias.empty() ? item.children[0]->text : item.alias; }
const std::string& name_of(const Node& source) { return source.alias.empty() ? source.text : source.alias; }

class Checker {
 public:
  explicit Checker(const Names& common) : common_(common) {}

  bool statement(const Node& tree) {
    switch (tree.kind) {
      case Kind::kForUpdate:
        return query(*tree.children[0]).has_value();
      case Kind::kUpdate: {
        Sources sources = {{name_of(tree), std::nullopt}};
        if (child(tree, 2) && !source(*tree.children[2], sources)) return false;
        const Within within(*this, std::move(sources));
        return assignments(*tree.children[0]) && clause(child(tree, 1)) && clause(child(tree, 3));
      }
      case Kind::kDelete: {
        Sources sources = {{name_of(tree), std::nullopt}};
        if (child(tree, 1) && !source(*tree.children[1], sources)) return false;
        const Within within(*this, std::move(sources));
        return clause(child(tree, 0)) && clause(child(tree, 2));
      }
      case Kind::kInsertRows:
        return rows(*tree.children[1], tree.children[0]->children.size());
      case Kind::kInsertQuery: {
        const auto columns = query(*tree.children[1]);
        return columns && columns->size() == tree.children[0]->children.size();
      }
      case Kind::kUpsert: {
        if (tree.children[1]->children.size() != tree.children[0]->children.size() || !clause(child(tree, 1)))
          return false;
        const Within within(*this, {{tree.text, std::nullopt}, {"excluded", std::nullopt}});
        return assignments(*tree.children[2]);
      }
      case Kind::kReplace:
        return tree.children[1]->children.size() == tree.children[0]->children.size() && clause(child(tree, 1));
      case Kind::kMerge:
        return merge(tree);
      default:
        return query(tree).has_value();
    }
  }

 private:
  // Row sources that are in scope as long as this lives.
  struct Within {
    Within(Checker& checker, Sources sources) : checker_(checker) { checker_.scope_.push_back(std::move(sources)); }
    ~Within() { checker_.scope_.pop_back(); }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;
    Checker& checker_;
  };

  bool merge(const Node& tree) {
    const bool updates = child(tree, 2) && !tree.children[2]->children.empty();
    if (!updates && !child(tree, 3)) return false;
    if (child(tree, 3) && (!child(tree, 4) || tree.children[3]->children.size() != tree.children[4]->children.size()))
      return false;
    Sources sources;
    if (!source(*tree.children[0], sources)) return false;
    {
      const Within within(*this, sources);
      if (!clause(child(tree, 3))) return false;
    }
    if (!sources.emplace(name_of(tree), std::nullopt).second) return false;
    const Within within(*this, std::move(sources));
    return clause(child(tree, 1)) && (!child(tree, 2) || assignments(*tree.children[2]));
  }

  bool rows(const Node& list, std::size_t width) {
    return !list.children.empty() && std::all_of(list.children.begin(), list.children.end(), [&](const NodePtr& row) {
      return row->children.size() == width && clause(row.get());
    });
  }

  bool assignments(const Node& list) {
    return !list.children.empty() && std::all_of(list.children.begin(), list.children.end(),
                                                 [&](const NodePtr& one) { return clause(child(*one, 0)); });
  }

  // The columns of a query, in order; none: it is not sound.
  std::optional<std::vector<std::string>> query(const Node& node) {
    if (node.kind == Kind::kSelect) return select(node);
    if (node.kind == Kind::kSetOf) {
      auto left = query(*node.children[0]);
      const auto right = left ? query(*node.children[1]) : std::nullopt;
      return right && left->size() == right->size() ? left : std::nullopt;
    }
    if (node.kind != Kind::kWith) return std::nullopt;
    const std::size_t depth = commons_.size();
    bool good = true;
    for (std::size_t i = 1; good && i < node.children.size(); ++i) good = common(*node.children[i], node.text);
    auto columns = good ? query(*node.children[0]) : std::nullopt;
    commons_.resize(depth);
    return columns;
  }

  bool common(const Node& node, const std::string& how) {
    const Node& body = *node.children[0];
    std::optional<std::vector<std::string>> columns;
    if (how == "recursive" && body.kind == Kind::kSetOf) {
      // Its second branch reads what its first one gave.
      columns = query(*body.children[0]);
      if (!columns) return false;
      commons_.emplace_back(node.alias, Names(columns->begin(), columns->end()));
      const auto step = query(*body.children[1]);
      return step && step->size() == columns->size();
    }
    columns = query(body);
    if (!columns) return false;
    commons_.emplace_back(node.alias, Names(columns->begin(), columns->end()));
    return true;
  }

  // Adds what `node` brings into scope.
  bool source(const Node& node, Sources& sources) {
    if (node.kind == Kind::kTable) {
      const auto named = std::find_if(commons_.rbegin(), commons_.rend(),
                                      [&](const auto& common) { return common.first == node.text; });
      if (named == commons_.rend() && common_.contains(node.text)) return false;
      return sources.emplace(name_of(node), named == commons_.rend() ? Columns() : Columns(named->second)).second;
    }
    if (node.kind == Kind::kDerived) {
      const auto columns = query(*node.children[0]);
      return columns && sources.emplace(node.alias, Names(columns->begin(), columns->end())).second;
    }
    if (node.kind != Kind::kJoin) return false;
    Sources here;
    if (!source(*node.children[0], here)) return false;
    const bool lateral = node.text.ends_with("lateral");
    Sources right;
    {
      const Within within(*this, lateral ? here : Sources());
      if (!source(*node.children[1], right)) return false;
    }
    for (auto& one : right)
      if (!here.insert(one).second) return false;
    const Within within(*this, here);
    if (!clause(child(node, 2))) return false;
    return std::all_of(here.begin(), here.end(), [&](const auto& one) { return sources.insert(one).second; });
  }

  std::optional<std::vector<std::string>> select(const Node& node) {
    Sources sources;
    if (child(node, 1) && !source(*node.children[1], sources)) return std::nullopt;
    const Node& items = *node.children[0];
    if (items.children.empty()) return std::nullopt;
    const Node *groups = child(node, 3), *having = child(node, 4), *orders = child(node, 5);
    bool grouped = (groups && !groups->children.empty()) || having;
    for (const NodePtr& item : items.children) grouped = grouped || has_aggregate(*item);
    if (orders) grouped = grouped || has_aggregate(*orders);
    if (grouped && !shows_groups(node, sources)) return std::nullopt;
    if (child(node, 6) && (!orders || orders->children.empty())) return std::nullopt;
    if (child(node, 2) && has_aggregate(*node.children[2])) return std::nullopt;
    for (const Node* list : {groups, orders})  // a number alone would be the place of an item
      if (list)
        for (const NodePtr& element : list->children) {
          const Node& x = element->kind == Kind::kOrder ? *element->children[0] : *element;
          if (x.kind == Kind::kLiteral) return std::nullopt;
        }
    const Within within(*this, std::move(sources));
    for (std::size_t i = 0; i <= 5; ++i)
      if (i != 1 && !clause(child(node, i))) return std::nullopt;
    std::vector<std::string> names;
    for (const NodePtr& item : items.children) names.push_back(item_name(*item));
    if (orders)
      for (const NodePtr& order : orders->children) {
        const Node& x = *order->children[0];
        const bool by_name = x.kind == Kind::kColumn && x.alias.empty();
        if (by_name && std::find(names.begin(), names.end(), x.text) == names.end()) return std::nullopt;
      }
    return names;
  }

  // What a grouped query shows is the same for all rows of a group.
  static bool shows_groups(const Node& select, const Sources& sources) {
    std::vector<const Node*> left;
    for (const std::size_t i : {0U, 4U, 5U})
      if (child(select, i)) left.push_back(child(select, i));
    const Node* groups = child(select, 3);
    while (!left.empty()) {
      const Node* node = left.back();
      left.pop_back();
      if (node->kind == Kind::kAggregate) continue;
      const bool is_group = groups && std::any_of(groups->children.begin(), groups->children.end(),
                                                  [&](const NodePtr& group) { return equal(*group, *node); });
      if (is_group) continue;
      if (node->kind == Kind::kColumn && sources.contains(node->alias)) return false;
      for (const NodePtr& below : node->children)
        if (below) left.push_back(below.get());
    }
    return true;
  }

  // Expressions, and lists of them: columns are in scope, queries inside are sound.
  bool clause(const Node* node) {
    if (!node) return true;
    if (is_query(*node)) return query(*node).has_value();
    if (node->kind == Kind::kColumn) return known(*node);
    if (node->kind == Kind::kScalar) {
      const auto columns = query(*node->children[0]);
      return columns && columns->size() == 1;
    }
    if (node->kind == Kind::kInQuery) {
      const auto columns = query(*node->children[1]);
      const Node& x = *node->children[0];
      return columns && columns->size() == (x.kind == Kind::kRow ? x.children.size() : 1) && clause(&x);
    }
    if (node->kind == Kind::kAggregate && child(*node, 0) && has_aggregate(*node->children[0])) return false;
    return std::all_of(node->children.begin(), node->children.end(),
                       [&](const NodePtr& below) { return clause(below.get()); });
  }

  bool known(const Node& column) {
    if (column.alias.empty()) return true;
    for (auto frame = scope_.rbegin(); frame != scope_.rend(); ++frame)
      if (const auto source = frame->find(column.alias); source != frame->end())
        return !source->second || source->second->contains(column.text);
    return false;
  }

  const Names& common_;
  std::vector<Sources> scope_;
  std::vector<std::pair<std::string, Names>> commons_;
};

void add_sources(const Node& source, std::vector<const Node*>& leaves) {
  if (source.kind != Kind::kJoin) {
    leaves.push_back(&source);
    return;
  }
  add_sources(*source.children[0], leaves);
  add_sources(*source.children[1], leaves);
}

bool has_order(const Node& orders, const Node& x) {
  return std::any_of(orders.children.begin(), orders.children.end(),
                     [&](const NodePtr& order) { return equal(*order->children[0], x); });
}

bool by_keys(const Node* orders, const Node* from) {
  if (!orders) return false;
  if (!from) return true;
  std::vector<const Node*> leaves;
  add_sources(*from, leaves);
  return std::all_of(leaves.begin(), leaves.end(), [&](const Node* leaf) {
    const NodePtr key = make(Kind::kColumn, Type::kInteger, "pkey", {}, name_of(*leaf));
    return leaf->kind == Kind::kTable && has_order(*orders, *key);
  });
}

bool all_in(const Node& list, const Node* orders) {
  return orders && std::all_of(list.children.begin(), list.children.end(), [&](const NodePtr& element) {
           if (element->kind != Kind::kItem) return has_order(*orders, *element);
           return has_order(*orders, *make(Kind::kColumn, Type::kNone, item_name(*element))) ||
                  has_order(*orders, *element->children[0]);
         });
}

bool needs_order(const Node& window) {
  if (child(window, 3)) return true;
  return window.text != "count" && window.text != "sum" && window.text != "min" && window.text != "max" &&
         window.text != "rank" && window.text != "dense_rank";
}

// Windows of this query's own whose order matters.
void add_windows(const Node& node, std::vector<const Node*>& windows) {
  if (is_query(node)) return;
  if (node.kind == Kind::kWindow && needs_order(node)) windows.push_back(&node);
  for (const NodePtr& below : node.children)
    if (below) add_windows(*below, windows);
}

std::vector<const Node*> windows_of(const Node& select) {
  std::vector<const Node*> windows;
  add_windows(*select.children[0], windows);
  if (child(select, 5)) add_windows(*select.children[5], windows);
  return windows;
}

}  // namespace

std::set<std::string> common_names(const Node& tree) {
  std::set<std::string> names;
  std::vector<const Node*> left = {&tree};
  while (!left.empty()) {
    const Node* node = left.back();
    left.pop_back();
    if (node->kind == Kind::kCommon) names.insert(node->alias);
    for (const NodePtr& below : node->children)
      if (below) left.push_back(below.get());
  }
  return names;
}

bool sound(const Node& tree, const std::set<std::string>& common) { return Checker(common).statement(tree); }

bool equal(const Node& a, const Node& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.text != b.text || a.alias != b.alias || a.children.size() != b.children.size())
    return false;
  for (std::size_t i = 0; i < a.children.size(); ++i) {
    if (!a.children[i] != !b.children[i]) return false;
    if (a.children[i] && !equal(*a.children[i], *b.children[i])) return false;
  }
  return true;
}

bool has_aggregate(const Node& expression) {
  if (expression.kind == Kind::kAggregate) return true;
  if (is_query(expression)) return false;
  return std::any_of(expression.children.begin(), expression.children.end(),
                     [](const NodePtr& below) { return below && has_aggregate(*below); });
}

bool is_one_row(const Node& query) {
  if (query.kind != Kind::kSelect) return false;
  const Node* groups = child(query, 3);
  return (!groups || groups->children.empty()) && has_aggregate(*query.children[0]);
}

bool depends_on_order(const Node& select) { return child(select, 6) || !windows_of(select).empty(); }

bool is_ordered_by_keys(const Node& select) {
  const Node *from = child(select, 1), *groups = child(select, 3), *orders = child(select, 5);
  if (is_one_row(select)) return true;
  const bool grouped = groups && !groups->children.empty();
  for (const Node* window : windows_of(select))
    if (grouped ? !all_in(*groups, child(*window, 2)) : !by_keys(child(*window, 2), from)) return false;
  if (!child(select, 6) || all_in(*select.children[0], orders)) return true;
  if (select.text == "distinct") return false;
  return grouped ? all_in(*groups, orders) : by_keys(orders, from);
}

}  // namespace isolde::hunt::sql
