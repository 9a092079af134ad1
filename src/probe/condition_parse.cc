#include <fmt/format.h>

#include <charconv>

#include "probe/condition.h"
#include "probe/words.h"

namespace isolde::probe {
namespace {

using Op = Condition::Op;

struct Token {
  enum class Kind : std::uint8_t { kWord, kNumber, kText, kMark, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;  // kText: with its quotes
  std::uint64_t line = 0, column = 0;
};

class Tokens {
 public:
  Tokens(std::string_view text, const std::string& file, std::uint64_t line, std::uint64_t column)
      : rest_(text), file_(file), line_(line), column_(column) {
    next();
  }
  [[nodiscard]] const Token& here() const { return here_; }
  [[nodiscard]] bool at(std::string_view word) const { return here_.kind != Token::Kind::kEnd && here_.text == word; }
  bool take(std::string_view word) {
    if (!at(word)) return false;
    next();
    return true;
  }
  void next();
  [[nodiscard]] Error error(std::string_view expected) const {
    const std::string found = here_.kind == Token::Kind::kEnd ? "the end" : fmt::format("\"{}\"", here_.text);
    return Error{fmt::format("expected {}, found {}", expected, found), file_, here_.line, here_.column};
  }

 private:
  void advance(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      if (rest_[i] == '\n') {
        ++line_;
        column_ = 1;
      } else {
        ++column_;
      }
    }
    rest_.remove_prefix(n);
  }

  std::string_view rest_;
  const std::string& file_;
  std::uint64_t line_, column_;
  Token here_;
};

void Tokens::next() {
  std::size_t blanks = 0;
  while (blanks < rest_.size() && (is_blank(rest_[blanks]) || rest_[blanks] == '\n')) ++blanks;
  advance(blanks);
  here_ = {Token::Kind::kEnd, {}, line_, column_};
  if (rest_.empty()) return;
  std::size_t size = 1;
  const char c = rest_[0];
  if (is_letter(c)) {
    while (size < rest_.size() && (is_letter(rest_[size]) || is_digit(rest_[size]) || rest_[size] == '.')) ++size;
    here_.kind = Token::Kind::kWord;
  } else if (is_digit(c) || c == '-') {
    while (size < rest_.size() && (is_digit(rest_[size]) || rest_[size] == '.')) ++size;
    here_.kind = Token::Kind::kNumber;
  } else if (c == '\'') {
    size = quoted_size(rest_);
    here_.kind = size == 0 ? Token::Kind::kMark : Token::Kind::kText;
    if (size == 0) size = 1;
  } else {
    here_.kind = Token::Kind::kMark;
  }
  here_.text = rest_.substr(0, size);
  advance(size);
}

class ConditionParser {
 public:
  ConditionParser(std::string_view text, const std::string& file, std::uint64_t line, std::uint64_t column)
      : t_(text, file, line, column) {}

  Result<Condition> parse() {
    bool operand_next = true;
    while (true) {
      if (operand_next) {
        if (t_.take("not")) {
          operators_.push_back(Pending::kNot);
        } else if (t_.take("(")) {
          operators_.push_back(Pending::kOpen);
        } else {
          if (auto e = test()) return *std::move(e);
          operand_next = false;
        }
      } else if (t_.take("and")) {
        reduce(Pending::kAnd);
        operators_.push_back(Pending::kAnd);
        operand_next = true;
      } else if (t_.take("or")) {
        reduce(Pending::kOr);
        operators_.push_back(Pending::kOr);
        operand_next = true;
      } else if (t_.at(")") && close()) {
        t_.next();
      } else if (t_.here().kind == Token::Kind::kEnd) {
        reduce(Pending::kOr);
        if (!operators_.empty()) return t_.error("\")\"");
        return std::move(c_);
      } else {
        return t_.error("\"and\", \"or\" or the end of the condition");
      }
    }
  }

 private:
  enum class Pending : std::uint8_t { kOpen, kOr, kAnd, kNot };  // the tighter the later

  void reduce(Pending at_least) {
    while (!operators_.empty() && operators_.back() != Pending::kOpen && operators_.back() >= at_least) {
      const Pending top = operators_.back();
      operators_.pop_back();
      c_.postfix.push_back({top == Pending::kNot ? Op::kNot : top == Pending::kAnd ? Op::kAnd : Op::kOr, 0});
    }
  }

  bool close() {
    reduce(Pending::kOr);
    if (operators_.empty()) return false;
    operators_.pop_back();
    return true;
  }

  // T1 committed | T1.2 is …
  std::optional<Error> test() {
    Test test;
    test.line = t_.here().line;
    test.column = t_.here().column;
    bool whole_transaction = false;
    if (auto e = source(test.subject, &whole_transaction)) return e;
    if (auto e = whole_transaction ? end_of(test) : result_of(test)) return e;
    c_.postfix.push_back({Op::kTest, c_.tests.size()});
    c_.tests.push_back(std::move(test));
    return std::nullopt;
  }

  std::optional<Error> end_of(Test& test) {
    if (t_.take("committed")) {
      test.kind = Test::Kind::kCommitted;
      return std::nullopt;
    }
    if (t_.take("rolled")) {
      test.kind = Test::Kind::kRolledBack;
      return t_.take("back") ? std::nullopt : std::optional(t_.error("\"back\""));
    }
    return t_.error("\"committed\" or \"rolled back\"");
  }

  std::optional<Error> result_of(Test& test) {
    const bool is_table = test.subject.number == 0;
    if (t_.take("is") || t_.take("returned")) {
      test.negated = t_.take("not");
      return rows(test);
    }
    if (t_.take("has")) {
      if (t_.at("(")) {
        test.kind = Test::Kind::kHas;
        return row(test);
      }
      test.kind = Test::Kind::kRows;
      if (auto e = bound(test, "a row like (1, 10), \"at least\", \"at most\" or a number of rows")) return e;
      return t_.take("rows") || t_.take("row") ? std::nullopt : std::optional(t_.error("\"rows\""));
    }
    if (!is_table && t_.take("changed")) {
      test.kind = Test::Kind::kChanged;
      if (auto e = bound(test, "\"at least\", \"at most\" or a number of rows")) return e;
      if (!t_.take("rows")) t_.take("row");
      return std::nullopt;
    }
    if (!is_table && t_.take("failed")) {
      test.kind = Test::Kind::kFailed;
      return std::nullopt;
    }
    if (!is_table && t_.take("waited")) {
      test.kind = Test::Kind::kWaited;
      return std::nullopt;
    }
    return t_.error(is_table ? "\"is\" or \"has\""
                             : "\"is\", \"returned\", \"has\", \"changed\", \"failed\" or \"waited\"");
  }

  std::optional<Error> bound(Test& test, std::string_view expected) {
    if (t_.take("at")) {
      if (t_.take("least")) {
        test.bound = Bound::kAtLeast;
      } else if (t_.take("most")) {
        test.bound = Bound::kAtMost;
      } else {
        return t_.error("\"least\" or \"most\"");
      }
      expected = "a number of rows";
    }
    const std::string_view digits = t_.here().text;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), test.count);
    if (t_.here().kind != Token::Kind::kNumber || failed != std::errc() || end != digits.data() + digits.size())
      return t_.error(expected);
    t_.next();
    return std::nullopt;
  }

  std::optional<Error> source(Source& source, bool* whole_transaction) {
    const Token& here = t_.here();
    if (here.kind == Token::Kind::kWord && here.text == "final") {
      t_.next();
      constexpr std::string_view kVerbs[] = {"is", "has", "returned", "and", "or"};
      bool named = t_.here().kind == Token::Kind::kWord;
      for (const std::string_view verb : kVerbs) named = named && !t_.at(verb);
      if (named) {
        source.table = std::string(t_.here().text);
        t_.next();
      }
      return std::nullopt;
    }
    const auto step = here.kind == Token::Kind::kWord ? step_name(here.text) : std::nullopt;
    if (!step || (step->number == 0 && whole_transaction == nullptr))
      return t_.error(whole_transaction == nullptr ? "a statement (T1.2) or \"final\""
                                                   : "a transaction (T1), a statement (T1.2) or \"final\"");
    source.transaction = step->transaction;
    source.number = step->number;
    if (whole_transaction != nullptr) *whole_transaction = step->number == 0;
    t_.next();
    return std::nullopt;
  }

  // empty | T1.1 | final | (1, 10), (2, 20)
  std::optional<Error> rows(Test& test) {
    test.kind = Test::Kind::kIs;
    if (t_.take("empty") || t_.take("nothing")) return std::nullopt;
    if (t_.here().kind == Token::Kind::kWord) {
      test.kind = Test::Kind::kIsSource;
      return source(test.other, nullptr);
    }
    do {
      if (auto e = row(test)) return e;
    } while (t_.take(","));
    return std::nullopt;
  }

  std::optional<Error> row(Test& test) {
    if (!t_.take("(")) return t_.error("rows like (1, 10), (2, 20), \"empty\", a statement (T1.1) or \"final\"");
    RowPattern pattern;
    do {
      const Token token = t_.here();
      if (token.text == "*") {
        pattern.emplace_back(AnyCell{});
      } else {
        auto cell = cell_named(token.text);
        if (!cell || token.kind == Token::Kind::kEnd) return t_.error("a number, a text in quotes, null or *");
        pattern.emplace_back(*std::move(cell));
      }
      t_.next();
    } while (t_.take(","));
    if (!t_.take(")")) return t_.error("\",\" or \")\"");
    test.rows.push_back(std::move(pattern));
    return std::nullopt;
  }

  Tokens t_;
  Condition c_;
  std::vector<Pending> operators_;
};

}  // namespace

Result<Condition> parse_condition(std::string_view text, const std::string& file, std::uint64_t line,
                                  std::uint64_t column) {
  return ConditionParser(text, file, line, column).parse();
}

}  // namespace isolde::probe
