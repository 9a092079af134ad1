#include "history/predicate_statement.h"

#include <fmt/format.h>
#include <pg_query.h>

#include "history/predicate_tree.h"

namespace isolde {
namespace {

using simdjson::dom::array;
using simdjson::dom::object;

// libpg_query writes its tree by recursion, about 160 bytes of stack a level. Only these characters make one level
// each; signs of literals in a list do not.
constexpr std::size_t kMaxOperators = 2048;
constexpr std::string_view kOperators = "+-*/%^|&~!@#?:[";
constexpr std::size_t kMaxJsonDepth = 4096;

std::size_t operator_count(std::string_view text) {
  std::size_t count = 0;
  char before = '(';  // the last character that is no space
  for (const char c : text) {
    if (c == ' ') continue;
    const bool sign_of_literal = c == '-' && (before == ',' || before == '(');
    if (!sign_of_literal && kOperators.find(c) != std::string_view::npos) ++count;
    before = c;
  }
  return count;
}

struct ParseResult {
  explicit ParseResult(const std::string& statement) : raw(pg_query_parse(statement.c_str())) {}
  ParseResult(const ParseResult&) = delete;
  ParseResult& operator=(const ParseResult&) = delete;
  ~ParseResult() { pg_query_free_parse_result(raw); }
  PgQueryParseResult raw;
};

// libpg_query counts characters, Error counts bytes.
std::uint64_t byte_column(std::string_view statement, int position, std::size_t prefix) {
  std::size_t byte = 0;
  for (int character = 1; character < position && byte < statement.size(); ++character) {
    ++byte;
    while (byte < statement.size() && (static_cast<unsigned char>(statement[byte]) & 0xc0) == 0x80) ++byte;
  }
  return byte < prefix ? 1 : byte - prefix + 1;
}

}  // namespace

std::string_view text_field(object fields, std::string_view name) {
  std::string_view text;
  if (fields[name].get(text)) return {};
  return text;
}

Result<object> parse_statement(const std::string& statement, std::size_t prefix, simdjson::dom::parser& parser) {
  object select;
  const std::string_view text = std::string_view(statement).substr(prefix);
  const auto refused = [](std::string why) { return Error{.text = std::move(why), .line = 1, .column = 1}; };
  if (text.size() > kMaxPredicateText) {
    return refused(fmt::format("the text is longer than {} bytes", kMaxPredicateText));
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return Error{.text = "a NUL character in a predicate", .line = 1, .column = nul + 1};
  }
  if (!simdjson::validate_utf8(text.data(), text.size())) return refused("the text is not valid UTF-8");
  if (operator_count(text) > kMaxOperators) {
    return refused(fmt::format("the text has more than {} operators", kMaxOperators));
  }
  const ParseResult result(statement);
  if (result.raw.error != nullptr) {
    return Error{.text = result.raw.error->message,
                 .line = 1,
                 .column = byte_column(statement, result.raw.error->cursorpos, prefix)};
  }
  const std::string_view json(result.raw.parse_tree);
  if (parser.allocate(json.size(), kMaxJsonDepth)) return refused("not enough memory to parse the predicate");
  simdjson::dom::element document;
  if (const auto error = parser.parse(json.data(), json.size()).get(document)) {
    return refused(error == simdjson::DEPTH_ERROR ? "the expression is nested too deeply"
                                                  : simdjson::error_message(error));
  }
  array statements;
  if (document["stmts"].get(statements) || statements.size() != 1 ||
      statements.at(0)["stmt"]["SelectStmt"].get(select)) {
    return refused("expected one expression");
  }
  // `TRUE ORDER BY x` and the like parse too, but are more than an expression.
  array targets;
  for (const auto field : select) {
    if (field.key != "targetList" && field.key != "whereClause" && field.key != "limitOption" && field.key != "op") {
      return refused(fmt::format("expected one expression and nothing after it ({})", field.key));
    }
  }
  if (text_field(select, "op") != "SETOP_NONE" || select["targetList"].get(targets) || targets.size() != 1) {
    return refused("expected one expression");
  }
  return select;
}

}  // namespace isolde
