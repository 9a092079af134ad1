#include "cli/secret_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mapped_file.h"

namespace isolde::cli {
namespace {

constexpr std::uint64_t kMostSecretBytes = 1 << 16;

}  // namespace

Result<std::string> secret_in(const std::string& file, std::string_view what) {
  auto content = MappedFile::open(file, {.most = kMostSecretBytes});
  if (!content) return std::move(content).error();
  const std::string_view text = (*content)->text();
  std::string secret(text.substr(0, text.find('\n')));
  while (!secret.empty() && (secret.back() == '\r' || secret.back() == ' ')) secret.pop_back();
  if (secret.empty()) return Error{fmt::format("the first line is empty: it must contain the {}", what), file};
  return secret;
}

Result<void> write_secret(const std::string& file, const std::string& secret) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return errno_error("cannot create", file);
  const std::string line = secret + "\n";
  const bool good = ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const Error error = errno_error("cannot write", file);
  ::close(fd);
  if (good) return {};
  ::unlink(file.c_str());
  return error;
}

}  // namespace isolde::cli
