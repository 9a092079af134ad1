// hunt/case/dialects.h: the rules of a dialect by its name: that of a product which is hunted (db/hunt_rules.h).
//
// MariaDB, MySQL and TiDB speak one grammar over one wire; what one of them lacks or spells otherwise is in its rules.
// Always:  a name that is not hunted is refused where it comes in: by open_arena() and where a finding is replayed.
#pragma once

#include <string>
#include <string_view>

#include "db/hunt_rules.h"
#include "db/product.h"

namespace isolde::hunt {

// Null: hunts do not know it.
[[nodiscard]] const db::HuntRules* hunt_dialect(std::string_view name);
// Requires: hunts know it.
[[nodiscard]] const db::HuntRules& rules_of(std::string_view dialect);
[[nodiscard]] inline const db::Grammar& grammar_of(std::string_view dialect) { return *rules_of(dialect).grammar; }
// "PostgreSQL, MariaDB and SQLite": what is hunted.
[[nodiscard]] std::string hunted_products();
// Whether the SQL of one is the other's, but for names of collations.
[[nodiscard]] bool share_grammar(std::string_view a, std::string_view b);

// The dialect to write for a server: one that says "MySQL 8.0.36" is hunted as mysql, although its driver is MariaDB's.
[[nodiscard]] std::string_view spoken_dialect(std::string_view driver, std::string_view server);

// The dialect whose collation the spellings of MySQL's grammar name.
inline constexpr std::string_view kWrittenCollation = "mariadb";
// A text of MySQL's grammar from one of its dialects to another: the names of collations.
[[nodiscard]] std::string translated(std::string sql, std::string_view from, std::string_view to);

// The text with {NAME} replaced by its value.
[[nodiscard]] std::string filled_in(std::string_view text, std::string_view name, std::string_view value);

}  // namespace isolde::hunt
