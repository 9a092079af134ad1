// tests/support/mirrored.h: what the mirror reports of a recorded history by one of its profiles.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "check/mirror/mirror.h"
#include "check/mirror/profile.h"
#include "history/chunk.h"

namespace isolde::record {

class MirrorFound : public OnlineSink {
 public:
  std::vector<OnlineViolation> violations;
  void violated(const OnlineViolation& violation) override { violations.push_back(violation); }
  void suspected(const OnlineViolation& violation, std::string_view why) override {
    ADD_FAILURE() << why << ": " << violation.text;
  }
};

inline std::vector<OnlineViolation> mirrored(const History& history, const std::string& profile) {
  const auto chunk = std::make_shared<const Chunk>(history);
  std::vector<TxnId> order;
  for (std::uint32_t t = 0; t < history.txn_count(); ++t) order.push_back(TxnId{t});
  std::stable_sort(order.begin(), order.end(), [&](TxnId a, TxnId b) { return history.begin(a) < history.begin(b); });
  MirrorFound found;
  const auto engine = mirror::make_mirror({.profile = *mirror::profile_named(profile)}, found);
  engine->begin(*chunk);
  for (const TxnId t : order) {
    engine->take({chunk, t});
    engine->advance({.watermark = history.begin(t)});
  }
  engine->finish();
  EXPECT_EQ(engine->counts().checked, history.txn_count());
  EXPECT_EQ(engine->counts().unchecked, 0U);
  return std::move(found.violations);
}

}  // namespace isolde::record
