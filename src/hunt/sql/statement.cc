#include <algorithm>
#include <set>

#include "hunt/sql/printer.h"
#include "hunt/sql/tree.h"

namespace isolde::hunt::sql {
namespace {

void add(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

const Table* find(const Schema& schema, std::string_view name) {
  for (const Table& table : schema.tables)
    if (table.name == name) return &table;
  return nullptr;
}

// Tables that row sources anywhere in the tree name, with those behind views. A name that the schema does not know is a
// common table expression's.
void add_named(const Node& tree, const Schema& schema, std::vector<std::string>& names) {
  std::set<std::string> common;
  std::vector<const Node*> left = {&tree};
  std::vector<const Node*> tables;
  while (!left.empty()) {
    const Node* node = left.back();
    left.pop_back();
    if (node->kind == Kind::kCommon) common.insert(node->alias);
    if (node->kind == Kind::kTable) tables.push_back(node);
    for (const NodePtr& child : node->children)
      if (child) left.push_back(child.get());
  }
  std::reverse(tables.begin(), tables.end());
  for (const Node* table : tables) {
    if (common.contains(table->text)) continue;
    if (find(schema, table->text)) add(names, table->text);
    for (const View& view : schema.views)
      if (view.name == table->text)
        for (const std::string& behind : view.reads) add(names, behind);
  }
}

bool assigns(const Node& list, const std::string& column) {
  return std::any_of(list.children.begin(), list.children.end(),
                     [&](const NodePtr& assignment) { return assignment->text == column; });
}

// The parents that the server looks for when it stores a row.
void add_parents(const Node& tree, const Schema& schema, std::vector<std::string>& reads) {
  const Table* table = find(schema, tree.text);
  if (!table) return;
  for (const ForeignKey& key : table->foreign_keys)
    if (tree.kind != Kind::kUpdate || assigns(*tree.children[0], key.column)) add(reads, key.parent);
}

// The children that the server looks at, or deletes from, when rows of `writes` go.
void add_children(const Schema& schema, std::vector<std::string>& reads, std::vector<std::string>& writes) {
  for (std::size_t i = 0; i < writes.size(); ++i)
    for (const Table& table : schema.tables)
      for (const ForeignKey& key : table.foreign_keys)
        if (key.parent == writes[i]) add(key.cascades ? writes : reads, table.name);
}

StatementKind kind_of(const Node& tree) {
  switch (tree.kind) {
    case Kind::kForUpdate:
      return StatementKind::kSelectForUpdate;
    case Kind::kInsertRows:
    case Kind::kInsertQuery:
      return StatementKind::kInsert;
    case Kind::kUpsert:
    case Kind::kReplace:
      return StatementKind::kUpsert;
    case Kind::kUpdate:
      return StatementKind::kUpdate;
    case Kind::kDelete:
      return StatementKind::kDelete;
    case Kind::kMerge:
      return StatementKind::kMerge;
    default:
      return StatementKind::kSelect;
  }
}

// SELECT of the keys of the rows that `tree`, an update or a delete, is about to change.
std::string before(const Node& tree, std::string_view dialect) {
  const std::size_t at = tree.kind == Kind::kUpdate ? 1 : 0;
  const std::string& alias = tree.alias.empty() ? tree.text : tree.alias;
  const NodePtr key = make(Kind::kItem, Type::kNone, "", {make(Kind::kColumn, Type::kInteger, "pkey", {}, alias)});
  NodePtr from = make(Kind::kTable, Type::kNone, tree.text, {}, tree.alias);
  if (child(tree, at + 1))
    from = make(Kind::kJoin, Type::kNone, "join", {from, tree.children[at + 1], tree.children[at + 2]});
  const NodePtr where = at < tree.children.size() ? tree.children[at] : nullptr;
  return print(*make(Kind::kSelect, Type::kNone, "", {make(Kind::kList, Type::kNone, "", {key}), from, where}),
               dialect);
}

}  // namespace

Statement make_statement(NodePtr tree, std::int64_t version, const Schema& schema, std::string_view dialect) {
  Statement statement;
  statement.kind = kind_of(*tree);
  statement.sql = print(*tree, dialect);
  statement.version = version;
  add_named(*tree, schema, statement.reads);
  const bool writes = statement.kind != StatementKind::kSelect && statement.kind != StatementKind::kSelectForUpdate;
  if (writes) {
    statement.writes.push_back(tree->text);
    if (statement.kind == StatementKind::kDelete)
      add_children(schema, statement.reads, statement.writes);
    else
      add_parents(*tree, schema, statement.reads);
    for (const std::string& table : statement.writes) add(statement.reads, table);
  }
  if (statement.kind == StatementKind::kUpdate || statement.kind == StatementKind::kDelete)
    statement.before = before(*tree, dialect);
  statement.tree = std::move(tree);
  return statement;
}

Statement with_tree(const Statement& statement, NodePtr tree, const Schema& schema, std::string_view dialect) {
  Statement other = make_statement(std::move(tree), statement.version, schema, dialect);
  other.sent = statement.sent;
  other.undone = statement.undone;
  return other;
}

}  // namespace isolde::hunt::sql
