// check/predicates/header_keys.h: names in a stream's header that may be those of two keys.
//
// `"initial": {"7": 0}` speaks of the key "7" and of the key 7, since nobody knows yet which of them will come. A
// predicate looks at every key, so it matters which of the two is one.
// Always: a name that somebody used is real, and then the other is not; where nobody used either, it is as with the
//         other names of the header that somebody used.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/state_file.h"
#include "history/chunk.h"

namespace isolde {

class HeaderKeys {
 public:
  enum class Real : std::uint8_t { kYes, kNo, kUnclear };

  void note_header(const Chunk& head);
  // Somebody read or wrote it.
  void note_used(const Chunk& chunk, KeyId key) {
    if (!twins_.empty()) note(chunk, key);
  }
  [[nodiscard]] bool empty() const { return twins_.empty(); }
  [[nodiscard]] Real is_real(Fingerprint key) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Twin {
    Fingerprint fingerprint, other;
    std::uint8_t text, used;
    std::uint8_t unused[6];
  };
  void note(const Chunk& chunk, KeyId key);

  std::unordered_map<std::uint64_t, Twin> twins_;  // by fingerprint
  bool uses_numbers_ = false, uses_texts_ = false;
};

}  // namespace isolde
