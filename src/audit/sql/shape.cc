#include "audit/sql/shape.h"

#include <cstring>

#include "audit/sql/scan.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

// A literal beside one of these stays a token of its own.
bool is_apart(char c) { return std::string_view(" \t\n\r\f\v,()=<>;+-*/%").find(c) != std::string_view::npos; }

}  // namespace

ShapeTable::ShapeTable(SqlDialect dialect) : dialect_(dialect) {}

LiteralId ShapeTable::intern_literal(std::string_view value) {
  const std::uint64_t hash = hash_bytes(value.data(), value.size());
  std::uint32_t id = by_literal_.find(hash, [&](std::uint32_t i) { return literal(LiteralId{i}) == value; });
  if (id != IdIndex::kAbsent) return LiteralId{id};
  if (chunks_.empty() || chunks_.back().capacity() - chunks_.back().size() < value.size()) {
    chunks_.emplace_back().reserve(value.size() > kChunk ? value.size() : kChunk);
  }
  std::string& chunk = chunks_.back();
  literals_.push_back({static_cast<std::uint32_t>(chunks_.size() - 1), static_cast<std::uint32_t>(chunk.size()),
                       static_cast<std::uint32_t>(value.size())});
  chunk.append(value);
  id = static_cast<std::uint32_t>(literals_.size() - 1);
  by_literal_.insert(hash, id, [&](std::uint32_t i) {
    const std::string_view text = literal(LiteralId{i});
    return hash_bytes(text.data(), text.size());
  });
  return LiteralId{id};
}

// The tokens with a blank behind each; ' stands for a string and '0 for a number: no other token begins with a quote.
std::size_t ShapeTable::write_template(std::string_view sql, std::vector<LiteralId>& literals) {
  if (scratch_.size() < 3 * sql.size()) scratch_.resize(3 * sql.size());
  char* out = scratch_.data();
  Scanner scanner(sql, dialect_);
  Scanned token;
  while (scanner.next(token)) {
    if (token.kind == TokenKind::kString || token.kind == TokenKind::kNumber) {
      literals.push_back(intern_literal(scanner.value(token, value_)));
      *out++ = '\'';
      if (token.kind == TokenKind::kNumber) *out++ = '0';
    } else {
      const std::size_t size = token.end - token.begin;
      std::memcpy(out, sql.data() + token.begin, size);
      out += size;
    }
    *out++ = ' ';
  }
  return static_cast<std::size_t>(out - scratch_.data());
}

ShapeId ShapeTable::intern(std::string_view sql, std::vector<LiteralId>& literals) {
  const std::size_t first = literals.size();
  const std::size_t size = write_template(sql, literals);
  const std::string_view shape(scratch_.data(), size);
  const std::uint64_t hash = hash_bytes(shape.data(), shape.size());
  std::uint32_t id = by_template_.find(hash, [&](std::uint32_t i) { return templates_[i] == shape; });
  if (id != IdIndex::kAbsent) return ShapeId{id};
  id = static_cast<std::uint32_t>(examples_.size());
  examples_.emplace_back(sql);
  templates_.emplace_back(shape);
  literal_counts_.push_back(static_cast<std::uint32_t>(literals.size() - first));
  by_template_.insert(hash, id,
                      [&](std::uint32_t i) { return hash_bytes(templates_[i].data(), templates_[i].size()); });
  return ShapeId{id};
}

std::string ShapeTable::text(ShapeId shape, const LiteralId* literals) const {
  const std::string_view sql = example(shape);
  std::string out, scratch;
  out.reserve(sql.size() + 16);
  Scanner scanner(sql, dialect_);
  Scanned token;
  std::size_t copied = 0;
  // Two strings with nothing but blanks between them would become one.
  constexpr std::string_view kApart = "/**/";
  bool after_string = false, after_new_string = false;
  for (std::size_t i = 0; scanner.next(token);) {
    const bool was_after_string = after_string, was_after_new_string = after_new_string;
    after_string = token.kind == TokenKind::kString;
    after_new_string = false;
    if (token.kind != TokenKind::kString && token.kind != TokenKind::kNumber) continue;
    const LiteralId id = literals[i++];
    const std::string_view value = id == kNoLiteral ? std::string_view() : literal(id);
    const bool same = id == kNoLiteral || value == scanner.value(token, scratch);
    const bool as_number = token.kind == TokenKind::kNumber && (same || is_number(value, dialect_));
    const bool apart = !as_number && was_after_string && (!same || was_after_new_string);
    if (same && !apart) continue;
    out.append(sql.substr(copied, token.begin - copied));
    copied = token.end;
    if (apart) {
      out.append(kApart);
    } else if (!out.empty() && !is_apart(out.back())) {
      out.push_back(' ');
    }
    if (same) {
      out.append(sql.substr(token.begin, token.end - token.begin));
    } else if (as_number) {
      out.append(value);
    } else {
      append_quoted(out, value, dialect_);
      after_string = true;
      after_new_string = true;
    }
    if (copied < sql.size() && !is_apart(sql[copied])) out.push_back(' ');
  }
  out.append(sql.substr(copied));
  return out;
}

}  // namespace isolde::audit
