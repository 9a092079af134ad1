#include <fmt/format.h>

#include "hunt/sql/printer.h"

namespace isolde::hunt::sql {
namespace {

std::string with_alias(const Node& node) {
  return node.alias.empty() || node.alias == node.text ? node.text : fmt::format("{} as {}", node.text, node.alias);
}

// The first row source that every row of `source` has a row of; empty: all are there.
std::string never_missing(const Node& source, bool inside) {
  if (source.kind != Kind::kJoin) return inside ? (source.alias.empty() ? source.text : source.alias) : "";
  const bool outer = source.text.starts_with("left");
  return never_missing(*source.children[0], inside || outer);
}

}  // namespace

std::string Printer::statement(const Node& node) {
  switch (node.kind) {
    case Kind::kForUpdate:
      return for_update(node);
    case Kind::kUpdate:
      return update(node);
    case Kind::kDelete:
      return remove(node);
    case Kind::kUpsert:
      return upsert(node);
    case Kind::kReplace:
      return fmt::format("replace into {} ({}) values {}", node.text, columns(*node.children[0]),
                         stored_row(*node.children[1]));
    case Kind::kMerge:
      return merge(node);
    case Kind::kAssignment:
      return fmt::format("{} = {}", node.text, bounded(expression(*node.children[0])).text);
    default:
      return insert(node);
  }
}

std::string Printer::for_update(const Node& node) {
  const Node& select = *node.children[0];
  std::string text = query(select, Items::kAnswer);
  if (grammar_.locks == db::LockClause::kNone) return text;
  if (grammar_.locks == db::LockClause::kForUpdateOrShareMode)
    return text + (node.text == "share" ? " lock in share mode" : " for update");
  text += " for " + (node.text.empty() ? "update" : node.text);
  const Node* from = select.kind == Kind::kSelect ? child(select, 1) : nullptr;
  // PostgreSQL locks no row that an outer join may have made up.
  if (from)
    if (const std::string of = never_missing(*from, false); !of.empty()) text += " of " + of;
  return text;
}

std::string Printer::assignments(const Node& list) {
  std::string text;
  for (const NodePtr& assignment : list.children) text += (text.empty() ? "" : ", ") + statement(*assignment);
  return text;
}

// " where …" of a statement with a second table, `on` included.
std::string Printer::joined_where(const Node* on, const Node* where) {
  std::string text = " where " + in_brackets(expression(*on));
  return where == nullptr ? text : text + " and " + in_brackets(expression(*where));
}

std::string Printer::update(const Node& node) {
  const Node* const where = child(node, 1);
  if (child(node, 2) && grammar_.second == db::SecondSource::kJoin) {
    std::string set;
    for (const NodePtr& assignment : node.children[0]->children)
      set += fmt::format("{}{}.{}", set.empty() ? "" : ", ", node.alias, statement(*assignment));
    std::string text = fmt::format("update {} join {} on {} set {}", with_alias(node), source(*node.children[2]),
                                   expression(*node.children[3]).text, set);
    return where ? text + " where " + expression(*where).text : text;
  }
  std::string text = fmt::format("update {} set {}", with_alias(node), assignments(*node.children[0]));
  if (child(node, 2)) return text + " from " + source(*node.children[2]) + joined_where(child(node, 3), where);
  if (where) text += " where " + expression(*where).text;
  return text;
}

std::string Printer::remove(const Node& node) {
  if (child(node, 1)) {
    const Node* const where = child(node, 0);
    if (grammar_.second != db::SecondSource::kJoin)
      return fmt::format("delete from {} using {}{}", with_alias(node), source(*node.children[1]),
                         joined_where(child(node, 2), where));
    std::string text = fmt::format("delete {} from {} join {} on {}", node.alias, with_alias(node),
                                   source(*node.children[1]), expression(*node.children[2]).text);
    return where ? text + " where " + expression(*where).text : text;
  }
  // MariaDB's DELETE of one table knows no alias.
  const bool bare = grammar_.second == db::SecondSource::kJoin && !node.alias.empty();
  if (bare) renamed_[node.alias] = node.text;
  std::string text = "delete from " + (bare ? node.text : with_alias(node));
  if (child(node, 0)) text += " where " + expression(*node.children[0]).text;
  if (bare) renamed_.erase(node.alias);
  return text;
}

std::string Printer::columns(const Node& list) {
  std::string text;
  for (const NodePtr& column : list.children) text += (text.empty() ? "" : ", ") + column->text;
  return text;
}

std::string Printer::stored_row(const Node& row) {
  std::string text;
  for (const NodePtr& cell : row.children) text += (text.empty() ? "" : ", ") + bounded(expression(*cell)).text;
  return "(" + text + ")";
}

std::string Printer::insert(const Node& node) {
  std::string text = fmt::format("insert into {} ({}) ", node.text, columns(*node.children[0]));
  if (node.kind == Kind::kInsertQuery) return text + query(*node.children[1], Items::kStored);
  text += "values ";
  for (std::size_t i = 0; i < node.children[1]->children.size(); ++i)
    text += (i == 0 ? "" : ", ") + stored_row(*node.children[1]->children[i]);
  return text;
}

std::string Printer::upsert(const Node& node) {
  std::string text = fmt::format("insert into {} ({}) values {}", node.text, columns(*node.children[0]),
                                 stored_row(*node.children[1]));
  text += grammar_.upsert == db::UpsertClause::kOnDuplicateKey ? " on duplicate key update "
                                                               : " on conflict (pkey) do update set ";
  return text + assignments(*node.children[2]);
}

std::string Printer::merge(const Node& node) {
  std::string text = fmt::format("merge into {} using {} on {}", with_alias(node), source(*node.children[0]),
                                 expression(*node.children[1]).text);
  if (child(node, 2)) text += " when matched then update set " + assignments(*node.children[2]);
  if (child(node, 3))
    text += fmt::format(" when not matched then insert ({}) values {}",
                        child(node, 4) ? columns(*node.children[4]) : std::string(), stored_row(*node.children[3]));
  return text;
}

}  // namespace isolde::hunt::sql
