#include "stream/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "base/files.h"

namespace isolde::stream {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "spool-", kSuffix = ".segment";

std::optional<std::uint64_t> begin_of(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  std::uint64_t begin = 0;
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), begin);
  if (error != std::errc{} || stop != name.data() + name.size()) return std::nullopt;
  return begin;
}

Result<std::string> segment_content(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno_error("cannot open", path);
  std::string content;
  constexpr std::size_t kReadStep = std::size_t{1} << 20;
  for (;;) {
    const std::size_t had = content.size();
    content.resize(had + kReadStep);
    const ssize_t got = ::read(fd, content.data() + had, kReadStep);
    content.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got < 0 && errno == EINTR) continue;
    if (got > 0) continue;
    const int number = got < 0 ? errno : 0;
    ::close(fd);
    errno = number;
    if (number != 0) return errno_error("cannot read", path);
    return content;
  }
}

}  // namespace

std::string Spool::path_of(std::uint64_t begin) const {
  return fmt::format("{}/{}{:020}{}", folder_, kPrefix, begin, kSuffix);
}

Error Spool::damaged(std::uint64_t place) const {
  return Error{fmt::format("the spool is damaged at byte {} of what was written; without this folder (and the "
                           "checkpoint that belongs to it) watching begins anew",
                           place),
               folder_};
}

Spool::~Spool() {
  if (fd_ >= 0) ::close(fd_);
  if (lock_ >= 0) ::close(lock_);
}

Result<std::unique_ptr<Spool>> Spool::open(const std::string& folder, std::uint64_t from, std::size_t segment_bytes) {
  std::unique_ptr<Spool> spool(new Spool(folder, segment_bytes));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Error{fmt::format("cannot make the folder: {}", error.message()), folder};
  const std::string lock = folder + "/lock";
  spool->lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (spool->lock_ < 0) return errno_error("cannot open", lock);
  if (::flock(spool->lock_, LOCK_EX | LOCK_NB) != 0) {
    return Error{errno == EWOULDBLOCK ? "another program uses this spool" : std::strerror(errno), folder};
  }
  if (auto good = spool->find_segments(); !good) return good.error();
  if (auto good = spool->read_last(); !good) return good.error();
  spool->state_.nobody_is_connected();
  const std::uint64_t begin = spool->segments_.front().begin;
  const std::uint64_t end = spool->segments_.back().end;
  if (from < begin || from > end) {
    return Error{
        fmt::format("the spool holds what was written from byte {} to {}, but the position to go on from is {}", begin,
                    end, from),
        folder};
  }
  spool->read_at_ = from;
  spool->read_end_ = end;
  return spool;
}

Result<void> Spool::find_segments() {
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(".new")) {  // of a segment that was never used
      std::error_code ignored;
      fs::remove(at->path(), ignored);
      continue;
    }
    const auto begin = begin_of(name);
    if (!begin) continue;
    const std::uint64_t size = at->file_size(error);
    if (!error) segments_.push_back({*begin, *begin + size});
  }
  if (error) return Error{fmt::format("cannot be read: {}", error.message()), folder_};
  std::sort(segments_.begin(), segments_.end(), [](const Segment& a, const Segment& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < segments_.size(); ++i) {
    if (segments_[i].begin != segments_[i - 1].end) return damaged(segments_[i - 1].end);
  }
  return {};
}

Result<void> Spool::read_last() {
  if (segments_.empty()) return start_segment();
  Segment& last = segments_.back();
  const std::string path = path_of(last.begin);
  auto content = segment_content(path);
  if (!content) return std::move(content).error();
  std::string_view rest = *content;
  std::size_t good = 0;
  for (SpoolRecord record; !rest.empty();) {
    const RecordFound found = take_record(rest, record);
    if (found == RecordFound::kDamaged) return damaged(last.begin + good);
    if (found == RecordFound::kCut) break;
    if ((good == 0) != (record.kind == SpoolRecord::Kind::kState)) return damaged(last.begin + good);
    if (good == 0 && !state_.parse(record.payload)) return damaged(last.begin);
    state_.apply(record);
    good = content->size() - rest.size();
  }
  if (good == 0) return damaged(last.begin);  // a segment has its name only once its state is in it
  fd_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd_ < 0) return errno_error("cannot open", path);
  if (good < content->size() && ::ftruncate(fd_, static_cast<off_t>(good)) != 0) return errno_error("cannot cut", path);
  last.end = last.begin + good;
  return {};
}

Result<void> Spool::start_segment() {
  const std::uint64_t begin = segments_.empty() ? 0 : segments_.back().end;
  const std::string path = path_of(begin);
  const std::string unfinished = path + ".new";
  const int fd = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return errno_error("cannot create", unfinished);
  SpoolRecord record;
  record.kind = SpoolRecord::Kind::kState;
  record.payload = state_.text();
  const std::string text = text_of(record);
  if (!write_all(fd, text) || ::rename(unfinished.c_str(), path.c_str()) != 0) {
    const Error error = errno_error("cannot write", unfinished);
    ::close(fd);
    ::unlink(unfinished.c_str());
    return error;
  }
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
  segments_.push_back({begin, begin + text.size()});
  return {};
}

Result<std::uint64_t> Spool::append(const SpoolRecord& record) {
  if (fd_ < 0) return Error{"nothing more can be written after an error", folder_};
  if (segments_.back().end - segments_.back().begin >= segment_bytes_) {
    if (auto started = start_segment(); !started) return started.error();
  }
  Segment& last = segments_.back();
  const std::string text = text_of(record);
  if (!write_all(fd_, text)) {
    Error error = errno_error("cannot write", path_of(last.begin));
    // A part of the record may be there; if it cannot be cut away now, the next open() does.
    [[maybe_unused]] const int cut = ::ftruncate(fd_, static_cast<off_t>(last.end - last.begin));
    ::close(fd_);
    fd_ = -1;
    return error;
  }
  last.end += text.size();
  state_.apply(record);
  return last.end;
}

void Spool::covered(std::uint64_t place) {
  // What is still to be read back, and the last one, which holds the state, stay.
  const auto is_read = [this](const Segment& s) { return read_at_ >= read_end_ || s.end <= read_at_; };
  while (segments_.size() > 1 && segments_.front().end <= place && is_read(segments_.front())) {
    ::unlink(path_of(segments_.front().begin).c_str());
    segments_.pop_front();
  }
}

Result<std::optional<SpoolRecord>> Spool::read_next() {
  while (read_at_ < read_end_) {
    const auto after = std::upper_bound(segments_.begin(), segments_.end(), read_at_,
                                        [](std::uint64_t place, const Segment& s) { return place < s.end; });
    if (after == segments_.end()) return damaged(read_at_);
    const std::uint64_t segment_end = std::min(after->end, read_end_);
    if (content_.empty() || content_begin_ != after->begin) {
      auto content = segment_content(path_of(after->begin));
      if (!content) return std::move(content).error();
      content_ = *std::move(content);
      content_begin_ = after->begin;
      if (content_.size() < segment_end - content_begin_) return damaged(content_begin_ + content_.size());
    }
    std::string_view rest = std::string_view(content_).substr(0, segment_end - content_begin_);
    rest.remove_prefix(read_at_ - content_begin_);
    const std::size_t before = rest.size();
    SpoolRecord record;
    if (take_record(rest, record) != RecordFound::kWhole) return damaged(read_at_);
    read_at_ += before - rest.size();
    record.end = read_at_;
    if (record.kind != SpoolRecord::Kind::kState && record.kind != SpoolRecord::Kind::kSender) {
      return std::optional<SpoolRecord>(std::move(record));
    }
  }
  content_.clear();
  content_.shrink_to_fit();
  return std::optional<SpoolRecord>();
}

}  // namespace isolde::stream
