#include "hunt/run/refusals.h"

#include "hunt/dialects.h"

namespace isolde::hunt {
namespace {

constexpr RefusalRow kPostgresRefusals[] = {
    {"40001", Refusal::kConcurrency, "serialization failure"},
    {"40P01", Refusal::kConcurrency, "deadlock"},
    {"40*", Refusal::kConcurrency, "the transaction was rolled back"},
    {"55P03", Refusal::kConcurrency, "a lock is not available (NOWAIT, lock_timeout)"},
    {"25P02", Refusal::kConcurrency, "the transaction had failed before"},
    {"23503", Refusal::kConstraint, "a foreign key"},
    {"23505", Refusal::kConstraint, "a unique key"},
    {"23P01", Refusal::kConstraint, "an exclusion constraint"},
    {"23001", Refusal::kConstraint, "a foreign key with RESTRICT"},
    {"57014", Refusal::kLimit, "cancelled (also statement_timeout)"},
    {"53*", Refusal::kResource, "out of memory, disk or connections"},
    {"54*", Refusal::kResource, "a limit of the program: stack depth, statement too complex"},
    {"57P*", Refusal::kResource, "the server is starting, stopping or has crashed"},
    {"08*", Refusal::kResource, "the connection"},
    {"58*", Refusal::kResource, "the operating system: input and output"},
    {"XX*", Refusal::kInternal, "internal error, corrupted data or index"},
};

constexpr RefusalRow kMariadbRefusals[] = {
    {"1213", Refusal::kConcurrency, "deadlock"},
    {"1020", Refusal::kConcurrency, "the row has changed since the snapshot"},
    {"1412", Refusal::kConcurrency, "the table was altered since the snapshot"},
    {"3572", Refusal::kConcurrency, "NOWAIT met a lock (MySQL)"},
    {"8002", Refusal::kConcurrency, "a locking read cannot be retried (TiDB)"},
    {"8022", Refusal::kConcurrency, "the commit failed and may be retried (TiDB)"},
    {"9007", Refusal::kConcurrency, "write conflict (TiDB)"},
    {"1022", Refusal::kConstraint, "a unique key"},
    {"1062", Refusal::kConstraint, "a unique key"},
    {"1586", Refusal::kConstraint, "a unique key"},
    {"1216", Refusal::kConstraint, "a foreign key"},
    {"1217", Refusal::kConstraint, "a foreign key"},
    {"1451", Refusal::kConstraint, "a foreign key"},
    {"1452", Refusal::kConstraint, "a foreign key"},
    {"1205", Refusal::kLimit, "waited too long for a lock"},
    {"1317", Refusal::kLimit, "KILL QUERY"},
    {"1969", Refusal::kLimit, "longer than max_statement_time (MariaDB)"},
    {"3024", Refusal::kLimit, "longer than max_execution_time (MySQL)"},
    {"1021", Refusal::kResource, "disk full"},
    {"1037", Refusal::kResource, "out of memory"},
    {"1038", Refusal::kResource, "out of memory for sorting"},
    {"1040", Refusal::kResource, "too many connections"},
    {"1041", Refusal::kResource, "out of memory"},
    {"1114", Refusal::kResource, "the table is full"},
    {"1135", Refusal::kResource, "no thread can be made"},
    {"1206", Refusal::kResource, "more locks than the lock table holds"},
    {"1290", Refusal::kResource, "the server is read-only"},
    {"1637", Refusal::kResource, "too many transactions"},
    {"1032", Refusal::kInternal, "a row that an index has is not in its table"},
    {"1034", Refusal::kInternal, "an index is broken"},
    {"1105", Refusal::kInternal, "unknown error"},
    {"1194", Refusal::kInternal, "the table is marked as crashed"},
    {"1712", Refusal::kInternal, "an index is corrupted"},
    {"1815", Refusal::kInternal, "internal error"},
};

constexpr RefusalRow kSqliteRefusals[] = {
    {"SQLITE_BUSY*", Refusal::kConcurrency, "another connection holds the lock, or wrote since the snapshot"},
    {"SQLITE_LOCKED*", Refusal::kConcurrency, "another connection of the shared cache holds the table's lock"},
    {"SQLITE_PROTOCOL", Refusal::kConcurrency, "the locks of the log file could not be had"},
    {"SQLITE_SCHEMA", Refusal::kConcurrency, "the schema has changed"},
    {"SQLITE_CONSTRAINT_FOREIGNKEY", Refusal::kConstraint, "a foreign key"},
    {"SQLITE_CONSTRAINT_PRIMARYKEY", Refusal::kConstraint, "a primary key"},
    {"SQLITE_CONSTRAINT_ROWID", Refusal::kConstraint, "a primary key"},
    {"SQLITE_CONSTRAINT_UNIQUE", Refusal::kConstraint, "a unique key"},
    {"SQLITE_INTERRUPT", Refusal::kLimit, "cancelled"},
    {"SQLITE_NOMEM", Refusal::kResource, "out of memory"},
    {"SQLITE_FULL", Refusal::kResource, "disk full"},
    {"SQLITE_IOERR*", Refusal::kResource, "input and output"},
    {"SQLITE_CANTOPEN*", Refusal::kResource, "the file cannot be opened"},
    {"SQLITE_READONLY*", Refusal::kResource, "the file is read-only"},
    {"SQLITE_INTERNAL", Refusal::kInternal, "a fault of SQLite's own"},
    {"SQLITE_CORRUPT*", Refusal::kInternal, "the file is damaged"},
    {"SQLITE_NOTADB", Refusal::kInternal, "the file is no database any more"},
    {"SQLITE_MISUSE", Refusal::kInternal, "its interface was used wrongly"},
};

bool is_of(std::string_view row, std::string_view code) {
  return row.ends_with('*') ? code.starts_with(row.substr(0, row.size() - 1)) : row == code;
}

}  // namespace

std::span<const RefusalRow> refusals_of(std::string_view dialect) {
  if (dialect == "postgres") return kPostgresRefusals;
  if (is_of_mysql(dialect)) return kMariadbRefusals;
  if (dialect == "sqlite") return kSqliteRefusals;
  return {};
}

Refusal refusal_of(std::string_view code) {
  constexpr std::size_t kSqlState = 5, kNumber = 4;
  const std::span<const RefusalRow> table = code.size() == kSqlState ? std::span<const RefusalRow>(kPostgresRefusals)
                                            : code.size() == kNumber ? std::span<const RefusalRow>(kMariadbRefusals)
                                                                     : std::span<const RefusalRow>(kSqliteRefusals);
  for (const RefusalRow& row : table)
    if (is_of(row.code, code)) return row.refusal;
  return Refusal::kOwn;
}

}  // namespace isolde::hunt
