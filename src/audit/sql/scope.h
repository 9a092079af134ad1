// audit/sql/scope.h: what a name means at a place of a statement: tables, aliases, WITH queries, derived tables.
//
// In, out: "x" or "a.x" at a level of a statement -> a column of a table that the statement names there, a column that
// a
//          subquery made, an alias of the select list, or nothing.
// Always:  the innermost level that knows the name wins; of several tables of a level, the first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audit/schema/ids.h"
#include "audit/sql/names.h"

namespace isolde::audit {

// A column of one mention of a table: the same table named twice is two sources.
struct SourceColumn {
  std::uint32_t source;
  ColumnId column;
  friend bool operator==(const SourceColumn&, const SourceColumn&) = default;
};

// A column of a subquery's result.
struct Output {
  std::string name = {};                      // lower case
  std::optional<SourceColumn> base = {};      // what it is told of, if it is nothing but that column
  std::optional<std::uint32_t> literal = {};  // or nothing but that literal
};

// One mention of a table, or of a subquery, in FROM or as the target of a write.
struct FromSource {
  std::string alias = {};                 // lower case
  TableId table = kNoTable;               // kNoTable: a subquery, function or system table
  std::vector<std::string> renamed = {};  // columns of a table: AS t (a, b)
  std::vector<Output> outputs = {};       // of a subquery
  bool open = false;                      // not all its columns are known: functions, system tables
};

struct WithQuery {
  std::string name;  // lower case
  std::vector<Output> outputs = {};
  bool open = false;
};

struct Scope {
  const Scope* outer = nullptr;
  std::vector<std::uint32_t> sources = {};
  std::vector<WithQuery> with = {};
  std::vector<std::string> aliases = {};  // of the select list, lower case
};

// Which clause a name stands in decides whether it may be an alias of the select list.
enum class Clause : std::uint8_t { kPlain, kOrderBy, kGroupBy };

struct Meant {
  enum class Kind : std::uint8_t { kNothing, kColumn, kMade, kWholeRow };
  Kind kind = Kind::kNothing;
  SourceColumn column = {0, kNoColumn};       // kColumn
  std::optional<SourceColumn> base = {};      // kMade: as in Output
  std::optional<std::uint32_t> literal = {};  // likewise
  std::uint32_t source = 0;                   // of the level, also of what was made
  bool local = false;                         // of the innermost level
};

class Resolver {
 public:
  Resolver(Names& names, std::vector<FromSource>& sources) : names_(names), sources_(sources) {}

  // Adds to the schema what may be learned here.
  Meant resolve(std::span<const std::string_view> parts, const Scope& scope, Clause clause);
  // The source of that alias; of the levels from inside to outside.
  [[nodiscard]] std::optional<std::uint32_t> source_of(std::string_view alias, const Scope& scope) const;
  [[nodiscard]] const WithQuery* with_query(std::string_view name, const Scope& scope) const;
  // What that source has by that name; a table may get it (`may_add`) if the schema takes it.
  Meant in_source(std::uint32_t source, std::string_view name, bool may_add);
  // A column of a base table by the name that it has here.
  std::optional<ColumnId> column_of(std::uint32_t source, std::string_view name) const;

 private:
  Meant unqualified(std::string_view name, const Scope& scope, Clause clause);
  Meant known(std::string_view name, const Scope& scope, Clause clause);
  Meant learned(std::string_view name, const Scope& scope);

  Names& names_;
  std::vector<FromSource>& sources_;
};

}  // namespace isolde::audit
