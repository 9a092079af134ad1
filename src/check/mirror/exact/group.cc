#include "check/mirror/exact/group.h"

#include <algorithm>

namespace isolde::mirror {
namespace {

constexpr int kMostIdle = 8;
constexpr std::int64_t kReduceSteps = 1 << 16;

// All ways of one member that do not contradict themselves. False: too many.
bool ways_of(const PlanInput& input, const Member& member, std::vector<TxnPlan>& ways) {
  const Script& script = *member.script;
  if (script.status == Status::kAborted && member.part != Part::kWhole) return true;
  if (script.status != Status::kCommitted && member.part == Part::kWhole) {
    if (auto plan = plan_of(input, script, member.part, {})) ways.push_back(*std::move(plan));
    if (script.status == Status::kAborted) return true;
  }
  const int idle = idle_choices(input, script, member.part);
  if (idle > kMostIdle) return false;
  for (std::uint32_t bits = 0; bits < 1U << idle; ++bits) {
    auto plan = plan_of(input, script, member.part, {true, bits});
    // An unknown one that changes nothing here asks less if it did not commit.
    if (plan && (script.status == Status::kCommitted || !plan->changes.empty())) ways.push_back(*std::move(plan));
  }
  return true;
}

// What may have become a version: for each key and transaction its last write; kAnyFingerprint where that is no plain
// one.
std::vector<Sent> last_writes(const Group& group) {
  std::vector<Sent> all;
  for (std::size_t k = 0; k < group.keys.size(); ++k) {
    all.push_back({group.keys[k], group.start[k], kAlways});
    for (const Member& member : group.members) {
      const Script& script = *member.script;
      if (script.status == Status::kAborted) continue;
      const Act* last = nullptr;  // or the first of several of the same value
      bool steps = false;
      for (const Act& act : script.acts) {
        if (act.key != group.keys[k] || !script.writes(act)) continue;
        if (last == nullptr || last->value != act.value) last = &act;
        steps = steps || act.kind == ActKind::kAppend || act.kind == ActKind::kIncrement;
      }
      if (last != nullptr) all.push_back({group.keys[k], steps ? kAnyFingerprint : last->value, last->lo, script.id});
    }
  }
  return all;
}

bool asks_nothing(const TxnPlan& plan) { return plan.events.empty() && plan.certified.empty(); }

}  // namespace

Answer explain(const Group& group, const Mechanisms& profile, std::int64_t& steps) {
  std::vector<Sent> sent;
  const bool untimed = profile.reads == Reads::kCertified && profile.certifier != Certifier::kTimestampOrder;
  if (untimed) sent = last_writes(group);
  const PlanInput input{profile, group.keys, untimed ? &sent : group.all_sent ? &group.sent : nullptr};
  std::vector<std::vector<TxnPlan>> ways;
  for (const Member& member : group.members) {
    std::vector<TxnPlan> all;
    if (!ways_of(input, member, all)) return Answer::kTooLarge;
    const bool whole = member.part == Part::kWhole;
    if (all.empty() && whole) return Answer::kImpossible;
    if (all.empty() || (all.size() == 1 && asks_nothing(all.front()))) continue;
    ways.push_back(std::move(all));
  }
  if (ways.size() > kMostExactTxns) return Answer::kTooLarge;
  std::vector<std::size_t> chosen(ways.size(), 0);
  std::vector<const TxnPlan*> plans(ways.size());
  bool too_large = false;
  for (;;) {
    for (std::size_t t = 0; t < ways.size(); ++t) plans[t] = &ways[t][chosen[t]];
    const Answer answer = search_orders(plans, group.start, profile, steps);
    if (answer == Answer::kPossible) return answer;
    too_large = too_large || answer == Answer::kTooLarge;
    if (steps <= 0) return Answer::kTooLarge;
    std::size_t t = 0;
    while (t < ways.size() && ++chosen[t] == ways[t].size()) chosen[t++] = 0;
    if (t == ways.size()) break;
  }
  return too_large ? Answer::kTooLarge : Answer::kImpossible;
}

void reduce(Group& group, const Mechanisms& profile) {
  const auto still = [&](const Group& less) {
    std::int64_t steps = kReduceSteps;
    return explain(less, profile, steps) == Answer::kImpossible;
  };
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    if (group.members[i].part != Part::kWhole) continue;
    Group less = group;
    less.members[i].part = Part::kMaybeChanges;
    if (still(less)) group = std::move(less);
  }
  for (std::size_t k = group.keys.size(); k-- > 0 && group.keys.size() > 1;) {
    Group less = group;
    less.keys.erase(less.keys.begin() + static_cast<std::ptrdiff_t>(k));
    less.start.erase(less.start.begin() + static_cast<std::ptrdiff_t>(k));
    if (still(less)) group = std::move(less);
  }
}

std::string_view broken_rule(const Group& group, const Mechanisms& profile) {
  const auto possible_with = [&](const Mechanisms& weaker) {
    std::int64_t steps = kReduceSteps;
    return explain(group, weaker, steps) == Answer::kPossible;
  };
  Mechanisms weaker = profile;
  weaker.certifier = Certifier::kNone;
  if (profile.certifier != Certifier::kNone && possible_with(weaker)) return "serialization certifier";
  weaker.first_updater_wins = false;
  if (profile.first_updater_wins && possible_with(weaker)) return "first updater wins";
  return "consistent read";
}

}  // namespace isolde::mirror
