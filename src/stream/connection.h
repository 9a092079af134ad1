// stream/connection.h: one sender's connection: its bytes in, answers out, how far it is in the protocol.
//
// Always:  never waits: what the peer does not read is kept, one answer at a time, and only the latest
//          acknowledgement; after a refusal what still comes in is thrown away until the peer has closed or time is up,
//          so that it gets to read why.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "history/fingerprint.h"
#include "stream/intake.h"
#include "stream/line_buffer.h"

namespace isolde::stream {

struct Connection {
  using Time = std::chrono::steady_clock::time_point;
  enum class State {
    kToken,    // its first line must be the token
    kHello,    // its first line may say who it is
    kTraces,   // lines of traces
    kLeaving,  // all was taken; what is still to be written is
    kRefused,  // told why; the rest is thrown away
  };

  Connection(int socket, std::string who, std::size_t max_line, Time now)
      : fd(socket), peer(std::move(who)), buffer(max_line), deadline(now), since(now) {}

  // It has sent no line yet but the token, if one is asked for.
  [[nodiscard]] bool is_new() const { return state == State::kToken || state == State::kHello; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  int fd;
  std::string peer;  // for people
  std::string name;  // that it said hello with
  LineBuffer buffer;
  State state = State::kHello;
  Sender sender;
  bool served = false;     // it is one of those that are counted
  bool had_token = false;  // that nobody asked for
  bool said_bye = false;
  bool has_ended = false;     // nothing more comes
  bool is_broken = false;     // … and nothing can be said any more
  bool half_line = false;     // `deadline` is when the line that it has begun must be whole
  std::uint64_t half_of = 0;  // the bytes before that one
  Time deadline;
  Time since;                                  // it connected, or its state changed
  std::uint64_t silent_lines = 0;              // in a row, without anything in them
  std::unordered_set<std::uint64_t> sessions;  // it has sent, up to a limit

  enum class Got { kNothing, kSome, kEnd, kBroken };
  // Reads what is there, until there are `enough` bytes of whole lines.
  [[nodiscard]] Got receive(std::size_t enough, std::uint64_t& bytes);
  // Throws away what is there; whether the peer has closed.
  [[nodiscard]] bool drain() const;

  void say(std::string_view line);
  void acknowledge() { acknowledge_ = true; }
  [[nodiscard]] bool has_something_to_say() const { return !out_.empty() || acknowledge_; }
  // Writes what can be written now; false: the peer is gone.
  [[nodiscard]] bool flush();

 private:
  void write_acknowledgement();

  std::string out_;
  bool acknowledge_ = false;
};

}  // namespace isolde::stream
