#include <unordered_map>

#include "audit/sql/postgres_words.h"
#include "audit/sql/rewrite.h"

namespace isolde::audit {
namespace {

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

const std::unordered_map<std::string_view, RewriteRule>& expression_rules() {
  static const std::unordered_map<std::string_view, RewriteRule> kRules = {
      {"MEMBER",
       [](Draft& draft, std::size_t i) {
         if (!draft.is(draft.next(i), "OF")) return;
         draft.drop(draft.next(i));
         draft.replace(i, "=");
       }},
      {"NOT", rewrite_not},
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

void rewrite_expression_word(Draft& draft, std::size_t i) {
  // A name behind a dot is never a keyword.
  if (draft.is_symbol(draft.prev(i), ".") && draft[i].tight) return;
  const std::string_view word = draft[i].word;
  if (const auto rule = expression_rules().find(word); rule != expression_rules().end()) {
    rule->second(draft, i);
    return;
  }
  if (rewrite_function(draft, i)) return;
  const std::size_t next = draft.next(i);
  if (word.starts_with('_') && draft.is_literal(next)) {
    draft.drop(i);  // _utf8'x'
  } else if ((word == "DATE" || word == "TIME" || word == "TIMESTAMP") && next < draft.size() &&
             draft[next].kind == TokenKind::kString) {
    draft.drop(i);
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
  if (symbol == "," || symbol == ";") {
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
    if (piece.pair != kNone32) {
      if (piece.pair > i) {
        chains.open();
      } else {
        chains.close();
      }
    } else if (piece.verbatim && !piece.dropped) {
      chains.reset();
    }
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
      rewrite_expression_word(draft, i);
    }
  }
}

}  // namespace isolde::audit
