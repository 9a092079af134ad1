// tests/support/confirm.h: what an online engine reports, put before another engine that knows nothing of it.
//
// In, out: a violation and the history that it was found in -> empty if another engine agrees, else what it says.
// How:     the transactions of the violation, and those whose values they read (and those that these read), are taken
//          out of the history. Either their values alone are no snapshot isolation; or `timeline` finds them violated
//          whichever moments are drawn as their timestamps: a snapshot between begin and the first answer, a commit
//          between the last answer and the end.
#pragma once

#include <string>

#include "check/online.h"
#include "history/history.h"

namespace isolde {

class Confirmer {
 public:
  // Requires: a history of registers, every value of a key written once. It outlives this.
  explicit Confirmer(const History& history);
  ~Confirmer();

  [[nodiscard]] std::string against_snapshot_isolation(const OnlineViolation& violation) const;

 private:
  struct Index;
  const History& history_;
  std::unique_ptr<const Index> index_;
};

}  // namespace isolde
