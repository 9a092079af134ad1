// audit/confirm/play.h: an anomaly's transactions made ready to be run: their statements, each with values of its own.
//
// In, out: Anomaly, classes, trace -> Play.
// Always:  rows that the cycle says are the same are named by the same values; rows that two members insert do not
//          collide by chance; what two members write into one column differs, unless a WHERE looks at that column.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/confirm/clues.h"
#include "audit/confirm/values.h"
#include "audit/story/story.h"
#include "audit/trace/log.h"
#include "base/result.h"

namespace isolde::audit {

// What is done differently in another try.
struct Variation {
  // A column that one member sets to what another looks for is not so at first: for every line; only for reads of the
  // cycle that see a write.
  bool before_write = false, before_seen = false;
  bool absent = false;  // the rows that an upsert would meet are not there
  bool unborn = false;  // what a read of the cycle looks for and another member inserts is not there
  bool shared = false;  // a line that names its row by no key finds one that another line names
};

struct Line {
  std::uint32_t statement = 0;  // of the class
  StatementKind kind = StatementKind::kNotUnderstood;
  bool in_cycle = false;
  std::shared_ptr<Lexer> lexer;  // owns `tokens`
  const std::vector<Token>* tokens = nullptr;
  Clues clues;
  std::vector<std::string> literals;     // as they are to be sent
  std::vector<std::uint32_t> variables;  // of the class, by literal; kNoVariable: none
  bool keeps_old_row = false;            // INSERT: a row that has the key already stays as it is
  std::vector<TableId> tables = {};      // sorted: that it names, or means by a view; none that stands for a lock
  std::string makes = {};                // INSERT: the number that the table makes for its row; empty: any
  // Sorted: what it locks that is no row (play_locks.h): tables, and tables that stand for advisory locks.
  std::vector<TableId> locks = {};
  std::vector<std::uint32_t> lock_key = {};  // literals that are the key of an advisory lock; empty: it takes none

  // It takes no lock, and writes nothing.
  [[nodiscard]] bool reads_plainly() const { return kind == StatementKind::kSelect && !clues.locks && locks.empty(); }
};

struct Member {
  ClassId id;
  std::vector<Line> lines;                // of statements that read or write data
  std::string level = {};                 // that the trace says for its transactions, as SQL has it; empty: none
  std::vector<std::string> unknown = {};  // statements of the transaction of which nobody knows what they do
  // The line of a statement of the class; kNone32: it is not run.
  [[nodiscard]] std::uint32_t line_of(std::uint32_t statement) const;
};

// A table as one line names it.
struct Touch {
  std::uint32_t member, line, named;
};

// A dependency of the cycle, by the lines that it is between; kNone32: that statement is not run.
struct PlayEdge {
  std::uint32_t from, to;  // members
  std::uint32_t from_line, to_line;
  EdgeKind kind;
  ColumnId column;
};

// A key that a later statement of the member has from what this line returned (facts/choices.h; SKIP LOCKED), or a
// number that follows from it (facts/flows.h): the variable is what was returned + `plus`.
struct PlayChoice {
  std::uint32_t member, line;
  ColumnId column;
  std::uint32_t variable;
  std::int64_t plus = 0;
  std::int64_t step = 0;  // not 0: a number taken from a counter, which is then so much more
};

struct Play {
  SqlDialect dialect = SqlDialect::kPostgres;
  Schema schema;  // types filled in, for the tables that are used
  std::vector<TableId> tables;
  std::vector<Member> members;
  std::vector<PlayEdge> edges;  // of the cycle
  std::vector<PlayChoice> choices;
  std::vector<std::pair<Touch, Touch>> meet;  // these are about the same row
  std::vector<std::set<std::uint32_t>> tied;  // by member: variables that the cycle makes equal to another member's
  // Texts that a WHERE looks for, or that are written where one looks, and that are no words of the program: member,
  // variable. Literals that have no variable of the class have one of their own for this.
  std::set<std::pair<std::uint32_t, std::uint32_t>> data;
  // Columns that some line compares by < or > and another inserts values into: from when to when a room is taken.
  // Values of these are data, and one value of a member is the same in all of them.
  std::set<ColumnId> ranges;
  std::vector<SqlValueType> types;  // by column
  std::set<std::string> telling;    // names of the cycle's columns, in lower case
  std::set<std::string> parted;     // "T2's orders.o_id": keys of INSERTs that would have collided as traced
  bool reads_wait = false;          // some member takes LOCK TABLE against those who only read

  [[nodiscard]] const Line& line(const Touch& touch) const { return members[touch.member].lines[touch.line]; }
  // What the line must return, so that the member goes on as it does; empty: nobody knows.
  [[nodiscard]] std::string returned(const PlayChoice& choice) const;
  // What the member's variable stands for; empty: no literal has it.
  [[nodiscard]] std::string value(std::uint32_t member, std::uint32_t variable) const;
  [[nodiscard]] const SqlValueType& type(ColumnId column) const { return types[raw(column)]; }
  [[nodiscard]] std::vector<std::vector<ColumnId>> keys_of(TableId table) const;  // primary and unique
};

// Tables of the cycle's statements that one member writes and another uses, and locks that several take. What is done
// to others can make a member wait or fail, but never a dependency of the cycle come to pass.
[[nodiscard]] std::set<TableId> contested_tables(const Play& play);

// The values by which a line names its row in a key: by comparison, or as what it inserts. Empty: not all are given.
[[nodiscard]] std::vector<std::string> key_named(const Play& play, const Line& line, TableId table,
                                                 const std::vector<ColumnId>& key);
// Both lines name a row of the table by all columns of one key, with the same values.
[[nodiscard]] bool name_one_row(const Play& play, const Line& a, const Line& b, TableId table);

// rw: lines of its first member that may be the read: its own, and every SELECT that names the same row by a whole key.
[[nodiscard]] std::vector<std::uint32_t> readers_of(const Play& play, const PlayEdge& edge);

// An error: a member has a statement that cannot be run (a parameter without a value).
[[nodiscard]] Result<Play> make_play(const Anomaly& anomaly, const Classes& classes, const TraceLog& log);

}  // namespace isolde::audit
