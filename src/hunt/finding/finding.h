// hunt/finding/finding.h: something that a correct server would not have done, with all that is needed to see it again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hunt/case/case.h"

namespace isolde::hunt {

enum class Wrong : std::uint8_t {
  kResult,      // a SELECT gave other rows in its transaction than alone
  kCount,       // a statement reported another number of changed rows
  kContents,    // the tables ended with other rows
  kError,       // a statement failed in its transaction or alone, and not in both; or with an internal error
  kPredicate,   // an UPDATE or DELETE changed other rows than a SELECT with its predicate found right before
  kOwnWrites,   // right after a statement, its transaction did not see what the statement reported
  kRolledBack,  // a transaction that did not commit left something behind, or was seen
  kIsolation,   // the versions read and written break the declared level
  kRerun,       // the same order gave another result the second time
  kPlan,        // the same statements alone gave something else by another plan, or without the tables' indexes
  kAgainst,     // … on another server
  kHang,        // a statement waited for nobody, or took far longer than alone
  kCrash,       // the server ended, or its log shows a failed assertion
};
[[nodiscard]] std::string_view name(Wrong wrong);  // "result", "contents", "isolation" …
[[nodiscard]] std::optional<Wrong> wrong_named(std::string_view name);
// The anomaly's name in a Finding of Wrong::kIsolation that no serial order explains.
inline constexpr std::string_view kNoSerialOrder = "no-serial-order";
// One sentence, for reports; it begins in small letters and has no full stop.
[[nodiscard]] std::string_view about(Wrong wrong);

// How often something was seen that does not come every time.
struct Rate {
  std::uint64_t seen = 0, runs = 0;  // 0 runs: it comes every time
  [[nodiscard]] bool is_rare() const { return runs > 0; }
};

struct Finding {
  Wrong wrong = Wrong::kResult;
  Case test;
  std::vector<Place> alone;   // the order without transactions that disagrees; empty where none is needed
  Place where;                // the statement that differed, if one did
  std::string server, level;  // as the server calls them
  std::string dialect;
  // kIsolation: its name, as `isolde check` says it ("lost-update"); kError in a transaction: the error's code;
  // kPlan: by which plan it is right, or at least different (second_opinion.h).
  std::string anomaly;
  std::string expected, actual;  // rows as text, one a line; kIsolation: the anomaly in words
  // Findings with one cause have the same: what is wrong, the kinds of the statements left after reduction, the
  // anomaly.
  std::string cause;
  Rate rate;
  std::string isolde;  // the version that found it; empty: this one
};

}  // namespace isolde::hunt
