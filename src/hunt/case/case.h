// hunt/case/case.h: one test case: a schema with its rows, transactions of real SQL, and the order in which they are
// run.
//
// A table has the columns pkey (its primary key, never changed) and vkey (its version: every statement that writes a
// row gives it a number of that statement's own) and further columns as it likes. So (table, pkey, vkey) names one
// version of one row, and what a statement saw and changed can be told by looking at these two columns.
//
// Always: a statement is a function of the rows of the tables that it `reads`: no clock, no chance, no order of rows
//         that it does not ask for, no operation that fails on some values only.
// Source: TxCheck, section 3.2.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "anomaly/level.h"

namespace isolde::hunt {

namespace sql {
struct Node;
using NodePtr = std::shared_ptr<const Node>;
}  // namespace sql

struct ForeignKey {
  std::string column, parent;  // it refers to the parent's pkey
  bool cascades = false;       // ON DELETE CASCADE; else NO ACTION
};

// A trigger that the server runs for each row that is inserted or updated: column = coalesce(from, 0) + 1.
struct Trigger {
  std::string column, from;
  friend bool operator==(const Trigger&, const Trigger&) = default;
};

struct Table {
  std::string name;
  std::vector<std::string> columns;            // by name; the first two are pkey and vkey
  std::string create;                          // CREATE TABLE …, in the dialect of the server
  std::vector<std::vector<std::string>> rows;  // as SQL literals; generated columns are left out
  std::vector<std::string> inserted;           // the columns that `rows` has
  std::vector<ForeignKey> foreign_keys;
  // What CREATE TABLE does not say, because it is no SQL that a file may bring along: hunt/run/setup_sql.h writes it.
  std::uint32_t partitions = 0;         // by a hash of pkey; 0: it is not partitioned
  std::optional<Trigger> trigger = {};  // its column is not among `inserted`
};

struct View {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::string> reads;  // tables, not views
  std::string create;
};

struct Schema {
  std::vector<Table> tables;       // parents before their children
  std::vector<std::string> more;   // what follows: CREATE INDEX …
  std::vector<View> views;         // made last, in this order
  std::vector<std::string> drops;  // takes all of it away again; every one may fail
};

enum class StatementKind : std::uint8_t { kSelect, kSelectForUpdate, kInsert, kUpsert, kUpdate, kDelete, kMerge };

// How a statement is sent inside its transaction; alone it is always sent as it is.
enum class Sent : std::uint8_t {
  kPlain,
  kPrepared,   // PostgreSQL: prepared by the driver and then executed; MariaDB: by EXECUTE IMMEDIATE
  kCursor,     // PostgreSQL: a cursor is declared for it, and all its rows are fetched
  kSavepoint,  // between SAVEPOINT and RELEASE SAVEPOINT
};

struct Statement {
  StatementKind kind = StatementKind::kSelect;
  std::string sql;
  Sent sent = Sent::kPlain;
  // Another statement, carried out right before it in its transaction and undone by ROLLBACK TO SAVEPOINT; empty: none.
  std::string undone = {};
  // The tables whose rows it may look at: those that it names, those behind its views, those that foreign keys make the
  // server look at, and what it changes.
  std::vector<std::string> reads;
  // The tables that it may change: the one it names, then those that ON DELETE CASCADE reaches. Empty: it only reads.
  std::vector<std::string> writes;
  std::int64_t version = 0;  // the vkey of every row that it writes
  // Update, delete: SELECT of the pkeys (one column) of the rows that it is about to change, by the same predicate.
  std::string before;
  sql::NodePtr tree;  // null: the case was read from a file, and is not made smaller by clauses
};

struct Transaction {
  std::vector<Statement> statements;
  bool commits = true;  // else it rolls back
};

struct Case {
  std::uint64_t seed = 0;
  Schema schema;
  std::vector<Transaction> transactions;
  // Whose turn it is: each transaction comes up once for each of its statements, in their order, and once more for its
  // end. It begins right before its first.
  std::vector<std::uint32_t> order;
};

// A statement of a case.
struct Place {
  std::uint32_t transaction = 0, statement = 0;
  friend bool operator==(const Place&, const Place&) = default;
  friend auto operator<=>(const Place&, const Place&) = default;
};

[[nodiscard]] inline const Statement& at(const Case& test, Place place) {
  return test.transactions[place.transaction].statements[place.statement];
}
[[nodiscard]] std::size_t statements_of(const Case& test);
// The case without these statements (sorted or not); transactions that are left empty go too, and with them their
// turns.
[[nodiscard]] Case without(const Case& test, const std::vector<Place>& places);
// "T1.2": transaction and statement from 1, as people count.
[[nodiscard]] std::string name(Place place);
[[nodiscard]] std::string_view name(StatementKind kind);
[[nodiscard]] std::string_view name(Sent sent);  // "plain", "prepared", "cursor", "savepoint"

}  // namespace isolde::hunt
