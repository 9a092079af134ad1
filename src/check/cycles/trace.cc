#include "check/cycles/trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/count_progress.h"
#include "base/prefetch.h"
#include "check/accesses.h"
#include "check/cycles/trace_lists.h"
#include "check/read_rules/write_index.h"

namespace isolde::graph {
namespace {

constexpr std::uint64_t kStepsPerTracedOp = 8;

// The versions of all transactions that did not abort; returns the KeyUse of every key.
std::vector<std::uint8_t> collect_versions(const History& h, Trace& out) {
  std::vector<std::uint8_t> uses(h.key_count(), 0);
  out.counts.assign(h.txn_count(), 0);
  out.first_version.reserve(h.txn_count() + std::size_t{1});
  std::vector<std::uint32_t> stamp(h.key_count(), kNone32);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const auto first = out.versions.size();
    out.first_version.push_back(static_cast<std::uint32_t>(first));
    out.counts[t] = h.status(TxnId{t}) == Status::kCommitted ? 1 : 0;
    const bool aborted = h.status(TxnId{t}) == Status::kAborted;
    for_each_access(h, TxnId{t}, [&](const Access& a) {
      if (a.kind == OpKind::kRead) return;
      uses[raw(a.key)] |= a.kind == OpKind::kWrite ? kWritten : a.kind == OpKind::kAppend ? kAppended : kIncremented;
      if (aborted || stamp[raw(a.key)] == t) return;
      stamp[raw(a.key)] = t;
      out.versions.push_back({TxnId{t}, a.key});
    });
    if (out.versions.size() - first > 1) {
      std::sort(out.versions.begin() + static_cast<std::ptrdiff_t>(first), out.versions.end(),
                [](const VersionInfo& a, const VersionInfo& b) { return a.key < b.key; });
    }
  }
  out.first_version.push_back(static_cast<std::uint32_t>(out.versions.size()));
  return uses;
}

void refuse_mixed_keys(const History& h, std::span<const std::uint8_t> uses, Trace& out) {
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    const KeyId key{k};
    if ((uses[k] & kIncremented) != 0) {
      out.untraceable = fmt::format("the values of {} are sums, which do not show who wrote them", h.key_text(key));
    } else if (uses[k] == (kWritten | kAppended) ||
               ((uses[k] & kAppended) != 0 && !h.values().elements(h.initial(key)))) {
      out.untraceable = fmt::format("{} is both written as a whole and appended to", h.key_text(key));
    }
  }
}

class VersionTracer {
 public:
  VersionTracer(const History& history, TraceKind kind, const WriteIndex& index, std::span<const std::uint8_t> uses,
                Trace& out)
      : h_(history),
        explains_(kind != TraceKind::kUnread),
        twice_(kind == TraceKind::kManyViews),
        index_(index),
        uses_(uses),
        out_(out),
        seen_(history, index, out.counts),
        lists_(history, kind, index, uses, out, seen_),
        views_(history.key_count()) {}

  void run(const Limits& limits) {
    out_.read_begin.assign(h_.txn_count(), 0);
    out_.read_end.assign(h_.txn_count(), 0);
    out_.reads.reserve(h_.op_count() / 2);
    CountProgress traced(limits, "tracing reads", h_.txn_count(), 1U << 16);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      traced.add();
      if ((t & 0xffff) == 0 && limits.exhausted()) {
        out_.cut_short = true;
        return resolve_registers();
      }
      if (t + kAhead < h_.txn_count()) ask_for(TxnId{t + kAhead});
      if (h_.status(TxnId{t}) == Status::kCommitted) trace_one(TxnId{t});
    }
    // A list may show an unknown transaction, whose own reads then count, and may be longer.
    do {
      for (TxnId t = seen_.take(); t != kNoTxn; t = seen_.take()) trace_one(t);
    } while (lists_.resolve_grown());
    resolve_registers();
    lists_.finish();
    if (out_.open.empty() || !out_.untraceable.empty()) return;
    const OpenRead& first = out_.open.front();
    out_.untraceable = fmt::format("the value {} of {} may come from more than one write", h_.value_text(first.value),
                                   h_.key_text(first.key));
    out_.only_open = true;
  }

 private:
  static constexpr std::uint32_t kAhead = 6;  // transactions

  void ask_for(TxnId t) const {
    for (std::uint32_t i = h_.first_op(t); i < h_.end_op(t); ++i) {
      if (h_.op(i).is_read()) index_.prefetch(h_.op(i).key(), h_.op_value(i));
    }
  }

  // The versions of the writers that reads of registers were found to have. Apart from finding them, so that what lies
  // far away can be asked for in time.
  void resolve_registers() {
    constexpr std::size_t kFar = 24, kNear = 8;
    const std::size_t n = out_.reads.size();
    const auto writer = [&](std::size_t i) -> std::uint32_t {
      if (i >= n || out_.reads[i].version >= h_.txn_count()) return 0;
      return out_.reads[i].version;
    };
    for (std::size_t i = 0; i < n; ++i) {
      isolde::prefetch(&out_.first_version[writer(i + kFar)]);
      isolde::prefetch(out_.versions.data() + out_.first_version[writer(i + kNear)]);
      TracedRead& read = out_.reads[i];
      if (read.version < h_.txn_count()) read.version = out_.version_of(TxnId{read.version}, read.key);
    }
  }

  void trace_one(TxnId t) {
    out_.read_begin[raw(t)] = static_cast<std::uint32_t>(out_.reads.size());
    for_each_access(h_, t, [&](const Access& a) {
      KeyView& view = views_[raw(a.key)];
      if (view.stamp != raw(t)) view = KeyView{.stamp = raw(t)};
      if (a.kind == OpKind::kWrite) {
        view.wrote = true;
        view.value = a.value;
      } else if (a.kind == OpKind::kAppend) {
        ++view.own;
      } else if (a.kind == OpKind::kRead) {
        if ((uses_[raw(a.key)] & kAppended) != 0) {
          lists_.read(t, a, view);
        } else if (explains_) {
          read_register(t, a, view);
        } else if (uses_[raw(a.key)] == kWritten) {
          seen_.see_value(a.key, a.value);
        }
      }
    });
    if (seen_.can_count_more() && !h_.columns().predicates.empty()) see_version_sets(t);
    out_.read_end[raw(t)] = static_cast<std::uint32_t>(out_.reads.size());
  }

  void see_version_sets(TxnId t) {
    for (std::uint32_t i = h_.first_op(t); i < h_.end_op(t); ++i) {
      if (!is_predicate(h_.op(i).kind())) continue;
      for (const Item& item : h_.vset(h_.predicate(h_.op(i).predicate()))) seen_.see_value(item.key, item.value);
    }
  }

  void read_register(TxnId t, const Access& a, KeyView& view) {
    if (view.wrote || (view.has_read && !twice_)) {
      if (a.value == view.value) return;
      out_.breaks_a_rule = true;
      seen_.see_value(a.key, a.value);
      return;
    }
    view.has_read = true;
    view.value = a.value;
    const WriteIndex::Entry* const entry = index_.find(a.key, a.value);
    const bool several = entry != nullptr && (entry->kinds & WriteIndex::kSeveral) != 0;
    const bool by_other = entry != nullptr && (entry->kinds & WriteIndex::kFinal) != 0 && (several || entry->txn != t);
    Version version = kNoVersion;
    if (a.value == h_.initial(a.key)) {
      if (by_other) return repeated(t, a);
      version = kInitialVersion;
    } else if (!by_other) {
      // A value that several wrote and none left behind is still broken; whoever it was, nobody left it.
      return nobody_left(t, a, entry);
    } else if (several) {
      return repeated(t, a);
    } else {
      version = raw(entry->txn);  // resolve_registers() makes it a version
      seen_.see(entry->txn);
    }
    out_.reads.push_back({t, OpId{a.op}, a.key, version});
  }

  void nobody_left(TxnId t, const Access& a, const WriteIndex::Entry* entry) {
    out_.breaks_a_rule = true;
    seen_.see_value(a.key, a.value);
    if (h_.values().type(a.value) != ValueType::kList) return;
    // The read rules look at the elements of lists; this one was written as a whole.
    AnomalyKind kind = AnomalyKind::kGarbageRead;
    ReadSource source = ReadSource::kNeverWritten;
    if (entry != nullptr && (entry->kinds & (WriteIndex::kFinal | WriteIndex::kIntermediate)) != 0) {
      kind = entry->txn == t ? AnomalyKind::kG1c : AnomalyKind::kG1b;
      source = entry->txn == t ? ReadSource::kOwnLater : ReadSource::kIntermediate;
    } else if (entry != nullptr) {
      kind = AnomalyKind::kG1a;
      source = ReadSource::kAborted;
    }
    out_.bad_reads.push_back({kind, source, t, OpId{a.op}, a.key, entry == nullptr ? kNoTxn : entry->txn});
  }

  void repeated(TxnId t, const Access& a) { out_.open.push_back({t, OpId{a.op}, a.key, a.value}); }

  const History& h_;
  const bool explains_;  // reads must be explained
  const bool twice_;     // two reads of a key may differ
  const WriteIndex& index_;
  const std::span<const std::uint8_t> uses_;  // by key
  Trace& out_;
  SeenWriters seen_;
  ListTracer lists_;
  std::vector<KeyView> views_;  // by key
};

}  // namespace

Version Trace::version_of(TxnId t, KeyId key) const {
  const auto begin = versions.begin() + static_cast<std::ptrdiff_t>(first_version[raw(t)]);
  const auto end = versions.begin() + static_cast<std::ptrdiff_t>(first_version[raw(t) + 1]);
  if (end - begin <= 8) {
    for (auto at = begin; at != end; ++at) {
      if (at->key == key) return static_cast<Version>(at - versions.begin());
    }
    return kNoVersion;
  }
  const auto at = std::lower_bound(begin, end, key, [](const VersionInfo& v, KeyId k) { return v.key < k; });
  return at != end && at->key == key ? static_cast<Version>(at - versions.begin()) : kNoVersion;
}

TraceKind trace_kind(Level level) {
  switch (level) {
    case Level::kReadUncommitted:
      return TraceKind::kUnread;
    case Level::kReadCommitted:
    case Level::kCursorStability:
    case Level::kMonotonicAtomicView:
    case Level::kStrongSessionMonotonicAtomicView:
      return TraceKind::kManyViews;
    default:
      return TraceKind::kOneView;
  }
}

Trace trace_reads(const History& history, Level level, const Limits& limits) {
  const TraceKind kind = trace_kind(level);
  limits.spend(kStepsPerTracedOp * history.op_count());
  Trace out;
  const std::vector<std::uint8_t> uses = collect_versions(history, out);
  if (kind != TraceKind::kUnread) refuse_mixed_keys(history, uses, out);
  if (!out.untraceable.empty()) return out;
  const WriteIndex index(history);
  out.repeated = index.repeated();
  VersionTracer(history, kind, index, uses, out).run(limits);
  return out;
}

}  // namespace isolde::graph
