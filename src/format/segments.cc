#include "format/segments.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "format/isl.h"
#include "history/cut.h"
#include "history/join.h"

namespace isolde {
namespace {

namespace segment_fs = std::filesystem;

constexpr std::string_view kManifest = "segments.json";
constexpr std::string_view kRestFile = "rest.isl";
constexpr std::int64_t kSegmentsVersion = 1;

std::string path_in(const std::string& folder, std::string_view file) {
  return (segment_fs::path(folder) / file).string();
}

// A file's name, nothing that leads out of the folder.
bool is_name_of_part(std::string_view file) {
  return !file.empty() && file != "." && file != ".." && file.find('/') == std::string_view::npos;
}

class PartSink : public ByteSink {
 public:
  explicit PartSink(std::FILE* file) : file_(file) {}
  void write(std::string_view bytes) override {
    good_ = good_ && std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size();
    bytes_ += bytes.size();
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::FILE* file_;
  bool good_ = true;
  std::uint64_t bytes_ = 0;
};

Error manifest_error(const std::string& path, std::uint64_t line, std::string text) {
  return Error{std::move(text), path, line, 0};
}

// One line of the manifest. What it does not know is ignored.
Result<void> take_line(const std::string& path, std::uint64_t number, std::string_view line, SegmentList& list) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(line.data(), line.size()).get(object) != simdjson::SUCCESS)
    return manifest_error(path, number, "expected a JSON object");
  if (number == 1) {
    std::int64_t version = 0;
    std::string_view rest;
    if (object["isolde-segments"].get(version) != simdjson::SUCCESS || version != kSegmentsVersion)
      return manifest_error(path, number, fmt::format("expected {{\"isolde-segments\": {}}}", kSegmentsVersion));
    if (object["rest"].get(rest) != simdjson::SUCCESS) return {};
    if (!is_name_of_part(rest)) return manifest_error(path, number, "expected the name of a file in \"rest\"");
    list.rest = rest;
    return {};
  }
  Segment part;
  std::string_view file;
  const bool good = object["file"].get(file) == simdjson::SUCCESS &&
                    object["transactions"].get(part.transactions) == simdjson::SUCCESS &&
                    object["operations"].get(part.operations) == simdjson::SUCCESS &&
                    object["bytes"].get(part.bytes) == simdjson::SUCCESS && is_name_of_part(file);
  if (!good) return manifest_error(path, number, "expected \"file\", \"transactions\", \"operations\" and \"bytes\"");
  part.file = file;
  list.transactions += part.transactions;
  list.operations += part.operations;
  list.bytes += part.bytes;
  list.parts.push_back(std::move(part));
  return {};
}

Result<IslColumns> columns_of(const std::string& folder, const std::string& name) {
  auto mapped = MappedFile::map(path_in(folder, name));
  if (!mapped) return std::move(mapped).error();
  const SourceFile file{path_in(folder, name), (*mapped)->text(), *mapped};
  auto read = read_isl_columns(file);
  if (const auto whole = (*mapped)->still_whole(); !whole) return whole.error();
  return read;
}

bool recognise_segments(const Source& source) {
  return std::any_of(source.files.begin(), source.files.end(), [](const SourceFile& file) {
    return segment_fs::path(file.name).filename() == kManifest && file.bytes.starts_with("{\"isolde-segments\"");
  });
}

Result<ReadResult> read_segments(const Source& source, const ReadOptions& options) {
  auto list = read_segment_list(source.path);
  if (!list) return std::move(list).error();
  HistoryJoiner whole;
  for (std::size_t i = 0; i < list->parts.size(); ++i) {
    if (options.progress != nullptr) options.progress->advance("reading", i, list->parts.size());
    if (options.limits.out_of_time()) return out_of_time_reading(source.path);
    std::uint64_t unknown = 0;
    auto part = read_segment(*list, i, unknown);
    if (!part) return std::move(part).error();
    if (auto added = whole.add(*part); !added) {
      Error error = std::move(added).error();
      error.text += ": check it in passes (--memory) or by several ranks (isolde-mpi)";
      return error;
    }
  }
  if (!list->rest.empty()) {
    auto rest = read_segment_rest(*list);
    if (!rest) return std::move(rest).error();
    if (auto added = whole.add(*rest); !added) return std::move(added).error();
  }
  auto history = whole.finish();
  if (!history) return std::move(history).error();
  return ReadResult{*std::move(history), {}};
}

}  // namespace

bool is_segment_folder(const std::string& path) {
  std::error_code error;
  return segment_fs::is_regular_file(path_in(path, kManifest), error);
}

Result<SegmentList> read_segment_list(const std::string& folder) {
  SegmentList list{folder, {}, {}, 0, 0, 0};
  const std::string path = path_in(folder, kManifest);
  auto file = MappedFile::open(path);
  if (!file) return std::move(file).error();
  std::string_view text = (*file)->text();
  std::uint64_t number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    if (line.empty()) continue;
    if (auto taken = take_line(path, number, line, list); !taken) return std::move(taken).error();
  }
  if (list.parts.empty()) return manifest_error(path, 1, "expected a line for each part, and there is none");
  return list;
}

Result<History> read_segment(const SegmentList& list, std::size_t i, std::uint64_t& known) {
  const Segment& part = list.parts[i];
  auto read = columns_of(list.folder, part.file);
  if (!read) return std::move(read).error();
  std::string defect = known == read->checksum && known != 0 ? std::string() : defect_of(read->columns);
  if (!defect.empty()) return Error{"the columns are inconsistent: " + defect, path_in(list.folder, part.file)};
  known = read->checksum;
  if (read->columns.session.size() != part.transactions || read->columns.op.size() != part.operations) {
    return Error{fmt::format("expected {} transactions and {} operations, as the manifest says; found {} and {}",
                             part.transactions, part.operations, read->columns.session.size(), read->columns.op.size()),
                 path_in(list.folder, part.file)};
  }
  return History(read->columns, read->storage);
}

Result<History> read_segment_rest(const SegmentList& list) {
  auto read = columns_of(list.folder, list.rest);
  if (!read) return std::move(read).error();
  // Entries of orders by transaction are places in the whole history, so they are judged when it is joined.
  std::vector<VersionOrder> orders(read->columns.version_orders.begin(), read->columns.version_orders.end());
  bool inside = read->columns.session.empty();
  for (VersionOrder& order : orders) {
    if (order.by_txn == 0) continue;
    inside = inside && std::uint64_t{order.first} + order.count <= read->columns.version_entries.size();
    order.count = 0;
    order.first = 0;
  }
  HistoryColumns judged = read->columns;
  judged.version_orders = orders;
  std::string defect = inside ? defect_of(judged) : "it has transactions, or an order that is not there";
  if (!defect.empty()) return Error{"the columns are inconsistent: " + defect, path_in(list.folder, list.rest)};
  return History(read->columns, read->storage);
}

Result<void> SegmentWriter::open() {
  std::error_code error;
  const bool exists = segment_fs::exists(list_.folder, error);
  if (exists && !(segment_fs::is_directory(list_.folder, error) && segment_fs::is_empty(list_.folder, error)))
    return Error{"expected a new or an empty folder to write to", list_.folder};
  segment_fs::create_directories(list_.folder, error);
  if (error) return Error{"cannot create: " + error.message(), list_.folder};
  return {};
}

Result<std::uint64_t> SegmentWriter::write(const History& part, const std::string& name) const {
  const std::string path = path_in(list_.folder, name);
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return errno_error("cannot write", path);
  PartSink sink(file);
  write_isl_columns(part.columns(), sink);
  const bool closed = std::fclose(file) == 0;
  if (!sink.good() || !closed) return errno_error("cannot write", path);
  return sink.bytes();
}

Result<void> SegmentWriter::add(const History& part) {
  const std::string file = fmt::format("part-{:05}.isl", list_.parts.size());
  auto bytes = write(part, file);
  if (!bytes) return std::move(bytes).error();
  list_.parts.push_back({file, part.txn_count(), part.op_count(), *bytes});
  list_.transactions += part.txn_count();
  list_.operations += part.op_count();
  list_.bytes += *bytes;
  return {};
}

Result<void> SegmentWriter::add_rest(const History& rest) {
  list_.rest = kRestFile;
  auto bytes = write(rest, list_.rest);
  if (!bytes) return std::move(bytes).error();
  return {};
}

Result<SegmentList> SegmentWriter::close() {
  std::string text = fmt::format("{{\"isolde-segments\": {}{}}}\n", kSegmentsVersion,
                                 list_.rest.empty() ? "" : fmt::format(", \"rest\": \"{}\"", list_.rest));
  for (const Segment& part : list_.parts) {
    text += fmt::format("{{\"file\": \"{}\", \"transactions\": {}, \"operations\": {}, \"bytes\": {}}}\n", part.file,
                        part.transactions, part.operations, part.bytes);
  }
  const std::string path = path_in(list_.folder, kManifest), partial = path + ".partial";
  std::FILE* const file = std::fopen(partial.c_str(), "wb");
  if (file == nullptr) return errno_error("cannot write", partial);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed || std::rename(partial.c_str(), path.c_str()) != 0) return errno_error("cannot write", path);
  return list_;
}

Result<SegmentList> save_segments(const History& history, const std::string& folder, std::size_t count) {
  SegmentWriter writer(folder);
  if (auto opened = writer.open(); !opened) return std::move(opened).error();
  HistoryCutter cutter(history);
  const std::uint64_t txns = history.txn_count();
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = static_cast<std::uint32_t>(txns * i / count);
    const auto end = static_cast<std::uint32_t>(txns * (i + 1) / count);
    if (auto added = writer.add(cutter.cut(first, end)); !added) return std::move(added).error();
  }
  if (cutter.has_rest()) {
    if (auto added = writer.add_rest(cutter.rest()); !added) return std::move(added).error();
  }
  return writer.close();
}

constinit const FormatInfo kSegmentsFormat{.name = "segments",
                                           .summary = "a folder of .isl parts (convert --segments)",
                                           .extension = "",
                                           .is_folder = true,
                                           .recognise = recognise_segments,
                                           .read = read_segments};

}  // namespace isolde
