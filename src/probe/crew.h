// probe/crew.h: several connections, each on a thread of its own, because a request to a database does not return while
// it waits for a lock.
//
// In, out: one request a member at a time, or several that belong together -> answers, in the order that they come.
// Always:  a member that never answers can be left behind: its thread and connection then go when its request does.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

namespace isolde::probe {

using db::OnFailure;
using db::Request;
using db::RequestKind;

struct Answer {
  std::size_t who;
  Result<db::Reply> reply;                      // of the last request that was sent …
  std::vector<Result<db::Reply>> earlier = {};  // … and of those before it
};

class Crew {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Crew(std::vector<std::unique_ptr<db::Connection>> connections);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  // A member that is still busy is cancelled and left behind.
  ~Crew();

  [[nodiscard]] std::size_t size() const { return members_.size(); }
  void add(std::unique_ptr<db::Connection> connection);
  [[nodiscard]] std::int64_t session(std::size_t who) const;
  [[nodiscard]] bool busy(std::size_t who) const;
  // Lost, severed or left behind: of no use any more.
  [[nodiscard]] bool usable(std::size_t who) const;

  // As Connection::says_it_waits(). Requires: busy(who).
  [[nodiscard]] bool says_it_waits(std::size_t who) const;

  // Requires: usable(who) and not busy(who).
  void send(std::size_t who, Request request);
  // There is one answer to all. Requires: also, not empty.
  void send(std::size_t who, std::vector<Request> requests, OnFailure on_failure = OnFailure::kStop);
  // The next answer that came or comes before `until`; none: none came.
  [[nodiscard]] std::optional<Answer> wait(Clock::time_point until);
  // The same, but only that member's.
  [[nodiscard]] std::optional<Answer> wait_for(std::size_t who, Clock::time_point until);
  // Asks the database to make the running request fail.
  void cancel(std::size_t who);
  void sever(std::size_t who);
  void leave_behind(std::size_t who);
  // Puts a fresh connection in a member's place. Requires: not busy(who), or left behind.
  void replace(std::size_t who, std::unique_ptr<db::Connection> connection);

 private:
  struct Board;
  struct Member;
  static void work(const std::shared_ptr<Board>& board, const std::shared_ptr<Member>& member);
  void hire(std::size_t who, std::unique_ptr<db::Connection> connection);
  void dismiss(std::size_t who);

  std::shared_ptr<Board> board_;
  std::vector<std::shared_ptr<Member>> members_;
};

}  // namespace isolde::probe
