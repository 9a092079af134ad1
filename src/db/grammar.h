// db/grammar.h: how a database wants the SQL written that hunts draw (docs/hunt-sql.md): which statements and clauses
// it has, and how operators, functions, casts and types are spelled. Data, one constant per family.
//
// A spelling has places: {0} is an operand as it stands, <0> the same in brackets where it needs them.
// Always: what a spelling computes is defined for every value of its operands; two grammars may differ in what they
//         compute.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "db/family.h"

namespace isolde::db {

// What an expression gives.
enum class ValueType : std::uint8_t { kNone, kInteger, kDecimal, kText, kBoolean, kDate };

struct Spelling {
  std::string_view name;              // an operator, a function of hunts, or "cast"
  ValueType type = ValueType::kNone;  // of the first operand, where that makes a difference; kNone: any
  std::string_view text;
  bool narrow = false;              // its result is an integer of four bytes
  ValueType to = ValueType::kNone;  // of a cast
};

// What CREATE TABLE says.
struct ColumnTypes {
  std::string_view integer, decimal, text, boolean, date;
  std::string_view real, json, moment;  // the other forms of an integer, a text and a date (hunt/sql/form.h)
};

enum class LockClause : std::uint8_t {
  kNone,
  kForUpdateOrShareMode,  // FOR UPDATE, LOCK IN SHARE MODE
  kFourStrengths,         // FOR UPDATE, NO KEY UPDATE, SHARE, KEY SHARE; OF names the row sources
};
// A second row source of UPDATE and DELETE.
enum class SecondSource : std::uint8_t {
  kFromUsing,   // UPDATE … FROM, DELETE … USING
  kUpdateOnly,  // UPDATE … FROM
  kJoin,        // UPDATE t JOIN u, DELETE t FROM t JOIN u; a DELETE of one table has no alias
};
enum class UpsertClause : std::uint8_t { kOnConflict, kOnDuplicateKey };
enum class Partitions : std::uint8_t {
  kNone,
  kClause,  // PARTITION BY HASH (…) PARTITIONS n; no foreign keys to or from such a table
  kTables,  // a table for each
};
enum class Triggers : std::uint8_t {
  kNone,
  kFunction,    // BEFORE, a function that changes NEW
  kSetsNew,     // BEFORE, SET NEW.c = …
  kUpdatesRow,  // AFTER, it updates the row that was stored
};

struct Grammar {
  Family family;
  // `own` comes first: what a family that borrows another's spellings writes otherwise.
  std::span<const Spelling> own = {}, spellings;
  ColumnTypes types;
  std::string_view table_options = {};  // what follows CREATE TABLE t (…)

  // Expressions.
  bool strict_types = false;        // literals and NULLs need a type; an integer of four bytes overflows
  bool hundredths = false;          // a decimal is an integer number of hundredths
  bool dates_are_texts = false;     // no DATE literals
  bool rows_after_values = false;   // (a, b) IN (VALUES (…), …)
  bool subqueries_in_rows = true;   // (a, (SELECT …)) IN (…)
  bool orders_booleans = true;      // MIN and MAX of booleans; else BOOL_AND and BOOL_OR
  bool writes_nulls_place = false;  // NULLS FIRST is not what it does by itself
  std::string_view average = "round(avg({0}), 2)";  // a decimal with two places
  std::string_view greatest = "greatest", least = "least";
  std::string_view integer_sum = {};  // what a sum of integers is cast to; empty: it is an integer

  // Statements.
  LockClause locks = LockClause::kNone;
  SecondSource second = SecondSource::kFromUsing;
  UpsertClause upsert = UpsertClause::kOnConflict;
  bool second_may_be_target = false;  // UPDATE t … FROM t
  bool set_sees_start = false;        // a subquery of SET sees no row that the statement itself has changed
  bool where_sees_start = true;       // the same of WHERE
  bool has_replace = false, has_lateral = false, has_full_join = true, has_cursors = false, has_savepoints = true;

  // Tables.
  Partitions partitions = Partitions::kNone;
  Triggers triggers = Triggers::kNone;
  bool has_foreign_keys = true, has_generated_columns = true;
  bool has_virtual_columns = true;  // GENERATED … VIRTUAL
  bool has_rowids = false;          // WITHOUT ROWID; a BIGINT primary key is not the rowid
  bool indexes_json = false, indexes_expressions = false, indexes_parts = false, has_hash_indexes = false;
};

}  // namespace isolde::db
