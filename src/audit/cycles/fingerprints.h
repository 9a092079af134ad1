// audit/cycles/fingerprints.h: which cycles were met before: a set of 64-bit numbers that many threads add to.
//
// Always: exactly one thread is told that a number is new.
// Cost:   one lock of a 64th of the set, 8 to 20 bytes a number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace isolde::audit {

class FingerprintSet {
 public:
  // True: it was not there.
  bool insert(std::uint64_t fingerprint) {
    if (fingerprint == 0) fingerprint = 1;  // 0 marks an empty place
    Shard& shard = shards_[fingerprint >> 58];
    const std::scoped_lock lock(shard.mutex);
    if ((shard.count + 1) * 4 > shard.slots.size() * 3) shard.grow();
    if (!shard.place(fingerprint)) return false;
    ++shard.count;
    return true;
  }

 private:
  struct Shard {
    std::mutex mutex;
    std::vector<std::uint64_t> slots;  // a power of two
    std::size_t count = 0;

    bool place(std::uint64_t fingerprint) {
      const std::uint64_t mask = slots.size() - 1;
      std::uint64_t i = fingerprint & mask;
      for (; slots[i] != 0; i = (i + 1) & mask) {
        if (slots[i] == fingerprint) return false;
      }
      slots[i] = fingerprint;
      return true;
    }
    void grow() {
      std::vector<std::uint64_t> old(slots.empty() ? 256 : slots.size() * 2);
      old.swap(slots);
      for (const std::uint64_t fingerprint : old) {
        if (fingerprint != 0) place(fingerprint);
      }
    }
  };
  std::array<Shard, 64> shards_;
};

}  // namespace isolde::audit
