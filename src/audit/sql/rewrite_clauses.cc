#include "audit/sql/postgres_words.h"
#include "audit/sql/rewrite.h"

namespace isolde::audit {
namespace {

void drop_modifiers(Draft& draft, std::size_t verb) {
  for (std::size_t i = draft.next(verb); i < draft.size(); i = draft.next(i)) {
    if (draft.is_any(i, "SQL_CALC_FOUND_ROWS", "SQL_NO_CACHE", "SQL_CACHE", "SQL_SMALL_RESULT", "SQL_BIG_RESULT",
                     "SQL_BUFFER_RESULT", "HIGH_PRIORITY", "STRAIGHT_JOIN")) {
      draft.drop(i);
    } else if (draft.is(i, "DISTINCTROW")) {
      draft.replace(i, "DISTINCT");
    } else if (!draft.is_any(i, "DISTINCT", "ALL")) {
      return;
    }
  }
}

// USE INDEX FOR JOIN (a, b)
void drop_index_hint(Draft& draft, std::size_t i) {
  const std::size_t what = draft.next(i);
  if (!draft.is_any(what, "INDEX", "KEY")) return;
  std::size_t list = draft.next(what);
  while (draft.is_any(list, "FOR", "JOIN", "ORDER", "GROUP", "BY")) list = draft.next(list);
  if (!draft.is_symbol(list, "(")) return;
  draft.drop(i, draft.close(list) + 1);
}

void rewrite_limit(Draft& draft, std::size_t i) {
  const std::size_t first = draft.next(i);
  if (draft.is(first, "ROWS")) {  // MariaDB: LIMIT ROWS EXAMINED n
    draft.drop(i, draft.next(draft.next(first)) + 1);
    return;
  }
  const std::size_t between = draft.next(first);
  const std::size_t second = draft.next(between);
  if (draft.is(between, "OFFSET")) draft.replace(between, "OFFSET");
  if (!draft.is_symbol(between, ",") || second >= draft.size()) return;
  if (draft[first].kind == TokenKind::kSymbol || draft[second].kind == TokenKind::kSymbol) return;
  draft.replace(between, "OFFSET");
  std::swap(draft[first], draft[second]);
}

// INTO @a, @b; INTO OUTFILE 'x' FIELDS …
void drop_into(Draft& draft, std::size_t i) {
  std::size_t end = draft.next(i);
  if (end < draft.size() && draft[end].kind == TokenKind::kParameter) {
    while (end < draft.size() && (draft[end].kind == TokenKind::kParameter || draft.is_symbol(end, ","))) ++end;
  } else if (draft.is_any(end, "OUTFILE", "DUMPFILE")) {
    while (end < draft.size() && !draft.is_symbol(end, ")") && !draft.is_any(end, "FROM", "FOR", "LOCK")) ++end;
  } else {
    return;
  }
  draft.drop(i, end);
}

// GROUP BY a DESC, b WITH ROLLUP
void rewrite_group_list(Draft& draft, std::size_t by) {
  for (std::size_t i = draft.next(by); i < draft.size(); i = draft.over(i)) {
    if (ends_tables(draft[i].word) || draft.is_symbol(i, ")")) return;
    if (draft.is_any(i, "ASC", "DESC")) draft.drop(i);
    if (draft.is(i, "WITH") && draft.is(draft.next(i), "ROLLUP")) draft.drop(i, draft.next(i) + 1);
  }
}

// SELECT a AS 'x', b 'y'
void rewrite_string_alias(Draft& draft, std::size_t i) {
  const std::size_t before = draft.prev(i), after = draft.next(i);
  const bool behind_as = draft.is(before, "AS");
  if (!behind_as) {
    if (!draft.ends_operand(before) || draft[before].word.starts_with('_')) return;
    if (after < draft.size() && !draft.is_symbol(after, ",") && !draft.is_symbol(after, ")") &&
        !draft.is_any(after, "FROM", "UNION", "WHERE", "LIMIT")) {
      return;
    }
    draft[i].before = "AS";
  }
  draft[i].kind = TokenKind::kQuotedName;
  draft[i].literal = kNone32;
}

void rewrite_bare_alias(Draft& draft, std::size_t i) {
  const std::size_t before = draft.prev(i), after = draft.next(i);
  if (!draft.ends_operand(before)) return;
  if (after < draft.size() && !draft.is_symbol(after, ",") && !draft.is_symbol(after, ")") &&
      !draft.is(after, "FROM")) {
    return;
  }
  draft[i].before = "AS";
}

void rewrite_clause_word(Draft& draft, std::size_t i) {
  const std::size_t next = draft.next(i);
  if (draft.is(i, "SELECT")) {
    drop_modifiers(draft, i);
  } else if (draft.is_any(i, "USE", "FORCE", "IGNORE")) {
    drop_index_hint(draft, i);
  } else if (draft.is(i, "PARTITION") && draft.is_symbol(next, "(") && draft.is_name(draft.prev(i))) {
    draft.drop(i, draft.close(next) + 1);
  } else if (draft.is(i, "LIMIT")) {
    rewrite_limit(draft, i);
  } else if (draft.is(i, "LOCK") && draft.is(next, "IN")) {
    const std::size_t share = draft.next(next);
    if (!draft.is(share, "SHARE")) return;
    draft.drop(next, draft.next(share) + 1);
    draft.replace(i, "FOR SHARE");
  } else if (draft.is(i, "WAIT") && draft.is_any(draft.prev(i), "UPDATE", "SHARE") && draft.is_literal(next)) {
    draft.drop(i, next + 1);
  } else if (draft.is(i, "INTO")) {
    drop_into(draft, i);
  } else if (draft.is(i, "GROUP") && draft.is(next, "BY")) {
    rewrite_group_list(draft, next);
  } else if (draft.is(i, "PROCEDURE") && draft.is(next, "ANALYSE")) {
    draft.drop(i, draft.is_symbol(draft.next(next), "(") ? draft.close(draft.next(next)) + 1 : next + 1);
  } else if (draft.is(i, "ROW") && draft.is_symbol(next, "(") && draft.is(draft.first(), "VALUES") &&
             (draft.is(draft.prev(i), "VALUES") || draft.is_symbol(draft.prev(i), ","))) {
    draft.drop(i);
  } else if (draft.is(i, "FULL") && draft.is_any(next, "JOIN", "OUTER")) {
    draft.replace(i, "FULL");
  } else if (draft.is(i, "ONLY") && draft.is_any(draft.prev(i), "ROW", "ROWS")) {
    draft.replace(i, "ONLY");
  } else if (draft.is(i, "DO") && draft.is_any(next, "UPDATE", "NOTHING")) {
    draft.replace(i, "DO");
  } else if (draft.is(i, "INDEXED") && draft.is(next, "BY") && draft.dialect == SqlDialect::kSqlite) {
    draft.drop(i, draft.next(next) + 1);
  } else if (draft.is(i, "NOT") && draft.is(next, "INDEXED") && draft.dialect == SqlDialect::kSqlite) {
    draft.drop(i, next + 1);
  } else if (needs_as(draft[i].word)) {
    rewrite_bare_alias(draft, i);
  }
}

}  // namespace

void rewrite_clauses(Draft& draft) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft[i].dropped || draft[i].verbatim) continue;
    if (draft[i].kind == TokenKind::kWord) {
      rewrite_clause_word(draft, i);
    } else if (draft[i].kind == TokenKind::kString) {
      rewrite_string_alias(draft, i);
    }
  }
}

std::size_t verb_of(const Draft& draft) {
  std::size_t i = draft.first();
  if (draft.is(i, "EXPLAIN")) {
    while (i < draft.size() && !draft.is_any(i, "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH")) {
      i = draft.over(i);
    }
  } else if (draft.is(i, "ANALYZE")) {
    i = draft.next(i);
  }
  if (!draft.is(i, "WITH")) return i;
  std::size_t verb = draft.next(i);
  while (verb < draft.size() && !draft.is_any(verb, "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE")) {
    verb = draft.over(verb);
  }
  return verb < draft.size() ? verb : i;
}

}  // namespace isolde::audit
