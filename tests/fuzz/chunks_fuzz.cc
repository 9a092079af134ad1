// Any bytes as a stream of native lines. The first byte says how long the pieces are: what is read, and up to which
// line, does not depend on it, unless ids stand twice, which only shows within a piece.
#include "format/native_chunks.h"
#include "stream/good_lines.h"
#include "tests/fuzz/format_fuzz.h"

namespace {

using isolde::fuzz::require;

struct Seen {
  std::vector<std::uint64_t> fingerprints;
  std::uint64_t heartbeats = 0, headers = 0, columns = 0;
  isolde::ChunkReader::Place place;
  std::string wrong;
  bool operator==(const Seen& other) const {
    return fingerprints == other.fingerprints && heartbeats == other.heartbeats && headers == other.headers &&
           columns == other.columns && place.lines == other.place.lines &&
           place.transactions == other.place.transactions && place.past_header == other.place.past_header &&
           wrong == other.wrong;
  }
};

Seen read(std::string_view lines, std::size_t piece) {
  Seen seen;
  isolde::ChunkReader reader("stream");
  while (!lines.empty() && seen.wrong.empty()) {
    const std::size_t end = lines.find('\n', std::min(piece, lines.size() - 1)) + 1;
    isolde::stream::GoodLines good = isolde::stream::read_good_lines(reader, lines.substr(0, end));
    lines.remove_prefix(end);
    if (good.wrong) seen.wrong = good.wrong->message();
    if (!good.chunk) continue;
    const isolde::Chunk& c = *good.chunk;
    require(isolde::defect_of(c.history.columns()).empty(), "a defect in a chunk");
    require(reader.transaction_lines().size() == c.history.txn_count(), "a transaction without its line");
    require(reader.heartbeat_lines().size() == c.heartbeats.size(), "a heartbeat without its line");
    for (std::uint32_t t = 0; t < c.history.txn_count(); ++t) {
      seen.fingerprints.push_back(raw64(c.id(isolde::TxnId{t})));
      seen.fingerprints.push_back(raw64(c.session(isolde::TxnId{t})));
      for (auto op = c.history.first_op(isolde::TxnId{t}); op < c.history.end_op(isolde::TxnId{t}); ++op) {
        seen.fingerprints.push_back(raw64(c.value(c.history.op_value(op))));
      }
    }
    seen.heartbeats += c.heartbeats.size();
    seen.headers += c.has_header ? 1 : 0;
    seen.columns += c.columns ? 1 : 0;
  }
  seen.place = reader.place();
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (!text.empty() && text.back() != '\n') text += '\n';
  const Seen whole = read(text, text.size());
  const Seen pieces = read(text, data[0]);
  if (whole.wrong.find("occurs twice") != std::string::npos || pieces.wrong.find("occurs twice") != std::string::npos) {
    return 0;
  }
  require(whole == pieces, "another stream in other pieces: " + whole.wrong + " / " + pieces.wrong);
  return 0;
}
