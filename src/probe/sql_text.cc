#include "probe/sql_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "probe/words.h"

namespace isolde::probe {
namespace {

struct Place {
  const std::string& file;
  std::uint64_t line, column;
  [[nodiscard]] Error error(std::size_t offset, std::string text) const {
    return Error{std::move(text), file, line, column + offset};
  }
};

std::optional<SqlTerm> term_of(std::string_view word) {
  SqlTerm term;
  if (!word.empty() && is_digit(word[0])) {
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), term.constant);
    if (failed != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return term;
  }
  // T1.1 or T1.1.column
  const std::size_t first = word.find('.');
  const std::size_t second = first == std::string_view::npos ? first : word.find('.', first + 1);
  const auto step = step_name(word.substr(0, second));
  if (!step || step->number == 0) return std::nullopt;
  term.source = {step->transaction, step->number, {}};
  if (second != std::string_view::npos) term.column = std::string(word.substr(second + 1));
  if (second != std::string_view::npos && term.column.empty()) return std::nullopt;
  return term;
}

// What stands between ${ and }; `offset`: of its first character.
Result<SqlPiece> value_piece(std::string_view inside, std::size_t offset, const Place& place) {
  SqlPiece piece;
  if (lower_case(trimmed(inside)) == "for update") {
    piece.kind = SqlPiece::Kind::kForUpdate;
    return piece;
  }
  piece.kind = SqlPiece::Kind::kValue;
  bool minus = false;
  std::size_t at = 0;
  const auto skip = [&] {
    while (at < inside.size() && is_blank(inside[at])) ++at;
  };
  while (true) {
    skip();
    const std::size_t begin = at;
    while (at < inside.size() && (is_letter(inside[at]) || is_digit(inside[at]) || inside[at] == '.')) ++at;
    auto term = term_of(inside.substr(begin, at - begin));
    if (!term)
      return place.error(offset + begin, "expected a statement (T1.2, T1.2.column), a number or \"for update\"");
    term->minus = minus;
    piece.terms.push_back(*std::move(term));
    skip();
    if (at == inside.size()) return piece;
    if (inside[at] != '+' && inside[at] != '-') return place.error(offset + at, "expected \"+\", \"-\" or \"}\"");
    minus = inside[at++] == '-';
  }
}

bool is_table(std::string_view word, std::span<const std::string> tables) {
  const std::string folded = lower_case(word);
  return std::any_of(tables.begin(), tables.end(), [&](const std::string& t) { return lower_case(t) == folded; });
}

Result<std::int64_t> value_of(const SqlTerm& term, const SqlSetting& s) {
  if (term.source.number == 0) return term.constant;
  const std::string name = fmt::format("T{}.{}", term.source.transaction + 1, term.source.number);
  const std::size_t step = statement_at(s.steps, term.source.transaction, term.source.number);
  if (step == kNoStep || !s.so_far.steps[step].done()) return Error{fmt::format("{} has not answered", name)};
  const db::Reply& reply = s.so_far.steps[step].reply;
  if (reply.rows() == 0) return Error{fmt::format("{} returned no row", name)};
  std::size_t column = 0;
  if (term.column.empty()) {
    if (reply.width != 1) return Error{fmt::format("{} returned {} columns: write {}.COLUMN", name, reply.width, name)};
  } else {
    while (column < reply.names.size() && lower_case(reply.names[column]) != lower_case(term.column)) ++column;
    if (column >= reply.names.size() || column >= reply.width)
      return Error{fmt::format("{} has no column {}", name, term.column)};
  }
  if (const auto* integer = std::get_if<std::int64_t>(&reply.at(0, column))) return *integer;
  return Error{fmt::format("{} returned {}, which is not a whole number", name, cell_text(reply.at(0, column)))};
}

Result<std::string> sum_of(const SqlPiece& piece, const SqlSetting& s) {
  std::int64_t sum = 0;
  for (const SqlTerm& term : piece.terms) {
    const auto value = value_of(term, s);
    if (!value) return value.error();
    const bool too_big =
        term.minus ? __builtin_sub_overflow(sum, *value, &sum) : __builtin_add_overflow(sum, *value, &sum);
    if (too_big) return Error{"the value needs more than 64 bits"};
  }
  return fmt::format("{}", sum);
}

}  // namespace

Result<std::vector<SqlPiece>> parse_sql(std::string_view sql, std::span<const std::string> tables,
                                        const std::string& file, std::uint64_t line, std::uint64_t column) {
  const Place place = {file, line, column};
  std::vector<SqlPiece> pieces(1);
  const auto text = [&](std::string_view more) {
    if (pieces.back().kind != SqlPiece::Kind::kText) pieces.emplace_back();
    pieces.back().text += more;
  };
  std::size_t at = 0;
  while (at < sql.size()) {
    const char c = sql[at];
    std::size_t size = 1;
    if (c == '\'' || c == '"' || c == '`') {
      size = quoted_size(sql.substr(at));
      if (size == 0) return place.error(at, fmt::format("the {} that opens here is not closed", c));
      text(sql.substr(at, size));
    } else if (c == '$' && at + 1 < sql.size() && sql[at + 1] == '{') {
      const std::size_t close = sql.find('}', at);
      if (close == std::string_view::npos) return place.error(at, "the ${ that opens here has no }");
      auto piece = value_piece(sql.substr(at + 2, close - at - 2), at + 2, place);
      if (!piece) return std::move(piece).error();
      pieces.push_back(*std::move(piece));
      size = close + 1 - at;
    } else if (is_letter(c)) {
      while (at + size < sql.size() && (is_letter(sql[at + size]) || is_digit(sql[at + size]))) ++size;
      const std::string_view word = sql.substr(at, size);
      if (is_table(word, tables) && (at == 0 || sql[at - 1] != '.')) {
        pieces.push_back({SqlPiece::Kind::kTable, std::string(word), {}});
      } else {
        text(word);
      }
    } else if (is_digit(c)) {
      while (at + size < sql.size() && (is_letter(sql[at + size]) || is_digit(sql[at + size]))) ++size;
      text(sql.substr(at, size));
    } else {
      text(sql.substr(at, size));
    }
    at += size;
  }
  return pieces;
}

Result<std::string> sql_text(std::span<const SqlPiece> pieces, const SqlSetting& setting) {
  std::string out;
  for (const SqlPiece& piece : pieces) {
    switch (piece.kind) {
      case SqlPiece::Kind::kText:
        out += piece.text;
        break;
      case SqlPiece::Kind::kTable:
        out += setting.prefix;
        out += lower_case(piece.text);
        break;
      case SqlPiece::Kind::kForUpdate:
        out += trimmed(setting.dialect.for_update);
        break;
      case SqlPiece::Kind::kValue: {
        auto value = sum_of(piece, setting);
        if (!value) return value;
        out += *value;
        break;
      }
    }
  }
  return out;
}

}  // namespace isolde::probe
