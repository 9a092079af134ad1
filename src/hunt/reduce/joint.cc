// Steps that change two things at once, because the failure needs one of them as long as the other is there: a second
// table that could be the first, conditions that choose among rows of which one would do.
#include <algorithm>

#include "hunt/case/dialects.h"
#include "hunt/finding/schema_text.h"
#include "hunt/reduce/session.h"
#include "hunt/sql/tree.h"

namespace isolde::hunt {
namespace {

using sql::Kind;
using sql::Node;
using sql::NodePtr;

bool names_a_table(Kind kind) {
  switch (kind) {
    case Kind::kTable:
    case Kind::kUpdate:
    case Kind::kDelete:
    case Kind::kInsertRows:
    case Kind::kInsertQuery:
    case Kind::kUpsert:
    case Kind::kReplace:
    case Kind::kMerge:
      return true;
    default:
      return false;
  }
}

// The tree with the table `to` wherever it has `from`. As deep as the tree, which the generator bounds.
NodePtr renamed(const NodePtr& tree, std::string_view from, std::string_view to) {
  if (!tree) return tree;
  auto copy = std::make_shared<Node>(*tree);
  if (names_a_table(copy->kind) && copy->text == from) copy->text = to;
  if (copy->alias == from) copy->alias = to;  // the row that is there, in an upsert
  for (NodePtr& child : copy->children) child = renamed(child, from, to);
  return copy;
}

// The statement on all rows; null: it is already, or has no condition of its own.
NodePtr without_condition(const Node& tree) {
  auto copy = std::make_shared<Node>(tree);
  std::size_t where = 0;
  switch (tree.kind) {
    case Kind::kDelete:
      break;
    case Kind::kUpdate:
    case Kind::kMerge:
      where = 1;
      break;
    default:
      return nullptr;
  }
  if (where >= tree.children.size() || !tree.children[where]) return nullptr;
  const bool is_on = tree.kind == Kind::kMerge;
  if (is_on && tree.children[where]->kind == Kind::kLiteral) return nullptr;
  copy->children[where] = is_on ? sql::make(Kind::kLiteral, sql::Type::kBoolean, "true") : nullptr;
  return copy;
}

Statement& statement_at(Finding& finding, Place place) {
  return finding.test.transactions[place.transaction].statements[place.statement];
}
void set_tree(Finding& finding, Place place, NodePtr tree) {
  Statement& statement = statement_at(finding, place);
  statement = sql::with_tree(statement, std::move(tree), finding.test.schema, finding.dialect);
}

std::vector<Place> places_with_trees(const Case& test) {
  std::vector<Place> places;
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t)
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s)
      if (test.transactions[t].statements[s].tree) places.push_back({t, s});
  return places;
}

bool reads_table(const Node& tree, std::string_view table) {
  if (tree.kind == Kind::kTable && tree.text == table) return true;
  return std::any_of(tree.children.begin(), tree.children.end(),
                     [&](const NodePtr& child) { return child && reads_table(*child, table); });
}
// A statement that changes a table and looks at others of its rows while it does: what comes of it hangs on the order
// of the rows, except on PostgreSQL.
bool reads_its_target(const Node& tree) {
  return names_a_table(tree.kind) && tree.kind != Kind::kTable && reads_table(tree, tree.text);
}

// In all statements, or in those that name both.
bool attempt_renaming(Reduction& reduction, const std::string& from, const std::string& to, bool everywhere) {
  Finding candidate = reduction.best();
  bool any = false, named = false;
  for (const Place place : places_with_trees(candidate.test)) {
    const Statement& statement = at(candidate.test, place);
    named = named || has_word(statement.sql, to);
    if (!has_word(statement.sql, from) || (!everywhere && !has_word(statement.sql, to))) continue;
    NodePtr tree = renamed(statement.tree, from, to);
    if (!grammar_of(candidate.dialect).set_sees_start && reads_its_target(*tree) && !reads_its_target(*statement.tree))
      return false;
    set_tree(candidate, place, std::move(tree));
    any = true;
  }
  return any && named && reduction.attempt(candidate);
}

}  // namespace

bool unite_tables(Reduction& reduction) {
  std::vector<std::string> names;
  for (const Table& table : reduction.best().test.schema.tables) names.push_back(table.name);
  // Unique keys are checked row by row, in whatever order rows lie: what the generator avoids for a table that has one
  // must not come in by another table's statements.
  const auto has_unique_key = [&](const std::string& name) {
    const std::vector<std::string>& more = reduction.best().test.schema.more;
    return std::any_of(more.begin(), more.end(),
                       [&](const std::string& sql) { return has_word(sql, "unique") && has_word(sql, name); });
  };
  bool any = false;
  for (const std::string& from : names) {
    for (const std::string& to : names) {
      if (from == to || has_unique_key(to) || reduction.over()) continue;
      any = attempt_renaming(reduction, from, to, true) || attempt_renaming(reduction, from, to, false) || any;
    }
  }
  return any;
}

bool keep_one_row(Reduction& reduction) {
  constexpr std::size_t kMostRows = 6;
  bool any = false;
  for (std::size_t t = 0; t < reduction.best().test.schema.tables.size(); ++t) {
    const std::size_t rows = reduction.best().test.schema.tables[t].rows.size();
    if (rows < 2 || rows > kMostRows) continue;
    bool done = false;
    for (std::size_t row = 0; row < rows && !done && !reduction.over(); ++row) {
      Finding one = reduction.best();
      Table& table = one.test.schema.tables[t];
      table.rows = {table.rows[row]};
      // All conditions at once, then each by itself.
      Finding all = one;
      std::vector<Finding> candidates;
      for (const Place place : places_with_trees(one.test)) {
        NodePtr tree = without_condition(*at(one.test, place).tree);
        if (!tree) continue;
        set_tree(all, place, tree);
        set_tree(candidates.emplace_back(one), place, std::move(tree));
      }
      if (candidates.empty()) break;
      candidates.push_back(std::move(all));
      done = std::any_of(candidates.rbegin(), candidates.rend(),
                         [&](const Finding& candidate) { return reduction.attempt(candidate); });
    }
    any = any || done;
  }
  return any;
}

}  // namespace isolde::hunt
