#include "stream/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace isolde::stream {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kForm = "isolde watch 3";

const std::string* value_of(const Settings& settings, const std::string& name) {
  for (const auto& [key, value] : settings) {
    if (key == name) return &value;
  }
  return nullptr;
}

}  // namespace

std::string difference(const Settings& before, const Settings& now) {
  std::string out;
  const auto tell = [&out](const std::string& name, const std::string* old_value, const std::string* new_value) {
    if (!out.empty()) out += "; ";
    out += fmt::format("{}: {} before, {} now", name, old_value == nullptr ? "none" : *old_value,
                       new_value == nullptr ? "none" : *new_value);
  };
  for (const auto& [name, value] : before) {
    const std::string* const other = value_of(now, name);
    if (other == nullptr || *other != value) tell(name, &value, other);
  }
  for (const auto& [name, value] : now) {
    if (value_of(before, name) == nullptr) tell(name, nullptr, &value);
  }
  return out;
}

Result<CheckpointFolder> CheckpointFolder::open(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Error{error.message(), folder};
  const std::string lock_path = folder + "/lock";
  const int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return Error{std::strerror(errno), lock_path};
  CheckpointFolder opened(folder, lock);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return Error{"another `isolde watch` works with this folder", folder};
    return Error{std::strerror(errno), lock_path};
  }
  auto read = opened.read();
  if (!read) return std::move(read).error();
  return opened;
}

CheckpointFolder::CheckpointFolder(CheckpointFolder&& other) noexcept
    : folder_(std::move(other.folder_)), lock_(other.lock_), earlier_(std::move(other.earlier_)) {
  other.lock_ = -1;
}

CheckpointFolder::~CheckpointFolder() {
  if (lock_ >= 0) ::close(lock_);
}

Result<void> CheckpointFolder::read() {
  std::error_code error;
  if (!fs::exists(state(), error)) return {};
  auto in = StateReader::read(state());
  if (!in) return std::move(in).error();
  if (in->get_text() != kForm) return Error{"was written by another version of isolde", state()};
  Settings settings;
  for (auto left = in->get<std::uint64_t>(); left > 0 && in->good(); --left) {
    std::string name = in->get_text();
    settings.emplace_back(std::move(name), in->get_text());
  }
  std::string position = in->get_text();
  if (!in->good()) return Error{"is no checkpoint, or a damaged one", state()};
  earlier_.emplace(Earlier{std::move(settings), std::move(position), *std::move(in)});
  return {};
}

Result<void> CheckpointFolder::write(const Settings& settings, const std::string& position,
                                     const std::function<void(StateWriter&)>& rest) {
  StateWriter out;
  out.put_text(kForm);
  out.put(std::uint64_t{settings.size()});
  for (const auto& [name, value] : settings) {
    out.put_text(name);
    out.put_text(value);
  }
  out.put_text(position);
  rest(out);
  return out.write_to(state());
}

}  // namespace isolde::stream
