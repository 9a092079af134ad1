#include "check/mirror/look_aggregates.h"

#include <fmt/format.h>

#include <algorithm>

#include "history/predicate_aggregate.h"

namespace isolde::mirror {

std::optional<ValueId> AggregateLook::name_of(KeySlot key) { return core_.looks.rows.find(core_.keys[key].key); }

void AggregateLook::count(KeySlot key, Fingerprint value) {
  const auto name = name_of(key);
  const auto id = core_.looks.value_of(key, value);
  if (!name || !id) {
    open_ = true;
    return;
  }
  fixed_.push_back({*name, *id});
}

void AggregateLook::add(KeySlot key, const LookRow* row) {
  if (open_) return;
  const KeyState& state = core_.keys[key];
  const Reads reads = core_.options.profile.reads;
  if (row != nullptr) {
    // PostgreSQL: a row that was deleted since the snapshot may be inserted again, and both are seen.
    const auto versions = core_.keys.versions(key);
    open_ =
        std::any_of(versions.begin(), versions.end(), [&](const Version& v) { return v.value == kNullFingerprint; });
    const Match match = core_.looks.match(condition_, state, key, row->value);
    open_ = open_ || match == Match::kUnclear;
    if (match == Match::kYes) count(key, row->value);
    return;
  }
  if (state.count != 0 || state.has(kLossy | kBaseUnknown | kBaseGone)) return add_choice(key);
  const Match match = core_.looks.match(condition_, state, key, state.base);
  if (match == Match::kNo) return;
  // What was there before, if anything may be seen that ever was.
  if (match == Match::kUnclear || ((reads == Reads::kDirty || reads == Reads::kCertified) && state.has(kDropped))) {
    open_ = true;
    return;
  }
  count(key, state.base);
}

void AggregateLook::add_choice(KeySlot key) {
  const Reads reads = core_.options.profile.reads;
  KeyLook close(core_, txn_, slot_, key, look_, condition_);
  close.gather();
  if (close.unclear() > 0) {
    open_ = true;
    return;
  }
  if (close.yes() == 0 && reads != Reads::kDirty) return certain_.push_back(key);
  if (reads == Reads::kDirty || reads == Reads::kCertified || close.seen().empty()) {
    open_ = true;
    return;
  }
  Choice choice{.key = key, .name = kNullValue, .options = {}, .versions = {}};
  const auto name = name_of(key);
  open_ = !name;
  if (name) choice.name = *name;
  for (const KeyLook::Seen& seen : close.seen()) {
    const auto id = core_.looks.rows.find(close.value(seen.version));
    if (!id) {
      open_ = true;
      return;
    }
    const ValueId option = seen.match == Match::kYes ? *id : kNullValue;
    const auto known = std::find(choice.options.begin(), choice.options.end(), option);
    if (known == choice.options.end()) {
      choice.options.push_back(option);
      choice.versions.push_back(seen.version);
    } else {
      choice.versions[static_cast<std::size_t>(known - choice.options.begin())] = kSeveral;
    }
  }
  // A row that moves while it is counted may be counted twice, or not at all.
  if (look_.moving && close.seen().size() > 1) open_ = true;
  if (choice.options.size() > 1) {
    choices_.push_back(std::move(choice));
    return;
  }
  if (choice.options.front() != kNullValue) fixed_.push_back({choice.name, choice.options.front()});
  certain_.push_back(key);
}

bool AggregateLook::judge() {
  if (open_) return false;
  const auto text = core_.looks.rows.find(look_.aggregate);
  const auto result = core_.looks.rows.find(look_.result);
  if (!text || !result || core_.looks.rows.table().type(*text) != ValueType::kString) return false;
  const ValueTable values = core_.looks.rows.table();
  const auto aggregate = core_.looks.rows.compile_aggregate(values.string(*text));
  if (!aggregate) return false;
  AggregateState fixed(*aggregate, values);
  for (const Counted& one : fixed_) fixed.add(one.key, one.value);
  std::size_t combinations = 1;
  for (const Choice& choice : choices_) {
    combinations *= choice.options.size();
    if (combinations > kMostCombinations) return false;
  }
  std::vector<std::size_t> at(choices_.size(), 0), only;
  std::size_t agreeing = 0;
  for (std::size_t n = 0; n < combinations; ++n) {
    AggregateState state = fixed;
    std::size_t rest = n;
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      at[c] = rest % choices_[c].options.size();
      rest /= choices_[c].options.size();
      if (choices_[c].options[at[c]] != kNullValue) state.add(choices_[c].name, choices_[c].options[at[c]]);
    }
    if (state.faults() != kNoFault) return false;
    if (!state.agrees(*result)) continue;
    if (++agreeing == 1) only = at;
  }
  if (agreeing == 0) {
    tell_wrong(fixed);
    return true;
  }
  // min and max may be found at one end of an index, without a look at the others.
  const bool looks_at_all = aggregate->kind() != AggregateKind::kMin && aggregate->kind() != AggregateKind::kMax;
  return agreeing == 1 && learn(only, looks_at_all);
}

// False: something stays open.
bool AggregateLook::learn(const std::vector<std::size_t>& chosen, bool looks_at_all) {
  if (!core_.time.complete && !choices_.empty()) return false;  // whoever is missing may have written what was seen
  bool whole = true;
  for (std::size_t c = 0; c < choices_.size(); ++c) {
    const int version = choices_[c].versions[chosen[c]];
    if (version == kSeveral) {
      whole = false;
      continue;
    }
    KeyLook close(core_, txn_, slot_, choices_[c].key, look_, condition_);
    if (!close.take(version)) return true;  // told
    if (looks_at_all) whole = close.trace_one(version) && whole;
  }
  if (!looks_at_all || core_.options.profile.certifier == Certifier::kNone) return whole;
  for (const KeySlot key : certain_) {
    KeyLook close(core_, txn_, slot_, key, look_, condition_);
    close.gather();
    if (close.yes() == 0 || close.no() == 0) whole = close.trace() && whole;
  }
  return whole;
}

void AggregateLook::tell_wrong(const AggregateState& fixed) {
  Found told{.kind = AnomalyKind::kResultSetMismatch, .rule = "consistent read", .txns = {txn_.id}, .text = {}};
  told.about_key = false;
  told.time = txn_.end;
  told.statement = look_.statement;
  const ReadMoment& moment = txn_.moments[look_.moment];
  const std::string what =
      fmt::format("{} of the rows where `{}`", core_.text_of(look_.aggregate), core_.text_of(look_.where));
  told.text = choices_.empty()
                  ? fmt::format("{} was answered with {}; it is {} at any moment within {}", what,
                                core_.name(look_.result), json_of(fixed.result()), window_text(moment.lo, moment.hi))
                  : fmt::format("{} was answered with {}; no versions that it can have seen within {} give that", what,
                                core_.name(look_.result), window_text(moment.lo, moment.hi));
  tell(core_, told);
}

}  // namespace isolde::mirror
