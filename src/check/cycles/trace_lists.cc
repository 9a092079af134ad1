#include "check/cycles/trace_lists.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde::graph {

bool ListTracer::resolve_grown() {
  if (grown_.empty()) return false;
  const std::vector<KeyId> keys = std::move(grown_);
  grown_.clear();
  for (const KeyId key : keys) resolve_chain(key);
  return true;
}

void ListTracer::finish() {
  compare_lists();
  store_chains();
  if (explains_) resolve_list_reads();
}

void ListTracer::read(TxnId t, const Access& a, KeyView& view) {
  const auto elements = h_.values().elements(a.value);
  if (!elements) {
    out_.breaks_a_rule = true;
    return;
  }
  if (!explains_ && uses_[raw(a.key)] == kAppended) {
    for (const ValueId element : *elements) seen_.see_value(a.key, element);
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
void ListTracer::break_list(const Access& a, KeyView& view) {
  out_.breaks_a_rule = true;
  const auto elements = *h_.values().elements(a.value);
  for (const ValueId element : elements) seen_.see_value(a.key, element);
  if (view.has_read) return;
  view.has_read = true;
  view.length = kNone32;
}

bool ListTracer::ends_with_own(TxnId t, const Access& a, std::span<const ValueId> elements, std::uint32_t own) const {
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
void ListTracer::resolve_chain(KeyId key) {
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
    index_.prefetch(key, element);
  for (std::size_t i = initial.size(); i < elements.size();) {
    const WriteIndex::Entry* const entry = index_.find(key, elements[i]);
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
    seen_.see(writer);
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
void ListTracer::resolve_plainly(KeyId key, Longest& longest, std::span<const ValueId> elements) {
  if ((uses_[raw(key)] & ~kAppended) != 0 || has_twice(elements)) return;
  for (const ValueId element : elements) {
    const WriteIndex::Entry* const entry = index_.find(key, element);
    if (entry == nullptr || (entry->kinds & (WriteIndex::kSeveral | WriteIndex::kAborted)) != 0) continue;
    if (h_.initial(key) == element || seen_.stands_at_first(key, element)) continue;
    seen_.see(entry->txn);
    longest.chain.push_back({out_.version_of(entry->txn, key), 0});
  }
  longest.broken = false;
}

bool ListTracer::has_twice(std::span<const ValueId> elements) {
  scratch_.assign(elements.begin(), elements.end());
  std::sort(scratch_.begin(), scratch_.end());
  return std::adjacent_find(scratch_.begin(), scratch_.end()) != scratch_.end();
}

// Whether an element stands there more often than its transaction appended it.
bool ListTracer::has_one_append_twice(KeyId key, std::span<const ValueId> elements) {
  scratch_.assign(elements.begin(), elements.end());
  std::sort(scratch_.begin(), scratch_.end());
  for (std::size_t i = 0; i < scratch_.size();) {
    const auto end = static_cast<std::size_t>(
        std::upper_bound(scratch_.begin() + static_cast<std::ptrdiff_t>(i), scratch_.end(), scratch_[i]) -
        scratch_.begin());
    const WriteIndex::Entry* const entry = end - i > 1 ? index_.find(key, scratch_[i]) : nullptr;
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
void ListTracer::compare_lists() {
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

void ListTracer::store_chains() {
  for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
    const Longest& longest = longest_[k];
    if (longest.op == kNoOp || longest.broken || longest.chain.empty()) continue;
    out_.chains.push_back({KeyId{k}, longest.op, static_cast<std::uint32_t>(out_.chain_entries.size()),
                           static_cast<std::uint32_t>(longest.chain.size())});
    out_.chain_entries.insert(out_.chain_entries.end(), longest.chain.begin(), longest.chain.end());
  }
}

void ListTracer::resolve_list_reads() {
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

void ListTracer::bad(AnomalyKind kind, ReadSource source, OpId op, KeyId key, TxnId other) {
  out_.bad_reads.push_back({kind, source, h_.txn_of(op), op, key, other, kNoOp});
}

}  // namespace isolde::graph
