// audit/sql/rewrite.h: the steps from another dialect to PostgreSQL's grammar, in the order that to_postgres takes
// them.
#pragma once

#include "audit/sql/draft.h"
#include "audit/sql/to_postgres.h"

namespace isolde::audit {

// Modifiers, hints, LIMIT a,b, locks, INTO @var, GROUP BY … DESC, aliases that are strings.
void rewrite_clauses(Draft& draft);
// What to do about the word at the place.
using RewriteRule = void (*)(Draft&, std::size_t);

// Operators, casts, intervals, variables, functions with a syntax of their own.
void rewrite_expressions(Draft& draft);
// The part of it that is about the function named at i. false: none with a rule.
bool rewrite_function(Draft& draft, std::size_t i);
// FROM: DUAL, table lists in parentheses, joins with and without ON, derived tables without a name.
void rewrite_tables(Draft& draft);
// Literals that must stay: type sizes, ORDER BY 1, 'string' behind a type's name; all of them outside of queries.
void mark_constants(Draft& draft);

// Where the statement itself begins, behind WITH … and EXPLAIN ANALYZE.
[[nodiscard]] std::size_t verb_of(const Draft& draft);

// A SELECT, VALUES … in any number of parentheses.
[[nodiscard]] bool begins_query(const Draft& draft, std::size_t i);

// Each prints the whole statement from its verb on.
void print_insert(Draft& draft, std::size_t verb, Printer& out, PostgresText& facts);
void print_update(Draft& draft, std::size_t verb, Printer& out, PostgresText& facts);
void print_delete(Draft& draft, std::size_t verb, Printer& out, PostgresText& facts);
// CREATE, ALTER, DROP, RENAME of MySQL and SQLite. false: not one that has to be changed; nothing was printed.
bool print_ddl(Draft& draft, Printer& out);
// One column's definition, from its name up to `end`.
void print_column(Draft& draft, std::size_t begin, std::size_t end, Printer& out);
// The type that stands at `begin`. -> behind it
std::size_t print_type(Draft& draft, std::size_t begin, std::size_t end, Printer& out);
// PRIMARY KEY …, UNIQUE KEY …, CONSTRAINT … FOREIGN KEY … up to `end`. Is there one? Indexes and CHECK print nothing.
[[nodiscard]] bool begins_table_constraint(const Draft& draft, std::size_t begin);
[[nodiscard]] bool is_kept_constraint(const Draft& draft, std::size_t begin, std::size_t end);
void print_table_constraint(Draft& draft, std::size_t begin, std::size_t end, Printer& out);
// (a(10), b DESC) -> (a, b)
void print_key_columns(Draft& draft, std::size_t open, Printer& out);

}  // namespace isolde::audit
