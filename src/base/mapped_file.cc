#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace isolde {
namespace {

Error system_error(const std::string& path, const char* what) {
  return Error{std::string(what) + ": " + std::strerror(errno), path};
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error(path, "cannot open");
  std::shared_ptr<MappedFile> file(new MappedFile());
  struct stat info{};
  if (::fstat(fd, &info) != 0) {
    const Error error = system_error(path, "cannot stat");
    ::close(fd);
    return error;
  }
  if (S_ISDIR(info.st_mode)) {
    ::close(fd);
    return Error{"expected a file, found a folder", path};
  }
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    void* const mapped = ::mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapped != MAP_FAILED) {
      file->data_ = static_cast<const std::byte*>(mapped);
      file->size_ = static_cast<std::size_t>(info.st_size);
      file->mapped_ = true;
      ::close(fd);
      return std::shared_ptr<const MappedFile>(file);
    }
  }
  std::size_t capacity = 0;
  char* buffer = nullptr;
  for (;;) {
    if (file->size_ == capacity) {
      capacity = capacity == 0 ? 1 << 16 : capacity * 2;
      void* const grown = std::realloc(buffer, capacity);
      if (grown == nullptr) throw std::bad_alloc();
      buffer = static_cast<char*>(grown);
    }
    const ssize_t got = ::read(fd, buffer + file->size_, capacity - file->size_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const Error error = system_error(path, "cannot read");
      std::free(buffer);
      ::close(fd);
      return error;
    }
    if (got == 0) break;
    file->size_ += static_cast<std::size_t>(got);
  }
  ::close(fd);
  file->data_ = reinterpret_cast<const std::byte*>(buffer);
  return std::shared_ptr<const MappedFile>(file);
}

std::shared_ptr<const MappedFile> MappedFile::holding(char* data, std::size_t size) {
  std::shared_ptr<MappedFile> file(new MappedFile());
  file->data_ = reinterpret_cast<const std::byte*>(data);
  file->size_ = size;
  return file;
}

MappedFile::~MappedFile() {
  if (mapped_) {
    ::munmap(const_cast<std::byte*>(data_), size_);
  } else {
    std::free(const_cast<std::byte*>(data_));
  }
}

void MappedFile::forget_before(std::size_t offset) const {
  if (!mapped_) return;
  const std::size_t whole = offset & ~std::size_t{4095};
  if (whole > 0) ::madvise(const_cast<std::byte*>(data_), whole, MADV_DONTNEED);
}

}  // namespace isolde
