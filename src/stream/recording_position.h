// stream/recording_position.h: how far each journal of a recording was read, as text that a restart goes on from.
//
// "recording PLACE;NAME OFFSET LINES SESSION;…": the place in the spool, then each journal; the session may be "-".
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "stream/journal_tail.h"

namespace isolde::stream {

struct RecordingPosition {
  std::uint64_t spool = 0;
  std::map<std::string, JournalTail::Place> journals;  // by name

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool parse(const std::string& text);
  // Without what stands before the first semicolon.
  [[nodiscard]] std::string journals_text() const;
  [[nodiscard]] bool parse_journals(const std::string& text);
};

}  // namespace isolde::stream
