#include "audit/sql/statement.h"

#include <algorithm>
#include <array>

#include "audit/sql/meaning.h"
#include "audit/sql/names.h"
#include "audit/sql/to_postgres.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

constexpr std::array<std::string_view, 11> kSchemaWords = {
    "create", "alter", "drop", "rename", "grant", "revoke", "comment", "optimize", "repair", "reindex", "refresh"};

bool has_word(const std::vector<Token>& tokens, std::string_view word) {
  return std::ranges::any_of(
      tokens, [&](const Token& token) { return token.kind == TokenKind::kWord && lower_case(token.text) == word; });
}

// The statement in all dialects: what is no business of the grammar is settled here.
Statement read_statement(const std::vector<Token>& tokens, SqlDialect dialect, Names& names) {
  Statement statement;
  if (tokens.empty()) {
    statement.kind = StatementKind::kNoData;
    return statement;
  }
  const std::string first = tokens[0].kind == TokenKind::kWord ? lower_case(tokens[0].text) : std::string{};
  const bool selects = has_word(tokens, "select");
  if (first == "set" && selects) {
    statement.why_not = "a SET that reads tables";
    return statement;
  }
  if (touches_no_data(tokens, dialect)) {
    statement.kind = StatementKind::kNoData;
    return statement;
  }
  const bool makes_table = first == "create" && selects && has_word(tokens, "table");
  if (std::ranges::find(kSchemaWords, first) != kSchemaWords.end() && !makes_table) {
    statement.kind = StatementKind::kSchemaChange;
    return statement;
  }
  if (first == "call") {
    statement.why_not = "what the procedure does is not in the trace";
    return statement;
  }
  std::vector<std::string_view> literals;
  for (const Token& token : tokens) {
    if (token.literal == kNone32) continue;
    if (token.literal >= literals.size()) literals.resize(token.literal + 1);
    literals[token.literal] = token.text;
  }
  statement = understand_postgres(to_postgres(tokens, dialect), literals, names);
  if (statement.kind != StatementKind::kNotUnderstood) return statement;
  Statement again = understand_postgres(to_postgres_with_literals(tokens, dialect), {}, names);
  return again.kind == StatementKind::kNotUnderstood ? statement : again;
}

// CREATE TABLE says more than any other statement does.
void learn_table(std::string_view sql, Schema& schema) {
  const auto made = read_schema_text(sql, "");
  if (!made) return;
  for (std::uint32_t i = 0; i < made->tables(); ++i) {
    const Table& table = made->table(TableId(i));
    if (schema.find_table(table.name)) continue;
    const TableId added = schema.add_table(table.name);
    for (const ColumnId id : table.columns) {
      const ColumnId column = schema.add_column(added, made->column(id).name);
      Column copied = made->column(id);
      copied.table = added;
      schema.column(column) = std::move(copied);
    }
    const auto here = [&](const std::vector<ColumnId>& columns) {
      std::vector<ColumnId> found;
      for (const ColumnId id : columns) found.push_back(*schema.find_column(added, made->column(id).name));
      return found;
    };
    schema.table(added).primary_key = here(table.primary_key);
    for (const auto& key : table.unique_keys) schema.table(added).unique_keys.push_back(here(key));
  }
}

// CREATE VIEW of the trace itself. The reader wants a table, too.
void learn_view(std::string_view sql, Schema& schema) {
  const auto made = read_schema_text("CREATE TABLE t (x int);\n" + std::string(sql), "");
  if (!made) return;
  for (const View& view : made->views()) schema.add_view(view);
}

bool creates_view(const std::vector<Token>& tokens) {
  return !tokens.empty() && lower_case(tokens[0].text) == "create" && has_word(tokens, "view") &&
         !has_word(tokens, "table");
}

bool creates_table(const std::vector<Token>& tokens) {
  const auto word = [&](std::size_t i) { return i < tokens.size() ? lower_case(tokens[i].text) : std::string{}; };
  return word(0) == "create" && !has_word(tokens, "select") && (word(1) == "table" || word(2) == "table");
}

}  // namespace

bool gives_again(const Statement& statement, ColumnId column) {
  return std::ranges::find(statement.given_again, column) != statement.given_again.end();
}

bool keeps_its_key(const Statement& statement, const Access& access, const Schema& schema) {
  if (statement.kind != StatementKind::kUpsert || access.action != Action::kWrite || access.inserts) return false;
  const Table& table = schema.table(schema.column(access.column).table);
  const auto given = [&](ColumnId column) {
    return std::ranges::any_of(statement.row_sets, [&](const RowSet& rows) {
      return rows.table == schema.column(access.column).table &&
             std::ranges::binary_search(rows.keys, column, {}, &RowKey::column);
    });
  };
  const auto is_part = [&](const std::vector<ColumnId>& key) {
    return std::ranges::find(key, access.column) != key.end();
  };
  // With several keys that may be met, the row may have been found by another.
  return gives_again(statement, access.column) && given(access.column) &&
         std::ranges::count_if(table.unique_keys, is_part) == 1 && table.unique_keys.size() == 1 &&
         std::ranges::none_of(table.primary_key, given);
}

void learn_schema(const ShapeTable& shapes, Schema& schema) {
  Lexer lexer(shapes.dialect());
  for (std::uint32_t i = 0; i < shapes.size(); ++i) {
    const std::string_view sql = shapes.example(ShapeId(i));
    if (creates_table(lexer.tokens(sql))) learn_table(sql, schema);
    if (creates_view(lexer.tokens(sql))) learn_view(sql, schema);
  }
  std::vector<std::uint32_t> left_open;
  Names sure(schema, Learning::kSure);
  for (std::uint32_t i = 0; i < shapes.size(); ++i) {
    (void)read_statement(lexer.tokens(shapes.example(ShapeId(i))), shapes.dialect(), sure);
    if (sure.take_open_name()) left_open.push_back(i);
  }
  Names likely(schema, Learning::kLikely);
  for (const std::uint32_t i : left_open) {
    (void)read_statement(lexer.tokens(shapes.example(ShapeId(i))), shapes.dialect(), likely);
  }
  give_columns(schema);
}

void learn_schema(std::string_view sql, SqlDialect dialect, Schema& schema) {
  Lexer lexer(dialect);
  const std::vector<Token>& tokens = lexer.tokens(sql);
  if (creates_table(tokens)) return learn_table(sql, schema);
  if (creates_view(tokens)) return learn_view(sql, schema);
  for (const Learning learning : {Learning::kSure, Learning::kLikely}) {
    Names names(schema, learning);
    (void)read_statement(tokens, dialect, names);
  }
  give_columns(schema);
}

Statement understand(std::string_view sql, SqlDialect dialect, const Schema& schema) {
  Lexer lexer(dialect);
  Names names(schema);
  const std::vector<Token>& tokens = lexer.tokens(sql);
  Statement out = read_statement(tokens, dialect, names);
  for (const Token& token : tokens) {
    static constexpr std::string_view kLimit = "limit";
    out.limited =
        out.limited || (token.kind == TokenKind::kWord &&
                        std::ranges::equal(token.text, kLimit, {}, [](char c) { return static_cast<char>(c | 32); }));
  }
  return out;
}

}  // namespace isolde::audit
