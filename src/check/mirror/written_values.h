// check/mirror/written_values.h: which values were ever written to which key, for levels where any of them may be read.
//
// Always:  never forgets one unless it is full; then it says so.
// Cost:    16 bytes a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "base/state_file.h"
#include "history/fingerprint.h"

namespace isolde::mirror {

class WrittenValues {
 public:
  void add(Fingerprint key, Fingerprint value, std::size_t limit) {
    if (full_) return;
    if ((count_ + 1) * 2 > slots_.size()) {
      if (slots_.size() * 2 * sizeof(std::uint64_t) > limit) {
        full_ = true;
        slots_ = {};
        return;
      }
      std::vector<std::uint64_t> old(std::max<std::size_t>(64, slots_.size() * 2));
      old.swap(slots_);
      for (const std::uint64_t h : old) {
        if (h != 0) slots_[place(h)] = h;
      }
    }
    const std::uint64_t h = hash(key, value);
    std::uint64_t& slot = slots_[place(h)];
    if (slot != h) ++count_;
    slot = h;
  }
  [[nodiscard]] bool has(Fingerprint key, Fingerprint value) const {
    const std::uint64_t h = hash(key, value);
    return !slots_.empty() && slots_[place(h)] == h;
  }
  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] std::size_t bytes() const { return slots_.size() * sizeof(std::uint64_t); }

  void save(StateWriter& out) const {
    out.put_all(slots_);
    out.put(std::uint64_t{count_});
    out.put(full_);
  }
  [[nodiscard]] bool load(StateReader& in) {
    slots_ = in.get_all<std::uint64_t>();
    count_ = in.get<std::uint64_t>();
    full_ = in.get<bool>();
    return in.good() && (slots_.size() & (slots_.size() - 1)) == 0 && count_ <= slots_.size() / 2;
  }

 private:
  static std::uint64_t hash(Fingerprint key, Fingerprint value) {
    return mix64(mix64(raw64(key) + 0x9e3779b97f4a7c15ULL) ^ raw64(value)) | 1;
  }
  [[nodiscard]] std::size_t place(std::uint64_t h) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = (h >> 8) & mask;
    while (slots_[i] != 0 && slots_[i] != h) i = (i + 1) & mask;
    return i;
  }
  std::vector<std::uint64_t> slots_;
  std::size_t count_ = 0;
  bool full_ = false;
};

}  // namespace isolde::mirror
