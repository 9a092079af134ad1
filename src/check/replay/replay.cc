#include "check/replay/replay.h"

#include "check/timeline/timeline.h"

namespace isolde {
namespace {

std::string replay_lacks(const History& h, Level level) {
  if (info(level).family != LevelFamily::kSerializable) return "an expected order decides the serializable levels only";
  if (h.txn_count() > 0 && h.columns().order.empty()) return "the history has no `order` fields";
  return {};
}

Verdict judge_by_replay(CheckContext& context, Level level, const Limits& limits) {
  return timeline::judge(context.history(), level, limits, timeline::Clock::kOrder);
}

}  // namespace

constinit const Engine kReplayEngine{.name = "replay",
                                     .summary = "replay in the expected serialization order, the field `order` (Enne)",
                                     .given = Given::kExpectedOrder,
                                     .taken_because = "the history has an expected order",
                                     .lacks = replay_lacks,
                                     .judge = judge_by_replay};

}  // namespace isolde
