// check/strongest.h: the strongest levels that a history satisfies, found with few checks.
//
// In, out: a History and the verdict at one level -> what is known of every level, and the strongest that hold.
// Always:  an answer is the one that `check` gives at that level with the same options: run, or inferred from another.
//          It is inferred only where both are about the same evidence: what holds at a level holds at a weaker one
//          whose check believes no more; what is broken at a level is broken at a stronger one whose check believes no
//          less. So a history that breaks snapshot isolation by its timestamps is not said to break serializable, which
//          is about values alone; but serializable is then not called the strongest that holds either, because a level
//          that it implies is broken. Such a level is not looked at and has no answer.
//          Of a violation that rests on the database's own order of versions (Ground::kTimestamps, kSnapshot) nothing
//          is inferred: a check takes that order only where it finds no other.
//          Levels that are about evidence which `--ignore` turns off have no answer either.
//          A level whose added order was not there to be tested (tested.h) is not said to hold; what follows from it
//          as far as it was tested is inferred all the same.
// Cost:    one check a level that is left open, from the strongest down; an anomaly that is found closes all levels
//          that its steps break.
// Source:  the lattice (anomaly/level.h); CONTRACT section 1, "What a verdict is about".
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "anomaly/strongest.h"
#include "check/choose.h"
#include "check/tested.h"

namespace isolde {

class GraphChecks;

// The checks of one history with one set of options. What checks at several levels have in common is done once.
class LevelChecks {
 public:
  LevelChecks(const History& history, const ChooseOptions& options);
  ~LevelChecks();

  // As choose() and the engine's check() give it, but: what they leave open holds if a stronger level is shown to hold
  // on the same evidence, at a cost in proportion; what is still open of a small history is searched exhaustively,
  // unless the method was forced; and what was not there to be tested does not hold (tested.h).
  // Requires: choice.engine is not null.
  [[nodiscard]] Verdict check(const Choice& choice, Level level, const Limits& limits);
  // As check(), but no other level is looked at.
  [[nodiscard]] Verdict check_alone(const Choice& choice, Level level, const Limits& limits);

  // Where an order that was promised (`order`, commit timestamps) fails to explain a history: whether another order
  // does, in words. Empty: the verdict is about no such order.
  [[nodiscard]] std::string other_order(const Verdict& found, const Limits& limits);

  // `first`: what a check with the same options gave; it is not run again. A forced method is used at the levels that
  // it can judge. Ensures: levels that `limits` left no room for are undecided, and `stop` says why.
  [[nodiscard]] Strongest strongest(const Verdict& first, const Limits& limits);

 private:
  [[nodiscard]] const OrderEvidence& orders();
  void withhold(Verdict& verdict);
  // Without sessions, but with clocks: real time, where it holds, implies session order.
  void take_from_real_time(const Engine& engine, const Limits& limits, Verdict& verdict);
  // The engine's own verdict, and what the numbers in sessions say (session_numbers.h).
  [[nodiscard]] Verdict check_engine(const Choice& choice, Level level, const Limits& limits);
  [[nodiscard]] Verdict run_engine(const Choice& choice, Level level, const Limits& limits);
  // Whether a stronger level, about the same evidence, holds: then so does this one.
  void take_from_stronger(const Engine& engine, const Limits& limits, Verdict& verdict);
  // Where the engine leaves a small history open, or goes by the database's word alone: what trying everything shows;
  // of a larger one what its sums show.
  void search_small(const Choice& choice, const Limits& limits, Verdict& verdict);

  const History& h_;
  const ChooseOptions options_;
  std::optional<OrderEvidence> orders_;  // once a level asked for it
  std::unique_ptr<GraphChecks> graph_;
};

// Whether an anomaly of `found` breaks `level` too, where its check believes the same. False: not by its steps alone.
[[nodiscard]] bool breaks_too(const History& history, const Verdict& found, const Anomaly& anomaly, Level level);

}  // namespace isolde
