#include "base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/bus_guard.h"

namespace isolde {
namespace {

constexpr std::size_t kHead = 4096;

Error system_error(const std::string& path, const char* what) {
  return Error{std::string(what) + ": " + std::strerror(errno), path};
}

Error became_shorter(const std::string& path) { return Error{"the file became shorter while it was read", path}; }

std::int64_t written_at(const struct stat& info) {
  return static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
}

// None: what is no file has no size.
std::optional<std::size_t> size_of(const struct stat& info) {
  return S_ISREG(info.st_mode) ? std::optional(static_cast<std::size_t>(info.st_size)) : std::nullopt;
}

// As many bytes from there as the file has, at most `size`; -1: an error.
ssize_t read_at(int fd, char* to, std::size_t size, std::size_t offset) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd, to + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

// Waits until something can be read, or the other end is closed; false: the deadline came first.
bool wait_for_input(int fd, const InputLimits& limits) {
  for (;;) {
    int milliseconds = -1;
    if (limits.has_deadline()) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(limits.deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      milliseconds = static_cast<int>(std::min<std::chrono::milliseconds::rep>(left.count(), 3'600'000));
    }
    pollfd one{fd, POLLIN, 0};
    if (::poll(&one, 1, milliseconds) != 0) return true;  // of an error, read() says what it is
  }
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

struct Opened {
  int fd;
  struct stat info;
};

// Not blocking: a pipe that nobody writes to yet would otherwise be waited for without a limit.
Result<Opened> open_input(const std::string& path) {
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (fd.get() < 0) return system_error(path, "cannot open");
  Opened out{};
  if (::fstat(fd.get(), &out.info) != 0) return system_error(path, "cannot stat");
  if (S_ISDIR(out.info.st_mode)) return Error{"expected a file, found a folder", path};
  out.fd = fd.release();
  return out;
}

}  // namespace

std::uint64_t most_from_a_pipe() {
  constexpr std::uint64_t kMost = std::uint64_t{16} << 30;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return kMost;
  return std::min(kMost, static_cast<std::uint64_t>(pages) / 4 * 3 * static_cast<std::uint64_t>(page));
}

Error out_of_time_reading(const std::string& file) {
  Error error{"the time limit ran out while it was read", file};
  error.out_of_time = true;
  return error;
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path, const InputLimits& limits) {
  auto opened = open_input(path);
  if (!opened) return std::move(opened).error();
  const Descriptor fd(opened->fd);
  std::shared_ptr<MappedFile> file(new MappedFile());
  file->path_ = path;
  if (auto read = file->read_file(fd.get(), size_of(opened->info), limits); !read) return read.error();
  return std::shared_ptr<const MappedFile>(std::move(file));
}

Result<std::shared_ptr<const MappedFile>> MappedFile::map(const std::string& path, const InputLimits& limits) {
  auto opened = open_input(path);
  if (!opened) return std::move(opened).error();
  Descriptor fd(opened->fd);
  std::shared_ptr<MappedFile> file(new MappedFile());
  file->path_ = path;
  const std::optional<std::size_t> size = size_of(opened->info);
  if (size && *size >= kLeastMapped && file->map_file(fd.get(), *size)) {
    file->written_ = written_at(opened->info);
    file->fd_ = fd.release();
    file->head_.resize(std::min(kHead, *size));
    const ssize_t got = read_at(file->fd_, file->head_.data(), file->head_.size(), 0);
    if (got < 0) return system_error(path, "cannot read");
    if (static_cast<std::size_t>(got) < file->head_.size()) return became_shorter(path);
    return std::shared_ptr<const MappedFile>(std::move(file));
  }
  if (auto read = file->read_file(fd.get(), size, limits); !read) return read.error();
  return std::shared_ptr<const MappedFile>(std::move(file));
}

bool MappedFile::map_file(int fd, std::size_t size) {
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapped == MAP_FAILED) return false;
  slot_ = bus_guard::add(mapped, size);
  if (slot_ == nullptr) {  // there are too many already
    ::munmap(mapped, size);
    return false;
  }
  data_ = static_cast<const std::byte*>(mapped);
  size_ = size;
  return true;
}

// `expected`: how long a file is; none: it is a pipe or a device, which may be endless.
Result<void> MappedFile::read_file(int fd, std::optional<std::size_t> expected, const InputLimits& limits) {
  std::size_t capacity = 0;
  char* buffer = nullptr;
  for (;;) {
    if (size_ == capacity) {
      // One more than expected, so that the end is seen without another step.
      capacity = capacity == 0 ? std::max<std::size_t>(expected.value_or(0) + 1, std::size_t{1} << 16) : capacity * 2;
      void* const grown = std::realloc(buffer, capacity);
      if (grown == nullptr) throw std::bad_alloc();
      buffer = static_cast<char*>(grown);
      data_ = reinterpret_cast<const std::byte*>(buffer);  // freed by the destructor
    }
    if (!expected && !wait_for_input(fd, limits)) return out_of_time_reading(path_);
    const ssize_t got = ::read(fd, buffer + size_, capacity - size_);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return system_error(path_, "cannot read");
    if (got == 0) break;
    size_ += static_cast<std::size_t>(got);
    if (!expected && size_ > limits.most) {
      return Error{
          fmt::format("the input is endless, or longer than {} bytes, the limit for a pipe or a device: use a file",
                      limits.most),
          path_};
    }
  }
  if (expected && size_ < *expected) return became_shorter(path_);
  return {};
}

std::shared_ptr<const MappedFile> MappedFile::holding(char* data, std::size_t size) {
  std::shared_ptr<MappedFile> file(new MappedFile());
  file->data_ = reinterpret_cast<const std::byte*>(data);
  file->size_ = size;
  return file;
}

MappedFile::~MappedFile() {
  if (slot_ == nullptr) {
    std::free(const_cast<std::byte*>(data_));
    return;
  }
  bus_guard::remove(*slot_);
  ::munmap(const_cast<std::byte*>(data_), size_);
  ::close(fd_);
}

Result<void> MappedFile::still_whole() const {
  if (slot_ == nullptr) return {};
  if (bus_guard::was_cut(*slot_)) return became_shorter(path_);
  struct stat now{};
  if (::fstat(fd_, &now) != 0) return system_error(path_, "cannot stat");
  if (static_cast<std::size_t>(now.st_size) < size_) return became_shorter(path_);
  if (written_at(now) == written_) return {};
  // It may have grown, as logs do; or it was truncated and is as long again.
  std::string head(head_.size(), '\0');
  const ssize_t got = read_at(fd_, head.data(), head.size(), 0);
  if (got < 0) return system_error(path_, "cannot read");
  if (static_cast<std::size_t>(got) < head_.size()) return became_shorter(path_);
  if (head != head_) return Error{"the file was rewritten while it was read", path_};
  return {};
}

Result<void> MappedFile::copy_to(char* to) const {
  if (slot_ == nullptr) {
    if (size_ > 0) std::memcpy(to, data_, size_);
    return {};
  }
  const ssize_t got = read_at(fd_, to, size_, 0);
  if (got < 0) return system_error(path_, "cannot read");
  if (static_cast<std::size_t>(got) < size_) return became_shorter(path_);
  return still_whole();
}

void MappedFile::forget_before(std::size_t offset) const {
  if (slot_ == nullptr) return;
  const std::size_t whole = offset & ~std::size_t{4095};
  if (whole > 0) ::madvise(const_cast<std::byte*>(data_), whole, MADV_DONTNEED);
}

}  // namespace isolde
