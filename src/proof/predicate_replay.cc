#include "proof/predicate_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proof/operations.h"

namespace isolde::proof {
namespace {

constexpr std::size_t kMostTriedStates = 4096;       // that are tried for one aggregate
constexpr std::size_t kRoom = std::size_t{1} << 27;  // bytes

}  // namespace

PredicateReplay::PredicateReplay(const History& history, Rule rule, std::vector<std::vector<ValueId>> versions)
    : h_(history),
      rule_(rule),
      matches_(history),
      versions_(std::move(versions)),
      at_(history.key_count(), 0),
      is_own_(history.key_count(), false),
      in_result_(history.key_count(), false),
      known_(matches_.conditions()),
      room_(kRoom) {
  for (const auto& all : versions_) now_.push_back(all.front());
}

void PredicateReplay::advance(KeyId key) {
  now_[raw(key)] = versions_[raw(key)][++at_[raw(key)]];
  changed_.push_back(raw(key));
}

const std::vector<Match>& PredicateReplay::matches_of_state(OpId op) {
  const auto ask_all = [&](std::vector<Match>& out) {
    out.resize(now_.size());
    for (std::uint32_t k = 0; k < now_.size(); ++k) out[k] = matches_.of(op, KeyId{k}, in_state(k));
  };
  Known& known = known_[matches_.condition_of(op)];
  ++known.asked;
  if (known.matches.empty()) {
    if (known.asked == 1 || room_ < now_.size()) {
      ask_all(scratch_);
      return scratch_;
    }
    room_ -= now_.size();
    ask_all(known.matches);
  } else if (changed_.size() - known.changes > now_.size()) {
    ask_all(known.matches);
  } else {
    for (std::size_t i = known.changes; i < changed_.size(); ++i) {
      known.matches[changed_[i]] = matches_.of(op, KeyId{changed_[i]}, in_state(changed_[i]));
    }
  }
  known.changes = changed_.size();
  return known.matches;
}

void PredicateReplay::write_own(KeyId key, ValueId value) {
  if (!is_own_[raw(key)]) own_.push_back(key);
  is_own_[raw(key)] = true;
  now_[raw(key)] = value;
}

void PredicateReplay::forget_own() {
  for (const KeyId key : own_) {
    now_[raw(key)] = in_state(raw(key));
    is_own_[raw(key)] = false;
  }
  own_.clear();
}

Fault PredicateReplay::fault(OpId op) {
  if (matches_.details(op).has_vset != 0) return vset_fault(op);
  return h_.op(raw(op)).kind() == OpKind::kAggregate ? aggregate_fault(op) : result_fault(op);
}

Fault PredicateReplay::result_fault(OpId op) {
  const auto items = h_.items(matches_.details(op));
  for (const Item& item : items) in_result_[raw(item.key)] = true;
  const std::vector<Match>& state = matches_of_state(op);
  Fault wrong;
  for (std::uint32_t k = 0; k < now_.size() && !wrong; ++k) {
    const Match needed = in_result_[k] ? Match::kYes : Match::kNo;
    Match found = match_now(op, state, k);
    if (found == needed) continue;
    if (rule_ == Rule::kUpToState && !is_own_[k]) {
      if (own_begins_run(op, KeyId{k}, needed) > 0) continue;
      const Match earlier = earlier_has(op, KeyId{k}, needed);
      if (earlier == Match::kYes) continue;
      if (earlier == Match::kUnclear) found = Match::kUnclear;
    }
    wrong = found == Match::kUnclear ? matches_.unclear(KeyId{k})
            : needed == Match::kNo   ? fmt::format("its result lacks {}, which matches", h_.key_text(KeyId{k}))
                                     : fmt::format("its result has {}, which does not match", h_.key_text(KeyId{k}));
  }
  for (const Item& item : items) in_result_[raw(item.key)] = false;
  return wrong;
}

Fault PredicateReplay::aggregate_fault(OpId op) {
  const std::vector<Match>& of_state = matches_of_state(op);
  AggregateState state = matches_.aggregate(op);
  for (std::uint32_t k = 0; k < now_.size(); ++k) {
    const Match match = match_now(op, of_state, k);
    if (match == Match::kUnclear)
      return rule_ == Rule::kUpToState ? older_aggregate_fault(op) : matches_.unclear(KeyId{k});
    if (match == Match::kYes) matches_.add(state, KeyId{k}, now_[k]);
  }
  if (state.faults() != kNoFault) return "cannot be proved: its aggregate cannot be evaluated";
  if (state.agrees(h_.op_value(raw(op)))) return std::nullopt;
  return rule_ == Rule::kUpToState ? older_aggregate_fault(op) : "its value is not the aggregate of the state";
}

// Some choice among the versions up to the state's gives the value.
Fault PredicateReplay::older_aggregate_fault(OpId op) const {
  std::vector<std::pair<KeyId, std::vector<ValueId>>> choices;  // kNullValue: a version that does not match
  std::size_t states = 1;
  for (std::uint32_t k = 0; k < now_.size(); ++k) {
    std::vector<ValueId> choice;
    for (std::uint32_t i = 0; i <= at_[k]; ++i) {
      const ValueId version = is_own_[k] ? now_[k] : versions_[k][i];
      const Match match = matches_.of(op, KeyId{k}, version);
      if (match == Match::kUnclear) continue;
      const ValueId counts = match == Match::kYes ? version : kNullValue;
      if (std::find(choice.begin(), choice.end(), counts) == choice.end()) choice.push_back(counts);
      if (choice.size() > kMostTriedStates) break;
    }
    if (choice.empty()) return matches_.unclear(KeyId{k});
    if (states *= choice.size(); states > kMostTriedStates)
      return "cannot be proved: its value is not that of the state";
    choices.emplace_back(KeyId{k}, std::move(choice));
  }
  for (std::size_t state = 0; state < states; ++state) {
    AggregateState sum = matches_.aggregate(op);
    std::size_t rest = state;
    for (const auto& [key, choice] : choices) {
      matches_.add(sum, key, choice[rest % choice.size()]);
      rest /= choice.size();
    }
    if (sum.faults() == kNoFault && sum.agrees(h_.op_value(raw(op)))) return std::nullopt;
  }
  return "its value is the aggregate of no versions up to the state";
}

Fault PredicateReplay::vset_fault(OpId op) const {
  if (Fault wrong = matches_.vset_fault(op)) return wrong;
  const auto looked_at = matches_.looked_at(op);
  for (std::uint32_t k = 0; k < now_.size(); ++k) {
    const auto at = looked_at.find(k);
    const ValueId version = at == looked_at.end() ? kNullValue : at->second;
    if (version == now_[k]) continue;
    const Match same = is_own_[k] ? Match::kNo : in_same_run(op, KeyId{k}, version);
    if (same == Match::kUnclear) return matches_.unclear(KeyId{k});
    if (same == Match::kNo)
      return fmt::format("its version set has a version of {} that is not the state's", h_.key_text(KeyId{k}));
  }
  return std::nullopt;
}

Match PredicateReplay::in_same_run(OpId op, KeyId key, ValueId version) const {
  const auto& all = versions_[raw(key)];
  const std::uint32_t here = at_[raw(key)];
  const auto is_it = [&](ValueId v) { return v == version; };
  // At repeatable-read nothing needs to be the latest.
  if (rule_ == Rule::kUpToState && std::any_of(all.begin(), all.begin() + here, is_it)) return Match::kYes;
  if (rule_ == Rule::kUpToState) {
    const auto run = all.begin() + here + 2;
    const std::uint32_t length = own_begins_run(op, key, matches_.of(op, key, version));
    if (length > 0 && std::any_of(run, run + length, is_it)) return Match::kYes;
  }
  if (std::none_of(all.begin(), all.end(), is_it)) return Match::kNo;
  const Match status = matches_.of(op, key, all[here]);
  if (status == Match::kUnclear) return Match::kUnclear;
  Match found = Match::kNo;
  for (std::uint32_t i = here; i-- > 0;) {
    const Match match = matches_.of(op, key, all[i]);
    if (match == Match::kUnclear) found = Match::kUnclear;
    if (match != status) break;
    if (is_it(all[i])) return Match::kYes;
  }
  for (std::uint32_t i = here + 1; i < all.size(); ++i) {
    const Match match = matches_.of(op, key, all[i]);
    if (match == Match::kUnclear) found = Match::kUnclear;
    if (match != status) break;
    if (is_it(all[i])) return Match::kYes;
  }
  return found;
}

// The change of matches that a version rests on may be the transaction's own; then it comes after nobody.
std::uint32_t PredicateReplay::own_begins_run(OpId op, KeyId key, Match match) const {
  const auto& all = versions_[raw(key)];
  const std::uint32_t own = at_[raw(key)] + 1;  // in a serial order the transaction's own version is the next
  if (match == Match::kUnclear || own >= all.size() || !writes(h_, h_.txn_of(op), key)) return 0;
  if (matches_.of(op, key, all[own]) != match) return 0;
  std::uint32_t end = own + 1;
  while (end < all.size() && matches_.of(op, key, all[end]) == match) ++end;
  return end - own - 1;
}

Match PredicateReplay::earlier_has(OpId op, KeyId key, Match match) const {
  const auto& all = versions_[raw(key)];
  Match found = Match::kNo;
  for (std::uint32_t i = at_[raw(key)]; i-- > 0;) {
    const Match here = matches_.of(op, key, all[i]);
    if (here == match) return Match::kYes;
    if (here == Match::kUnclear) found = Match::kUnclear;
  }
  return found;
}

}  // namespace isolde::proof
