// hunt/run/refusals.h: what an error of a statement may be put down to: a table of codes per dialect.
//
// A statement that a hunt draws is a function of the rows that it reads and fails on none of them (docs/hunt-sql.md).
// So an error needs an explanation: other transactions (serialization, deadlocks, locks), a constraint that is checked
// against rows which the statement's snapshot does not show, a limit, a machine that ran out of something. What is left
// is the statement's own fault if it fails on the same rows alone, too, and else the server's. An internal error is the
// server's whatever it was asked for.
//
// Always: a code that no table lists is kOwn: it is compared with a run alone, never blamed on sight.
// Source: the manuals' lists of errors: PostgreSQL's appendix A, MariaDB's "Error Codes", SQLite's "Result and Error
//         Codes".
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace isolde::hunt {

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
// Of a dialect of hunt/dialects.h; empty: another one.
[[nodiscard]] std::span<const RefusalRow> refusals_of(std::string_view dialect);

// Of whichever dialect: SQLSTATEs have five characters, MariaDB's numbers four digits, SQLite's codes a name.
[[nodiscard]] Refusal refusal_of(std::string_view code);

}  // namespace isolde::hunt
