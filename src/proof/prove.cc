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
      break;
  }
  return {};
}

}  // namespace isolde
