#include "hunt/finding/schema_text.h"

#include <algorithm>

namespace isolde::hunt {
namespace {

bool is_sql_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string_view without_outer_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The part of `create` that makes the column.
std::vector<std::string>::iterator part_of(CreateTable& create, std::string_view column) {
  return std::find_if(create.parts.begin(), create.parts.end(), [&](const std::string& part) {
    const std::vector<std::string> words = words_in_sql(part);
    return !words.empty() && words[0] == column;
  });
}

}  // namespace

std::string CreateTable::text() const {
  std::string out = before;
  for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : ", ") + parts[i];
  return out + after;
}

std::optional<CreateTable> parse_create_table(std::string_view sql) {
  const std::size_t open = sql.find('(');
  if (open == std::string_view::npos) return std::nullopt;
  CreateTable create{.before = std::string(sql.substr(0, open + 1)), .after = {}, .parts = {}};
  std::size_t depth = 0, begin = open + 1;
  char quote = 0;
  for (std::size_t i = open; i < sql.size(); ++i) {
    const char c = sql[i];
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"' || c == '`') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if ((c == ',' && depth == 1) || (c == ')' && depth == 1)) {
      create.parts.emplace_back(without_outer_spaces(sql.substr(begin, i - begin)));
      begin = i + 1;
      if (c == ',') continue;
      create.after = std::string(sql.substr(i));
      return create;
    } else if (c == ')') {
      --depth;
    }
  }
  return std::nullopt;
}

std::vector<std::string> words_in_sql(std::string_view sql) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < sql.size();) {
    const char c = sql[i];
    if (c == '\'') {
      i = std::min(sql.find('\'', i + 1), sql.size() - 1) + 1;
    } else if (c == '"' || c == '`') {
      const std::size_t end = std::min(sql.find(c, i + 1), sql.size());
      words.emplace_back(sql.substr(i + 1, end - i - 1));
      i = std::min(end + 1, sql.size());
    } else if (is_sql_name_character(c)) {
      const std::size_t begin = i;
      while (i < sql.size() && is_sql_name_character(sql[i])) ++i;
      words.emplace_back(sql.substr(begin, i - begin));
    } else {
      ++i;
    }
  }
  return words;
}

bool has_word(std::string_view sql, std::string_view word) {
  const std::vector<std::string> words = words_in_sql(sql);
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool remove_column(Table& table, std::string_view column) {
  auto create = parse_create_table(table.create);
  if (!create || create->parts.size() < 2) return false;
  const auto part = part_of(*create, column);
  const auto named = std::find(table.columns.begin(), table.columns.end(), column);
  if (part == create->parts.end() || named == table.columns.end()) return false;
  create->parts.erase(part);
  table.create = create->text();
  table.columns.erase(named);
  std::erase_if(table.foreign_keys, [&](const ForeignKey& key) { return key.column == column; });
  if (table.trigger && (table.trigger->column == column || table.trigger->from == column)) table.trigger.reset();
  const auto inserted = std::find(table.inserted.begin(), table.inserted.end(), column);
  if (inserted == table.inserted.end()) return true;
  const auto index = inserted - table.inserted.begin();
  for (std::vector<std::string>& row : table.rows)
    if (static_cast<std::size_t>(index) < row.size()) row.erase(row.begin() + index);
  table.inserted.erase(inserted);
  return true;
}

bool remove_constraint(Table& table, std::string_view text) {
  auto create = parse_create_table(table.create);
  if (!create || create->parts.size() < 2) return false;
  const auto part = std::find(create->parts.begin(), create->parts.end(), text);
  if (part == create->parts.end()) return false;
  create->parts.erase(part);
  table.create = create->text();
  if (has_word(text, "references"))
    std::erase_if(table.foreign_keys, [&](const ForeignKey& key) { return has_word(text, key.column); });
  return true;
}

bool remove_not_null(Table& table, std::string_view column) {
  constexpr std::string_view kNotNull = " not null";
  auto create = parse_create_table(table.create);
  if (!create) return false;
  const auto part = part_of(*create, column);
  const std::size_t at = part == create->parts.end() ? std::string::npos : part->find(kNotNull);
  if (at == std::string::npos) return false;
  part->erase(at, kNotNull.size());
  table.create = create->text();
  return true;
}

bool remove_reference(Table& table, std::string_view column) {
  auto create = parse_create_table(table.create);
  if (!create) return false;
  const auto part = part_of(*create, column);
  if (part == create->parts.end()) return false;
  const std::size_t at = part->find(" references ");
  if (at == std::string::npos) return false;
  part->resize(at);
  table.create = create->text();
  std::erase_if(table.foreign_keys, [&](const ForeignKey& key) { return key.column == column; });
  return true;
}

}  // namespace isolde::hunt
