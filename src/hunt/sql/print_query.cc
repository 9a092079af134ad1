#include <fmt/format.h>

#include "hunt/case/dialects.h"
#include "hunt/sql/printer.h"

namespace isolde::hunt::sql {

std::string print(const Node& tree, std::string_view dialect) {
  std::string text = Printer(grammar_of(dialect)).print(tree);
  return rules_of(dialect).collation.empty() ? text : translated(std::move(text), kWrittenCollation, dialect);
}

std::string Printer::print(const Node& node) {
  switch (node.kind) {
    case Kind::kSelect:
    case Kind::kSetOf:
    case Kind::kWith:
      return query(node, Items::kAnswer);
    case Kind::kCommon:
      return fmt::format("{} as ({})", node.alias, query(*node.children[0], Items::kColumns));
    case Kind::kList:
      return list(node, "");
    case Kind::kItem:
      return node.alias.empty() ? expression(*node.children[0]).text
                                : fmt::format("{} as {}", expression(*node.children[0]).text, node.alias);
    case Kind::kOrder:
      return order(node);
    case Kind::kTable:
    case Kind::kDerived:
    case Kind::kJoin:
      return source(node);
    case Kind::kForUpdate:
    case Kind::kUpdate:
    case Kind::kDelete:
    case Kind::kInsertRows:
    case Kind::kInsertQuery:
    case Kind::kUpsert:
    case Kind::kReplace:
    case Kind::kMerge:
    case Kind::kAssignment:
      return statement(node);
    default:
      return expression(node).text;
  }
}

std::string Printer::query(const Node& node, Items items) {
  if (node.kind == Kind::kSetOf) return set_of(node, items);
  if (node.kind != Kind::kWith) return select(node, items);
  std::string text = node.text == "recursive" ? "with recursive " : "with ";
  for (std::size_t i = 1; i < node.children.size(); ++i) text += (i == 1 ? "" : ", ") + print(*node.children[i]);
  return text + " " + query(*node.children[0], items);
}

std::string Printer::select(const Node& node, Items items_for) {
  const auto child = [&](std::size_t i) { return i < node.children.size() ? node.children[i].get() : nullptr; };
  std::string text = node.alias.empty() ? "select " : fmt::format("select /*+ {} */ ", node.alias);
  if (node.text == "distinct") text += "distinct ";
  text += items(*child(0), items_for);
  if (child(1)) text += " from " + source(*child(1));
  if (child(2)) text += " where " + expression(*child(2)).text;
  if (child(3)) text += list(*child(3), " group by ");
  if (child(4)) text += " having " + expression(*child(4)).text;
  if (child(5)) text += list(*child(5), " order by ");
  if (child(6)) text += " limit " + child(6)->text;
  return text;
}

std::string Printer::items(const Node& node, Items what) {
  std::string text;
  for (const NodePtr& item : node.children) {
    const Node& value = *item->children[0];
    Expression x = expression(value);
    if (what == Items::kScalar) x = two_decimals(std::move(x));
    if (what == Items::kColumns || what == Items::kStored) x = bounded(std::move(x));
    if (what == Items::kColumns || what == Items::kScalar) x = typed(wide(std::move(x)), value);
    text += (text.empty() ? "" : ", ") + x.text;
    if (!item->alias.empty() && !(value.kind == Kind::kColumn && value.text == item->alias))
      text += " as " + item->alias;
  }
  return text;
}

std::string Printer::set_of(const Node& node, Items items) {
  // Its branches have columns in common, so these have to agree in type.
  const Items inner = items == Items::kAnswer ? Items::kColumns : items;
  std::string left = branch(*node.children[0], node.text, true, inner);
  return fmt::format("{} {} {}", left, node.text, branch(*node.children[1], node.text, false, inner));
}

std::string Printer::branch(const Node& node, std::string_view outer, bool left, Items items) {
  // SQLite has no brackets around branches, and the dialects disagree about which of two operators goes first.
  const auto has = [&](std::size_t i) { return i < node.children.size() && node.children[i]; };
  const bool ordered = node.kind == Kind::kSelect && (has(5) || has(6));
  const bool same_chain = node.kind == Kind::kSetOf && left && node.text == outer;
  if ((node.kind == Kind::kSelect && !ordered) || same_chain) return query(node, items);
  const std::string inner = query(node, items);
  return fmt::format("select * from ({}) as wrapped{}", inner, ++wrapped_);
}

std::string Printer::source(const Node& node) {
  if (node.kind == Kind::kTable)
    return node.alias.empty() || node.alias == node.text ? node.text : fmt::format("{} as {}", node.text, node.alias);
  if (node.kind == Kind::kDerived)
    return fmt::format("({}) as {}", query(*node.children[0], Items::kColumns), node.alias);
  std::string left = source(*node.children[0]);
  std::string right = source(*node.children[1]);
  if (node.children[1]->kind == Kind::kJoin) right = "(" + right + ")";
  std::string text = fmt::format("{} {} {}", left, node.text, right);
  if (node.children.size() > 2 && node.children[2]) text += " on " + expression(*node.children[2]).text;
  return text;
}

std::string Printer::list(const Node& node, std::string_view before) {
  std::string text;
  for (const NodePtr& element : node.children) text += (text.empty() ? "" : ", ") + print(*element);
  return text.empty() ? text : std::string(before) + text;
}

std::string Printer::order(const Node& node) {
  const bool down = node.text == "desc";
  std::string text = expression(*node.children[0]).text + (down ? " desc" : "");
  // The others take NULL for the smallest value of all.
  if (grammar_.writes_nulls_place) text += down ? " nulls last" : " nulls first";
  return text;
}

}  // namespace isolde::hunt::sql
