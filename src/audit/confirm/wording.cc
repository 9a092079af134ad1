#include "audit/confirm/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "audit/sql/to_postgres.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

using Tokens = std::vector<Token>;

Token word_token(std::string_view text) { return {TokenKind::kWord, text, 0}; }
Token symbol_token(std::string_view text) { return {TokenKind::kSymbol, text, 0}; }

bool word_at(const Tokens& tokens, std::size_t i, std::string_view text) {
  return i < tokens.size() && is_word(tokens[i], text);
}
bool symbol_at(const Tokens& tokens, std::size_t i, std::string_view text) {
  return i < tokens.size() && is_symbol(tokens[i], text);
}

// Whether a table's name is what comes next.
bool table_is_next(const Tokens& tokens, std::size_t i) {
  // MySQL lets INTO be left out.
  for (const std::string_view before : {"from", "join", "into", "update", "straight_join", "ignore", "only", "table",
                                        "insert", "replace", "delete", "low_priority", "delayed", "quick"}) {
    if (word_at(tokens, i, before)) return true;
  }
  return false;
}

// `shop`.`orders` -> `orders`; shop.orders.id -> orders.id
Tokens without_qualifiers(const Tokens& tokens, const Schema& schema) {
  Tokens out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool dotted = is_name(tokens[i]) && symbol_at(tokens, i + 1, ".") && i + 2 < tokens.size() &&
                        is_name(tokens[i + 2]) && (i == 0 || !symbol_at(tokens, i - 1, "."));
    const bool three = dotted && symbol_at(tokens, i + 3, ".");
    const bool is_table = dotted && schema.find_table(tokens[i + 2].text) && !schema.find_table(tokens[i].text);
    const bool target = dotted && i > 0 && table_is_next(tokens, i - 1);
    const bool listed = is_table && i > 0 && (symbol_at(tokens, i - 1, ",") || symbol_at(tokens, i - 1, "(")) &&
                        !three && i + 3 < tokens.size() &&
                        (is_name(tokens[i + 3]) || symbol_at(tokens, i + 3, ",") || symbol_at(tokens, i + 3, ")"));
    // An alias can own a column that has a table's name.
    bool alias = false;
    for (std::size_t t = 1; t < tokens.size() && listed; ++t) {
      const bool named = is_name(tokens[t]) && lower_case(tokens[t].text) == lower_case(tokens[i].text);
      alias |=
          named && (word_at(tokens, t - 1, "as") || (is_name(tokens[t - 1]) && schema.find_table(tokens[t - 1].text)));
    }
    if (target || three || (listed && !alias)) {
      ++i;
      while (target && symbol_at(tokens, i + 2, ".")) i += 2;  // all but the last name
      continue;
    }
    out.push_back(tokens[i]);
  }
  return out;
}

// Clocks that PostgreSQL writes without brackets: the scratch schema has a now() of its own.
Tokens with_still_clocks(const Tokens& tokens) {
  Tokens out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (word_at(tokens, i, "current_timestamp") || word_at(tokens, i, "localtimestamp")) {
      out.insert(out.end(), {word_token("now"), symbol_token("("), symbol_token(")")});
      if (symbol_at(tokens, i + 1, "(")) {
        while (i < tokens.size() && !symbol_at(tokens, i, ")")) ++i;
      }
      continue;
    }
    out.push_back(tokens[i]);
  }
  return out;
}

// … ON DUPLICATE KEY UPDATE n = n + 1: PostgreSQL wants to know which n is meant on the right.
Tokens with_owned_columns(const Tokens& tokens, const Play& play, const Line& line) {
  if (!line.clues.inserts || line.clues.tables.empty()) return tokens;
  const TableId table = line.clues.tables.front().table;
  Tokens out;
  bool upsert = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    upsert |= word_at(tokens, i, "update") && i > 0 && (word_at(tokens, i - 1, "key") || word_at(tokens, i - 1, "do"));
    const bool own = upsert && is_name(tokens[i]) && play.schema.find_column(table, tokens[i].text) &&
                     !symbol_at(tokens, i + 1, "=") && !symbol_at(tokens, i + 1, "(") &&
                     !symbol_at(tokens, i - 1, ".") && !symbol_at(tokens, i + 1, ".");
    const bool of_values = i >= 2 && symbol_at(tokens, i - 1, "(") && word_at(tokens, i - 2, "values");
    if (own && !of_values) {
      out.push_back({TokenKind::kQuotedName, play.schema.table(table).name, 0});
      out.push_back(symbol_token("."));
    }
    out.push_back(tokens[i]);
  }
  return out;
}

// NULL for a number that the table makes: PostgreSQL takes DEFAULT only.
Tokens with_defaults(Tokens tokens, const Play& play, const Line& line) {
  for (const auto& row : line.clues.inserted) {
    for (const InsertedCell& cell : row) {
      if (cell.column == kNoColumn || !play.schema.column(cell.column).generated_id) continue;
      const bool zero = cell.as == InsertedAs::kLiteral &&
                        (line.literals[cell.literal] == "0" || line.literals[cell.literal].empty());
      if (cell.as == InsertedAs::kNull || zero) tokens[cell.token] = word_token("DEFAULT");
    }
  }
  return tokens;
}

std::set<std::uint32_t> literals_of_texts(const Play& play, const Line& line) {
  std::set<std::uint32_t> literals;
  const auto see = [&](ColumnId column, std::uint32_t literal) {
    if (column == kNoColumn || literal == kNone32) return;
    const ValueKind kind = play.type(column).kind;
    if (kind != ValueKind::kInteger && kind != ValueKind::kDecimal) literals.insert(literal);
  };
  for (const Comparison& c : line.clues.comparisons) see(c.column, c.literal);
  for (const WrittenLiteral& w : line.clues.written) see(w.column, w.literal);
  for (const auto& row : line.clues.inserted) {
    for (const InsertedCell& cell : row) see(cell.column, cell.literal);
  }
  return literals;
}

std::vector<bool> number_tokens(const Line& line) {
  std::vector<bool> numbers(line.literals.size(), false);
  for (const Token& token : *line.tokens) {
    if (token.literal < numbers.size()) numbers[token.literal] = token.kind == TokenKind::kNumber;
  }
  return numbers;
}

// "$3" -> the literal; names in double quotes in lower case, as the scratch tables have them.
std::string filled_in(std::string_view text, const std::vector<std::string>& literals) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'' || text[i] == '"') {
      const std::size_t end = std::min(text.find(text[i], i + 1), text.size() - 1);
      const std::string_view piece = text.substr(i, end - i + 1);
      out += text[i] == '"' ? lower_case(piece) : std::string(piece);
      i = end;
      continue;
    }
    std::size_t n = 0;
    if (text[i] == '$') {
      const auto [end, error] = std::from_chars(text.data() + i + 1, text.data() + text.size(), n);
      if (error == std::errc{} && n >= 1 && n <= literals.size()) {
        out += literals[n - 1];
        i = static_cast<std::size_t>(end - text.data()) - 1;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

// ordered_by(…) stands for the ORDER BY of an UPDATE or DELETE with a limit, which PostgreSQL does not have.
std::string without_marks(std::string sql) {
  constexpr std::string_view kMark = "ordered_by(";
  for (std::size_t at = sql.find(kMark); at != std::string::npos; at = sql.find(kMark, at)) {
    std::size_t end = at + kMark.size();
    for (int depth = 1; end < sql.size() && depth > 0; ++end) depth += sql[end] == '(' ? 1 : sql[end] == ')' ? -1 : 0;
    sql.replace(at, end - at, "true");
  }
  return sql;
}

// The key by which an upsert meets a row: the first that its row gives values for.
std::vector<ColumnId> key_met(const Play& play, const Line& line) {
  if (line.clues.tables.empty()) return {};
  const auto keys = play.keys_of(line.clues.tables.front().table);
  for (const auto& key : keys) {
    const bool given = !line.clues.inserted.empty() && std::all_of(key.begin(), key.end(), [&](ColumnId column) {
      const auto& row = line.clues.inserted.front();
      return std::any_of(row.begin(), row.end(), [&](const InsertedCell& c) {
        return c.column == column && (c.as == InsertedAs::kLiteral || c.as == InsertedAs::kOther);
      });
    });
    if (given) return key;
  }
  return keys.empty() ? std::vector<ColumnId>{} : keys.front();
}

std::string quoted_names(const Schema& schema, const std::vector<ColumnId>& columns) {
  std::string out;
  for (const ColumnId column : columns)
    out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", lower_case(schema.column(column).name));
  return out;
}

std::string replacement(const Play& play, const Line& line, const std::vector<ColumnId>& key) {
  if (key.empty() || line.clues.inserted.empty()) return {};
  std::string sets;
  for (const InsertedCell& cell : line.clues.inserted.front()) {
    if (cell.column == kNoColumn || std::find(key.begin(), key.end(), cell.column) != key.end()) continue;
    const std::string name = lower_case(play.schema.column(cell.column).name);
    sets += fmt::format("{}\"{}\" = excluded.\"{}\"", sets.empty() ? "" : ", ", name, name);
  }
  const std::string names = quoted_names(play.schema, key);
  return sets.empty() ? fmt::format(" ON CONFLICT ({}) DO NOTHING", names)
                      : fmt::format(" ON CONFLICT ({}) DO UPDATE SET {}", names, sets);
}

std::string for_postgres(const Play& play, const Line& line, const Wording& wording) {
  Tokens tokens = with_defaults(*line.tokens, play, line);
  tokens = without_qualifiers(with_still_clocks(with_owned_columns(tokens, play, line)), play.schema);
  const PostgresText text = to_postgres(tokens, play.dialect);
  const std::vector<bool> numbers = number_tokens(line);
  const std::set<std::uint32_t> texts = literals_of_texts(play, line);
  std::vector<std::string> literals;
  for (std::uint32_t i = 0; i < line.literals.size(); ++i) {
    const bool plain =
        numbers[i] && looks_like_number(line.literals[i]) && !wording.quotes_numbers && !texts.contains(i);
    literals.push_back(plain ? line.literals[i] : quoted_value(line.literals[i], false));
  }
  std::string sql = without_marks(filled_in(text.sql, literals));
  const std::vector<ColumnId> key = key_met(play, line);
  if (text.replaces) sql += replacement(play, line, key);
  if (text.ignores) sql += " ON CONFLICT DO NOTHING";
  constexpr std::string_view kNoTarget = "ON CONFLICT DO UPDATE";
  if (const std::size_t at = sql.find(kNoTarget); at != std::string::npos && !key.empty())
    sql.replace(at, kNoTarget.size(), fmt::format("ON CONFLICT ({}) DO UPDATE", quoted_names(play.schema, key)));
  return sql;
}

// What PostgreSQL and SQLite write differently.
Tokens as_mysql(const Tokens& tokens) {
  Tokens out;
  bool upsert = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (symbol_at(tokens, i, "::")) {
      ++i;  // the type, of one word or a few
      while (word_at(tokens, i + 1, "varying") || word_at(tokens, i + 1, "without") || word_at(tokens, i + 1, "with") ||
             word_at(tokens, i + 1, "time") || word_at(tokens, i + 1, "zone") || word_at(tokens, i + 1, "precision"))
        ++i;
      if (symbol_at(tokens, i + 1, "(")) {
        while (i < tokens.size() && !symbol_at(tokens, i, ")")) ++i;
      }
      while (symbol_at(tokens, i + 1, "[") || symbol_at(tokens, i + 1, "]")) ++i;
      continue;
    }
    if (word_at(tokens, i, "ilike")) {
      out.push_back(word_token("LIKE"));
    } else if (word_at(tokens, i, "for") && word_at(tokens, i + 1, "share")) {
      out.insert(out.end(), {word_token("LOCK"), word_token("IN"), word_token("SHARE"), word_token("MODE")});
      ++i;
    } else if (word_at(tokens, i, "for") && word_at(tokens, i + 1, "no") && word_at(tokens, i + 2, "key")) {
      out.push_back(tokens[i]);
      i += 2;
    } else if (word_at(tokens, i, "insert") && word_at(tokens, i + 1, "or")) {
      if (word_at(tokens, i + 2, "ignore")) out.push_back(tokens[i]);
      out.push_back(tokens[std::min(i + 2, tokens.size() - 1)]);
      i += 2;
    } else if (word_at(tokens, i, "on") && word_at(tokens, i + 1, "conflict")) {
      while (i + 1 < tokens.size() && !word_at(tokens, i, "do")) ++i;
      if (word_at(tokens, i + 1, "nothing")) {
        const auto insert = std::find_if(out.begin(), out.end(), [](const Token& t) { return is_word(t, "insert"); });
        if (insert != out.end()) out.insert(insert + 1, word_token("IGNORE"));
        i += 1;
      } else {
        out.insert(out.end(), {word_token("ON"), word_token("DUPLICATE"), word_token("KEY"), word_token("UPDATE")});
        upsert = true;
        i += word_at(tokens, i + 2, "set") ? 2 : 1;
      }
    } else if (upsert && word_at(tokens, i, "excluded") && symbol_at(tokens, i + 1, ".") && i + 2 < tokens.size()) {
      out.insert(out.end(), {word_token("VALUES"), symbol_token("("), tokens[i + 2], symbol_token(")")});
      i += 2;
    } else {
      out.push_back(tokens[i]);
    }
  }
  return out;
}

// A table's name is spelled as the scratch table is; columns of other dialects may be words that MySQL reserves.
std::string name_text(const Play& play, const Line& line, const Token& token, bool is_call) {
  if (const auto table = play.schema.find_table(token.text);
      table && std::find(play.tables.begin(), play.tables.end(), *table) != play.tables.end() && !is_call) {
    return fmt::format("`{}`", play.schema.table(*table).name);
  }
  const bool foreign = play.dialect != SqlDialect::kMysql && !is_call &&
                       std::any_of(line.clues.tables.begin(), line.clues.tables.end(), [&](const NamedTable& named) {
                         return play.schema.find_column(named.table, token.text).has_value();
                       });
  if (token.kind == TokenKind::kQuotedName || foreign) return fmt::format("`{}`", token.text);
  return std::string(token.text);
}

std::string for_mariadb(const Play& play, const Line& line, const Wording& wording) {
  Tokens tokens = without_qualifiers(with_defaults(*line.tokens, play, line), play.schema);
  if (play.dialect != SqlDialect::kMysql) tokens = as_mysql(tokens);
  std::string sql;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool tight = i == 0 || symbol_at(tokens, i, ".") || symbol_at(tokens, i, ",") || symbol_at(tokens, i, ")") ||
                       symbol_at(tokens, i - 1, ".") || symbol_at(tokens, i - 1, "(") ||
                       // count (*) is no function call
                       (symbol_at(tokens, i, "(") && is_name(tokens[i - 1]));
    if (!tight) sql += ' ';
    if (token.literal < line.literals.size()) {
      const std::string& value = line.literals[token.literal];
      const bool plain = token.kind == TokenKind::kNumber && !wording.quotes_numbers &&
                         (looks_like_number(value) || value == token.text);
      sql += plain ? value : quoted_value(value, true);
    } else if (is_name(token)) {
      sql += name_text(
          play, line, token,
          symbol_at(tokens, i + 1, "(") && token.kind == TokenKind::kWord && !(i > 0 && table_is_next(tokens, i - 1)));
    } else {
      sql += token.text;
    }
  }
  return sql;
}

}  // namespace

bool names_another_place(const Play& play, const Line& line) {
  const Tokens tokens = without_qualifiers(*line.tokens, play.schema);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!is_name(tokens[i]) || !symbol_at(tokens, i + 1, ".") || !is_name(tokens[i + 2])) continue;
    if (!play.schema.find_table(tokens[i + 2].text) || play.schema.find_table(tokens[i].text)) continue;
    const std::string owner = lower_case(tokens[i].text);
    const bool alias = std::any_of(line.clues.tables.begin(), line.clues.tables.end(),
                                   [&](const NamedTable& named) { return lower_case(named.alias) == owner; });
    if (!alias) return true;
  }
  return false;
}

std::string lock_row(const Line& line) {
  std::string name;
  for (const std::uint32_t literal : line.lock_key) {
    if (literal < line.literals.size()) name += (name.empty() ? "" : ", ") + line.literals[literal];
  }
  return name;
}

std::string sql_text(const Play& play, const Line& line, const Wording& wording) {
  if (!line.lock_key.empty())
    return fmt::format("SELECT name FROM {} WHERE name = {} FOR UPDATE", kLockTable,
                       quoted_value(lock_row(line), wording.server != db::Family::kPostgres));
  return wording.server == db::Family::kPostgres ? for_postgres(play, line, wording) : for_mariadb(play, line, wording);
}

const std::vector<std::string>& postgres_helpers() {
  static const std::vector<std::string> kHelpers = [] {
    constexpr std::string_view kStill = "timestamptz '2024-05-06 07:08:09+00'";
    std::vector<std::string> all;
    for (const std::string_view clock : {"now", "clock_timestamp", "statement_timestamp", "transaction_timestamp",
                                         "sysdate", "utc_timestamp", "localtime"})
      all.push_back(fmt::format("create function {}() returns timestamptz language sql immutable as $$select {}$$",
                                clock == "localtime" ? "\"localtime\"" : clock, kStill));
    const auto add = [&](std::string_view head, std::string_view body) {
      all.push_back(fmt::format("create function {} language sql as $${}$$", head, body));
    };
    add("unix_timestamp() returns bigint", "select 1714979289::bigint");
    add("unix_timestamp(timestamptz) returns bigint", "select extract(epoch from $1)::bigint");
    add("from_unixtime(bigint) returns timestamp", "select to_timestamp($1)::timestamp");
    add("curdate() returns date", "select date '2024-05-06'");
    add("utc_date() returns date", "select date '2024-05-06'");
    add("\"interval\"(numeric) returns interval", "select $1 * pg_catalog.interval '1 day'");
    add("date_sub(timestamptz, interval) returns timestamptz", "select $1 - $2");
    add("date_add(timestamptz, interval) returns timestamptz", "select $1 + $2");
    add("ifnull(anyelement, anyelement) returns anyelement", "select coalesce($1, $2)");
    add("\"if\"(boolean, anyelement, anyelement) returns anyelement", "select case when $1 then $2 else $3 end");
    add("rand() returns double precision", "select random()");
    add("found_rows() returns bigint", "select 0::bigint");
    add("last_insert_id() returns bigint", "select 0::bigint");
    add("find_in_set(text, text) returns int", "select coalesce(array_position(string_to_array($2, ','), $1), 0)");
    add("lpad(bigint, int, int) returns text", "select pg_catalog.lpad($1::text, $2, $3::text)");
    add("lcase(text) returns text", "select lower($1)");
    add("ucase(text) returns text", "select upper($1)");
    // MySQL computes with texts: the number that they begin with, or 0.
    add("isolde_number(text) returns numeric",
        "select coalesce(substring($1 from '^\\s*([-+]?[0-9]+(\\.[0-9]+)?)')::numeric, 0)");
    constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
        {"+", "plus"}, {"-", "minus"}, {"*", "times"}, {"/", "over"}};
    for (const auto& [sign, word] : kSigns) {
      for (const auto& [left, right] : {std::pair("text", "numeric"), std::pair("numeric", "text")}) {
        const auto number = [](std::string_view place, bool is_text) {
          return is_text ? fmt::format("isolde_number({})", place) : std::string(place);
        };
        add(fmt::format("isolde_{}({}, {}) returns numeric", word, left, right),
            fmt::format("select {} {} {}", number("$1", left[0] == 't'), sign, number("$2", right[0] == 't')));
        all.push_back(fmt::format("create operator {} (leftarg = {}, rightarg = {}, function = isolde_{})", sign, left,
                                  right, word));
      }
    }
    add("isolde_add(numeric, text) returns numeric",
        "select case when $2 is null then $1 else coalesce($1, 0) + isolde_number($2) end");
    all.emplace_back("create aggregate sum(text) (sfunc = isolde_add, stype = numeric)");
    all.emplace_back("create aggregate group_concat(text) (sfunc = pg_catalog.textcat, stype = text, initcond = '')");
    return all;
  }();
  return kHelpers;
}

}  // namespace isolde::audit
