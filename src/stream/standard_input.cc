#include "stream/standard_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>

#include "stream/arrival_clock.h"
#include "stream/input_counts.h"
#include "stream/intake.h"
#include "stream/line_buffer.h"
#include "stream/wake.h"

namespace isolde::stream {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class PipeInput final : public Input {
 public:
  PipeInput(int fd, std::string name, const InputOptions& options, std::unique_ptr<Intake> intake)
      : fd_(fd),
        name_(std::move(name)),
        piece_bytes_(std::max<std::size_t>(std::min(options.piece_bytes, options.max_held), 1)),
        max_line_(std::min(options.max_line, options.max_held)),
        intake_(std::move(intake)),
        buffer_(max_line_),
        clock_(options.clock) {}

  Result<Next> next(milliseconds wait) override {
    const auto until = steady_clock::now() + wait;
    Next out;
    while (!read_back_) {
      if (wake_.stopped()) return over(out);
      auto again = intake_->again();
      if (!again) return std::move(again).error();
      read_back_ = again->done;
      out.gone = std::move(again->gone);
      if (again->piece) return give(*std::move(again->piece), out);
      if (!out.gone.empty()) return out;
    }
    for (;;) {
      if (wrong_) return *wrong_;
      if (over_ || wake_.stopped()) return over(out);
      if (!is_readable(milliseconds(0))) {
        arrivals_.found_nothing(clock_());
        if (wake_.stopped()) continue;
        const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
        if (left.count() <= 0) return timed(out);
        if (!is_readable(left)) continue;
      }
      arrivals_.found_something(clock_(), has_much());
      if (fill()) return *wrong_;
      arrivals_.has_read(clock_());
      if (buffer_.whole().empty() && !buffer_.too_long()) continue;
      auto taken = intake_->take(sender_, buffer_.whole(), name_);
      wrong_ = taken.broken ? std::move(taken.broken) : std::move(taken.wrong);
      if (!wrong_ && buffer_.too_long()) {
        wrong_ = Error{fmt::format("this line is longer than {} bytes", max_line_), name_, sender_.lines + 1, 1};
      }
      if (!wrong_) buffer_.drop(buffer_.whole().size());
      counts_.held_bytes = buffer_.size();
      if (taken.piece) return give(*std::move(taken.piece), out);
    }
  }

  void covered(const std::string& position) override { intake_->covered(position); }
  void stop() override { wake_.stop(); }
  [[nodiscard]] InputCounts counts() const override { return counts_.now(); }

 private:
  static Next over(Next& out) {
    out.over = true;
    return std::move(out);
  }
  Next give(Piece piece, Next& out) {
    counts_.give(*piece.chunk);
    counts_.duplicates = intake_->duplicates();
    out.piece = std::move(piece);
    return timed(out);
  }
  Next timed(Next& out) const {
    out.came = arrivals_.came();
    out.drained = arrivals_.drained();
    return std::move(out);
  }

  // Whether so much lies in the pipe that who writes to it may be waiting. Small writes fill a pipe to a half at least.
  [[nodiscard]] bool has_much() const {
    int waiting = 0;
    if (::ioctl(fd_, FIONREAD, &waiting) != 0) return true;
    constexpr int kSocketShare = 8 << 10;  // where the input is no pipe
    const int size = ::fcntl(fd_, F_GETPIPE_SZ);
    return waiting >= (size > 0 ? size / 4 : kSocketShare);
  }

  bool is_readable(milliseconds wait) {
    pollfd fds[] = {{fd_, POLLIN, 0}, {wake_.fd(), POLLIN, 0}};
    return ::poll(fds, 2, Wake::poll_time(wait)) > 0 && fds[0].revents != 0;
  }

  // What is there and what comes within a moment, up to a piece: one line at a time would cost much. True if it cannot
  // be read.
  bool fill() {
    constexpr milliseconds kGatherInput{2};
    constexpr std::size_t kEnough = std::size_t{64} << 10;
    const auto until = steady_clock::now() + kGatherInput;
    const auto wait = [&] {
      if (buffer_.size() >= kEnough) return milliseconds(0);
      return std::max(std::chrono::ceil<milliseconds>(until - steady_clock::now()), milliseconds(0));
    };
    do {
      constexpr std::size_t kInputStep = std::size_t{64} << 10;
      const std::size_t step = std::min(kInputStep, piece_bytes_);
      const ssize_t got = ::read(fd_, buffer_.room(step), step);
      const int failed = errno;
      buffer_.filled(got > 0 ? static_cast<std::size_t>(got) : 0);
      if (got < 0 && (failed == EINTR || failed == EAGAIN)) return false;
      if (got < 0) {
        wrong_ = Error{fmt::format("cannot be read: {}", std::strerror(failed)), name_};
        return true;
      }
      counts_.bytes += static_cast<std::uint64_t>(got);
      if (got == 0) {  // at the end a line needs no newline
        over_ = true;
        if (!buffer_.rest().empty() && !buffer_.too_long()) buffer_.add("\n");
        return false;
      }
    } while (!buffer_.too_long() && buffer_.whole().size() < piece_bytes_ && is_readable(wait()) && !wake_.stopped());
    return false;
  }

  int fd_;
  std::string name_;
  std::size_t piece_bytes_, max_line_;
  std::unique_ptr<Intake> intake_;
  LineBuffer buffer_;
  Sender sender_;
  bool read_back_ = false;
  bool over_ = false;
  std::optional<Error> wrong_;
  Wake wake_;
  LiveCounts counts_;
  const std::function<ArrivalClock::Time()> clock_;
  ArrivalClock arrivals_;
};

}  // namespace

Result<std::unique_ptr<Input>> open_pipe(int fd, const std::string& name, InputOptions options) {
  auto intake = Intake::open(options);
  if (!intake) return std::move(intake).error();
  return std::unique_ptr<Input>(std::make_unique<PipeInput>(fd, name, options, *std::move(intake)));
}

Result<std::unique_ptr<Input>> open_standard_input(InputOptions options) {
  return open_pipe(STDIN_FILENO, "standard input", std::move(options));
}

}  // namespace isolde::stream
