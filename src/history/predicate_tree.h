// history/predicate_tree.h: an SQL expression as a tree of plain nodes, before columns are known.
//
// In, out: the text of a `where` or of an aggregate -> nodes, children before their parent, the root last.
// Always:  the evaluator can do everything that the tree can express; anything else is an error that names it and its
//          column. The depth is at most kMaxPredicateDepth, so walking the tree may recurse.
// Cost:    about 6 µs for a short text (PostgreSQL's own grammar, by libpg_query).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "history/predicate_scalar.h"

namespace isolde {

inline constexpr std::size_t kMaxPredicateText = 65536;
inline constexpr int kMaxPredicateDepth = 200;

enum class ExprKind : std::uint8_t {
  kLiteral,
  kColumn,  // a column of the row
  kKey,     // the key itself
  kValue,   // the value itself, or the column of that name if the version is a row
  kAnd,     // two or more children; kOr too
  kOr,
  kNot,
  kEqual,  // the comparisons have two children
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kDistinct,  // IS DISTINCT FROM
  kBetween,   // x, low, high
  kIn,        // x, then the list
  kIsNull,
  kIsTrue,
  kIsFalse,
  kLike,  // text, pattern
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kNegate,
  kCoalesce,
  kAbs,
  kLower,
  kUpper,
  kLength,
};

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  bool ignore_case = false;    // kLike
  char escape = '\\';          // kLike; kNoEscape for none
  std::uint32_t children = 0;  // first of its entries in ExprTree::children
  std::uint32_t child_count = 0;
  std::uint32_t offset = 0;  // of the node's place in the text
  Scalar literal = {};       // kLiteral; its text, if any, is in `name`
  std::string name = {};     // kColumn: folded as PostgreSQL folds it; a literal's text
  std::string written = {};  // kColumn: as it was written, if that differs from the folded name
};

struct ExprTree {
  std::vector<Expr> nodes;  // the last one is the root
  std::vector<std::uint32_t> children;

  [[nodiscard]] std::uint32_t root() const { return static_cast<std::uint32_t>(nodes.size() - 1); }
  [[nodiscard]] std::uint32_t child(const Expr& e, std::uint32_t i) const { return children[e.children + i]; }
};

enum class AggregateKind : std::uint8_t { kCountAll, kCount, kMin, kMax, kSum, kAvg };

struct AggregateTree {
  AggregateKind kind = AggregateKind::kCountAll;
  ExprTree argument;  // empty for count(*)
};

[[nodiscard]] Result<ExprTree> parse_predicate(std::string_view where);
[[nodiscard]] Result<AggregateTree> parse_aggregate(std::string_view expression);

}  // namespace isolde
