// db/postgres/flavour.h: what differs between the databases that speak PostgreSQL's protocol; data and small functions,
// one constant a flavour.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "db/database.h"
#include "db/errors.h"

namespace isolde::db {

// A flavour's dialect is this one with what differs.
inline constexpr Dialect kPostgresDialect = {.name = "postgres",
                                             .family = Family::kPostgres,
                                             .text_type = "text",
                                             .concat = "{0} || {1}",
                                             .list_type = "bigint[]",
                                             .list_append = "array_append({0}, ?)",
                                             .for_update = " for update",
                                             .upsert = Upsert::kOnConflict,
                                             .has_merge = true,
                                             .has_update_returning = true,
                                             .table_options = ""};

// Fills `facts` from the one row that the statement gave.
using ReadFacts = std::function<Result<void>(std::span<const Cell> row, TxnFacts& facts)>;

// What is asked of a transaction in the same round trip as its commit.
struct FactsQuestion {
  std::string_view sql;  // empty: nothing can be asked
  ReadFacts read;
};

struct Flavour {
  std::uint16_t port;
  const Dialect& dialect;
  std::span<const ServerLevel> levels;
  std::span<const ErrorRow> errors;
  // One text a row, put together with commas: the server's name and version, then settings that matter.
  std::string_view describe_sql;
  // Session ids that wait, one a row; empty: the server does not tell.
  std::string_view waiting_sql;
  // Ends the session `?`; empty: it has no such statement.
  std::string_view terminate_sql;
};

// `question` gives what is asked at each level; it may hold state that all connections of the database share.
[[nodiscard]] Result<std::unique_ptr<Database>> open_flavour(
    const Url& url, const Flavour& flavour, std::function<FactsQuestion(const ServerLevel& level)> question);

// What SQLSTATEs mean on PostgreSQL itself.
[[nodiscard]] std::span<const ErrorRow> postgres_errors();

}  // namespace isolde::db
