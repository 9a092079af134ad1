// Which literals stay in the text instead of becoming $n.
#include "audit/sql/postgres_words.h"
#include "audit/sql/rewrite.h"

namespace isolde::audit {
namespace {

bool is_query(const Draft& draft) {
  const std::size_t first = draft.first();
  return draft.is_symbol(first, "(") ||
         draft.is_any(first, "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "VALUES", "TABLE", "REPLACE", "MERGE",
                      "CALL", "EXECUTE", "EXPLAIN", "ANALYZE", "DO", "SET", "DECLARE");
}

// ORDER BY 1 means a place in the select list.
void mark_places(Draft& draft, std::size_t by) {
  bool begins = true;
  for (std::size_t i = draft.next(by); i < draft.size(); i = draft.over(i)) {
    if (ends_tables(draft[i].word) || draft.is_symbol(i, ")")) return;
    const std::size_t after = draft.next(i);
    const bool ends = after >= draft.size() || draft.is_symbol(after, ",") || draft.is_symbol(after, ")") ||
                      ends_tables(draft[after].word) || draft.is_any(after, "ASC", "DESC", "NULLS");
    if (begins && ends && draft[i].kind == TokenKind::kNumber) draft[i].constant = true;
    begins = draft.is_symbol(i, ",");
  }
}

// x::varchar(10), CAST(x AS varchar(10))
void mark_type(Draft& draft, std::size_t i) {
  std::size_t at = draft.next(i);
  while (draft.is_name(at)) at = draft.next(at);
  if (!draft.is_symbol(at, "(")) return;
  if (draft.is(i, "AS") && begins_query(draft, draft.next(at))) return;
  for (const std::size_t end = draft.close(at); at < end; ++at) draft[at].constant = true;
}

// timestamp '2020-01-01', point '(1,2)'
void mark_string_of_type(Draft& draft, std::size_t i) {
  const std::size_t type = draft.prev(i);
  if (type == Draft::kNowhere || draft[type].verbatim) return;
  if (draft.is_any(type, "DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ")) {
    draft.drop(type);
  } else if (draft.is_name(type) && draft.ends_operand(type)) {
    draft[i].constant = true;
  } else if (draft.is(type, "ZONE")) {
    const std::size_t time = draft.prev(type);
    draft[i].constant = time != Draft::kNowhere && draft.is_any(draft.prev(time), "WITH", "WITHOUT");
  }
}

}  // namespace

bool begins_query(const Draft& draft, std::size_t i) {
  while (draft.is_symbol(i, "(")) i = draft.next(i);
  return draft.is_any(i, "SELECT", "WITH", "VALUES", "TABLE");
}

void mark_constants(Draft& draft) {
  if (!is_query(draft)) {
    for (Draft::Piece& piece : draft.pieces) piece.constant = true;
    return;
  }
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft[i].dropped) continue;
    if (draft.is(i, "BY") && draft.is_any(draft.prev(i), "ORDER", "GROUP")) mark_places(draft, i);
    if (draft.is(i, "EXTRACT") && draft.is_symbol(draft.next(i), "(")) {
      if (const std::size_t field = draft.next(draft.next(i)); field < draft.size()) draft[field].constant = true;
    }
    if (draft.dialect == SqlDialect::kMysql) continue;
    if (draft.is_symbol(i, "::") || draft.is(i, "AS")) mark_type(draft, i);
    if (draft[i].kind == TokenKind::kString && draft.dialect == SqlDialect::kPostgres) mark_string_of_type(draft, i);
  }
}

}  // namespace isolde::audit
