#include "base/state_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "base/files.h"
#include "base/hash.h"

namespace isolde {
namespace {

constexpr char kMagic[8] = {'i', 's', 'o', 'l', 'd', 'e', 'S', '1'};

struct Head {
  char magic[8];
  std::uint64_t size;
  std::uint64_t checksum;
};

Error failed(const std::string& path) { return Error{std::strerror(errno), path}; }

}  // namespace

Result<void> StateWriter::write_to(const std::string& path) const {
  const std::string beside = path + ".new";
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return failed(beside);
  Head head{};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  head.size = bytes_.size();
  head.checksum = hash_bytes(bytes_.data(), bytes_.size());
  const bool written =
      write_all(file, &head, sizeof head) && write_all(file, bytes_.data(), bytes_.size()) && ::fsync(file) == 0;
  const int why = errno;
  ::close(file);
  if (!written) {
    ::unlink(beside.c_str());
    errno = why;
    return failed(beside);
  }
  if (std::rename(beside.c_str(), path.c_str()) != 0) return failed(path);
  return {};
}

Result<StateReader> StateReader::read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return failed(path);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Head head{};
  if (bytes.size() < sizeof head) return Error{"is not a checkpoint: it is too short", path};
  std::memcpy(&head, bytes.data(), sizeof head);
  bytes.erase(0, sizeof head);
  if (std::memcmp(head.magic, kMagic, sizeof kMagic) != 0 || head.size != bytes.size() ||
      head.checksum != hash_bytes(bytes.data(), bytes.size())) {
    return Error{"is not a checkpoint, or is damaged", path};
  }
  return StateReader(std::move(bytes));
}

}  // namespace isolde
