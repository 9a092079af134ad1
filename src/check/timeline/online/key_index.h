// check/timeline/online/key_index.h: for each key its reads and versions in the order of their timestamps.
//
// In, out: entries as they arrive, in about the order of time -> the state before and behind any of them.
// Always:  entries of a key are ordered by (time, order, writer); what was dropped from the front is summed up in the
//          key's base. Blocks of entries come from a pool and go back to it.
// Cost:    an insertion is constant at the end, else logarithmic in how late it is. 80 bytes a key, 40 an entry.
// Source:  Aion's frontier_ts, by key instead of by timestamp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/hash.h"
#include "base/huge_array.h"
#include "base/prefetch.h"
#include "base/state_file.h"
#include "check/timeline/online/directory.h"
#include "check/timeline/online/entry.h"

namespace isolde::timeline {

struct Block {
  Block* prev;
  Block* next;
  std::uint32_t newest;  // transaction that arrived last of those in the block
  std::uint8_t count;
  std::uint8_t capacity;
  bool has_tops;         // some entry may be a kReadOnOwn
  std::uint8_t ordinal;  // counts the blocks of a key that were added at its end
  Directory* directory;  // of a key's last block: where the others are, if there are many

  [[nodiscard]] Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }
  [[nodiscard]] const Entry* entries() const { return reinterpret_cast<const Entry*>(this + 1); }
};
static_assert(sizeof(Block) == 32);

// Blocks of three sizes; what is freed is used again. A block may be freed to another pool than the one that made it:
// what several have in use is right as a sum.
class BlockPool {
 public:
  [[nodiscard]] Block* make(std::size_t wanted);
  void free(Block* block);
  [[nodiscard]] std::size_t bytes_used() const { return used_; }
  [[nodiscard]] std::size_t bytes_held() const {
    const std::size_t small = std::min(arenas_.size(), kSmallArenas);
    return small * kArena + (arenas_.size() - small) * kHugeArena;
  }
  static constexpr std::uint8_t kCapacity[] = {3, 12, 50};
  // Each gets about as many free blocks.
  static void level(BlockPool& a, BlockPool& b);

 private:
  // Only keys with many entries have a directory, and those have large blocks.
  static std::size_t slot_bytes(std::uint8_t capacity) {
    return capacity == kCapacity[2] ? Directory::kBytesPerBlock : 0;
  }
  // The first ones are small; then on huge pages.
  static constexpr std::size_t kArena = std::size_t{1} << 18, kHugeArena = std::size_t{1} << 21, kSmallArenas = 16;
  std::vector<HugeArray<std::byte>> arenas_;
  std::vector<Block*> free_[3];
  std::byte* next_ = nullptr;
  std::size_t left_ = 0, used_ = 0;
};

enum KeyFlag : std::uint8_t {
  kOpenKey = 1,    // a transaction without a sure place touches it: judged when that is settled
  kCloudyKey = 2,  // one that was never placed wrote it
  kCloudyRich = 4,
  kForgottenKey = 8,  // it may have been given up: its base is unknown, and its base_time no version's
};

struct alignas(64) KeyTimeline {
  Fingerprint key;
  std::uint64_t base_bits;  // the state before all entries
  std::int64_t base_time;   // of the version that made it; kNoTime: it is what the key held at first
  std::uint64_t base_writer;
  Block* head;
  Block* tail;
  std::uint32_t stamp;  // the transaction being taken, if it touched the key
  std::uint32_t local;  // … and where its own view of the key is
  StateKind base_kind;
  std::uint8_t base_order;
  std::uint8_t flags;
  std::uint8_t dropped;   // reads behind the base that are gone: the last is less than 2^dropped after it; 0: none
  std::uint32_t touched;  // the transaction that did so last

  [[nodiscard]] State base() const { return {base_bits, base_kind}; }
  // Whether what stands at that time is summed up in the base.
  [[nodiscard]] bool is_past(std::int64_t time, std::uint8_t order) const {
    return base_time != kNoTime && (time < base_time || (time == base_time && order < base_order));
  }
  // Whether a read behind the base that is gone may stand at or behind that time.
  [[nodiscard]] bool may_have_dropped(std::int64_t time) const {
    return dropped != 0 && std::bit_width(after_base(time)) <= dropped;
  }
  void note_dropped(std::int64_t time) {
    dropped = std::max(dropped, static_cast<std::uint8_t>(std::bit_width(after_base(time) | 1)));
  }
  static constexpr std::uint8_t kAnyDropped = 255;

 private:
  [[nodiscard]] std::uint64_t after_base(std::int64_t time) const {
    const std::int64_t from = base_time == kNoTime ? 0 : base_time;
    return time <= from ? 0 : static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(from);
  }
};
static_assert(sizeof(KeyTimeline) == 64);

struct Place {
  Block* block;
  std::uint32_t index;

  [[nodiscard]] Entry& entry() const { return block->entries()[index]; }
  [[nodiscard]] bool valid() const { return block != nullptr; }
};
[[nodiscard]] inline Place next_of(Place at) {
  if (at.index + 1 < at.block->count) return {at.block, at.index + 1};
  return {at.block->next, 0};
}
[[nodiscard]] inline Place prev_of(Place at) {
  if (at.index > 0) return {at.block, at.index - 1};
  Block* const before = at.block->prev;
  return {before, before == nullptr ? 0U : before->count - 1U};
}

// Where entries and what belongs to them are kept. Each thread that inserts has one of its own; what one of them made
// may be given back to another.
struct KeyStore {
  BlockPool pool;
  std::deque<OwnTop> tops;
  std::vector<OwnTop*> free_tops;
  std::deque<Directory> directories;
  std::vector<Directory*> free_directories;
};

// Told of versions that leave the index.
class FoldSink {
 public:
  virtual ~FoldSink() = default;
  virtual void folded(const KeyTimeline& key, const Entry& version) = 0;
};

class KeyIndex {
 public:
  static constexpr std::uint32_t kPageBits = 12, kPageKeys = 1U << kPageBits, kPageMask = kPageKeys - 1;

  KeyIndex() : stores_(1) {}

  // Several threads may prepare, insert into and trim different keys at once, each with a store of its own, while
  // nobody adds or removes keys.
  void set_stores(std::size_t count) {
    while (stores_.size() < count) stores_.emplace_back();
  }
  [[nodiscard]] KeyStore& store(std::size_t at) { return stores_[at]; }
  // What one thread gave back others may need: without this their stores would grow for ever.
  void level_stores();

  // Numbers of keys change in remove() only.
  [[nodiscard]] std::uint32_t find_or_add(Fingerprint key);
  [[nodiscard]] std::uint32_t find(Fingerprint key) const;  // kNone32 if it is not there
  // Two steps before find(), for many keys at once.
  void prefetch_slot(Fingerprint key) const {
    if (!slots_.empty()) prefetch(&slots_[mix64(raw64(key)) & (slots_.size() - 1)]);
  }
  void prefetch_key(Fingerprint key) const;
  [[nodiscard]] KeyTimeline& at(std::uint32_t key) { return keys_[key >> kPageBits][key & kPageMask]; }
  [[nodiscard]] const KeyTimeline& at(std::uint32_t key) const { return keys_[key >> kPageBits][key & kPageMask]; }
  [[nodiscard]] std::uint32_t size() const { return count_; }

  // What keys hold at first, unless set otherwise. Before any key is added.
  void set_default(State state) { default_ = state; }

  // To be called before insert(), and before asking whether something is_past(): drops what nobody needs any more where
  // the key would grow. `first`: the oldest transaction that must be kept.
  void prepare(KeyTimeline& key, std::uint32_t first, KeyStore& store) {
    if (key.tail != nullptr && key.tail->count == key.tail->capacity) make_room(key, first, store);
  }
  void prepare(KeyTimeline& key, std::uint32_t first) { prepare(key, first, stores_[0]); }
  // Its state is not set yet. Requires: it is not past.
  [[nodiscard]] static Place insert(KeyTimeline& key, const Entry& entry, KeyStore& store);
  [[nodiscard]] Place insert(KeyTimeline& key, const Entry& entry) { return insert(key, entry, stores_[0]); }
  [[nodiscard]] static State before(const KeyTimeline& key, Place at) {
    const Place prev = prev_of(at);
    return prev.valid() ? prev.entry().behind() : key.base();
  }
  // The last entry that stands before (time, order), or an invalid place.
  [[nodiscard]] static Place last_before(const KeyTimeline& key, std::int64_t time, std::uint8_t order);
  // The entry of that transaction at that time, or an invalid place.
  [[nodiscard]] static Place find_entry(const KeyTimeline& key, std::int64_t time, std::uint8_t order,
                                        std::uint32_t txn);

  // Sums up in the base what stands at the front and arrived before transaction `first`.
  void trim(KeyTimeline& key, std::uint32_t first, KeyStore& store);
  void trim(KeyTimeline& key, std::uint32_t first) { trim(key, first, stores_[0]); }
  // Removes the keys whose new number is kNone32, which have no entries; the others move up, and `renumbered` tells
  // where to. Their memory is given back.
  void remove(std::vector<std::uint32_t>& renumbered);
  void set_fold_sink(FoldSink* sink) { sink_ = sink; }

  // What reads of kind kReadOnOwn stand on; goes with its entry.
  [[nodiscard]] static std::uint64_t add_top(OwnTop top, KeyStore& store);
  [[nodiscard]] static const OwnTop& top(const Entry& entry) { return *top_at(entry); }

  void save(StateWriter& out) const;
  // Requires: the index is empty. False if that is no index.
  [[nodiscard]] bool load(StateReader& in);

  [[nodiscard]] std::size_t bytes() const {
    std::size_t held = 0;
    for (const KeyStore& store : stores_) held += store.pool.bytes_held();
    return held + keys_.size() * kPageKeys * sizeof(KeyTimeline) + slots_.size() * sizeof(Slot);
  }
  // The same without what is held for later use.
  [[nodiscard]] std::size_t bytes_used() const {
    std::size_t used = 0;
    for (const KeyStore& store : stores_) used += store.pool.bytes_used();
    return used + keys_.size() * kPageKeys * sizeof(KeyTimeline) + slots_.size() * sizeof(Slot);
  }

  // What the next keys may need at once, since it grows by pages and the table of keys doubles.
  [[nodiscard]] std::size_t growth() const {
    const std::size_t soon = count_ + std::size_t{1024};
    return (soon > keys_.size() * kPageKeys ? kPageKeys * sizeof(KeyTimeline) : 0) +
           (soon * 4 > slots_.size() * 3 ? slots_.size() * sizeof(Slot) : 0);
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t key = kNone32;
  };
  void grow();
  void fill_slots();
  void make_room(KeyTimeline& key, std::uint32_t first, KeyStore& store);
  static OwnTop* top_at(const Entry& entry) { return reinterpret_cast<OwnTop*>(entry.value); }
  void drop_front(KeyTimeline& key, std::uint32_t count, KeyStore& store);
  // The last block that does not begin after that time, or the first one. Requires: there is one.
  static Block* block_at(const KeyTimeline& key, std::int64_t time);
  // Makes room in a full block for an entry at that index and time; where that is then.
  [[nodiscard]] static Place split(KeyTimeline& key, Block* block, std::uint32_t at, std::int64_t time,
                                   std::size_t slot, KeyStore& store);
  static void make_directory(KeyTimeline& key, KeyStore& store);
  static constexpr std::size_t kManyBlocks = 8;  // a directory is worth it from there on
  static constexpr std::size_t kNoSlot = ~std::size_t{0};

  std::vector<std::unique_ptr<KeyTimeline[]>> keys_;
  std::uint32_t count_ = 0;
  std::vector<Slot> slots_;
  State default_;
  std::deque<KeyStore> stores_;
  FoldSink* sink_ = nullptr;
};

// Whether transaction `a` arrived before `b`. Numbers wrap around; no more than 2^31 are held at once.
[[nodiscard]] constexpr bool arrived_before(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) < 0;
}

}  // namespace isolde::timeline
