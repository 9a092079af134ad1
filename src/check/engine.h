// check/engine.h: the small interface that every engine implements.
//
// An engine is one function: it judges the history of a CheckContext at a level, within Limits, and returns a Verdict.
// What choose() and LevelChecks need to know of it is data beside that function: they ask the engine, never its name.
// To add one: docs/adding-an-engine.md.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>

#include "anomaly/level.h"
#include "anomaly/verdict.h"
#include "base/limits.h"
#include "history/history.h"

namespace isolde {

namespace mirror {
struct Profile;
}

// How engines work; each reads what concerns it.
struct EngineOptions {
  const mirror::Profile* profile = nullptr;  // `mirror`: how the DBMS works
  unsigned partitions = 1;                   // `mirror`: the keys are partitioned among this many threads
  bool guess = true;  // `solver`: try hints before proving anything; false only to measure what that saves
};

// One history and all that engines keep about it, for checks at one level or at several.
class CheckContext {
 public:
  explicit CheckContext(const History& history, const EngineOptions& options = {})
      : history_(history), options_(options) {}

  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] const EngineOptions& options() const { return options_; }

  // What several checks have in common, such as the traces of reads: made of the history when it is first asked for.
  template <typename T>
  [[nodiscard]] T& shared() {
    std::shared_ptr<void>& place = shared_[typeid(T)];
    if (place == nullptr) place = std::make_shared<T>(history_);
    return *static_cast<T*>(place.get());
  }

 private:
  const History& history_;
  const EngineOptions options_;
  std::map<std::type_index, std::shared_ptr<void>> shared_;
};

struct Engine {
  std::string_view name;                // as in `--method`
  std::string_view summary;             // one line for --help
  Given given = Given::kVersionOrders;  // what its verdicts take as given
  bool believes_starts = false;         // at snapshot levels it takes start_ts and commit_ts as given, too
  bool certifies = true;                // false: it finds violations, but never says that a level holds
  std::string_view taken_because = {};  // one clause for the report
  // Why choose() never takes it unless it is named; empty: choose() may take it.
  std::string_view set_aside_because = {};
  // Why choose() passes it over here, although it could judge the history; empty if it does not. Null: it never does.
  // Called last, because it may look at every operation. `order_by_commit`: the user says that commit timestamps are
  // the serialization order.
  std::string (*passed_over)(const History& history, Level level, bool order_by_commit) = nullptr;
  // Asked next if this engine was chosen and leaves the level open. Null: none.
  const Engine* then = nullptr;
  // Empty if the engine can judge `level` with the evidence of this history; otherwise why it cannot, for the user.
  std::string (*lacks)(const History& history, Level level);
  // Requires: lacks() is empty.
  // Ensures:  kUndecided only if `limits` ran out or the evidence is not enough, and then `why_open` and `reason` say
  //           which; kViolated only if the evidence forces it; kSatisfied comes with a witness that src/proof accepts,
  //           at the levels that are about points or an order (the weaker ones have none).
  //           `method` and `given` need not be set: run() does.
  Verdict (*judge)(CheckContext& context, Level level, const Limits& limits);

  // Whether it is that engine: the table of engines holds copies.
  [[nodiscard]] bool is(const Engine& other) const { return judge == other.judge; }
  [[nodiscard]] Verdict run(CheckContext& context, Level level, const Limits& limits) const {
    Verdict verdict = judge(context, level, limits);
    verdict.level = level;
    verdict.method = name;
    verdict.given = given;
    return verdict;
  }
  // As run(), for a single level.
  [[nodiscard]] Verdict check(const History& history, Level level, const Limits& limits,
                              const EngineOptions& options = {}) const {
    CheckContext context(history, options);
    return run(context, level, limits);
  }
};

}  // namespace isolde
