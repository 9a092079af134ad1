// check/choose/strongest.h: the strongest levels that a history satisfies, found with few checks.
//
// In, out: a History and the verdict at one level -> the result for every level, and the strongest levels that hold.
// Always:  a result is the one that `check` gives at that level with the same options, whether it was run or inferred.
//          It is inferred only if both checks rely on the same evidence: a level that holds implies a weaker one whose
//          check relies on no more evidence; a broken level breaks a stronger one whose check relies on no less. So a
//          history that breaks snapshot isolation by its timestamps is not reported to break serializable, which is
//          about values alone. But serializable is not reported as the strongest level that holds either, because a
//          level that it implies is broken. Such a level is not checked and has no result.
//          Nothing is inferred from a violation that relies on the database's own order of versions
//          (Ground::kTimestamps, kSnapshot): a check uses that order only if it finds no other.
//          Levels about evidence that `--ignore` turns off have no result either.
//          A level whose added order could not be tested (tested.h) is not reported to hold, but what follows from the
//          part that was tested is inferred.
// Cost:    one check per undecided level, from the strongest down; an anomaly settles all levels that its steps break.
// Source:  the lattice (anomaly/level.h); CONTRACT section 1, "What a verdict is about".
#pragma once

#include <optional>
#include <string>

#include "anomaly/strongest.h"
#include "check/choose/choose.h"
#include "check/tested.h"

namespace isolde {

// The checks of one history with one set of options. Work that checks at several levels share is done once.
class LevelChecks {
 public:
  LevelChecks(const History& history, const ChooseOptions& options, const EngineOptions& engine_options = {});

  // The result of choose() and the engine's check(), with three differences. If it is undecided, it holds if a stronger
  // level is shown to hold on the same evidence, at a proportionate cost. If it is still undecided and the history is
  // small, every order is tried, unless the method was forced. A level that could not be tested does not hold
  // (tested.h). Requires: choice.engine is not null.
  [[nodiscard]] Verdict check(const Choice& choice, Level level, const Limits& limits);
  // As check(), but no other level is checked.
  [[nodiscard]] Verdict check_alone(const Choice& choice, Level level, const Limits& limits);

  // If a promised order (`order`, commit timestamps) does not explain the history: whether another order does, in
  // words. Empty: the verdict is not about such an order.
  [[nodiscard]] std::string other_order(const Verdict& found, const Limits& limits);

  // `first`: the result of a check with the same options; it is not run again. A forced method is used at the levels
  // that it can judge. Ensures: levels that did not fit into `limits` are undecided, and `stop` says why.
  [[nodiscard]] Strongest strongest(const Verdict& first, const Limits& limits);

 private:
  [[nodiscard]] const OrderEvidence& orders();
  void withhold(Verdict& verdict);
  // Without sessions but with clocks: if real time holds, it implies session order.
  void take_from_real_time(const Engine& engine, const Limits& limits, Verdict& verdict);
  // The engine's own verdict, with the gaps in session numbers added (session_numbers.h).
  [[nodiscard]] Verdict check_engine(const Choice& choice, Level level, const Limits& limits);
  [[nodiscard]] Verdict run_engine(const Choice& choice, Level level, const Limits& limits);
  // If a stronger level holds on the same evidence, so does this one.
  void take_from_stronger(const Engine& engine, const Limits& limits, Verdict& verdict);
  // If the engine leaves a small history undecided, or relies on the database's word alone, tries every order; for a
  // larger history, tries what its sums show.
  void search_small(const Choice& choice, const Limits& limits, Verdict& verdict);

  const History& h_;
  const ChooseOptions options_;
  std::optional<OrderEvidence> orders_;  // set once a level needs it
  CheckContext context_;
};

// Whether an anomaly of `found` also breaks `level`, if its check relies on the same evidence. False: its steps alone
// do not show it.
[[nodiscard]] bool breaks_too(const History& history, const Verdict& found, const Anomaly& anomaly, Level level);

}  // namespace isolde
