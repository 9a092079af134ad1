// hunt/finding/schema_text.h: CREATE TABLE as a list of columns and constraints, so that some can be left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hunt/case/case.h"

namespace isolde::hunt {

// "create table t (" · "a int", "primary key (a)" · ") engine=InnoDB". None: it has no parentheses that close.
struct CreateTable {
  std::string before, after;
  std::vector<std::string> parts;

  [[nodiscard]] std::string text() const;
};
[[nodiscard]] std::optional<CreateTable> parse_create_table(std::string_view sql);

// Names, keywords and numbers outside of single quotes; without the quotes of quoted names.
[[nodiscard]] std::vector<std::string> words_in_sql(std::string_view sql);
[[nodiscard]] bool has_word(std::string_view sql, std::string_view word);

// Takes a column away: from its CREATE TABLE, from the rows, from the foreign keys. False: it cannot be.
bool remove_column(Table& table, std::string_view column);
// Takes a constraint away: a part of CREATE TABLE that is no column.
bool remove_constraint(Table& table, std::string_view part);
// Takes "not null" away, without which statements can leave the column out.
bool remove_not_null(Table& table, std::string_view column);
// Takes "references …" away from a column's own part.
bool remove_reference(Table& table, std::string_view column);

}  // namespace isolde::hunt
