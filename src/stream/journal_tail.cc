#include "stream/journal_tail.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

namespace isolde::stream {

Result<JournalTail> JournalTail::open(const std::string& path, const Place& place) {
  JournalTail tail;
  tail.path_ = path;
  tail.place_ = place;
  tail.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (tail.fd_ < 0) return errno_error("cannot open", path);
  if (place.offset > 0) {
    char before = 0;
    if (::pread(tail.fd_, &before, 1, static_cast<off_t>(place.offset - 1)) != 1 || before != '\n') {
      return Error{fmt::format("is not the journal that it was: no record ends at byte {}", place.offset), path};
    }
  }
  return tail;
}

JournalTail::JournalTail(JournalTail&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      place_(other.place_),
      held_(std::move(other.held_)),
      scanned_(other.scanned_),
      finished_(other.finished_),
      at_end_(other.at_end_) {}

JournalTail::~JournalTail() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> JournalTail::read_on(std::size_t count) {
  // The record that was being written is read again: its first bytes may have been zeros then.
  held_.resize(scanned_);
  std::size_t got = 0;
  held_.resize(scanned_ + count);
  while (got < count) {
    const ssize_t now =
        ::pread(fd_, held_.data() + scanned_ + got, count - got, static_cast<off_t>(place_.offset + scanned_ + got));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return errno_error("cannot be read", path_);
    if (now == 0) break;
    got += static_cast<std::size_t>(now);
  }
  const std::string_view fresh = std::string_view(held_).substr(scanned_, got);
  const std::size_t zero = fresh.find('\0');
  at_end_ = got < count || zero != std::string_view::npos;
  held_.resize(scanned_ + std::min(zero, got));
  for (;;) {
    const std::size_t newline = held_.find('\n', scanned_);
    if (newline == std::string::npos) break;
    const char kind = held_[scanned_];
    scanned_ = newline + 1;
    if (kind == 'e' || kind == 's') finished_ = scanned_;
  }
  return {};
}

Result<bool> JournalTail::is_damaged() const {
  std::string bytes(std::size_t{1} << 16, '\0');
  bool zero_seen = false;
  for (std::uint64_t at = place_.offset + scanned_;;) {
    const ssize_t now = ::pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return errno_error("cannot be read", path_);
    if (now == 0) return false;
    const std::string_view part(bytes.data(), static_cast<std::size_t>(now));
    const std::size_t zero = zero_seen ? 0 : part.find('\0');
    zero_seen = zero_seen || zero != std::string_view::npos;
    if (zero_seen && part.find('\n', zero) != std::string_view::npos) return true;
    at += static_cast<std::uint64_t>(now);
  }
}

std::optional<std::int64_t> JournalTail::open_since() const {
  std::string_view first = records().substr(finished_);
  first = first.substr(0, first.find('\n'));
  const std::size_t blank = first.rfind(' ');
  if (!first.starts_with("b ") || blank == std::string_view::npos) return std::nullopt;
  std::int64_t time = 0;
  const auto [stop, failed] = std::from_chars(first.data() + blank + 1, first.data() + first.size(), time);
  if (failed != std::errc{} || stop != first.data() + first.size()) return std::nullopt;
  return time;
}

void JournalTail::take(std::size_t count, std::optional<std::int64_t> session) {
  place_.offset += count;
  place_.lines +=
      static_cast<std::uint32_t>(std::count(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count), '\n'));
  place_.session = session;
  held_.erase(0, count);
  scanned_ -= count;
  finished_ = finished_ > count ? finished_ - count : 0;
}

}  // namespace isolde::stream
