#include "check/read_rules/read_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/accesses.h"
#include "check/read_rules/write_index.h"

namespace isolde {
namespace {

// At these levels two reads of a key may differ.
bool may_read_twice(Level level) {
  return level == Level::kReadCommitted || level == Level::kCursorStability || level == Level::kMonotonicAtomicView;
}

class ReadRules {
 public:
  ReadRules(const History& history, Level level, const Limits& limits, Verdict& verdict)
      : h_(history), level_(level), limits_(limits), verdict_(verdict), index_(history), views_(history.key_count()) {}

  bool run() {
    if (level_ == Level::kReadUncommitted) return true;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if ((t & 0xffff) == 0 && limits_.out_of_time()) return false;
      // Only what counts as committed is judged; an unknown transaction's reads are nobody's promise.
      if (h_.status(TxnId{t}) == Status::kCommitted) txn(TxnId{t});
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
    bool known = false;      // `value` is what a read must return
    bool own_write = false;  // … because the transaction wrote it
    bool rich = false;       // it has appended or incremented since
    ValueId value = kNullValue;
    OpId op = kNoOp;
    std::vector<ValueId> appended;
  };

  void txn(TxnId t) {
    for_each_access(h_, t, [&](const Access& a) {
      View& view = views_[raw(a.key)];
      if (view.stamp != raw(t)) {
        view.stamp = raw(t);
        view.known = view.own_write = view.rich = false;
        view.appended.clear();
      }
      if (a.kind == OpKind::kRead) {
        read(t, a, view);
      } else if (a.kind == OpKind::kWrite) {
        view.known = view.own_write = true;
        view.rich = false;
        view.value = a.value;
        view.appended.clear();
      } else {
        view.rich = true;
        if (a.kind == OpKind::kAppend) view.appended.push_back(a.value);
      }
      view.op = OpId{a.op};
    });
  }

  void read(TxnId t, const Access& a, View& view) {
    if (view.rich) {
      if (!ends_with(a.value, view.appended)) {
        internal(t, a, view);
      }
    } else if (view.known) {
      if (a.value != view.value && (view.own_write || !may_read_twice(level_))) {
        internal(t, a, view);
      } else if (a.value != view.value) {
        external(t, a, 0);
      }
    } else {
      external(t, a, view.appended.size());
    }
    view.known = true;
    view.own_write = view.own_write || view.rich;
    view.value = a.value;
    view.rich = false;
    view.appended.clear();
  }

  [[nodiscard]] bool ends_with(ValueId value, const std::vector<ValueId>& own) const {
    if (own.empty()) return true;
    const auto elements = h_.values().elements(value);
    return elements && elements->size() >= own.size() && std::equal(own.rbegin(), own.rend(), elements->rbegin());
  }

  // The value must have been left by somebody. A list: every element must have been appended.
  void external(TxnId t, const Access& a, std::size_t own) {
    if (a.value == h_.initial(a.key)) return;
    const WriteIndex::Entry* const whole = index_.find(a.key, a.value);
    if (whole != nullptr && (whole->kinds & WriteIndex::kFinal) != 0) {
      if (whole->txn == t && (whole->kinds & WriteIndex::kSeveral) == 0) later_write(t, a);
      return;
    }
    if (h_.values().type(a.value) == ValueType::kList) {
      list(t, a, own);
    } else if (has_increments(a.key)) {
      return;  // a counter's values are sums
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
    const auto elements = h_.values().list(a.value);
    const auto initial = h_.values().elements(h_.initial(a.key));
    for (std::size_t i = 0; i + own < elements.size(); ++i) {
      if (initial && i < initial->size() && elements[i] == (*initial)[i]) continue;
      const WriteIndex::Entry* const entry = index_.find(a.key, elements[i]);
      if (entry == nullptr) {
        if (!wrote_whole_list(a.key)) report(AnomalyKind::kGarbageRead, ReadSource::kNeverWritten, t, a, kNoTxn);
        return;
      }
      const bool last = i + own + 1 == elements.size();
      if ((entry->kinds & (WriteIndex::kFinal | WriteIndex::kIntermediate)) == 0) {
        report(AnomalyKind::kG1a, ReadSource::kAborted, t, a, entry->txn);
        return;
      }
      if (last && (entry->kinds & WriteIndex::kFinal) == 0 && entry->txn != t) {
        report(AnomalyKind::kG1b, ReadSource::kIntermediate, t, a, entry->txn);
        return;
      }
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

  void internal(TxnId t, const Access& a, const View& view) {
    Anomaly anomaly = make(AnomalyKind::kInternal, ReadSource::kOwn, t, a, t);
    anomaly.expected = view.value;
    anomaly.expected_known = !view.rich;
    if (view.rich) anomaly.expected_text = "a list that ends with its own appends";
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

  void keep(Anomaly anomaly) {
    verdict_.count(anomaly.kind);
    if (verdict_.anomalies.size() < limits_.max_anomalies) verdict_.anomalies.push_back(std::move(anomaly));
  }

  const History& h_;
  const Level level_;
  const Limits& limits_;
  Verdict& verdict_;
  const WriteIndex index_;
  std::vector<View> views_;
  std::vector<bool> incremented_, overwritten_;
};

}  // namespace

bool add_read_rule_anomalies(const History& history, Level level, const Limits& limits, Verdict& verdict) {
  return ReadRules(history, level, limits, verdict).run();
}

}  // namespace isolde
