#include "check/graph/trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/accesses.h"
#include "check/read_rules/write_index.h"

namespace isolde::graph {
namespace {

class Tracer {
 public:
  Tracer(const History& history, Level level, const Limits& limits)
      : h_(history),
        limits_(limits),
        explains_(trace_kind(level) != TraceKind::kUnread),
        twice_(trace_kind(level) == TraceKind::kManyViews),
        uses_(history.key_count(), 0),
        views_(history.key_count()),
        longest_(history.key_count()) {}

  Trace run() {
    collect_versions();
    if (explains_) refuse_mixed_keys();
    if (!out_.untraceable.empty()) return std::move(out_);
    const WriteIndex index(h_);
    index_ = &index;
    out_.read_begin.assign(h_.txn_count(), 0);
    out_.read_end.assign(h_.txn_count(), 0);
    out_.reads.reserve(h_.op_count() / 2);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if ((t & 0xffff) == 0 && limits_.out_of_time()) {
        out_.out_of_time = true;
        return std::move(out_);
      }
      if (h_.status(TxnId{t}) == Status::kCommitted) trace(TxnId{t});
    }
    // A list may show an unknown transaction, whose own reads then count, and may be longer.
    for (;;) {
      while (!seen_.empty()) {
        const TxnId t = seen_.back();
        seen_.pop_back();
        trace(t);
      }
      if (grown_.empty()) break;
      const std::vector<KeyId> keys = std::move(grown_);
      grown_.clear();
      for (const KeyId key : keys) resolve_chain(key);
    }
    compare_lists();
    store_chains();
    if (explains_) resolve_list_reads();
    return std::move(out_);
  }

 private:
  enum Use : std::uint8_t { kWritten = 1, kAppended = 2, kIncremented = 4 };

  // What the transaction at hand did to a key so far.
  struct View {
    std::uint32_t stamp = kNone32;
    bool wrote = false;
    bool has_read = false;
    ValueId value = kNullValue;  // its own write, or what it read last
    std::uint32_t length = 0;    // of the list that it read last, without its own elements
    std::uint32_t own = 0;       // elements that it appended
  };
  struct Longest {
    std::uint32_t length = 0;
    ValueId value = kNullValue;
    OpId op = kNoOp;
    bool queued = false;
    bool broken = false;
    std::vector<ChainEntry> chain;
  };
  struct ListRead {
    TxnId txn;
    OpId op;
    KeyId key;
    ValueId value;
    std::uint32_t length;
    std::uint32_t read;  // in out_.reads; kNone32: only to be compared
  };

  void collect_versions() {
    out_.counts.assign(h_.txn_count(), 0);
    out_.first_version.reserve(h_.txn_count() + std::size_t{1});
    std::vector<std::uint32_t> stamp(h_.key_count(), kNone32);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      const auto first = out_.versions.size();
      out_.first_version.push_back(static_cast<std::uint32_t>(first));
      out_.counts[t] = h_.status(TxnId{t}) == Status::kCommitted ? 1 : 0;
      has_unknown_ |= h_.status(TxnId{t}) == Status::kUnknown;
      const bool aborted = h_.status(TxnId{t}) == Status::kAborted;
      for_each_access(h_, TxnId{t}, [&](const Access& a) {
        if (a.kind == OpKind::kRead) return;
        uses_[raw(a.key)] |= a.kind == OpKind::kWrite ? kWritten : a.kind == OpKind::kAppend ? kAppended : kIncremented;
        if (aborted || stamp[raw(a.key)] == t) return;
        stamp[raw(a.key)] = t;
        out_.versions.push_back({TxnId{t}, a.key});
      });
      if (out_.versions.size() - first > 1) {
        std::sort(out_.versions.begin() + static_cast<std::ptrdiff_t>(first), out_.versions.end(),
                  [](const VersionInfo& a, const VersionInfo& b) { return a.key < b.key; });
      }
    }
    out_.first_version.push_back(static_cast<std::uint32_t>(out_.versions.size()));
  }

  void refuse_mixed_keys() {
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      const KeyId key{k};
      if ((uses_[k] & kIncremented) != 0) {
        out_.untraceable = fmt::format("the values of {} are sums, which do not tell who wrote them", h_.key_text(key));
      } else if (uses_[k] == (kWritten | kAppended) || ((uses_[k] & kAppended) != 0 && !list_initial(key))) {
        out_.untraceable = fmt::format("{} is both written as a whole and appended to", h_.key_text(key));
      }
    }
  }
  [[nodiscard]] bool list_initial(KeyId key) const { return h_.values().elements(h_.initial(key)).has_value(); }

  void trace(TxnId t) {
    out_.read_begin[raw(t)] = static_cast<std::uint32_t>(out_.reads.size());
    for_each_access(h_, t, [&](const Access& a) {
      View& view = views_[raw(a.key)];
      if (view.stamp != raw(t)) view = View{.stamp = raw(t)};
      if (a.kind == OpKind::kWrite) {
        view.wrote = true;
        view.value = a.value;
      } else if (a.kind == OpKind::kAppend) {
        ++view.own;
      } else if (a.kind == OpKind::kRead) {
        if ((uses_[raw(a.key)] & kAppended) != 0) {
          read_list(t, a, view);
        } else if (explains_) {
          read_register(t, a, view);
        } else if (uses_[raw(a.key)] == kWritten) {
          see_value(a.key, a.value);
        }
      }
    });
    if (has_unknown_ && !h_.columns().predicates.empty()) see_version_sets(t);
    out_.read_end[raw(t)] = static_cast<std::uint32_t>(out_.reads.size());
  }

  void see_version_sets(TxnId t) {
    for (std::uint32_t i = h_.first_op(t); i < h_.end_op(t); ++i) {
      if (!is_predicate(h_.op(i).kind())) continue;
      for (const Item& item : h_.vset(h_.predicate(h_.op(i).predicate()))) see_value(item.key, item.value);
    }
  }

  void read_register(TxnId t, const Access& a, View& view) {
    if (view.wrote || (view.has_read && !twice_)) {
      if (a.value == view.value) return;
      out_.breaks_a_rule = true;
      see_value(a.key, a.value);
      return;
    }
    view.has_read = true;
    view.value = a.value;
    const WriteIndex::Entry* const entry = index_->find(a.key, a.value);
    const bool several = entry != nullptr && (entry->kinds & WriteIndex::kSeveral) != 0;
    const bool by_other = entry != nullptr && (entry->kinds & WriteIndex::kFinal) != 0 && (several || entry->txn != t);
    Version version = kNoVersion;
    if (a.value == h_.initial(a.key)) {
      if (by_other) return repeated(a);
      version = kInitialVersion;
    } else if (!by_other) {
      // A value that several wrote and none left behind is still broken; whoever it was, nobody left it.
      return nobody_left(t, a, entry);
    } else if (several) {
      return repeated(a);
    } else {
      version = out_.version_of(entry->txn, a.key);
      see(entry->txn);
    }
    out_.reads.push_back({t, OpId{a.op}, a.key, version});
  }

  void nobody_left(TxnId t, const Access& a, const WriteIndex::Entry* entry) {
    out_.breaks_a_rule = true;
    see_value(a.key, a.value);
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
    bad(kind, source, OpId{a.op}, a.key, entry == nullptr ? kNoTxn : entry->txn);
  }

  void see_value(KeyId key, ValueId value) {
    if (!has_unknown_ || value == h_.initial(key) || stands_at_first(key, value)) return;
    const WriteIndex::Entry* const entry = index_->find(key, value);
    if (entry != nullptr && (entry->kinds & (WriteIndex::kSeveral | WriteIndex::kAborted)) == 0) see(entry->txn);
  }

  // An element of the initial list shows nobody's write.
  [[nodiscard]] bool stands_at_first(KeyId key, ValueId element) const {
    const auto initial = h_.values().elements(h_.initial(key));
    return initial && std::find(initial->begin(), initial->end(), element) != initial->end();
  }

  void read_list(TxnId t, const Access& a, View& view) {
    const auto elements = h_.values().elements(a.value);
    if (!elements) {
      out_.breaks_a_rule = true;
      return;
    }
    if (!explains_ && uses_[raw(a.key)] == kAppended) {
      for (const ValueId element : *elements) see_value(a.key, element);
    }
    // Where reads need no explanation, what an unknown transaction read shows nothing.
    if (!explains_ && h_.status(t) != Status::kCommitted) return;
    const std::uint32_t own = explains_ ? view.own : 0;
    if (elements->size() < own || !ends_with_own(t, a, *elements, own)) return break_list(a, view);
    const auto length = static_cast<std::uint32_t>(elements->size() - own);
    const bool again = view.has_read && !twice_;
    if (again && explains_ && view.length != length) return break_list(a, view);
    const bool same = again && view.value == a.value;
    view.has_read = true;
    view.value = a.value;
    view.length = length;
    if (same) return;
    std::uint32_t read = kNone32;
    if (!again && explains_) {
      read = static_cast<std::uint32_t>(out_.reads.size());
      out_.reads.push_back({t, OpId{a.op}, a.key, kNoVersion});
    }
    list_reads_.push_back({t, OpId{a.op}, a.key, a.value, length, read});
    Longest& longest = longest_[raw(a.key)];
    if (longest.op != kNoOp && length <= longest.length) return;
    longest.length = length;
    longest.value = a.value;
    longest.op = OpId{a.op};
    if (!longest.queued) {
      longest.queued = true;
      grown_.push_back(a.key);
    }
  }

  // A read that its own transaction contradicts. It tells nothing but whose writes were seen.
  void break_list(const Access& a, View& view) {
    out_.breaks_a_rule = true;
    const auto elements = *h_.values().elements(a.value);
    for (const ValueId element : elements) see_value(a.key, element);
    if (view.has_read) return;
    view.has_read = true;
    view.length = kNone32;
  }

  [[nodiscard]] bool ends_with_own(TxnId t, const Access& a, std::span<const ValueId> elements,
                                   std::uint32_t own) const {
    std::size_t at = elements.size();
    for (std::uint32_t i = a.op; own > 0 && i-- > h_.first_op(t);) {
      const OpHead op = h_.op(i);
      if (op.kind() != OpKind::kAppend || op.key() != a.key) continue;
      if (elements[--at] != h_.op_value(i)) return false;
      --own;
    }
    return true;
  }

  // The blocks of elements that the longest read shows, each all that one transaction appended.
  void resolve_chain(KeyId key) {
    Longest& longest = longest_[raw(key)];
    longest.queued = false;
    longest.broken = true;
    longest.chain.clear();
    ++chain_number_;
    const auto elements = h_.values().elements(longest.value)->first(longest.length);
    if (!explains_) return resolve_plainly(key, longest, elements);
    const auto initial = *h_.values().elements(h_.initial(key));
    if (elements.size() < initial.size() || !std::equal(initial.begin(), initial.end(), elements.begin())) {
      return bad(AnomalyKind::kIncompatibleOrder, ReadSource::kUntraceable, longest.op, key);
    }
    for (const ValueId element :
         elements.subspan(initial.size(), std::min<std::size_t>(elements.size() - initial.size(), 64)))
      index_->prefetch(key, element);
    for (std::size_t i = initial.size(); i < elements.size();) {
      const WriteIndex::Entry* const entry = index_->find(key, elements[i]);
      if (entry == nullptr || (entry->kinds & (WriteIndex::kFinal | WriteIndex::kIntermediate)) == 0) {
        out_.breaks_a_rule = true;
        return;
      }
      if ((entry->kinds & WriteIndex::kSeveral) != 0 ||
          std::find(initial.begin(), initial.end(), elements[i]) != initial.end()) {
        out_.untraceable =
            fmt::format("{} was appended to {} more than once", h_.value_text(elements[i]), h_.key_text(key));
        return;
      }
      const TxnId writer = entry->txn;
      std::size_t end = i;
      bool whole = true;
      for (std::uint32_t op = h_.first_op(writer); op < h_.end_op(writer) && whole; ++op) {
        if (h_.op(op).kind() != OpKind::kAppend || h_.op(op).key() != key) continue;
        whole = end < elements.size() && elements[end] == h_.op_value(op);
        ++end;
      }
      if (!whole) {
        const bool twice = has_one_append_twice(key, elements);
        return bad(twice ? AnomalyKind::kDuplicateWrite : AnomalyKind::kG1b, ReadSource::kIntermediate, longest.op, key,
                   writer);
      }
      see(writer);
      const Version version = out_.version_of(writer, key);
      if (in_chain_.empty()) in_chain_.assign(out_.versions.size(), 0);
      if (in_chain_[version] == chain_number_) {
        return bad(AnomalyKind::kDuplicateWrite, ReadSource::kUntraceable, longest.op, key, writer);
      }
      in_chain_[version] = chain_number_;
      longest.chain.push_back({version, static_cast<std::uint32_t>(end)});
      i = end;
    }
    longest.broken = false;
  }

  // Where reads need no explanation, lists still tell the order of the appends of transactions that count.
  void resolve_plainly(KeyId key, Longest& longest, std::span<const ValueId> elements) {
    if ((uses_[raw(key)] & ~kAppended) != 0 || has_twice(elements)) return;
    const auto initial = h_.values().elements(h_.initial(key));
    for (const ValueId element : elements) {
      const WriteIndex::Entry* const entry = index_->find(key, element);
      if (entry == nullptr || (entry->kinds & (WriteIndex::kSeveral | WriteIndex::kAborted)) != 0) continue;
      if (h_.initial(key) == element) continue;
      if (initial && std::find(initial->begin(), initial->end(), element) != initial->end()) continue;
      see(entry->txn);
      longest.chain.push_back({out_.version_of(entry->txn, key), 0});
    }
    longest.broken = false;
  }

  bool has_twice(std::span<const ValueId> elements) {
    scratch_.assign(elements.begin(), elements.end());
    std::sort(scratch_.begin(), scratch_.end());
    return std::adjacent_find(scratch_.begin(), scratch_.end()) != scratch_.end();
  }

  // Whether an element stands there more often than its transaction appended it.
  bool has_one_append_twice(KeyId key, std::span<const ValueId> elements) {
    scratch_.assign(elements.begin(), elements.end());
    std::sort(scratch_.begin(), scratch_.end());
    for (std::size_t i = 0; i < scratch_.size();) {
      const auto end = static_cast<std::size_t>(
          std::upper_bound(scratch_.begin() + static_cast<std::ptrdiff_t>(i), scratch_.end(), scratch_[i]) -
          scratch_.begin());
      const WriteIndex::Entry* const entry = end - i > 1 ? index_->find(key, scratch_[i]) : nullptr;
      std::size_t appended = 0;
      for (std::uint32_t op = entry == nullptr ? 0 : h_.first_op(entry->txn);
           entry != nullptr && op < h_.end_op(entry->txn); ++op) {
        appended += h_.op(op).kind() == OpKind::kAppend && h_.op(op).key() == key && h_.op_value(op) == scratch_[i];
      }
      if (entry != nullptr && (entry->kinds & WriteIndex::kSeveral) == 0 && appended < end - i) return true;
      i = end;
    }
    return false;
  }

  // Every read of a key must be the start of the longest.
  void compare_lists() {
    for (const ListRead& read : list_reads_) {
      Longest& longest = longest_[raw(read.key)];
      if (read.value == longest.value) continue;
      const auto shorter = h_.values().elements(read.value)->first(read.length);
      const auto longer = *h_.values().elements(longest.value);
      if (std::equal(shorter.begin(), shorter.end(), longer.begin())) continue;
      longest.broken = true;
      if (!explains_) continue;
      out_.bad_reads.push_back({AnomalyKind::kIncompatibleOrder, ReadSource::kNotARead, read.txn, read.op, read.key,
                                h_.txn_of(longest.op), longest.op});
    }
  }

  void store_chains() {
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      const Longest& longest = longest_[k];
      if (longest.op == kNoOp || longest.broken || longest.chain.empty()) continue;
      out_.chains.push_back({KeyId{k}, longest.op, static_cast<std::uint32_t>(out_.chain_entries.size()),
                             static_cast<std::uint32_t>(longest.chain.size())});
      out_.chain_entries.insert(out_.chain_entries.end(), longest.chain.begin(), longest.chain.end());
    }
  }

  void resolve_list_reads() {
    for (const ListRead& read : list_reads_) {
      const Longest& longest = longest_[raw(read.key)];
      if (longest.broken || read.read == kNone32) continue;
      Version& version = out_.reads[read.read].version;
      const auto initial = h_.values().elements(h_.initial(read.key))->size();
      if (read.length == initial) {
        version = kInitialVersion;
        continue;
      }
      const auto at = std::lower_bound(longest.chain.begin(), longest.chain.end(), read.length,
                                       [](const ChainEntry& e, std::uint32_t length) { return e.end < length; });
      if (read.length < initial || at == longest.chain.end()) {
        bad(AnomalyKind::kIncompatibleOrder, ReadSource::kUntraceable, read.op, read.key);
      } else if (out_.versions[at->version].txn == read.txn) {
        bad(AnomalyKind::kG1c, ReadSource::kOwnLater, read.op, read.key, read.txn);
      } else if (at->end != read.length) {
        bad(AnomalyKind::kG1b, ReadSource::kIntermediate, read.op, read.key, out_.versions[at->version].txn);
      } else {
        version = at->version;
      }
    }
  }

  void bad(AnomalyKind kind, ReadSource source, OpId op, KeyId key, TxnId other = kNoTxn) {
    out_.bad_reads.push_back({kind, source, h_.txn_of(op), op, key, other, kNoOp});
  }

  void repeated(const Access& a) {
    out_.untraceable =
        fmt::format("the value {} of {} may come from more than one write", h_.value_text(a.value), h_.key_text(a.key));
  }

  void see(TxnId writer) {
    if (out_.counts[raw(writer)] != 0 || h_.status(writer) != Status::kUnknown) return;
    out_.counts[raw(writer)] = 1;
    seen_.push_back(writer);
  }

  const History& h_;
  const Limits& limits_;
  const bool explains_;  // reads must be explained
  const bool twice_;     // two reads of a key may differ
  Trace out_;
  const WriteIndex* index_ = nullptr;
  bool has_unknown_ = false;
  std::vector<std::uint8_t> uses_;
  std::vector<View> views_;
  std::vector<Longest> longest_;
  std::vector<ListRead> list_reads_;
  std::vector<KeyId> grown_;
  std::vector<TxnId> seen_;
  std::vector<ValueId> scratch_;
  std::vector<std::uint32_t> in_chain_;  // by version: the number of the chain that it was last seen in
  std::uint32_t chain_number_ = 0;
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
      return TraceKind::kManyViews;
    default:
      return TraceKind::kOneView;
  }
}

Trace trace_reads(const History& history, Level level, const Limits& limits) {
  return Tracer(history, level, limits).run();
}

}  // namespace isolde::graph
