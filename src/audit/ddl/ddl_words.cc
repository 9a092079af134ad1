#include "audit/ddl/ddl_words.h"

#include <algorithm>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

// What is kept of a statement that is no DDL: enough to know COPY … FROM stdin.
constexpr std::size_t kMostKeptWords = 4096;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_ddl_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' || (c & 0x80) != 0;
}

bool mentions(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [](char a, char b) { return lower(a) == b; }) != text.end();
}

bool looks_as_mysql(std::string_view text) {
  text = text.substr(0, 1 << 20);
  return mentions(text, "create table `") || mentions(text, "engine=") || mentions(text, "engine =") ||
         mentions(text, "auto_increment") || mentions(text, "create table if not exists `") ||
         mentions(text, "foreign_key_checks");
}

}  // namespace

bool DdlWord::is(std::string_view word) const {
  return kind == Kind::kWord && text.size() == word.size() &&
         std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) { return lower(a) == b; });
}

DdlWords::DdlWords(std::string_view text) : text_(text), mysql_(looks_as_mysql(text)) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

void DdlWords::skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

void DdlWords::skip_space() {
  while (at_ < text_.size()) {
    const std::string_view rest = text_.substr(at_);
    if (is_space(rest[0])) {
      ++at_;
    } else if (rest.starts_with("--") || (mysql_ && rest[0] == '#')) {
      skip_line();
    } else if (rest.starts_with("/*!") || rest.starts_with("/*M!")) {
      at_ += rest[2] == '!' ? 3 : 4;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    } else if (rest.starts_with("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else if (rest.starts_with("*/")) {  // of /*! … */
      at_ += 2;
    } else {
      return;
    }
  }
}

// From the first quote on; without the quotes, doubled ones undone.
std::string DdlWords::quoted(char end, bool backslashes) {
  std::string out;
  for (++at_; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\\' && backslashes && at_ + 1 < text_.size()) {
      out += text_[++at_];
    } else if (c != end) {
      out += c;
    } else if (at_ + 1 < text_.size() && text_[at_ + 1] == end) {
      out += c;
      ++at_;
    } else {
      ++at_;
      return out;
    }
  }
  return out;
}

DdlWord DdlWords::word() {
  using Kind = DdlWord::Kind;
  const std::size_t start = at_;
  const char c = text_[at_];
  if (c == '`' || c == '"') return {Kind::kName, quoted(c, false), start, false};
  if (c == '[' && at_ + 1 < text_.size() && is_ddl_word_char(text_[at_ + 1]) && !is_digit(text_[at_ + 1])) {
    const std::size_t end = text_.find_first_of("]\n", at_);
    if (end != std::string_view::npos && text_[end] == ']') {
      at_ = end + 1;
      return {Kind::kName, std::string(text_.substr(start + 1, end - start - 1)), start, false};
    }
  }
  const bool escapes = (c == 'e' || c == 'E') && at_ + 1 < text_.size() && text_[at_ + 1] == '\'';
  if (c == '\'' || escapes) {
    if (escapes) ++at_;
    (void)quoted('\'', mysql_ || escapes);
    return {Kind::kString, std::string(text_.substr(start, at_ - start)), start, false};
  }
  if (c == '$' && !mysql_) {  // PostgreSQL's $tag$ … $tag$
    const std::size_t tag_end = text_.find('$', at_ + 1);
    if (tag_end != std::string_view::npos &&
        std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
                    text_.begin() + static_cast<std::ptrdiff_t>(tag_end), is_ddl_word_char)) {
      const std::string_view tag = text_.substr(at_, tag_end + 1 - at_);
      const std::size_t end = text_.find(tag, tag_end + 1);
      at_ = end == std::string_view::npos ? text_.size() : end + tag.size();
      return {Kind::kString, "''", start, false};
    }
  }
  if (is_ddl_word_char(c)) {
    // A number may have a fraction; a name may begin with a digit (MySQL).
    bool number = true;
    while (at_ < text_.size() && (is_ddl_word_char(text_[at_]) || (text_[at_] == '.' && number))) {
      number = number && (is_digit(text_[at_]) || text_[at_] == '.');
      ++at_;
    }
    return {number ? Kind::kNumber : Kind::kWord, std::string(text_.substr(start, at_ - start)), start, false};
  }
  at_ += text_.substr(at_).starts_with("::") ? 2 : 1;
  return {Kind::kSymbol, std::string(text_.substr(start, at_ - start)), start, false};
}

void DdlWords::skip_copied_rows() {
  skip_line();
  while (at_ < text_.size()) {
    ++at_;
    const std::size_t start = at_;
    skip_line();
    if (text_.substr(start).starts_with("\\.")) return;
  }
}

bool DdlWords::next(std::vector<DdlWord>& words) {
  words.clear();
  while (true) {
    const std::size_t before = at_;
    skip_space();
    if (at_ >= text_.size()) return !words.empty();
    if (text_[at_] == ';') {
      ++at_;
      if (words.empty()) continue;
      if (words[0].is("copy") &&
          std::any_of(words.begin(), words.end(), [](const DdlWord& w) { return w.is("stdin"); }))
        skip_copied_rows();
      return true;
    }
    if (text_[at_] == '\\' && words.empty()) {  // psql's
      skip_line();
      continue;
    }
    const bool spaced = at_ != before;
    DdlWord next = word();
    next.spaced = spaced;
    const bool kept = words.empty() || words[0].is("create") || words[0].is("alter") || words.size() < kMostKeptWords;
    if (kept) words.push_back(std::move(next));
  }
}

}  // namespace isolde::audit
