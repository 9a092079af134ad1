#include "check/mirror/key_table.h"

#include <algorithm>
#include <bit>

namespace isolde::mirror {

KeyTable::KeyTable() : index_(1U << 12), mask_(index_.size() - 1) { std::fill(index_.begin(), index_.end(), kEmpty); }

KeySlot KeyTable::seek(Fingerprint key) const {
  for (std::uint64_t i = home(key);; i = (i + 1) & mask_) {
    const Entry& entry = index_[i];
    if (entry.slot == kNoKeySlot || entry.key == key) return entry.slot;
  }
}

KeySlot KeyTable::find(Fingerprint key) const {
  if (guard_ == nullptr) return seek(key);
  const std::lock_guard lock(*guard_);
  const KeySlot slot = seek(key);
  return slot < begun_ && (*this)[slot].live && (*this)[slot].key == key ? slot : kNoKeySlot;
}

KeySlot KeyTable::reserve(Fingerprint key) {
  if ((used_ + 1) * std::uint64_t{3} > index_.size() * 2) grow();
  KeySlot slot;
  if (free_states_.empty()) {
    slot = static_cast<KeySlot>(next_state_++);
  } else {
    slot = free_states_.back();
    free_states_.pop_back();
  }
  place(key, slot);
  ++used_;
  return slot;
}

void KeyTable::begin(KeySlot slot, Fingerprint key) {
  while ((slot >> kStateBits) >= states_.size()) states_.emplace_back(kStatesAChunk, Elements::kUntouched);
  begun_ = std::max(begun_, slot + 1);
  KeyState& state = (*this)[slot];
  state = KeyState{};
  state.key = key;
  state.base = kNullFingerprint;
  state.base_hi = kAlways;
  state.own = 0;
  state.live = true;
}

void KeyTable::place(Fingerprint key, KeySlot slot) {
  std::uint64_t i = home(key);
  while (index_[i].slot != kNoKeySlot) i = (i + 1) & mask_;
  index_[i] = {key, slot};
}

void KeyTable::grow() {
  HugeArray<Entry> old(index_.size() * 2);
  std::fill(old.begin(), old.end(), kEmpty);
  std::swap(old, index_);
  mask_ = index_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.slot != kNoKeySlot) place(entry.key, entry.slot);
  }
}

void KeyTable::remove(KeySlot k) {
  KeyState& state = (*this)[k];
  release(state);
  state.count = 0;
  state.live = false;
  std::uint64_t i = home(state.key);
  while (index_[i].slot != k) i = (i + 1) & mask_;
  // What was pushed behind moves up, so that searches never pass a gap.
  for (std::uint64_t j = (i + 1) & mask_; index_[j].slot != kNoKeySlot; j = (j + 1) & mask_) {
    if (((j - home(index_[j].key)) & mask_) < ((j - i) & mask_)) continue;
    index_[i] = index_[j];
    i = j;
  }
  index_[i] = kEmpty;
  free_states_.push_back(k);
  --used_;
}

std::uint32_t KeyTable::take_block(std::uint16_t capacity) {
  auto& free = free_blocks_[std::countr_zero(capacity)];
  if (!free.empty()) {
    const std::uint32_t block = free.back();
    free.pop_back();
    return block;
  }
  // What is left of an arena that the block does not fit in goes to smaller ones.
  while ((next_version_ & kArenaMask) != 0 && (next_version_ & kArenaMask) + capacity > kArena) {
    const int bits = std::countr_zero(next_version_);
    free_blocks_[bits].push_back(next_version_);
    next_version_ += 1U << bits;
  }
  const std::uint32_t block = next_version_;
  if ((block >> kArenaBits) == arenas_.size()) arenas_.emplace_back(kArena);
  next_version_ += capacity;
  return block;
}

void KeyTable::release(KeyState& state) {
  if (state.capacity == 0) return;
  free_blocks_[std::countr_zero(state.capacity)].push_back(state.block);
  state.capacity = 0;
}

Version* KeyTable::insert(KeySlot k, const Version& version_in) {
  KeyState& state = (*this)[k];
  if (state.count == state.capacity) {
    if (state.capacity >= kMaxVersions) return nullptr;
    const auto capacity = static_cast<std::uint16_t>(state.capacity == 0 ? 2 : state.capacity * 2);
    const std::uint32_t block = take_block(capacity);
    if (state.count != 0) std::copy_n(&version(state.block), state.count, &version(block));
    release(state);
    state.block = block;
    state.capacity = capacity;
  }
  Version* const first = &version(state.block);
  std::uint16_t at = state.count;
  while (at > 0 && first[at - 1].lo > version_in.lo) {
    first[at] = first[at - 1];
    --at;
  }
  first[at] = version_in;
  ++state.count;
  return &first[at];
}

void KeyTable::save(StateWriter& out) const {
  std::vector<KeyState> keys;
  std::vector<Version> versions;
  std::vector<KeySlot> slots;
  for (KeySlot k = 0; k < next_state_; ++k) {
    if (!(*this)[k].live) continue;
    keys.push_back((*this)[k]);
    slots.push_back(k);
    for (std::uint16_t i = 0; i < (*this)[k].count; ++i) versions.push_back(version((*this)[k].block + i));
  }
  out.put_all(keys);
  out.put_all(slots);
  out.put_all(versions);
  out.put_all(free_states_);
  out.put(next_state_);
}

bool KeyTable::load(StateReader& in) {
  *this = KeyTable();
  const auto keys = in.get_all<KeyState>();
  const auto slots = in.get_all<KeySlot>();
  const auto versions = in.get_all<Version>();
  free_states_ = in.get_all<KeySlot>();
  next_state_ = in.get<std::uint64_t>();
  if (!in.good() || slots.size() != keys.size() || keys.size() + free_states_.size() != next_state_) return false;
  std::vector<bool> taken(next_state_);
  const auto free_once = [&](KeySlot k) {
    if (k >= next_state_ || taken[k]) return false;
    taken[k] = true;
    return true;
  };
  for (const KeySlot k : slots) {
    if (!free_once(k)) return false;
  }
  for (const KeySlot k : free_states_) {
    if (!free_once(k)) return false;
  }
  while (states_.size() * kStatesAChunk < next_state_) {
    states_.emplace_back(kStatesAChunk, Elements::kUntouched);
  }
  begun_ = static_cast<KeySlot>(next_state_);
  for (const KeySlot k : free_states_) (*this)[k] = KeyState{};
  std::size_t at = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    KeyState& state = (*this)[slots[i]];
    state = keys[i];
    state.count = state.capacity = 0;
    state.live = true;
    if ((used_ + 1) * std::uint64_t{3} > index_.size() * 2) grow();
    if (find(state.key) != kNoKeySlot) return false;
    place(state.key, slots[i]);
    ++used_;
    if (keys[i].count > versions.size() - at) return false;
    for (std::uint16_t v = 0; v < keys[i].count; ++v) {
      if (insert(slots[i], versions[at++]) == nullptr) return false;
    }
  }
  return at == versions.size();
}

}  // namespace isolde::mirror
