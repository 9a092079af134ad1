// tests/support/sql_trees.h: short names for building trees of SQL, a schema, and statements with every kind of node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hunt/sql/tree.h"

namespace isolde::hunt::sql::trees {

// Expressions. column("t.a"): its type comes from the last letter's: a, pkey, vkey, n integer; d decimal; s text;
// b boolean; e date.
NodePtr column(std::string_view name);
NodePtr integer(int value);
NodePtr decimal(std::string_view text);
NodePtr text(std::string_view value);  // without quotes
NodePtr boolean(bool value);
NodePtr date(std::string_view day);
NodePtr null_of(Type type);
NodePtr binary(NodePtr left, std::string_view op, NodePtr right);
NodePtr call(Type type, std::string_view name, std::vector<NodePtr> arguments);
NodePtr aggregate(std::string_view name, NodePtr x);
NodePtr window(Type type, std::string_view name, std::vector<NodePtr> arguments, std::vector<NodePtr> partitions,
               std::vector<NodePtr> orders, std::string_view frame = {});
// Clauses.
NodePtr list(std::vector<NodePtr> elements);
NodePtr item(NodePtr x, std::string_view name = {});
NodePtr order(NodePtr x, std::string_view how = "asc");
NodePtr table(std::string_view name, std::string_view alias);
NodePtr join(std::string_view how, NodePtr left, NodePtr right, NodePtr on = nullptr);
struct Select {
  std::vector<NodePtr> items;
  NodePtr from = nullptr, where = nullptr;
  std::vector<NodePtr> groups = {};
  NodePtr having = nullptr;
  std::vector<NodePtr> orders = {};
  int limit = 0;
  bool distinct = false;
};
NodePtr select(Select parts);
NodePtr set_of(std::string_view how, NodePtr left, NodePtr right);
NodePtr with(std::string_view how, NodePtr query, std::vector<NodePtr> commons);
NodePtr common(std::string_view name, NodePtr query);
NodePtr derived(std::string_view alias, NodePtr query);
NodePtr assignment(std::string_view column, NodePtr x);
NodePtr row(std::vector<NodePtr> cells);
NodePtr columns(std::vector<std::string_view> names);
NodePtr update(std::string_view table, std::string_view alias, std::vector<NodePtr> assignments, NodePtr where);
NodePtr delete_from(std::string_view table, std::string_view alias, NodePtr where);

// Tables t (pkey, vkey, a, d, s, b, e) and u (pkey, vkey, n, s, t_pkey -> t), the view v (pkey, a, s) of t.
Schema schema(std::string_view dialect);
// Each kind of node at least once, in what the dialect has. Versions count from 1001.
std::vector<NodePtr> statements(std::string_view dialect);

}  // namespace isolde::hunt::sql::trees
