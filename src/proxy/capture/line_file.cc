#include "proxy/capture/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace isolde::proxy::capture {
namespace {

constexpr int kFlushMs = 20;
constexpr std::size_t kMostWaitingBytes = std::size_t{4} << 20;

}  // namespace

Result<std::unique_ptr<LineFile>> LineFile::create(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return errno_error("cannot create", path);
  std::unique_ptr<LineFile> file(new LineFile(fd));
  file->thread_ = std::thread([raw = file.get()] { raw->flush_now_and_then(); });
  return file;
}

LineFile::~LineFile() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  flush();
  ::close(fd_);
}

void LineFile::write(std::string_view lines) {
  if (faulty_) return;
  std::size_t waiting = 0;
  {
    const std::lock_guard lock(mutex_);
    waiting_ += lines;
    waiting = waiting_.size();
  }
  // A disk that is slower than the clients holds them up, rather than filling memory.
  if (waiting > kMostWaitingBytes) flush();
}

void LineFile::flush() {
  const std::lock_guard writing(writing_);
  std::string lines;
  {
    const std::lock_guard lock(mutex_);
    lines.swap(waiting_);
  }
  write_out(lines);
}

void LineFile::flush_now_and_then() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    wake_.wait_for(lock, std::chrono::milliseconds(kFlushMs), [this] { return over_; });
    if (waiting_.empty()) continue;
    lock.unlock();
    flush();
    lock.lock();
  }
}

void LineFile::write_out(std::string_view lines) {
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
