// Values of strings and quoted names: escapes undone, and literals written.
#include <cstdint>

#include "audit/sql/scan.h"

namespace isolde::audit {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t b) { out.push_back(static_cast<char>(b)); };
  if (code > 0x10ffff) code = 0xfffd;
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

// Up to `most` digits of `base` from text[i] on; i goes behind them.
std::uint32_t read_digits(std::string_view text, std::size_t& i, int most, int base) {
  std::uint32_t value = 0;
  for (; most > 0 && i < text.size() && digit_of(text[i]) < base; --most, ++i) {
    value = value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit_of(text[i]));
  }
  return value;
}

// text[i] follows a backslash; i goes behind the escape.
void append_mysql_escape(std::string& out, std::string_view text, std::size_t& i) {
  const char c = text[i++];
  switch (c) {
    case '0':
      out.push_back('\0');
      return;
    case 'b':
      out.push_back('\b');
      return;
    case 'n':
      out.push_back('\n');
      return;
    case 'r':
      out.push_back('\r');
      return;
    case 't':
      out.push_back('\t');
      return;
    case 'Z':
      out.push_back('\x1a');
      return;
    // LIKE undoes these two.
    case '%':
    case '_':
      out.push_back('\\');
      break;
    default:
      break;
  }
  out.push_back(c);
}

void append_postgres_escape(std::string& out, std::string_view text, std::size_t& i) {
  const char c = text[i];
  if (c >= '0' && c <= '7') {
    out.push_back(static_cast<char>(read_digits(text, i, 3, 8)));
    return;
  }
  ++i;
  switch (c) {
    case 'b':
      out.push_back('\b');
      return;
    case 'f':
      out.push_back('\f');
      return;
    case 'n':
      out.push_back('\n');
      return;
    case 'r':
      out.push_back('\r');
      return;
    case 't':
      out.push_back('\t');
      return;
    case 'x':
      if (i < text.size() && digit_of(text[i]) < 16) {
        out.push_back(static_cast<char>(read_digits(text, i, 2, 16)));
        return;
      }
      break;
    case 'u':
      append_utf8(out, read_digits(text, i, 4, 16));
      return;
    case 'U':
      append_utf8(out, read_digits(text, i, 8, 16));
      return;
    default:
      break;
  }
  out.push_back(c);
}

void append_unicode_escape(std::string& out, std::string_view text, std::size_t& i, char escape) {
  if (text[i] == escape) {
    out.push_back(escape);
    ++i;
  } else if (text[i] == '+') {
    ++i;
    append_utf8(out, read_digits(text, i, 6, 16));
  } else {
    append_utf8(out, read_digits(text, i, 4, 16));
  }
}

}  // namespace

std::string_view Scanner::value(const Scanned& token, std::string& scratch) const {
  if (token.kind != TokenKind::kString && token.kind != TokenKind::kQuotedName) {
    return sql_.substr(token.begin, token.end - token.begin);
  }
  const std::string_view inner = sql_.substr(token.inner_begin, token.inner_end - token.inner_begin);
  if (token.plain) return inner;
  scratch.clear();
  char quote = sql_[token.inner_begin - 1];
  for (std::size_t i = 0; i < inner.size();) {
    const char c = inner[i++];
    if (c == quote) {
      if (i < inner.size() && inner[i] == quote) {
        scratch.push_back(quote);
        ++i;
        continue;
      }
      // The end of one string: its neighbour goes on behind white space.
      while (i < inner.size() && inner[i] != '\'' && inner[i] != '"') ++i;
      if (i < inner.size()) quote = inner[i++];
    } else if (token.escapes == Escapes::kBackslash && c == '\\' && i < inner.size()) {
      if (dialect_ == SqlDialect::kMysql) {
        append_mysql_escape(scratch, inner, i);
      } else {
        append_postgres_escape(scratch, inner, i);
      }
    } else if (token.escapes == Escapes::kUnicode && c == token.escape_char && i < inner.size()) {
      append_unicode_escape(scratch, inner, i, token.escape_char);
    } else {
      scratch.push_back(c);
    }
  }
  return scratch;
}

void append_quoted(std::string& out, std::string_view value, SqlDialect dialect) {
  out.push_back('\'');
  for (const char c : value) {
    if (c == '\'') {
      out.push_back('\'');
    } else if (dialect == SqlDialect::kMysql && (c == '\\' || c == '\0')) {
      out.push_back('\\');
      if (c == '\0') {
        out.push_back('0');
        continue;
      }
    }
    out.push_back(c);
  }
  out.push_back('\'');
}

}  // namespace isolde::audit
