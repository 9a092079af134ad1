// hunt/generate/query.h: draws queries: joins, derived tables, groups, windows, set operations, common table
// expressions.
//
// Always: a query is a function of the rows: LIMIT comes with an order by every item, functions that number rows with
//         an order that ends in the keys. Functions that return a pointer return null where no row source may be named
//         any more.
#pragma once

#include <cstdint>
#include <vector>

#include "hunt/generate/draw.h"

namespace isolde::hunt::generate {

// A query, and what its rows are like.
struct Query {
  sql::NodePtr node;
  std::vector<Column> columns;
};

// For a SELECT statement: with the keys of its sources where it can have them.
[[nodiscard]] Query draw_query(Draw& draw, std::uint32_t depth);
// The rows of one table by key or by a simple predicate: pkey, vkey and some columns.
[[nodiscard]] Query draw_lookup(Draw& draw, const Relation& table);
// That may be locked: rows of one table, or of two joined.
[[nodiscard]] Query draw_lockable(Draw& draw, const Relation& table, std::uint32_t depth);

// Subqueries of expressions. `scope`: what they may refer to.
[[nodiscard]] sql::NodePtr draw_exists_query(Draw& draw, std::uint32_t depth, const Scope& scope);
[[nodiscard]] sql::NodePtr draw_row_query(Draw& draw, const std::vector<sql::Type>& types, std::uint32_t depth,
                                          const Scope& scope);
[[nodiscard]] sql::NodePtr draw_scalar_query(Draw& draw, sql::Type type, std::uint32_t depth, const Scope& scope);

// A table as a row source, under a new alias that is put into `scope`.
[[nodiscard]] sql::NodePtr take_table(Draw& draw, const Relation& table, Scope& scope);
// SELECT of its clauses; those that are null are left out.
struct Clauses {
  std::vector<sql::NodePtr> items;
  sql::NodePtr from, where, groups, having, orders, limit;
  bool distinct = false;
};
[[nodiscard]] sql::NodePtr select_of(Clauses clauses);

}  // namespace isolde::hunt::generate
