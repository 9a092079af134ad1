// CREATE TABLE, INDEX and VIEW, ALTER TABLE, DROP and RENAME of MySQL and SQLite in PostgreSQL's grammar. Kept:
// columns, types, defaults, generated ids, primary, unique and foreign keys. Everything else is left out.
#include "audit/sql/rewrite.h"

namespace isolde::audit {
namespace {

void rewrite_query(Draft& draft) {
  rewrite_clauses(draft);
  rewrite_expressions(draft);
  rewrite_tables(draft);
}

std::size_t print_name(const Draft& draft, std::size_t i, Printer& out) {
  for (;;) {
    if (i >= draft.size()) return i;
    out.piece(i);
    i = draft.next(i);
    if (!draft.is_symbol(i, ".")) return i;
    out.piece(i);
    i = draft.next(i);
  }
}

void print_table_items(Draft& draft, std::size_t open, Printer& out) {
  const std::size_t close = draft.close(open);
  out.text("(");
  bool first = true;
  for (std::size_t item = draft.next(open); item < close;) {
    const std::size_t end = draft.find_symbol(item, close, ",");
    const bool constraint = begins_table_constraint(draft, item);
    if (!constraint || is_kept_constraint(draft, item, end)) {
      if (!first) out.text(",");
      first = false;
      if (constraint) {
        print_table_constraint(draft, item, end, out);
      } else {
        print_column(draft, item, end, out);
      }
    }
    item = end < close ? draft.next(end) : close;
  }
  out.text(")");
}

void print_create_table(Draft& draft, std::size_t table, bool temporary, Printer& out) {
  std::size_t i = draft.next(table);
  const bool careful = draft.is(i, "IF");
  if (careful) i = draft.next(draft.next(draft.next(i)));
  const auto head = [&] {
    out.text(temporary ? "CREATE TEMPORARY TABLE" : "CREATE TABLE");
    if (careful) out.text("IF NOT EXISTS");
    return print_name(draft, i, out);
  };
  std::size_t behind = i < draft.size() ? draft.next(i) : i;
  while (draft.is_symbol(behind, ".")) behind = draft.next(draft.next(behind));
  const bool items = draft.is_symbol(behind, "(") && !draft.is_any(draft.next(behind), "SELECT", "LIKE", "WITH");
  if (items) {
    head();
    print_table_items(draft, behind, out);
    return;
  }
  if (draft.is(behind, "LIKE") || (draft.is_symbol(behind, "(") && draft.is(draft.next(behind), "LIKE"))) {
    const bool open = draft.is_symbol(behind, "(");
    head();
    out.text("(LIKE");
    print_name(draft, draft.next(open ? draft.next(behind) : behind), out);
    out.text(")");
    return;
  }
  std::size_t query = behind;
  while (query < draft.size() && !draft.is_any(query, "SELECT", "WITH") && !draft.is_symbol(query, "(")) {
    query = draft.next(query);
  }
  rewrite_query(draft);
  head();
  out.text("AS");
  out.range(query, draft.size());
}

void print_create_index(Draft& draft, std::size_t index, bool unique, Printer& out) {
  std::size_t i = draft.next(index);
  if (draft.is(i, "IF")) i = draft.next(draft.next(draft.next(i)));
  out.text(unique ? "CREATE UNIQUE INDEX" : "CREATE INDEX");
  print_name(draft, i, out);
  const std::size_t on = draft.find(i, draft.size(), "ON");
  if (on >= draft.size()) return;
  out.text("ON");
  const std::size_t open = print_name(draft, draft.next(on), out);
  if (!draft.is_symbol(open, "(")) return;
  if (draft.is_symbol(draft.next(open), "(")) {
    out.text("((NULL))");
  } else {
    print_key_columns(draft, open, out);
  }
}

void print_create_view(Draft& draft, std::size_t view, Printer& out) {
  std::size_t i = draft.next(view);
  if (draft.is(i, "IF")) i = draft.next(draft.next(draft.next(i)));
  rewrite_query(draft);
  const std::size_t with = draft.find(i, draft.size(), "WITH");
  std::size_t end = draft.size();
  // WITH CASCADED CHECK OPTION
  for (std::size_t at = with; at < draft.size(); at = draft.over(at)) {
    if (draft.is(at, "WITH") && draft.is_any(draft.next(at), "CASCADED", "LOCAL", "CHECK")) end = at;
  }
  out.text("CREATE OR REPLACE VIEW");
  out.range(i, end);
}

bool print_create(Draft& draft, std::size_t create, Printer& out) {
  bool temporary = false, unique = false;
  for (std::size_t i = draft.next(create); i < draft.size(); i = draft.next(i)) {
    if (draft.is(i, "TABLE")) {
      print_create_table(draft, i, temporary, out);
      return true;
    }
    if (draft.is(i, "INDEX")) {
      print_create_index(draft, i, unique, out);
      return true;
    }
    if (draft.is(i, "VIEW")) {
      print_create_view(draft, i, out);
      return true;
    }
    if (draft.is_any(i, "DATABASE", "SCHEMA")) {
      std::size_t name = draft.next(i);
      if (draft.is(name, "IF")) name = draft.next(draft.next(draft.next(name)));
      out.text("CREATE SCHEMA");
      if (name < draft.size()) out.piece(name);
      return true;
    }
    if (draft.is_any(i, "TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "USER", "ROLE", "VIRTUAL", "SERVER")) return false;
    temporary |= draft.is_any(i, "TEMPORARY", "TEMP");
    unique |= draft.is(i, "UNIQUE");
  }
  return false;
}

bool print_add(Draft& draft, std::size_t i, std::size_t end, Printer& out) {
  if (draft.is(i, "COLUMN")) i = draft.next(i);
  if (draft.is(i, "IF")) i = draft.next(draft.next(draft.next(i)));
  if (begins_table_constraint(draft, i)) {
    if (!is_kept_constraint(draft, i, end)) return false;
    out.text("ADD");
    print_table_constraint(draft, i, end, out);
    return true;
  }
  if (!draft.is_symbol(i, "(")) {
    out.text("ADD COLUMN");
    print_column(draft, i, end, out);
    return true;
  }
  const std::size_t close = draft.close(i);
  bool any = false;
  for (std::size_t item = draft.next(i); item < close;) {
    const std::size_t item_end = draft.find_symbol(item, close, ",");
    if (any) out.text(",");
    any = true;
    out.text("ADD COLUMN");
    print_column(draft, item, item_end, out);
    item = item_end < close ? draft.next(item_end) : close;
  }
  return any;
}

// MODIFY a int AUTO_INCREMENT, CHANGE a b int
bool print_modify(Draft& draft, std::size_t i, std::size_t end, bool change, Printer& out) {
  if (draft.is(i, "COLUMN")) i = draft.next(i);
  if (draft.is(i, "IF")) i = draft.next(draft.next(i));
  if (i >= end) return false;
  if (change) {
    const std::size_t old_name = i;
    i = draft.next(i);
    if (i >= end) return false;
    if (draft[old_name].text != draft[i].text) {
      out.text("ADD COLUMN");
      print_column(draft, i, end, out);
      return true;
    }
  }
  out.text("ALTER COLUMN");
  out.piece(i);
  if (draft.find(i, end, "AUTO_INCREMENT") < end) {
    out.text("ADD GENERATED BY DEFAULT AS IDENTITY");
  } else {
    out.text("TYPE");
    print_type(draft, draft.next(i), end, out);
  }
  return true;
}

bool print_drop_part(Draft& draft, std::size_t i, std::size_t end, Printer& out) {
  if (draft.is_any(i, "KEY", "INDEX")) return false;
  if (draft.is(i, "PRIMARY")) {
    out.text("DROP CONSTRAINT \"PRIMARY\"");
    return true;
  }
  const bool constraint = draft.is_any(i, "FOREIGN", "CONSTRAINT", "CHECK");
  while (draft.is_any(i, "FOREIGN", "KEY", "CONSTRAINT", "CHECK", "COLUMN")) i = draft.next(i);
  if (draft.is(i, "IF")) i = draft.next(draft.next(i));
  if (i >= end) return false;
  out.text(constraint ? "DROP CONSTRAINT" : "DROP COLUMN");
  out.piece(i);
  return true;
}

bool print_alter_item(Draft& draft, std::size_t i, std::size_t end, bool alone, Printer& out) {
  const std::size_t next = draft.next(i);
  if (draft.is(i, "ADD")) return print_add(draft, next, end, out);
  if (draft.is_any(i, "MODIFY", "CHANGE")) return print_modify(draft, next, end, draft.is(i, "CHANGE"), out);
  if (draft.is(i, "DROP")) return print_drop_part(draft, next, end, out);
  if (draft.is(i, "RENAME") && alone && !draft.is_any(next, "KEY", "INDEX")) {
    out.text("RENAME");
    if (!draft.is_any(next, "TO", "COLUMN")) out.text("TO");
    out.range(next, end);
    return true;
  }
  return false;
}

// How an item would be printed must be known before its comma: each is printed by itself first.
bool print_alter(Draft& draft, std::size_t alter, Printer& out) {
  std::size_t i = draft.next(alter);
  while (draft.is_any(i, "IGNORE", "ONLINE", "OFFLINE")) i = draft.next(i);
  if (!draft.is(i, "TABLE")) return false;
  i = draft.next(i);
  if (draft.is(i, "IF")) i = draft.next(draft.next(i));
  out.text("ALTER TABLE");
  i = print_name(draft, i, out);
  const bool alone = draft.find_symbol(i, draft.size(), ",") >= draft.size();
  bool any = false;
  while (i < draft.size()) {
    const std::size_t end = draft.find_symbol(i, draft.size(), ",");
    Printer item(draft, false);
    if (print_alter_item(draft, i, end, alone, item)) {
      if (any) out.text(",");
      any = true;
      out.text(item.take());
    }
    i = end < draft.size() ? draft.next(end) : end;
  }
  // A change of nothing that matters (ENGINE=, ADD KEY): one that PostgreSQL knows and that means nothing.
  if (!any) out.text("SET WITHOUT OIDS");
  return true;
}

}  // namespace

bool print_ddl(Draft& draft, Printer& out) {
  const std::size_t first = draft.first();
  if (!draft.is_any(first, "CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE")) return false;
  for (Draft::Piece& piece : draft.pieces) piece.constant = true;
  const std::size_t next = draft.next(first);
  if (draft.is(first, "CREATE")) return print_create(draft, first, out);
  if (draft.is(first, "ALTER")) return print_alter(draft, first, out);
  if (draft.is(first, "RENAME") && draft.is(next, "TABLE")) {
    out.text("ALTER TABLE");
    out.range(next + 1, draft.find(next, draft.size(), "TO"));
    out.text("RENAME");
    const std::size_t to = draft.find(next, draft.size(), "TO");
    out.range(to, draft.find_symbol(to, draft.size(), ","));
    return true;
  }
  if (draft.is(first, "DROP") && draft.is(next, "INDEX")) {
    out.range(first, draft.find(next, draft.size(), "ON"));
    return true;
  }
  if (draft.is(first, "DROP")) {
    for (std::size_t i = next; i < draft.size(); ++i) {
      if (draft.is_any(i, "TEMPORARY")) draft.drop(i);
      if (draft.is_any(i, "DATABASE")) draft.replace(i, "SCHEMA");
    }
  }
  out.range(first, draft.size());
  return true;
}

}  // namespace isolde::audit
