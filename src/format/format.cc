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
#include "format/dbcop_bincode.h"
#include "format/dbcop_hist.h"
#include "format/dbcop_json.h"
#include "format/isl.h"
#include "format/jepsen.h"
#include "format/native.h"
#include "format/recording.h"
#include "format/text.h"
#include "format/timekiller.h"
#include "format/veristrong_list.h"
#include "format/viper.h"

namespace isolde {
namespace {

namespace fs = std::filesystem;

// clang-format off: one row a line
const FormatInfo kFormats[] = {
    kIslFormat,
    kNativeFormat,
    kRecordingFormat,
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

Result<Source> open_source(const std::string& path) {
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
    auto file = MappedFile::open(name);
    if (!file) return std::move(file).error();
    const std::string_view bytes = (*file)->text();
    source.files.push_back({name, bytes, *std::move(file)});
  }
  return source;
}

Result<Loaded> load(const std::string& path, const FormatInfo* format, const ReadOptions& options) {
  auto source = open_source(path);
  if (!source) return std::move(source).error();
  if (source->files.empty()) return Error{"the folder has no files", path};
  if (format == nullptr) format = recognise(*source);
  if (format == nullptr) {
    return Error{"not a history in any known format (`isolde convert --help` lists them; --format forces one)", path, 1,
                 1};
  }
  if (format->is_folder != source->is_folder) {
    return Error{fmt::format("format {} is a {}", format->name, format->is_folder ? "folder" : "file"), path};
  }
  auto result = format->read(*source, options);
  if (!result) {
    Error error = std::move(result).error();
    if (error.file.empty()) error.file = path;
    return error;
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
