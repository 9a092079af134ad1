// history/recent_names.h: the names and values behind recent fingerprints, for messages.
//
// In, out: chunks as they pass -> the JSON text of a key, value or id by its fingerprint.
// Always:  keeps the latest chunks up to a limit of bytes, at least one. A fingerprint that is in none of them is shown
// as no
//          longer held. Integers need no memory.
// Cost:    one pointer per chunk; text() searches, which costs time only when there is a violation.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "history/chunk.h"

namespace isolde {

class RecentNames {
 public:
  explicit RecentNames(std::size_t limit = std::size_t{32} << 20) : limit_(limit) {}

  void note(const std::shared_ptr<const Chunk>& chunk);
  // "7", "\"acct/9\"", "[1,2]"; a fingerprint that nothing held explains: "(value 1f2e…, no longer held)".
  [[nodiscard]] std::string text(Fingerprint fingerprint) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] const std::deque<std::shared_ptr<const Chunk>>& chunks() const { return chunks_; }  // the oldest first

 private:
  std::deque<std::shared_ptr<const Chunk>> chunks_;
  std::size_t bytes_ = 0;
  std::size_t limit_;
};

}  // namespace isolde
