// format/format.h: every history format as a row of one table: how it is recognised, read and written.
//
// In, out: a file or folder -> History with notes; a History -> files, with what the format could not carry.
// Always:  a reader never crashes and never half succeeds: a History, or one Error with its place.
//          A history is not written to a format that would change a verdict on it, unless losses are accepted
//          (carry.h). Adding a format: one file pair `name.h`, `name.cc` and one row in format.cc; if it is written, a
//          column in carry.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/mapped_file.h"
#include "base/result.h"
#include "format/carry.h"
#include "history/history.h"

namespace isolde {

// One file of the input, by its bytes.
struct SourceFile {
  std::string name;  // as shown in errors: the path that was given, or folder/file
  std::string_view bytes;
  std::shared_ptr<const MappedFile> mapped;  // what keeps `bytes` alive; null when they are the caller's
};

// What is to be read: one file, or the files of a folder (not its subfolders), ordered by name.
struct Source {
  std::string path;
  bool is_folder = false;
  std::vector<SourceFile> files;
};

struct ReadOptions {
  // Use what can be read of a damaged recording: a last line that is cut off is dropped, and fields that the format
  // does not have are ignored, with a note.
  bool lenient = false;
  Progress* progress = nullptr;
  // What keys hold at first, as history/given_initial.h reads it; none: what the file says, or what its format means.
  std::optional<std::string> initial = std::nullopt;
  // Reading that goes on beyond the deadline ends with an error that says so (Error::out_of_time).
  InputLimits limits = {};
};

struct ReadResult {
  History history;
  std::vector<std::string> notes;  // what a person should know, e.g. "dropped 12 nemesis operations"
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
};

// Where a writer puts its files. A single-file format writes to file(""), a folder format to file("T1.log") and so on.
class Output {
 public:
  virtual ~Output() = default;
  virtual ByteSink& file(std::string_view name) = 0;
};

// What of the history the format could not carry, in words; empty if nothing was lost.
using Lost = std::vector<std::string>;

struct WriteResult {
  Lost lost;
  // What was written, which may be less than the history has.
  std::uint64_t transactions = 0, operations = 0;
};

struct FormatInfo {
  std::string_view name;       // as in --format
  std::string_view summary;    // one line for --help and docs
  std::string_view extension;  // by which `convert` and `gen` choose it, e.g. ".jsonl"; empty: only by name
  bool is_folder = false;
  // Its reader opens the files again, since they may be growing, and sees to it by itself that they stay whole.
  bool opens_again = false;
  // Whether the content looks like this format. Cheap: looks at the first few kilobytes of the first file or files.
  bool (*recognise)(const Source& source) = nullptr;
  Result<ReadResult> (*read)(const Source& source, const ReadOptions& options) = nullptr;
  // Writes what the format carries and leaves out the rest; null: read only. Call write_history(), which refuses first.
  Result<WriteResult> (*write)(const History& history, Output& output) = nullptr;
  Writer writer = Writer::kNative;  // its column of the table in carry.h; of no meaning where `write` is null
  // Where the table says that the format carries some of it: how many of this history's it does not.
  std::uint64_t (*unfit)(const History& history, HistoryContent content) = nullptr;
};

// Every format, in the order in which they are tried.
[[nodiscard]] std::span<const FormatInfo> formats();
[[nodiscard]] const FormatInfo* format_named(std::string_view name);
[[nodiscard]] const FormatInfo* format_for_path(std::string_view path);
[[nodiscard]] const FormatInfo* recognise(const Source& source);

// The files, with the content of those that are compressed (format/compressed.h). In a folder only logs are: T1.log.gz.
// They are mapped: still_whole() has to be asked when they have been read.
[[nodiscard]] Result<Source> open_source(const std::string& path, const InputLimits& limits = {});
// An error: one of the files became shorter since it was opened, so that nothing that was read of it counts.
[[nodiscard]] Result<void> still_whole(const Source& source);

struct Loaded {
  History history;
  const FormatInfo* format;
  std::vector<std::string> notes;
};
// Reads a history, its format given or recognised from its content.
[[nodiscard]] Result<Loaded> load(const std::string& path, const FormatInfo* format, const ReadOptions& options);
[[nodiscard]] Result<Loaded> load(const Source& source, const FormatInfo* format, const ReadOptions& options);

// What of this history the format does not carry.
struct Uncarried {
  HistoryContent content;
  std::uint64_t count;
};
[[nodiscard]] std::vector<Uncarried> uncarried(const History& history, const FormatInfo& format);
// "12 aggregates".
[[nodiscard]] std::string text_of(const Uncarried& uncarried);
// Those on which a verdict can depend, as "12 aggregates, 1 predicate update"; empty if there are none.
[[nodiscard]] std::string decisive_losses(const History& history, const FormatInfo& format);
// All of them, a line each.
void note_uncarried(const History& history, const FormatInfo& format, Lost& lost);

enum class Losses : std::uint8_t {
  kRefuse,  // an error if a verdict on what is written could be another than on the history
  kAccept,  // leave out what the format cannot carry; `lost` says what
};
[[nodiscard]] Result<WriteResult> write_history(const History& history, const FormatInfo& format, Output& output,
                                                Losses losses);

// Writes a history to a file or folder; nothing is left behind under that name if it fails.
[[nodiscard]] Result<WriteResult> save(const History& history, const FormatInfo& format, const std::string& path,
                                       Losses losses = Losses::kRefuse);

}  // namespace isolde
