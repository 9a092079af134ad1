// One transaction put into the index: its accesses in program order, each on top of what it did to the key before.
#include <algorithm>

#include "base/prefetch.h"
#include "check/timeline/online/engine.h"

namespace isolde::timeline {
namespace {

bool ends_with_own(const Chunk& chunk, ValueId read, const OwnTop& own) {
  if (own.is_counter) return true;
  const auto elements = chunk.history.values().elements(read);
  if (!elements || elements->size() < own.appended.size()) return false;
  const auto tail = elements->subspan(elements->size() - own.appended.size());
  return std::equal(tail.begin(), tail.end(), own.appended.begin(),
                    [&](ValueId a, Fingerprint b) { return chunk.value(a) == b; });
}

// Its own view of the key; `fresh`: this is its first access.
Local& local_of(Lane& lane, const Lane::Touch& touch, bool& fresh) {
  KeyTimeline& key = *touch.key;
  fresh = key.stamp != lane.stamp;
  if (fresh) {
    key.stamp = lane.stamp;
    key.local = static_cast<std::uint32_t>(lane.locals.size());
    lane.locals.push_back({.key = &key, .step = touch.step});
  }
  return lane.locals[key.local];
}

void note_overwritten(Lane& lane, Fingerprint key, Fingerprint value, std::uint32_t op) {
  lane.shadows.push_back({lane.order, pair_of(key, value), {lane.txn, op, true}});
}

void overwrite(Lane& lane, const Lane::Touch& touch) {
  bool fresh = false;
  Local& mine = local_of(lane, touch, fresh);
  const Fingerprint key = touch.key->key;
  if (mine.written) note_overwritten(lane, key, Fingerprint{mine.last.bits}, mine.written_op);
  if (mine.extras > 0) {
    for (Extra& extra : lane.extras) {
      if (extra.local != touch.key->local || extra.op == kNone32) continue;
      const Fingerprint fingerprint = extra.kind == EntryKind::kAppend
                                          ? Fingerprint{extra.value}
                                          : fingerprint_of_number(static_cast<std::int64_t>(extra.value));
      note_overwritten(lane, key, fingerprint, extra.op);
      extra.op = kNone32;
    }
    mine.extras = 0;
  }
  mine.written = true;
  mine.written_op = touch.op;
  mine.last = mine.value = state_of(*lane.held->chunk, touch.value);
  mine.own = kNone32;
}

void accumulate(Lane& lane, const Lane::Touch& touch) {
  bool first = false;
  Local& mine = local_of(lane, touch, first);
  if (mine.own == kNone32) {
    mine.own = static_cast<std::uint32_t>(lane.owns_used);
    if (lane.owns_used == lane.owns.size()) lane.owns.emplace_back();
    OwnTop& fresh = lane.owns[lane.owns_used++];
    fresh.is_counter = touch.kind == OpKind::kIncrement;
    fresh.delta = 0;
    fresh.appended.clear();
    mine.from_snapshot = first;
  }
  OwnTop& own = lane.owns[mine.own];
  Extra extra{touch.key->local, EntryKind::kAppend, 0, touch.op, touch.step};
  if (touch.kind == OpKind::kAppend) {
    const Fingerprint element = lane.held->chunk->value(touch.value);
    own.appended.push_back(element);
    extra.value = raw64(element);
  } else {
    const std::int64_t added = lane.held->chunk->history.values().integer(touch.value);
    own.delta = static_cast<std::int64_t>(static_cast<std::uint64_t>(own.delta) + static_cast<std::uint64_t>(added));
    extra.kind = EntryKind::kIncrement;
    extra.value = static_cast<std::uint64_t>(added);
  }
  ++mine.extras;
  lane.extras.push_back(extra);
}

void note_internal(Lane& lane, const Lane::Touch& touch, State expected) {
  lane.findings.push_back(
      {lane.order, Lane::Finding::Kind::kInternal, lane.txn, touch.key, 0, 0, touch.value, expected});
}

}  // namespace

void Online::put(Lane& lane, std::uint32_t place, const std::vector<Lane::Touch>& touches, bool reads, bool writes) {
  lane.locals.clear();
  lane.extras.clear();
  lane.owns_used = 0;
  for (const Lane::Touch& touch : touches) {
    lane.order = Lane::order_of(place, Lane::kReads, touch.step);
    if (touch.kind == OpKind::kRead) {
      if (reads) put_read(lane, touch);
    } else if (!writes) {
      continue;
    } else if (touch.kind == OpKind::kWrite) {
      overwrite(lane, touch);
    } else {
      accumulate(lane, touch);
    }
  }
  if (writes) install(lane, place);
}

void Online::put_read(Lane& lane, const Lane::Touch& touch) {
  KeyTimeline& key = *touch.key;
  const Chunk& chunk = *lane.held->chunk;
  const Fingerprint fingerprint = chunk.value(touch.value);
  bool fresh = false;
  Local& mine = local_of(lane, touch, fresh);
  if (fresh) {
    insert_read(lane, key, fingerprint, nullptr);
  } else if (mine.own == kNone32) {
    if (mine.value.bits != raw64(fingerprint)) note_internal(lane, touch, mine.value);
  } else {
    OwnTop& own = lane.owns[mine.own];
    own.read = fingerprint;
    if (mine.from_snapshot) {
      own.ends_with_own = ends_with_own(chunk, touch.value, own);
      insert_read(lane, key, fingerprint, &own);
    } else if (!shows(mine.value, own)) {
      note_internal(lane, touch, with_own(mine.value, own));
    }
    mine.own = kNone32;
  }
  mine.value = state_of(chunk, touch.value);
}

void Online::install(Lane& lane, std::uint32_t place) {
  const TxnRecord& r = window_.at(lane.txn);
  Entry entry{r.commit, 0, 0, raw64(r.id), lane.txn, r.write_order, EntryKind::kWrite, StateKind::kPlain, 0};
  for (const Local& mine : lane.locals) {
    if (!mine.written) continue;
    lane.order = Lane::order_of(place, Lane::kWrites, mine.step);
    entry.value = mine.last.bits;
    entry.set_behind(mine.last);
    entry.flags = mine.extras == 0 ? kLastWrite : 0;
    insert_write(lane, *mine.key, entry);
  }
  for (const Extra& extra : lane.extras) {
    if (extra.op == kNone32) continue;
    Local& mine = lane.locals[extra.local];
    lane.order = Lane::order_of(place, Lane::kExtras, extra.step);
    entry.kind = extra.kind;
    entry.value = extra.value;
    entry.flags = --mine.extras == 0 ? kLastWrite : 0;
    insert_write(lane, *mine.key, entry);
  }
}

// Those that are in the index, all at once: each is asked for while others are looked up.
void Online::find_known_keys(Window::Held& held) const {
  constexpr std::size_t kSlots = 16, kKeys = 8;
  const std::vector<Fingerprint>& keys = held.chunk->key_fingerprint;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (k + kSlots < keys.size()) keys_.prefetch_slot(keys[k + kSlots]);
    if (k + kKeys < keys.size()) keys_.prefetch_key(keys[k + kKeys]);
    held.key[k] = keys_.find(keys[k]);
    held.unresolved -= held.key[k] != kNone32 ? 1 : 0;
  }
}

// Keys that its chunk has not looked up yet will be: first where the table has them, then they themselves come into the
// cache.
void Online::hint_keys(std::uint32_t txn, bool near) const {
  const TxnRecord& r = window_.at(txn);
  const Window::Held& held = window_.held(r);
  if (held.unresolved == 0) return;
  const History& h = held.chunk->history;
  for (std::uint32_t i = h.first_op(r.txn); i < h.end_op(r.txn); ++i) {
    const OpHead op = h.op(i);
    if (is_predicate(op.kind()) || held.key[raw(op.key())] != kNone32) continue;
    const Fingerprint key = held.chunk->key(op.key());
    near ? keys_.prefetch_key(key) : keys_.prefetch_slot(key);
  }
}

// The accesses of a transaction to keys of the lane, whose cache lines are asked for.
void Online::find_keys(const Lane& lane, std::uint32_t txn, std::vector<Lane::Touch>& touches) {
  const TxnRecord& r = window_.at(txn);
  Window::Held& held = window_.held(r);
  std::size_t found = 0;
  std::uint32_t step = 0;
  // Whose key it is is chance: one that is not the lane's is overwritten by the next instead of being jumped over.
  const auto add = [&](const Access& a) {
    const std::uint32_t number = number_of(held, a.key);
    touches[found] = {&keys_.at(number), a.value, a.op, step++, a.kind};
    found += lane.has(number) ? 1 : 0;
  };
  const History& h = held.chunk->history;
  const std::uint32_t first = h.first_op(r.txn), end = h.end_op(r.txn);
  if (h.columns().predicates.empty()) {
    touches.resize(std::max<std::size_t>(touches.size(), end - first + 1));
    for (std::uint32_t op = first; op < end; ++op) {
      const OpHead head = h.op(op);
      add({head.kind(), head.key(), h.op_value(op), op});
    }
  } else {
    for_each_access(h, r.txn, [&](const Access& a) {
      if (touches.size() < found + 2) touches.resize(found * 2 + 16);
      add(a);
    });
  }
  touches.resize(found);
  for (const Lane::Touch& touch : touches) prefetch(touch.key);
}

}  // namespace isolde::timeline
