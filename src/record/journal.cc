#include "record/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/ids.h"

namespace isolde::record {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kNumber = 24;  // what a 64-bit integer takes at most, and a blank

std::string_view name_of(Status status) {
  switch (status) {
    case Status::kCommitted:
      return "committed";
    case Status::kAborted:
      return "aborted";
    case Status::kUnknown:
      return "unknown";
  }
  return "unknown";
}

// Puts a record together where it will stand.
class Pen {
 public:
  explicit Pen(char* at) : at_(at) {}
  Pen& text(std::string_view text) {
    if (text.empty()) return *this;
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }
  Pen& number(std::int64_t number) {
    at_ = std::to_chars(at_, at_ + kNumber, number).ptr;
    return *this;
  }
  [[nodiscard]] char* at() const { return at_; }

 private:
  char* at_;
};

}  // namespace

// The file's last bytes are mapped: the window. It begins at a page and ends where the file ends for now.
struct Journal::File {
  std::string path;
  int fd = -1;
  char* window = nullptr;
  std::size_t window_size = 0;
  std::uint64_t window_begin = 0;  // its place in the file
  std::uint64_t size = 0;          // of the file
  std::uint64_t written = 0;       // whole records
  std::size_t page = 4096;
  std::string fault;

  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    unmap();
    if (fd < 0) return;
    // If the cut fails the zeros stay, and readers drop them.
    [[maybe_unused]] const int cut = ::ftruncate(fd, static_cast<off_t>(written));
    ::close(fd);
  }

  void unmap() {
    if (window != nullptr) ::munmap(window, window_size);
    window = nullptr;
    window_size = 0;
  }

  void fail(const char* what, int number) { fault = path + ": " + what + ": " + std::strerror(number); }

  // Where the next record is to stand; null once there is a fault.
  char* room(std::size_t record) {
    if (!fault.empty()) return nullptr;
    const auto used = static_cast<std::size_t>(written - window_begin);
    if (used + record <= window_size || grow(record)) return window + (written - window_begin);
    unmap();
    return nullptr;
  }

  // Blocks of the disk are taken here and not when a page is first touched: a full disk is then an error of this call.
  // A page without a block behind it would be a SIGBUS in the middle of a record.
  bool grow(std::size_t record) {
    const std::uint64_t wanted = (written + record + kBlock - 1) / kBlock * kBlock;
    if (wanted > size) {
      rlimit limit{};  // growing beyond it would be a signal (SIGXFSZ), not an error
      if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && wanted > limit.rlim_cur) {
        fail("cannot grow", EFBIG);
        return false;
      }
      int failed = 0;
      do {
        failed = ::posix_fallocate(fd, static_cast<off_t>(size), static_cast<off_t>(wanted - size));
      } while (failed == EINTR);
      if (failed != 0) {
        fail("cannot grow", failed);
        return false;
      }
      size = wanted;
    }
    unmap();
    window_begin = written / page * page;
    const auto length = static_cast<std::size_t>(size - window_begin);
    void* const mapped =
        ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(window_begin));
    if (mapped == MAP_FAILED) {
      fail("cannot map", errno);
      return false;
    }
    window = static_cast<char*>(mapped);
    window_size = length;
    return true;
  }

  // The newline makes the bytes before it a record, so it is stored after them, for a reader of this moment and for one
  // that comes after a kill.
  void finish(const Pen& pen) {
    std::atomic_ref<char>(*pen.at()).store('\n', std::memory_order_release);
    written = window_begin + static_cast<std::uint64_t>(pen.at() + 1 - window);
  }

  // A record is one line, and a zero ends the journal: neither may come from what the caller hands in.
  bool is_line(std::string_view text) {
    const bool good = text.empty() || (std::memchr(text.data(), '\n', text.size()) == nullptr &&
                                       std::memchr(text.data(), 0, text.size()) == nullptr);
    if (!good && fault.empty()) fault = path + ": a record with a line break or a zero byte: " + std::string(text);
    return good;
  }

  void with_number(std::string_view kind, std::int64_t number) {
    if (char* const at = room(kind.size() + kNumber + 1)) finish(Pen(at).text(kind).number(number));
  }
};

Journal::Journal(std::unique_ptr<File> file) : file_(std::move(file)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;
Journal::~Journal() = default;

Result<Journal> Journal::create(const std::string& path) {
  auto file = std::make_unique<File>();
  file->path = path;
  file->fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file->fd < 0) return Error{std::string("cannot create: ") + std::strerror(errno), path};
  // Held as long as the process lives: this is how a reader knows that more will come (format/recording.h).
  int locked = 0;
  do {
    locked = ::flock(file->fd, LOCK_EX);
  } while (locked != 0 && errno == EINTR);  // a file system without locks: then no reader can know, as documented
  if (const long page = ::sysconf(_SC_PAGESIZE); page > 0) file->page = static_cast<std::size_t>(page);
  if (!file->grow(1)) return Error{file->fault.substr(path.size() + 2), path};
  return Journal(std::move(file));
}

void Journal::session(std::int64_t name) { file_->with_number("s ", name); }

void Journal::about_to_begin() {
  char* const at = file_->room(2 * kNumber + 4);
  if (at == nullptr) return;
  // An exchange and no store: it is seen by others before the clock is read.
  std::atomic_ref<char>(*at).exchange('b', std::memory_order_seq_cst);
}

void Journal::begin(std::int64_t id, std::int64_t time) {
  if (char* const at = file_->room(2 * kNumber + 4)) {
    file_->finish(Pen(at).text("b ").number(id).text(" ").number(time));
  }
}

void Journal::op(std::string_view op, Lock lock, std::int64_t before, std::int64_t after, std::string_view details) {
  if (!file_->is_line(op) || !file_->is_line(details)) return;
  char* const at = file_->room(op.size() + details.size() + 2 * kNumber + 64);
  if (at == nullptr) return;
  Pen pen(at);
  pen.text("o ").text(op);
  std::string_view open = ",{";  // what stands before the next detail
  if (lock != Lock::kNone) {
    pen.text(open).text(lock == Lock::kUpdate ? R"("lock":"update")" : R"("lock":"share")");
    open = ",";
  }
  if (before != kNoTime && after != kNoTime) {
    pen.text(open).text(R"("at":[)").number(before).text(",").number(after).text("]");
    open = ",";
  }
  if (!details.empty()) {
    pen.text(open).text(details);
    open = ",";
  }
  file_->finish(pen.text(open == "," ? "}]" : "]"));
}

void Journal::intent(std::string_view op, std::int64_t before) {
  if (!file_->is_line(op)) return;
  if (char* const at = file_->room(op.size() + kNumber + 8)) {
    file_->finish(Pen(at).text("i ").number(before).text(" ").text(op).text("]"));
  }
}

void Journal::done(std::int64_t after) { file_->with_number("d ", after); }

void Journal::commit(std::int64_t before) { file_->with_number("c ", before); }

void Journal::facts(std::string_view fields) {
  if (!file_->is_line(fields)) return;
  if (char* const at = file_->room(fields.size() + 4)) file_->finish(Pen(at).text("f ").text(fields));
}

void Journal::place(std::int64_t place) { file_->with_number("p ", place); }

void Journal::end(Status status, std::int64_t time) {
  const std::string_view name = name_of(status);
  char* const at = file_->room(name.size() + kNumber + 8);
  if (at == nullptr) return;
  Pen pen(at);
  pen.text("e ").text(name);
  if (status != Status::kUnknown) pen.text(" ").number(time);
  file_->finish(pen);
}

std::uint64_t Journal::bytes() const { return file_->written; }

const std::string& Journal::fault() const { return file_->fault; }

}  // namespace isolde::record
