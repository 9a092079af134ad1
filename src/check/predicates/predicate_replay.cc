#include "check/predicates/predicate_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "check/predicates/state_matches.h"
#include "check/predicates/version_runs.h"

namespace isolde {
namespace {

constexpr std::size_t kEventsBetweenLooks = 1U << 10;
constexpr std::uint64_t kStepsPerEvent = 8, kStepsPerAsk = 32;

class Replayer {
 public:
  Replayer(const History& history, const PredicateSet& set, std::span<const std::uint32_t> events, EventForm form,
           const Limits& limits, const IsSure& is_sure)
      : h_(history),
        values_(history.values()),
        set_(set),
        events_(events),
        form_(form),
        limits_(limits),
        is_sure_(is_sure),
        state_(history, set),
        matching_(history.key_count(), kNone32),
        result_(history.key_count()),
        named_(history.key_count()) {
    for (const Predicate& p : h_.columns().predicates) has_vsets_ = has_vsets_ || p.has_vset != 0;
    if (has_vsets_) installed_.assign(h_.key_count(), {});
  }

  PredicateReplay run() {
    for (std::size_t e = 0; e < events_.size(); ++e) {
      if (e % kEventsBetweenLooks == 0 && is_over(std::min(kEventsBetweenLooks, events_.size() - e))) {
        out_.cut_short = true;
        break;
      }
      const std::uint32_t event = events_[e];
      if (form_ == EventForm::kSerial) {
        place(TxnId{event});
        install(TxnId{event});
      } else if ((event & 1) == 0) {
        place(TxnId{event >> 1});
        take_back();
      } else {
        install(TxnId{event >> 1});
      }
    }
    limits_.spend(state_.cost() + looked_at_ - spent_);
    return std::move(out_);
  }

  // Before so many more events.
  bool is_over(std::size_t events) {
    limits_.spend(state_.cost() + looked_at_ - spent_ + kStepsPerEvent * events);
    spent_ = state_.cost() + looked_at_;
    return limits_.exhausted();
  }

  // Without a state.
  PredicateReplay contradictions(std::span<const TxnId> txns) {
    asks_state_ = false;
    for (const TxnId t : txns) {
      place(t);
      take_back();
    }
    return std::move(out_);
  }

 private:
  // A mark for each key that is valid for one operation: nothing needs clearing.
  struct Mark {
    std::uint32_t op = kNone32;
    ValueId value = kNullValue;
  };

  // ---- the state ----

  // Asks the predicates of `t`, each with the writes of `t` before it in the state. Leaves these there.
  void place(TxnId t) {
    std::uint32_t end = h_.end_op(t);
    const std::uint32_t first = h_.first_op(t);
    while (end > first && !is_predicate(h_.op(end - 1).kind())) --end;
    for (std::uint32_t i = first; i < end; ++i) {
      const OpHead op = h_.op(i);
      switch (op.kind()) {
        case OpKind::kRead:
          break;
        case OpKind::kWrite:
          write_own(t, op.key(), h_.op_value(i), true);
          break;
        case OpKind::kAppend:
        case OpKind::kIncrement:
          write_own(t, op.key(), kNullValue, false);
          break;
        default:
          ask(t, i);
          if (op.kind() != OpKind::kUpdate) break;
          for (const Item& item : h_.items(h_.predicate(op.predicate()))) write_own(t, item.key, item.value, true);
          break;
      }
    }
  }

  void write_own(TxnId t, KeyId key, ValueId value, bool known) {
    if (form_ == EventForm::kPoints) undo_.emplace_back(key, state_.at(key));
    state_.set(key, {value, t, known});
  }

  void take_back() {
    for (; !undo_.empty(); undo_.pop_back()) state_.set(undo_.back().first, undo_.back().second);
  }

  void install(TxnId t) {
    for (std::uint32_t i = h_.first_op(t); i < h_.end_op(t); ++i) {
      const OpHead op = h_.op(i);
      if (op.is_read()) continue;
      if (op.kind() == OpKind::kWrite) {
        install(t, op.key(), h_.op_value(i), true);
      } else if (!is_predicate(op.kind())) {
        install(t, op.key(), kNullValue, false);
      } else if (op.kind() == OpKind::kUpdate) {
        for (const Item& item : h_.items(h_.predicate(op.predicate()))) install(t, item.key, item.value, true);
      }
    }
  }

  void install(TxnId t, KeyId key, ValueId value, bool known) {
    state_.set(key, {value, t, known});
    if (!has_vsets_) return;
    Installed& installed = installed_[raw(key)];
    if (installed.last != t) ++installed.count;
    installed.last = t;
  }

  // ---- one operation ----

  void begin(TxnId t, std::uint32_t i) {
    txn_ = t;
    op_ = i;
    kind_ = h_.op(i).kind();
    id_ = h_.op(i).predicate();
    predicate_ = &h_.predicate(id_);
    text_ = set_.text_of(id_);
    condition_ = &set_.condition(text_);
    items_ = h_.items(*predicate_);
    for (const Item& item : items_) result_[raw(item.key)] = {i, item.value};
  }

  // Whether the version set, if there is one, names each key once.
  bool take_vset() {
    if (predicate_->has_vset == 0) return true;
    for (const Item& item : h_.vset(*predicate_)) {
      Mark& mark = named_[raw(item.key)];
      if (mark.op == op_ && mark.value != item.value) return false;
      mark = {op_, item.value};
    }
    return true;
  }

  void ask(TxnId t, std::uint32_t i) {
    begin(t, i);
    if (!take_vset()) return leave_open("a version set names one key with two versions");
    if (!asks_state_) return contradiction();
    state_.find(text_, found_);
    for (const KeyId key : found_.keys) matching_[raw(key)] = i;
    looked_at_ += kStepsPerAsk + found_.keys.size() + items_.size() + (predicate_->has_vset != 0 ? h_.key_count() : 0);
    contradiction();
    if (found_.faulty) leave_open("the condition cannot be evaluated on a version");
    if (state_.has_unknown()) leave_open("a key that is appended to or incremented has no row to evaluate");
    const bool has_vset = predicate_->has_vset != 0;
    if (kind_ == OpKind::kAggregate) {
      if (!has_vset) ask_aggregate();  // else its value follows from the rows of the set, which may be older
    } else {
      for (const KeyId key : found_.keys) {
        if (!in_result(key))
          report(PredicateFinding::Basis::kState, ReadSource::kRowMissed, key, kNullValue, state_.at(key));
      }
      if (kind_ == OpKind::kUpdate) {
        for (const Item& item : items_) check_updated(item);
      }
    }
    if (has_vset) ask_runs();
  }

  [[nodiscard]] bool in_result(KeyId key) const { return result_[raw(key)].op == op_; }
  [[nodiscard]] ValueId named(KeyId key) const {
    return named_[raw(key)].op == op_ ? named_[raw(key)].value : kNullValue;
  }
  [[nodiscard]] bool is_own(KeyId key) const { return state_.at(key).writer == txn_; }
  [[nodiscard]] Evaluation evaluate(KeyId key, ValueId version) const {
    return condition_->evaluate(values_, h_.columns().key_name[raw(key)], version);
  }

  // The row after an update does not tell what it was before.
  void check_updated(const Item& item) {
    const StateMatches::Version& version = state_.at(item.key);
    if (!version.known || matching_[raw(item.key)] == op_) return;
    const Evaluation answer = evaluate(item.key, version.value);
    if (answer.faults != kNoFault || answer.matches()) return;
    report(PredicateFinding::Basis::kState, ReadSource::kRowExtra, item.key, item.value, version);
  }

  void ask_aggregate() {
    if (found_.faulty || state_.has_unknown()) return;
    AggregateState sum(set_.aggregate(id_), values_);
    for (const KeyId key : found_.keys) sum.add(h_.columns().key_name[raw(key)], state_.at(key).value);
    if (sum.faults() != kNoFault) {
      leave_open("the aggregate cannot be evaluated");
    } else if (!sum.agrees(h_.op_value(op_))) {
      report_aggregate(PredicateFinding::Basis::kState, sum);
    }
  }

  // What the operation says against itself. Of a key that the transaction itself wrote, its write counts.
  void contradiction() {
    const bool has_vset = predicate_->has_vset != 0;
    if (kind_ == OpKind::kAggregate) {
      if (has_vset) contradict_aggregate();
      return;
    }
    for (const Item& item : items_) {
      const bool by_vset = has_vset && !is_own(item.key);
      if (kind_ == OpKind::kUpdate && !by_vset) continue;
      const ValueId looked_at = by_vset ? named(item.key) : item.value;
      if (!by_vset && matching_[raw(item.key)] == op_ && state_.at(item.key).value == item.value) continue;
      const Evaluation answer = evaluate(item.key, looked_at);
      if (answer.faults != kNoFault) {
        leave_open("the condition cannot be evaluated on a version");
      } else if (!answer.matches() || (kind_ == OpKind::kScan && looked_at != item.value)) {
        report(PredicateFinding::Basis::kItself, ReadSource::kRowExtra, item.key, item.value,
               {looked_at, kNoTxn, true});
      }
    }
    if (!has_vset) return;
    for (const Item& item : h_.vset(*predicate_)) {
      if (in_result(item.key) || is_own(item.key)) continue;
      const Evaluation answer = evaluate(item.key, item.value);
      if (answer.faults != kNoFault) {
        leave_open("the condition cannot be evaluated on a version");
      } else if (answer.matches()) {
        report(PredicateFinding::Basis::kItself, ReadSource::kRowMissed, item.key, kNullValue,
               {item.value, kNoTxn, true});
      }
    }
  }

  void contradict_aggregate() {
    AggregateState sum(set_.aggregate(id_), values_);
    std::uint8_t faults = kNoFault;
    for (const Item& item : h_.vset(*predicate_)) {
      const Evaluation answer = evaluate(item.key, item.value);
      faults = static_cast<std::uint8_t>(faults | answer.faults);
      if (answer.matches()) sum.add(h_.columns().key_name[raw(item.key)], item.value);
    }
    if ((faults | sum.faults()) != kNoFault) {
      leave_open("the condition or the aggregate cannot be evaluated on a version");
    } else if (!sum.agrees(h_.op_value(op_))) {
      report_aggregate(PredicateFinding::Basis::kItself, sum);
    }
  }

  // The version set against the state: only what changes the matches counts.
  void ask_runs() {
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      const KeyId key{k};
      const StateMatches::Version& version = state_.at(key);
      const ValueId looked_at = named(key);
      if (!version.known || version.value == looked_at) continue;
      if (is_own(key)) {
        leave_open("a version set has a different version than the one its own transaction wrote");
        continue;
      }
      if (kind_ == OpKind::kScan && in_result(key)) continue;  // an item read of another version
      const Evaluation then = evaluate(key, looked_at);
      const bool told = kind_ != OpKind::kAggregate &&
                        (then.matches() != in_result(key) || evaluate(key, version.value).matches() != in_result(key));
      if (told) continue;  // the state or the set matches otherwise than the result says
      if (!runs_) runs_.emplace(h_, events_, form_);
      const auto answer = runs_->ask(*condition_, txn_, key, installed_[k].count, looked_at);
      using Is = VersionRuns::Answer::Is;
      if (answer.is == Is::kAgrees) continue;
      if (answer.is == Is::kOpen) {
        leave_open("a version set names a version whose place among those committed is not clear");
        continue;
      }
      report(answer.is == Is::kChangedSince ? PredicateFinding::Basis::kChangedSince
                                            : PredicateFinding::Basis::kChangedLater,
             then.matches() ? ReadSource::kRowExtra : ReadSource::kRowMissed, key,
             in_result(key) ? result_[k].value : kNullValue, {answer.version, answer.writer, true});
    }
  }

  // ---- what came out ----

  void leave_open(const char* why) {
    if (out_.undecided.empty()) out_.undecided = fmt::format("{}: {}", h_.txn_text(txn_), why);
  }

  // Counts a finding; returns where its details stand, or nothing if they are not wanted.
  PredicateFinding* take(PredicateFinding finding) {
    if (finding.basis != PredicateFinding::Basis::kItself && is_sure_ && !is_sure_(finding)) {
      ++out_.open;
      return nullptr;
    }
    if (++out_.sure > limits_.max_anomalies) return nullptr;
    return &out_.findings.emplace_back(std::move(finding));
  }

  void report(PredicateFinding::Basis basis, ReadSource source, KeyId key, ValueId read,
              const StateMatches::Version& expected) {
    take({basis, source, txn_, OpId{op_}, key, read, expected.value, expected.writer, {}});
  }

  void report_aggregate(PredicateFinding::Basis basis, const AggregateState& right) {
    PredicateFinding* const kept =
        take({basis, ReadSource::kWrongAggregate, txn_, OpId{op_}, kNoKey, h_.op_value(op_), kNullValue, kNoTxn, {}});
    if (kept != nullptr) kept->expected_text = json_of(right.result());
  }

  struct Installed {
    std::uint32_t count = 0;
    TxnId last = kNoTxn;
  };

  const History& h_;
  const ValueTable& values_;
  const PredicateSet& set_;
  const std::span<const std::uint32_t> events_;
  const EventForm form_;
  const Limits& limits_;
  const IsSure& is_sure_;
  StateMatches state_;
  StateMatches::Matches found_;
  std::vector<std::uint32_t> matching_;  // by key: the last operation whose condition its version matched
  std::vector<std::pair<KeyId, StateMatches::Version>> undo_;
  std::uint64_t looked_at_ = 0, spent_ = 0;
  bool asks_state_ = true;
  bool has_vsets_ = false;
  std::vector<Installed> installed_;  // by key; only where there are version sets
  std::optional<VersionRuns> runs_;   // made when first asked
  std::vector<Mark> result_, named_;  // by key
  // The operation at hand.
  TxnId txn_ = kNoTxn;
  std::uint32_t op_ = kNone32;
  OpKind kind_ = OpKind::kScan;
  PredicateId id_{};
  const Predicate* predicate_ = nullptr;
  std::uint32_t text_ = 0;
  const CompiledPredicate* condition_ = nullptr;
  std::span<const Item> items_;
  PredicateReplay out_;
};

}  // namespace

PredicateReplay replay_predicates(const History& history, const PredicateSet& set,
                                  std::span<const std::uint32_t> events, EventForm form, const Limits& limits,
                                  const IsSure& is_sure) {
  if (history.columns().predicates.empty()) return {};
  return Replayer(history, set, events, form, limits, is_sure).run();
}

PredicateReplay contradictions_of(const History& history, const PredicateSet& set, std::span<const TxnId> txns,
                                  const Limits& limits) {
  if (history.columns().predicates.empty() || txns.empty()) return {};
  const IsSure no_doubt;
  return Replayer(history, set, {}, EventForm::kPoints, limits, no_doubt).contradictions(txns);
}

}  // namespace isolde
