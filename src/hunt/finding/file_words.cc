#include "hunt/finding/file_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"

namespace isolde::hunt {
namespace {

constexpr std::size_t kColumns = 120;

constexpr std::string_view kLineBreakClauses[] = {
    "from",  "where", "group by", "having", "order by",  "limit",  "set", "values", "on conflict", "on duplicate",
    "using", "when",  "union",    "except", "intersect", "select", "for", "join",   "left join"};

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool is_plain_name_character(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// How long the UTF-8 sequence at the start of `text` is; 0: it is none. Sequences that are longer than need be and
// surrogates are let through: they are only to be shown.
std::size_t sequence_size(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t size = first < 0x80   ? 1
                           : first < 0xc2 ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  if (size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  return size;
}

bool is_plain_text(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.front() == '"' || text.front() == '#')
    return false;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = is_control(text[i]) ? 0 : sequence_size(text.substr(i));
    if (size == 0) return false;
    i += size;
  }
  return true;
}

void append_escaped(std::string& out, std::string_view text, bool quotes) {
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t size = is_control(c) ? 0 : sequence_size(text.substr(i));
    if (c == '\\' || (quotes && c == '"')) {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (size == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += text.substr(i, size);
    }
    i += std::max<std::size_t>(size, 1);
  }
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

// The escape at text[at] == '\\'; moves `at` behind it.
std::optional<char> escape_at(std::string_view text, std::size_t& at) {
  if (at + 1 >= text.size()) return std::nullopt;
  const char kind = text[at + 1];
  if (kind == 'x') {
    if (at + 3 >= text.size()) return std::nullopt;
    const int high = digit_of(text[at + 2]), low = digit_of(text[at + 3]);
    if (high < 0 || low < 0) return std::nullopt;
    at += 4;
    return static_cast<char>(high * 16 + low);
  }
  if (kind != 'n' && kind != '\\' && kind != '"') return std::nullopt;
  at += 2;
  return kind == 'n' ? '\n' : kind;
}

// The text in double quotes at text[at] == '"'; moves `at` behind it.
std::optional<std::string> quoted_at(std::string_view text, std::size_t& at) {
  std::string out;
  for (++at; at < text.size();) {
    if (text[at] == '"') {
      ++at;
      return out;
    }
    if (text[at] != '\\') {
      out += text[at++];
    } else if (const auto c = escape_at(text, at)) {
      out += *c;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

void skip_blanks(std::string_view text, std::size_t& at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
}

bool clause_begins(std::string_view text) {
  return std::any_of(std::begin(kLineBreakClauses), std::end(kLineBreakClauses), [&](std::string_view clause) {
    if (text.size() < clause.size() || (text.size() > clause.size() && is_plain_name_character(text[clause.size()])))
      return false;
    return std::equal(clause.begin(), clause.end(), text.begin(), [](char a, char b) { return a == lower(b); });
  });
}

// Where SQL may go on in the next line: after single blanks outside of quotes.
struct Break {
  std::size_t at = 0;  // of what follows the blank
  bool clause = false;
};
std::vector<Break> breaks_of(std::string_view sql) {
  std::vector<Break> breaks;
  std::size_t depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    const char c = sql[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"' || c == '`') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      depth -= depth > 0 ? 1 : 0;
    } else if (c == ' ' && i > 0 && sql[i - 1] != ' ' && sql[i + 1] != ' ' && sql[i + 1] != '#') {
      const std::string_view so_far = sql.substr(0, i);
      const bool goes_on = so_far.ends_with("left") || so_far.ends_with("update");  // join; set
      breaks.push_back({i + 1, depth == 0 && !goes_on && clause_begins(sql.substr(i + 1))});
    }
  }
  return breaks;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text, true);
  return out + '"';
}

std::string spelled(std::string_view text) { return is_plain_text(text) ? std::string(text) : escaped(text); }

std::string spelled_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_plain_name_character) ? std::string(name)
                                                                                         : escaped(name);
}

std::string spelled_sql(std::string_view sql, std::size_t used, std::size_t indent) {
  if (!is_plain_text(sql)) return escaped(sql);
  if (used + sql.size() <= kColumns) return std::string(sql);
  const std::string next_line = "\n" + std::string(indent, ' ');
  std::string out;
  const std::vector<Break> breaks = breaks_of(sql);
  std::size_t from = 0, column = used;
  // A line ends before a clause, or at the last place before it grows too long.
  std::size_t last = 0;
  const auto break_at = [&](std::size_t at) {
    out += sql.substr(from, at - 1 - from);
    out += next_line;
    from = at;
    column = indent;
    last = 0;
  };
  for (const Break& place : breaks) {
    if (last > from && column + (place.at - 1 - from) > kColumns) break_at(last);
    last = place.at;
    if (place.clause) break_at(place.at);
  }
  if (last > from && column + (sql.size() - from) > kColumns) break_at(last);
  out += sql.substr(from);
  return out;
}

std::string spelled_cell(std::string_view cell) {
  const Pieces read = is_plain_text(cell) ? cells_of(cell) : Pieces{};
  const bool same = !read.problem && read.pieces.size() == 1 && read.pieces[0].text == cell;
  return same ? std::string(cell) : escaped(cell);
}

std::string spelled_line(std::string_view line) {
  std::string out;
  const bool blank_end = line.ends_with(' ');
  append_escaped(out, blank_end ? line.substr(0, line.size() - 1) : line, false);
  if (blank_end) out += "\\x20";
  return out;
}

std::optional<std::string> unspelled(std::string_view text) {
  if (!text.starts_with('"')) return std::string(text);
  std::size_t at = 0;
  auto out = quoted_at(text, at);
  return at == text.size() ? out : std::nullopt;
}

std::optional<std::string> unspelled_line(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] != '\\') {
      out += line[at++];
    } else if (const auto c = escape_at(line, at)) {
      out += *c;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

Pieces cells_of(std::string_view row) {
  Pieces read;
  std::size_t at = 0;
  while (true) {
    skip_blanks(row, at);
    const std::size_t begin = at;
    Piece cell{.text = {}, .quoted = at < row.size() && row[at] == '"', .offset = begin};
    if (cell.quoted) {
      auto text = quoted_at(row, at);
      skip_blanks(row, at);
      if (!text || (at < row.size() && row[at] != ',')) return {{}, begin};
      cell.text = *std::move(text);
    } else {
      std::size_t depth = 0;
      char quote = 0;
      for (; at < row.size() && (quote != 0 || depth > 0 || row[at] != ','); ++at) {
        const char c = row[at];
        if (quote != 0) {
          quote = c == quote ? '\0' : quote;
        } else if (c == '\'') {
          quote = c;
        } else if (c == '(') {
          ++depth;
        } else if (c == ')') {
          if (depth == 0) return {{}, at};
          --depth;
        }
      }
      std::size_t end = at;
      while (end > begin && (row[end - 1] == ' ' || row[end - 1] == '\t')) --end;
      if (quote != 0 || depth != 0 || end == begin) return {{}, begin};
      cell.text = std::string(row.substr(begin, end - begin));
    }
    read.pieces.push_back(std::move(cell));
    if (at >= row.size()) return read;
    ++at;
  }
}

Pieces words_of(std::string_view line) {
  Pieces read;
  for (std::size_t at = 0; skip_blanks(line, at), at < line.size();) {
    const std::size_t begin = at;
    if (line[at] == '"') {
      auto text = quoted_at(line, at);
      if (!text) return {{}, begin};
      read.pieces.push_back({*std::move(text), true, begin});
      continue;
    }
    constexpr std::string_view kAlone = ",()";
    if (kAlone.find(line[at]) != std::string_view::npos) {
      ++at;
    } else {
      at = std::min(line.find_first_of(" \t,()\"", at), line.size());
    }
    read.pieces.push_back({std::string(line.substr(begin, at - begin)), false, begin});
  }
  return read;
}

}  // namespace isolde::hunt
