// proof/case_claims.h: an anomaly that is explained by cases: each is a cycle that the level forbids if its choices are
// made so, and there is no way to choose that avoids all of them.
//
// Always: choices are those that any order of the transactions makes: of two writers of a key one comes before the
//         other (serializable family, repeatable-read: as wholes; snapshot family: the one has committed when the other
//         starts; prefix: the one commits before the other); a read has one of all its possible writers, as the raw
//         history shows them; one of unknown outcome committed or did not. That nothing avoids all cases is asked of
//         MiniSat, which no engine is told by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anomaly/anomaly.h"
#include "anomaly/level.h"
#include "proof/cycle_claims.h"
#include "proof/fault.h"
#include "proof/possible_writers.h"

namespace isolde::proof {

class CaseClaims {
 public:
  CaseClaims(const History& history, Level level, const std::vector<bool>& counted, const CycleClaims& cycles)
      : h_(history), level_(level), counted_(counted), cycles_(cycles) {}

  // What is wrong with it; nothing if it holds. Requires: what it names is there.
  [[nodiscard]] std::optional<std::string> fault(const Anomaly& anomaly) const;

 private:
  [[nodiscard]] Fault cycle(const Anomaly& a, const Case& one, const PossibleWriters& writers) const;
  [[nodiscard]] Fault step(const Anomaly& a, const Step& s, const PossibleWriters& writers) const;
  [[nodiscard]] Fault assumed(const Step& s, const PossibleWriters& writers) const;
  [[nodiscard]] bool may_read_from(TxnId reader, OpId op, KeyId key, TxnId writer,
                                   const PossibleWriters& writers) const;
  [[nodiscard]] bool may_all_count(const Case& one) const;

  const History& h_;
  const Level level_;
  const std::vector<bool>& counted_;
  const CycleClaims& cycles_;
};

}  // namespace isolde::proof
