// INSERT, REPLACE, UPDATE and DELETE of MySQL and SQLite in PostgreSQL's forms.
#include "audit/sql/postgres_words.h"
#include "audit/sql/rewrite.h"

namespace isolde::audit {
namespace {

// Words between the verb and its table. -> what comes behind them
std::size_t skip_modifiers(Draft& draft, std::size_t verb, PostgresText& facts) {
  std::size_t i = draft.next(verb);
  while (i < draft.size()) {
    if (draft.is(i, "OR") && draft.dialect == SqlDialect::kSqlite) {
      const std::size_t how = draft.next(i);
      if (draft.is(how, "REPLACE") && draft.is(verb, "INSERT")) facts.replaces = true;
      if (draft.is(how, "IGNORE")) facts.ignores = true;
      i = draft.next(how);
    } else if (draft.is_any(i, "LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "QUICK", "IGNORE")) {
      if (draft.is(i, "IGNORE")) facts.ignores = true;
      i = draft.next(i);
    } else {
      return i;
    }
  }
  return i;
}

// a, db.a, `db`.`a`  -> behind it
std::size_t behind_name(const Draft& draft, std::size_t i) {
  if (!draft.is_name(i)) return i;
  i = draft.next(i);
  while (draft.is_symbol(i, ".")) {
    i = draft.next(i);
    if (i < draft.size()) i = draft.next(i);
  }
  return i;
}

// t.a, t.b -> a, b
void drop_qualifiers(Draft& draft, std::size_t begin, std::size_t end) {
  std::size_t last_dot = end;
  for (std::size_t i = begin; i < end; ++i) {
    if (draft.is_symbol(i, ".")) last_dot = i;
  }
  if (last_dot < end) draft.drop(begin, last_dot + 1);
}

// a = x, b = y from `begin` to `end`.
struct Assignment {
  std::size_t begin, equals, end;
};
std::vector<Assignment> assignments(const Draft& draft, std::size_t begin, std::size_t end) {
  std::vector<Assignment> list;
  while (begin < end) {
    Assignment item{begin, end, draft.find_symbol(begin, end, ",")};
    for (std::size_t i = begin; i < item.end; i = draft.over(i)) {
      if (draft.is_symbol(i, "=") || draft.is_symbol(i, ":=")) {
        item.equals = i;
        break;
      }
    }
    list.push_back(item);
    if (item.end >= end) break;
    begin = draft.next(item.end);
  }
  return list;
}

std::size_t find_any(const Draft& draft, std::size_t i, std::initializer_list<std::string_view> words) {
  for (; i < draft.size(); i = draft.over(i)) {
    for (const std::string_view word : words) {
      if (draft.is(i, word)) return i;
    }
  }
  return draft.size();
}

bool has_several_tables(const Draft& draft, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; i = draft.over(i)) {
    if (draft.is_symbol(i, "(") || draft.is_symbol(i, ",") || draft.is_any(i, "JOIN", "STRAIGHT_JOIN")) {
      return true;
    }
  }
  return false;
}

// VALUES(a) -> EXCLUDED.a; with VALUES … AS new: new.a too.
void rewrite_excluded(Draft& draft, std::size_t begin, std::string_view alias) {
  for (std::size_t i = begin; i < draft.size(); ++i) {
    if (draft.is_any(i, "VALUES", "VALUE")) {
      const std::size_t open = draft.next(i), column = draft.next(open), close = draft.next(column);
      std::size_t end = close;
      while (draft.is_symbol(end, ".")) end = draft.next(draft.next(end));
      if (!draft.is_symbol(open, "(") || !draft.is_symbol(end, ")")) continue;
      draft.replace(i, "EXCLUDED");
      draft.replace(open, ".");
      drop_qualifiers(draft, column, end);
      draft.drop(end);
    } else if (!alias.empty() && draft.is_name(i) && draft[i].text == alias && draft.is_symbol(draft.next(i), ".")) {
      draft.replace(i, "EXCLUDED");
    }
  }
}

void print_on_duplicate(Draft& draft, std::size_t on, std::string_view alias, Printer& out, PostgresText& facts) {
  facts.on_duplicate_key = true;
  std::size_t begin = on;
  while (begin < draft.size() && !draft.is(begin, "UPDATE")) begin = draft.next(begin);
  begin = begin < draft.size() ? draft.next(begin) : begin;
  rewrite_excluded(draft, begin, alias);
  const std::size_t end = draft.find(begin, draft.size(), "RETURNING");
  for (const Assignment& item : assignments(draft, begin, end)) drop_qualifiers(draft, item.begin, item.equals);
  out.text("ON CONFLICT DO UPDATE SET");
  out.range(begin, draft.size());
}

bool is_on_duplicate(const Draft& draft, std::size_t i) {
  return draft.is(i, "ON") && draft.is(draft.next(i), "DUPLICATE");
}

std::size_t find_on_duplicate(const Draft& draft, std::size_t i) {
  for (; i < draft.size(); i = draft.over(i)) {
    if (is_on_duplicate(draft, i)) return i;
  }
  return draft.size();
}

void print_insert_set(Draft& draft, std::size_t begin, std::size_t end, Printer& out) {
  const std::vector<Assignment> list = assignments(draft, begin, end);
  out.text("(");
  for (std::size_t n = 0; n < list.size(); ++n) {
    if (n > 0) out.text(",");
    drop_qualifiers(draft, list[n].begin, list[n].equals);
    out.range(list[n].begin, list[n].equals);
  }
  out.text(") VALUES (");
  for (std::size_t n = 0; n < list.size(); ++n) {
    if (n > 0) out.text(",");
    out.range(list[n].equals + 1, list[n].end);
  }
  out.text(")");
}

// VALUES (…), (…) with MySQL's ROW before each taken off.
void print_rows(Draft& draft, std::size_t values, std::size_t end, Printer& out) {
  const std::size_t first = draft.next(values);
  const bool empty = draft.is_symbol(first, "(") && draft.next(first) == draft.close(first);
  if (empty) {
    out.text("DEFAULT VALUES");
    return;
  }
  out.text("VALUES");
  for (std::size_t i = first; i < end; i = draft.over(i)) {
    if (draft.is(i, "ROW") && draft.is_symbol(draft.next(i), "(")) draft.drop(i);
    if (draft.is_symbol(i, "(") && draft.next(i) == draft.close(i)) draft[i].after = "DEFAULT";
  }
  out.range(first, end);
}

// ORDER BY … LIMIT of a write: what decides which rows are written is a condition.
void print_condition(Draft& draft, std::size_t where, Printer& out) {
  const std::size_t order = find_any(draft, where, {"ORDER", "LIMIT", "RETURNING"});
  const bool condition = draft.is(where, "WHERE");
  const bool ordered = draft.is(order, "ORDER");
  const std::size_t limit = find_any(draft, order, {"LIMIT", "RETURNING"});
  const std::size_t returning = find_any(draft, limit, {"RETURNING"});
  if (condition || ordered) out.text("WHERE");
  if (condition) {
    if (ordered) out.text("(");
    out.range(where + 1, order);
    if (ordered) out.text(") AND");
  }
  if (ordered) {
    out.text("ordered_by(");
    for (std::size_t i = order; i < limit; i = draft.over(i)) {
      if (draft.is_any(i, "ORDER", "BY", "ASC", "DESC", "NULLS", "FIRST", "LAST")) draft.drop(i);
    }
    out.range(order, limit);
    out.text(")");
  }
  out.range(returning, draft.size());
}

}  // namespace

void print_insert(Draft& draft, std::size_t verb, Printer& out, PostgresText& facts) {
  if (draft.is(verb, "REPLACE")) facts.replaces = true;
  std::size_t i = skip_modifiers(draft, verb, facts);
  if (draft.is(i, "INTO")) i = draft.next(i);
  out.text("INSERT INTO");
  const std::size_t behind = behind_name(draft, i);
  out.range(i, behind);
  i = behind;
  if (draft.is(i, "AS") && draft.dialect == SqlDialect::kSqlite) {
    out.range(i, draft.next(draft.next(i)));
    i = draft.next(draft.next(i));
  }
  if (draft.is_symbol(i, "(") && !draft.is_any(draft.next(i), "SELECT", "WITH", "VALUES") &&
      !draft.is_symbol(draft.next(i), "(")) {
    const std::size_t close = draft.close(i);
    if (draft.next(i) != close) {
      for (std::size_t item = draft.next(i); item < close;) {
        const std::size_t end = draft.find_symbol(item, close, ",");
        drop_qualifiers(draft, item, end);
        item = end < close ? draft.next(end) : close;
      }
      out.range(i, close + 1);
    }
    i = close < draft.size() ? draft.next(close) : close;
  }
  const std::size_t duplicate = draft.dialect == SqlDialect::kMysql ? find_on_duplicate(draft, i) : draft.size();
  std::string_view alias;
  std::size_t end = duplicate;
  // VALUES (…) AS new ON DUPLICATE KEY UPDATE a = new.a
  if (const std::size_t as = draft.find(i, duplicate, "AS"); !draft.is_any(i, "SELECT", "WITH") && as < duplicate &&
                                                             draft.is_name(draft.next(as)) &&
                                                             !draft.is_symbol(i, "(")) {
    alias = draft[draft.next(as)].text;
    end = as;
  }
  const std::size_t set_end = draft.find(i, end, "RETURNING");
  if (draft.is(i, "SET")) {
    print_insert_set(draft, draft.next(i), set_end, out);
    out.range(set_end, end);
  } else if (draft.is_any(i, "VALUES", "VALUE")) {
    print_rows(draft, i, end, out);
  } else {
    out.range(i, end);
  }
  if (duplicate < draft.size()) print_on_duplicate(draft, duplicate, alias, out, facts);
}

void print_update(Draft& draft, std::size_t verb, Printer& out, PostgresText& facts) {
  const std::size_t tables = skip_modifiers(draft, verb, facts);
  const std::size_t set = draft.find(tables, draft.size(), "SET");
  std::size_t end = find_any(draft, set, {"WHERE", "ORDER", "LIMIT", "RETURNING", "FROM"});
  out.text("UPDATE");
  if (!has_several_tables(draft, tables, set)) {
    out.range(tables, set);
    for (const Assignment& item : assignments(draft, draft.next(set), end)) {
      drop_qualifiers(draft, item.begin, item.equals);
    }
    out.range(set, end);
    if (draft.is(end, "FROM")) {
      const std::size_t from = end;
      end = find_any(draft, from, {"WHERE", "ORDER", "LIMIT", "RETURNING"});
      out.range(from, end);
    }
  } else {
    facts.multi_table_write = true;
    if (const std::size_t behind = behind_name(draft, tables); behind > tables) {
      out.range(tables, behind);
    } else {
      out.text("\"_\"");
    }
    for (const Assignment& item : assignments(draft, draft.next(set), end)) {
      // db.t.a: the table is enough.
      std::size_t dots = 0;
      for (std::size_t i = item.begin; i < item.equals; ++i) dots += draft.is_symbol(i, ".") ? 1 : 0;
      if (dots > 1) draft.drop(item.begin, draft.next(item.begin) + 1);
    }
    out.range(set, end);
    out.text("FROM");
    out.range(tables, set);
  }
  print_condition(draft, end, out);
}

void print_delete(Draft& draft, std::size_t verb, Printer& out, PostgresText& facts) {
  const std::size_t begin = skip_modifiers(draft, verb, facts);
  const bool from_first = draft.is(begin, "FROM");
  const std::size_t targets = from_first ? draft.next(begin) : begin;
  const std::size_t targets_end = find_any(draft, targets, {"FROM", "USING", "WHERE", "ORDER", "LIMIT", "RETURNING"});
  const bool several = draft.is_any(targets_end, "FROM", "USING");
  out.text("DELETE FROM");
  // DELETE a FROM t AS a
  const std::size_t tables = draft.next(targets_end);
  const std::size_t tables_end = find_any(draft, tables, {"WHERE", "ORDER", "LIMIT", "RETURNING"});
  if (several && !has_several_tables(draft, tables, tables_end)) {
    out.range(tables, tables_end);
    print_condition(draft, tables_end, out);
    return;
  }
  if (!several) {
    out.range(targets, targets_end);
    print_condition(draft, targets_end, out);
    return;
  }
  facts.multi_table_write = true;
  for (std::size_t i = targets; i < targets_end;) {
    const std::size_t end = draft.find_symbol(i, targets_end, ",");
    std::size_t last = i;
    for (std::size_t at = i; at < end; at = draft.next(at)) {
      if (draft.is_name(at)) last = at;
    }
    if (draft.is_name(last)) {
      if (facts.deletes_from.empty()) out.range(last, last + 1);
      facts.deletes_from.emplace_back(draft[last].text);
    }
    i = end < targets_end ? draft.next(end) : targets_end;
  }
  out.text("USING");
  out.range(tables, tables_end);
  print_condition(draft, tables_end, out);
}

}  // namespace isolde::audit
