// Any bytes as a segment of a spool: records up to the first that is cut off or damaged, and what is read can be
// written as it was.
#include "stream/recording_position.h"
#include "stream/spool.h"
#include "tests/fuzz/format_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::stream;
  using isolde::fuzz::require;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string_view rest = text;
  SpoolState state;
  for (SpoolRecord record; !rest.empty();) {
    const std::string_view before = rest;
    const RecordFound found = take_record(rest, record);
    require((found == RecordFound::kWhole) == (rest.size() < before.size()), "a record of no bytes");
    if (found != RecordFound::kWhole) break;
    const std::string again = text_of(record);
    std::string_view written = again;
    SpoolRecord same;
    require(take_record(written, same) == RecordFound::kWhole && written.empty() && same.payload == record.payload &&
                same.parts.size() == record.parts.size(),
            "a record that was written cannot be read");
    state.apply(record);
  }
  SpoolState again;
  require(again.parse(state.text()), "a state that was written cannot be read");
  require(again.text() == state.text(), "a state is another one after writing");
  (void)again.parse(text);
  RecordingPosition position;
  if (position.parse(text)) {
    RecordingPosition same;
    require(same.parse(position.text()) && same.text() == position.text(), "a position is another one after writing");
  }
  return 0;
}
