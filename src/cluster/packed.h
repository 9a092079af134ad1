// cluster/packed.h: transactions of a batch in few bytes: what Isolde's own senders write instead of lines of the
// native format, where that is possible.
//
// In, out: shares of transactions -> bytes -> a piece of a History with the same transactions.
// Always:  loses nothing that a share has; what this form lacks (predicates, lists, clocks of single operations, …)
//          goes as lines: a batch is a sequence of sections, each of lines or packed (cluster/batch.h).
//          Bytes that nobody packed are refused, never misread beyond their end.
// Why:     a share has one or two operations, and its line 130 bytes. Packed, it has about 20, and both sides spend a
//          third of the time. Servers copy and store each byte three times, on disk too.
//
//   transaction  flags, id, session, times, then for each operation 1 + kind, key, value, and a 0 at the end
//   time         its difference from the same time of the transaction before, zigzag
//   value        a varint: an integer, zigzag, times 4; 1: null; the length of a string times 4, plus 2, and the string
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "history/history.h"

namespace isolde::cluster {

// Whether the transaction, without its predicates, can be packed: the caller leaves out those with predicates.
[[nodiscard]] bool can_be_packed(const History& history, TxnId txn);

// One section, for one partition.
class PackedSection {
 public:
  // Requires: can_be_packed(). Then any number of operations of the transaction, then end().
  void begin(const History& history, TxnId txn);
  void operation(const History& history, std::uint32_t op);
  void write(std::string_view key);  // of 1
  void end();
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Its bytes; afterwards it is empty.
  [[nodiscard]] std::string take();

 private:
  std::string bytes_;
  std::uint64_t count_ = 0;
  std::array<std::int64_t, 4> times_{};
};

// Nothing: these are not `count` packed transactions. The error: two of them do not go together, for which lines have
// better words (unpacked_lines).
[[nodiscard]] std::optional<Result<History>> unpack(std::string_view bytes, std::uint64_t count);
// The same as lines of the native format.
[[nodiscard]] std::optional<std::string> unpacked_lines(std::string_view bytes, std::uint64_t count);

void append_varint(std::uint64_t value, std::string& out);
[[nodiscard]] std::optional<std::uint64_t> take_long_varint(std::string_view& bytes);
// Nearly all are one byte or two.
[[nodiscard]] inline std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  if (bytes.empty()) return std::nullopt;
  const auto first = static_cast<std::uint8_t>(bytes[0]);
  if (first < 0x80) {
    bytes.remove_prefix(1);
    return first;
  }
  const auto second = bytes.size() < 2 ? std::uint8_t{0x80} : static_cast<std::uint8_t>(bytes[1]);
  if (second >= 0x80) return take_long_varint(bytes);
  bytes.remove_prefix(2);
  return (first & 0x7fU) | static_cast<std::uint64_t>(second) << 7;
}

}  // namespace isolde::cluster
