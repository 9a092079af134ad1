#include <unordered_map>

#include "audit/sql/postgres_words.h"
#include "audit/sql/rewrite.h"

namespace isolde::audit {
namespace {

std::string_view type_for_cast(std::string_view word) {
  static const std::unordered_map<std::string_view, std::string_view> kTypes = {
      {"SIGNED", "bigint"},      {"UNSIGNED", "bigint"},     {"INTEGER", "bigint"},  {"INT", "bigint"},
      {"DECIMAL", "numeric"},    {"DEC", "numeric"},         {"NUMERIC", "numeric"}, {"DATE", "date"},
      {"DATETIME", "timestamp"}, {"TIMESTAMP", "timestamp"}, {"TIME", "time"},       {"BINARY", "bytea"},
      {"BLOB", "bytea"},         {"JSON", "json"},           {"DOUBLE", "float8"},   {"FLOAT", "float8"},
      {"REAL", "float8"},        {"YEAR", "integer"},
  };
  const auto at = kTypes.find(word);
  return at == kTypes.end() ? "text" : at->second;
}

// [begin, end) is a type: its kind is all that matters.
void replace_type(Draft& draft, std::size_t begin, std::size_t end) {
  if (begin >= end || begin >= draft.size()) return;
  draft.drop(begin + 1, end);
  draft.replace(begin, type_for_cast(draft[begin].word));
}

void rewrite_cast(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (!draft.is_symbol(open, "(")) return;
  const std::size_t close = draft.close(open);
  const std::size_t as = draft.find(draft.next(open), close, "AS");
  if (as < close) replace_type(draft, draft.next(as), close);
}

// CONVERT(x USING utf8), CONVERT(x, CHAR)
void rewrite_convert(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (!draft.is_symbol(open, "(")) return;
  const std::size_t close = draft.close(open);
  if (const std::size_t with = draft.find(draft.next(open), close, "USING"); with < close) {
    draft.drop(with, close);
    draft.drop(i);
    draft[open].tight = false;
    return;
  }
  const std::size_t comma = draft.find_symbol(draft.next(open), close, ",");
  if (comma >= close) return;
  draft.replace(i, "CAST");
  draft.replace(comma, "AS");
  replace_type(draft, draft.next(comma), close);
}

constexpr int kLongestInterval = 100;  // pieces, so that a text of nothing but INTERVAL stays linear

// INTERVAL 3 DAY, INTERVAL (a + 1) MINUTE, INTERVAL '1 day'
void rewrite_interval(Draft& draft, std::size_t i) {
  const std::size_t begin = draft.next(i);
  if (begin >= draft.size() || draft.is_symbol(begin, ",") || draft.is_symbol(begin, ")") ||
      draft.is_symbol(begin, ".") || draft.is_symbol(draft.prev(i), ".")) {
    return;
  }
  std::size_t unit = begin;
  for (int steps = 0; unit < draft.size() && !is_time_unit(draft[unit].word); ++steps) {
    if (steps > kLongestInterval || draft.is_symbol(unit, ",") || draft.is_symbol(unit, ")") ||
        draft.is_symbol(unit, ";") || draft.is_any(unit, "AND", "OR", "FROM", "WHERE")) {
      unit = draft.size();
      break;
    }
    unit = draft.over(unit);
  }
  if (unit >= draft.size()) {
    if (!draft.is_symbol(begin, "(") && !draft.is_literal(begin)) return;
    draft.replace(i, "\"interval\"");
    if (draft.is_symbol(begin, "(")) return;
    unit = draft.next(begin);
  } else {
    draft.drop(unit);
    draft.replace(i, "\"interval\"");
  }
  draft[i].after = "(";
  const std::size_t last = draft.prev(unit);
  draft[last].after = ")";
}

// f(UNIT, a, b): the unit is no column.
void drop_unit(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  const std::size_t unit = draft.next(open);
  const std::size_t comma = draft.next(unit);
  if (draft.is_symbol(open, "(") && draft.is_symbol(comma, ",")) draft.drop(unit, comma + 1);
}

void rewrite_group_concat(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (!draft.is_symbol(open, "(")) return;
  const std::size_t close = draft.close(open);
  for (std::size_t at = draft.next(open); at < close; at = draft.over(at)) {
    if (!draft.is_any(at, "SEPARATOR", "LIMIT")) continue;
    draft.drop(at, close);
    return;
  }
}

// JSON_TABLE(a, '$[*]' COLUMNS (…)) AS t: the document is what is read.
void rewrite_json_table(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (!draft.is_symbol(open, "(")) return;
  const std::size_t close = draft.close(open);
  const std::size_t columns = draft.find(draft.next(open), close, "COLUMNS");
  if (columns < close) draft.drop(columns, close);
}

// MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE) becomes MATCH(a, b, 'x')
void rewrite_match(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (draft.dialect == SqlDialect::kSqlite) {
    if (draft.ends_operand(draft.prev(i))) draft.replace(i, "@@");
    return;
  }
  if (!draft.is_symbol(open, "(") || draft.close(open) >= draft.size()) return;
  const std::size_t columns_end = draft.close(open);
  const std::size_t against = draft.next(columns_end);
  const std::size_t argument = draft.next(against);
  if (!draft.is(against, "AGAINST") || !draft.is_symbol(argument, "(")) return;
  draft.replace(columns_end, ",");
  draft.drop(against, argument + 1);
  const std::size_t close = draft.close(argument);
  for (std::size_t at = draft.next(argument); at < close; at = draft.over(at)) {
    if (draft.is_any(at, "IN", "WITH")) {
      draft.drop(at, close);
      break;
    }
  }
}

void rewrite_not(Draft& draft, std::size_t i) {
  const std::size_t next = draft.next(i);
  if (draft.is_any(next, "REGEXP", "RLIKE")) {
    draft.drop(i);
    draft.replace(next, "!~");
  } else if (draft.is(next, "NULL") && draft.dialect == SqlDialect::kSqlite && draft.ends_operand(draft.prev(i))) {
    draft.replace(i, "IS NOT");
  }
}

// SQLite's IS compares any two values.
void rewrite_is(Draft& draft, std::size_t i) {
  std::size_t what = draft.next(i);
  const bool negated = draft.is(what, "NOT");
  if (negated) what = draft.next(what);
  if (draft.is_any(what, "NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT")) return;
  if (negated) draft.drop(draft.next(i));
  draft.replace(i, negated ? "IS DISTINCT FROM" : "IS NOT DISTINCT FROM");
}

void drop_empty_call(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (!draft.is_symbol(open, "(")) return;
  const std::size_t inside = draft.next(open);
  if (draft.is_symbol(inside, ")")) {
    draft.drop(open, inside + 1);
  } else if (draft.is_literal(inside)) {
    draft[inside].constant = true;
  }
}

using Rule = void (*)(Draft&, std::size_t);

const std::unordered_map<std::string_view, Rule>& rules() {
  static const std::unordered_map<std::string_view, Rule> kRules = {
      {"CAST", rewrite_cast},
      {"CONVERT", rewrite_convert},
      {"INTERVAL", rewrite_interval},
      {"TIMESTAMPDIFF", drop_unit},
      {"TIMESTAMPADD", drop_unit},
      {"GET_FORMAT", drop_unit},
      {"GROUP_CONCAT", rewrite_group_concat},
      {"JSON_TABLE", rewrite_json_table},
      {"MATCH", rewrite_match},
      {"MEMBER",
       [](Draft& draft, std::size_t i) {
         if (!draft.is(draft.next(i), "OF")) return;
         draft.drop(draft.next(i));
         draft.replace(i, "=");
       }},
      {"NEXT",
       [](Draft& draft, std::size_t i) {
         const std::size_t value = draft.next(i), with = draft.next(value);
         if (!draft.is(value, "VALUE") || !draft.is(with, "FOR")) return;
         draft.drop(value, draft.next(with) + 1);
         draft.replace(i, "nextval()");
       }},
      {"NOT", rewrite_not},
      {"CURRENT_TIMESTAMP", drop_empty_call},
      {"CURRENT_DATE", drop_empty_call},
      {"CURRENT_TIME", drop_empty_call},
      {"CURRENT_USER", drop_empty_call},
      {"LOCALTIME", drop_empty_call},
      {"LOCALTIMESTAMP", drop_empty_call},
      {"XOR", [](Draft& draft, std::size_t i) { draft.replace(i, "OR"); }},
      {"DIV", [](Draft& draft, std::size_t i) { draft.replace(i, "/"); }},
      {"GLOB", [](Draft& draft, std::size_t i) { draft.replace(i, "LIKE"); }},
      {"MOD",
       [](Draft& draft, std::size_t i) {
         if (draft.ends_operand(draft.prev(i))) draft.replace(i, "%");
       }},
      {"REGEXP",
       [](Draft& draft, std::size_t i) {
         if (draft.ends_operand(draft.prev(i))) draft.replace(i, "~");
       }},
      {"RLIKE", [](Draft& draft, std::size_t i) { draft.replace(i, "~"); }},
      {"SOUNDS",
       [](Draft& draft, std::size_t i) {
         if (!draft.is(draft.next(i), "LIKE")) return;
         draft.drop(draft.next(i));
         draft.replace(i, "=");
       }},
      {"IS",
       [](Draft& draft, std::size_t i) {
         if (draft.dialect == SqlDialect::kSqlite) rewrite_is(draft, i);
       }},
      {"COLLATE", [](Draft& draft, std::size_t i) { draft.drop(i, draft.next(i) + 1); }},
      {"BINARY",
       [](Draft& draft, std::size_t i) {
         const std::size_t next = draft.next(i);
         if (draft.is_name(next) || draft.is_literal(next) || draft.is_symbol(next, "(") ||
             (next < draft.size() && draft[next].kind == TokenKind::kParameter)) {
           draft.drop(i);
         }
       }},
      {"CHAR",
       [](Draft& draft, std::size_t i) {
         const std::size_t open = draft.next(i);
         if (!draft.is_symbol(open, "(")) return;
         const std::size_t close = draft.close(open);
         const std::size_t with = draft.find(draft.next(open), close, "USING");
         if (with < close) draft.drop(with, close);
       }},
      {"DEFAULT",
       [](Draft& draft, std::size_t i) {
         if (draft.is_symbol(draft.next(i), "(")) draft.replace(i, "\"default\"");
       }},
      {"ANY",
       [](Draft& draft, std::size_t i) {
         if (draft.is_symbol(draft.next(i), "(")) draft.replace(i, "ANY");
       }},
      {"SOME",
       [](Draft& draft, std::size_t i) {
         if (draft.is_symbol(draft.next(i), "(")) draft.replace(i, "SOME");
       }},
  };
  return kRules;
}

void rewrite_word(Draft& draft, std::size_t i) {
  // A name behind a dot is never a keyword.
  if (draft.is_symbol(draft.prev(i), ".") && draft[i].tight) return;
  const std::string_view word = draft[i].word;
  if (const auto rule = rules().find(word); rule != rules().end()) {
    rule->second(draft, i);
    return;
  }
  const std::size_t next = draft.next(i);
  if (word.starts_with('_') && draft.is_literal(next)) {
    draft.drop(i);  // _utf8'x'
  } else if ((word == "DATE" || word == "TIME" || word == "TIMESTAMP") && next < draft.size() &&
             draft[next].kind == TokenKind::kString) {
    draft.drop(i);
  } else if ((word == "UTC_TIMESTAMP" || word == "UTC_DATE" || word == "UTC_TIME") && !draft.is_symbol(next, "(")) {
    draft[i].after = "()";
  } else if ((word == "SUBSTR" || word == "MID") && draft.is_symbol(next, "(") &&
             draft.find(draft.next(next), draft.close(next), "FROM") < draft.close(next)) {
    draft.replace(i, "SUBSTRING");
  } else if ((word == "ISNULL" || word == "NOTNULL") && draft.dialect == SqlDialect::kSqlite &&
             draft.ends_operand(draft.prev(i))) {
    draft.replace(i, word);
  }
}

// PostgreSQL does not chain comparisons: in a = b = c the second gets another place in the grammar.
class Chains {
 public:
  void open() { seen_.push_back(false); }
  void close() {
    if (seen_.size() > 1) seen_.pop_back();
  }
  void reset() { seen_.back() = false; }
  // true: the second of a chain.
  bool compare() {
    const bool chained = seen_.back();
    seen_.back() = true;
    return chained;
  }

 private:
  std::vector<bool> seen_ = {false};
};

void rewrite_symbol(Draft& draft, std::size_t i, Chains& chains) {
  const std::string_view symbol = draft[i].text;
  const bool mysql = draft.dialect == SqlDialect::kMysql;
  const std::size_t before = draft.prev(i);
  if (symbol == "(") {
    chains.open();
  } else if (symbol == ")") {
    chains.close();
  } else if (symbol == "," || symbol == ";") {
    chains.reset();
  } else if (symbol == "||" && mysql) {
    chains.reset();
    draft.replace(i, "OR");
  } else if (symbol == "&&" && mysql) {
    chains.reset();
    draft.replace(i, "AND");
  } else if (symbol == "<=>") {
    chains.compare();
    draft.replace(i, "IS NOT DISTINCT FROM");
  } else if (symbol == ":=") {
    if (before != Draft::kNowhere && draft[before].kind == TokenKind::kParameter) {
      draft.drop(before, i + 1);
    } else {
      draft.replace(i, "=");
    }
  } else if (symbol == "{") {
    draft.drop(i);  // {d '2020-01-01'}, {oj …}
    if (draft[draft.next(i) < draft.size() ? draft.next(i) : i].kind == TokenKind::kWord) draft.drop(draft.next(i));
  } else if (symbol == "}") {
    draft.drop(i);
  } else if (symbol == "==" || symbol == "=" || symbol == "<" || symbol == ">" || symbol == "<=" || symbol == ">=" ||
             symbol == "<>" || symbol == "!=") {
    if (chains.compare()) {
      draft.replace(i, draft.keep("OPERATOR(" + std::string(symbol == "==" ? "=" : symbol) + ")"));
    } else if (symbol == "==") {
      draft.replace(i, "=");
    }
  }
}

}  // namespace

void rewrite_expressions(Draft& draft) {
  Chains chains;
  std::size_t cases = 0;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    Draft::Piece& piece = draft[i];
    if (piece.dropped || piece.verbatim) continue;
    if (piece.kind == TokenKind::kSymbol) {
      rewrite_symbol(draft, i, chains);
    } else if (piece.kind == TokenKind::kWord) {
      if (piece.word == "CASE") ++cases;
      if (piece.word == "END" && cases > 0) {
        --cases;
        draft.replace(i, "END");
      }
      if (comes_before_operand(piece.word)) chains.reset();
      rewrite_word(draft, i);
    }
  }
}

}  // namespace isolde::audit
