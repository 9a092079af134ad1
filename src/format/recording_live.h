// format/recording_live.h: the files of a recording, which may still be growing while they are read.
//
// In, out: the folder as it was opened -> its files as they are now, and up to where each journal's reads may be used.
// Always:  whatever a read that is used saw, the write of it is there. Of a run that goes on, journals are looked at
// one
//          after the other, so a later one may show what a client read of a transaction that the earlier one did not
//          have yet. Therefore every journal is looked at twice: its reads count as far as it went the first time, its
//          writes as far as it went the second time; a write is in its journal before it is sent, so those of the
//          second look cover all that reads of the first could have seen. A run goes on as long as the lock is held
//          that each journal's writer takes; a kill gives it up.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "format/format.h"

namespace isolde {

struct RecordingFiles {
  Source source;
  bool going_on = false;
  std::vector<std::size_t> reads_until;  // of each file of the source
  std::list<std::string> contents;       // what the source's bytes point into, where they are not mapped
};

[[nodiscard]] std::string_view name_in_folder(const SourceFile& file);
[[nodiscard]] bool is_journal(const SourceFile& file);

// Whether the journal's writer is still at work.
[[nodiscard]] bool has_writer(const std::string& path);

// What is wrong with the first line of header.jsonl, if it is not one of a recording that this program can read.
[[nodiscard]] std::optional<Error> wrong_recording_header(const std::string& name, std::string_view line);

// A source in memory is taken as it is.
[[nodiscard]] Result<RecordingFiles> look_at(const Source& source);

}  // namespace isolde
