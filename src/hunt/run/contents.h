// hunt/run/contents.h: whole tables read in one request, as versions.
//
// In, out: tables -> SQL of one SELECT; its reply -> Contents by table.
// Always:  no order is asked for, so that the server reads each table once and keeps nothing; rows are sorted here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "hunt/case/case.h"
#include "hunt/run/execution.h"

namespace isolde::hunt {

// Requires: `tables` is not empty.
[[nodiscard]] std::string contents_sql(std::span<const Table* const> tables, std::string_view dialect);
// `reply` is the answer to contents_sql(tables).
[[nodiscard]] Result<ContentsByTable> contents_of(std::span<const Table* const> tables, const db::Reply& reply);
// The literals in Version::cells, one per column, as the server quoted them. An error: they are not what it writes.
[[nodiscard]] Result<std::vector<std::string>> literals_in(std::string_view cells, std::string_view dialect);
// The schema with these rows instead of its own, in the tables that are named. An error: a row does not fit its table.
[[nodiscard]] Result<Schema> with_rows(const Schema& schema, const ContentsByTable& rows, std::string_view dialect);
// The answer to Statement::before, sorted.
[[nodiscard]] Result<std::vector<std::int64_t>> pkeys_of(const db::Reply& reply);

}  // namespace isolde::hunt
