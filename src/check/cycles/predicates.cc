#include "check/cycles/predicates.h"

#include <algorithm>

#include "check/cycles/requirements.h"

namespace isolde::graph {
namespace {

constexpr std::uint32_t kOpsBetweenLooks = 0x3ff;
constexpr std::uint64_t kStepsPerPredicate = 16;

class PredicateWalk {
 public:
  PredicateWalk(const History& history, const PredicateSet& predicates, const Trace& trace, Slots& slots, Level level,
                const Limits& limits)
      : h_(history),
        set_(predicates),
        trace_(trace),
        slots_(slots),
        rule_(predicate_rule(level)),
        limits_(limits),
        requirements_(history, trace, slots, level, out_),
        own_(history.key_count()),
        result_(history.key_count()),
        vset_(history.key_count()) {
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) any_initial_ |= h_.initial(KeyId{k}) != kNullValue;
  }

  PredicateFacts run() {
    spent_ = slots_.steps();
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (trace_.is_counted(TxnId{t}) && !walk(TxnId{t})) {
        requirements_.unsure(limits_.exhausted_by());
        break;
      }
    }
    limits_.spend(slots_.steps() - spent_);
    return std::move(out_);
  }

 private:
  struct Held {
    std::uint32_t stamp = kNone32;
    ValueId value = kNullValue;
  };

  bool walk(TxnId t) {
    own_keys_.clear();
    entered_ = false;
    for (std::uint32_t i = h_.first_op(t); i < h_.end_op(t); ++i) {
      const OpHead op = h_.op(i);
      if (op.kind() == OpKind::kWrite) {
        write(t, op.key(), h_.op_value(i));
      } else if (op.kind() == OpKind::kAppend || op.kind() == OpKind::kIncrement) {
        write(t, op.key(), kNullValue);
      } else if (is_predicate(op.kind())) {
        limits_.spend(kStepsPerPredicate + own_keys_.size() + h_.predicate(op.predicate()).item_count + slots_.steps() -
                      spent_);
        spent_ = slots_.steps();
        if ((++looked_ & kOpsBetweenLooks) == 0 && limits_.exhausted()) return false;
        if (!entered_) requirements_.enter(t);
        entered_ = true;
        ask(t, i, op);
        if (op.kind() != OpKind::kUpdate) continue;
        for (const Item& item : h_.items(h_.predicate(op.predicate()))) write(t, item.key, item.value);
      }
    }
    return true;
  }

  void write(TxnId t, KeyId key, ValueId value) {
    Held& held = own_[raw(key)];
    if (held.stamp != raw(t)) own_keys_.push_back(key);
    held = {raw(t), value};
  }

  [[nodiscard]] bool in_result(std::uint32_t op, KeyId key) const { return result_[raw(key)].stamp == op; }
  [[nodiscard]] bool is_own(TxnId t, KeyId key) const { return own_[raw(key)].stamp == raw(t); }

  void ask(TxnId t, std::uint32_t i, OpHead op) {
    const Predicate& p = h_.predicate(op.predicate());
    const Matcher matcher(h_, slots_, set_.condition(op.predicate()));
    requirements_.ask(OpId{i}, matcher);
    for (const Item& item : h_.items(p)) {
      result_[raw(item.key)] = {i, item.value};
      if (op.kind() == OpKind::kScan) row_matches(t, i, item, matcher);
    }
    if (op.kind() == OpKind::kAggregate) {
      out_.choice_matters = true;
      aggregate(t, i, op, p, matcher);
    } else {
      own_results(t, i, matcher);
      if (rule_ == PredicateRule::kResult && !out_.choice_matters)
        out_.choice_matters = !returned_all_that_may_match(t, i, op, p, matcher);
      if (p.has_vset != 0) {
        version_set(t, i, op, p, matcher);
      } else {
        without_set(t, i, op, p, matcher);
      }
    }
  }

  void row_matches(TxnId t, std::uint32_t i, const Item& item, const Matcher& matcher) {
    const Match match = matcher.of_value(item.key, item.value);
    if (match == Match::kYes) return;
    if (match == Match::kFault) return requirements_.unsure("a predicate compares values of different kinds");
    mismatch(t, i, item.key, ReadSource::kRowExtra, item.value, item.value, kNoTxn);
  }

  void own_results(TxnId t, std::uint32_t i, const Matcher& matcher) {
    for (const KeyId key : own_keys_) {
      if (slots_.kind(key) == KeyKind::kOpaque) {
        requirements_.unsure("a predicate is evaluated on " + h_.key_text(key) + ", whose value is not known");
        continue;
      }
      const ValueId value = own_[raw(key)].value;
      const Match match = matcher.of_value(key, value);
      if (match == Match::kFault) {
        requirements_.unsure("a predicate compares values of different kinds");
      } else if (match == Match::kYes && !in_result(i, key)) {
        mismatch(t, i, key, ReadSource::kRowMissed, kNullValue, value, t);
      } else if (match == Match::kNo && in_result(i, key)) {
        mismatch(t, i, key, ReadSource::kRowExtra, result_[raw(key)].value, value, t);
      }
    }
  }

  [[nodiscard]] bool returned_all_that_may_match(TxnId t, std::uint32_t i, OpHead op, const Predicate& p,
                                                 const Matcher& matcher) const {
    if (op.kind() != OpKind::kScan || p.has_vset != 0) return false;
    const auto matching = matcher.matching();
    return matching && std::all_of(matching->begin(), matching->end(), [&](Slot s) {
             return in_result(i, slots_.key_of(s)) || is_own(t, slots_.key_of(s));
           });
  }

  // Versions that were looked at: the result must follow from them, and they say where the transaction stands.
  void version_set(TxnId t, std::uint32_t i, OpHead op, const Predicate& p, const Matcher& matcher) {
    for (const Item& item : h_.vset(p)) vset_[raw(item.key)] = {i, item.value};
    const bool is_aggregate = op.kind() == OpKind::kAggregate;
    slots_.count_questions(4 * std::uint64_t{h_.key_count()});
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      const KeyId key{k};
      const ValueId value = vset_[k].stamp == i ? vset_[k].value : kNullValue;
      if (is_own(t, key)) {
        if (value != own_[k].value)
          requirements_.unsure("a version set lacks a version that its own transaction wrote");
        continue;
      }
      const Slots::Found found = slots_.find(key, value);
      const Match match = status(key, value, found, matcher);
      if (match == Match::kFault) {
        requirements_.unsure("a predicate compares values of different kinds");
        continue;
      }
      if (!is_aggregate && (match == Match::kYes) != in_result(i, key)) {
        mismatch(t, i, key, match == Match::kYes ? ReadSource::kRowMissed : ReadSource::kRowExtra,
                 in_result(i, key) ? result_[k].value : kNullValue, value, writer_of(key, value));
        continue;
      }
      if (op.kind() == OpKind::kScan && match == Match::kYes) {
        if (result_[k].value != value) requirements_.unsure("a scan returned a row that differs from its version set");
        continue;  // the row was read
      }
      if (rule_ != PredicateRule::kResult) requirements_.looked_at(key, value, found, match);
    }
  }

  [[nodiscard]] static Match status(KeyId key, ValueId value, const Slots::Found& found, const Matcher& matcher) {
    if (value == kNullValue) return Match::kNo;
    return found.slot == kNoSlot ? matcher.of_value(key, value) : matcher.of(found.slot);
  }

  [[nodiscard]] TxnId writer_of(KeyId key, ValueId value) const {
    TxnId writer = kNoTxn;
    if (slots_.kind(key) == KeyKind::kOpaque) return writer;  // nobody knows what it holds
    slots_.for_each_holding(key, value, [&](Slot s) { writer = slots_.writer(s); });
    return writer;
  }

  void without_set(TxnId t, std::uint32_t i, OpHead op, const Predicate& p, const Matcher& matcher) {
    if (rule_ == PredicateRule::kResult) return;
    if (op.kind() == OpKind::kUpdate) {
      for (const Item& item : h_.items(p)) {
        if (!is_own(t, item.key)) requirements_.require(item.key, Match::kYes);
      }
    }
    none_other(t, i, matcher);
  }

  // No key that is not in the result matches.
  void none_other(TxnId t, std::uint32_t i, const Matcher& matcher) {
    if (rule_ == PredicateRule::kDependencies && !any_initial_) return;  // all were absent at first
    if (const auto matching = rule_ == PredicateRule::kState ? matcher.matching() : std::nullopt) {
      for (std::size_t from = 0, to = 0; from < matching->size(); from = to) {
        const KeyId key = slots_.key_of((*matching)[from]);
        while (to < matching->size() && (*matching)[to] < slots_.end(key)) ++to;
        if (is_own(t, key) || in_result(i, key)) continue;
        requirements_.require_none_of(key, std::span(*matching).subspan(from, to - from));
      }
      return;
    }
    slots_.count_questions(h_.key_count());
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      if (!is_own(t, KeyId{k}) && !in_result(i, KeyId{k})) requirements_.require(KeyId{k}, Match::kNo);
    }
  }

  void aggregate(TxnId t, std::uint32_t i, OpHead op, const Predicate& p, const Matcher& matcher) {
    const CompiledAggregate& aggregate = set_.aggregate(op.predicate());
    const bool counts_all = aggregate.kind() == AggregateKind::kCountAll;
    const ValueId recorded = h_.op_value(i);
    if (p.has_vset == 0) {
      if (rule_ == PredicateRule::kResult) return;
      // That there is no row is told; else only a whole order tells whether the rows add up.
      const bool none = counts_all && h_.values().type(recorded) == ValueType::kInteger &&
                        h_.values().integer(recorded) == 0 && own_keys_.empty();
      if (none) return none_other(t, i, matcher);
      out_.open_aggregates.push_back({t, OpId{i}});
      return;
    }
    AggregateState state(aggregate, h_.values());
    std::uint8_t faults = kNoFault;
    for (const Item& item : h_.vset(p)) {
      if (!is_own(t, item.key)) {
        add(state, item.key, item.value, matcher, faults);
      } else if (status(item.key, item.value, slots_.find(item.key, item.value), matcher) == Match::kFault) {
        faults |= kKindsFault;  // another version than its own, of which nobody knows whether it matches
      }
    }
    for (const KeyId key : own_keys_) add(state, key, own_[raw(key)].value, matcher, faults);
    if ((faults | state.faults()) != kNoFault) return requirements_.unsure("an aggregate cannot be evaluated");
    if (!state.agrees(recorded)) {
      mismatch(t, i, kNoKey, ReadSource::kWrongAggregate, recorded, kNullValue, kNoTxn);
      out_.mismatches.back().expected_text = json_of(state.result());
    }
    version_set(t, i, op, p, matcher);
  }

  void add(AggregateState& state, KeyId key, ValueId value, const Matcher& matcher, std::uint8_t& faults) const {
    if (value == kNullValue) return;
    const Match match = status(key, value, slots_.find(key, value), matcher);
    if (match == Match::kFault) faults |= kKindsFault;
    if (match == Match::kYes) state.add(h_.columns().key_name[raw(key)], value);
  }

  void mismatch(TxnId t, std::uint32_t i, KeyId key, ReadSource source, ValueId read, ValueId expected, TxnId writer) {
    Anomaly a{};
    a.kind = AnomalyKind::kResultSetMismatch;
    a.transactions.push_back(t);
    if (writer != kNoTxn && writer != t) a.transactions.push_back(writer);
    a.source = source;
    a.op = OpId{i};
    a.key = key;
    a.read = read;
    a.expected = expected;
    a.expected_known = true;
    a.expected_writer = writer;
    a.steps.push_back({StepType::kProgram, t, t, key, OpId{i}, kNoOp});
    out_.mismatches.push_back(std::move(a));
  }

  const History& h_;
  const PredicateSet& set_;
  const Trace& trace_;
  Slots& slots_;
  const PredicateRule rule_;
  const Limits& limits_;
  PredicateFacts out_;
  Requirements requirements_;
  std::vector<Held> own_;  // by key: what the transaction itself wrote
  std::vector<KeyId> own_keys_;
  std::vector<Held> result_, vset_;  // by key, stamped with the operation
  bool any_initial_ = false;
  bool entered_ = false;
  std::uint32_t looked_ = 0;
  std::uint64_t spent_ = 0;  // of the steps of slots_
};

}  // namespace

PredicateRule predicate_rule(Level level) {
  if (level == Level::kReadUncommitted) return PredicateRule::kNone;
  if (level == Level::kRepeatableRead) return PredicateRule::kDependencies;
  const LevelFamily family = info(level).family;
  const bool is_state =
      family == LevelFamily::kPrefix || family == LevelFamily::kSnapshot || family == LevelFamily::kSerializable;
  return is_state ? PredicateRule::kState : PredicateRule::kResult;
}

PredicateFacts find_predicate_facts(const History& history, const PredicateSet& predicates, const Trace& trace,
                                    Slots& slots, Level level, const Limits& limits) {
  return PredicateWalk(history, predicates, trace, slots, level, limits).run();
}

}  // namespace isolde::graph
