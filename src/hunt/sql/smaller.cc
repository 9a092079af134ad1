// The steps of reduction: for every node those that make it smaller, carried up to the root; of these the sound ones.
#include <algorithm>
#include <set>

#include "hunt/sql/inline.h"
#include "hunt/sql/sound.h"
#include "hunt/sql/tree.h"

namespace isolde::hunt::sql {
namespace {

using Nodes = std::vector<NodePtr>;

bool is_expression(const Node& node) { return node.kind <= Kind::kCast; }
bool is_key(const std::string& column) { return column == "pkey" || column == "vkey"; }
bool has(const Node& node, std::size_t i) { return i < node.children.size() && node.children[i]; }

NodePtr with_child(const Node& node, std::size_t i, NodePtr child) {
  auto copy = std::make_shared<Node>(node);
  copy->children[i] = std::move(child);
  return copy;
}

NodePtr with_node_text(const Node& node, std::string text) {
  auto copy = std::make_shared<Node>(node);
  copy->text = std::move(text);
  return copy;
}

NodePtr without_children(const Node& node, std::size_t first, std::size_t count = 1) {
  auto copy = std::make_shared<Node>(node);
  const auto begin = copy->children.begin() + static_cast<std::ptrdiff_t>(first);
  copy->children.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  return copy;
}

// The nearest expressions below `node` of its type, not looking into queries.
void add_parts(const Node& node, Type type, Nodes& parts) {
  for (const NodePtr& child : node.children) {
    if (!child || is_query(*child)) continue;
    if (is_expression(*child) && child->type == type)
      parts.push_back(child);
    else
      add_parts(*child, type, parts);
  }
}

void add_literals(Type type, Nodes& steps) {
  const std::string_view simplest = simplest_literal(type);
  if (simplest.empty()) return;
  steps.push_back(make(Kind::kLiteral, type, std::string(simplest)));
  if (type == Type::kBoolean) steps.push_back(make(Kind::kLiteral, type, "false"));
}

void add_steps(const NodePtr& node, Nodes& steps);

// Steps inside the i-th child.
void add_steps_of_child(const Node& node, std::size_t i, Nodes& steps) {
  if (!has(node, i)) return;
  Nodes below;
  add_steps(node.children[i], below);
  for (NodePtr& step : below) steps.push_back(with_child(node, i, std::move(step)));
}

void add_steps_of_children(const Node& node, Nodes& steps) {
  for (std::size_t i = 0; i < node.children.size(); ++i) add_steps_of_child(node, i, steps);
}

void add_steps_of_expression(const NodePtr& node, Nodes& steps) {
  add_literals(node->type, steps);
  if (node->type != Type::kNone) add_parts(*node, node->type, steps);
  const std::size_t count = node->children.size();
  switch (node->kind) {
    case Kind::kIn:
      for (std::size_t i = 1; count > 2 && i < count; ++i) steps.push_back(without_children(*node, i));
      break;
    case Kind::kCall:
      if (node->text == "coalesce" || node->text == "greatest" || node->text == "least")
        for (std::size_t i = 0; count > 2 && i < count; ++i) steps.push_back(without_children(*node, i));
      break;
    case Kind::kCase:
      for (std::size_t i = 0; count > 3 && i + 1 < count; i += 2) steps.push_back(without_children(*node, i, 2));
      break;
    case Kind::kWindow:
      if (has(*node, 1)) steps.push_back(with_child(*node, 1, nullptr));
      if (node->text == "count" || node->text == "sum" || node->text == "min" || node->text == "max") {
        NodePtr whole = has(*node, 2) ? with_child(*node, 2, nullptr) : node;
        if (has(*node, 3)) whole = with_child(*whole, 3, nullptr);
        if (whole != node) steps.push_back(std::move(whole));
      }
      add_steps_of_child(*node, 0, steps);
      add_steps_of_child(*node, 1, steps);
      return;
    case Kind::kScalar: {
      const NodePtr& query = node->children[0];
      const bool one = is_one_row(*query);
      Nodes below;
      add_steps(query, below);
      for (NodePtr& step : below) {
        // Otherwise its one row comes from a limit or a key, and stays as it is.
        const bool good = one ? is_one_row(*step) : query->kind == Kind::kSelect && has(*query, 6) && has(*step, 6);
        if (good) steps.push_back(with_child(*node, 0, std::move(step)));
      }
      return;
    }
    default:
      break;
  }
  if (node->text == "not" && node->kind != Kind::kUnary) steps.push_back(with_node_text(*node, ""));
  add_steps_of_children(*node, steps);
}

// Together with what is ordered by its name.
NodePtr without_item(const Node& select, std::size_t i) {
  const Node& items = *select.children[0];
  const std::string& name = items.children[i]->alias;
  NodePtr fewer = with_child(select, 0, without_children(items, i));
  if (!has(select, 5) || name.empty()) return fewer;
  auto orders = std::make_shared<Node>(*select.children[5]);
  std::erase_if(orders->children, [&](const NodePtr& order) {
    const Node& x = *order->children[0];
    return x.kind == Kind::kColumn && x.alias.empty() && x.text == name;
  });
  if (orders->children.size() == select.children[5]->children.size()) return fewer;
  if (orders->children.empty()) return with_child(*fewer, 5, nullptr);
  return with_child(*fewer, 5, std::move(orders));
}

void add_steps_of_select(const Node& node, Nodes& steps) {
  const auto drop = [&](std::initializer_list<std::size_t> clauses) {
    auto copy = std::make_shared<Node>(node);
    bool any = false;
    for (const std::size_t i : clauses) {
      any = any || has(node, i);
      if (i < copy->children.size()) copy->children[i] = nullptr;
    }
    if (any) steps.push_back(std::move(copy));
  };
  const bool limited = has(node, 6);
  if (limited) {
    drop({5, 6});
    drop({6});
  }
  const Node& items = *node.children[0];
  for (std::size_t i = 0; items.children.size() > 1 && i < items.children.size(); ++i)
    steps.push_back(without_item(node, i));
  add_steps_of_child(node, 0, steps);
  const bool fixed = depends_on_order(node) && !is_ordered_by_keys(node);
  if (fixed) return;
  for (NodePtr& step : without_derived(node)) steps.push_back(std::move(step));
  drop({2});
  drop({3, 4});
  drop({4});
  if (!node.alias.empty()) {
    auto plain = std::make_shared<Node>(node);
    plain->alias.clear();
    steps.push_back(std::move(plain));
  }
  if (!limited) {
    drop({5});
    if (node.text == "distinct") steps.push_back(with_node_text(node, ""));
    add_steps_of_child(node, 5, steps);
  }
  for (const std::size_t i : {1, 2, 4}) add_steps_of_child(node, i, steps);
  if (has(node, 3) && node.children[3]->children.size() > 1)
    for (std::size_t i = 0; i < node.children[3]->children.size(); ++i)
      steps.push_back(with_child(node, 3, without_children(*node.children[3], i)));
}

void add_steps_of_with(const Node& node, Nodes& steps) {
  steps.push_back(node.children[0]);
  for (NodePtr& step : without_common(node)) steps.push_back(std::move(step));
  for (std::size_t i = 1; node.children.size() > 2 && i < node.children.size(); ++i)
    steps.push_back(without_children(node, i));
  add_steps_of_child(node, 0, steps);
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    const Node& common = *node.children[i];
    const NodePtr& body = common.children[0];
    if (node.text == "recursive" && body->kind == Kind::kSetOf)
      // Without its own bound a recursion would not end.
      steps.push_back(with_child(node, i, with_child(common, 0, body->children[0])));
    else
      add_steps_of_child(node, i, steps);
  }
}

// Lists of columns and of what goes into them, `rows` of which each has one cell a column: a column left out here and
// there, and smaller cells; the keys stay.
NodePtr without_column(const Node& query, std::size_t column) {
  if (query.kind == Kind::kSelect) return with_child(query, 0, without_children(*query.children[0], column));
  if (query.kind == Kind::kWith) return with_child(query, 0, without_column(*query.children[0], column));
  NodePtr left = without_column(*query.children[0], column);
  return with_child(*with_child(query, 0, std::move(left)), 1, without_column(*query.children[1], column));
}

void add_steps_of_row(const Node& statement, std::size_t columns_at, std::size_t row_at, Nodes& steps) {
  const Node& columns = *statement.children[columns_at];
  const Node& row = *statement.children[row_at];
  if (columns.children.size() != row.children.size()) return;
  for (std::size_t i = 0; i < columns.children.size(); ++i) {
    if (is_key(columns.children[i]->text)) continue;
    NodePtr fewer = with_child(statement, columns_at, without_children(columns, i));
    steps.push_back(with_child(*fewer, row_at, without_children(row, i)));
    Nodes below;
    add_steps(row.children[i], below);
    for (NodePtr& step : below) steps.push_back(with_child(statement, row_at, with_child(row, i, std::move(step))));
  }
}

void add_steps_of_rows(const Node& statement, Nodes& steps) {
  const Node& columns = *statement.children[0];
  const Node& rows = *statement.children[1];
  for (std::size_t i = 0; rows.children.size() > 1 && i < rows.children.size(); ++i)
    steps.push_back(with_child(statement, 1, without_children(rows, i)));
  for (std::size_t c = 0; c < columns.children.size(); ++c) {
    if (is_key(columns.children[c]->text)) continue;
    auto fewer = std::make_shared<Node>(rows);
    for (NodePtr& row : fewer->children) row = without_children(*row, c);
    steps.push_back(with_child(*with_child(statement, 0, without_children(columns, c)), 1, std::move(fewer)));
    for (std::size_t r = 0; r < rows.children.size(); ++r) {
      Nodes below;
      add_steps(rows.children[r]->children[c], below);
      for (NodePtr& step : below)
        steps.push_back(
            with_child(statement, 1, with_child(rows, r, with_child(*rows.children[r], c, std::move(step)))));
    }
  }
}

void add_steps_of_insert_query(const Node& statement, Nodes& steps) {
  const Node& columns = *statement.children[0];
  const NodePtr& query = statement.children[1];
  for (std::size_t i = 0; i < columns.children.size(); ++i)
    if (!is_key(columns.children[i]->text))
      steps.push_back(
          with_child(*with_child(statement, 0, without_children(columns, i)), 1, without_column(*query, i)));
  Nodes below;
  add_steps(query, below);
  for (NodePtr& step : below) {
    // The keys of the new rows are computed as before.
    const Node* now = step.get();
    const Node* was = query.get();
    bool same = now->kind == was->kind;
    for (std::size_t i = 0; same && was->kind == Kind::kSelect && i < columns.children.size(); ++i) {
      const Nodes &new_items = now->children[0]->children, &old_items = was->children[0]->children;
      same = new_items.size() == old_items.size() &&
             (!is_key(columns.children[i]->text) || equal(*new_items[i], *old_items[i]));
    }
    if (same || was->kind != Kind::kSelect) steps.push_back(with_child(statement, 1, std::move(step)));
  }
}

void add_steps_of_assignments(const Node& statement, std::size_t at, Nodes& steps) {
  if (!has(statement, at)) return;
  const Node& list = *statement.children[at];
  for (std::size_t i = 0; i < list.children.size(); ++i) {
    const Node& assignment = *list.children[i];
    if (is_key(assignment.text)) continue;
    if (list.children.size() > 1) steps.push_back(with_child(statement, at, without_children(list, i)));
    Nodes below;
    add_steps(assignment.children[0], below);
    for (NodePtr& step : below)
      steps.push_back(with_child(statement, at, with_child(list, i, with_child(assignment, 0, std::move(step)))));
  }
}

void add_steps_of_merge(const Node& node, Nodes& steps) {
  if (has(node, 2) && has(node, 3)) {
    steps.push_back(with_child(node, 2, nullptr));
    NodePtr no_insert = with_child(node, 3, nullptr);
    steps.push_back(has(node, 4) ? with_child(*no_insert, 4, nullptr) : no_insert);
  }
  add_steps_of_child(node, 0, steps);
  add_steps_of_child(node, 1, steps);
  add_steps_of_assignments(node, 2, steps);
  if (has(node, 3) && has(node, 4)) add_steps_of_row(node, 4, 3, steps);
}

void add_steps(const NodePtr& node, Nodes& steps) {
  if (is_expression(*node)) return add_steps_of_expression(node, steps);
  const auto drop = [&](std::size_t i) {
    if (has(*node, i)) steps.push_back(with_child(*node, i, nullptr));
  };
  switch (node->kind) {
    case Kind::kSelect:
      return add_steps_of_select(*node, steps);
    case Kind::kSetOf:
      steps.push_back(node->children[0]);
      steps.push_back(node->children[1]);
      break;
    case Kind::kWith:
      return add_steps_of_with(*node, steps);
    case Kind::kList:
      for (std::size_t i = 0; node->children.size() > 1 && i < node->children.size(); ++i)
        if (node->children[i]->kind == Kind::kOrder) steps.push_back(without_children(*node, i));
      break;
    case Kind::kJoin:
      steps.push_back(node->children[0]);
      steps.push_back(node->children[1]);
      if (node->text.starts_with("left ")) steps.push_back(with_node_text(*node, node->text.substr(5)));
      if (node->text == "right join" || node->text == "full join") steps.push_back(with_node_text(*node, "join"));
      if (node->text == "full join") steps.push_back(with_node_text(*node, "left join"));
      if (has(*node, 2)) {
        NodePtr cross = with_node_text(*with_child(*node, 2, nullptr), "cross join");
        if (!node->text.ends_with("lateral")) steps.push_back(std::move(cross));
      }
      break;
    case Kind::kForUpdate:
      if (!node->text.empty()) steps.push_back(with_node_text(*node, ""));
      break;
    case Kind::kUpdate:
      drop(1);
      if (has(*node, 2)) steps.push_back(with_child(*with_child(*node, 2, nullptr), 3, nullptr));
      add_steps_of_assignments(*node, 0, steps);
      return add_steps_of_child(*node, 1, steps);
    case Kind::kDelete:
      drop(0);
      if (has(*node, 1)) steps.push_back(with_child(*with_child(*node, 1, nullptr), 2, nullptr));
      return add_steps_of_child(*node, 0, steps);
    case Kind::kInsertRows:
      return add_steps_of_rows(*node, steps);
    case Kind::kInsertQuery:
      return add_steps_of_insert_query(*node, steps);
    case Kind::kUpsert:
      add_steps_of_row(*node, 0, 1, steps);
      return add_steps_of_assignments(*node, 2, steps);
    case Kind::kReplace:
      return add_steps_of_row(*node, 0, 1, steps);
    case Kind::kMerge:
      return add_steps_of_merge(*node, steps);
    default:
      break;
  }
  add_steps_of_children(*node, steps);
}

void add_fingerprint(const Node& node, std::string& text) {
  text += static_cast<char>('A' + static_cast<int>(node.kind));
  text += static_cast<char>('0' + static_cast<int>(node.type));
  text += node.text;
  text += '\x1f';
  text += node.alias;
  text += '(';
  for (const NodePtr& child : node.children) {
    if (child)
      add_fingerprint(*child, text);
    else
      text += '-';
  }
  text += ')';
}

}  // namespace

std::vector<NodePtr> smaller(const NodePtr& tree) {
  Nodes steps;
  add_steps(tree, steps);
  const std::set<std::string> common = common_names(*tree);
  const std::size_t whole = size(*tree);
  struct Candidate {
    std::size_t size;
    NodePtr tree;
  };
  std::vector<Candidate> candidates;
  std::set<std::string> seen;
  for (NodePtr& step : steps) {
    const std::size_t count = size(*step);
    if (count >= whole || !sound(*step, common)) continue;
    std::string fingerprint;
    add_fingerprint(*step, fingerprint);
    if (seen.insert(std::move(fingerprint)).second) candidates.push_back({count, std::move(step)});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.size < b.size; });
  Nodes result;
  for (Candidate& candidate : candidates) result.push_back(std::move(candidate.tree));
  return result;
}

}  // namespace isolde::hunt::sql
