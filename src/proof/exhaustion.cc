#include "proof/exhaustion.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "proof/matches.h"
#include "proof/operations.h"
#include "proof/sum_claims.h"

namespace isolde::proof {
namespace {

constexpr std::size_t kMostCounted = 16;

// Every order of the counted transactions, or of their points, as far as it explains the reads that are named.
class LineWalk {
 public:
  LineWalk(const History& history, const Verdict& verdict, std::vector<TxnId> counted, const std::vector<bool>& asked,
           const Matches* matches, const GivenOrders& orders, Patience& patience)
      : h_(history),
        level_(info(verdict.level)),
        given_(verdict.given),
        txns_(std::move(counted)),
        asked_(asked),
        matches_(matches),
        orders_(orders),
        patience_(patience),
        anywhere_(level_.level == Level::kRepeatableRead),
        serial_(level_.family == LevelFamily::kSerializable || anywhere_ || level_.level == Level::kReadUncommitted),
        at_(txns_.size()) {
    for (const TxnId t : txns_) {
      touches_.push_back(touches(h_, t));
      writes_.push_back(keys_written(touches_.back()));
    }
    for (std::uint32_t i = 0; matches_ != nullptr && i < h_.op_count(); ++i) {
      at_last_ |= is_predicate(h_.op(i).kind()) && (anywhere_ || matches_->details(OpId{i}).has_vset != 0);
    }
  }

  Tried run() {
    if (!serial_ && given_ == Given::kTimestamps &&
        std::any_of(txns_.begin(), txns_.end(), [this](TxnId t) { return starts_after_its_commit(t); }))
      return Tried::kNone;
    std::vector<Content> contents;
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      contents.emplace_back(h_.initial(KeyId{k}));
      versions_.push_back({LeftVersion{plain(contents.back()), kNoTxn}});
    }
    return go_on(0, 0, contents, orders_.start());
  }

 private:
  using Set = std::uint32_t;
  static bool in(Set set, std::size_t i) { return (set >> i & 1U) != 0; }
  static ValueId plain(const Content& content) {
    return content.plain().value_or(content.is_nothing() ? kUnknownValue : kNoPlainValue);
  }

  Tried go_on(Set started, Set committed, const std::vector<Content>& contents, const GivenOrders::Places& places) {
    if (!patience_.spend(16 + contents.size())) return Tried::kTooMuch;
    if (committed + 1U == Set{1} << txns_.size()) {
      const bool fits = orders_.is_done(places) && looks_fit();
      if (patience_.left == 0) return Tried::kTooMuch;
      return fits ? Tried::kFound : Tried::kNone;
    }
    if (!at_last_ && !is_new(started, committed, contents, places)) return Tried::kNone;
    for (std::size_t i = 0; i < txns_.size(); ++i) {
      if (in(committed, i)) continue;
      const bool starts = !in(started, i);
      if (starts && !(may_start(i, started, committed) && explained(contents, i))) continue;
      const bool commits = serial_ || !starts;
      if (commits && !may_commit(i, started, committed)) continue;
      if (starts) stand(i);
      std::vector<Content> after = contents;
      GivenOrders::Places met = places;
      if (commits) {
        for (const Touch& touch : touches_[i]) {
          if (touch.kind != OpKind::kRead) after[raw(touch.key)].apply(h_.values(), touch);
        }
        for (const KeyId k : writes_[i]) versions_[raw(k)].push_back({plain(after[raw(k)]), txns_[i]});
        orders_.write(txns_[i], met);
      }
      const Set bit = Set{1} << i;
      const Tried tried = go_on(started | bit, commits ? committed | bit : committed, after, met);
      if (tried != Tried::kNone) return tried;
      for (const KeyId k : writes_[i]) {
        if (commits) versions_[raw(k)].pop_back();
      }
    }
    return Tried::kNone;
  }

  bool is_new(Set started, Set committed, const std::vector<Content>& contents, const GivenOrders::Places& places) {
    std::string print;
    const auto add = [&print](std::uint32_t n) { print.append(reinterpret_cast<const char*>(&n), sizeof n); };
    add(started);
    add(committed);
    for (const std::uint32_t place : places) add(place);
    for (const Content& content : contents) content.append_to_fingerprint(print);
    return met_.insert(std::move(print)).second;
  }

  // Whether a comes before b, as wholes.
  [[nodiscard]] bool is_before(TxnId a, TxnId b) const {
    if (level_.order != AddedOrder::kNone && h_.session(a) == h_.session(b) && a < b) return true;
    return level_.order == AddedOrder::kRealTime && h_.status(a) == Status::kCommitted && h_.end(a) != kNoTime &&
           h_.begin(b) != kNoTime && h_.end(a) < h_.begin(b);
  }
  [[nodiscard]] std::int64_t commit_ts(TxnId t) const {
    const bool only_reads = keys_written(touches(h_, t)).empty();
    return h_.commit_ts(t) == kNoTime && only_reads ? h_.start_ts(t) : h_.commit_ts(t);
  }
  [[nodiscard]] bool starts_after_its_commit(TxnId t) const {
    return h_.start_ts(t) != kNoTime && commit_ts(t) != kNoTime && h_.start_ts(t) > commit_ts(t);
  }
  [[nodiscard]] bool is_instant(TxnId t) const { return h_.start_ts(t) != kNoTime && h_.start_ts(t) == commit_ts(t); }
  [[nodiscard]] bool is_instant_writer(std::size_t i) const { return is_instant(txns_[i]) && !writes_[i].empty(); }

  // A point of time, and its turn within it: commits, then writers of one instant, then starts.
  struct Moment {
    std::int64_t time = kNoTime;
    int turn = 0;
    [[nodiscard]] bool precedes(const Moment& other) const {
      if (time == kNoTime || other.time == kNoTime) return false;
      return time != other.time ? time < other.time : turn < other.turn;
    }
  };
  [[nodiscard]] Moment moment(std::size_t i, bool start) const {
    const TxnId t = txns_[i];
    if (serial_) {
      if (given_ == Given::kExpectedOrder) return {h_.order(t), 0};
      return given_ == Given::kTimestamps ? Moment{commit_ts(t), 0} : Moment{};
    }
    if (given_ != Given::kTimestamps) return {};
    const int instant = writes_[i].empty() ? 2 : 1;
    if (start) return {h_.start_ts(t), is_instant(t) ? instant : 2};
    return {commit_ts(t), is_instant(t) ? instant : 0};
  }
  // Whether no point that is still to come has to come before this one.
  [[nodiscard]] bool keeps_moments(std::size_t i, bool start, Set started, Set committed) const {
    const Moment now = moment(i, start);
    for (std::size_t j = 0; j < txns_.size(); ++j) {
      if (j == i && (start || serial_)) continue;
      if (!in(started, j) && j != i && moment(j, true).precedes(now)) return false;
      if (!in(committed, j) && j != i && moment(j, false).precedes(now)) return false;
    }
    return true;
  }

  [[nodiscard]] bool may_start(std::size_t i, Set started, Set committed) const {
    for (std::size_t j = 0; j < txns_.size(); ++j) {
      if (j == i || in(committed, j)) continue;
      if (is_before(txns_[j], txns_[i])) return false;
      if (!in(started, j)) continue;
      if (level_.family == LevelFamily::kSnapshot && share_a_key(i, j)) return false;
      if (given_ == Given::kTimestamps && is_instant_writer(i) && is_instant_writer(j) &&
          commit_ts(txns_[i]) == commit_ts(txns_[j]))
        return false;
    }
    return keeps_moments(i, true, started, committed);
  }
  [[nodiscard]] bool may_commit(std::size_t i, Set started, Set committed) const {
    return keeps_moments(i, false, started, committed);
  }
  [[nodiscard]] bool share_a_key(std::size_t i, std::size_t j) const {
    return std::any_of(writes_[i].begin(), writes_[i].end(),
                       [&](KeyId k) { return std::find(writes_[j].begin(), writes_[j].end(), k) != writes_[j].end(); });
  }

  bool explained(const std::vector<Content>& contents, std::size_t i) {
    std::vector<Content> now = contents;
    std::vector<bool> own(now.size(), false);
    auto touch = touches_[i].begin();
    for (std::uint32_t op = h_.first_op(txns_[i]); op < h_.end_op(txns_[i]); ++op) {
      const bool looks = is_predicate(h_.op(op).kind());
      if (looks && asked_[op] && matches_ != nullptr && !anywhere_ && look_fails(OpId{op}, now, own)) return false;
      for (; touch != touches_[i].end() && touch->op == OpId{op}; ++touch) {
        Content& content = now[raw(touch->key)];
        if (touch->kind != OpKind::kRead) {
          content.apply(h_.values(), *touch);
          own[raw(touch->key)] = true;
        } else if (asked_[op] && !content.equals(h_.values(), touch->value)) {
          return false;
        }
      }
    }
    return true;
  }

  bool look_fails(OpId op, const std::vector<Content>& now, const std::vector<bool>& own) const {
    std::vector<ValueId> seen;
    for (const Content& content : now) seen.push_back(plain(content));
    return cannot_follow(h_, *matches_, op, seen, own);
  }

  void stand(std::size_t i) {
    at_[i].clear();
    for (const auto& all : versions_) at_[i].push_back(all.size() - 1);
  }
  // What predicates say of the order as a whole.
  [[nodiscard]] bool looks_fit() const {
    for (std::size_t i = 0; at_last_ && i < txns_.size(); ++i) {
      std::vector<bool> own(h_.key_count(), false);
      std::vector<ValueId> now(h_.key_count(), kNullValue);
      auto touch = touches_[i].begin();
      for (std::uint32_t op = h_.first_op(txns_[i]); op < h_.end_op(txns_[i]); ++op) {
        if (is_predicate(h_.op(op).kind()) && asked_[op] &&
            !(anywhere_ ? looked_somewhere(OpId{op}, i, own, now) : vset_stands(OpId{op}, i, own)))
          return false;
        for (; touch != touches_[i].end() && touch->op == OpId{op}; ++touch) {
          if (touch->kind == OpKind::kRead) continue;
          own[raw(touch->key)] = true;
          now[raw(touch->key)] = touch->value;
        }
      }
    }
    return true;
  }
  // Whether a version set stands, but for what changes no match, where its transaction does.
  [[nodiscard]] bool vset_stands(OpId op, std::size_t i, const std::vector<bool>& own) const {
    if (matches_->details(op).has_vset == 0) return true;
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      if (!own[k] && !may_have_looked(*matches_, op, KeyId{k}, txns_[i], versions_[k], at_[i][k])) return false;
    }
    return true;
  }
  // Whether there are versions that the operation may have been evaluated on: of each key one up to which the latest
  // change of matches comes before the transaction.
  [[nodiscard]] bool looked_somewhere(OpId op, std::size_t i, const std::vector<bool>& own,
                                      const std::vector<ValueId>& now) const {
    const bool has_vset = matches_->details(op).has_vset != 0;
    if (has_vset && cannot_follow(h_, *matches_, op, now, own)) return false;
    const bool sums = h_.op(raw(op)).kind() == OpKind::kAggregate;
    std::vector<std::vector<ValueId>> choices(h_.key_count());
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      if (own[k] && (has_vset || sums || may_be_in_result(op, KeyId{k}, now[k]))) choices[k].push_back(now[k]);
      std::size_t changed = 0;
      bool after_own = false;
      for (std::size_t v = 0; !own[k] && v < versions_[k].size(); ++v) {
        const auto& [value, writer] = versions_[k][v];
        const Match match = matches_->of(op, KeyId{k}, value);
        const Match before = v == 0 ? match : matches_->of(op, KeyId{k}, versions_[k][v - 1].value);
        if (match != before && match != Match::kUnclear && before != Match::kUnclear) changed = v;
        after_own |= writer == txns_[i];
        bool may = changed <= at_[i][k] || versions_[k][changed].writer == txns_[i];
        if (has_vset) {
          may = value == matches_->in_vset(op, KeyId{k}) && (after_own || may);
        } else {
          may = may && writer != txns_[i] && (sums || may_be_in_result(op, KeyId{k}, value));
        }
        if (may && std::find(choices[k].begin(), choices[k].end(), value) == choices[k].end())
          choices[k].push_back(value);
      }
      if (choices[k].empty()) return false;
    }
    return has_vset || !sums || some_choice_follows(op, choices);
  }
  // Whether a scan or update that was evaluated on this version may have had the result that it had.
  [[nodiscard]] bool may_be_in_result(OpId op, KeyId key, ValueId value) const {
    const auto row = matches_->in_result(op, key);
    if (matches_->of(op, key, value) == (row ? Match::kNo : Match::kYes)) return false;
    return !row || h_.op(raw(op)).kind() != OpKind::kScan || *row == value;
  }
  [[nodiscard]] bool some_choice_follows(OpId op, const std::vector<std::vector<ValueId>>& choices) const {
    std::vector<std::size_t> digit(choices.size(), 0);
    std::vector<ValueId> versions(choices.size());
    while (patience_.spend(4 * choices.size())) {
      for (std::size_t k = 0; k < choices.size(); ++k) versions[k] = choices[k][digit[k]];
      if (!fails(h_, *matches_, op, versions)) return true;
      std::size_t k = 0;
      while (k < digit.size() && ++digit[k] == choices[k].size()) digit[k++] = 0;
      if (k == digit.size()) return false;
    }
    return false;  // which nobody takes for an answer
  }

  const History& h_;
  const LevelInfo& level_;
  const Given given_;
  const std::vector<TxnId> txns_;
  const std::vector<bool>& asked_;  // by operation
  const Matches* const matches_;    // null: no predicates
  const GivenOrders& orders_;
  Patience& patience_;
  const bool anywhere_;  // a predicate may have been evaluated on any versions: what counts is who changed the matches
  const bool serial_;
  std::vector<std::vector<Touch>> touches_;
  std::vector<std::vector<KeyId>> writes_;
  std::vector<std::vector<LeftVersion>> versions_;  // by key: so far
  std::vector<std::vector<std::size_t>> at_;        // by transaction and key: the version at its start
  bool at_last_ = false;                            // what predicates say is judged when the order is whole
  std::unordered_set<std::string> met_;
};

}  // namespace

GivenOrders::GivenOrders(const History& h, const std::vector<bool>& counted, bool use) {
  for (const VersionOrder& order : h.columns().version_orders) {
    if (!use) break;
    Order& out = orders_.emplace_back();
    out.key = order.key;
    const auto entries = h.columns().version_entries.subspan(order.first, order.count);
    for (std::size_t e = 0; e < entries.size(); ++e) {
      Entry entry;
      bool may_be_nobody = false;  // one of unknown outcome that did not take place
      for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
        if (h.status(TxnId{t}) == Status::kAborted) continue;
        bool wrote = false;
        for (const Touch& touch : touches(h, TxnId{t})) {
          if (touch.kind == OpKind::kRead || touch.key != order.key) continue;
          wrote |= order.by_txn != 0 ? t == entries[e]
                                     : touch.kind != OpKind::kIncrement && touch.value == ValueId{entries[e]};
        }
        if (wrote && counted[t]) entry.writers.push_back(TxnId{t});
        may_be_nobody |= wrote && !counted[t];
      }
      const bool initial = e == 0 && order.by_txn == 0 && h.initial(order.key) == ValueId{entries[e]};
      if (entry.writers.empty() || may_be_nobody || initial) continue;
      out.entries.push_back(std::move(entry));
    }
  }
}

GivenOrders::Places GivenOrders::start() const { return Places(orders_.size(), 0); }

void GivenOrders::write(TxnId txn, Places& places) const {
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    const auto& entries = orders_[i].entries;
    while (places[i] < entries.size()) {
      const auto& writers = entries[places[i]].writers;
      if (std::find(writers.begin(), writers.end(), txn) == writers.end()) break;
      ++places[i];
    }
  }
}

bool GivenOrders::is_done(const Places& places) const {
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    if (places[i] < orders_[i].entries.size()) return false;
  }
  return true;
}

bool fails(const History& h, const Matches& matches, OpId op, const std::vector<ValueId>& versions) {
  const OpKind kind = h.op(raw(op)).kind();
  std::optional<AggregateState> sum;
  if (kind == OpKind::kAggregate) sum.emplace(matches.aggregate(op));
  for (std::uint32_t k = 0; k < versions.size(); ++k) {
    const Match match = matches.of(op, KeyId{k}, versions[k]);
    if (sum) {
      if (match == Match::kUnclear) return false;
      if (match == Match::kYes) matches.add(*sum, KeyId{k}, versions[k]);
      continue;
    }
    const auto row = matches.in_result(op, KeyId{k});
    if (match == (row ? Match::kNo : Match::kYes)) return true;
    if (row && kind == OpKind::kScan && *row != versions[k]) return true;
  }
  return sum && sum->faults() == kNoFault && !sum->agrees(h.op_value(raw(op)));
}

bool cannot_follow(const History& h, const Matches& matches, OpId op, const std::vector<ValueId>& now,
                   const std::vector<bool>& own) {
  if (matches.details(op).has_vset == 0) return fails(h, matches, op, now);
  std::vector<ValueId> named, with_own;
  for (std::uint32_t k = 0; k < now.size(); ++k) {
    named.push_back(matches.in_vset(op, KeyId{k}));
    with_own.push_back(own[k] ? now[k] : named.back());
  }
  return fails(h, matches, op, named) && fails(h, matches, op, with_own);
}

bool may_have_looked(const Matches& matches, OpId op, KeyId key, TxnId txn, const std::vector<LeftVersion>& all,
                     std::size_t at) {
  const ValueId named = matches.in_vset(op, key);
  bool after_own = false;  // from after its own write: no database looks there, and nothing follows
  for (std::size_t v = 0; v < all.size(); ++v) {
    after_own |= all[v].writer == txn;
    if (all[v].value != named) continue;
    if (after_own) return true;
    const auto [from, to] = std::minmax(v, at);
    bool same = true;
    for (std::size_t u = from + 1; u <= to; ++u) {
      const Match before = matches.of(op, key, all[u - 1].value);
      const Match after = matches.of(op, key, all[u].value);
      same &= before == Match::kUnclear || after == Match::kUnclear || before == after;
    }
    if (same) return true;
  }
  return false;
}

namespace {

// Those that wrote something or did something that is asked. The others explain nothing and need no explanation; to
// leave them out asks less of an order.
std::vector<TxnId> busy_of(const History& h, const std::vector<TxnId>& counted, const std::vector<bool>& asked) {
  std::vector<TxnId> busy;
  for (const TxnId t : counted) {
    bool is_asked = false;
    for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op) is_asked |= asked[op];
    if (is_asked || !keys_written(touches(h, t)).empty()) busy.push_back(t);
  }
  return busy;
}

}  // namespace

Fault exhaustion_fault(const History& h, const Verdict& verdict, const Anomaly& a) {
  std::vector<TxnId> sure, unsure;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.status(TxnId{t}) == Status::kCommitted) sure.push_back(TxnId{t});
    if (h.status(TxnId{t}) == Status::kUnknown) unsure.push_back(TxnId{t});
  }
  if (sure.size() + unsure.size() > kMostCounted) return sum_fault(h, verdict, a);
  const bool only_writes = verdict.level == Level::kReadUncommitted;
  if (only_writes && !a.unexplained.empty()) return "the level says nothing of reads";
  const bool on_a_line = asks_for_one_order(verdict.level) || only_writes;
  const bool has_predicates = !h.columns().predicates.empty();
  std::optional<Matches> matches;
  if (has_predicates) {
    matches.emplace(h);
    if (!matches->defect().empty()) return "cannot be proved: " + matches->defect();
  }
  std::vector<bool> asked(h.op_count(), false);
  for (const OpId op : a.unexplained) asked[raw(op)] = true;
  Patience patience;
  for (std::uint32_t outcome = 0; outcome < 1U << unsure.size(); ++outcome) {
    std::vector<TxnId> counted = sure;
    for (std::size_t i = 0; i < unsure.size(); ++i) {
      if ((outcome >> i & 1U) != 0) counted.push_back(unsure[i]);
    }
    std::sort(counted.begin(), counted.end());
    std::vector<bool> counts(h.txn_count(), false);
    for (const TxnId t : counted) counts[raw(t)] = true;
    const GivenOrders orders(h, counts, verdict.given == Given::kVersionOrders);
    const auto try_orders_of = [&](const std::vector<TxnId>& txns) {
      const Matches* const found = matches ? &*matches : nullptr;
      return on_a_line ? LineWalk(h, verdict, txns, asked, found, orders, patience).run()
                       : try_views(h, verdict.level, txns, asked, found, orders, patience);
    };
    const std::vector<TxnId> busy = busy_of(h, counted, asked);
    Tried tried = busy.size() < counted.size() ? try_orders_of(busy) : Tried::kFound;
    if (tried == Tried::kFound) tried = try_orders_of(counted);
    if (tried == Tried::kFound) return "an order explains the reads that it names";
    if (tried == Tried::kTooMuch) return "cannot be proved: too many orders to try";
  }
  return std::nullopt;
}

}  // namespace isolde::proof
