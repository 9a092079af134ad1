// audit/classes/lock_tables.h: locks that are no rows (sql/lock_calls.cc), for all statements of a trace.
//
// Always:  whoever writes a table that somebody locks by LOCK TABLE takes that lock in share mode first; who only reads
// it
//          does, if somebody locks it against readers, too (ACCESS EXCLUSIVE). An advisory lock is the same for all if
//          the trace knows only one key of it. One that belongs to the session counts as held to the end of the
//          transaction unless it is given back before that.
// Limits:  locks that a session takes before BEGIN and LOCK TABLES of MySQL are not seen.
// Source:  PostgreSQL's documentation, section 13.3 (table-level locks, advisory locks).
#pragma once

#include "audit/classes/classes.h"

namespace isolde::audit {

void add_lock_tables(const TraceLog& log, Schema& schema, std::vector<Statement>& statements);
// Locks that are given back too early protect nothing; and when the snapshot is taken: LOCK TABLE takes none.
void settle_lock_tables(const Schema& schema, SqlDialect dialect, TransactionClass& one);

}  // namespace isolde::audit
