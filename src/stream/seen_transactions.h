// stream/seen_transactions.h: which transactions of a stream came before, so that one that is sent again is known.
//
// In, out: an id and what its transaction says, as numbers -> whether it is new, came before, or came before and said
//          something else.
// Always:  remembers the last `most` transactions at least, and at most twice as many.
// Cost:    one or two look-ups in a table; 96 bytes for each of `most`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "base/prefetch.h"
#include "base/state_file.h"
#include "history/chunk.h"

namespace isolde::stream {

class SeenTransactions {
 public:
  explicit SeenTransactions(std::size_t most) : most_(most < 1 ? 1 : most) {}

  enum class Seen { kNew, kSame, kOther };
  // `piece`: in which it comes.
  [[nodiscard]] Seen note(Fingerprint id, std::uint64_t content, std::uint64_t piece);
  // It will be noted soon.
  void prefetch(Fingerprint id) const {
    young_.prefetch(raw64(id));
    old_.prefetch(raw64(id));
  }

  // Those of the pieces before `before`: what a restart reads again is noted again.
  void save(StateWriter& out, std::uint64_t before) const;
  [[nodiscard]] bool load(StateReader& in);

 private:
  struct Known {
    std::uint64_t id, content;
    std::uint64_t piece;  // from 1; 0: nobody
  };
  class Table {
   public:
    [[nodiscard]] const Known* find(std::uint64_t id) const;
    void add(const Known& known);
    void prefetch(std::uint64_t id) const {
      if (!slots_.empty()) isolde::prefetch(&slots_[mix64(id) & (slots_.size() - 1)]);
    }
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] const std::vector<Known>& slots() const { return slots_; }

   private:
    std::vector<Known> slots_;
    std::size_t count_ = 0;
  };

  std::size_t most_;
  Table young_, old_;
};

// All that a transaction says beside its id, as a number.
[[nodiscard]] std::uint64_t content_of(const Chunk& chunk, TxnId txn);

}  // namespace isolde::stream
