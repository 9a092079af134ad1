#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "stream/arrival_clock.h"
#include "stream/input_counts.h"
#include "stream/intake.h"
#include "stream/senders.h"
#include "stream/socket_address.h"
#include "stream/wake.h"

namespace isolde::stream {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kAcceptAgain{200};  // after there was no descriptor left
constexpr int kMostAccepted = 64;          // at once
// Who has so many bytes unread may be held up: small messages fill a socket's buffer long before its size is reached.
constexpr int kMuch = 8 << 10;

bool has_input(const pollfd& socket) { return (socket.revents & (POLLIN | POLLHUP | POLLERR)) != 0; }

bool has_much(int fd) {
  int waiting = 0;
  return ::ioctl(fd, FIONREAD, &waiting) != 0 || waiting >= kMuch;
}

// All work is done within next(): who is not asked does not read.
class ListenInput final : public Input {
 public:
  ListenInput(ListeningSocket socket, const ListenOptions& listen, const InputOptions& options,
              std::unique_ptr<Intake> intake)
      : clock_(listen.clock),
        arrival_clock_(options.clock),
        socket_(std::move(socket)),
        intake_(std::move(intake)),
        senders_(listen, options, *intake_, counts_) {
    senders_.notice("listening on " + socket_.shown());
  }

  Result<Next> next(milliseconds wait) override {
    const auto until = clock_() + wait;
    Next out;
    out.notices = senders_.take_notices();
    while (!read_back_) {
      if (wake_.stopped()) return over(out);
      auto again = intake_->again();
      if (!again) return std::move(again).error();
      read_back_ = again->done;
      out.gone = std::move(again->gone);
      out.piece = std::move(again->piece);
      if (out.piece || !out.gone.empty()) return give(out);
    }
    if (last_look_) senders_.shift_deadlines(clock_() - *last_look_);
    auto result = serve(out, until);
    last_look_ = clock_();
    return result;
  }

  void covered(const std::string& position) override { intake_->covered(position); }
  void stop() override { wake_.stop(); }
  [[nodiscard]] InputCounts counts() const override { return counts_.now(); }

 private:
  static Next over(Next& out) {
    out.over = true;
    return std::move(out);
  }
  Next give(Next& out) {
    if (out.piece) counts_.give(*out.piece->chunk);
    counts_.duplicates = intake_->duplicates();
    out.came = arrivals_.came();
    out.drained = arrivals_.drained();
    return std::move(out);
  }

  Result<Next> serve(Next& out, steady_clock::time_point until) {
    for (;;) {
      while (!ready_.empty() && !senders_.is_full() && !senders_.broken()) {
        senders_.visit(ready_.back());
        ready_.pop_back();
        arrivals_.has_read(arrival_clock_());
      }
      const bool stopped = wake_.stopped();
      if (!senders_.broken() && (stopped || senders_.is_due(clock_()))) senders_.settle();
      const auto notices = senders_.take_notices();
      out.notices.insert(out.notices.end(), notices.begin(), notices.end());
      if (!senders_.given.empty()) {
        out.piece = std::move(senders_.given.front().piece);
        out.gone = std::move(senders_.given.front().gone);
        senders_.given.pop_front();
        return give(out);
      }
      if (senders_.broken()) return *senders_.broken();
      if (stopped) return over(out);
      if (!out.notices.empty()) return give(out);
      if (!ready_.empty()) continue;
      const bool last = clock_() >= until;
      look(until);
      if (last && ready_.empty() && !senders_.is_due(clock_())) return give(out);
    }
  }

  // Waits until something can be done; `ready_` then says for whom.
  void look(steady_clock::time_point until) {
    Senders::Waiting waiting = senders_.waiting(until);
    const auto now = clock_();
    const bool accepting = now >= accept_after_;
    if (!accepting) waiting.until = std::min(waiting.until, accept_after_);
    const std::size_t count = waiting.sockets.size();
    waiting.sockets.push_back({accepting ? socket_.fd() : -1, POLLIN, 0});
    waiting.sockets.push_back({wake_.fd(), POLLIN, 0});
    const auto left = std::chrono::ceil<milliseconds>(waiting.until - now);
    const auto any_input = [&] {  // on a connection, or a new one
      return std::any_of(waiting.sockets.begin(), waiting.sockets.end() - 1, has_input);
    };
    int found = ::poll(waiting.sockets.data(), waiting.sockets.size(), 0);
    // What was gathered is not given yet, and who cannot be accepted may have sent something.
    if (found >= 0 && !any_input() && accepting && senders_.has_given_all()) arrivals_.found_nothing(arrival_clock_());
    if (found == 0) found = ::poll(waiting.sockets.data(), waiting.sockets.size(), Wake::poll_time(left));
    if (found < 0) return;
    if (any_input()) {
      bool much = false;
      for (std::size_t i = 0; i < count; ++i) {
        if (has_input(waiting.sockets[i])) much = much || has_much(waiting.sockets[i].fd);
      }
      if (waiting.sockets[count].revents != 0) much = accept_all() || much;
      arrivals_.found_something(arrival_clock_(), much);
    }
    const auto then = clock_();
    for (std::size_t i = 0; i < count; ++i) {
      if (waiting.sockets[i].revents != 0 || senders_.is_late(waiting.ids[i], then)) ready_.push_back(waiting.ids[i]);
    }
    if (ready_.empty()) return;
    // Whoever came first last time comes later this time.
    std::rotate(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(turn_++ % ready_.size()), ready_.end());
  }

  // Whether one of them may have been held up.
  bool accept_all() {
    bool much = false;
    for (int i = 0; i < kMostAccepted; ++i) {
      const int fd = ::accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd >= 0) {
        much = much || has_much(fd);
        senders_.add(fd);
        continue;
      }
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        senders_.notice(fmt::format("cannot accept a connection: {}", std::strerror(errno)));
        accept_after_ = clock_() + kAcceptAgain;
        return true;
      }
      return much;
    }
    return true;
  }

  std::function<steady_clock::time_point()> clock_;          // of the limits that connections have
  const std::function<ArrivalClock::Time()> arrival_clock_;  // of what is judged
  LiveCounts counts_;
  ListeningSocket socket_;
  std::unique_ptr<Intake> intake_;
  Senders senders_;
  std::vector<std::uint64_t> ready_;  // connections that something can be done for
  std::size_t turn_ = 0;
  steady_clock::time_point accept_after_{};
  std::optional<steady_clock::time_point> last_look_;
  bool read_back_ = false;
  Wake wake_;
  ArrivalClock arrivals_;
};

}  // namespace

std::string_view name(Refusal refusal) {
  switch (refusal) {
    case Refusal::kToken:
      return "token";
    case Refusal::kSilent:
      return "silent";
    case Refusal::kFull:
      return "full";
    case Refusal::kLine:
      return "line";
    case Refusal::kReplaced:
      return "replaced";
  }
  return "";
}

std::string_view meaning(Refusal refusal) {
  switch (refusal) {
    case Refusal::kToken:
      return "without the token";
    case Refusal::kSilent:
      return "silent for too long";
    case Refusal::kFull:
      return "beyond the limit";
    case Refusal::kLine:
      return "with a line that is no trace";
    case Refusal::kReplaced:
      return "replaced by another under the same name";
  }
  return "";
}

Result<std::unique_ptr<Input>> listen_on(const ListenOptions& listen, InputOptions options) {
  auto socket = ListeningSocket::open(listen.address, !listen.token.empty());
  if (!socket) return std::move(socket).error();
  auto intake = Intake::open(options);
  if (!intake) return std::move(intake).error();
  return std::unique_ptr<Input>(std::make_unique<ListenInput>(*std::move(socket), listen, options, *std::move(intake)));
}

}  // namespace isolde::stream
