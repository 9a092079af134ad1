#include <algorithm>

#include "check/timeline/online/engine.h"
#include "check/timeline/trace_reads.h"

namespace isolde::timeline {
namespace {

Fingerprint fingerprint_of_write(const Entry& e) {
  return e.kind == EntryKind::kIncrement ? fingerprint_of_number(static_cast<std::int64_t>(e.value))
                                         : Fingerprint{e.value};
}

}  // namespace

// As check/timeline/trace_reads.cc names it.
Online::Name Online::name_of(const Wrong& wrong) const {
  const TxnRecord& r = window_.at(wrong.txn);
  const Chunk& chunk = *window_.held(r).chunk;
  const History& h = chunk.history;
  std::uint32_t op = kNone32;
  ValueId read = kNullValue;
  for_each_access(h, r.txn, [&](const Access& a) {
    if (op != kNone32 || a.kind != OpKind::kRead || chunk.key(a.key) != wrong.key->key) return;
    op = a.op;
    read = a.value;
  });
  const bool expected_rich = wrong.state.rich() || wrong.own != nullptr;
  Name name{AnomalyKind::kGSIb, origin_of_value(wrong, op, wrong.read), false};
  const bool is_list = h.values().type(read) == ValueType::kList;
  if (expected_rich || (is_list && name.origin.source == ReadSource::kNeverWritten))
    name.origin = origin_of_rich(wrong, op, read);
  name.kind = kind_of(name.origin.source);
  if (name.kind != AnomalyKind::kGSIb || !wrong.has_writer) return name;
  name.names_expected = true;
  if (!serial_) return name;
  if (writes_key(r, wrong.key->key)) {
    name.kind = AnomalyKind::kLostUpdate;
  } else if (wrong.writer_txn != kNone32 && window_.holds(wrong.writer_txn) &&
             skewed(window_.at(wrong.writer_txn), r)) {
    name.kind = AnomalyKind::kWriteSkew;
  }
  return name;
}

Online::Origin Online::origin_of_value(const Wrong& wrong, std::uint32_t op, Fingerprint value) const {
  const TxnRecord& r = window_.at(wrong.txn);
  const KeyTimeline& key = *wrong.key;
  const Chunk& chunk = *window_.held(r).chunk;
  Origin older, newer, other;
  bool has_older = false;
  bool has_newer = false;
  const auto stands_before = [&](const Entry& e) {
    return e.time < r.start || (e.time == r.start && e.order < r.read_order);
  };
  for (Block* block = key.head; block != nullptr; block = block->next) {
    for (std::uint32_t i = 0; i < block->count; ++i) {
      const Entry& e = block->entries()[i];
      if (!e.is_write() || e.txn == wrong.txn || fingerprint_of_write(e) != value) continue;
      if ((e.flags & kLastWrite) == 0) {
        other = {ReadSource::kIntermediate, e.writer};
      } else if (stands_before(e)) {
        older = {ReadSource::kOlder, e.writer};
        has_older = true;
      } else if (!has_newer) {
        newer = {ReadSource::kNewer, e.writer};
        has_newer = true;
      }
    }
  }
  if (!has_older && key.base_time != kNoTime && key.base_kind <= StateKind::kBig && key.base_bits == raw64(value)) {
    older = {ReadSource::kOlder, key.base_writer};
    has_older = true;
  }
  if (has_older) return older;
  if (shows(initial_of(key.key), value)) return {ReadSource::kInitial, 0};
  if (has_newer) return newer;
  shadows_.for_each(pair_of(key.key, value), [&](const Shadow& shadow) {
    if (!shadow.intermediate || !window_.holds(shadow.txn) || shadow.txn == wrong.txn) return;
    // The least of them, whatever order they are kept in: a restart changes that.
    const std::uint64_t writer = raw64(window_.at(shadow.txn).id);
    if (other.source != ReadSource::kIntermediate || writer < other.writer) other = {ReadSource::kIntermediate, writer};
  });
  if (other.source == ReadSource::kIntermediate) return other;
  for_each_access(chunk.history, r.txn, [&](const Access& a) {
    if (a.kind == OpKind::kRead || chunk.key(a.key) != key.key || chunk.value(a.value) != value) return;
    if (other.source != ReadSource::kNeverWritten) return;
    other = {a.op > op ? ReadSource::kOwnLater : ReadSource::kOwn, raw64(r.id)};
  });
  if (other.source != ReadSource::kNeverWritten) return other;
  shadows_.for_each(pair_of(key.key, value), [&](const Shadow& shadow) {
    if (shadow.intermediate || !window_.holds(shadow.txn)) return;
    const std::uint64_t writer = raw64(window_.at(shadow.txn).id);
    if (other.source != ReadSource::kAborted || writer < other.writer) other = {ReadSource::kAborted, writer};
  });
  if (other.source == ReadSource::kAborted) return other;
  // What was written long ago is not known any more; that it was written is the milder claim.
  if (key.base_time != kNoTime) return {ReadSource::kUntraceable, 0};
  return other;
}

Online::Origin Online::origin_of_rich(const Wrong& wrong, std::uint32_t op, ValueId read) const {
  const TxnRecord& r = window_.at(wrong.txn);
  const Chunk& chunk = *window_.held(r).chunk;
  const ValueTable& values = chunk.history.values();
  const auto elements = values.elements(read);
  bool whole = true;
  const std::vector<Fingerprint> expected = expected_elements(wrong, whole);
  if (!elements) {
    const bool rich = wrong.state.rich() || wrong.own != nullptr;
    const bool counter = rich && expected.empty() && values.type(read) == ValueType::kInteger;
    return {counter || !whole ? ReadSource::kUntraceable : ReadSource::kNeverWritten, 0};
  }
  std::size_t at = 0;
  while (at < elements->size() && at < expected.size() && chunk.value((*elements)[at]) == expected[at]) ++at;
  if (!whole) return {ReadSource::kUntraceable, 0};
  if (at == elements->size()) {
    if (elements->empty()) return {ReadSource::kInitial, 0};
    const Fingerprint last = chunk.value(elements->back());
    // The first, in the order of ids, that wrote that element.
    std::uint64_t best = 0;
    Origin found{ReadSource::kUntraceable, 0};
    const auto offer = [&](std::uint64_t writer, bool is_final) {
      // A transaction's last write comes after its others.
      if (found.source != ReadSource::kUntraceable && (writer > best || (writer == best && is_final))) return;
      best = writer;
      found = {is_final ? ReadSource::kOlder : ReadSource::kIntermediate, writer};
    };
    for (Block* block = wrong.key->head; block != nullptr; block = block->next) {
      for (std::uint32_t i = 0; i < block->count; ++i) {
        const Entry& e = block->entries()[i];
        if (e.is_write() && e.txn != wrong.txn && fingerprint_of_write(e) == last)
          offer(e.writer, (e.flags & kLastWrite) != 0);
      }
    }
    shadows_.for_each(pair_of(wrong.key->key, last), [&](const Shadow& shadow) {
      if (shadow.intermediate && window_.holds(shadow.txn) && shadow.txn != wrong.txn)
        offer(raw64(window_.at(shadow.txn).id), false);
    });
    return found;
  }
  const Origin origin = origin_of_value(wrong, op, chunk.value((*elements)[at]));
  return origin.source == ReadSource::kInitial ? Origin{ReadSource::kUntraceable, 0} : origin;
}

std::vector<Fingerprint> Online::expected_elements(const Wrong& wrong, bool& whole) const {
  std::vector<Fingerprint> elements;
  const TxnRecord& r = window_.at(wrong.txn);
  const bool rich = wrong.state.rich() || wrong.own != nullptr;
  if (!rich) return elements;
  const State content = wrong.own != nullptr ? as_rich(wrong.state, wrong.own->is_counter) : wrong.state;
  const auto add_value = [&](const Chunk& chunk, ValueId value) {
    if (const auto list = chunk.history.values().elements(value)) {
      for (const ValueId element : *list) elements.push_back(chunk.value(element));
    } else {
      elements.push_back(chunk.value(value));
    }
  };
  if (content.kind == StateKind::kList) {
    // Back to where the list began to grow.
    std::vector<Fingerprint> grown;
    Place at = KeyIndex::last_before(*wrong.key, r.start, r.read_order);
    while (at.valid() && at.entry().kind != EntryKind::kWrite) {
      if (at.entry().kind == EntryKind::kAppend) grown.push_back(Fingerprint{at.entry().value});
      at = prev_of(at);
    }
    if (at.valid() && window_.holds(at.entry().txn)) {
      const TxnRecord& w = window_.at(at.entry().txn);
      const Chunk& chunk = *window_.held(w).chunk;
      ValueId written = kNullValue;
      for_each_access(chunk.history, w.txn, [&](const Access& a) {
        if (a.kind == OpKind::kWrite && chunk.key(a.key) == wrong.key->key) written = a.value;
      });
      add_value(chunk, written);
    } else if (at.valid() || wrong.key->base_time != kNoTime) {
      whole =
          at.valid() ? at.entry().value == raw64(kNullFingerprint) : wrong.key->base_bits == raw64(kNullFingerprint);
    } else if (head_) {
      for (const Fingerprint element : initial_elements(wrong.key->key)) elements.push_back(element);
    }
    elements.insert(elements.end(), grown.rbegin(), grown.rend());
  }
  if (wrong.own != nullptr) {
    elements.insert(elements.end(), wrong.own->appended.begin(), wrong.own->appended.end());
  }
  return elements;
}

bool Online::writes_key(const TxnRecord& r, Fingerprint key) const {
  const Chunk& chunk = *window_.held(r).chunk;
  bool writes = false;
  for_each_access(chunk.history, r.txn,
                  [&](const Access& a) { writes = writes || (a.kind != OpKind::kRead && chunk.key(a.key) == key); });
  return writes;
}

// Whether the writer read a key that the reader writes, and does not write it itself.
bool Online::skewed(const TxnRecord& writer, const TxnRecord& reader) const {
  const Chunk& chunk = *window_.held(writer).chunk;
  bool found = false;
  for_each_access(chunk.history, writer.txn, [&](const Access& a) {
    if (found || a.kind != OpKind::kRead) return;
    const Fingerprint key = chunk.key(a.key);
    found = writes_key(reader, key) && !writes_key(writer, key);
  });
  return found;
}

}  // namespace isolde::timeline
