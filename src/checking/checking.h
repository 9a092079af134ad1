// checking/checking.h: one history and one question about it: from what was asked to a proved verdict.
//
// In, out: a History, a level and how to check it -> a Verdict, its proof, the strongest levels that hold.
// Always:  the only place that leads from the choice of evidence and engine over the check to the proof; the command,
// the
//          library and the hunt all ask here. A verdict that does not stand up to its proof is never given as an
//          answer.
// Cost:    as the engines; a Checking keeps what they share, for further levels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "anomaly/methods.h"
#include "anomaly/strongest.h"
#include "anomaly/verdict.h"
#include "base/limits.h"
#include "base/result.h"
#include "check/choose/choose.h"
#include "check/choose/strongest.h"
#include "check/engine.h"
#include "history/history.h"
#include "proof/prove.h"

namespace isolde {

struct CheckingOptions {
  ChooseOptions choose = {};
  EngineOptions engine = {};
};

class Checking {
 public:
  using Options = CheckingOptions;
  // Error: there is no such level with the evidence that is to be used or ignored.
  [[nodiscard]] static Result<std::unique_ptr<Checking>> of(const History& history, Level asked,
                                                            const Options& options = {});
  Checking(const Checking&) = delete;
  Checking& operator=(const Checking&) = delete;

  // Without the evidence that is ignored; shares its columns with the history that was given.
  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] Level level() const { return level_; }
  // What a reader should know of the evidence that was turned on and off.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  // Why the method that the user forces cannot judge this; empty if it can, or none is forced.
  [[nodiscard]] std::string refusal() const;

  // The method that was chosen, and why; empty if none can judge it.
  [[nodiscard]] std::string method() const;

  // If no engine can judge the level, the verdict is undecided and says so.
  [[nodiscard]] Verdict check(const Limits& limits);
  // Why its method was taken; empty if it is not the one that was chosen.
  [[nodiscard]] std::string why(const Verdict& verdict) const { return std::string(why_method(choice_, verdict)); }

  struct Proved {
    Proof proof = Proof::kNotAsked;  // of a verdict that claims nothing
    std::string says = {};           // kFails: what does not hold
  };
  // Re-checks a verdict of check(). Where that fails, the verdict becomes undecided.
  [[nodiscard]] Proved prove(Verdict& verdict) const;

  // The verdict is one of check(); see check/choose/strongest.h.
  [[nodiscard]] std::string other_order(const Verdict& verdict, const Limits& limits);
  [[nodiscard]] Strongest strongest(const Verdict& verdict, const Limits& limits);
  [[nodiscard]] std::vector<MethodCase> methods() const;

 private:
  Checking(History history, Level level, std::vector<std::string> notes, const Options& options);

  const History history_;
  const Level level_;
  const std::vector<std::string> notes_;
  const ChooseOptions options_;
  const Choice choice_;
  LevelChecks checks_;
};

}  // namespace isolde
