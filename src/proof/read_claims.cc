#include "proof/read_claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "proof/operations.h"

namespace isolde::proof {

Fault ReadClaims::read_fault(const Anomaly& a) const {
  if (a.source == ReadSource::kNotARead) return std::nullopt;
  const std::vector<Touch> all = touches(h_, a.transactions.front());
  const bool is_there = std::any_of(all.begin(), all.end(), [&](const Touch& touch) {
    return touch.kind == OpKind::kRead && touch.op == a.op && touch.key == a.key && touch.value == a.read;
  });
  if (!is_there) return "there is no such read";
  if (a.kind == AnomalyKind::kInternal) return std::nullopt;  // it is about the transaction's own operations
  if (a.expected_writer != kNoTxn && !writes(h_, a.expected_writer, a.key))
    return "the transaction it should have read from did not write the key";
  if (a.source_writer != kNoTxn && !may_have_given(a.source_writer, a.key, a.read))
    return "the transaction it read from did not write that";
  return std::nullopt;
}

// Of a list: one of its elements. A counter's value is no single transaction's.
bool ReadClaims::may_have_given(TxnId writer, KeyId key, ValueId value) const {
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

Fault ReadClaims::internal(TxnId t, const Anomaly& a) const {
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
bool ReadClaims::reads_may_differ() const {
  return verdict_.level == Level::kReadCommitted || verdict_.level == Level::kCursorStability ||
         verdict_.level == Level::kMonotonicAtomicView || verdict_.level == Level::kStrongSessionMonotonicAtomicView;
}

Fault ReadClaims::differs_from_state(TxnId t, const Anomaly& a) const {
  const std::int64_t time = committed_.moment(t);
  if (time == kNoTime) return "it has no timestamp to read at";
  Content content = committed_.content_at(a.key, time, t);
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
bool ReadClaims::names_the_state(const Anomaly& a, std::int64_t time) const {
  return a.expected_known && a.expected_text.empty() && verdict_.given == Given::kTimestamps &&
         !committed_.has_ties(a.key, time);
}

Fault ReadClaims::nobody_left_it(TxnId t, const Anomaly& a) const {
  if (a.read == h_.initial(a.key)) return "it is the initial value";
  const auto good = [&](ValueId value) {
    const auto& all = committed_.writers(a.key, value);
    return std::any_of(all.begin(), all.end(), [&](const Committed::Write& w) {
      return w.final && h_.status(w.txn) != Status::kAborted && w.txn != t;
    });
  };
  if (good(a.read)) return "a transaction that may have committed wrote it";
  if (h_.values().type(a.read) != ValueType::kList || !committed_.is_appended_to(a.key)) return std::nullopt;
  // What the transaction itself appended before it read stands at the end and is not in question.
  std::size_t own = 0;
  for (const Touch& touch : touches(h_, t)) {
    if (touch.op < a.op && touch.key == a.key && touch.kind == OpKind::kWrite) own = 0;
    if (touch.op < a.op && touch.key == a.key && touch.kind == OpKind::kAppend) ++own;
  }
  const auto whole = h_.values().list(a.read);
  const auto elements = whole.first(whole.size() - std::min(own, whole.size()));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto& all = committed_.writers(a.key, elements[i]);
    const auto by_other = [&](const Committed::Write& w) { return h_.status(w.txn) != Status::kAborted && w.txn != t; };
    const bool may = std::any_of(all.begin(), all.end(), by_other);
    const bool at_end =
        std::any_of(all.begin(), all.end(), [&](const Committed::Write& w) { return by_other(w) && w.final; });
    if (!may || (i + 1 == elements.size() && !at_end)) return std::nullopt;
  }
  return "each element was appended by a transaction that may have committed";
}

Fault ReadClaims::no_moment(TxnId t, const Anomaly& a) const {
  std::vector<Touch> reads;
  std::vector<std::int64_t> moments{kNoTime + 1};
  const std::vector<Touch> all = touches(h_, t);
  for (const Step& step : a.steps) {
    const auto read = std::find_if(all.begin(), all.end(), [&](const Touch& touch) {
      return touch.kind == OpKind::kRead && touch.op == step.from_op && touch.key == step.key;
    });
    if (read == all.end()) return "names no read of its own";
    reads.push_back(*read);
    for (const TxnId w : committed_.committed_writers(step.key)) moments.push_back(committed_.time_of(w));
  }
  for (const std::int64_t time : moments) {
    if (committed_.time_of(t) != kNoTime && time > committed_.time_of(t)) continue;
    const bool explains = std::all_of(reads.begin(), reads.end(), [&](const Touch& read) {
      const int last_turn = time == committed_.time_of(t) ? 1 : 2;
      Content content = committed_.content_at(read.key, time, t, last_turn);
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

}  // namespace isolde::proof
