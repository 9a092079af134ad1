// hunt/finding/finding_file.h: a finding as one file that people can read and `isolde hunt --replay` can run anywhere.
//
// In, out: Finding <-> text: versions, seed, level, schema, rows, transactions, interleaving, the order alone, what was
//          expected and what came. An error of a file has its line and says what was expected there.
// Always:  write, read, write gives the same text, whatever bytes its texts have. A finding that was read has a case
//          that can be run: every transaction ends, every statement that is named is there. Statements have no trees.
//
//   finding contents                             what is wrong (name(Wrong))
//   server PostgreSQL 15.3                       also: isolde, dialect, level, seed, anomaly, rate, cause
//   table t0 (pkey, vkey, c0)                    its columns
//     sql: create table t0 (…)                   further lines of SQL are indented deeper
//     foreign key: c0 to t1, cascading
//     rows:
//       1, 10, 'a'                               inserts: the columns that rows have, if not all
//   more                                         sql: create index …
//   view v0 (pkey) of t0, t1                     sql: create view …
//   drops                                        sql: drop table t0
//   run                                          the interleaving
//     T1: update t0 set …
//     T1: commit                                 or rollback; a transaction begins right before its first step
//   alone T2.1, T1.1                             the order without transactions
//   where T1.1                                   the statement that differed
//   expected                                     lines that begin with |
//   actual
//   statements                                   what replay has to know about each
//     T1.1 update, version 1001, reads t0 t1, writes t0
//       before: select pkey from t0 where …      after the kind also: prepared, cursor (how it is sent)
//
// A text that is not plain (control characters, blanks at its ends) stands in double quotes, with \n, \", \\, \xNN.
// Empty lines and those that begin with # say nothing.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "hunt/finding/finding.h"

namespace isolde::hunt {

// Requires: Case::order is complete, and every row has a cell for each of `inserted`.
[[nodiscard]] std::string finding_text(const Finding& finding);
[[nodiscard]] Result<Finding> parse_finding(std::string_view text, const std::string& file);
[[nodiscard]] Result<Finding> read_finding(const std::string& path);

}  // namespace isolde::hunt
