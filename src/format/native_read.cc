#include "format/native_read.h"

#include <fmt/format.h>

#include <cstring>

#include "format/native_fast.h"
#include "format/native_line.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

constexpr std::size_t kForgetEvery = std::size_t{16} << 20;
// Where reading stopped: at the end, or where `until` said so.
struct Stop {
  std::optional<Error> error;
  std::uint64_t line = 0;
};

// Adds each line to the builder. `until()` is asked after each; a true answer stops the reading there.
template <typename Until>
Stop read_lines(const SourceFile& file, const ReadOptions& options, HistoryBuilder& builder,
                std::vector<std::string>& notes, Until&& until) {
  const std::string_view whole = file.bytes;
  NativeLine general(builder, NativeLine::Keys::kAllKnownAtTheEnd,
                     options.lenient ? UnknownFields::Stance::kIgnore : UnknownFields::Stance::kRefuse);
  std::size_t offset = whole.starts_with("\xef\xbb\xbf") ? 3 : 0;
  std::size_t forgotten = 0;
  std::uint64_t line_number = 0;
  bool first = true;
  while (offset < whole.size()) {
    const char* const start = whole.data() + offset;
    const void* const stop = std::memchr(start, '\n', whole.size() - offset);
    const std::size_t length =
        stop == nullptr ? whole.size() - offset : static_cast<std::size_t>(static_cast<const char*>(stop) - start);
    const std::string_view line(start, length);
    ++line_number;
    if (stop == nullptr || !add_plain_line(line, builder)) {
      if (says_nothing(line)) {
        offset += length + 1;
        continue;
      }
      if (auto error = general.add(line, first)) {
        const bool cut = stop == nullptr;
        if (cut && options.lenient) {
          notes.push_back(fmt::format("the last line ({}) is cut off and was dropped", line_number));
          break;
        }
        if (cut) error->text += " (the last line may be cut off: --lenient drops it)";
        error->line = line_number;
        return {std::move(error), line_number};
      }
      if (general.columns()) {
        return {Error{"\"columns\": true (rows written in part) is for streams: use isolde watch for this file",
                      {},
                      line_number,
                      1},
                line_number};
      }
    }
    first = false;
    offset += length + 1;
    if (until()) break;
    if (offset - forgotten > kForgetEvery) {
      forgotten = offset;
      if (file.mapped) file.mapped->forget_before(offset);
      if (options.progress != nullptr) options.progress->advance("reading", offset, whole.size());
      if (options.limits.out_of_time()) return {out_of_time_reading(file.name), line_number};
    }
  }
  general.unknown().add_note(notes);
  return {std::nullopt, line_number};
}

// The line that brought what finish() refuses. Read again to find it, so that a good file pays nothing for line
// numbers.
std::uint64_t line_of_fault(const SourceFile& file, const ReadOptions& options, const HistoryBuilder& refused) {
  HistoryBuilder builder;
  std::vector<std::string> notes;
  const auto reached = [&] {
    if (const auto txn = refused.faulty_txn()) return builder.txn_count() > raw(*txn);
    return builder.version_order_count() > *refused.faulty_version_order();
  };
  return read_lines(file, {.lenient = options.lenient, .progress = nullptr}, builder, notes, reached).line;
}

}  // namespace

Result<ReadResult> read_native(const Source& source, const ReadOptions& options) {
  const SourceFile& file = source.files[0];
  std::vector<std::string> notes;
  HistoryBuilder builder;
  if (Stop stop = read_lines(file, options, builder, notes, [] { return false; }); stop.error) {
    stop.error->file = file.name;
    return *std::move(stop.error);
  }
  auto history = builder.finish();
  if (!history) {
    Error error = std::move(history).error();
    error.file = file.name;
    if (builder.faulty_txn() || builder.faulty_version_order()) {
      error.line = line_of_fault(file, options, builder);
      error.column = 1;
    }
    return error;
  }
  return ReadResult{*std::move(history), std::move(notes)};
}

}  // namespace isolde
