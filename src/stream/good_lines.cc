#include "stream/good_lines.h"

namespace isolde::stream {
namespace {

// The first `count` lines.
std::string_view first_lines(std::string_view lines, std::uint64_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < lines.size(); --count) end = lines.find('\n', end) + 1;
  return lines.substr(0, end);
}

bool is_empty_chunk(const Chunk& chunk) {
  return chunk.history.txn_count() == 0 && chunk.heartbeats.empty() && !chunk.has_header;
}

}  // namespace

GoodLines read_good_lines(ChunkReader& reader, std::string_view lines) {
  GoodLines out;
  const std::uint64_t before = reader.place().lines;
  // Each round ends before the line that was wrong in the last one. A piece made of faults that show only when it is
  // put together (ids that stand twice) could take as many rounds as it has lines: then nothing of it is used.
  constexpr int kMostRounds = 8;
  for (int round = 0; round < kMostRounds && !lines.empty(); ++round) {
    auto chunk = reader.read(lines);
    if (chunk) {
      if (!is_empty_chunk(**chunk)) out.chunk = *std::move(chunk);
      out.bytes = lines.size();
      out.lines = reader.place().lines - before;
      break;
    }
    const std::uint64_t good = chunk.error().line > before ? chunk.error().line - before - 1 : 0;
    const std::string_view shorter = first_lines(lines, good);
    out.wrong = std::move(chunk).error();
    lines = shorter.size() < lines.size() ? shorter : std::string_view{};
  }
  return out;
}

}  // namespace isolde::stream
