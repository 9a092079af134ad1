// audit/classes/fact.h: what a trace shows to be always so, with how often it was seen: the facts that rules rest on.
//
// A trace has no results, but it has every literal that the application sent. What a SELECT returned shows in the
// statements behind it: the id that an UPDATE names and that nobody had named before was read. A fact is a pattern of
// that kind that held every time (`support`), never failed, and held too often to be chance.
//
// Always:  one counterexample in the trace is the end of a fact. A fact that is an `assumption` cannot be proved from
//          statements at all (that a queue is never empty; that the values of rows that were read and not taken are not
//          used; that a transaction gives up when its INSERT is turned away): what it takes away is listed as set
//          aside, never silently.
// Source:  the kinds, their tests and their limits: docs/audit.md, "What the trace itself shows".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/schema/ids.h"

namespace isolde::audit {

enum class FactKind : std::uint8_t {
  kEqual,       // two columns of a class always have the same value (classes/equal_evidence.h)
  kChoice,      // a row that is named was found by an earlier SELECT (choices.h)
  kFunction,    // the same question always has the same answer: same name, same customer (choices.h)
  kCoInsert,    // rows of one table come with a row of another, in one transaction (co_inserts.h)
  kQueue,       // a SELECT takes the smallest of a group, and new rows come in behind (queues.h)
  kConstant,    // a value that is written in the program: every transaction of a class has it (constants.h)
  kProjection,  // of the rows that a SELECT finds, only the values of the row that is taken are used (projections.h)
  kFlow,        // a value is another one plus or minus a constant: the order's number is the counter's (flows.h)
  kVocabulary,  // a place that names entries of a table takes one of a few names, no others (vocabularies.h)
  kUnchanged,   // an UPDATE of the column always writes back what was there (classes/write_backs.h)
  kSeen,        // a member of a story has values as some transaction of the trace has them (story/values.h)
};
inline constexpr std::size_t kFactKinds = 11;

// As --no-fact and [[distrust]] write it: "equal", "choice", "same-choice", "co-insert", "queue", "constant",
// "not-chosen", "flow", "names", "unchanged", "values".
[[nodiscard]] std::string_view name(FactKind kind);
[[nodiscard]] std::optional<FactKind> fact_kind_named(std::string_view name);
[[nodiscard]] std::array<std::string_view, kFactKinds> fact_kind_names();

struct Fact {
  FactKind kind;
  bool assumption = false;
  TableId table = kNoTable;   // that it is about
  std::uint64_t support = 0;  // how often the trace shows it; it never shows the contrary
  std::string text;           // "the rows of order_line come with their row of new_order: 3881 of 3881"
};

// Which facts may be used.
class FactSwitches {
 public:
  void turn_off(FactKind kind) { off_[static_cast<std::size_t>(kind)] = true; }
  void turn_off(const FactSwitches& others);  // those that are off there
  void turn_all_off() { off_.fill(true); }
  [[nodiscard]] bool on(FactKind kind) const { return !off_[static_cast<std::size_t>(kind)]; }

 private:
  std::array<bool, kFactKinds> off_{};
};

// An update that was lost while the trace was recorded: what was written follows from a value that another transaction,
// running at the same time, had already replaced (lost_updates.h).
struct LostInTrace {
  ColumnId column;
  std::uint64_t times = 0, writes = 0;    // of so many writes whose old value is known
  ClassId loser{kNone32};                 // the class whose write was lost, in the first case
  ClassId winner{kNone32};                // and the class that overwrote it
  std::uint32_t lost_line = 0, line = 0;  // of these two writes
  std::string old_value = {}, lost_value = {}, value = {};
};

}  // namespace isolde::audit
