#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <unordered_map>

#include "stream/connection.h"
#include "stream/greeting.h"
#include "stream/input_counts.h"
#include "stream/intake.h"
#include "stream/socket_address.h"
#include "stream/wake.h"

namespace isolde::stream {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using State = Connection::State;

constexpr milliseconds kLeaveLimit{5'000};          // for the last answers to be read
constexpr milliseconds kRefusedLimit{2'000};        // for the refusal to be read
constexpr milliseconds kAcceptAgain{200};           // after there was no descriptor left
constexpr std::uint64_t kMostSilentLines = 10'000;  // in a row
constexpr std::size_t kMostSessions = 4096;         // of one connection that are known to leave with it
constexpr std::size_t kMostNotices = 100;           // that wait to be taken
constexpr std::size_t kMostRefused = 32;            // beyond the limit, to be told that there are too many

class ListenInput final : public Input {
 public:
  ListenInput(ListeningSocket socket, const ListenOptions& listen, const InputOptions& options,
              std::unique_ptr<Intake> intake)
      : socket_(std::move(socket)),
        listen_(listen),
        piece_bytes_(std::max<std::size_t>(std::min(options.piece_bytes, options.max_held), 1)),
        max_line_(std::min(options.max_line, options.max_held)),
        max_held_(options.max_held),
        intake_(std::move(intake)) {
    notices_.push_back("listening on " + socket_.shown());
  }

  Result<Next> next(milliseconds wait) override {
    const auto until = steady_clock::now() + wait;
    Next out;
    take_notices(out);
    while (!read_back_) {
      if (wake_.stopped()) return over(out);
      auto again = intake_->again();
      if (!again) return std::move(again).error();
      read_back_ = again->done;
      out.gone = std::move(again->gone);
      if (again->piece) return give(*std::move(again->piece), out);
      if (!out.gone.empty()) return out;
    }
    // Who had to wait for us is not late.
    if (last_look_) shift_deadlines(steady_clock::now() - *last_look_);
    for (;;) {
      while (!ready_.empty() && !broken_) {
        const std::uint64_t id = ready_.front();
        ready_.erase(ready_.begin());
        visit(id, out);
        if (out.piece || !out.gone.empty()) break;
      }
      last_look_ = steady_clock::now();
      take_notices(out);
      if (broken_) {
        if (out.piece || !out.gone.empty()) return out;
        return *broken_;
      }
      if (out.piece) counts_.give(*out.piece->chunk);
      if (out.piece || !out.gone.empty() || !out.notices.empty()) return out;
      if (wake_.stopped()) return over(out);
      const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
      look(std::max(left, milliseconds(0)));
      if (ready_.empty() && notices_.empty() && left.count() <= 0) {
        last_look_ = steady_clock::now();
        return out;
      }
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
    out.piece = std::move(piece);
    return std::move(out);
  }

  void notice(std::string text) {
    for (char& c : text) {
      if ((c >= 0 && c < ' ') || c == '\x7f') c = '?';
    }
    if (notices_.size() < kMostNotices) {
      notices_.push_back(std::move(text));
    } else {
      ++notices_lost_;
    }
  }
  void take_notices(Next& out) {
    if (notices_lost_ > 0) notices_.push_back(fmt::format("{} more notices are left out", notices_lost_));
    notices_lost_ = 0;
    out.notices.insert(out.notices.end(), notices_.begin(), notices_.end());
    notices_.clear();
  }

  void shift_deadlines(steady_clock::duration by) {
    for (auto& [id, c] : connections_) c->deadline += by;
  }

  [[nodiscard]] static bool has_deadline(const Connection& c) {
    return c.half_line || c.state == State::kToken || c.state == State::kLeaving || c.state == State::kRefused;
  }

  // Waits until something can be done; `ready_` then says for whom.
  void look(milliseconds wait) {
    std::vector<pollfd> fds{{wake_.fd(), POLLIN, 0}};
    std::vector<std::uint64_t> ids;
    const auto now = steady_clock::now();
    auto until = now + wait;
    const bool accepting = now >= accept_after_;
    if (!accepting) until = std::min(until, accept_after_);
    fds.push_back({accepting ? socket_.fd() : -1, POLLIN, 0});
    for (const auto& [id, c] : connections_) {
      short events = c->state == State::kLeaving ? 0 : POLLIN;
      if (c->has_something_to_say()) events = static_cast<short>(events | POLLOUT);
      fds.push_back({c->fd, events, 0});
      ids.push_back(id);
      if (has_deadline(*c)) until = std::min(until, c->deadline);
    }
    const auto left = std::chrono::ceil<milliseconds>(until - now);
    if (::poll(fds.data(), fds.size(), Wake::poll_time(left)) < 0) return;
    if (fds[1].revents != 0) accept_all();
    const auto then = steady_clock::now();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Connection& c = *connections_.at(ids[i]);
      if (fds[i + 2].revents != 0 || (has_deadline(c) && then >= c.deadline)) ready_.push_back(ids[i]);
    }
    // Whoever came first last time comes last this time.
    if (!ready_.empty())
      std::rotate(ready_.begin(), ready_.begin() + (turn_++ % static_cast<std::ptrdiff_t>(ready_.size())),
                  ready_.end());
  }

  void accept_all() {
    for (int i = 0; i < 64; ++i) {
      const int fd = ::accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
          notice(fmt::format("cannot accept a connection: {}", std::strerror(errno)));
          accept_after_ = steady_clock::now() + kAcceptAgain;
        }
        return;
      }
      const int on = 1;
      ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
      ++counts_.connections;
      const std::uint64_t id = ++last_id_;
      std::string peer = peer_of(fd);
      if (peer.empty()) peer = fmt::format("connection {}", id);
      const auto now = steady_clock::now();
      auto made = std::make_unique<Connection>(fd, std::move(peer), max_line_, now);
      Connection& c = *made;
      if (connections_.size() >= listen_.max_connections + kMostRefused) {
        ++counts_.refused;
        continue;
      }
      connections_.emplace(id, std::move(made));
      if (serving_ >= listen_.max_connections) {
        refuse(c, fmt::format("there are {} connections already", listen_.max_connections));
        continue;
      }
      ++serving_;
      counts_.open_connections = serving_;
      c.state = listen_.token.empty() ? State::kHello : State::kToken;
      c.served = true;
      c.deadline = now + listen_.greeting_limit;
    }
  }

  void visit(std::uint64_t id, Next& out) {
    const auto at = connections_.find(id);
    if (at == connections_.end()) return;
    Connection& c = *at->second;
    if (!work_on(c, out)) close(at);
    std::size_t held = 0;
    for (const auto& [other, connection] : connections_) held += connection->buffer.size();
    if (held > max_held_) held -= refuse_largest();
    counts_.held_bytes = held;
  }

  // Together they hold as much as may be held, all of it lines that are not whole: whoever holds most has to go.
  // Returns how much that was.
  std::size_t refuse_largest() {
    const auto most = std::max_element(connections_.begin(), connections_.end(), [](const auto& a, const auto& b) {
      return a.second->buffer.size() < b.second->buffer.size();
    });
    Connection& c = *most->second;
    const std::size_t held = c.buffer.size();
    refuse(c, fmt::format("line {}: a line of more than {} bytes has no room beside those of other connections",
                          c.sender.lines + 1, held));
    return held;
  }

  // False: the connection is to be closed.
  bool work_on(Connection& c, Next& out) {
    const auto now = steady_clock::now();
    if (c.state == State::kRefused) {
      return c.flush() && !c.drain() && now < c.deadline;
    }
    if (c.state == State::kLeaving) return c.flush() && c.has_something_to_say() && now < c.deadline;
    std::uint64_t bytes = 0;
    const Connection::Got got = c.receive(piece_bytes_, bytes);
    counts_.bytes += bytes;
    if (bytes > 0 || c.buffer.too_long()) take_lines(c, out);
    if (c.state == State::kRefused || broken_) return c.flush();
    if (got == Connection::Got::kBroken) {
      leave_in_the_middle(c, "the connection broke");
      return false;
    }
    if (got == Connection::Got::kEnd) return at_end(c, out);
    if (c.state == State::kLeaving) return finish(c);
    watch_the_clock(c, now);
    return c.flush();
  }

  void watch_the_clock(Connection& c, steady_clock::time_point now) {
    if (c.state == State::kToken) {
      if (now >= c.deadline) refuse(c, "line 1: the token did not come in time");
      return;
    }
    const bool half = !c.buffer.rest().empty();
    if (half && c.half_line && now >= c.deadline && c.half_of == c.sender.lines) {
      return refuse(c, fmt::format("line {}: it was begun and did not become whole in time", c.sender.lines + 1));
    }
    if (half && (!c.half_line || c.half_of != c.sender.lines)) {
      c.deadline = now + listen_.line_limit;
      c.half_of = c.sender.lines;
    }
    c.half_line = half;
  }

  void take_lines(Connection& c, Next& out) {
    while ((c.state == State::kToken || c.state == State::kHello) && !c.buffer.whole().empty()) {
      if (!greet(c)) break;
    }
    if (c.state == State::kToken && c.buffer.rest().size() > kMaxGreeting) refuse(c, "line 1: expected the token");
    if (c.state == State::kRefused || broken_) return;
    if (c.said_bye) return refuse(c, "expected nothing after {\"bye\": true}");
    std::string_view lines = c.buffer.whole();
    const bool bye = ends_with_bye(lines);
    if (!lines.empty()) {
      const std::uint64_t before = c.sender.lines;
      auto taken = intake_->take(c.sender, lines, c.peer);
      if (c.sender.lines > before) c.acknowledge();
      if (taken.piece) note_sessions(c, *taken.piece->chunk);
      c.silent_lines = taken.piece ? 0 : c.silent_lines + (c.sender.lines - before);
      out.piece = std::move(taken.piece);
      broken_ = std::move(taken.broken);
      if (broken_) return;
      if (taken.wrong) return refuse(c, told(*taken.wrong));
    }
    if (c.buffer.too_long()) {
      return refuse(c, fmt::format("line {}: it is longer than {} bytes", c.sender.lines + 1, max_line_));
    }
    c.buffer.drop(c.buffer.whole().size());
    if (c.silent_lines > kMostSilentLines) {
      return refuse(c, fmt::format("line {}: {} lines in a row say nothing", c.sender.lines, c.silent_lines));
    }
    c.said_bye = bye;
  }

  // Takes {"bye": true} off the end of the lines.
  static bool ends_with_bye(std::string_view& lines) {
    if (lines.empty()) return false;
    const std::size_t last = lines.size() < 2 ? std::string_view::npos : lines.rfind('\n', lines.size() - 2);
    const std::size_t from = last == std::string_view::npos ? 0 : last + 1;
    if (greeting_in(lines.substr(from, lines.size() - from - 1)).kind != Greeting::Kind::kBye) return false;
    lines = lines.substr(0, from);
    return true;
  }

  // The first line; whether there may be another one like it.
  bool greet(Connection& c) {
    const std::string_view whole = c.buffer.whole();
    const std::size_t length = whole.find('\n') + 1;
    const Greeting greeting = greeting_in(whole.substr(0, length - 1));
    if (c.state == State::kToken) {
      const bool right = greeting.kind == Greeting::Kind::kToken && same_token(greeting.text, listen_.token);
      if (!right) {
        refuse(c, greeting.kind == Greeting::Kind::kToken ? "line 1: this is not the token"
                                                          : "line 1: expected the token, {\"token\": \"…\"}");
        return false;
      }
      c.state = State::kHello;
      c.buffer.drop(length);
      return true;
    }
    if (greeting.kind == Greeting::Kind::kToken && !c.had_token && listen_.token.empty()) {
      c.had_token = true;  // nobody asked for it
      c.buffer.drop(length);
      return true;
    }
    if (greeting.kind == Greeting::Kind::kWrong) {
      refuse(c, "line 1: " + greeting.text);
      return false;
    }
    c.state = State::kTraces;
    if (greeting.kind != Greeting::Kind::kHello) return false;
    c.buffer.drop(length);
    hello(c, greeting);
    return false;
  }

  void hello(Connection& c, const Greeting& greeting) {
    Intake::Known known = intake_->sender_named(greeting.text, greeting.first);
    if ((broken_ = std::move(known.broken))) return;
    if (!known.sender) return refuse(c, "line 1: there are too many senders with a name");
    for (auto& [id, other] : connections_) {
      if (other->sender.number != known.sender->number || other->state != State::kTraces || other.get() == &c) continue;
      park_sessions(*other);
      refuse(*other, "another connection goes on under this name");
    }
    c.sender = *known.sender;
    c.name = greeting.text;
    c.peer = fmt::format("\"{}\" ({})", greeting.text, c.peer);
    if (const auto parked = parked_.find(c.sender.number); parked != parked_.end()) {
      parked_count_ -= parked->second.size();
      c.sessions.insert(parked->second.begin(), parked->second.end());
      parked_.erase(parked);
    }
    if (known.missing > 0) {
      notice(fmt::format("{}: {} lines up to line {} are missing: it cannot send them any more", c.peer, known.missing,
                         c.sender.lines));
    }
    c.say(fmt::format("{{\"resume\": {}}}\n", c.sender.lines));
  }

  void note_sessions(Connection& c, const Chunk& chunk) {
    const auto note = [&](Print session) {
      if (c.sessions.size() < kMostSessions) c.sessions.insert(raw64(session));
    };
    for (const Print session : chunk.session_print) note(session);
    for (const Heartbeat& beat : chunk.heartbeats) note(beat.session);
  }

  // The sender may come back: it is then known what it had sent.
  void park_sessions(Connection& c) {
    constexpr std::size_t kMostParked = 65536;
    if (c.sender.number == 0 || parked_count_ + c.sessions.size() > kMostParked) return;
    parked_count_ += c.sessions.size();
    parked_[c.sender.number] = std::move(c.sessions);
    c.sessions.clear();
  }

  static std::string told(const Error& error) {
    std::string text = fmt::format("line {}: {}", error.line, error.text);
    if (error.column > 1) text += fmt::format(" (at column {})", error.column);
    return text;
  }

  void refuse(Connection& c, const std::string& why) {
    ++counts_.refused;
    notice(fmt::format("{} refused: {}", c.peer, why));
    std::string line = "{\"error\": ";
    append_json_string(why, line);
    c.say(line + "}\n");
    c.state = State::kRefused;
    c.half_line = false;
    c.buffer.clear();
    c.deadline = steady_clock::now() + kRefusedLimit;
    if (c.flush() && !c.has_something_to_say()) ::shutdown(c.fd, SHUT_WR);
  }

  void leave_in_the_middle(Connection& c, std::string_view why) {
    park_sessions(c);
    if (c.sender.lines > 0 || !c.buffer.rest().empty()) {
      notice(fmt::format("{} left after line {}: {}", c.peer, c.sender.lines, why));
    }
  }

  // The peer has closed its side.
  bool at_end(Connection& c, Next& out) {
    if (!c.buffer.rest().empty()) {
      leave_in_the_middle(c, fmt::format("{} bytes of a line without its end were dropped", c.buffer.rest().size()));
    } else if (c.sender.number != 0 && !c.said_bye) {
      park_sessions(c);  // it has a name, so it may come back
    } else {
      for (const std::uint64_t session : c.sessions) {
        const bool elsewhere = std::any_of(connections_.begin(), connections_.end(), [&](const auto& entry) {
          return entry.second.get() != &c && entry.second->sessions.contains(session);
        });
        if (!elsewhere) out.gone.push_back(Print{session});
      }
      std::sort(out.gone.begin(), out.gone.end());
      if (!out.gone.empty()) broken_ = intake_->gone(out.gone);
      if (!broken_ && c.said_bye && !c.name.empty()) broken_ = intake_->farewell(c.name);
    }
    c.buffer.clear();
    return finish(c);
  }

  bool finish(Connection& c) {
    c.state = State::kLeaving;
    c.half_line = false;
    c.deadline = steady_clock::now() + kLeaveLimit;
    return c.flush() && c.has_something_to_say();
  }

  void close(std::unordered_map<std::uint64_t, std::unique_ptr<Connection>>::iterator at) {
    if (at->second->served) {
      --serving_;
      counts_.open_connections = serving_;
    }
    connections_.erase(at);
  }

  ListeningSocket socket_;
  ListenOptions listen_;
  std::size_t piece_bytes_, max_line_, max_held_;
  std::unique_ptr<Intake> intake_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::vector<std::uint64_t> ready_;  // connections that something can be done for
  std::ptrdiff_t turn_ = 0;
  std::uint64_t last_id_ = 0;
  std::size_t serving_ = 0;
  std::unordered_map<std::uint32_t, std::unordered_set<std::uint64_t>> parked_;  // sessions of named senders that left
  std::size_t parked_count_ = 0;
  std::vector<std::string> notices_;
  std::uint64_t notices_lost_ = 0;
  steady_clock::time_point accept_after_{};
  std::optional<steady_clock::time_point> last_look_;
  bool read_back_ = false;
  std::optional<Error> broken_;
  Wake wake_;
  LiveCounts counts_;
};

}  // namespace

Result<std::unique_ptr<Input>> listen_on(const ListenOptions& listen, InputOptions options) {
  auto socket = ListeningSocket::open(listen.address, !listen.token.empty());
  if (!socket) return std::move(socket).error();
  auto intake = Intake::open(options);
  if (!intake) return std::move(intake).error();
  return std::unique_ptr<Input>(std::make_unique<ListenInput>(*std::move(socket), listen, options, *std::move(intake)));
}

}  // namespace isolde::stream
