#include "proof/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "proof/exhaustion.h"
#include "proof/operations.h"
#include "proof/predicate_replay.h"

namespace isolde::proof {
namespace {

class Replay {
 public:
  Replay(const History& history, const Verdict& verdict)
      : h_(history),
        verdict_(verdict),
        level_(info(verdict.level)),
        start_(history.txn_count(), 0),
        commit_(history.txn_count(), 0) {}

  Result<void> run() {
    // Levels below these are not about points on a line; their verdict carries no witness.
    const bool on_a_line = level_.family == LevelFamily::kSerializable || level_.family == LevelFamily::kSnapshot ||
                           level_.family == LevelFamily::kPrefix || level_.level == Level::kRepeatableRead;
    if (!on_a_line && verdict_.witness.kind == Witness::Kind::kNone) return {};
    const bool points = verdict_.witness.kind == Witness::Kind::kPoints;
    if ((level_.family == LevelFamily::kSerializable || level_.level == Level::kRepeatableRead) && points)
      return Error{"the level needs a serial order"};
    if (level_.family == LevelFamily::kSnapshot && !points && verdict_.witness.kind != Witness::Kind::kSerialOrder) {
      return Error{"the verdict has no witness"};
    }
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) state_.emplace_back(h_.initial(KeyId{k}));
    if (!h_.columns().predicates.empty()) {
      if (auto wrong = ready_predicates(points)) return *wrong;
    }
    last_commit_.assign(h_.key_count(), 0);
    last_writer_.assign(h_.key_count(), kNoTxn);
    std::uint32_t rank = 0;
    for (const std::uint32_t event : verdict_.witness.events) {
      ++rank;
      const TxnId t{points ? event / 2 : event};
      if (raw(t) >= h_.txn_count()) return Error{"the witness names a transaction that does not exist"};
      if (h_.status(t) == Status::kAborted) return fault(t, "is aborted but is in the witness");
      const bool is_start = !points || event % 2 == 0;
      const bool is_commit = !points || event % 2 == 1;
      if (is_start) {
        if (start_[raw(t)] != 0) return fault(t, "starts twice in the witness");
        start_[raw(t)] = rank;
        if (auto wrong = reads_hold(t)) return *wrong;
      }
      if (is_commit) {
        if (start_[raw(t)] == 0 || commit_[raw(t)] != 0)
          return fault(t, "commits before it starts, or twice, in the witness");
        commit_[raw(t)] = rank;
        if (auto wrong = install(t, rank)) return *wrong;
      }
    }
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if ((start_[t] != 0) != (commit_[t] != 0)) return fault(TxnId{t}, "has no commit in the witness");
      if (h_.status(TxnId{t}) == Status::kCommitted && start_[t] == 0)
        return fault(TxnId{t}, "is missing from the witness");
    }
    if (level_.order != AddedOrder::kNone) {
      if (auto wrong = sessions_hold()) return *wrong;
    }
    if (level_.order == AddedOrder::kRealTime) {
      if (auto wrong = real_time_holds()) return *wrong;
    }
    if (verdict_.given != Given::kVersionOrders) {
      if (auto wrong = timestamps_hold(points)) return *wrong;
    } else if (!h_.columns().version_orders.empty()) {
      if (auto wrong = version_orders_hold(points)) return *wrong;
    }
    return {};
  }

 private:
  Error fault(TxnId t, std::string_view what) const {
    return Error{fmt::format("transaction {} {}", h_.txn_text(t), what)};
  }

  static ValueId as_version(const Content& content) {
    return content.plain().value_or(content.is_nothing() ? kUnknownValue : kNoPlainValue);
  }

  // Requires: `state_` is the initial one.
  std::optional<Error> ready_predicates(bool points) {
    std::vector<Content> state = state_;
    std::vector<std::vector<ValueId>> versions(h_.key_count());
    const auto keep = [&](KeyId k) { versions[raw(k)].push_back(as_version(state[raw(k)])); };
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) keep(KeyId{k});
    for (const std::uint32_t event : verdict_.witness.events) {
      const TxnId t{points ? event / 2 : event};
      if (raw(t) >= h_.txn_count() || (points && event % 2 == 0)) continue;
      const std::vector<Touch> all = touches(h_, t);
      for (const Touch& touch : all) {
        if (touch.kind != OpKind::kRead) state[raw(touch.key)].apply(h_.values(), touch);
      }
      for (const KeyId k : keys_written(all)) keep(k);
    }
    const auto rule =
        level_.level == Level::kRepeatableRead ? PredicateReplay::Rule::kUpToState : PredicateReplay::Rule::kState;
    predicates_.emplace(h_, rule, std::move(versions));
    if (predicates_->defect().empty()) return std::nullopt;
    return Error{"cannot be proved: " + predicates_->defect()};
  }

  std::optional<Error> reads_hold(TxnId t) {
    std::unordered_map<std::uint32_t, Content> own;
    const std::vector<Touch> all = touches(h_, t);
    auto touch = all.begin();
    for (OpId op{h_.first_op(t)}; raw(op) < h_.end_op(t); op = OpId{raw(op) + 1}) {
      if (predicates_ && is_predicate(h_.op(raw(op)).kind())) {
        if (const auto wrong = predicates_->fault(op))
          return fault(t, fmt::format("has a predicate, operation {}: {}", raw(op) - h_.first_op(t), *wrong));
      }
      for (; touch != all.end() && touch->op == op; ++touch) {
        auto at = own.find(raw(touch->key));
        if (touch->kind == OpKind::kRead) {
          const Content& content = at == own.end() ? state_[raw(touch->key)] : at->second;
          if (!content.equals(h_.values(), touch->value)) {
            return fault(t, fmt::format("reads {} = {}, which the witness does not explain", h_.key_text(touch->key),
                                        h_.value_text(touch->value)));
          }
          continue;
        }
        if (at == own.end()) at = own.emplace(raw(touch->key), state_[raw(touch->key)]).first;
        at->second.apply(h_.values(), *touch);
        if (predicates_) predicates_->write_own(touch->key, as_version(at->second));
      }
    }
    if (predicates_) predicates_->forget_own();
    return std::nullopt;
  }

  std::optional<Error> install(TxnId t, std::uint32_t rank) {
    const std::vector<Touch> all = touches(h_, t);
    for (const Touch& touch : all) {
      if (touch.kind == OpKind::kRead) continue;
      const std::uint32_t k = raw(touch.key);
      if (level_.family == LevelFamily::kSnapshot && last_commit_[k] > start_[raw(t)] && last_writer_[k] != t) {
        return fault(
            t, fmt::format("and {} overlap and both write {}", h_.txn_text(last_writer_[k]), h_.key_text(touch.key)));
      }
      state_[k].apply(h_.values(), touch);
      last_commit_[k] = rank;
      last_writer_[k] = t;
    }
    if (!predicates_) return std::nullopt;
    for (const KeyId k : keys_written(all)) predicates_->advance(k);
    return std::nullopt;
  }

  std::optional<Error> sessions_hold() const {
    std::vector<std::uint32_t> latest(h_.session_count(), 0);
    std::vector<std::int64_t> number(h_.session_count(), kNoTime);
    const bool numbered = implies(level_.level, Level::kStrongSessionSnapshotIsolation);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      std::int64_t& last = number[raw(h_.session(TxnId{t}))];
      const std::int64_t own = h_.sno(TxnId{t});
      if (numbered && last != kNoTime && own != kNoTime && (last == INT64_MAX || own != last + 1))
        return fault(TxnId{t}, "has a number that does not follow that of the one before it in its session");
      last = own;
      if (start_[t] == 0) continue;
      std::uint32_t& before = latest[raw(h_.session(TxnId{t}))];
      if (before > start_[t])
        return fault(TxnId{t}, "starts, in the witness, before an earlier one of its session has committed");
      before = std::max(before, commit_[t]);
    }
    return std::nullopt;
  }

  std::optional<Error> real_time_holds() const {
    std::vector<std::uint32_t> by_begin;
    std::vector<std::uint32_t> by_end;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (start_[t] == 0) continue;
      if (h_.begin(TxnId{t}) != kNoTime) by_begin.push_back(t);
      if (h_.end(TxnId{t}) != kNoTime && h_.status(TxnId{t}) == Status::kCommitted) by_end.push_back(t);
    }
    std::sort(by_begin.begin(), by_begin.end(),
              [this](auto a, auto b) { return h_.begin(TxnId{a}) < h_.begin(TxnId{b}); });
    std::sort(by_end.begin(), by_end.end(), [this](auto a, auto b) { return h_.end(TxnId{a}) < h_.end(TxnId{b}); });
    std::size_t ended = 0;
    // The latest commit, and the latest of another transaction: an end may stand before its own begin.
    std::uint32_t latest = kNone32;
    std::uint32_t second = kNone32;
    const auto rank_of = [this](std::uint32_t t) { return t == kNone32 ? 0 : commit_[t]; };
    for (const std::uint32_t t : by_begin) {
      for (; ended < by_end.size() && h_.end(TxnId{by_end[ended]}) < h_.begin(TxnId{t}); ++ended) {
        const std::uint32_t next = by_end[ended];
        if (rank_of(next) > rank_of(latest)) {
          second = latest;
          latest = next;
        } else if (rank_of(next) > rank_of(second)) {
          second = next;
        }
      }
      if (rank_of(latest == t ? second : latest) > start_[t]) {
        return fault(TxnId{t}, "starts, in the witness, before one that had ended has committed");
      }
    }
    return std::nullopt;
  }

  // The witness must keep to the timestamps that it is about.
  std::optional<Error> timestamps_hold(bool points) const {
    std::int64_t latest = kNoTime;
    for (const std::uint32_t event : verdict_.witness.events) {
      const TxnId t{points ? event / 2 : event};
      const bool expected = verdict_.given == Given::kExpectedOrder;
      std::int64_t time = expected ? h_.order(t) : points && event % 2 == 0 ? h_.start_ts(t) : h_.commit_ts(t);
      if (time == kNoTime) continue;
      if (latest != kNoTime && time < latest) return fault(t, "contradicts its timestamps in the witness");
      latest = time;
    }
    return std::nullopt;
  }

  // Transactions commit as the version orders say.
  std::optional<Error> version_orders_hold(bool points) const {
    std::vector<bool> counted(h_.txn_count(), false);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) counted[t] = commit_[t] != 0;
    const GivenOrders orders(h_, counted, true);
    GivenOrders::Places places = orders.start();
    for (const std::uint32_t event : verdict_.witness.events) {
      if (!points || event % 2 == 1) orders.write(TxnId{points ? event / 2 : event}, places);
    }
    if (orders.is_done(places)) return std::nullopt;
    return Error{"the witness contradicts the given version orders"};
  }

  const History& h_;
  const Verdict& verdict_;
  const LevelInfo& level_;
  std::vector<std::uint32_t> start_, commit_;
  std::vector<Content> state_;
  std::vector<std::uint32_t> last_commit_;
  std::vector<TxnId> last_writer_;
  std::optional<PredicateReplay> predicates_;  // where the history has any
};

}  // namespace

Result<void> replay_witness(const History& history, const Verdict& verdict) { return Replay(history, verdict).run(); }

}  // namespace isolde::proof
