// hunt/generate/model.h: a schema as the generator knows it: the text that the server gets, and the types of the
// columns, from which statements are drawn.
//
// In, out: a Rng -> tables with rows, indexes, foreign keys, generated columns, views.
// Always:  every row has a vkey of its own, from 1 on; pkeys are 1 … rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/rng.h"
#include "hunt/case/case.h"
#include "hunt/generate/generate.h"
#include "hunt/sql/form.h"
#include "hunt/sql/tree.h"

namespace isolde::hunt::generate {

struct Column {
  std::string name = {};
  sql::Type type = sql::Type::kInteger;
  bool nullable = true;
  bool indexed = false;    // it is the first column of an index
  bool unique = false;     // by an index
  bool generated = false;  // the server computes it: a generated column, or a trigger's
  sql::Form form = sql::Form::kPlain;
  std::string parent = {};  // the table that it refers to, if it does
};

// What a query can take rows from by name.
struct Relation {
  std::string name = {};
  std::vector<Column> columns = {};
  bool keyed = true;  // one row for one pkey: the columns pkey and vkey come first
  bool partitioned = false;
  // Of a table, at first: literals by row and column; null: the server computes it.
  std::vector<std::vector<sql::NodePtr>> cells = {};

  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(cells.size()); }
};

struct Model {
  Schema schema;
  std::vector<Relation> tables;  // as in schema.tables
  std::vector<Relation> views;
};

[[nodiscard]] Model draw_model(Rng& rng, const GenerateOptions& options);

// What comes before the names of tables, views and indexes: the database may be somebody's.
inline constexpr std::string_view kPrefix = "hunt_";

}  // namespace isolde::hunt::generate
