// hunt/sql/tree.h: a statement as a tree of clauses and typed expressions: printed for a dialect, and made smaller.
//
// One kind of node for everything, so that what walks trees (printing, shrinking, finding tables) is written once.
// Trees are never changed: a smaller one shares what it keeps with the one before.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db/grammar.h"
#include "hunt/case/case.h"

namespace isolde::hunt::sql {

using Type = db::ValueType;

// In brackets: the children. A child with a question mark may be null: the clause is left out.
enum class Kind : std::uint8_t {
  // Expressions.
  kLiteral,    // text: 12, 1.25, 'abc', true, '2024-01-05', null; each dialect has its own way of writing the type
  kColumn,     // alias: of the row source, text: the column
  kUnary,      // text: "not", "-" [x]
  kBinary,     // text: the operator [left, right]
  kCall,       // text: a function of db/grammar.h, coalesce, nullif, greatest or least [arguments…]
  kCase,       // [when, then, when, then …, else]
  kBetween,    // text: "" or "not" [x, low, high]
  kIn,         // text: "" or "not" [x, items…]; rows on both sides too
  kInQuery,    // text: "" or "not" [x, query]
  kLike,       // text: "" or "not" [x, pattern]
  kIsNull,     // text: "" or "not" [x]
  kExists,     // text: "" or "not" [query]
  kScalar,     // [query of one row and column]
  kAggregate,  // text: "count", "sum", "min", "max", "avg" (a decimal), "count distinct" [x?]; null: of *
  kWindow,     // text: the function [list of arguments, list of partitions?, list of orders?, literal: its frame?]
  kCast,       // type: to what [x]
  // Queries.
  // alias: hints for the optimizer, mostly none.
  kSelect,  // text: "" or "distinct" [list of items, from?, where?, list of groups?, having?, list of orders?, limit?]
  kSetOf,   // text: "union", "union all", "except", "intersect" [query, query]
  kWith,    // text: "" or "recursive" [query, common table expressions…]
  kCommon,  // alias: its name [query]
  kList,    // [elements…]
  kItem,    // alias: its name [x]
  kOrder,   // text: "asc", "desc" [x]
  // Row sources.
  kTable,    // text: table, view or common table expression, alias
  kDerived,  // alias [query]
  // text: "join", "left join", "right join", "full join", "cross join", "natural join"; PostgreSQL: "join lateral" …
  kJoin,  // [left, right, on?]
  // Statements.
  kForUpdate,  // text: "", "share"; PostgreSQL: "key share", "no key update" [select]
  // A second table, if there is one, has at most one row for each of the first: `on` says which, by its primary key,
  // and
  // no step of reduction touches that.
  kUpdate,       // text: table, alias [list of assignments, where?, row source?, on?]
  kDelete,       // text: table, alias [where?, row source?, on?]
  kInsertRows,   // text: table [list of columns, list of rows]
  kInsertQuery,  // text: table [list of columns, query]
  kUpsert,       // text: table [list of columns, row, list of assignments]; aliases: the table's name, "excluded"
  kReplace,      // text: table [list of columns, row]; MariaDB, SQLite
  kMerge,        // text: table, alias [row source, on, list of assignments?, row? (when not matched), list of columns?]
  kAssignment,   // text: column [x]
  kRow,          // [x…]
};

struct Node {
  Kind kind = Kind::kLiteral;
  Type type = Type::kNone;  // of expressions
  std::string text, alias;
  std::vector<NodePtr> children;
};

[[nodiscard]] NodePtr make(Kind kind, Type type, std::string text, std::vector<NodePtr> children = {},
                           std::string alias = {});

// In the dialect's own words, so that it fails on no value: a divisor of zero gives NULL; what could grow beyond what
// columns hold (|integer| <= 1e9, |decimal| <= 1e6, 60 characters; literals a thousandth of it) is taken modulo, or
// cut.
[[nodiscard]] std::string print(const Node& tree, std::string_view dialect);

// What CREATE TABLE has to say so that this holds: a column's type, and what follows the list of columns.
[[nodiscard]] std::string_view column_type(Type type, std::string_view dialect);
[[nodiscard]] std::string_view column_type(Type type, const db::Grammar& grammar);
[[nodiscard]] std::string table_options(std::string_view dialect);

// Trees that are one step smaller, the largest steps first: a clause left out, an element of a list left out, an
// expression replaced by one of its parts of the same type or by a literal, a join by one side, a query by one branch,
// a derived table by what it reads. Each is still a statement of the same kind that sets vkey and pkey as before. Some
// may not run: the caller tries.
[[nodiscard]] std::vector<NodePtr> smaller(const NodePtr& tree);

// nullptr: it is null, or there are fewer.
[[nodiscard]] inline const Node* child(const Node& node, std::size_t i) {
  return i < node.children.size() ? node.children[i].get() : nullptr;
}
[[nodiscard]] inline bool is_query(const Node& node) {
  return node.kind == Kind::kSelect || node.kind == Kind::kSetOf || node.kind == Kind::kWith;
}

// What falls with every step of smaller(): two for each node, one more for a word that makes it do more (distinct, not,
// left join), for a column, and for a literal that is not the simplest of its type.
[[nodiscard]] std::size_t size(const Node& tree);
[[nodiscard]] std::string_view simplest_literal(Type type);

// The statement of a tree: its text, the tables that it reads and writes (`schema` knows views and foreign keys), the
// read before. `version` as in hunt/case/case.h.
[[nodiscard]] Statement make_statement(NodePtr tree, std::int64_t version, const Schema& schema,
                                       std::string_view dialect);
// The same statement with another tree: its version and how it is sent stay.
[[nodiscard]] Statement with_tree(const Statement& statement, NodePtr tree, const Schema& schema,
                                  std::string_view dialect);

}  // namespace isolde::hunt::sql
