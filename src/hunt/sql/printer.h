// hunt/sql/printer.h: writes a tree in one dialect; what print() is made of.
//
// Every expression is written together with what is known of its values: how large they can get, how many decimals they
// have. From that follows where a modulo, a cut or a cast has to go, so that nothing overflows whatever the rows are.
//
// Always: a decimal has a number of decimals that does not depend on the row: 2.0 and 2.00 are equal, and DISTINCT
//         would keep either. Depth of recursion: that of the tree, which our generator bounds.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hunt/sql/spelling.h"
#include "hunt/sql/tree.h"

namespace isolde::hunt::sql {

// A written expression, and what holds for all its values.
struct Expression : Written {
  Type type = Type::kNone;
  double most = 0;      // numbers: their magnitude; texts: their length
  int decimals = 2;     // of a decimal
  bool narrow = false;  // PostgreSQL's integer of four bytes
};

[[nodiscard]] inline Expression with_text(Expression x, std::string text, bool whole) {
  x.text = std::move(text);
  x.whole = whole;
  return x;
}
// Of any value that a column of this type may have.
[[nodiscard]] Expression of_type(Type type);

class Printer {
 public:
  explicit Printer(const db::Grammar& grammar) : grammar_(grammar) {}
  // Any node: a statement, a query, a row source, an expression.
  [[nodiscard]] std::string print(const Node& node);

 private:
  // What a query's items are for.
  enum class Items {
    kAnswer,   // the client
    kStored,   // columns of a table
    kColumns,  // columns of a row source, whose types and bounds the outer query relies on
    kScalar,   // one value, which has bounds of its own
  };

  // print_expression.cc
  Expression expression(const Node& node);
  Expression literal(const Node& node);
  Expression column(const Node& node);
  Expression unary(const Node& node);
  Expression binary(const Node& node);
  Expression arithmetic(char op, Expression left, Expression right);
  Expression call(const Node& node);
  Expression choice(const Node& node, std::string_view name);  // coalesce, nullif, greatest, least
  Expression substring(const Node& node);
  Expression add_days(const Node& node);
  Expression scalar(const Node& node);
  Expression case_of(const Node& node);
  Expression predicate(const Node& node);  // between, in, like, is null, exists
  Expression cast(const Node& node);
  Expression row(const Node& node);
  // Spelled for this dialect.
  [[nodiscard]] Expression spelled(Expression x, const Spelling& spelling,
                                   const std::vector<Expression>& operands) const;
  // The operands of one type: integers among decimals become decimals.
  std::vector<Expression> alike(const std::vector<const Node*>& nodes);

  // print_aggregate.cc
  Expression aggregate(const Node& node);
  Expression window(const Node& node);
  Expression summed(Expression x, std::string_view name, std::string text) const;

  // print_bounds.cc
  [[nodiscard]] Expression bounded(Expression x) const;  // as columns hold it
  [[nodiscard]] Expression modulo(Expression x) const;   // small, for a product
  [[nodiscard]] Expression two_decimals(Expression x) const;
  [[nodiscard]] Expression wide(Expression x) const;  // bigint
  [[nodiscard]] Expression to_decimal(Expression x) const;
  [[nodiscard]] Expression small_integer(Expression x, int modulus) const;
  [[nodiscard]] Expression typed(Expression x, const Node& node) const;  // of a type that PostgreSQL can see

  // print_query.cc
  std::string query(const Node& node, Items items);
  std::string select(const Node& node, Items items);
  std::string set_of(const Node& node, Items items);
  std::string branch(const Node& node, std::string_view outer, bool left, Items items);
  std::string source(const Node& node);
  std::string list(const Node& node, std::string_view before);  // of expressions, orders; empty if it has no elements
  std::string items(const Node& node, Items what);
  std::string order(const Node& node);

  // print_statement.cc
  std::string statement(const Node& node);
  std::string for_update(const Node& node);
  std::string update(const Node& node);
  std::string remove(const Node& node);
  std::string joined_where(const Node* on, const Node* where);
  std::string insert(const Node& node);
  std::string upsert(const Node& node);
  std::string merge(const Node& node);
  std::string columns(const Node& list);
  std::string stored_row(const Node& row);
  std::string assignments(const Node& list);

  const db::Grammar& grammar_;
  std::map<std::string, std::string> renamed_;  // aliases that the dialect has no place for, and what stands for them
  int wrapped_ = 0;                             // queries that got a name of ours
};

}  // namespace isolde::hunt::sql
