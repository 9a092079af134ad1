#include "stream/senders.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "stream/socket_address.h"

namespace isolde::stream {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using State = Connection::State;

constexpr milliseconds kGatherLines{2};             // from the first line on
constexpr milliseconds kLeaveLimit{5'000};          // for the last answers to be read
constexpr milliseconds kRefusedLimit{2'000};        // for the refusal to be read
constexpr std::uint64_t kMostSilentLines = 10'000;  // in a row
constexpr std::size_t kMostSessions = 4096;         // of one connection that are known to leave with it
constexpr std::size_t kMostNotices = 100;           // that wait to be taken
constexpr std::size_t kMostRefused = 32;            // that are still there, to be told why

// Lines that have come whole, taken or not.
std::uint64_t lines_of(const Connection& c) {
  const std::string_view whole = c.buffer.whole();
  return c.sender.lines + static_cast<std::uint64_t>(std::count(whole.begin(), whole.end(), '\n'));
}

bool has_deadline(const Connection& c) {
  return c.half_line || c.is_new() || c.state == State::kLeaving || c.state == State::kRefused;
}

// Takes {"bye": true} off the end of the lines; whether it stood there.
bool ends_with_bye(std::string_view& lines) {
  if (lines.empty()) return false;
  const std::size_t last = lines.size() < 2 ? std::string_view::npos : lines.rfind('\n', lines.size() - 2);
  const std::size_t from = last == std::string_view::npos ? 0 : last + 1;
  if (greeting_in(lines.substr(from, lines.size() - from - 1)).kind != Greeting::Kind::kBye) return false;
  lines = lines.substr(0, from);
  return true;
}

std::string told(const Error& error) {
  std::string text = fmt::format("line {}: {}", error.line, error.text);
  if (error.column > 1) text += fmt::format(" (at column {})", error.column);
  return text;
}

}  // namespace

Senders::Senders(const ListenOptions& listen, const InputOptions& options, Intake& intake, LiveCounts& counts)
    : listen_(listen),
      piece_bytes_(std::max<std::size_t>(std::min(options.piece_bytes, options.max_held), 1)),
      max_line_(std::min(options.max_line, options.max_held)),
      max_held_(options.max_held),
      intake_(intake),
      counts_(counts) {}

void Senders::add(int fd) {
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ++counts_.connections;
  const std::uint64_t id = ++last_id_;
  std::string peer = peer_of(fd);
  if (peer.empty()) peer = fmt::format("connection {}", id);
  const auto now = listen_.clock();
  auto made = std::make_unique<Connection>(fd, std::move(peer), max_line_, now);
  Connection& c = *made;
  const bool has_room = serving_ < listen_.max_connections || make_room();
  if (connections_.size() - serving_ >= kMostRefused) {
    // Whoever was refused first has had the longest time to read why.
    close(std::find_if(connections_.begin(), connections_.end(),
                       [](const auto& entry) { return !entry.second->served; }));
  }
  connections_.emplace(id, std::move(made));
  if (!has_room) {
    return refuse(c, Refusal::kFull, fmt::format("there are {} connections already", listen_.max_connections));
  }
  counts_.open_connections = ++serving_;
  c.state = listen_.token.empty() ? State::kHello : State::kToken;
  c.served = true;
  c.deadline = now + (c.state == State::kToken ? listen_.greeting_limit : listen_.line_limit);
}

// Whoever has the token goes after those who did not show it. One that is refused here is not waited for: it has sent
// nothing, so that what it is told arrives.
bool Senders::make_room() {
  const auto rank = [](const Connection& c) { return std::pair(c.state != State::kToken, c.since); };
  auto oldest = connections_.end();
  for (auto at = connections_.begin(); at != connections_.end(); ++at) {
    const Connection& c = *at->second;
    if (!c.served || !c.is_new() || !c.buffer.whole().empty()) continue;
    if (oldest == connections_.end() || rank(c) < rank(*oldest->second)) oldest = at;
  }
  if (oldest == connections_.end()) return false;
  refuse(*oldest->second, Refusal::kSilent, "others need its place, and it has sent nothing");
  close(oldest);
  return true;
}

Senders::Waiting Senders::waiting(Time until) const {
  Waiting out{{}, {}, until};
  if (gathered_ > 0) out.until = std::min(out.until, gather_until_);
  for (const auto& [id, c] : connections_) {
    short events = c->state == State::kLeaving || c->has_ended ? 0 : POLLIN;
    if (c->has_something_to_say()) events = static_cast<short>(events | POLLOUT);
    out.sockets.push_back({c->fd, events, 0});
    out.ids.push_back(id);
    if (has_deadline(*c)) out.until = std::min(out.until, c->deadline);
  }
  return out;
}

bool Senders::is_late(std::uint64_t id, Time now) const {
  const auto at = connections_.find(id);
  return at != connections_.end() && has_deadline(*at->second) && now >= at->second->deadline;
}

void Senders::shift_deadlines(Time::duration by) {
  for (auto& [id, c] : connections_) c->deadline += by;
}

void Senders::notice(std::string text) {
  text = printable_line(text);  // names are the senders' own
  if (notices_.size() < kMostNotices) {
    notices_.push_back(std::move(text));
  } else {
    ++notices_lost_;
  }
}
std::vector<std::string> Senders::take_notices() {
  if (notices_lost_ > 0) notices_.push_back(fmt::format("{} more notices are left out", notices_lost_));
  notices_lost_ = 0;
  return std::exchange(notices_, {});
}

void Senders::visit(std::uint64_t id) {
  const auto at = connections_.find(id);
  if (at == connections_.end()) return;
  if (!work_on(*at->second)) close(at);
  count_held();
}

void Senders::count_held() {
  std::size_t held = 0;
  gathered_ = 0;
  for (const auto& [id, c] : connections_) {
    held += c->buffer.size();
    gathered_ += c->buffer.whole().size();
  }
  if (held - gathered_ > max_held_) held -= refuse_largest();
  counts_.held_bytes = held;
}

// Together they hold as much as may be held, all of it lines that are not whole: whoever holds most has to go.
// Returns how much that was.
std::size_t Senders::refuse_largest() {
  const auto most = std::max_element(connections_.begin(), connections_.end(), [](const auto& a, const auto& b) {
    return a.second->buffer.rest().size() < b.second->buffer.rest().size();
  });
  Connection& c = *most->second;
  const std::size_t held = c.buffer.size();
  refuse(c, Refusal::kLine,
         fmt::format("line {}: a line of more than {} bytes has no room beside those of other connections",
                     lines_of(c) + 1, c.buffer.rest().size()));
  return held;
}

// False: the connection is to be closed.
bool Senders::work_on(Connection& c) {
  const auto now = listen_.clock();
  if (c.state == State::kRefused) return c.flush() && !c.drain() && now < c.deadline;
  if (c.state == State::kLeaving) return c.flush() && c.has_something_to_say() && now < c.deadline;
  if (!c.has_ended) {
    std::uint64_t bytes = 0;
    const Connection::Got got = c.receive(piece_bytes_, bytes);
    counts_.bytes += bytes;
    c.has_ended = got == Connection::Got::kEnd || got == Connection::Got::kBroken;
    c.is_broken = got == Connection::Got::kBroken;
    while ((c.state == State::kToken || c.state == State::kHello) && !c.buffer.whole().empty()) {
      if (!greet(c)) break;
    }
    if (c.state == State::kToken && c.buffer.rest().size() > kMaxGreeting) {
      refuse(c, Refusal::kToken, "line 1: expected the token");
    }
    if (c.state == State::kRefused || broken_) return c.flush();
  }
  if (gathered_ == 0 && !c.buffer.whole().empty()) gather_until_ = now + kGatherLines;
  hurry_ = hurry_ || c.has_ended || c.buffer.too_long();
  if (!c.has_ended) watch_the_clock(c, now);
  return c.flush() || c.has_ended;  // what it sent before it went is still to be taken
}

void Senders::watch_the_clock(Connection& c, Time now) {
  if (c.state == State::kToken) {
    if (now >= c.deadline) refuse(c, Refusal::kToken, "line 1: the token did not come in time");
    return;
  }
  if (c.state == State::kHello) {
    if (now >= c.deadline) refuse(c, Refusal::kSilent, "line 1: it did not come in time");
    return;
  }
  const bool half = !c.buffer.rest().empty();
  if (half && c.half_line && now >= c.deadline && c.half_of == c.buffer.whole_ever()) {
    return refuse(c, Refusal::kSilent,
                  fmt::format("line {}: it was begun and did not become whole in time", lines_of(c) + 1));
  }
  if (half && (!c.half_line || c.half_of != c.buffer.whole_ever())) {
    c.deadline = now + listen_.line_limit;
    c.half_of = c.buffer.whole_ever();
  }
  c.half_line = half;
}

void Senders::settle() {
  hurry_ = false;
  std::vector<Intake::Part> parts;
  std::map<Sender*, Connection*> whose;
  std::vector<Connection*> left;
  for (const auto& [id, c] : connections_) {
    if (c->state == State::kRefused || c->state == State::kLeaving) continue;
    if (c->has_ended) left.push_back(c.get());
    if (c->said_bye && !c->buffer.whole().empty()) {
      refuse(*c, Refusal::kLine, "expected nothing after {\"bye\": true}");
      continue;
    }
    std::string_view lines = c->buffer.whole();
    c->said_bye = c->said_bye || ends_with_bye(lines);
    if (lines.empty() && !c->buffer.too_long()) {
      c->buffer.drop(c->buffer.whole().size());
      continue;
    }
    whose[&c->sender] = c.get();
    parts.push_back({&c->sender, lines, &c->peer});
  }
  std::map<Sender*, std::uint64_t> lines_before;
  for (const Intake::Part& part : parts) lines_before[part.sender] = part.sender->lines;
  auto taken = intake_.take_together(parts);
  broken_ = std::move(taken.broken);
  for (Piece& piece : taken.pieces) {
    given.emplace_back();
    given.back().piece = std::move(piece);
  }
  if (broken_) return;
  for (Intake::Part& part : parts) after_taking(*whose[part.sender], part, lines_before[part.sender]);
  for (auto at = connections_.begin(); at != connections_.end();) {
    const auto next = std::next(at);
    const bool ends = std::find(left.begin(), left.end(), at->second.get()) != left.end();
    if (ends && at->second->state != State::kRefused && !at_end(*at->second)) close(at);
    at = next;
  }
  count_held();
}

void Senders::after_taking(Connection& c, Intake::Part& part, std::uint64_t lines_before) {
  const std::uint64_t taken = c.sender.lines - lines_before;
  if (taken > 0) c.acknowledge();
  for (const Fingerprint session : part.sessions) {
    if (c.sessions.size() < kMostSessions) c.sessions.insert(raw64(session));
  }
  c.silent_lines = part.sessions.empty() ? c.silent_lines + taken : 0;
  if (part.wrong) return refuse(c, Refusal::kLine, told(*part.wrong));
  if (c.buffer.too_long()) {
    return refuse(c, Refusal::kLine, fmt::format("line {}: it is longer than {} bytes", c.sender.lines + 1, max_line_));
  }
  c.buffer.drop(c.buffer.whole().size());
  if (c.silent_lines > kMostSilentLines) {
    return refuse(c, Refusal::kLine,
                  fmt::format("line {}: {} lines in a row say nothing", c.sender.lines, c.silent_lines));
  }
  [[maybe_unused]] const bool written = c.flush();  // whether the peer is still there shows when it is read
}

// The first line; whether there may be another one like it.
bool Senders::greet(Connection& c) {
  const std::string_view whole = c.buffer.whole();
  const std::size_t length = whole.find('\n') + 1;
  const Greeting greeting = greeting_in(whole.substr(0, length - 1));
  if (c.state == State::kToken) {
    const bool right = greeting.kind == Greeting::Kind::kToken && same_token(greeting.text, listen_.token);
    if (!right) {
      refuse(c, Refusal::kToken,
             greeting.kind == Greeting::Kind::kToken ? "line 1: this is not the token"
                                                     : "line 1: expected the token, {\"token\": \"…\"}");
      return false;
    }
    c.state = State::kHello;
    c.since = listen_.clock();
    c.deadline = c.since + listen_.line_limit;
    c.buffer.drop(length);
    return true;
  }
  if (greeting.kind == Greeting::Kind::kToken && !c.had_token && listen_.token.empty()) {
    c.had_token = true;  // nobody asked for it
    c.buffer.drop(length);
    return true;
  }
  if (greeting.kind == Greeting::Kind::kWrong) {
    refuse(c, Refusal::kLine, "line 1: " + greeting.text);
    return false;
  }
  c.state = State::kTraces;
  if (greeting.kind != Greeting::Kind::kHello) return false;
  c.buffer.drop(length);
  hello(c, greeting);
  return false;
}

void Senders::hello(Connection& c, const Greeting& greeting) {
  std::unordered_set<std::uint32_t> connected;
  for (const auto& [id, other] : connections_) connected.insert(other->sender.number);
  Intake::Known known = intake_.sender_named(greeting.text, greeting.first, connected);
  if ((broken_ = std::move(known.broken))) return;
  if (!known.sender) return refuse(c, Refusal::kFull, "line 1: there are too many senders with a name");
  for (auto& [id, other] : connections_) {
    if (other->sender.number != known.sender->number || other->state != State::kTraces || other.get() == &c) continue;
    park_sessions(*other);
    refuse(*other, Refusal::kReplaced, "another connection goes on under this name");
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

// The sender may come back: it is then known what it had sent.
void Senders::park_sessions(Connection& c) {
  constexpr std::size_t kMostParked = 65536;
  if (c.sender.number == 0 || parked_count_ + c.sessions.size() > kMostParked) return;
  parked_count_ += c.sessions.size();
  parked_[c.sender.number] = std::move(c.sessions);
  c.sessions.clear();
}

void Senders::refuse(Connection& c, Refusal kind, const std::string& why) {
  // A flood of connections is no flood of notices.
  if (counts_.refuse(kind))
    notice(fmt::format("{} refused: {} (further ones {} are only counted)", c.peer, why, meaning(kind)));
  std::string line = "{\"error\": ";
  append_json_string(why, line);
  c.say(line + "}\n");
  c.state = State::kRefused;
  if (std::exchange(c.served, false)) counts_.open_connections = --serving_;  // its place is free at once
  c.half_line = false;
  c.buffer.clear();
  c.deadline = listen_.clock() + kRefusedLimit;
  if (c.flush() && !c.has_something_to_say()) ::shutdown(c.fd, SHUT_WR);
}

void Senders::leave_in_the_middle(Connection& c, std::string_view why) {
  park_sessions(c);
  if (c.state == State::kToken) return;  // a stranger
  if (c.sender.lines > 0 || !c.buffer.rest().empty()) {
    notice(fmt::format("{} left after line {}: {}", c.peer, c.sender.lines, why));
  }
}

// Everything that it sent was taken, and nothing more comes. False: the connection is to be closed.
bool Senders::at_end(Connection& c) {
  if (c.is_broken || !c.buffer.rest().empty()) {
    leave_in_the_middle(c, c.buffer.rest().empty() ? std::string("the connection broke")
                                                   : fmt::format("{} bytes of a line without its end were dropped",
                                                                 c.buffer.rest().size()));
  } else if (c.sender.number != 0 && !c.said_bye) {
    park_sessions(c);  // it has a name, so it may come back
  } else {
    std::vector<Fingerprint> gone;
    for (const std::uint64_t session : c.sessions) {
      const bool elsewhere = std::any_of(connections_.begin(), connections_.end(), [&](const auto& entry) {
        return entry.second.get() != &c && entry.second->sessions.contains(session);
      });
      if (!elsewhere) gone.push_back(Fingerprint{session});
    }
    std::sort(gone.begin(), gone.end());
    if (!gone.empty()) broken_ = intake_.gone(gone);
    if (!broken_ && c.said_bye && !c.name.empty()) broken_ = intake_.farewell(c.name);
    if (!gone.empty() && !broken_) {
      given.emplace_back();
      given.back().gone = std::move(gone);
    }
  }
  c.sessions.clear();
  c.buffer.clear();
  c.state = State::kLeaving;
  c.half_line = false;
  c.deadline = listen_.clock() + kLeaveLimit;
  return !c.is_broken && c.flush() && c.has_something_to_say();
}

void Senders::close(Connections::iterator at) {
  const std::unique_ptr<Connection> c = std::move(at->second);
  connections_.erase(at);
  if (c->served) counts_.open_connections = --serving_;
  if (c->name.empty() || c->sender.lines > 0 || broken_) return;
  // There is nothing to remember of a name under which no line came, unless another connection has it now.
  const bool goes_on = std::any_of(connections_.begin(), connections_.end(),
                                   [&](const auto& entry) { return entry.second->sender.number == c->sender.number; });
  if (!goes_on) broken_ = intake_.farewell(c->name);
}

}  // namespace isolde::stream
