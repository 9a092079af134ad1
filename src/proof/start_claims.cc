// proof/start_claims.cc: claims of the snapshot family that a dependency contradicts the database's start and commit
// timestamps.
#include "proof/cycle_claims.h"

namespace isolde::proof {

// A step by dependency, session or clock, and one by timestamps that leads back.
std::optional<std::string> CycleClaims::against_points(const Anomaly& a) const {
  if (info(level_).family != LevelFamily::kSnapshot) return "the level is not about start and commit points";
  if (a.steps.size() != 2 || a.steps[0].from != a.steps[1].to || a.steps[0].to != a.steps[1].from)
    return "its steps do not contradict each other";
  const Step& order = a.steps[0];
  const Step& points = a.steps[1];
  const bool anti = order.type == StepType::kRw;
  if (points.type != (anti ? StepType::kVisible : StepType::kInvisible)) return "its second step does not lead back";
  const auto commit = [this](TxnId t) { return h_.commit_ts(t) != kNoTime ? h_.commit_ts(t) : h_.start_ts(t); };
  // Two that start and commit at one time may have come in either order.
  const auto is_instant = [&](TxnId t) { return h_.start_ts(t) == commit(t); };
  if (anti && is_instant(order.from) && is_instant(order.to) && commit(order.from) == commit(order.to) &&
      writes_anything(order.from))
    return "both start and commit at one time";
  const bool right_name = order.type == StepType::kSession    ? a.kind == AnomalyKind::kSessionOrder
                          : order.type == StepType::kRealtime ? a.kind == AnomalyKind::kRealtimeOrder
                          : anti                              ? a.kind == AnomalyKind::kGSIb
                                                              : a.kind == AnomalyKind::kGSIa;
  if (!right_name) return "is not what its name says";
  if (order.type == StepType::kSession && info(level_).order == AddedOrder::kNone)
    return "the level knows no session order";
  if (order.type == StepType::kRealtime && info(level_).order != AddedOrder::kRealTime)
    return "the level knows no real time";
  std::optional<std::string> wrong = step(a, order);
  if (!wrong || order.key == kNoKey || order.ground != Ground::kTimestamps) return wrong;
  // All timestamps are taken at their word here, whatever else was read and given.
  const KeyOrder& key = keys_.at(raw(order.key));
  if (order.type == StepType::kWw && key.writes(order.from) && key.writes(order.to)) {
    const bool overlap = h_.start_ts(order.from) != kNoTime && h_.start_ts(order.from) < commit(order.to);
    return overlap ? std::nullopt : wrong;
  }
  if (!anti || !key.writes(order.to)) return wrong;
  const auto version = key.version_read(order.from, order.from_op);
  const auto turn = [&](TxnId t) { return std::pair(commit(t), is_instant(t) ? 1 : 0); };
  if (version && *version != kNoTxn && turn(*version) < turn(order.to)) return std::nullopt;
  return wrong;
}

bool CycleClaims::writes_anything(TxnId t) const {
  for (const Touch& touch : touches(h_, t)) {
    if (touch.kind != OpKind::kRead) return true;
  }
  return false;
}

}  // namespace isolde::proof
