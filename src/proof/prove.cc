#include "proof/prove.h"

#include "proof/claims.h"
#include "proof/witness.h"

namespace isolde {

Result<void> prove(const History& history, const Verdict& verdict) {
  switch (verdict.outcome) {
    case Outcome::kSatisfied:
      return proof::replay_witness(history, verdict);
    case Outcome::kViolated:
      return proof::check_claims(history, verdict);
    case Outcome::kUndecided:
      if (verdict.holds) {
        Verdict weaker = verdict;
        weaker.outcome = Outcome::kSatisfied;
        weaker.level = *verdict.holds;
        return proof::replay_witness(history, weaker);
      }
      break;
  }
  return {};
}

}  // namespace isolde
