#include "check/timeline/online/key_index.h"

#include <cstring>

#include "base/hash.h"

namespace isolde::timeline {
namespace {

bool stands_before(const Entry& a, const Entry& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.order != b.order) return a.order < b.order;
  return a.is_write() && b.is_write() && a.writer < b.writer;
}

struct SavedBlock {
  std::uint32_t newest;
  std::uint16_t count, capacity;
};

}  // namespace

Block* BlockPool::make(std::size_t wanted) {
  int size = 0;
  while (size < 2 && kCapacity[size] < wanted) ++size;
  const std::size_t bytes = sizeof(Block) + kCapacity[size] * sizeof(Entry);
  Block* block = nullptr;
  if (!free_[size].empty()) {
    block = free_[size].back();
    free_[size].pop_back();
  } else {
    if (left_ < bytes) {
      arenas_.emplace_back(arenas_.size() < kSmallArenas ? kArena : kHugeArena, Elements::kUntouched);
      next_ = arenas_.back().begin();
      left_ = arenas_.back().size();
    }
    block = new (next_) Block;
    next_ += bytes;
    left_ -= bytes;
  }
  used_ += bytes + slot_bytes(kCapacity[size]);
  *block = Block{nullptr, nullptr, 0, 0, kCapacity[size], false, 0, nullptr};
  return block;
}

void BlockPool::free(Block* block) {
  int size = 0;
  while (kCapacity[size] != block->capacity) ++size;
  used_ -= sizeof(Block) + block->capacity * sizeof(Entry) + slot_bytes(block->capacity);
  free_[size].push_back(block);
}

namespace {

template <typename T>
void level_free(std::vector<T*>& a, std::vector<T*>& b) {
  std::vector<T*>& more = a.size() > b.size() ? a : b;
  std::vector<T*>& less = a.size() > b.size() ? b : a;
  const auto moved = static_cast<std::ptrdiff_t>((more.size() - less.size()) / 2);
  less.insert(less.end(), more.end() - moved, more.end());
  more.resize(more.size() - static_cast<std::size_t>(moved));
}

}  // namespace

void BlockPool::level(BlockPool& a, BlockPool& b) {
  for (int size = 0; size < 3; ++size) level_free(a.free_[size], b.free_[size]);
}

// Neighbours level what they have; after some rounds all have the same.
void KeyIndex::level_stores() {
  for (std::size_t i = 0; i + 1 < stores_.size(); ++i) {
    BlockPool::level(stores_[i].pool, stores_[i + 1].pool);
    level_free(stores_[i].free_tops, stores_[i + 1].free_tops);
    level_free(stores_[i].free_directories, stores_[i + 1].free_directories);
  }
}

std::uint32_t KeyIndex::find(Fingerprint key) const {
  if (slots_.empty()) return kNone32;
  const std::uint64_t hash = mix64(raw64(key));
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask; slots_[i].key != kNone32; i = (i + 1) & mask) {
    if (slots_[i].tag == tag && at(slots_[i].key).key == key) return slots_[i].key;
  }
  return kNone32;
}

void KeyIndex::prefetch_key(Fingerprint key) const {
  if (slots_.empty()) return;
  const std::uint64_t hash = mix64(raw64(key));
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask; slots_[i].key != kNone32; i = (i + 1) & mask) {
    if (slots_[i].tag == tag) return prefetch(&at(slots_[i].key));
  }
}

std::uint32_t KeyIndex::find_or_add(Fingerprint key) {
  if (const std::uint32_t found = find(key); found != kNone32) return found;
  if ((count_ + 1) * std::size_t{4} > slots_.size() * 3) grow();
  if ((count_ & kPageMask) == 0) keys_.push_back(std::make_unique_for_overwrite<KeyTimeline[]>(kPageKeys));
  const std::uint32_t fresh = count_++;
  at(fresh) = KeyTimeline{key, default_.bits, kNoTime, 0, nullptr, nullptr, 0, 0, default_.kind, 0, 0, 0, 0};
  const std::uint64_t hash = mix64(raw64(key));
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i].key != kNone32) i = (i + 1) & mask;
  slots_[i] = {static_cast<std::uint32_t>(hash >> 32), fresh};
  return fresh;
}

void KeyIndex::grow() {
  slots_.assign(slots_.empty() ? 1024 : slots_.size() * 2, Slot{});
  fill_slots();
}

void KeyIndex::remove(std::vector<std::uint32_t>& renumbered) {
  std::uint32_t kept = 0;
  for (std::uint32_t k = 0; k < count_; ++k) {
    if (renumbered[k] == kNone32) continue;
    if (kept != k) at(kept) = at(k);
    renumbered[k] = kept++;
  }
  count_ = kept;
  keys_.resize((count_ + kPageMask) / kPageKeys);
  std::size_t slots = 1024;
  while ((count_ + 1) * std::size_t{4} > slots * 3) slots *= 2;
  std::vector<Slot>(slots).swap(slots_);
  fill_slots();
}

// Requires: they are empty.
void KeyIndex::fill_slots() {
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t k = 0; k < count_; ++k) {
    const std::uint64_t hash = mix64(raw64(at(k).key));
    std::size_t i = hash & mask;
    while (slots_[i].key != kNone32) i = (i + 1) & mask;
    slots_[i] = {static_cast<std::uint32_t>(hash >> 32), k};
  }
}

Block* KeyIndex::block_at(const KeyTimeline& key, std::int64_t time) {
  Block* block = key.tail;
  if (block->directory != nullptr) return block->directory->block(block->directory->find(time));
  while (block->prev != nullptr && block->entries()[0].time > time) block = block->prev;
  return block;
}

void KeyIndex::make_directory(KeyTimeline& key, KeyStore& store) {
  // As far as blocks were added at the end: to count them all would mean to look at each.
  if (static_cast<std::uint8_t>(key.tail->ordinal - key.head->ordinal) + std::size_t{1} < kManyBlocks) return;
  if (store.free_directories.empty()) store.free_directories.push_back(&store.directories.emplace_back());
  key.tail->directory = store.free_directories.back();
  store.free_directories.pop_back();
  for (Block* block = key.head; block != nullptr; block = block->next) {
    key.tail->directory->push_back(block, block->entries()[0].time);
  }
}

// `slot`: where `block` stands in the directory, if there is one; kNoSlot: it is the last.
Place KeyIndex::split(KeyTimeline& key, Block* block, std::uint32_t at, std::int64_t time, std::size_t slot,
                      KeyStore& store) {
  const bool at_end = block == key.tail && at == block->count;
  Directory* const directory = key.tail->directory;
  // The longer a key's list the larger its blocks.
  Block* const fresh = store.pool.make(at_end ? block->capacity + 1U : block->capacity);
  fresh->prev = block;
  fresh->next = block->next;
  fresh->ordinal = static_cast<std::uint8_t>(block->ordinal + (block == key.tail ? 1 : 0));
  (block->next != nullptr ? block->next->prev : key.tail) = fresh;
  block->next = fresh;
  if (!at_end) {
    fresh->newest = block->newest;
    fresh->has_tops = block->has_tops;
    const std::uint8_t kept = block->count / 2U;
    fresh->count = static_cast<std::uint8_t>(block->count - kept);
    std::memcpy(fresh->entries(), block->entries() + kept, fresh->count * sizeof(Entry));
    block->count = kept;
    time = fresh->entries()[0].time;
  }
  if (directory != nullptr) {
    block->directory = nullptr;
    key.tail->directory = directory;
    slot == kNoSlot ? directory->push_back(fresh, time) : directory->insert(slot + 1, fresh, time);
  }
  if (at_end) return {fresh, 0};
  return at > block->count ? Place{fresh, at - block->count} : Place{block, at};
}

Place KeyIndex::insert(KeyTimeline& key, const Entry& entry, KeyStore& store) {
  if (key.tail == nullptr) {
    key.head = key.tail = store.pool.make(1);
    key.head->newest = entry.txn;
  }
  Block* block = key.tail;
  std::size_t slot = kNoSlot;
  if (block->prev != nullptr && stands_before(entry, block->entries()[0])) {
    const Directory* const directory = block->directory;
    if (directory != nullptr) {
      slot = directory->find(entry.time);
      block = directory->block(slot);
    }
    for (; block->prev != nullptr && stands_before(entry, block->entries()[0]); --slot) block = block->prev;
  }
  std::uint32_t at = block->count;
  while (at > 0 && stands_before(entry, block->entries()[at - 1])) --at;
  bool grew = false;
  if (block->count == block->capacity) {
    const Place place = split(key, block, at, entry.time, slot, store);
    block = place.block;
    at = place.index;
    if (block->count == 0) block->newest = entry.txn;
    grew = true;
  }
  Entry* const entries = block->entries();
  std::memmove(entries + at + 1, entries + at, (block->count - at) * sizeof(Entry));
  entries[at] = entry;
  ++block->count;
  block->has_tops = block->has_tops || entry.kind == EntryKind::kReadOnOwn;
  if (arrived_before(block->newest, entry.txn)) block->newest = entry.txn;
  if (grew && key.tail->directory == nullptr) make_directory(key, store);
  return {block, at};
}

Place KeyIndex::last_before(const KeyTimeline& key, std::int64_t time, std::uint8_t order) {
  if (key.tail == nullptr) return {nullptr, 0};
  for (Block* block = block_at(key, time); block != nullptr; block = block->prev) {
    for (std::uint32_t i = block->count; i-- > 0;) {
      const Entry& e = block->entries()[i];
      if (e.time < time || (e.time == time && e.order < order)) return {block, i};
    }
  }
  return {nullptr, 0};
}

Place KeyIndex::find_entry(const KeyTimeline& key, std::int64_t time, std::uint8_t order, std::uint32_t txn) {
  if (key.tail == nullptr) return {nullptr, 0};
  for (Block* block = block_at(key, time); block != nullptr; block = block->prev) {
    for (std::uint32_t i = block->count; i-- > 0;) {
      const Entry& e = block->entries()[i];
      if (e.time < time) return {nullptr, 0};
      if (e.time == time && e.order == order && e.txn == txn) return {block, i};
    }
  }
  return {nullptr, 0};
}

// A block that goes as a whole is read from its end to its last version: what stands before that leaves no trace, and
// most of it would have to come from memory.
void KeyIndex::drop_front(KeyTimeline& key, std::uint32_t count, KeyStore& store) {
  Block* const block = key.head;
  std::uint32_t i = 0;
  if (count == block->count && sink_ == nullptr && !block->has_tops) {
    i = count - 1;
    while (i > 0 && !block->entries()[i].is_write()) --i;
  }
  for (; i < count; ++i) {
    const Entry& e = block->entries()[i];
    if (e.kind == EntryKind::kReadOnOwn) store.free_tops.push_back(top_at(e));
    if (!e.is_write()) {
      key.note_dropped(e.time);
      continue;
    }
    key.dropped = 0;
    key.base_bits = e.state;
    key.base_kind = e.state_kind;
    key.base_time = e.time;
    key.base_order = e.order;
    key.base_writer = e.writer;
    key.flags &= static_cast<std::uint8_t>(~kForgottenKey);
    if (sink_ != nullptr) sink_->folded(key, e);
  }
  if (count < block->count) {
    std::memmove(block->entries(), block->entries() + count, (block->count - count) * sizeof(Entry));
    block->count = static_cast<std::uint8_t>(block->count - count);
    return;
  }
  if (Directory* const directory = key.tail->directory; directory != nullptr) {
    directory->pop_front();
    if (block == key.tail) {
      *directory = Directory{};
      store.free_directories.push_back(directory);
    }
  }
  key.head = block->next;
  (key.head != nullptr ? key.head->prev : key.tail) = nullptr;
  store.pool.free(block);
}

std::uint64_t KeyIndex::add_top(OwnTop top, KeyStore& store) {
  if (store.free_tops.empty()) store.free_tops.push_back(&store.tops.emplace_back());
  OwnTop* const at = store.free_tops.back();
  store.free_tops.pop_back();
  *at = std::move(top);
  return reinterpret_cast<std::uint64_t>(at);
}

void KeyIndex::save(StateWriter& out) const {
  out.put(default_);
  out.put(count_);
  std::vector<Entry> entries;
  std::vector<const OwnTop*> tops;
  std::vector<SavedBlock> blocks;  // when a key is trimmed depends on them, so they are made again as they were
  for (std::uint32_t k = 0; k < count_; ++k) {
    KeyTimeline key = at(k);
    entries.clear();
    blocks.clear();
    for (const Block* block = key.head; block != nullptr; block = block->next) {
      entries.insert(entries.end(), block->entries(), block->entries() + block->count);
      blocks.push_back({block->newest, block->count, block->capacity});
    }
    key.head = key.tail = nullptr;
    key.stamp = 0;
    tops.clear();
    for (Entry& e : entries) {
      if (e.kind != EntryKind::kReadOnOwn) continue;
      tops.push_back(&top(e));
      e.value = 0;  // where that is means nothing to others
    }
    out.put(key);
    out.put_all(blocks);
    out.put_all(entries);
    for (const OwnTop* const own : tops) own->save(out);
  }
}

bool KeyIndex::load(StateReader& in) {
  default_ = in.get<State>();
  for (auto left = in.get<std::uint32_t>(); left > 0 && in.good(); --left) {
    const auto saved = in.get<KeyTimeline>();
    const std::vector<SavedBlock> blocks = in.get_all<SavedBlock>();
    std::vector<Entry> entries = in.get_all<Entry>();
    std::size_t sum = 0;
    for (const SavedBlock& b : blocks)
      sum +=
          b.count <= b.capacity && b.count > 0 && b.capacity <= BlockPool::kCapacity[2] ? b.count : entries.size() + 1;
    if (sum != entries.size()) return false;
    if (!in.good() || find(saved.key) != kNone32) return false;
    KeyTimeline& key = at(find_or_add(saved.key));
    key = saved;
    key.head = key.tail = nullptr;
    for (Entry& e : entries) {
      if (e.kind != EntryKind::kReadOnOwn) continue;
      e.value = add_top(OwnTop::load(in), stores_[0]);
    }
    const Entry* from = entries.data();
    for (const SavedBlock& b : blocks) {
      Block* const block = stores_[0].pool.make(b.capacity);
      if (block->capacity != b.capacity) return false;
      block->prev = key.tail;
      (key.tail == nullptr ? key.head : key.tail->next) = block;
      key.tail = block;
      block->newest = b.newest;
      block->ordinal = static_cast<std::uint8_t>(block->prev == nullptr ? 0 : block->prev->ordinal + 1);
      block->count = static_cast<std::uint8_t>(b.count);
      block->has_tops =
          std::any_of(from, from + b.count, [](const Entry& e) { return e.kind == EntryKind::kReadOnOwn; });
      std::memcpy(block->entries(), from, b.count * sizeof(Entry));
      from += b.count;
    }
  }
  return in.good();
}

// Of a long list only blocks that go as a whole: to take some entries out of one would mean to read and move the rest.
void KeyIndex::make_room(KeyTimeline& key, std::uint32_t first, KeyStore& store) {
  if (key.head == key.tail) return trim(key, first, store);
  while (key.head != nullptr && arrived_before(key.head->newest, first)) drop_front(key, key.head->count, store);
}

void KeyIndex::trim(KeyTimeline& key, std::uint32_t first, KeyStore& store) {
  while (key.head != nullptr) {
    std::uint32_t count = 0;
    if (arrived_before(key.head->newest, first)) {
      count = key.head->count;
    } else {
      while (count < key.head->count && arrived_before(key.head->entries()[count].txn, first)) ++count;
    }
    const bool whole = count == key.head->count;
    if (count > 0) drop_front(key, count, store);
    if (!whole) return;
  }
}

}  // namespace isolde::timeline
