// stream/senders.h: the connections of a listening input: who they are, what they sent, who has to go.
//
// In, out: sockets on which something can be done -> pieces, notices and sessions that are over; answers to the
//          senders.
// Always:  never waits. What has come is gathered for a moment, so that many senders of a few lines each make one
//          piece and not one each; whole lines that wait are no more than a piece, unfinished ones no more than may be
//          held. A fault of one sender closes its connection and no other.
#pragma once

#include <poll.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "stream/connection.h"
#include "stream/greeting.h"
#include "stream/input_counts.h"
#include "stream/intake.h"

namespace isolde::stream {

class Senders {
 public:
  using Time = Connection::Time;

  Senders(const ListenOptions& listen, const InputOptions& options, Intake& intake, LiveCounts& counts);

  // Takes a connection over, or tells it that there are too many. One that has never sent a line goes first.
  void add(int fd);

  // What has to be waited for: sockets, and until when.
  struct Waiting {
    std::vector<pollfd> sockets;
    std::vector<std::uint64_t> ids;  // of each socket
    Time until;
  };
  [[nodiscard]] Waiting waiting(Time until) const;
  // Whether its time is up.
  [[nodiscard]] bool is_late(std::uint64_t id, Time now) const;
  // Does for a connection what can be done now.
  void visit(std::uint64_t id);

  // Whether there is so much that no more should be read before settle().
  [[nodiscard]] bool is_full() const { return gathered_ >= piece_bytes_; }
  [[nodiscard]] bool is_due(Time now) const { return is_full() || hurry_ || (gathered_ > 0 && now >= gather_until_); }
  // Turns what was gathered into pieces.
  void settle();
  [[nodiscard]] bool has_given_all() const { return gathered_ == 0 && !hurry_ && given.empty(); }

  // Who had to wait for us is not late.
  void shift_deadlines(Connection::Time::duration by);
  void notice(std::string text);

  std::deque<Input::Next> given;  // pieces and sessions that are over, in order
  std::vector<std::string> take_notices();
  [[nodiscard]] const std::optional<Error>& broken() const { return broken_; }

 private:
  using Connections = std::map<std::uint64_t, std::unique_ptr<Connection>>;

  [[nodiscard]] bool work_on(Connection& c);
  void watch_the_clock(Connection& c, Time now);
  bool greet(Connection& c);
  void hello(Connection& c, const Greeting& greeting);
  void after_taking(Connection& c, Intake::Part& part, std::uint64_t lines_before);
  void refuse(Connection& c, Refusal kind, const std::string& why);
  bool make_room();
  std::size_t refuse_largest();
  void park_sessions(Connection& c);
  void leave_in_the_middle(Connection& c, std::string_view why);
  bool at_end(Connection& c);
  void count_held();
  void close(Connections::iterator at);

  ListenOptions listen_;
  std::size_t piece_bytes_, max_line_, max_held_;
  Intake& intake_;
  LiveCounts& counts_;
  Connections connections_;
  std::uint64_t last_id_ = 0;
  std::size_t serving_ = 0;
  std::size_t gathered_ = 0;  // bytes of whole lines that are not taken yet
  Time gather_until_{};
  bool hurry_ = false;  // somebody has left, or is to be refused
  std::unordered_map<std::uint32_t, std::unordered_set<std::uint64_t>> parked_;  // sessions of named senders that left
  std::size_t parked_count_ = 0;
  std::vector<std::string> notices_;
  std::uint64_t notices_lost_ = 0;
  std::optional<Error> broken_;
};

}  // namespace isolde::stream
