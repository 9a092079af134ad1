// proof/read_claims.h: anomalies about one read: what it returned is what the anomaly says, and is not what it should
// be.
#pragma once

#include <optional>
#include <string>

#include "anomaly/verdict.h"
#include "proof/committed.h"
#include "proof/fault.h"

namespace isolde::proof {

class ReadClaims {
 public:
  ReadClaims(const History& history, const Verdict& verdict, const Committed& committed)
      : h_(history), verdict_(verdict), committed_(committed) {}

  // What the anomaly says about a read is what stands there, and those whom it names as writers wrote the key.
  [[nodiscard]] Fault read_fault(const Anomaly& a) const;
  // It disagrees with the transaction's own operations.
  [[nodiscard]] Fault internal(TxnId t, const Anomaly& a) const;
  // The state at the moment, with the transaction's own operations before the read, is not what was read.
  [[nodiscard]] Fault differs_from_state(TxnId t, const Anomaly& a) const;
  // No transaction that may have committed left this value (of a list: one of its elements, or its end).
  [[nodiscard]] Fault nobody_left_it(TxnId t, const Anomaly& a) const;
  // No moment explains the reads that the steps name.
  [[nodiscard]] Fault no_moment(TxnId t, const Anomaly& a) const;

 private:
  [[nodiscard]] bool may_have_given(TxnId writer, KeyId key, ValueId value) const;
  [[nodiscard]] bool reads_may_differ() const;
  [[nodiscard]] bool names_the_state(const Anomaly& a, std::int64_t time) const;

  const History& h_;
  const Verdict& verdict_;
  const Committed& committed_;
};

}  // namespace isolde::proof
