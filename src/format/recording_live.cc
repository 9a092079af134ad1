#include "format/recording_live.h"

#include <fcntl.h>
#include <simdjson.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "format/recording_journal.h"

namespace isolde {
namespace {

constexpr std::size_t kAll = static_cast<std::size_t>(-1);

// Read, not mapped: the writer cuts the file when it ends, and a mapped page behind the end is a SIGBUS.
Result<std::string> content_of(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{std::string("cannot open: ") + std::strerror(errno), path};
  std::string content;
  constexpr std::size_t kStep = std::size_t{1} << 20;
  for (;;) {
    const std::size_t had = content.size();
    content.resize(had + kStep);
    const ssize_t got = ::read(fd, content.data() + had, kStep);
    content.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      const int failed = got < 0 ? errno : 0;
      ::close(fd);
      if (failed != 0) return Error{std::string("cannot read: ") + std::strerror(failed), path};
      return content;
    }
  }
}

}  // namespace

bool has_writer(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;  // whoever opens it next says why
  const bool locked = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return locked;
}

std::optional<Error> wrong_recording_header(const std::string& name, std::string_view line) {
  const simdjson::padded_string padded(line);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document doc;
  std::int64_t version = 0;
  std::int64_t native = 0;
  if (parser.iterate(padded).get(doc) || doc.find_field_unordered("isolde-recording").get_int64().get(version) ||
      doc.find_field_unordered("isolde").get_int64().get(native) || version != 1 || native != 1) {
    return Error{"expected the header of a recording: {\"isolde\":1,\"isolde-recording\":1,…}", name, 1, 1};
  }
  return std::nullopt;
}

std::string_view name_in_folder(const SourceFile& file) {
  const std::string_view name = file.name;
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

bool is_journal(const SourceFile& file) { return name_in_folder(file).ends_with(".journal"); }

Result<RecordingFiles> look_at(const Source& source) {
  const bool on_disk =
      std::any_of(source.files.begin(), source.files.end(), [](const SourceFile& f) { return f.mapped != nullptr; });
  RecordingFiles files;
  if (!on_disk) {
    files.source = source;
    files.reads_until.assign(source.files.size(), kAll);
    return files;
  }
  std::map<std::string, std::size_t> first_look;
  for (const SourceFile& file : source.files)
    files.going_on = files.going_on || (is_journal(file) && has_writer(file.name));
  if (files.going_on) {
    for (const SourceFile& file : source.files) {
      if (!is_journal(file)) continue;
      auto content = content_of(file.name);
      if (!content) return std::move(content).error();
      first_look[file.name] = whole_records(*content).size();
    }
  }
  // Opened again in any case: a run that has ended since has other files, and of other lengths.
  auto again = open_source(source.path);
  if (!again) return std::move(again).error();
  files.source = *std::move(again);
  files.reads_until.assign(files.source.files.size(), kAll);
  if (!files.going_on) return files;
  for (std::size_t i = 0; i < files.source.files.size(); ++i) {
    SourceFile& file = files.source.files[i];
    if (!is_journal(file)) continue;
    auto content = content_of(file.name);
    if (!content) return std::move(content).error();
    file.bytes = files.contents.emplace_back(*std::move(content));
    file.mapped = nullptr;
    const auto seen = first_look.find(file.name);
    files.reads_until[i] = seen == first_look.end() ? 0 : seen->second;
  }
  return files;
}

}  // namespace isolde
