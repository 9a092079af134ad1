// hunt/generate/draw.h: what is passed along while one statement is drawn: chance, the schema, the names in use, and
// which row sources an expression sees.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "hunt/generate/domain.h"
#include "hunt/generate/generate.h"
#include "hunt/generate/model.h"
#include "hunt/sql/tree.h"

namespace isolde::hunt::generate {

// A row source of a FROM clause, or the target of an UPDATE, DELETE, MERGE.
struct Source {
  std::string alias = {};
  std::vector<Column> columns = {};
  bool keyed = false;               // one row for one pkey
  const Relation* table = nullptr;  // if it is one as it stands
};

struct Scope {
  std::vector<Source> sources = {};
  const Scope* outer = nullptr;  // what a correlated subquery sees as well
};

struct Draw {
  Rng& rng;
  const GenerateOptions& options;
  const Model& model;
  std::vector<std::int64_t> hot = {};  // pkeys that this case's transactions meet at
  std::uint32_t by_key = 50;           // out of 100 statements that could, so many look for rows by pkey
  std::uint32_t aliases = 0, items = 0;
  // How many row sources the statement may still name: a bound on what it costs to run.
  std::uint32_t sources_left = 7;
  // A table that subqueries leave alone: the target, where the server would read it while it changes it.
  std::string untouchable = {};
  std::vector<Relation> commons = {};  // the common table expressions that may be named

  [[nodiscard]] bool percent(std::uint64_t chances) { return generate::percent(rng, chances); }
  [[nodiscard]] std::string new_alias() { return fmt::format("r{}", aliases++); }
  [[nodiscard]] std::string new_item() { return fmt::format("x{}", items++); }
  template <typename Of>
  [[nodiscard]] const Of& pick(const std::vector<Of>& all) {
    return all[rng.below(all.size())];
  }
  template <typename Of, std::size_t kSize>
  [[nodiscard]] const Of& pick(const std::array<Of, kSize>& all) {
    return all[rng.below(kSize)];
  }
  // By weights: the number of the one that was drawn.
  [[nodiscard]] std::size_t weighted(std::initializer_list<std::uint32_t> weights) {
    std::uint64_t sum = 0;
    for (const std::uint32_t weight : weights) sum += weight;
    std::uint64_t at = rng.below(sum);
    std::size_t number = 0;
    for (const std::uint32_t weight : weights) {
      if (at < weight) return number;
      at -= weight;
      ++number;
    }
    return 0;
  }
};

// Short words for building trees.
[[nodiscard]] inline sql::NodePtr column_of(const std::string& alias, const Column& column) {
  return sql::read_out(column.form, column.type, alias, column.name);
}
[[nodiscard]] inline sql::NodePtr binary(sql::Type type, std::string operation, sql::NodePtr left, sql::NodePtr right) {
  return sql::make(sql::Kind::kBinary, type, std::move(operation), {std::move(left), std::move(right)});
}
[[nodiscard]] inline sql::NodePtr comparison(std::string operation, sql::NodePtr left, sql::NodePtr right) {
  return binary(sql::Type::kBoolean, std::move(operation), std::move(left), std::move(right));
}
[[nodiscard]] inline sql::NodePtr list(std::vector<sql::NodePtr> elements) {
  return sql::make(sql::Kind::kList, sql::Type::kNone, "", std::move(elements));
}

}  // namespace isolde::hunt::generate
