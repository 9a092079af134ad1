#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/hash.h"
#include "format/native_chunks.h"
#include "format/unknown_fields.h"
#include "stream/good_lines.h"
#include "stream/input_counts.h"
#include "stream/line_buffer.h"
#include "stream/position.h"
#include "stream/wake.h"

namespace isolde::stream {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLookAtFileEvery{20};
constexpr std::size_t kTail = 64;  // so many bytes before a position tell whether the file is still the same
constexpr std::string_view kFilePosition = "file";

class FileInput final : public Input {
 public:
  FileInput(std::string path, int fd, bool follow, const InputOptions& options)
      : path_(std::move(path)),
        fd_(fd),
        follow_(follow),
        piece_bytes_(std::max<std::size_t>(std::min(options.piece_bytes, options.max_held), 1)),
        max_line_(std::min(options.max_line, options.max_held)),
        reader_(path_, options.lenient ? UnknownFields::Stance::kIgnore : UnknownFields::Stance::kRefuse,
                ChunkReader::Repeats::kLeaveOut),
        buffer_(max_line_),
        clock_(options.clock) {}
  ~FileInput() override { ::close(fd_); }

  [[nodiscard]] Result<void> resume_at(const std::string& position) {
    const auto numbers = numbers_of(position, kFilePosition, 6);
    if (!numbers) return Error{"the checkpoint's position is not one in a file", path_};
    const auto& n = *numbers;
    offset_ = n[0];
    reader_.resume_at({n[1], n[2], n[3] != 0});
    tail_length_ = std::min<std::size_t>(n[4], kTail);
    tail_ = n[5];
    return same_file();
  }

  Result<Next> next(milliseconds wait) override {
    const auto until = steady_clock::now() + wait;
    Next out;
    for (;;) {
      if (wrong_) return *wrong_;
      if (over_) {
        out.over = true;
        return out;
      }
      bool at_end = false;
      if (buffer_.whole().empty() && !buffer_.too_long()) {
        auto filled = fill();
        if (!filled) return fail(std::move(filled).error());
        at_end = !*filled;
      }
      if (!buffer_.whole().empty() || buffer_.too_long()) {
        take(buffer_.whole().size(), out);
        if (out.piece) return out;
        continue;
      }
      if (!at_end) continue;
      if (wake_.stopped() || !follow_) {
        if (!follow_ && !wake_.stopped()) take_last_line(out);
        over_ = true;
        if (out.piece) return out;
        continue;
      }
      const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
      if (left.count() <= 0) {
        stamp(out);
        return out;
      }
      wake_.wait(std::min(left, kLookAtFileEvery));
    }
  }

  void covered(const std::string& /*position*/) override {}
  void stop() override { wake_.stop(); }
  [[nodiscard]] InputCounts counts() const override { return counts_.now(); }

 private:
  // Nobody who writes to a file has to wait for its reader, so all time counts. Of a file that does not grow everything
  // was there at once: its time stands still.
  void stamp(Next& out) const {
    out.came = came_;
    out.drained = drained_;
  }
  // Before it is asked how long the file is, and after what is there was read.
  void look_at_the_clock() {
    if (!follow_) return;
    const auto now = clock_();
    if (!began_) began_ = now;
    came_ = now - *began_;
  }
  // It was at least `size` long after the last look at the clock, of which `read` have been read.
  void note_size(std::uint64_t size, std::uint64_t read) {
    if (target_ && read >= target_->size) {
      drained_ = target_->at;
      target_.reset();
    }
    if (read == size) {
      drained_ = came_;
    } else if (!target_) {
      target_ = Target{size, came_};
    }
  }

  Error fail(Error error) {
    wrong_ = error;
    return error;
  }

  // Reads on; false at the end of the file, or when it was told to stop.
  Result<bool> fill() {
    if (wake_.stopped()) return false;
    look_at_the_clock();
    struct stat now{};
    if (::fstat(fd_, &now) != 0) return errno_error("cannot be read", path_);
    const std::uint64_t read_until = offset_ + buffer_.size();
    const auto size = static_cast<std::uint64_t>(now.st_size);
    if (size < read_until) {
      return Error{fmt::format("has shrunk: {} bytes were read, and it has {} now", read_until, size), path_};
    }
    if (follow_) {
      if (auto same = same_path(now); !same) return same.error();
      note_size(size, read_until);
    }
    if (size == read_until) return false;
    if (auto same = same_file(); !same) return same.error();
    char* const room = buffer_.room(piece_bytes_);
    ssize_t got = 0;
    do {
      got = ::pread(fd_, room, piece_bytes_, static_cast<off_t>(read_until));
    } while (got < 0 && errno == EINTR);
    const int failed = errno;
    look_at_the_clock();
    buffer_.filled(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (got < 0) return Error{fmt::format("cannot be read: {}", std::strerror(failed)), path_};
    counts_.bytes += static_cast<std::uint64_t>(got);
    counts_.held_bytes = buffer_.size();
    return got > 0;
  }

  // What is at the path may be another file by now: a log that was rotated.
  Result<void> same_path(const struct stat& mine) {
    struct stat now{};
    if (::stat(path_.c_str(), &now) != 0) {
      if (errno == ENOENT) return Error{"was removed while it was followed", path_};
      return {};  // what cannot be looked at says nothing
    }
    if (now.st_ino == mine.st_ino && now.st_dev == mine.st_dev) return {};
    return Error{"was replaced by another file while it was followed", path_};
  }

  Result<void> same_file() const {
    char bytes[kTail];
    const bool there =
        offset_ >= tail_length_ && ::pread(fd_, bytes, tail_length_, static_cast<off_t>(offset_ - tail_length_)) ==
                                       static_cast<ssize_t>(tail_length_);
    if (there && hash_bytes(bytes, tail_length_) == tail_) return {};
    return Error{fmt::format("is not the file that it was: what stands before byte {} has changed", offset_), path_};
  }

  // The first `count` bytes of the buffer, whole lines; what is wrong behind them is told by the next call.
  void take(std::size_t count, Next& out) {
    const std::string_view lines = buffer_.whole().substr(0, count);
    GoodLines good = read_good_lines(reader_, lines);
    wrong_ = std::move(good.wrong);
    if (!wrong_ && buffer_.too_long()) {
      wrong_ = Error{fmt::format("this line is longer than {} bytes", max_line_), path_, reader_.place().lines + 1,
                     max_line_};
    }
    advance(good.bytes, lines, good.chunk, out);
    if (!wrong_) buffer_.drop(count);
    counts_.held_bytes = buffer_.size();
  }

  // At the end a line needs no newline.
  void take_last_line(Next& out) {
    const std::size_t length = buffer_.rest().size();
    if (length == 0) return;
    buffer_.add("\n");
    const std::string_view lines = buffer_.whole();
    GoodLines good = read_good_lines(reader_, lines);
    wrong_ = std::move(good.wrong);
    if (wrong_) wrong_->text += " (the last line, which has no newline, may be cut off)";
    advance(good.bytes == 0 ? 0 : length, lines, good.chunk, out);
  }

  void advance(std::size_t bytes, std::string_view lines, std::shared_ptr<const Chunk>& chunk, Next& out) {
    if (bytes == 0) return;
    offset_ += bytes;
    tail_length_ = std::min(bytes, kTail);
    tail_ = hash_bytes(lines.data() + bytes - tail_length_, tail_length_);
    if (!chunk) return;
    const ChunkReader::Place place = reader_.place();
    counts_.give(*chunk);
    counts_.duplicates += reader_.repeated();
    stamp(out);
    out.piece = Piece{std::move(chunk),
                      make_position(kFilePosition, {offset_, place.lines, place.transactions,
                                                    std::uint64_t{place.past_header ? 1U : 0U}, tail_length_, tail_})};
  }

  std::string path_;
  int fd_;
  bool follow_;
  std::size_t piece_bytes_, max_line_;
  ChunkReader reader_;
  LineBuffer buffer_;
  std::uint64_t offset_ = 0;  // of the buffer's first byte
  std::size_t tail_length_ = 0;
  std::uint64_t tail_ = hash_bytes(nullptr, 0);
  bool over_ = false;
  std::optional<Error> wrong_;
  Wake wake_;
  LiveCounts counts_;
  const std::function<steady_clock::time_point()> clock_;
  std::optional<steady_clock::time_point> began_;
  std::chrono::nanoseconds came_{0}, drained_{0};
  struct Target {
    std::uint64_t size;
    std::chrono::nanoseconds at;
  };
  std::optional<Target> target_;  // drained_ is `at` when so many bytes are read
};

}  // namespace

Result<std::unique_ptr<Input>> open_file(const std::string& path, bool follow, InputOptions options) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return errno_error("cannot open", path);
  struct stat what{};
  const bool known = ::fstat(fd, &what) == 0;
  if (!known || !S_ISREG(what.st_mode)) {
    ::close(fd);
    if (known && S_ISDIR(what.st_mode)) return Error{"is a folder, and no file of native JSON Lines", path};
    return Error{"is no plain file; a pipe can be given as standard input", path};
  }
  auto input = std::make_unique<FileInput>(path, fd, follow, options);
  if (!options.resume.empty()) {
    if (auto good = input->resume_at(options.resume); !good) return good.error();
  }
  return std::unique_ptr<Input>(std::move(input));
}

}  // namespace isolde::stream
