#include "proof/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "proof/cycle_claims.h"
#include "proof/operations.h"

namespace isolde::proof {
namespace {

using Fault = std::optional<std::string>;

struct Write {
  TxnId txn;
  Touch touch;
  bool final;
};

std::uint64_t pair_id(KeyId key, ValueId value) { return (std::uint64_t{raw(key)} << 32) | raw(value); }

// The writes to the keys that anomalies are about, gathered in one pass.
class Ground {
 public:
  Ground(const History& history, const Verdict& verdict)
      : h_(history), by_order_(verdict.method == "replay"), keys_(history.key_count(), false) {
    for (const Anomaly& a : verdict.anomalies) {
      if (a.key != kNoKey) keys_[raw(a.key)] = true;
      for (const Step& step : a.steps) {
        if (step.key != kNoKey) keys_[raw(step.key)] = true;
        for (const OpId op : {step.from_op, step.to_op}) {
          if (op != kNoOp && raw(op) < h_.op_count() && !is_predicate(h_.op(raw(op)).kind()))
            keys_[raw(h_.op(raw(op)).key())] = true;
        }
      }
    }
    find_counted();
    appended_.assign(h_.key_count(), false);
    for (const OpHead op : h_.columns().op) {
      if (op.kind() == OpKind::kAppend) appended_[raw(op.key())] = true;
    }
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) gather(TxnId{t});
    for (auto& [key, list] : committed_) {
      std::stable_sort(list.begin(), list.end(), [this](TxnId a, TxnId b) {
        return std::pair(time_of(a), turn(a)) < std::pair(time_of(b), turn(b));
      });
      const auto tie =
          std::adjacent_find(list.begin(), list.end(), [this](TxnId a, TxnId b) { return time_of(a) == time_of(b); });
      if (tie != list.end()) tied_.insert(key);
    }
  }

  [[nodiscard]] const std::vector<Write>& writers(KeyId key, ValueId value) const {
    static const std::vector<Write> kNone;
    const auto at = by_value_.find(pair_id(key, value));
    return at == by_value_.end() ? kNone : at->second;
  }
  [[nodiscard]] bool is_appended_to(KeyId key) const { return appended_[raw(key)]; }
  [[nodiscard]] const std::vector<bool>& counted() const { return counted_; }
  [[nodiscard]] bool counts(TxnId t) const { return counted_[raw(t)]; }
  // When its writes take effect, by the evidence that the verdict is about.
  [[nodiscard]] std::int64_t time_of(TxnId t) const { return by_order_ ? h_.order(t) : h_.commit_ts(t); }

  // Among commits of one time: those that started before, then those whose start is not known, then those that started
  // at that time.
  [[nodiscard]] int turn(TxnId t) const {
    if (by_order_) return 0;
    return h_.start_ts(t) == kNoTime ? 1 : h_.start_ts(t) == h_.commit_ts(t) ? 2 : 0;
  }

  // What the key holds at that time: all commits up to and including it (of that very time only those whose turn is at
  // most `last_turn`), but that of `except`.
  [[nodiscard]] Content content_at(KeyId key, std::int64_t time, TxnId except, int last_turn = 2) const {
    Content content(h_.initial(key));
    const auto at = committed_.find(raw(key));
    if (at == committed_.end()) return content;
    const auto& list = at->second;
    const auto end = std::upper_bound(list.begin(), list.end(), std::pair(time, last_turn),
                                      [this](const auto& x, TxnId t) { return x < std::pair(time_of(t), turn(t)); });
    // From the last plain write on; nothing before it matters.
    auto from = end;
    while (from != list.begin()) {
      --from;
      if (*from != except && overwrites(*from, key)) break;
    }
    for (; from != end; ++from) {
      if (*from == except) continue;
      for (const Touch& touch : touches(h_, *from)) {
        if (touch.kind != OpKind::kRead && touch.key == key) content.apply(h_.values(), touch);
      }
    }
    return content;
  }
  // Whether writers of the key committed at one time, or one at this time.
  [[nodiscard]] bool has_ties(KeyId key, std::int64_t time) const {
    const std::vector<TxnId>& list = committed_writers(key);
    const auto at =
        std::lower_bound(list.begin(), list.end(), time, [this](TxnId t, std::int64_t x) { return time_of(t) < x; });
    return tied_.contains(raw(key)) || (at != list.end() && time_of(*at) == time);
  }
  [[nodiscard]] const std::vector<TxnId>& committed_writers(KeyId key) const {
    static const std::vector<TxnId> kNone;
    const auto at = committed_.find(raw(key));
    return at == committed_.end() ? kNone : at->second;
  }

 private:
  [[nodiscard]] bool overwrites(TxnId t, KeyId key) const {
    for (const Touch& touch : touches(h_, t)) {
      if (touch.key == key && touch.kind != OpKind::kRead) return touch.kind == OpKind::kWrite;
    }
    return false;
  }

  // Committed, or of unknown outcome and read by one that counts where nobody else can have written it.
  void find_counted() {
    counted_.assign(h_.txn_count(), false);
    std::unordered_map<std::uint64_t, std::vector<TxnId>> unknown;
    std::vector<bool> accumulates(h_.key_count(), false);
    for (const OpHead op : h_.columns().op) {
      if (op.kind() == OpKind::kAppend || op.kind() == OpKind::kIncrement) accumulates[raw(op.key())] = true;
    }
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      counted_[t] = h_.status(TxnId{t}) == Status::kCommitted;
      if (h_.status(TxnId{t}) != Status::kUnknown) continue;
      for (const Touch& touch : touches(h_, TxnId{t})) {
        // A counter's value is a sum, and of a list that is also overwritten nobody knows whose it is.
        const bool shows =
            touch.kind == OpKind::kAppend || (touch.kind == OpKind::kWrite && !accumulates[raw(touch.key)]);
        if (shows) unknown[pair_id(touch.key, touch.value)].push_back(TxnId{t});
      }
    }
    if (unknown.empty()) return;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!counted_[t]) continue;
      for (const Touch& touch : touches(h_, TxnId{t})) {
        if (touch.kind == OpKind::kRead) continue;
        unknown.erase(pair_id(touch.key, touch.value));
        if (h_.values().type(touch.value) != ValueType::kList) continue;
        for (const ValueId element : h_.values().list(touch.value)) unknown.erase(pair_id(touch.key, element));
      }
    }
    for (bool more = true; more;) {
      more = false;
      for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
        if (!counted_[t]) continue;
        for (const Touch& touch : touches(h_, TxnId{t})) {
          if (touch.kind != OpKind::kRead) continue;
          more = see(unknown, touch.key, touch.value) || more;
          if (h_.values().type(touch.value) != ValueType::kList) continue;
          for (const ValueId element : h_.values().list(touch.value)) more = see(unknown, touch.key, element) || more;
        }
      }
    }
  }

  bool see(const std::unordered_map<std::uint64_t, std::vector<TxnId>>& unknown, KeyId key, ValueId value) {
    const auto at = unknown.find(pair_id(key, value));
    if (at == unknown.end() || value == h_.initial(key)) return false;
    const auto initial = h_.values().elements(h_.initial(key));
    if (initial && std::find(initial->begin(), initial->end(), value) != initial->end()) return false;
    const TxnId writer = at->second.front();
    if (std::any_of(at->second.begin(), at->second.end(), [&](TxnId t) { return t != writer; }) ||
        counted_[raw(writer)])
      return false;
    counted_[raw(writer)] = true;
    return true;
  }

  void gather(TxnId t) {
    const std::vector<Touch> all = touches(h_, t);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].kind == OpKind::kRead || !keys_[raw(all[i].key)]) continue;
      bool final = true;
      for (std::size_t j = i + 1; j < all.size(); ++j)
        final = final && (all[j].kind == OpKind::kRead || all[j].key != all[i].key);
      by_value_[pair_id(all[i].key, all[i].value)].push_back({t, all[i], final});
      auto& list = committed_[raw(all[i].key)];
      if (counted_[raw(t)] && time_of(t) != kNoTime && (list.empty() || list.back() != t)) list.push_back(t);
    }
  }

  const History& h_;
  const bool by_order_;
  std::vector<bool> keys_, counted_, appended_;
  std::unordered_map<std::uint64_t, std::vector<Write>> by_value_;
  std::unordered_set<std::uint32_t> tied_;                           // keys of which two writers committed at one time
  std::unordered_map<std::uint32_t, std::vector<TxnId>> committed_;  // counted writers of a key, by commit_ts
};

// Whether all that the anomaly names is there to be looked at.
bool is_within(const History& h, const Anomaly& a, bool is_cycle) {
  const auto is_txn = [&](TxnId t) { return raw(t) < h.txn_count(); };
  const auto may_be_txn = [&](TxnId t) { return t == kNoTxn || is_txn(t); };
  const auto may_be_key = [&](KeyId k) { return k == kNoKey || raw(k) < h.key_count(); };
  const auto may_be_op = [&](OpId op) { return op == kNoOp || raw(op) < h.op_count(); };
  const auto is_value = [&](ValueId v) { return raw(v) < kFirstTableValue + h.values().size(); };
  if (a.transactions.empty() || !std::all_of(a.transactions.begin(), a.transactions.end(), is_txn)) return false;
  const bool has_key = is_cycle || a.kind == AnomalyKind::kSessionOrder || a.kind == AnomalyKind::kRealtimeOrder ||
                       a.kind == AnomalyKind::kTimestampOrder || a.kind == AnomalyKind::kGSingle || a.key != kNoKey;
  if (!has_key || !may_be_key(a.key) || !may_be_op(a.op) || !is_value(a.read) || !is_value(a.expected)) return false;
  if (!may_be_txn(a.source_writer) || !may_be_txn(a.expected_writer)) return false;
  return std::all_of(a.steps.begin(), a.steps.end(), [&](const Step& s) {
    return is_txn(s.from) && is_txn(s.to) && may_be_key(s.key) && may_be_op(s.from_op) && may_be_op(s.to_op);
  });
}

class Claims {
 public:
  Claims(const History& history, const Verdict& verdict)
      : h_(history),
        verdict_(verdict),
        serial_(info(verdict.level).family == LevelFamily::kSerializable),
        ground_(history, verdict) {
    if (verdict.method == "graph") cycles_.emplace(history, verdict, ground_.counted());
  }

  Result<void> run() {
    for (const Anomaly& a : verdict_.anomalies) {
      Fault fault = read_fault(a);
      if (!fault) fault = claim(a);
      if (a.steps.empty()) fault = "has no steps";
      for (const Step& step : a.steps) {
        if (!fault) fault = step_fault(step);
      }
      if (fault)
        return Error{
            fmt::format("anomaly {} of transaction {}: {}", full_name(a), h_.txn_text(a.transactions.front()), *fault)};
    }
    return {};
  }

 private:
  // The moment whose state a transaction reads: its snapshot, or its place in the serial order.
  [[nodiscard]] std::int64_t moment(TxnId t) const {
    if (!serial_) return h_.start_ts(t);
    return moment_of_commit(t);
  }

  Fault claim(const Anomaly& a) {
    const TxnId t = a.transactions.front();
    if (!ground_.counts(t)) return "the transaction does not count as committed";
    if (cycles_) {
      if (a.kind == AnomalyKind::kDuplicateWrite || a.kind == AnomalyKind::kIncompatibleOrder)
        return cycles_->list_fault(a);
      if (a.source == ReadSource::kNotARead) return cycles_->fault(a);
    }
    switch (a.kind) {
      case AnomalyKind::kInternal:
        return internal(t, a);
      case AnomalyKind::kSessionOrder:
      case AnomalyKind::kRealtimeOrder:
        return contradiction(a);
      case AnomalyKind::kTimestampOrder:
        if (h_.start_ts(t) == kNoTime || h_.commit_ts(t) == kNoTime || h_.start_ts(t) <= h_.commit_ts(t))
          return "its start_ts is not after its commit_ts";
        return std::nullopt;
      case AnomalyKind::kGSingle:
        return no_moment(t, a);
      default:
        break;
    }
    if (a.source == ReadSource::kNotARead) return overlap(a);
    if (h_.txn_of(a.op) != t) return "the operation is another transaction's";
    if (verdict_.method == "timeline" || verdict_.method == "replay") return differs_from_state(t, a);
    const Fault somebody = nobody_left_it(t, a);
    return somebody && cycles_ && ground_.is_appended_to(a.key) ? cycles_->list_fault(a) : somebody;
  }

  // What the anomaly says about a read is what stands there, and those whom it names as writers wrote the key.
  Fault read_fault(const Anomaly& a) const {
    if (a.source == ReadSource::kNotARead) return std::nullopt;
    const std::vector<Touch> all = touches(h_, a.transactions.front());
    const bool is_there = std::any_of(all.begin(), all.end(), [&](const Touch& touch) {
      return touch.kind == OpKind::kRead && touch.op == a.op && touch.key == a.key && touch.value == a.read;
    });
    if (!is_there) return "there is no such read";
    if (a.kind == AnomalyKind::kInternal) return std::nullopt;  // it is about the transaction's own operations
    if (a.expected_writer != kNoTxn && !writes(a.expected_writer, a.key))
      return "whom it should have read from did not write the key";
    if (a.source_writer != kNoTxn && !may_have_given(a.source_writer, a.key, a.read))
      return "whom it read from did not write that";
    return std::nullopt;
  }

  // Of a list: one of its elements. A counter's value is no single transaction's.
  [[nodiscard]] bool may_have_given(TxnId writer, KeyId key, ValueId value) const {
    const auto elements = h_.values().elements(value);
    for (const Touch& touch : touches(h_, writer)) {
      if (touch.kind == OpKind::kRead || touch.key != key) continue;
      if (touch.kind == OpKind::kIncrement || touch.value == value) return true;
      if (!elements) continue;
      const auto written =
          touch.kind == OpKind::kAppend ? std::optional(std::span(&touch.value, 1)) : h_.values().elements(touch.value);
      if (written &&
          std::find_first_of(elements->begin(), elements->end(), written->begin(), written->end()) != elements->end())
        return true;
    }
    return false;
  }

  // A step by session or real time, and one of timestamps that leads back.
  Fault contradiction(const Anomaly& a) const {
    const bool is_session = a.kind == AnomalyKind::kSessionOrder;
    const AddedOrder added = info(verdict_.level).order;
    if (added == AddedOrder::kNone || (!is_session && added != AddedOrder::kRealTime))
      return "the level does not ask for this order";
    if (a.steps.size() != 2) return "has other than two steps";
    const Step& order = a.steps[0];
    const Step& against = a.steps[1];
    if (order.type != (is_session ? StepType::kSession : StepType::kRealtime)) return "its first step is no such order";
    if (order.from != against.to || order.to != against.from || order.from == order.to)
      return "its steps do not contradict each other";
    if (!ground_.counts(order.from) || !ground_.counts(order.to)) return "one of them does not count as committed";
    if (against.type == StepType::kInvisible && !serial_) return std::nullopt;
    if (against.type == StepType::kOrder && serial_ && verdict_.method == "replay") return std::nullopt;
    return holds(against.type == StepType::kCommit || against.type == StepType::kVisible,
                 "its second step is neither by timestamps nor by the expected order");
  }

  Fault internal(TxnId t, const Anomaly& a) const {
    std::optional<Content> expected;  // once the transaction has touched the key
    std::vector<ValueId> own;         // its appends while the base is not known
    bool known = false;
    for (const Touch& touch : touches(h_, t)) {
      if (touch.key != a.key) continue;
      if (touch.kind == OpKind::kRead) {
        bool right = !known || expected->equals(h_.values(), touch.value);
        if (!known && !own.empty()) {
          const auto seen = h_.values().elements(touch.value);
          right = seen && seen->size() >= own.size() && std::equal(own.rbegin(), own.rend(), seen->rbegin());
        }
        if (touch.op == a.op && !right) return std::nullopt;
        if (reads_may_differ()) continue;
        expected = Content(touch.value);
        known = true;
        own.clear();
        continue;
      }
      if (touch.kind == OpKind::kWrite) {
        expected = Content(touch.value);
        known = true;
        own.clear();
      } else if (known) {
        expected->apply(h_.values(), touch);
      } else if (touch.kind == OpKind::kAppend) {
        own.push_back(touch.value);
      }
    }
    return "the read agrees with the transaction's own operations";
  }

  // At these levels only its own writes bind a transaction.
  [[nodiscard]] bool reads_may_differ() const {
    return verdict_.level == Level::kReadCommitted || verdict_.level == Level::kCursorStability ||
           verdict_.level == Level::kMonotonicAtomicView;
  }

  // Two writers of one key, neither in the other's snapshot.
  Fault overlap(const Anomaly& a) const {
    if (a.transactions.size() < 2) return "names no second transaction";
    const TxnId t = a.transactions[0];
    const TxnId other = a.transactions[1];
    if (info(verdict_.level).family != LevelFamily::kSnapshot) return "the level lets writers overlap";
    if (t == other || !ground_.counts(other)) return "the other does not count as committed";
    if (!writes(t, a.key) || !writes(other, a.key)) return "they do not both write the key";
    if (h_.start_ts(t) == kNoTime || h_.commit_ts(other) == kNoTime || h_.start_ts(t) >= h_.commit_ts(other))
      return "the one is in the snapshot of the other";
    if (h_.commit_ts(t) == kNoTime || h_.commit_ts(other) > h_.commit_ts(t)) return "they are named in the wrong order";
    return std::nullopt;
  }

  [[nodiscard]] bool writes(TxnId t, KeyId key) const {
    for (const Touch& touch : touches(h_, t)) {
      if (touch.kind != OpKind::kRead && touch.key == key) return true;
    }
    return false;
  }

  // The state at the moment, with the transaction's own operations before the read, is not what was read.
  Fault differs_from_state(TxnId t, const Anomaly& a) const {
    const std::int64_t time = moment(t);
    if (time == kNoTime) return "it has no timestamp to read at";
    Content content = ground_.content_at(a.key, time, t);
    for (const Touch& touch : touches(h_, t)) {
      if (touch.op == a.op && touch.key == a.key && touch.kind == OpKind::kRead) {
        if (content.equals(h_.values(), touch.value)) return "the read agrees with the state at its timestamp";
        if (names_the_state(a, time) && !content.equals(h_.values(), a.expected))
          return "the state is not what it expects";
        return std::nullopt;
      }
      if (touch.key == a.key && touch.kind != OpKind::kRead) content.apply(h_.values(), touch);
    }
    return "there is no such read";
  }

  // Whether the expected value is the state itself: lists and counters stand in a text, and among commits of one time
  // the engine may have chosen another turn.
  [[nodiscard]] bool names_the_state(const Anomaly& a, std::int64_t time) const {
    return a.expected_known && a.expected_text.empty() && verdict_.method == "timeline" &&
           !ground_.has_ties(a.key, time);
  }

  // No transaction that may have committed left this value (of a list: one of its elements, or its end).
  Fault nobody_left_it(TxnId t, const Anomaly& a) const {
    if (a.read == h_.initial(a.key)) return "it is the initial value";
    const auto good = [&](ValueId value) {
      const auto& all = ground_.writers(a.key, value);
      return std::any_of(all.begin(), all.end(),
                         [&](const Write& w) { return w.final && h_.status(w.txn) != Status::kAborted && w.txn != t; });
    };
    if (good(a.read)) return "a transaction that may have committed wrote it";
    if (h_.values().type(a.read) != ValueType::kList || !ground_.is_appended_to(a.key)) return std::nullopt;
    // What the transaction itself appended before it read stands at the end and is not in question.
    std::size_t own = 0;
    for (const Touch& touch : touches(h_, t)) {
      if (touch.op < a.op && touch.key == a.key && touch.kind == OpKind::kWrite) own = 0;
      if (touch.op < a.op && touch.key == a.key && touch.kind == OpKind::kAppend) ++own;
    }
    const auto whole = h_.values().list(a.read);
    const auto elements = whole.first(whole.size() - std::min(own, whole.size()));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto& all = ground_.writers(a.key, elements[i]);
      const auto by_other = [&](const Write& w) { return h_.status(w.txn) != Status::kAborted && w.txn != t; };
      const bool may = std::any_of(all.begin(), all.end(), by_other);
      const bool at_end = std::any_of(all.begin(), all.end(), [&](const Write& w) { return by_other(w) && w.final; });
      if (!may || (i + 1 == elements.size() && !at_end)) return std::nullopt;
    }
    return "each element was appended by a transaction that may have committed";
  }

  // No moment explains the reads that the steps name.
  Fault no_moment(TxnId t, const Anomaly& a) const {
    std::vector<Touch> reads;
    std::vector<std::int64_t> moments{kNoTime + 1};
    const std::vector<Touch> all = touches(h_, t);
    for (const Step& step : a.steps) {
      const auto read = std::find_if(all.begin(), all.end(), [&](const Touch& touch) {
        return touch.kind == OpKind::kRead && touch.op == step.from_op && touch.key == step.key;
      });
      if (read == all.end()) return "names no read of its own";
      reads.push_back(*read);
      for (const TxnId w : ground_.committed_writers(step.key)) moments.push_back(ground_.time_of(w));
    }
    for (const std::int64_t time : moments) {
      if (ground_.time_of(t) != kNoTime && time > ground_.time_of(t)) continue;
      const bool explains = std::all_of(reads.begin(), reads.end(), [&](const Touch& read) {
        const int last_turn = time == ground_.time_of(t) ? 1 : 2;
        Content content = ground_.content_at(read.key, time, t, last_turn);
        for (const Touch& touch : all) {
          if (touch.op >= read.op) break;
          if (touch.key == read.key && touch.kind != OpKind::kRead) content.apply(h_.values(), touch);
        }
        return content.equals(h_.values(), read.value);
      });
      if (explains) return fmt::format("the state at time {} explains it", time);
    }
    return std::nullopt;
  }

  Fault step_fault(const Step& step) const {
    const auto has = [&](TxnId t, OpId op) {
      return op == kNoOp || (raw(op) >= h_.first_op(t) && raw(op) < h_.end_op(t));
    };
    if (raw(step.from) >= h_.txn_count() || raw(step.to) >= h_.txn_count()) return "a step names no transaction";
    if (!has(step.from, step.from_op)) return "a step names another transaction's operation";
    if (step.type != StepType::kProgram && !has(step.to, step.to_op))
      return "a step names another transaction's operation";
    const std::int64_t from_commit = moment_of_commit(step.from);
    const std::int64_t to_commit = moment_of_commit(step.to);
    switch (step.type) {
      case StepType::kVisible:
        return holds(from_commit != kNoTime && h_.start_ts(step.to) != kNoTime && from_commit <= h_.start_ts(step.to),
                     "the first is not in the snapshot of the second");
      case StepType::kInvisible:
        return holds(to_commit != kNoTime && h_.start_ts(step.from) != kNoTime && h_.start_ts(step.from) < to_commit,
                     "the second is in the snapshot of the first");
      case StepType::kCommit:
        return holds(from_commit != kNoTime && to_commit != kNoTime && from_commit <= to_commit,
                     "the first does not commit before the second");
      case StepType::kOrder:
        return holds(
            h_.order(step.from) != kNoTime && h_.order(step.to) != kNoTime && h_.order(step.from) <= h_.order(step.to),
            "the first does not come before the second in the expected order");
      case StepType::kSession:
        return holds(h_.session(step.from) == h_.session(step.to) && step.from < step.to,
                     "they are not in this order in one session");
      case StepType::kRealtime:
        return holds(
            h_.end(step.from) != kNoTime && h_.begin(step.to) != kNoTime && h_.end(step.from) < h_.begin(step.to),
            "the first had not ended when the second began");
      case StepType::kWr:
        return holds(writes(step.from, step.key) && reads(step.to, step.key, step.to_op),
                     "no write and read of the key");
      case StepType::kRw:
        return holds(reads(step.from, step.key, step.from_op) && writes(step.to, step.key),
                     "no read and write of the key");
      case StepType::kWw:
        return holds(writes(step.from, step.key) && writes(step.to, step.key), "they do not both write the key");
      case StepType::kProgram:
        return holds(step.from == step.to, "two transactions");
    }
    return "unknown step";
  }

  [[nodiscard]] std::int64_t moment_of_commit(TxnId t) const {
    if (verdict_.method == "replay") return h_.order(t);
    return h_.commit_ts(t) != kNoTime ? h_.commit_ts(t) : h_.start_ts(t);
  }
  static Fault holds(bool good, std::string_view otherwise) { return good ? Fault{} : Fault{std::string(otherwise)}; }

  [[nodiscard]] bool reads(TxnId t, KeyId key, OpId op) const {
    for (const Touch& touch : touches(h_, t)) {
      if (touch.kind == OpKind::kRead && touch.key == key && (op == kNoOp || touch.op == op)) return true;
    }
    return false;
  }

  const History& h_;
  const Verdict& verdict_;
  const bool serial_;
  const Ground ground_;
  std::optional<CycleClaims> cycles_;  // of the engine graph
};

}  // namespace

Result<void> check_claims(const History& history, const Verdict& verdict) {
  if (verdict.anomalies.empty()) return Error{"a violated verdict without an anomaly"};
  for (const Anomaly& a : verdict.anomalies) {
    const bool is_cycle = verdict.method == "graph" && a.source == ReadSource::kNotARead;
    if (!is_within(history, a, is_cycle)) return Error{"an anomaly names something that is not there"};
  }
  return Claims(history, verdict).run();
}

}  // namespace isolde::proof
