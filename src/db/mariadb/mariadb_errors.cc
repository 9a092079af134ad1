#include "db/mariadb/mariadb_errors.h"

namespace isolde::db {
namespace {

constexpr ErrorRow kMariadbErrors[] = {
    // InnoDB rolled the whole transaction back: a statement sent now would run, and commit, on its own.
    {"1213", Fate::kRolledBack, "deadlock"},
    {"1020", Fate::kRolledBack, "the row has changed since this transaction's snapshot (innodb_snapshot_isolation)"},
    {"1206", Fate::kRolledBack, "more locks than the lock table holds"},
    // The transaction stays open; with innodb_rollback_on_timeout it is gone (the connection looks).
    {"1205", Fate::kStatementFailed, "waited too long for a lock"},
    {"3572", Fate::kStatementFailed, "NOWAIT met a lock (MySQL)"},
    {"1317", Fate::kStatementFailed, "KILL QUERY"},
    {"1969", Fate::kStatementFailed, "longer than max_statement_time (MariaDB)"},
    {"3024", Fate::kStatementFailed, "longer than max_execution_time (MySQL)"},
    // The statement alone is undone.
    {"1022", Fate::kStatementFailed, "duplicate key"},
    {"1062", Fate::kStatementFailed, "duplicate key"},
    {"1586", Fate::kStatementFailed, "duplicate key"},
    {"1048", Fate::kStatementFailed, "NULL is not allowed"},
    {"1364", Fate::kStatementFailed, "no value and no default"},
    {"1242", Fate::kStatementFailed, "a subquery has more than one row"},
    {"1264", Fate::kStatementFailed, "number out of range"},
    {"1690", Fate::kStatementFailed, "number out of range"},
    {"1365", Fate::kStatementFailed, "division by zero"},
    {"1366", Fate::kStatementFailed, "not a value of the column's type"},
    {"1292", Fate::kStatementFailed, "not a value of the column's type"},
    {"1406", Fate::kStatementFailed, "text too long"},
    {"1451", Fate::kStatementFailed, "a foreign key refers to the row"},
    {"1452", Fate::kStatementFailed, "a foreign key refers to no row"},
    {"3819", Fate::kStatementFailed, "a CHECK (MySQL)"},
    {"4025", Fate::kStatementFailed, "a CHECK (MariaDB)"},
    {"1290", Fate::kStatementFailed, "the server is read-only"},
    {"1792", Fate::kStatementFailed, "the transaction is read-only"},
    // A table was altered: the transaction's snapshot is older than it.
    {"1412", Fate::kMustRollBack, "the table was altered since the snapshot"},
    // The connection is gone.
    {"1053", Fate::kLost, "the server is shutting down"},
    {"1152", Fate::kLost, "aborted connection"},
    {"1158", Fate::kLost, "error reading from the network"},
    {"1159", Fate::kLost, "timeout reading from the network"},
    {"1160", Fate::kLost, "error writing to the network"},
    {"1161", Fate::kLost, "timeout writing to the network"},
    {"1184", Fate::kLost, "aborted connection"},
    {"1927", Fate::kLost, "KILL CONNECTION (MariaDB)"},
    {"2006", Fate::kLost, "the server has gone away"},
    {"2013", Fate::kLost, "lost connection during query"},
    {"2026", Fate::kLost, "the encrypted connection broke"},
    {"2055", Fate::kLost, "lost connection during query"},
    {"4031", Fate::kLost, "closed because it was idle (MySQL)"},
};

constexpr ErrorRow kCommitErrors[] = {
    {"1213", Fate::kRolledBack, "deadlock; a conflict found by a cluster"},
    {"1020", Fate::kRolledBack, "the row has changed since this transaction's snapshot"},
    {"1205", Fate::kRolledBack, "waited too long for the lock that a backup holds"},
    {"1290", Fate::kRolledBack, "the server is read-only"},
    {"3100", Fate::kRolledBack, "group replication refused it (MySQL)"},
    {"3101", Fate::kRolledBack, "group replication rolled it back (MySQL)"},
    {"1180", Fate::kLost, "error during COMMIT: the storage engine's, after the log was written"},
    {"1317", Fate::kLost, "KILL QUERY"},
    {"1969", Fate::kLost, "longer than max_statement_time (MariaDB)"},
    {"1053", Fate::kLost, "the server is shutting down"},
    {"1152", Fate::kLost, "aborted connection"},
    {"1158", Fate::kLost, "error reading from the network"},
    {"1159", Fate::kLost, "timeout reading from the network"},
    {"1160", Fate::kLost, "error writing to the network"},
    {"1161", Fate::kLost, "timeout writing to the network"},
    {"1184", Fate::kLost, "aborted connection"},
    {"1927", Fate::kLost, "KILL CONNECTION (MariaDB)"},
    {"2006", Fate::kLost, "the server has gone away"},
    {"2013", Fate::kLost, "lost connection during query"},
    {"2026", Fate::kLost, "the encrypted connection broke"},
    {"2055", Fate::kLost, "lost connection during query"},
    {"4031", Fate::kLost, "closed because it was idle (MySQL)"},
};

}  // namespace

std::span<const ErrorRow> mariadb_errors() { return kMariadbErrors; }
std::span<const ErrorRow> mariadb_commit_errors() { return kCommitErrors; }

}  // namespace isolde::db
