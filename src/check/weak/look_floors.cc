#include "check/weak/look_floors.h"

#include <algorithm>

namespace isolde::weak {

using namespace graph;

namespace {

constexpr std::size_t kMostFloorCells = std::size_t{1} << 26;

}  // namespace

LookFloors::LookFloors(const History& history, const Trace& trace, const Slots& slots, SeenRule rule)
    : h_(history),
      trace_(trace),
      slots_(slots),
      rule_(rule),
      slots_of_key_(history.key_count()),
      floors_(history.key_count()),
      seen_by_(history.txn_count(), 0) {
  if (rule != SeenRule::kAny && rule != SeenRule::kPast) return;
  const std::size_t count = rule == SeenRule::kAny ? h_.session_count() : h_.txn_count();
  has_room_ = slots_of_key_ == 0 || count <= kMostFloorCells / slots_of_key_;
  if (!has_room_) return;
  rows_.assign(count * slots_of_key_, 0);
  session_last_.assign(h_.session_count(), kNoTxn);
}

void LookFloors::enter(TxnId t) {
  now_ = t;
  ++stamp_;
  raised_.clear();
  const std::uint32_t session = raw(h_.session(t));
  if (rule_ == SeenRule::kAny) raise_to_row(session);
  if (rule_ == SeenRule::kPast && session_last_[session] != kNoTxn) see(session_last_[session]);
}

void LookFloors::leave() {
  if (rule_ != SeenRule::kAny && rule_ != SeenRule::kPast) return;
  const std::uint32_t session = raw(h_.session(now_));
  const std::span<Slot> mine = row(rule_ == SeenRule::kAny ? session : raw(now_));
  if (rule_ == SeenRule::kPast) {
    for (const KeyId key : raised_) mine[raw(key)] = of(key);
    session_last_[session] = now_;
  }
  for (Version v = trace_.first_version[raw(now_)]; v < trace_.first_version[raw(now_) + 1]; ++v) {
    const KeyId key = trace_.versions[v].key;
    mine[raw(key)] = std::max(mine[raw(key)], slots_.of(v, key));
  }
}

void LookFloors::see(TxnId writer) {
  if (writer == kNoTxn || rule_ == SeenRule::kNone || seen_by_[raw(writer)] == stamp_) return;
  seen_by_[raw(writer)] = stamp_;
  if (rule_ == SeenRule::kPast) return raise_to_row(raw(writer));
  for (Version v = trace_.first_version[raw(writer)]; v < trace_.first_version[raw(writer) + 1]; ++v) {
    raise(trace_.versions[v].key, slots_.of(v, trace_.versions[v].key));
  }
}

void LookFloors::raise(KeyId key, Slot slot) {
  ++steps_;
  if (slot <= of(key)) return;
  Floor& floor = floors_[raw(key)];
  if (floor.stamp != stamp_) raised_.push_back(key);
  floor = {stamp_, slot};
  ++rises_;
}

// Entries of 0 say nothing: the first slot of all is an initial state.
void LookFloors::raise_to_row(std::uint32_t i) {
  const std::span<const Slot> from = row(i);
  for (std::uint32_t k = 0; k < from.size(); ++k) {
    if (from[k] != 0) raise(KeyId{k}, from[k]);
  }
  steps_ += from.size() / 8;
}

}  // namespace isolde::weak
