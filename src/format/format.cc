#include "format/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include "format/awdit.h"
#include "format/cobra.h"
#include "format/cobra_polygraph.h"
#include "format/compressed.h"
#include "format/dbcop_bincode.h"
#include "format/dbcop_hist.h"
#include "format/dbcop_json.h"
#include "format/isl.h"
#include "format/jepsen.h"
#include "format/json_document.h"
#include "format/native.h"
#include "format/proxy_trace.h"
#include "format/proxy_values.h"
#include "format/recording.h"
#include "format/segments.h"
#include "format/text.h"
#include "format/timekiller.h"
#include "format/veristrong_list.h"
#include "format/viper.h"
#include "history/given_initial.h"

namespace isolde {
namespace {

namespace fs = std::filesystem;

// clang-format off: one row a line
const FormatInfo kFormats[] = {
    kIslFormat,
    kProxyTraceFormat,
    kProxyValuesFormat,
    kNativeFormat,
    kRecordingFormat,
    kSegmentsFormat,
    kJepsenEdnFormat,
    kJepsenJsonFormat,
    kTextFormat,
    kTextPolysiFormat,
    kTextPlumeFormat,
    kTextAwditFormat,
    kAwditFormat,
    kDbcopBincodeFormat,
    kDbcopJsonFormat,
    kDbcopHistFormat,
    kCobraFormat,
    kCobraPolygraphFormat,
    kTimekillerFormat,
    kViperFormat,
    kVeristrongListFormat,
};
// clang-format on

// Collects a format's output in files beside their final place, and moves them there when all went well.
class FileSink : public ByteSink {
 public:
  explicit FileSink(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
    if (file_ == nullptr) failed_ = errno;
    buffer_.reserve(kBuffer);
  }
  ~FileSink() override {
    if (file_ != nullptr) std::fclose(file_);
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  void write(std::string_view bytes) override {
    if (buffer_.size() + bytes.size() > kBuffer) flush();
    if (bytes.size() > kBuffer) {
      put(bytes);
    } else {
      buffer_.append(bytes);
    }
  }
  // 0, or the errno of the first failure.
  int close() {
    flush();
    if (file_ != nullptr && std::fclose(file_) != 0 && failed_ == 0) failed_ = errno;
    file_ = nullptr;
    return failed_;
  }

 private:
  static constexpr std::size_t kBuffer = 1 << 20;
  void put(std::string_view bytes) {
    if (file_ == nullptr || failed_ != 0 || bytes.empty()) return;
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) failed_ = errno;
  }
  void flush() {
    put(buffer_);
    buffer_.clear();
  }

  std::string path_;
  std::FILE* file_;
  std::string buffer_;
  int failed_ = 0;
};

class DiskOutput : public Output {
 public:
  // `shown`: the name that errors give instead of `base`.
  DiskOutput(std::string base, std::string shown) : base_(std::move(base)), shown_(std::move(shown)) {}
  ByteSink& file(std::string_view name) override {
    const std::string path = name.empty() ? base_ : base_ + "/" + std::string(name);
    auto& sink = sinks_[path];
    if (!sink) sink = std::make_unique<FileSink>(path);
    return *sink;
  }
  std::optional<Error> close() {
    for (auto& [path, sink] : sinks_) {
      if (const int failed = sink->close(); failed != 0) {
        return Error{fmt::format("cannot write: {}", std::strerror(failed)), shown_ + path.substr(base_.size())};
      }
    }
    return std::nullopt;
  }

 private:
  std::string base_, shown_;
  std::map<std::string, std::unique_ptr<FileSink>> sinks_;
};

// Puts the content in the place of what is compressed.
std::optional<Error> unpack(SourceFile& file) {
  const Compression compression = compression_of(file.bytes);
  if (compression == Compression::kNone) return std::nullopt;
  auto content = decompress(compression, file.name, file.bytes);
  if (const auto whole = file.mapped->still_whole(); !whole) return whole.error();
  if (!content) return std::move(content).error();
  file.mapped = *std::move(content);
  file.bytes = file.mapped->text();
  return std::nullopt;
}

bool only_blanks_and_comments(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start != std::string_view::npos && line[start] != '#') return false;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return true;
}

// Whether reading it as native JSON Lines says best what is wrong with it.
bool may_be_native(const SourceFile& file) {
  const std::size_t start = file.bytes.find_first_not_of(" \t\r\n");
  const bool is_object = start != std::string_view::npos && file.bytes[start] == '{';
  return resembles_native(file.bytes) ||
         (is_object && without_compression_ending(file.name).ends_with(kNativeFormat.extension));
}

Error error_at_offset(const SourceFile& file, std::size_t offset, std::string text) {
  const std::string_view before = file.bytes.substr(0, offset);
  const auto lines = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  return Error{std::move(text), file.name, lines + 1, before.size() - (before.rfind('\n') + 1) + 1};
}

// Why no format recognised this, as far as its content shows it.
Error why_unknown(const Source& source) {
  const std::string unknown =
      "not a history in any known format (`isolde convert --help` lists them; --format forces one)";
  if (source.is_folder) return Error{unknown, source.path, 1, 1};
  const SourceFile& file = source.files[0];
  if (only_blanks_and_comments(file.bytes)) {
    return Error{"expected a history: the file has only blank lines and comments", file.name, 1, 1};
  }
  if (const std::string_view archive = foreign_archive(file.bytes); !archive.empty()) {
    return Error{fmt::format("this is {}: unpack it first (gzip and zstd are read directly)", archive), file.name, 1,
                 1};
  }
  if (without_compression_ending(file.name) != file.name && compression_of(file.bytes) == Compression::kNone &&
      file.bytes.find('\0') != std::string_view::npos) {
    return Error{fmt::format("the name ends in {}, but the data is not in that format",
                             file.name.substr(without_compression_ending(file.name).size())),
                 file.name, 1, 1};
  }
  if (const auto cut = cut_json(file.bytes)) {
    const std::size_t end = file.bytes.find_last_not_of(" \t\r\n") + 1;
    return error_at_offset(file, std::min(cut->at, end),
                           cut->in_string ? "expected the end of this string: it is never closed"
                                          : "expected more: the text ends inside a JSON value");
  }
  return Error{unknown, file.name, 1, 1};
}

}  // namespace

std::span<const FormatInfo> formats() { return kFormats; }

const FormatInfo* format_named(std::string_view name) {
  const auto at =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const FormatInfo& f) { return f.name == name; });
  return at == std::end(kFormats) ? nullptr : at;
}

const FormatInfo* format_for_path(std::string_view path) {
  const FormatInfo* best = nullptr;
  for (const FormatInfo& format : kFormats) {
    if (format.extension.empty() || !path.ends_with(format.extension)) continue;
    if (best == nullptr || format.extension.size() > best->extension.size()) best = &format;
  }
  return best;
}

const FormatInfo* recognise(const Source& source) {
  for (const FormatInfo& format : kFormats) {
    if (format.is_folder == source.is_folder && format.recognise(source)) return &format;
  }
  return nullptr;
}

Result<Source> open_source(const std::string& path, const InputLimits& limits) {
  Source source{.path = path, .is_folder = false, .files = {}};
  std::error_code error;
  std::vector<std::string> paths;
  if (fs::is_directory(path, error)) {
    source.is_folder = true;
    for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
      std::error_code unknown;  // of a link that leads nowhere; it is no file then
      if (entry->is_regular_file(unknown)) paths.push_back(entry->path().string());
    }
    if (error) return Error{"cannot list: " + error.message(), path};
    std::sort(paths.begin(), paths.end());
  } else {
    paths.push_back(path);
  }
  for (const std::string& name : paths) {
    auto file = MappedFile::map(name, limits);
    if (!file) return std::move(file).error();
    const std::string_view bytes = (*file)->text();
    source.files.push_back({name, bytes, *std::move(file)});
    // Whatever else lies in a folder is nobody's business.
    if (source.is_folder && !without_compression_ending(name).ends_with(".log")) continue;
    if (auto wrong = unpack(source.files.back())) return *std::move(wrong);
  }
  return source;
}

Result<void> still_whole(const Source& source) {
  for (const SourceFile& file : source.files) {
    if (!file.mapped) continue;
    if (auto whole = file.mapped->still_whole(); !whole) return whole;
  }
  return {};
}

Result<Loaded> load(const std::string& path, const FormatInfo* format, const ReadOptions& options) {
  const auto source = open_source(path, options.limits);
  if (!source) return source.error();
  return load(*source, format, options);
}

Result<Loaded> load(const Source& source, const FormatInfo* format, const ReadOptions& options) {
  if (source.files.empty()) return Error{"the folder has no files", source.path};
  if (!source.is_folder && source.files[0].bytes.empty()) return Error{"the file is empty", source.path, 1, 1};
  if (format == nullptr) format = recognise(source);
  if (format == nullptr && !source.is_folder && may_be_native(source.files[0])) {
    format = format_named(kNativeFormat.name);
  }
  if (format == nullptr) {
    Error unknown = why_unknown(source);
    if (const auto whole = still_whole(source); !whole) return whole.error();
    return unknown;
  }
  if (format->is_folder != source.is_folder) {
    return Error{fmt::format("format {} is a {}", format->name, format->is_folder ? "folder" : "file"), source.path};
  }
  auto result = format->read(source, options);
  // First of all: of what was cut off zeros were read, and what a reader says of them means nothing.
  if (const auto whole = still_whole(source); !whole && !format->opens_again) return whole.error();
  if (!result) {
    Error error = std::move(result).error();
    if (error.file.empty()) error.file = source.path;
    return error;
  }
  if (options.initial) {
    auto given = with_initial(result->history, *options.initial);
    if (!given) return std::move(given).error();
    result->history = *std::move(given);
    result->notes.push_back(fmt::format("keys start as {}, as --initial says, unless the history gives another value",
                                        result->history.value_text(result->history.default_initial())));
  }
  return Loaded{std::move(result->history), format, std::move(result->notes)};
}

std::vector<Uncarried> uncarried(const History& history, const FormatInfo& format) {
  std::vector<Uncarried> found;
  for (const ContentInfo& row : all_contents()) {
    const Carry carry = carry_of(format.writer, row.content);
    if (carry == Carry::kAll) continue;
    const std::uint64_t n = carry == Carry::kNone ? count(history, row.content) : format.unfit(history, row.content);
    if (n > 0) found.push_back({row.content, n});
  }
  return found;
}

std::string text_of(const Uncarried& u) {
  return fmt::format("{} {}", u.count, u.count == 1 ? info(u.content).one : info(u.content).many);
}

std::string decisive_losses(const History& history, const FormatInfo& format) {
  std::string text;
  for (const Uncarried& u : uncarried(history, format)) {
    if (info(u.content).decides) text += (text.empty() ? "" : ", ") + text_of(u);
  }
  return text;
}

void note_uncarried(const History& history, const FormatInfo& format, Lost& lost) {
  for (const Uncarried& u : uncarried(history, format)) lost.push_back(text_of(u));
}

Result<WriteResult> write_history(const History& history, const FormatInfo& format, Output& output, Losses losses) {
  if (format.write == nullptr) return Error{fmt::format("format {} can be read but not written", format.name)};
  if (losses == Losses::kRefuse) {
    if (const std::string left_out = decisive_losses(history, format); !left_out.empty()) {
      std::string able;
      for (const FormatInfo& other : formats()) {
        if (other.write == nullptr || !decisive_losses(history, other).empty()) continue;
        able += fmt::format("{}{}", able.empty() ? "" : ", ", other.name);
      }
      return Error{fmt::format("format {} cannot carry {}, on which a verdict may depend; formats that can: {}",
                               format.name, left_out, able)};
    }
  }
  return format.write(history, output);
}

Result<WriteResult> save(const History& history, const FormatInfo& format, const std::string& path, Losses losses) {
  if (format.write == nullptr) return Error{fmt::format("format {} can be read but not written", format.name), path};
  const std::string partial = path + ".partial";
  std::error_code error;
  if (format.is_folder) {
    if (fs::exists(path, error) && !(fs::is_directory(path, error) && fs::is_empty(path, error))) {
      return Error{"expected a new or an empty folder to write to", path};
    }
    fs::remove_all(partial, error);  // what an earlier run left
    fs::create_directories(partial, error);
    if (error) return Error{"cannot create: " + error.message(), partial};
  }
  DiskOutput output(partial, path);
  auto written = write_history(history, format, output, losses);
  const auto failed = output.close();
  if (!written || failed) {
    fs::remove_all(partial, error);
    if (written) return *failed;
    Error why = std::move(written).error();
    if (why.file.empty()) why.file = path;
    return why;
  }
  fs::rename(partial, path, error);
  if (error) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    return Error{"cannot write: " + error.message(), path};
  }
  return written;
}

}  // namespace isolde
