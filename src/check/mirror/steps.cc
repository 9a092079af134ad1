// check/mirror: the three steps of a transaction, for one that holds all keys and for a partition alike: taken, judged,
// closed.
#include <algorithm>

#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

bool gone(const Core& core, std::uint32_t number, TxnSlot slot) {
  const Taken& txn = core.txns[slot];
  return txn.number != number || txn.judged;
}

void pop_gone(Core& core) {
  while (!core.in_order.empty() && gone(core, core.in_order.front().number, core.in_order.front().slot)) {
    core.in_order.pop_front();
  }
}

// Too much is in motion: the one that has waited longest is left unchecked, and whoever began before it and comes
// yet is late.
void give_up_waiting(Core& core) {
  pop_gone(core);
  if (!core.in_order.empty()) {
    const Core::Place place = core.in_order.front();
    core.in_order.pop_front();
    Taken& txn = core.txns[place.slot];
    txn.late = true;
    judge(core, place.slot);
    core.judged.push({txn.settled, place.number, place.slot});
  }
  pop_gone(core);
  close_until(core, core.in_order.empty() ? core.last_begin : core.in_order.front().time);
}

}  // namespace

void begin_core(Core& core, const Chunk& head) {
  core.default_initial = head.value(head.history.default_initial());
  core.columns.on = head.columns;
  if (head.columns) return begin_columns(core, head);
  if (core.share.is_all()) note_initial(core, head);
  if (head.history.columns().key_initial.empty()) return;
  for (std::uint32_t k = 0; k < head.history.key_count(); ++k) {
    const Fingerprint value = head.value(head.history.initial(KeyId{k}));
    const Fingerprint key = head.key(KeyId{k});
    if (value == core.default_initial || !core.share.holds(key)) continue;
    if (core.keys.find(key) != kNoKeySlot) continue;
    make_room(core);
    KeyState& state = core.keys[core.keys.add(key)];
    state.base = value;
    core.recent.note_initial(state.key, value);
    core.written.add(state.key, value, core.options.memory_limit / 8);
    state.flags |= kBaseInitial;
  }
}

namespace {

template <typename F>
void for_each_own_key(const Core& core, const Arrival& arrival, const KeyOwners* owners, F&& f) {
  const Chunk& chunk = *arrival.chunk;
  const std::uint32_t end = chunk.history.end_op(arrival.txn);
  for (std::uint32_t op = chunk.history.first_op(arrival.txn); op < end; ++op) {
    const OpHead head = chunk.history.op(op);
    if (is_predicate(head.kind())) continue;
    if (owners == nullptr || owners->of(head.key()) == core.share.index) f(chunk.key(head.key()));
  }
}

}  // namespace

void look_ahead(const Core& core, const Arrival& arrival, const KeyOwners* owners) {
  for_each_own_key(core, arrival, owners, [&](Fingerprint key) { core.keys.prefetch_index(key); });
}

void look_nearer(const Core& core, const Arrival& arrival, const KeyOwners* owners) {
  for_each_own_key(core, arrival, owners, [&](Fingerprint key) { core.keys.prefetch_found(key); });
}

TxnSlot take(Core& core, const Arrival& arrival, bool guest) {
  core.names.note(arrival.chunk);
  core.columns.on = core.columns.on || arrival.chunk->columns;
  if (core.share.is_all()) begin_looks(core, *arrival.chunk);
  ++core.counts.taken;
  ++core.counts.pending;
  if (arrival.late) ++core.counts.late;
  const std::uint64_t operations = core.counts.operations;
  const TxnSlot slot = take_in(core, arrival);
  Taken& txn = core.txns[slot];
  txn.guest = guest;
  if (guest) {
    ++core.guests.taken;
    ++core.guests.pending;
    if (arrival.late) ++core.guests.late;
    core.guests.operations += core.counts.operations - operations;
  }
  core.last_begin = std::max(core.last_begin, txn.begin);
  core.waiting.push({txn.settled, txn.number, slot});
  core.in_order.push_back({txn.begin, txn.number, slot});
  core.unclosed.push_back({txn.begin, txn.number, slot});
  core.motion_bytes += txn.bytes();
  while (core.motion_bytes > max_motion(core) && !core.in_order.empty()) give_up_waiting(core);
  return slot;
}

std::int64_t judge_until(Core& core, std::int64_t watermark) {
  while (!core.waiting.empty() && (core.waiting.top().end < watermark || watermark == kNever)) {
    const Core::Waiting next = core.waiting.top();
    core.waiting.pop();
    if (gone(core, next.number, next.slot)) continue;
    judge(core, next.slot);
    core.judged.push(next);
    pop_gone(core);
  }
  const std::int64_t first = core.in_order.empty() ? kNever : core.in_order.front().time;
  return std::min(first, watermark);
}

std::size_t bytes_of(const Core& core) {
  return core.keys.bytes() + core.moments.bytes() + core.order.bytes() + core.names.bytes() + core.written.bytes() +
         core.motion_bytes + core.columns.of.capacity() * sizeof(Columns::Of) + core.looks.bytes();
}

}  // namespace isolde::mirror
