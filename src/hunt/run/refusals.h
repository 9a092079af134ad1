// hunt/run/refusals.h: what an error of a statement may be put down to: a table of codes per database.
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

#include <span>
#include <string_view>

#include "db/hunt_rules.h"

namespace isolde::hunt {

using db::Refusal;
using db::RefusalRow;

// Of a dialect of hunt/case/dialects.h; empty: another one.
[[nodiscard]] std::span<const RefusalRow> refusals_of(std::string_view dialect);

// Of whichever dialect: their codes have different forms (PostgreSQL's five characters, MariaDB's four digits, names).
[[nodiscard]] Refusal refusal_of(std::string_view code);
// Whether the code is the one of a row, or of its class ("40*").
[[nodiscard]] bool is_of_code(std::string_view row, std::string_view code);

}  // namespace isolde::hunt
