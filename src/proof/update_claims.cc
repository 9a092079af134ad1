// What cycle_claims.h says of pairs of transactions: updates that are lost, and half of a transaction that was missed.
#include "proof/cycle_claims.h"

namespace isolde::proof {
Fault CycleClaims::lost_update(const Anomaly& a) const {
  if (rule_of(level_) != KeyOrder::Rule::kFollow) return "the level allows it";
  if (level_ == Level::kCursorStability && a.steps.size() == 1) return update_of_two(a);
  if (a.steps.size() != 2 || a.steps[0].type != StepType::kRw || a.steps[1].type != StepType::kRw)
    return "does not have two anti-dependencies";
  const Step& s = a.steps[0];
  const KeyOrder* const order = s.key == kNoKey ? nullptr : key(s.key);
  if (order == nullptr || a.steps[1].key != s.key || s.from == s.to || a.steps[1].from != s.to ||
      a.steps[1].to != s.from)
    return "is not about two transactions and one key";
  if (!order->writes(s.from) || !order->writes(s.to)) return "they do not both write the key";
  const auto first = order->version_read(s.from, s.from_op);
  const auto second = order->version_read(s.to, a.steps[1].from_op);
  return holds(first && second && *first == *second, "they did not read one version");
}

// It read two versions of a key and wrote the key: its own cannot be right after both.
Fault CycleClaims::update_of_two(const Anomaly& a) const {
  const Step& s = a.steps[0];
  const KeyOrder* const order = s.key == kNoKey ? nullptr : key(s.key);
  if (order == nullptr || s.from != s.to || !order->writes(s.from)) return "is not about an update";
  const auto first = order->version_read(s.from, s.from_op);
  const auto second = order->version_read(s.from, s.to_op);
  return holds(first && second && *first != *second, "it did not read two versions");
}

// It saw a transaction, or follows it in its session, and then read a key of it as it was before.
Fault CycleClaims::missed(const Anomaly& a) const {
  if (a.steps.size() != 2 || a.steps[0].from != a.steps[1].to || a.steps[0].to != a.steps[1].from)
    return "its steps do not close a cycle";
  const bool later_only = level_ == Level::kMonotonicAtomicView || level_ == Level::kStrongSessionMonotonicAtomicView;
  if (!later_only && level_ != Level::kReadAtomic) return "the level does not speak of it";
  if (a.steps[0].type == StepType::kSession) {
    if (later_only) return "the level allows it";
  } else if (a.steps[0].type != StepType::kWr || (later_only && a.steps[0].to_op > a.steps[1].from_op)) {
    return "it had not seen the other yet";
  }
  if (Fault wrong = step(a, a.steps[0])) return wrong;
  return step(a, a.steps[1]);
}

}  // namespace isolde::proof
