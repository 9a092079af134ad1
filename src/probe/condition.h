// probe/condition.h: when an anomaly happened: a boolean expression over what steps returned and how transactions
// ended.
//
// In, out: text -> Condition; a transcript and the final tables -> yes, no, or not known (a step that it asks about was
//          never answered), which counts as no.
// Cost:    linear in the expression; kept as postfix, so that nothing recurs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "probe/transcript.h"

namespace isolde::probe {

// The n-th statement of a transaction (T1.2), or the contents of a table at the end.
struct Source {
  std::size_t transaction = 0;
  std::size_t number = 0;  // from 1; 0: a table
  std::string table;       // empty: the first

  friend bool operator==(const Source&, const Source&) = default;
};

struct AnyCell {};
using CellPattern = std::variant<AnyCell, db::Cell>;
using RowPattern = std::vector<CellPattern>;

enum class Bound : std::uint8_t { kExactly, kAtLeast, kAtMost };

struct Test {
  enum class Kind : std::uint8_t {
    kCommitted,
    kRolledBack,  // whoever did it
    kFailed,
    kWaited,
    kIs,        // these rows and no others, in any order
    kIsSource,  // the same rows as another
    kHas,       // this row among others
    kRows,      // so many
    kChanged,   // a statement changed so many rows
  };
  Kind kind = Kind::kCommitted;
  bool negated = false;
  Source subject;
  std::vector<RowPattern> rows;
  Source other;
  Bound bound = Bound::kExactly;
  std::uint64_t count = 0;
  std::uint64_t line = 0, column = 0;
};

struct Condition {
  enum class Op : std::uint8_t { kTest, kNot, kAnd, kOr };
  struct Part {
    Op op = Op::kTest;
    std::size_t test = 0;
  };
  std::vector<Test> tests;
  std::vector<Part> postfix;
};

// `line` and `column`: where `text` begins in `file`; its further lines begin at column 1.
[[nodiscard]] Result<Condition> parse_condition(std::string_view text, const std::string& file, std::uint64_t line,
                                                std::uint64_t column);

struct Observed {
  const std::vector<Step>& steps;
  const Transcript& transcript;
  const std::map<std::string, db::Reply>& tables;  // by the scenario's names
  const std::string& first_table;
};

// None: it hangs on something that was never answered.
[[nodiscard]] std::optional<bool> holds(const Condition& condition, const Observed& observed);

// What T<transaction>'s n-th statement is in `steps`; kNoStep: there is none.
[[nodiscard]] std::size_t statement_at(const std::vector<Step>& steps, std::size_t transaction, std::size_t number);

}  // namespace isolde::probe
