// hunt/generate/generate.h: draws schemas and cases of real SQL from a seed.
//
// Always: the same seed, options and dialect give the same text on every machine. Statements keep the promises of
//         hunt/case/case.h; most of them run.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "hunt/case/case.h"
#include "hunt/case/dialects.h"

namespace isolde::hunt {

// What `isolde hunt` takes as GenerateOptions::features.
inline constexpr std::uint32_t kUnaskedFeatures = 12;

struct GenerateOptions {
  std::string_view dialect = "postgres";  // of hunt/case/dialects.h
  [[nodiscard]] const db::HuntRules& rules() const { return rules_of(dialect); }
  [[nodiscard]] const db::Grammar& grammar() const { return grammar_of(dialect); }
  int server_version = 0;  // e.g. 150003; MERGE is there from PostgreSQL 15 on
  std::uint32_t most_tables = 3, most_rows = 20, most_transactions = 4, most_statements = 5;
  std::uint32_t depth = 3;  // of expressions and subqueries
  bool foreign_keys = false, generated_columns = false, views = false, triggers = false, partitions = false;
  // Out of 100 schemas, so many have each of these although it was not asked for.
  std::uint32_t features = 0;
  // SQLite: UPDATE and DELETE may look at their target in subqueries of WHERE. 3.40 looks while it writes: finds that
  // bug, and little else. The others always may.
  bool own_target = false;
  // Out of 100 statements, so many that write.
  std::uint32_t writes = 50;
};

// Cases share a schema, because making one takes long.
class Generator {
 public:
  virtual ~Generator() = default;
  [[nodiscard]] virtual Schema schema(std::uint64_t seed) = 0;
  // A case on the schema that schema() made last. Its seed is its own.
  [[nodiscard]] virtual Case test(std::uint64_t seed) = 0;
};

[[nodiscard]] std::unique_ptr<Generator> make_generator(const GenerateOptions& options);

}  // namespace isolde::hunt
