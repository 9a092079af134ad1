#include "audit/sql/draft.h"

#include <fmt/format.h>

#include <iterator>

#include "audit/sql/postgres_words.h"
#include "audit/sql/scan.h"

namespace isolde::audit {

Draft::Draft(const std::vector<Token>& tokens, SqlDialect with_dialect) : dialect(with_dialect) {
  std::size_t letters = 0;
  for (const Token& token : tokens) letters += token.kind == TokenKind::kWord ? token.text.size() : 0;
  upper.reserve(letters);
  pieces.reserve(tokens.size());
  std::vector<std::uint32_t> open;
  std::size_t end = 0;
  for (const Token& token : tokens) {
    Piece piece{.kind = token.kind, .text = token.text, .word = {}, .literal = token.literal};
    piece.tight = token.offset == end;
    end = token.offset + token.text.size() + (token.kind == TokenKind::kQuotedName ? 2 : 0);
    if (token.kind == TokenKind::kWord) {
      const std::size_t begin = upper.size();
      for (const char c : token.text) upper.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
      piece.word = std::string_view(upper).substr(begin);
    } else if (token.kind == TokenKind::kSymbol && token.text == "(") {
      open.push_back(static_cast<std::uint32_t>(pieces.size()));
    } else if (token.kind == TokenKind::kSymbol && token.text == ")" && !open.empty()) {
      piece.pair = open.back();
      pieces[open.back()].pair = static_cast<std::uint32_t>(pieces.size());
      open.pop_back();
    }
    if (token.literal != kNone32) literals = token.literal + 1;
    pieces.push_back(piece);
  }
  while (!pieces.empty() && pieces.back().kind == TokenKind::kSymbol && pieces.back().text == ";") pieces.pop_back();
}

std::size_t Draft::next(std::size_t i) const {
  do {
    ++i;
  } while (i < size() && pieces[i].dropped);
  return i;
}

std::size_t Draft::prev(std::size_t i) const {
  while (i > 0) {
    if (!pieces[--i].dropped) return i;
  }
  return kNowhere;
}

std::size_t Draft::over(std::size_t i) const {
  if (is_symbol(i, "(")) return close(i) >= size() ? size() : next(close(i));
  return next(i);
}

bool Draft::ends_operand(std::size_t i) const {
  if (i >= size()) return false;
  const Piece& piece = pieces[i];
  switch (piece.kind) {
    case TokenKind::kWord:
      return !comes_before_operand(piece.word) || is_symbol(prev(i), ".");
    case TokenKind::kSymbol:
      return piece.text == ")" || piece.text == "]";
    default:
      return true;
  }
}

std::size_t Draft::find(std::size_t i, std::size_t end, std::string_view upper_word) const {
  for (; i < end; i = over(i)) {
    if (is(i, upper_word)) return i;
  }
  return end;
}

std::size_t Draft::find_symbol(std::size_t i, std::size_t end, std::string_view symbol) const {
  for (; i < end; i = over(i)) {
    if (is_symbol(i, symbol)) return i;
  }
  return end;
}

void Printer::blank(std::string_view next) {
  if (out_.empty() || next.empty()) return;
  const char last = out_.back();
  if (last == '(' || last == '.' || last == ' ') return;
  const char first = next[0];
  if (first == ',' || first == ')' || first == '.' || first == ';' || next == "()") return;
  if (next == "(" && tight_) return;
  out_.push_back(' ');
}

void Printer::text(std::string_view text) {
  if (text.empty()) return;
  blank(text);
  out_.append(text);
}

void Printer::name(std::string_view name) {
  blank("\"");
  out_.push_back('"');
  for (const char c : name) {
    if (c == '\0') continue;
    if (c == '"') out_.push_back('"');
    out_.push_back(c);
  }
  // PostgreSQL has no empty name; a statement with one would not even be listed with the right reason.
  if (name.empty()) out_.push_back(' ');
  out_.push_back('"');
}

void Printer::word(std::size_t i) {
  const Draft::Piece& piece = draft_[i];
  const bool quotes =
      draft_.dialect != SqlDialect::kPostgres &&
      ((piece.text[0] >= '0' && piece.text[0] <= '9') || piece.text[0] == '$' || is_name_elsewhere(piece.word) ||
       (is_type_not_function(piece.word) && draft_.is_symbol(draft_.next(i), "(")));
  if (quotes) {
    name(piece.text);
  } else {
    text(piece.text);
  }
}

void Printer::literal(const Draft::Piece& piece) {
  if (as_parameters_ && !piece.constant) {
    blank("$");
    fmt::format_to(std::back_inserter(out_), "${}", piece.literal + 1);
    return;
  }
  std::string value;
  for (const char c : piece.text) {
    if (c != '\0') value.push_back(c);
  }
  blank("'");
  if (piece.kind == TokenKind::kString) {
    append_quoted(out_, value, SqlDialect::kPostgres);
  } else if (value.size() > 2 && value[0] == '0' && (value[1] == 'x' || value[1] == 'X')) {
    fmt::format_to(std::back_inserter(out_), "x'{}'", value.substr(2));
  } else if (value.size() > 2 && value[0] == '0' && (value[1] == 'b' || value[1] == 'B')) {
    fmt::format_to(std::back_inserter(out_), "b'{}'", value.substr(2));
  } else {
    out_.append(value);
  }
}

void Printer::parameter(const Draft::Piece& piece) {
  std::uint32_t number = 0;
  if (piece.text == "?") {
    number = ++parameters_;
  } else {
    const auto [at, is_new] = named_.try_emplace(piece.text, 0);
    if (is_new) at->second = ++parameters_;
    number = at->second;
  }
  blank("$");
  fmt::format_to(std::back_inserter(out_), "${}", draft_.literals + number);
}

void Printer::piece(std::size_t i) {
  if (i >= draft_.size()) return;
  const Draft::Piece& piece = draft_[i];
  if (piece.dropped) return;
  text(piece.before);
  tight_ = piece.tight;
  if (piece.verbatim) {
    text(piece.text);
  } else if (piece.kind == TokenKind::kWord) {
    word(i);
  } else if (piece.kind == TokenKind::kQuotedName) {
    name(piece.text);
  } else if (piece.kind == TokenKind::kParameter) {
    parameter(piece);
  } else if (piece.literal != kNone32) {
    literal(piece);
  } else {
    // A byte that no grammar has would only hide the real fault.
    text(piece.text[0] == '\0' ? std::string_view("?") : piece.text);
  }
  tight_ = true;
  text(piece.after);
  tight_ = false;
}

void Printer::range(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end && i < draft_.size(); ++i) piece(i);
}

}  // namespace isolde::audit
