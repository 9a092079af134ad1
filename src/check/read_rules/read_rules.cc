#include "check/read_rules/read_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/count_progress.h"
#include "check/accesses.h"
#include "check/read_rules/write_index.h"

namespace isolde {
namespace {

// At these levels two reads of a key may differ.
bool may_read_twice(Level level) {
  return level == Level::kReadCommitted || level == Level::kCursorStability || level == Level::kMonotonicAtomicView ||
         level == Level::kStrongSessionMonotonicAtomicView;
}

constexpr std::uint64_t kStepsPerRuledOp = 4;

class ReadRules {
 public:
  ReadRules(const History& history, Level level, const Limits& limits, Verdict& verdict,
            std::span<const std::uint8_t> counted)
      : h_(history),
        level_(level),
        limits_(limits),
        verdict_(verdict),
        counted_(counted),
        index_(history),
        views_(history.key_count()) {}

  bool run() {
    if (level_ == Level::kReadUncommitted) return true;
    limits_.spend(kStepsPerRuledOp * h_.op_count());
    CountProgress judged(limits_, "reads", h_.txn_count(), 1U << 16);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      judged.add();
      if ((t & 0xffff) == 0 && limits_.exhausted()) return false;
      // Only what counts as committed is judged; an unknown transaction's reads are nobody's promise.
      if (counted_.empty() ? h_.status(TxnId{t}) == Status::kCommitted : counted_[t] != 0) txn(TxnId{t});
    }
    if (index_.repeated() > 0) {
      verdict_.notes.push_back(
          fmt::format("{} values were written to their key by more than one transaction", index_.repeated()));
    }
    return true;
  }

 private:
  // What the transaction at hand did to a key so far.
  struct View {
    std::uint32_t stamp = kNone32;
    bool wrote = false;        // `base` is its own last plain write
    bool has_read = false;     // `last` is what it read last, with nothing but appends and increments since
    bool incremented = false;  // since the last plain write
    ValueId base = kNullValue;
    ValueId last = kNullValue;
    OpId op = kNoOp;
    std::vector<ValueId> appended;  // since the last plain write
    std::size_t appended_at_read = 0;
    bool incremented_since_read = false;
  };

  void txn(TxnId t) {
    for_each_access(h_, t, [&](const Access& a) {
      View& view = views_[raw(a.key)];
      if (view.stamp != raw(t)) {
        view.wrote = view.has_read = view.incremented = false;
        view.appended.clear();
        view.stamp = raw(t);
      }
      switch (a.kind) {
        case OpKind::kRead:
          read(t, a, view);
          break;
        case OpKind::kWrite:
          view.wrote = true;
          view.has_read = view.incremented = false;
          view.base = a.value;
          view.appended.clear();
          break;
        case OpKind::kAppend:
          view.appended.push_back(a.value);
          break;
        default:
          view.incremented = view.incremented_since_read = true;
          break;
      }
      view.op = OpId{a.op};
    });
  }

  void read(TxnId t, const Access& a, View& view) {
    const bool bound_by_reads = view.has_read && !may_read_twice(level_);
    if (bound_by_reads) {
      const auto since = std::span<const ValueId>(view.appended).subspan(view.appended_at_read);
      if (!view.incremented_since_read && !is_with(a.value, view.last, since)) internal(t, a, view, view.last, since);
    } else if (view.wrote && !view.incremented && !is_with(a.value, view.base, view.appended)) {
      internal(t, a, view, view.base, view.appended);
    } else if (!view.wrote && !ends_with(a.value, view.appended)) {
      internal(t, a, view, kNullValue, view.appended);
    } else if (!view.wrote) {
      external(t, a, view.appended.size());
    }
    view.has_read = true;
    view.last = a.value;
    view.appended_at_read = view.appended.size();
    view.incremented_since_read = false;
  }

  // Whether `value` is `base` with these elements appended.
  [[nodiscard]] bool is_with(ValueId value, ValueId base, std::span<const ValueId> appended) const {
    if (appended.empty()) return value == base;
    const auto elements = h_.values().elements(value);
    if (!elements || elements->size() < appended.size()) return false;
    const auto front = elements->first(elements->size() - appended.size());
    if (!std::equal(appended.begin(), appended.end(), elements->begin() + static_cast<std::ptrdiff_t>(front.size())))
      return false;
    const auto before = h_.values().elements(base);
    // Appending to a scalar: the scalar counts as the first element.
    return before ? std::equal(front.begin(), front.end(), before->begin(), before->end())
                  : front.size() == 1 && front[0] == base;
  }

  [[nodiscard]] bool ends_with(ValueId value, const std::vector<ValueId>& own) const {
    if (own.empty()) return true;
    const auto elements = h_.values().elements(value);
    return elements && elements->size() >= own.size() && std::equal(own.rbegin(), own.rend(), elements->rbegin());
  }

  // The value must have been left by somebody. A list: every element must have been appended.
  void external(TxnId t, const Access& a, std::size_t own) {
    if (a.value == h_.initial(a.key)) return;
    // With own appends at its end it cannot be a value that was written as a whole before them.
    const WriteIndex::Entry* const whole = own > 0 ? nullptr : index_.find(a.key, a.value);
    const bool is_final = whole != nullptr && (whole->kinds & WriteIndex::kFinal) != 0;
    const bool only_own = is_final && whole->txn == t && (whole->kinds & WriteIndex::kSeveral) == 0;
    if (is_final && !only_own) return;
    if (h_.values().type(a.value) == ValueType::kList) {
      list(t, a, own);
    } else if (has_increments(a.key)) {
      return;  // a counter's values are sums
    } else if (only_own) {
      later_write(t, a);
    } else {
      value(t, a, whole);
    }
  }

  void value(TxnId t, const Access& a, const WriteIndex::Entry* entry) {
    if (entry == nullptr) {
      report(AnomalyKind::kGarbageRead, ReadSource::kNeverWritten, t, a, kNoTxn);
    } else if ((entry->kinds & WriteIndex::kIntermediate) != 0) {
      if (entry->txn == t) {
        later_write(t, a);
      } else {
        report(AnomalyKind::kG1b, ReadSource::kIntermediate, t, a, entry->txn);
      }
    } else {
      report(AnomalyKind::kG1a, ReadSource::kAborted, t, a, entry->txn);
    }
  }

  void list(TxnId t, const Access& a, std::size_t own) {
    if (wrote_whole_list(a.key)) return;  // then an element does not tell who wrote it
    const auto elements = h_.values().list(a.value);
    const auto initial = h_.values().elements(h_.initial(a.key));
    for (std::size_t i = 0; i + own < elements.size(); ++i) {
      if (initial && i < initial->size() && elements[i] == (*initial)[i]) continue;
      const WriteIndex::Entry* const entry = index_.find(a.key, elements[i]);
      if (entry == nullptr) {
        report(AnomalyKind::kGarbageRead, ReadSource::kNeverWritten, t, a, kNoTxn);
        return;
      }
      const bool last = i + own + 1 == elements.size();
      if ((entry->kinds & (WriteIndex::kFinal | WriteIndex::kIntermediate)) == 0) {
        report(AnomalyKind::kG1a, ReadSource::kAborted, t, a, entry->txn);
        dirty_update(t, a, entry->txn, elements.subspan(i + 1));
        return;
      }
      if (last && (entry->kinds & WriteIndex::kFinal) == 0 && entry->txn != t) {
        report(AnomalyKind::kG1b, ReadSource::kIntermediate, t, a, entry->txn);
        return;
      }
    }
  }

  // Somebody who did not abort appended to a list that held what an aborted one had appended.
  void dirty_update(TxnId t, const Access& a, TxnId aborted, std::span<const ValueId> after) {
    for (const ValueId element : after) {
      const WriteIndex::Entry* const entry = index_.find(a.key, element);
      if (entry == nullptr || (entry->kinds & (WriteIndex::kFinal | WriteIndex::kIntermediate)) == 0) continue;
      if (!dirty_.insert({a.key, aborted}).second) return;
      Anomaly anomaly = make(AnomalyKind::kDirtyUpdate, ReadSource::kAborted, t, a, aborted);
      const auto add = [&](TxnId other) {
        auto& all = anomaly.transactions;
        if (std::find(all.begin(), all.end(), other) == all.end()) all.push_back(other);
      };
      add(aborted);
      add(entry->txn);
      anomaly.steps.push_back(
          {StepType::kWw, aborted, entry->txn, a.key, write_of(aborted, a), write_of(entry->txn, a)});
      keep(std::move(anomaly));
      return;
    }
  }

  void later_write(TxnId t, const Access& a) {
    // The value is the transaction's own, but it had not written it yet.
    report(AnomalyKind::kG1c, ReadSource::kOwnLater, t, a, t);
  }

  [[nodiscard]] bool has_increments(KeyId key) {
    scan_kinds();
    return incremented_[raw(key)];
  }
  [[nodiscard]] bool wrote_whole_list(KeyId key) {
    scan_kinds();
    return overwritten_[raw(key)];
  }
  void scan_kinds() {
    if (!incremented_.empty()) return;
    incremented_.assign(h_.key_count(), false);
    overwritten_.assign(h_.key_count(), false);
    for (const OpHead op : h_.columns().op) {
      if (op.kind() == OpKind::kIncrement) incremented_[raw(op.key())] = true;
      if (op.kind() == OpKind::kWrite) overwritten_[raw(op.key())] = true;
    }
  }

  void internal(TxnId t, const Access& a, const View& view, ValueId base, std::span<const ValueId> appended) {
    Anomaly anomaly = make(AnomalyKind::kInternal, ReadSource::kOwn, t, a, t);
    anomaly.expected = base;
    anomaly.expected_known = appended.empty();
    anomaly.expected_writer = t;
    anomaly.steps.push_back({StepType::kProgram, t, t, a.key, view.op, OpId{a.op}});
    keep(std::move(anomaly));
  }

  void report(AnomalyKind kind, ReadSource source, TxnId t, const Access& a, TxnId writer) {
    Anomaly anomaly = make(kind, source, t, a, writer);
    if (writer != kNoTxn && writer != t) {
      anomaly.transactions.push_back(writer);
      anomaly.steps.push_back({StepType::kWr, writer, t, a.key, write_of(writer, a), OpId{a.op}});
    } else {
      anomaly.steps.push_back({StepType::kProgram, t, t, a.key, OpId{a.op}, kNoOp});
    }
    keep(std::move(anomaly));
  }

  [[nodiscard]] OpId write_of(TxnId writer, const Access& read) const {
    OpId found = kNoOp;
    const auto elements = h_.values().elements(read.value);
    for_each_access(h_, writer, [&](const Access& a) {
      if (a.kind == OpKind::kRead || a.key != read.key) return;
      const bool in_list = elements && std::find(elements->begin(), elements->end(), a.value) != elements->end();
      if (a.value == read.value || in_list) found = OpId{a.op};
    });
    return found;
  }

  static Anomaly make(AnomalyKind kind, ReadSource source, TxnId t, const Access& a, TxnId writer) {
    Anomaly anomaly;
    anomaly.kind = kind;
    anomaly.transactions.push_back(t);
    anomaly.source = source;
    anomaly.op = OpId{a.op};
    anomaly.key = a.key;
    anomaly.read = a.value;
    anomaly.source_writer = writer;
    return anomaly;
  }

  void keep(Anomaly anomaly) { verdict_.add(std::move(anomaly), limits_.max_anomalies); }

  const History& h_;
  const Level level_;
  const Limits& limits_;
  Verdict& verdict_;
  const std::span<const std::uint8_t> counted_;
  const WriteIndex index_;
  std::vector<View> views_;
  std::set<std::pair<KeyId, TxnId>> dirty_;  // named already: the key, and who aborted
  std::vector<bool> incremented_, overwritten_;
};

}  // namespace

bool add_read_rule_anomalies(const History& history, Level level, const Limits& limits, Verdict& verdict,
                             std::span<const std::uint8_t> counted) {
  return ReadRules(history, level, limits, verdict, counted).run();
}

}  // namespace isolde
