// batch/parts.h: the parts of a history that one rank has.
//
// Always:  parts follow each other in the order of the whole history, over all ranks: those of rank 0 come first. A
//          transaction is named by its place in the whole history, 64 bits.
// Cost:    one part in memory at a time, besides what others hold on to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "format/segments.h"
#include "history/history.h"

namespace isolde::batch {

class Parts {
 public:
  virtual ~Parts() = default;
  [[nodiscard]] virtual std::size_t count() const = 0;  // of this rank
  // Place of a part's first transaction, and of the one behind its last.
  [[nodiscard]] virtual std::uint64_t first_place(std::size_t part) const = 0;
  [[nodiscard]] virtual std::uint64_t end_place(std::size_t part) const = 0;
  [[nodiscard]] virtual Result<std::shared_ptr<const History>> load(std::size_t part) = 0;
  // Version orders and keys without operations; null: none. Every rank may ask.
  [[nodiscard]] virtual Result<std::shared_ptr<const History>> rest() = 0;
  // Of all ranks.
  [[nodiscard]] virtual std::uint64_t whole_bytes() const = 0;
  [[nodiscard]] virtual std::uint64_t whole_operations() const = 0;
  [[nodiscard]] virtual std::uint64_t whole_transactions() const = 0;
};

// Of a folder, consecutive parts for each rank. The last one that was loaded stays in memory.
class FolderParts final : public Parts {
 public:
  FolderParts(SegmentList list, unsigned rank, unsigned ranks);
  [[nodiscard]] std::size_t count() const override { return end_ - first_; }
  [[nodiscard]] std::uint64_t first_place(std::size_t part) const override { return places_[first_ + part]; }
  [[nodiscard]] std::uint64_t end_place(std::size_t part) const override { return places_[first_ + part + 1]; }
  [[nodiscard]] Result<std::shared_ptr<const History>> load(std::size_t part) override;
  [[nodiscard]] Result<std::shared_ptr<const History>> rest() override;
  [[nodiscard]] std::uint64_t whole_bytes() const override { return list_.bytes; }
  [[nodiscard]] std::uint64_t whole_operations() const override { return list_.operations; }
  [[nodiscard]] std::uint64_t whole_transactions() const override { return list_.transactions; }

 private:
  const SegmentList list_;
  std::vector<std::uint64_t> places_;  // of the first transaction of each part of the folder, and of the end
  std::size_t first_, end_;            // those of this rank
  std::vector<std::uint64_t> known_;   // checksums of those that were judged
  std::size_t loaded_ = SIZE_MAX;
  std::shared_ptr<const History> last_;
};

}  // namespace isolde::batch
