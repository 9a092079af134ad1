// audit/sql/statement.h: what one statement does: accesses of columns in the order of execution, and of which rows.
//
// In, out: a shape's example and the schema -> Statement, or the reason why it is not understood.
// Always:  the order is the paper's (section 3.2): joins, then subqueries, then the WHERE clause, then the statement
//          itself; similar ones as they are written. INSERT and DELETE write every column of the table; a foreign key
//          of a written column reads the parent's key. One access a (action, column, row set, lock, flags): no
//          duplicates; a column that is read in WHERE and told too is one access that is in_where. A table of which a
//          SELECT reads no column has one read that counts_only.
//          A view is read as its query, if the schema has it. LOCK TABLE and advisory locks are locking reads of tables
//          that stand for them (lock_calls.cc).
// Limits:  what triggers, cascades and functions of the application do is not seen: CALL and a SELECT of nothing but
//          such a function are not understood and say so, others name the function (`calls`); a key by a negative
//          number (id = -5) is none.
// Cost:    about 40 us, half of it libpg_query.
// Source:  IsoDiff, sections 3.2 and 4.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/schema/ids.h"
#include "audit/schema/schema.h"
#include "audit/sql/shape.h"

namespace isolde::audit {

enum class StatementKind : std::uint8_t {
  kSelect,
  kInsert,
  kUpdate,
  kDelete,
  kReplace,
  kUpsert,
  kNoData,        // SET, SHOW, USE, EXPLAIN …: understood, and touches no row
  kSchemaChange,  // CREATE, ALTER, DROP, TRUNCATE …
  kNotUnderstood,
};

// How a row's column is tied to a value: column = literal, or column IN (one literal). Through equalities of a join
// also the other side's column.
struct RowKey {
  ColumnId column;
  std::uint32_t literal;  // index among the shape's literals
};

// column IN (several literals).
struct RowChoices {
  ColumnId column;
  std::vector<std::uint32_t> literals;
};

// The rows of one table that a part of the statement touches.
struct RowSet {
  TableId table;
  bool single = false;       // the keys hold a whole primary or unique key (or the row that INSERT of one row makes)
  std::vector<RowKey> keys;  // sorted by column
  // column <> literal, column < literal, column > literal: no row that has the literal there. Sorted by column.
  std::vector<RowKey> unlike = {};
  std::vector<RowChoices> among = {};
  std::vector<RowKey> like = {};  // column LIKE literal
  // Columns that are NOW() in the row that INSERT makes, and columns that are long ago in all rows that count (column <
  // NOW() - INTERVAL 1 HOUR): these are not the same rows (times.h). Sorted.
  std::vector<ColumnId> just_now = {}, long_ago = {};
};

struct Access {
  Action action;
  Lock lock = Lock::kNone;
  ColumnId column;
  std::uint16_t row_set;         // in Statement::row_sets
  bool in_where : 1 = false;     // decides which rows, rather than what is told of them
  bool counts_only : 1 = false;  // count(*): whether rows are there, not what is in them
  bool increments : 1 = false;   // write of x = x + literal or x - literal
  bool subtracts : 1 = false;    // … of the second kind
  bool inserts : 1 = false;      // makes or removes whole rows
  bool deletes : 1 = false;
  bool foreign_key : 1 = false;  // the check of a constraint
  bool of_write : 1 = false;     // a read made by a statement that writes (its WHERE, its right-hand sides)
  // A read of the row that the same statement writes, made under that row's lock: x = x + 1. lock is kExclusive then.
  bool of_written_row : 1 = false;
  bool skips_locked : 1 = false;  // SKIP LOCKED: which rows it finds is nobody's promise
  bool for_session : 1 = false;   // an advisory lock that is held beyond the transaction, until it is given back
};

struct Statement {
  StatementKind kind = StatementKind::kNotUnderstood;
  std::vector<RowSet> row_sets;
  std::vector<Access> accesses;
  std::vector<TableId> tables;  // as named: the first is the one that is written, if one is
  bool limited = false;         // a LIMIT somewhere: not all rows that the conditions name
  bool keeps_old_row = false;   // an INSERT that leaves a row which has the key already as it is
  // The first function that it calls and that is none of the database's own: what that does is not in the trace.
  std::string calls = {};
  // A SELECT of one table whose list has nothing but columns: no row of the result stands for several rows, and what
  // decides which rows come, and in which order, is in its WHERE and in `ordered_by`.
  bool plain_list = false;
  bool picks_one = false;                      // LIMIT 1, or a list of just min(column) or max(column)
  bool one_number = false;                     // a SELECT of nothing but a count, sum, average, minimum or maximum
  std::vector<ColumnId> ordered_by = {};       // of a plain list
  std::vector<RowKey> assigned = {};           // UPDATE … SET column = literal
  std::vector<RowKey> assigned_negative = {};  // UPDATE … SET column = -literal
  // An upsert sets them to what its INSERT gives (ON DUPLICATE KEY UPDATE name = VALUES(name)).
  std::vector<ColumnId> given_again = {};
  std::vector<ColumnId> nulls = {};  // columns that UPDATE, or INSERT of one row, sets to NULL
  // Columns that the statement certainly changes in every row that it finds: SET x = x + n, and SET x = a … WHERE x = b
  // if the two literals differ in every statement of the trace (filled in by find_classes).
  std::vector<ColumnId> changes = {};
  std::string why_not;  // kNotUnderstood
};

// The row has what the INSERT of the upsert gives, whether it was made or found.
[[nodiscard]] bool gives_again(const Statement& statement, ColumnId column);
// An upsert that sets the unique key by which it found the row (ON DUPLICATE KEY UPDATE name = VALUES(name)): it has
// that value already. `access`: one of the statement's.
[[nodiscard]] bool keeps_its_key(const Statement& statement, const Access& access, const Schema& schema);

// What the statements show of the schema is added to it: tables and columns that they name and that are not there, also
// to a schema that was given (log tables, temporary tables). Two rounds over all shapes: first what is sure (qualified
// names, the only table of a statement, column lists of INSERT), then the rest by the likeliest table of the statement:
// one that was learned and whose columns begin alike (ol_i_id, ol_number), else the first.
// A learned table's primary key is a guess: a column `id`, or the table's name (or its singular) with _id.
// A learned table of which no statement names a column has one, named *.
void learn_schema(const ShapeTable& shapes, Schema& schema);
// The same for one statement by itself.
void learn_schema(std::string_view sql, SqlDialect dialect, Schema& schema);

// Requires: learn_schema was called with the statement; else names that the schema does not have are a reason why not.
[[nodiscard]] Statement understand(std::string_view sql, SqlDialect dialect, const Schema& schema);

}  // namespace isolde::audit
