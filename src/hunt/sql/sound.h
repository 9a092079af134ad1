// hunt/sql/sound.h: whether a tree still is a statement whose answer depends on nothing but rows.
//
// Servers differ in what they let pass: a column that is not grouped, a scalar subquery of several rows. Where one
// answers instead of refusing, it answers with whichever row came first, and a comparison would blame it for that.
//
// Always: true only if every column belongs to a row source in scope that has it, grouped queries show groups and
//         aggregates only, branches and lists agree in width, and scalar subqueries give at most one row as before.
#pragma once

#include <set>
#include <string>

#include "hunt/sql/tree.h"

namespace isolde::hunt::sql {

// Names that a WITH of the tree gives; `sound` needs those of the tree before it was made smaller.
[[nodiscard]] std::set<std::string> common_names(const Node& tree);
[[nodiscard]] bool sound(const Node& tree, const std::set<std::string>& common);

// The same kinds, words and children.
[[nodiscard]] bool equal(const Node& a, const Node& b);
// An aggregate of this query's own, not of one inside of it.
[[nodiscard]] bool has_aggregate(const Node& expression);
// A select without groups of which each answer is one row: its items have aggregates.
[[nodiscard]] bool is_one_row(const Node& query);
// Whether its limit, and the windows among its items, say which rows come first in so many words: by pkey of every row
// source, by every group, or (a limit) by every item, so that rows of equal rank are the same. It stays true whatever
// joins and predicates become.
[[nodiscard]] bool is_ordered_by_keys(const Node& select);
[[nodiscard]] bool depends_on_order(const Node& select);

}  // namespace isolde::hunt::sql
