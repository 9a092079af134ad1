// db/hunt_rules.h: what `isolde hunt` knows about a database: how sessions are set up, what errors are put down to,
// which levels it can judge, and how a person repeats a finding. Data, one constant per database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "db/grammar.h"

namespace isolde::db {

// How a text becomes a prepared statement.
enum class Prepares : std::uint8_t { kAlways, kByDriver, kExecuteImmediate, kPrepareFrom };

// What an error of a statement may be put down to (hunt/run/refusals.h).
enum class Refusal : std::uint8_t {
  kConcurrency,  // because of other transactions
  kConstraint,   // a unique or foreign key, which the server checks against the latest rows
  kLimit,        // it took too long, or was cancelled
  kResource,     // memory, disk, connections: says nothing about the statement
  kInternal,     // the server says that it is at fault itself
  kOwn,          // anything else: the statement and the rows that it meets
};
struct RefusalRow {
  std::string_view code;  // the whole code, or a class of codes followed by * ("40*")
  Refusal refusal;
  std::string_view about;
};

// A setting of a session that makes the server look for rows in another way.
struct PlanSetting {
  bool by_indexes;  // else by scans
  std::string_view name, value;
};

// A level that cannot be judged, because its statements do not work on one state of the rows.
struct UnjudgedLevel {
  std::string_view level;         // folded
  bool whole;                     // the level's whole name; else a part of it
  std::string_view if_says = {};  // only if the server's description has this
  std::span<const std::string_view> unless_says = {};
  std::string_view why;
  std::string_view recognised_by =
      {};  // a cause of hunt/finding/causes.h that findings there are put down to; empty: none
};

struct Setting {
  std::string_view name, value;
};

// The schema of its own that a hunt works in.
struct OwnSchema {
  std::string_view called;  // as the server's users say
  // Each is answered with one number.
  std::string_view is_there, is_marked, things_in_it;
  std::string_view lock;  // 1: this session has it, until it ends
  // One request each.
  std::string_view make, take;  // with its mark; the mark alone, in one that is there
  std::string_view enter;
  std::string_view let_make;  // what somebody who may has to run for a user who may not
  std::string_view tables;    // names and kinds ("table", "view", "function") of all but the mark
  char quote;
  std::string_view drop;
};
// Where a database has no schemas: the mark is a table that lists the names that hunts made.
struct MarkedNames {
  std::string_view is_marked;  // a number: whether the mark is there
  std::string_view tables;     // names and kinds of what it lists
  std::string_view is_there;   // a number: whether anything is called ?, in lower case
  std::string_view mark;       // INSERT of ? into the mark, unless it is there
};

// How a person runs statements in a session, for the script that comes with a finding.
struct ClientWords {
  std::string_view usage;   // what its arguments are
  std::string_view client;  // how it is started; prints an answer as soon as it has one, and goes on after an error
  std::string_view mark;    // what makes it print "--done--"
  std::string_view version;
  std::string_view quiet;  // before tables are dropped that may not be there
  // {level}: the level; {first}: its first word; {collation}: the collation.
  std::string_view settings, begin;
  std::string_view begin_at = {}, begin_then = {};  // where the level ends with `begin_at`, `begin_then` begins it
};
struct Promise {
  std::string_view level;  // empty: every level
  std::string_view sentence;
};

struct HuntRules {
  const Grammar* grammar;
  Prepares prepares = Prepares::kAlways;
  std::string_view collation =
      {};                    // MySQL's grammar: in which texts are equal if their bytes are, blanks at the end, too
  bool locks_rows = true;    // SELECT … FOR UPDATE
  bool shares_locks = true;  // LOCK IN SHARE MODE, FOR SHARE
  // Versions as hunt/server_facts.h counts them.
  int first_except = 0;       // EXCEPT and INTERSECT
  int first_descending = 0;   // descending indexes: before, they give wrong answers
  int first_outer_joins = 0;  // RIGHT JOIN and FULL JOIN
  int first_merge = std::numeric_limits<int>::max();
  std::span<const std::string_view> hints = {};  // that may follow SELECT in a comment, and change no answer

  // Behaviour.
  bool is_innodb = false;  // purges deleted rows at moments of its own, and reads at REPEATABLE READ as InnoDB
  std::string_view snapshot_by_read = {};   // the level at which an extra read may be what takes the snapshot
  bool reuses_deleted_keys = false;         // a key may be inserted that a snapshot still shows (docs/found)
  bool counts_upserts_twice = false;        // a row that an upsert updates counts as two
  bool is_stopped_from_here = false;        // it has no time limit for statements: this side cancels them
  std::string_view deadlock_settings = {};  // asks for deadlock_timeout and log_lock_waits; empty: it looks at once
  bool escapes_by_backslash = false;        // in every text

  // Sessions. {ms}, {s}: the limit of a statement; {collation}: the collation.
  std::span<const std::string_view> fighter_must = {}, fighter_may = {}, keeper_must = {}, clearing = {};
  std::span<const PlanSetting> plans = {};
  std::string_view begin_reset = {}, end_reset = {};  // around statements sent together, to be one transaction
  std::string_view table_setting = {};                // after CREATE TABLE of one without partitions: {0}: the table
  bool has_concat_ws = false;                         // CONCAT_WS joins texts; else ||
  std::string_view quoted = "quote({0})";             // any value as a literal, and NULL as the word
  const OwnSchema* own_schema = nullptr;              // null: `marked` is used
  const MarkedNames* marked = nullptr;

  // Judging.
  std::size_t code_length = 0;  // of its error codes, where all are of one length
  std::span<const RefusalRow> refusals = {};
  std::span<const std::string_view> unknown_codes = {};  // it does not know what it is asked for, or forbids it
  std::span<const UnjudgedLevel> unjudged = {};
  // Settings that decide what a level means, with how a server behaves that has no such setting.
  std::span<const Setting> isolation_settings = {};
  std::span<const Setting> throwaway_settings = {};  // of a scratch server that may lose everything in a crash

  const ClientWords* client = nullptr;
  std::span<const Promise> promises = {};
};

}  // namespace isolde::db
