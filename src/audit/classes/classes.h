// audit/classes/classes.h: transactions that do the same operations in the same order are one class.
//
// In, out: TraceLog + Schema -> Classes.
// Always:  loops are cut to two rounds (Theorem 3.3) before classes are told apart; only committed transactions count.
//          A variable of a class stands for literals that were equal in every one of its transactions; of different
//          columns only if that is no chance (equal_evidence.h).
//          What else the trace shows of the rows that a class names (Choice, ClassRows::found_by …) is in facts/.
//          Operation i of statement s of a class is access i of classes.statements[statements[s]], in that order.
//          Classes come in the order of their first transaction.
// Source:  IsoDiff, sections 3.2-3.4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/classes/equal_evidence.h"
#include "audit/classes/fact.h"
#include "audit/classes/write_backs.h"
#include "audit/schema/ids.h"
#include "audit/schema/schema.h"
#include "audit/sql/statement.h"
#include "audit/trace/log.h"
#include "base/limits.h"

namespace isolde::audit {

inline constexpr std::uint32_t kNoVariable = kNone32;

struct ClassRowKey {
  ColumnId column;
  std::uint32_t variable;  // of the class
};

// The rows that some operations of a class touch, told by variables. `single`: in every transaction just one row.
struct ClassRows {
  TableId table;
  bool single = false;
  std::vector<ClassRowKey> keys;  // sorted by column; those that every transaction of the class has
  // Values that none of the rows has in that column (<>, <, >), sorted by column; likewise.
  std::vector<ClassRowKey> unlike = {};
  // The transaction itself made these rows by an earlier statement, or the row that they belong to (own_rows.h).
  bool own = false;
  // The key column whose value that statement had the database make: nobody else knows it before the commit.
  ColumnId made = kNoColumn;
  // Values that the row is known to have, though this statement does not ask for them: those that the SELECT asked for
  // which found it. Sorted by column, none of `keys`.
  std::vector<ClassRowKey> known = {};
  // The fact (Classes::facts) that says that these rows were there when the transaction looked: it had found them, or
  // the row that they came with. kNone32: none.
  std::uint32_t found_by = kNone32;
  // In a table of names and values: the name, if it is written in the program (facts/constants.h). `entry_seen`: the
  // one that the example has, whether or not it is always the same.
  std::string entry = {}, entry_seen = {};
};

inline constexpr std::uint16_t kNoRows = 0xffff;

// A row that a transaction takes from those that one of its SELECTs found (facts/choices.h).
struct Choice {
  std::uint32_t statement;              // of the class: the SELECT
  std::uint16_t found;                  // the rows that it finds
  std::uint16_t taken;                  // the row that is taken, as a later statement names it; kNoRows: none does
  std::vector<ClassRowKey> key;         // of the row that is taken: the table's primary key, in its order
  std::vector<ClassRowKey> arguments;   // what the SELECT asks for, sorted by column
  std::uint32_t result;                 // the variable that the SELECT gave a value
  std::uint32_t fact;                   // of Classes::facts
  std::uint32_t function = kNone32;     // choices of the same number take the same row if they ask for the same
  std::uint32_t same_moment = kNone32;  // … if they do so on the same snapshot, and write the row
  // In the trace, choices of the same number that ask for the same take the same row; too seldom for a fact. kNone32:
  // they do not. Counts for the values of a story only.
  std::uint32_t one_answer = kNone32;
  // The fact that says that no INSERT changes which row is taken: all rows that are inserted come in behind it.
  // kNone32: none. An assumption.
  std::uint32_t queue = kNone32;
  // … at every level: those who insert take the number from a counter (Numbering), one after the other.
  bool queue_numbered = false;
};

// UPDATE … SET column = 32, and 31 in a row that is inserted: one is always the other plus a constant (facts/flows.h).
struct Flow {
  std::uint32_t statement;  // of the class: the UPDATE
  ColumnId column;          // that it sets
  std::uint32_t variable;   // of the row that is inserted: what is set + `plus`
  std::int64_t plus;
  std::uint32_t fact;  // of Classes::facts
};

// A number taken from a counter: the transaction reads it, sets it to what it read plus a step, and inserts a row whose
// unique key follows from it (facts/flows.h). Two that read the same number of the same counter do not both commit.
struct Numbering {
  std::vector<std::uint32_t> reads;  // operations of one statement: the last that reads the counter before the write
  std::uint32_t write;               // operation: sets it
  std::uint32_t variable;            // of the key that is inserted: what was read + `plus`
  std::int64_t plus;
  std::int64_t step;      // what is written: what was read + `step`
  std::uint32_t counter;  // equal for those that take their numbers in the same way
  std::uint32_t fact;     // of Classes::facts: an assumption
};

// A number that is one more than the largest so far, under a unique key (facts/next_numbers.h).
struct NextNumber {
  std::vector<std::uint32_t> reads;  // operations of the SELECT that asks for the largest
  std::uint32_t fact;                // of Classes::facts: an assumption
};

struct Operation {
  Access access;            // row_set is an index into TransactionClass::rows
  std::uint32_t statement;  // in TransactionClass::statements
};

struct TransactionClass {
  std::string name;  // "checkout: UPDATE stock, INSERT order_line"; no two have the same
  std::vector<Operation> operations;
  std::vector<ShapeId> statements;  // of the example, with loops cut
  std::vector<ClassRows> rows;
  std::uint32_t variables = 0;
  std::uint64_t transactions = 0;                 // how many of the trace
  std::uint32_t example = 0;                      // in TraceLog::transactions
  std::vector<std::uint32_t> example_statements;  // in TraceLog::statements: one for each of `statements`
  // For each variable, its value in the example; kNoLiteral where it is not known.
  std::vector<LiteralId> example_values;
  // Columns that a statement certainly changes in every row that it finds (Statement::changes).
  struct Change {
    std::uint32_t statement;
    ColumnId column;
  };
  std::vector<Change> changes = {};
  // UPDATEs that give the row what the SELECT asked for which found it: an ORM that saves the whole row
  // (facts/choices.h).
  std::vector<Change> kept = {};
  std::vector<std::uint32_t> positions = {};  // by statement: the same number in every round of a loop
  std::vector<Choice> choices = {};
  // Reads of all rows that a SELECT finds of which, by assumption, only the row that is taken is used
  // (facts/projections.h). Nothing here heeds that by itself: see with_assumptions().
  struct Narrowed {
    std::uint32_t operation;
    std::uint16_t rows;  // the row that is taken
    std::uint32_t fact;  // of Classes::facts
  };
  std::vector<Narrowed> narrowed = {};
  std::vector<Flow> flows = {};
  std::vector<Numbering> numberings = {};     // used only with GraphOptions::assumptions
  std::vector<NextNumber> next_numbers = {};  // likewise
  // By variable: the value that is written in the program (facts/constants.h); kNoLiteral: none. Empty: no variable is.
  std::vector<LiteralId> constants = {};
  // By variable: the only values that the trace shows in its place, sorted; empty: any (facts/vocabularies.h). Used
  // only with GraphOptions::assumptions. Empty as a whole: no variable has any.
  std::vector<std::vector<LiteralId>> vocabularies = {};
  bool autocommit = false;  // in every transaction
  bool reads_only = false;
  // As the trace says; none: that of the audit.
  std::optional<WeakLevel> level = {};
  std::uint32_t snapshot = 0;  // the statement that takes the snapshot, where the level has one
  // SERIALIZABLE: nothing goes wrong between such transactions alone. `level` is what it is to all others.
  bool serializable = false;
  [[nodiscard]] WeakLevel level_or(WeakLevel other) const { return level.value_or(other); }
};

// Columns whose values always differed between concurrent transactions: their rows are never shared.
struct UniqueColumn {
  ColumnId column;
  std::uint64_t pairs = 0;  // of concurrent transactions that both used it
};

struct NotUnderstood {
  ShapeId shape;
  std::uint64_t times = 0;
  std::uint64_t line = 0;  // of the first
  std::string why;
};

// Columns of a table have the primary key of a row of another, in its order: what a foreign key says.
struct TableReference {
  TableId child, parent;
  std::vector<ColumnId> columns;  // of the child
  auto operator<=>(const TableReference&) const = default;
};

struct Classes {
  Schema schema;                      // with what the statements showed
  std::vector<Statement> statements;  // by ShapeId
  std::vector<TransactionClass> classes;
  std::vector<std::uint32_t> class_of;  // by transaction of the log; kNone32: not committed, or touches no data
  std::uint64_t data_statements = 0, no_data_statements = 0, not_understood_statements = 0;
  std::vector<NotUnderstood> not_understood;
  std::vector<UniqueColumn> unique;        // inferred; used only if asked for
  std::vector<AlwaysEqual> equal_columns;  // different columns that were always equal in some class
  std::vector<Fact> facts;
  // By table: the ids that INSERTs give are new ones, as a sequence makes them: each is larger than all that named a
  // row before it (made_ids.h).
  std::vector<bool> fresh_ids;
  // By column: the fact that its values are constants; kNone32: it has none. Empty: nobody looked.
  std::vector<std::uint32_t> constant_facts;
  // Likewise: the fact that it takes a few values with each statement, an assumption.
  std::vector<std::uint32_t> vocabulary_facts;
  // What the trace shows besides the schema's foreign keys, and the columns that rows are found by (facts/lookups.h).
  std::vector<TableReference> references;
  std::vector<ColumnId> looked_up_by;
  std::vector<LostInTrace> lost;  // updates that were lost while the trace was recorded; most often lost first
  // By column: so often the trace shows what was there before an UPDATE, which always wrote the same again; 0: it did
  // not (write_backs.h).
  std::vector<std::uint32_t> unchanged;
  // What was in the rows that UPDATEs change, as far as it is known: by statement of the log (write_backs.h).
  std::unordered_map<std::uint32_t, SeenUpdate> updates;
  // By column: the fact that it is written back as it was, an assumption; kNone32: it has none. Empty: nobody looked.
  std::vector<std::uint32_t> unchanged_facts;
  // Pairs of transactions of two classes that were seen concurrent, and of these with a row in common that one of them
  // writes, for the ranking: by pair(a, b); absent: none.
  std::unordered_map<std::uint64_t, std::uint32_t> seen_concurrent, seen_same_row;
  [[nodiscard]] static std::uint64_t pair(ClassId a, ClassId b);  // the same for (b, a)
  [[nodiscard]] std::uint32_t concurrent(ClassId a, ClassId b) const;
  [[nodiscard]] std::uint32_t same_row(ClassId a, ClassId b) const;
};

struct ClassOptions {
  std::uint32_t rounds = 2;                     // that are kept of a loop; 0: all
  bool rolled_back_too = false;                 // transactions that rolled back count as what they did
  std::uint64_t pairs_for_unique = 20;          // concurrent pairs that make a column unique
  bool one_value_is_enough = false;             // for two columns to share a variable: as the paper has it; no facts
  bool locks = true;                            // LOCK TABLE and advisory locks count
  FactSwitches facts = {};                      // that may be used
  bool levels = true;                           // what the trace says of a transaction's level counts
  WeakLevel level = WeakLevel::kReadCommitted;  // of the audit: whether MySQL's REPEATABLE READ is a snapshot
  Progress* progress = nullptr;
};

// The same, but reads of all rows that a SELECT finds are of the row that is taken, where the trace lets it be assumed.
[[nodiscard]] Classes with_assumptions(const Classes& classes);

}  // namespace isolde::audit
