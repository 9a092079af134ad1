// proof/predicate_testing.h: histories with predicates and verdicts made by hand, for the tests of the proof.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "anomaly/verdict.h"
#include "proof/prove.h"
#include "tests/support/native_history.h"

namespace isolde {

// "" if the proof believes the verdict, else what it says.
inline std::string said(const History& history, const Verdict& verdict) {
  const auto proof = prove(history, verdict);
  return proof ? "" : proof.error().message();
}

inline std::string said_of_order(const History& history, Level level, std::initializer_list<std::uint32_t> order) {
  Verdict v;
  v.outcome = Outcome::kSatisfied;
  v.level = level;
  v.method = "graph";
  v.witness = {Witness::Kind::kSerialOrder, order};
  return said(history, v);
}

// A violated verdict with one anomaly.
inline Verdict violated(std::string_view method, Level level, Anomaly anomaly) {
  Verdict v;
  v.outcome = Outcome::kViolated;
  v.level = level;
  v.method = method;
  if (method == "timeline") v.given = Given::kTimestamps;
  if (method == "replay") v.given = Given::kExpectedOrder;
  v.count(anomaly.kind);
  v.anomalies.push_back(std::move(anomaly));
  return v;
}

// What the proof says to the verdict after a change of its anomaly.
inline std::string said_after(const History& history, Verdict verdict, const std::function<void(Anomaly&)>& change) {
  change(verdict.anomalies.front());
  return said(history, verdict);
}

inline KeyId key_of(const History& history, std::string_view name) {
  for (std::uint32_t k = 0; k < history.key_count(); ++k) {
    if (history.key_text(KeyId{k}) == name) return KeyId{k};
  }
  ADD_FAILURE() << "no key " << name;
  return kNoKey;
}

}  // namespace isolde
