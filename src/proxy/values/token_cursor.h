// proxy/values/token_cursor.h: one statement's tokens, read from the front: words, names, values.
//
// Always:  parameters are counted as they are passed, whether they are read or skipped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "audit/sql/shape.h"
#include "proxy/values/statement.h"

namespace isolde::proxy::values {

using audit::Token;
using audit::TokenKind;

[[nodiscard]] inline bool is_word_of(const Token& token, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return audit::is_word(token, word); });
}

class TokenCursor {
 public:
  TokenCursor(std::span<const Token> tokens, std::uint32_t first_parameter)
      : tokens_(tokens), parameter_(first_parameter) {}

  [[nodiscard]] bool at_end() const { return at_ == tokens_.size(); }
  [[nodiscard]] bool sees(std::string_view word) const { return !at_end() && audit::is_word(tokens_[at_], word); }
  bool word(std::string_view word) {
    if (!sees(word)) return false;
    ++at_;
    return true;
  }
  bool symbol(std::string_view symbol) {
    if (at_end() || !audit::is_symbol(tokens_[at_], symbol)) return false;
    ++at_;
    return true;
  }
  std::optional<std::string> name() {
    if (at_end() || !audit::is_name(tokens_[at_])) return std::nullopt;
    return std::string(tokens_[at_++].text);
  }
  // name, or schema.name
  bool qualified(std::string& schema, std::string& table) {
    auto first = name();
    if (!first) return false;
    if (!symbol(".")) return table = *std::move(first), true;
    auto second = name();
    if (!second) return false;
    schema = *std::move(first);
    table = *std::move(second);
    return true;
  }
  // name, table.name or schema.table.name
  std::optional<std::string> column() {
    auto found = name();
    while (found && symbol(".")) found = name();
    return found;
  }
  // A value that the text has, up to what follows a value; anything else is unknown, and skipped to there.
  Term term() {
    Term out;
    const std::size_t start = at_;
    const bool negative = symbol("-");
    if (at_end()) return out;
    const Token& token = tokens_[at_];
    if (token.kind == TokenKind::kNumber) {
      out = {Term::Kind::kNumber, (negative ? "-" : "") + std::string(token.text)};
    } else if (negative) {
      // of something that is no number
    } else if (token.kind == TokenKind::kString) {
      out = {Term::Kind::kText, std::string(token.text)};
    } else if (token.kind == TokenKind::kParameter && token.text == "?") {
      out.kind = Term::Kind::kParameter;
      out.parameter = parameter_;
    } else if (audit::is_word(token, "null")) {
      out.kind = Term::Kind::kNull;
    }
    if (out.kind != Term::Kind::kUnknown) {
      ++at_;
      if (ends_term()) {
        if (out.kind == Term::Kind::kParameter) ++parameter_;
        return out;
      }
    }
    at_ = start;
    skip_term();
    return {};
  }
  void skip_term() {
    int depth = 0;
    for (; !at_end(); ++at_) {
      if (depth == 0 && ends_term()) return;
      const Token& token = tokens_[at_];
      if (audit::is_symbol(token, "(")) ++depth;
      if (audit::is_symbol(token, ")")) --depth;
      parameter_ += is_parameter(at_) ? 1U : 0U;
    }
  }
  [[nodiscard]] std::size_t place() const { return at_; }
  void go_to(std::size_t place) { at_ = place; }
  // Parameters that were passed on the way count again.
  void go_back(std::size_t place) {
    while (at_ > place) parameter_ -= is_parameter(--at_) ? 1U : 0U;
  }
  [[nodiscard]] bool ends_condition() const {
    static constexpr std::string_view kEnds[] = {"and", "for", "lock", "limit", "order", "returning"};
    return at_end() || is_word_of(tokens_[at_], kEnds);
  }
  // Up to the next AND outside of brackets. False: OR, or an AND that is not one.
  bool skip_condition() {
    static constexpr std::string_view kOthers[] = {"or", "xor", "between", "case"};
    int depth = 0;
    for (; !at_end(); ++at_) {
      const Token& token = tokens_[at_];
      if (depth == 0 && ends_condition()) return true;
      if (depth == 0 && (is_word_of(token, kOthers) || audit::is_symbol(token, "||"))) return false;
      if (audit::is_symbol(token, "(")) ++depth;
      if (audit::is_symbol(token, ")")) --depth;
      parameter_ += is_parameter(at_) ? 1U : 0U;
    }
    return true;
  }

 private:
  [[nodiscard]] bool is_parameter(std::size_t place) const {
    return tokens_[place].kind == TokenKind::kParameter && tokens_[place].text == "?";
  }
  [[nodiscard]] bool ends_term() const {
    static constexpr std::string_view kEnds[] = {"where", "and", "on",   "returning", "order",
                                                 "limit", "for", "lock", "from",      "as"};
    return at_end() || audit::is_symbol(tokens_[at_], ",") || audit::is_symbol(tokens_[at_], ")") ||
           is_word_of(tokens_[at_], kEnds);
  }
  std::span<const Token> tokens_;
  std::size_t at_ = 0;
  std::uint32_t parameter_;
};

}  // namespace isolde::proxy::values
