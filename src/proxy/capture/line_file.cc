#include "proxy/capture/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace isolde::proxy::capture {

Result<std::unique_ptr<LineFile>> LineFile::create(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return errno_error("cannot create", path);
  return std::unique_ptr<LineFile>(new LineFile(fd));
}

LineFile::~LineFile() { ::close(fd_); }

void LineFile::write(std::string_view lines) {
  while (!lines.empty() && !faulty_) {
    const ssize_t count = ::write(fd_, lines.data(), lines.size());
    if (count >= 0) {
      lines.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    const std::lock_guard lock(mutex_);
    fault_ = fmt::format("cannot write: {}", std::strerror(errno));
    faulty_ = true;
  }
}

std::string LineFile::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

void LineFile::left_out(std::string_view why) {
  const std::lock_guard lock(mutex_);
  const auto at = left_out_.find(why);
  if (at == left_out_.end()) {
    left_out_.emplace(why, 1);
  } else {
    ++at->second;
  }
}

LeftOut LineFile::all_left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

}  // namespace isolde::proxy::capture
