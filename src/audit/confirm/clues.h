// audit/confirm/clues.h: what a statement's words say about rows that it would find, and about the values that it
// writes.
//
// In, out: tokens and the schema -> tables as they are named, comparisons with literals, equal columns, values written.
// Always:  best effort: what is not recognised is not told. The database itself says in the end whether rows are found.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "audit/schema/ids.h"
#include "audit/schema/schema.h"
#include "audit/sql/shape.h"

namespace isolde::audit {

enum class Compares : std::uint8_t {
  kEqual,
  kUnequal,
  kLess,
  kAtMost,
  kMore,
  kAtLeast,
  kLike,
  kNull,
  kNotNull,
  kTrue,
  kFalse,
};

// <, <=, > or >=; of BETWEEN, the first end.
[[nodiscard]] constexpr bool is_range(Compares how) {
  return how == Compares::kLess || how == Compares::kAtMost || how == Compares::kMore || how == Compares::kAtLeast;
}

// A table as it stands in a FROM list, or as the target of a write.
struct NamedTable {
  TableId table;
  std::string_view alias;   // in the tokens' text; empty: the table's own name
  std::uint32_t scope = 0;  // the SELECT that it belongs to
  bool inserted_into = false;
};

struct Comparison {
  std::uint32_t named;  // in Clues::tables
  ColumnId column;
  Compares how;
  std::uint32_t literal = kNone32;  // none for kNull, kNotNull, kTrue, kFalse
};

struct EqualColumns {
  std::uint32_t first, second;  // in Clues::tables
  ColumnId first_column, second_column;
};

// SET column = literal.
struct WrittenLiteral {
  std::uint32_t named;
  ColumnId column;
  std::uint32_t literal;
};

// SET column = TRUE.
struct WrittenTruth {
  ColumnId column;
  bool value;
};

enum class InsertedAs : std::uint8_t { kLiteral, kNull, kDefault, kOther };
struct InsertedCell {
  ColumnId column;
  InsertedAs as;
  std::uint32_t literal = kNone32;
  std::uint32_t token = 0;  // where it begins
};

struct Clues {
  std::vector<NamedTable> tables;
  std::vector<Comparison> comparisons;
  std::vector<EqualColumns> equal;
  std::vector<WrittenLiteral> written;
  std::vector<WrittenTruth> written_truths;
  std::vector<std::vector<InsertedCell>> inserted;  // rows of VALUES, or of INSERT … SET
  std::vector<ColumnId> computed;                   // SET column = something else than a literal
  bool inserts = false;                             // INSERT, REPLACE
  bool may_meet = false;       // … that takes an existing row in its stride (REPLACE, upsert, IGNORE)
  bool locks = false;          // FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE
  bool picks = false;          // LIMIT without the order of a key: which rows it takes is nobody's promise
  bool has_parameter = false;  // a value that the trace does not tell
};

[[nodiscard]] Clues read_clues(const std::vector<Token>& tokens, const Schema& schema);

}  // namespace isolde::audit
