// audit/story/story.h: a cycle as people read it: the transactions' SQL, interleaved in the order that goes wrong.
//
// In, out: Cycle -> Anomaly with name, steps, words and rank. Cycles that tell the same story are one.
// Always:  the order of the steps is one that the level allows (cycles/moments.h), with T1 as the first to begin; a
// cycle
//          that no order of events shows is not told. Values are those of the trace, renamed so that the rows of the
//          cycle meet (story/values.h): what is shown can be run. A member that is one statement in
//          autocommit has no BEGIN and COMMIT. Cycles of one cause are one story (story/grouping.h). Where an edge of a
//          cycle by itself makes for a lost update of two, that is reported instead: it happens in the same way and is
//          easier to see. The same cycles give the same stories.
// Cost:    naming and grouping: a microsecond a cycle; telling: some ten microseconds for each of the `most` that are
//          told.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/cycles/cycle.h"
#include "audit/cycles/moments.h"

namespace isolde::audit {

enum class AnomalyName : std::uint8_t {
  kLostUpdate,
  kStaleRead,
  kWriteSkew,
  kReadSkew,
  kReadOnlyAnomaly,
  kPhantom,
  kOther,
};
[[nodiscard]] std::string_view name(AnomalyName name);     // "lost update"
[[nodiscard]] std::string_view meaning(AnomalyName name);  // one sentence

// A literal of a member's statement that is not as in the example of its class: so that rows meet, or because the
// member is another transaction of the trace.
struct Binding {
  std::uint32_t member;
  std::uint32_t statement;  // of the class
  std::uint32_t literal;    // of the shape
  LiteralId value;
};

// The statements that a story is about: who reads what is out of date, who has changed it, and the table; of a table of
// names and values also the name.
using Cause = std::tuple<ShapeId, ShapeId, TableId, std::string>;

struct StoryStep {
  std::uint32_t member;
  Event::Kind kind;
  std::uint32_t statement = 0;  // of the class
  std::string sql;              // with values; "BEGIN" and "COMMIT" for start and end; empty for kContinues
  std::string remark;           // "reads stock.quantity, which T2 changes below"; empty: the step does not matter
};

struct Anomaly {
  AnomalyName name;
  Cycle cycle;
  std::vector<std::string> members;  // "T1: checkout …"
  std::vector<StoryStep> steps;
  std::vector<Binding> bindings;
  std::string words;                           // what goes wrong, in two or three sentences
  std::uint32_t concurrent = 0, same_row = 0;  // how often the trace shows its classes so
  double rank = 0;                             // higher: more likely
  std::uint64_t cycles = 1;                    // that tell the same story
  Cause cause = {};
  std::uint32_t lost = kNone32;           // in Classes::lost: it happened while the trace was recorded
  std::vector<std::uint32_t> facts = {};  // in Classes::facts: what the trace shows of the rows of its cycle
  bool as_seen = true;  // each member's values are equal where those of a transaction of the trace are
};

struct StoryOptions {
  WeakLevel level = WeakLevel::kReadCommitted;
  std::size_t most = 1000;
};

// New values may be added to the log's literals. `untold`: is given a cycle of each cause of which no order of events,
// or no values that fit together, can be shown.
[[nodiscard]] std::vector<Anomaly> tell(const Classes& classes, TraceLog& log, const DependencyGraph& graph,
                                        const std::vector<Cycle>& cycles, const StoryOptions& options,
                                        std::vector<Cycle>* untold = nullptr);

}  // namespace isolde::audit
