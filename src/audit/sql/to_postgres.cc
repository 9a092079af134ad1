#include "audit/sql/to_postgres.h"

#include "audit/sql/rewrite.h"

namespace isolde::audit {
namespace {

// SET @a = (SELECT …), @b = …  ->  SELECT (SELECT …), …
void print_set(Draft& draft, std::size_t verb, Printer& out) {
  out.text("SELECT");
  bool first = true;
  for (std::size_t i = draft.next(verb); i < draft.size();) {
    const std::size_t end = draft.find_symbol(i, draft.size(), ",");
    std::size_t value = i;
    while (value < end && !draft.is_symbol(value, "=") && !draft.is_symbol(value, ":=")) ++value;
    if (!first) out.text(",");
    first = false;
    out.range(value < end ? value + 1 : i, end);
    i = end < draft.size() ? draft.next(end) : end;
  }
}

// EXECUTE s USING @a, @b  ->  EXECUTE s(@a, @b)
void print_execute(Draft& draft, std::size_t verb, Printer& out) {
  const std::size_t with = draft.find(verb, draft.size(), "USING");
  out.range(verb, with);
  if (with >= draft.size()) return;
  out.text("(");
  out.range(with + 1, draft.size());
  out.text(")");
}

// LOAD DATA … INTO TABLE t … writes rows of t.
bool print_load(Draft& draft, std::size_t verb, Printer& out) {
  for (std::size_t i = verb; i < draft.size(); i = draft.next(i)) {
    if (!draft.is(i, "INTO") || !draft.is(draft.next(i), "TABLE")) continue;
    std::size_t end = draft.next(draft.next(i));
    const std::size_t begin = end;
    end = draft.next(end);
    while (draft.is_symbol(end, ".")) end = draft.next(draft.next(end));
    out.text("COPY");
    out.range(begin, end);
    out.text("FROM STDIN");
    return true;
  }
  return false;
}

// Behind EXPLAIN ANALYZE: what it explains is carried out.
std::size_t statement_begin(const Draft& draft, std::size_t verb) {
  std::size_t begin = draft.first();
  if (!draft.is_any(begin, "EXPLAIN", "ANALYZE")) return begin;
  while (begin < verb && !draft.is(begin, "WITH")) begin = draft.next(begin);
  return begin;
}

void print_statement(Draft& draft, Printer& out, PostgresText& facts) {
  const std::size_t verb = verb_of(draft);
  out.range(statement_begin(draft, verb), verb);
  if (draft.is_any(verb, "INSERT", "REPLACE")) {
    print_insert(draft, verb, out, facts);
  } else if (draft.is(verb, "UPDATE")) {
    print_update(draft, verb, out, facts);
  } else if (draft.is(verb, "DELETE")) {
    print_delete(draft, verb, out, facts);
  } else if (draft.is(verb, "SET")) {
    print_set(draft, verb, out);
  } else if (draft.is(verb, "EXECUTE")) {
    print_execute(draft, verb, out);
  } else if (draft.is(verb, "DO")) {
    out.text("SELECT");
    out.range(verb + 1, draft.size());
  } else if (!draft.is(verb, "LOAD") || !print_load(draft, verb, out)) {
    out.range(verb, draft.size());
  }
}

PostgresText convert(const std::vector<Token>& tokens, SqlDialect dialect, bool literals_as_parameters) {
  PostgresText result;
  Draft draft(tokens, dialect);
  Printer out(draft, literals_as_parameters);
  if (dialect == SqlDialect::kPostgres) {
    mark_constants(draft);
    const bool explains = draft.is(draft.first(), "EXPLAIN") && !touches_no_data(tokens, dialect);
    out.range(explains ? statement_begin(draft, verb_of(draft)) : draft.first(), draft.size());
  } else if (!print_ddl(draft, out)) {
    rewrite_clauses(draft);
    rewrite_expressions(draft);
    rewrite_tables(draft);
    mark_constants(draft);
    print_statement(draft, out, result);
  }
  result.sql = out.take();
  return result;
}

}  // namespace

PostgresText to_postgres(const std::vector<Token>& tokens, SqlDialect dialect) {
  return convert(tokens, dialect, true);
}

PostgresText to_postgres_with_literals(const std::vector<Token>& tokens, SqlDialect dialect) {
  return convert(tokens, dialect, false);
}

}  // namespace isolde::audit
