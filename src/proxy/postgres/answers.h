// proxy/postgres/answers.h: which answers a PostgreSQL server still owes, request by request.
//
// In, out: the types of the client's messages and of the server's, each direction in its order -> the request that a
//          server's message belongs to.
// Always:  one queue for all requests. An error in the extended protocol discards every request up to the next Sync,
//          those that are still to come, too; while data is copied in, the server ignores Sync and Flush. A message
//          that does not fit is an error: from there on nothing is known of the connection.
// Cost:    constant per message; memory grows with the requests that were sent ahead (kMostAhead bounds it).
// Source:  the PostgreSQL manual, chapter "Frontend/Backend Protocol"; the server's tcop/postgres.c.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>

namespace isolde::proxy::postgres {

enum class Request : std::uint8_t { kParse, kBind, kDescribe, kExecute, kClose, kSync, kQuery, kFunction, kCopyEnd };

struct Owed {
  Request request;
  std::uint64_t number;  // counted over the connection, from 0
};

class Answers {
 public:
  static constexpr std::size_t kMostAhead = 1U << 20;

  struct Fit {
    bool fits = false;
    bool answers = false;   // it belongs to `owed`; otherwise to no request (a notice, a setting)
    bool finished = false;  // ... and was the last message of its answer
    Owed owed = {};
    // An error: requests with these numbers will never be answered: [from, to).
    std::uint64_t dropped_from = 0, dropped_to = 0;
  };

  // False: no message that a client may send now.
  [[nodiscard]] bool client(char type);
  [[nodiscard]] Fit server(char type);

  [[nodiscard]] bool authenticated() const { return authenticated_; }
  [[nodiscard]] std::size_t owed() const { return owed_.size(); }
  // The number that the next request will have; a message that is no request (Flush, CopyData) takes none.
  [[nodiscard]] std::uint64_t next_number() const { return next_; }
  // Requests that the server reads now are thrown away until a Sync.
  [[nodiscard]] bool skipping() const { return skipping_; }

 private:
  bool push(Request request);
  [[nodiscard]] Fit of_front(bool finished, std::initializer_list<Request> requests);
  [[nodiscard]] Fit error();
  [[nodiscard]] Fit copy_in();
  void drop_stale();

  std::deque<Owed> owed_;
  std::uint64_t next_ = 0;
  bool authenticated_ = false;
  bool skipping_ = false;  // after an error, no Sync has come yet
  bool copying_ = false;   // the client sends data, and has not ended it
};

}  // namespace isolde::proxy::postgres
