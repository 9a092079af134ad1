// base/hash.h: 64-bit hashing of bytes, and an open-addressing index from hash to id.
//
// IdIndex stores only (hash tag, id); the caller owns the content and decides whether an id matches.
// Cost: one cache line per lookup in the common case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace isolde {

// XXH3 of the bytes.
[[nodiscard]] std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0);

// Mixes the bits of one word well (the finaliser of splitmix64).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  x ^= x >> 31;
  return x;
}

class IdIndex {
 public:
  static constexpr std::uint32_t kAbsent = 0xffffffffU;

  // The id whose content matches, or kAbsent.
  template <typename Matches>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, Matches&& matches) const {
    if (slots_.empty()) return kAbsent;
    const std::uint64_t mask = slots_.size() - 1;
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (std::uint64_t i = hash & mask;; i = (i + 1) & mask) {
      const Slot& slot = slots_[i];
      if (slot.id == kAbsent) return kAbsent;
      if (slot.tag == tag && matches(slot.id)) return slot.id;
    }
  }

  // Requires: there is no entry with this content yet, and `rehash(id)` gives the hash of any id stored before.
  template <typename Rehash>
  void insert(std::uint64_t hash, std::uint32_t id, Rehash&& rehash) {
    if ((count_ + 1) * 4 > slots_.size() * 3) {
      std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
      old.swap(slots_);
      for (const Slot& slot : old) {
        if (slot.id != kAbsent) place(rehash(slot.id), slot.id);
      }
    }
    place(hash, id);
    ++count_;
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t id = kAbsent;
  };
  void place(std::uint64_t hash, std::uint32_t id) {
    const std::uint64_t mask = slots_.size() - 1;
    std::uint64_t i = hash & mask;
    while (slots_[i].id != kAbsent) i = (i + 1) & mask;
    slots_[i] = {static_cast<std::uint32_t>(hash >> 32), id};
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace isolde
