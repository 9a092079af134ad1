// stream/good_lines.h: the lines of a piece up to the first wrong one.
//
// Always:  what is used does not depend on where the pieces of a stream begin and end: every line before the first
//          wrong one is.
// Cost:    that of ChunkReader; a piece with a wrong line is read again.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "format/native_chunks.h"

namespace isolde::stream {

struct GoodLines {
  std::shared_ptr<const Chunk> chunk;  // null: the lines say nothing
  std::size_t bytes = 0;               // so many were used
  std::uint64_t lines = 0;
  std::optional<Error> wrong;  // with the line that is
};

// Requires: `lines` is empty or ends with a newline. The reader goes on behind the lines that were used.
[[nodiscard]] GoodLines read_good_lines(ChunkReader& reader, std::string_view lines);

}  // namespace isolde::stream
