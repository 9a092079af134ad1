// format/native_chunks.h: native JSON Lines as they come in, piece by piece -> chunks of a stream.
//
// In, out: whole lines -> a Chunk, or what is wrong and on which line (counted over the whole stream).
// Always:  lines mean what they mean in a file (format/native.h); the first may be the header. One more kind of line is
//          a heartbeat, {"session": 3, "heartbeat": 1000}: no transaction of that session that is still to come begins
//          before that time; it has no other field. Transactions without an id are numbered over the whole stream.
//          Version orders have no meaning in a stream and are refused.
// Cost:    that of the native reader; a piece of some hundred lines or more pays well.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/unknown_fields.h"
#include "history/chunk.h"

namespace isolde {

class ChunkReader {
 public:
  // `name`: of the input, for errors. `unknown`: what becomes of fields that the format does not have.
  // `repeats`: what becomes of a line that stands in one piece twice, with the id of a transaction.
  enum class Repeats : std::uint8_t { kRefuse, kLeaveOut };
  explicit ChunkReader(std::string name, UnknownFields::Stance unknown = UnknownFields::Stance::kRefuse,
                       Repeats repeats = Repeats::kRefuse)
      : name_(std::move(name)), unknown_(unknown), repeats_(repeats) {}

  // Requires: `lines` is empty or ends with a newline. Nothing of a piece is used if one of its lines is wrong.
  [[nodiscard]] Result<std::shared_ptr<const Chunk>> read(std::string_view lines);

  // How far it is: what a restart goes on from.
  struct Place {
    std::uint64_t lines = 0;
    std::uint64_t transactions = 0;
    bool past_header = false;
  };
  [[nodiscard]] Place place() const { return place_; }
  void resume_at(const Place& place) { place_ = place; }

  // Of the piece read last: on which of its lines, from 1, each transaction and each heartbeat stands.
  [[nodiscard]] const std::vector<std::uint32_t>& transaction_lines() const { return transaction_lines_; }
  [[nodiscard]] const std::vector<std::uint32_t>& heartbeat_lines() const { return heartbeat_lines_; }
  // … and how many were left out since they stood there before.
  [[nodiscard]] std::uint64_t repeated() const { return repeated_; }

 private:
  [[nodiscard]] Result<std::shared_ptr<const Chunk>> read_lines(std::string_view lines);

  std::string name_;
  UnknownFields::Stance unknown_;
  Repeats repeats_;
  std::uint64_t repeated_ = 0;
  std::vector<std::size_t> repeated_lines_;  // of a piece that could not be read for nothing else: where they begin
  Place place_;
  std::vector<std::uint32_t> transaction_lines_, heartbeat_lines_;
};

}  // namespace isolde
