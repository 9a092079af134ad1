#include "format/recording.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/native_line.h"
#include "format/recording_journal.h"
#include "format/recording_live.h"
#include "format/recording_orders.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

constexpr std::string_view kHeader = "header.jsonl";
constexpr std::string_view kEvidence = "evidence.jsonl";
constexpr std::string_view kFaults = "faults.jsonl";

const SourceFile* file_named(const Source& source, std::string_view name) {
  const auto at = std::find_if(source.files.begin(), source.files.end(),
                               [&](const SourceFile& file) { return name_in_folder(file) == name; });
  return at == source.files.end() ? nullptr : &*at;
}

bool says_nothing(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

bool recognise_recording(const Source& source) {
  const SourceFile* header = file_named(source, kHeader);
  return header != nullptr &&
         header->bytes.substr(0, header->bytes.find('\n')).find("\"isolde-recording\"") != std::string_view::npos;
}

class RecordingReader {
 public:
  RecordingReader(const RecordingFiles& files, const ReadOptions& options)
      : files_(files), source_(files.source), options_(options) {}

  Result<ReadResult> read() {
    if (auto wrong = header()) return *std::move(wrong);
    if (auto wrong = journals()) return *std::move(wrong);
    if (auto wrong = evidence()) return *std::move(wrong);
    if (auto wrong = faults()) return *std::move(wrong);
    if (const auto twice = add_orders(findings_, builder_)) {
      return Error{fmt::format("place {} in the order of commits belongs to another transaction too", twice->place),
                   journals_[findings_.origins[twice->txn].file]->name, twice->line, 1};
    }
    if (const std::size_t left_out = drop_partial_order(builder_); left_out > 0)
      notes_.push_back(fmt::format(
          "the expected serialization order is not used: {} transactions that wrote, and may have committed, "
          "have no place in it",
          left_out));
    auto history = builder_.finish();
    if (!history) return place(std::move(history).error());
    return ReadResult{*std::move(history), std::move(notes_)};
  }

 private:
  using Fault = std::optional<Error>;

  Fault header() {
    const SourceFile* const file = file_named(source_, kHeader);
    if (file == nullptr) return Error{fmt::format("expected a recording: it has no {}", kHeader), source_.path};
    const std::size_t newline = file->bytes.find('\n');
    const std::string_view line = file->bytes.substr(0, newline);
    if (auto wrong = wrong_recording_header(file->name, line)) return wrong;
    if (auto wrong = NativeLine(builder_).add(line, true)) {
      wrong->file = file->name;
      wrong->line = 1;
      return wrong;
    }
    if (newline != std::string_view::npos && file->bytes.find_first_not_of(" \t\r\n", newline) != std::string::npos) {
      return Error{"expected only the header", file->name, 2, 1};
    }
    return std::nullopt;
  }

  Fault journals() {
    std::uint64_t total = 0;
    for (const SourceFile& file : source_.files) total += is_journal(file) ? file.bytes.size() : 0;
    std::uint64_t read = 0;
    JournalReader reader(builder_, findings_);
    for (std::size_t i = 0; i < source_.files.size(); ++i) {
      const SourceFile& file = source_.files[i];
      if (!is_journal(file)) continue;
      if (auto wrong = damaged(file)) return wrong;
      const JournalView view{.name = file.name,
                             .records = whole_records(file.bytes),
                             .file = static_cast<std::uint32_t>(journals_.size()),
                             .going_on = files_.going_on,
                             .reads_until = files_.reads_until[i]};
      journals_.push_back(&file);
      if (auto wrong = reader.read(view)) return wrong;
      if (options_.limits.out_of_time()) return out_of_time_reading(file.name);
      read += file.bytes.size();
      if (file.mapped) file.mapped->forget_before(file.bytes.size());
      if (options_.progress != nullptr) options_.progress->advance("reading", read, total);
    }
    note_open_ends();
    return std::nullopt;
  }

  void note_open_ends() {
    const std::uint64_t cut = findings_.cut_unknown + findings_.cut_aborted;
    if (files_.going_on) {
      notes_.push_back(
          fmt::format("the run is still going on: {} transactions have not ended yet and count as unknown; reads that "
                      "arrived while the recording was being read are left out",
                      cut));
    } else if (cut > 0) {
      notes_.push_back(
          fmt::format("the run was cut off: {} transactions have no end; {} had sent their commit and count "
                      "as unknown, {} had not and count as aborted",
                      cut, findings_.cut_unknown, findings_.cut_aborted));
    }
  }

  // A killed run leaves zeros to the end of the file. Records after them mean that a part of the file was lost, with
  // writes that others may have seen.
  Fault damaged(const SourceFile& file) {
    // A look at a file that grows may take in a zero and then what was written behind it meanwhile.
    if (files_.going_on || !goes_on_after_zeros(file.bytes)) return std::nullopt;
    std::string text = "the file is damaged: there are records after a gap of zero bytes";
    if (options_.lenient) {
      notes_.push_back(fmt::format("{}: {}, and they were dropped", file.name, text));
      return std::nullopt;
    }
    const std::string_view records = whole_records(file.bytes);
    const auto line = static_cast<std::uint64_t>(std::count(records.begin(), records.end(), '\n'));
    return Error{text + " (--lenient reads up to there)", file.name, line + 1, 1};
  }

  // A last line without newline was never finished: the key it speaks of has no order then.
  Fault evidence() {
    const SourceFile* const file = file_named(source_, kEvidence);
    if (file == nullptr || files_.going_on) return std::nullopt;  // it speaks of the run as a whole
    const std::string_view records = whole_records(file->bytes);
    if (records.size() < file->bytes.size()) {
      notes_.push_back(fmt::format("{}: its last line was never finished and was dropped", kEvidence));
    }
    return lines_of(*file, records, "expected version orders, and no transaction");
  }

  // A line that a kill cut off is of a fault that was not over.
  Fault faults() {
    const SourceFile* const file = file_named(source_, kFaults);
    return file == nullptr ? std::nullopt
                           : lines_of(*file, whole_records(file->bytes), "expected faults, and no transaction");
  }

  Fault lines_of(const SourceFile& file, std::string_view records, const char* expected) {
    NativeLine native(builder_);
    std::uint64_t number = 0;
    for (std::size_t offset = 0; offset < records.size();) {
      const std::size_t stop = records.find('\n', offset);
      const std::string_view line = records.substr(offset, stop - offset);
      offset = stop + 1;
      ++number;
      if (says_nothing(line)) continue;
      const std::uint32_t txns = builder_.txn_count();
      if (auto wrong = native.add(line, false)) {
        wrong->file = file.name;
        wrong->line = number;
        return wrong;
      }
      if (builder_.txn_count() != txns) return Error{expected, file.name, number, 1};
      order_lines_.resize(builder_.version_order_count(), number);
    }
    return std::nullopt;
  }

  // Where what finish() refused came from.
  Error place(Error error) const {
    if (const auto txn = builder_.faulty_txn(); txn && raw(*txn) < findings_.origins.size()) {
      const JournalFindings::Origin& origin = findings_.origins[raw(*txn)];
      error.file = journals_[origin.file]->name;
      error.line = origin.line;
      error.column = 1;
    } else if (const auto order = builder_.faulty_version_order(); order && *order < order_lines_.size()) {
      error.file = file_named(source_, kEvidence)->name;
      error.line = order_lines_[*order];
      error.column = 1;
    }
    if (error.file.empty()) error.file = source_.path;
    return error;
  }

  const RecordingFiles& files_;
  const Source& source_;
  const ReadOptions& options_;
  HistoryBuilder builder_;
  JournalFindings findings_;
  std::vector<const SourceFile*> journals_;
  std::vector<std::uint64_t> order_lines_;  // of each order in the evidence
  std::vector<std::string> notes_;
};

Result<ReadResult> read_recording(const Source& source, const ReadOptions& options) {
  const auto files = look_at(source);
  if (!files) return files.error();
  auto read = RecordingReader(*files, options).read();
  if (const auto whole = still_whole(files->source); !whole) return whole.error();
  return read;
}

}  // namespace

constinit const FormatInfo kRecordingFormat{
    .name = "recording",
    .summary = "the folder that `isolde record` writes while it runs",
    .extension = {},
    .is_folder = true,
    .opens_again = true,
    .recognise = recognise_recording,
    .read = read_recording,
};

}  // namespace isolde
