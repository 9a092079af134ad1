#include "probe/crew.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace isolde::probe {

struct Crew::Member {
  std::size_t who = 0;
  std::int64_t session = 0;
  std::unique_ptr<db::Connection> connection;
  std::thread thread;
  std::condition_variable requested;  // of its own: a request wakes nobody else
  // Under the board's mutex.
  std::vector<Request> requests;
  OnFailure on_failure = OnFailure::kStop;
  bool busy = false, quit = false, left_behind = false, lost = false;
};

struct Crew::Board {
  std::mutex mutex;
  std::condition_variable answered;
  std::deque<Answer> answers;
};

Crew::Crew(std::vector<std::unique_ptr<db::Connection>> connections) : board_(std::make_shared<Board>()) {
  members_.resize(connections.size());
  for (std::size_t i = 0; i < connections.size(); ++i) hire(i, std::move(connections[i]));
}

Crew::~Crew() {
  for (std::size_t i = 0; i < members_.size(); ++i) dismiss(i);
}

void Crew::hire(std::size_t who, std::unique_ptr<db::Connection> connection) {
  auto member = std::make_shared<Member>();
  member->who = who;
  member->session = connection->session();
  member->connection = std::move(connection);
  members_[who] = member;
  member->thread = std::thread([board = board_, member] { work(board, member); });
}

void Crew::add(std::unique_ptr<db::Connection> connection) {
  members_.emplace_back();
  hire(members_.size() - 1, std::move(connection));
}

void Crew::dismiss(std::size_t who) {
  if (busy(who) && usable(who)) {
    cancel(who);
    leave_behind(who);
  }
  Member& member = *members_[who];
  {
    const std::lock_guard lock(board_->mutex);
    member.quit = true;
  }
  member.requested.notify_all();
  if (member.thread.joinable()) member.thread.join();
}

void Crew::work(const std::shared_ptr<Board>& board, const std::shared_ptr<Member>& member) {
  std::unique_lock lock(board->mutex);
  while (true) {
    member->requested.wait(lock, [&] { return member->quit || !member->requests.empty(); });
    if (member->requests.empty()) break;
    const std::vector<Request> requests = std::exchange(member->requests, {});
    const OnFailure on_failure = member->on_failure;
    lock.unlock();
    auto replies = member->connection->run_all(requests, on_failure);
    Answer answer{member->who, std::move(replies.back())};
    replies.pop_back();
    answer.earlier = std::move(replies);
    lock.lock();
    member->busy = false;
    if (member->left_behind) break;
    if (answer.reply && answer.reply->fate == db::Fate::kLost) member->lost = true;
    board->answers.push_back(std::move(answer));
    board->answered.notify_all();
  }
  lock.unlock();
  member->connection.reset();
}

std::int64_t Crew::session(std::size_t who) const { return members_[who]->session; }

bool Crew::busy(std::size_t who) const {
  const std::lock_guard lock(board_->mutex);
  return members_[who]->busy;
}

bool Crew::usable(std::size_t who) const {
  const std::lock_guard lock(board_->mutex);
  return !members_[who]->lost && !members_[who]->left_behind;
}

bool Crew::says_it_waits(std::size_t who) const { return members_[who]->connection->says_it_waits(); }

void Crew::send(std::size_t who, Request request) {
  std::vector<Request> requests;
  requests.push_back(std::move(request));
  send(who, std::move(requests));
}

void Crew::send(std::size_t who, std::vector<Request> requests, OnFailure on_failure) {
  {
    const std::lock_guard lock(board_->mutex);
    members_[who]->busy = true;
    members_[who]->requests = std::move(requests);
    members_[who]->on_failure = on_failure;
  }
  members_[who]->requested.notify_one();
}

std::optional<Answer> Crew::wait(Clock::time_point until) {
  std::unique_lock lock(board_->mutex);
  if (!board_->answered.wait_until(lock, until, [&] { return !board_->answers.empty(); })) return std::nullopt;
  Answer answer = std::move(board_->answers.front());
  board_->answers.pop_front();
  return answer;
}

std::optional<Answer> Crew::wait_for(std::size_t who, Clock::time_point until) {
  std::unique_lock lock(board_->mutex);
  const auto theirs = [&] {
    return std::find_if(board_->answers.begin(), board_->answers.end(), [&](const Answer& a) { return a.who == who; });
  };
  if (!board_->answered.wait_until(lock, until, [&] { return theirs() != board_->answers.end(); })) return std::nullopt;
  const auto at = theirs();
  Answer answer = std::move(*at);
  board_->answers.erase(at);
  return answer;
}

void Crew::cancel(std::size_t who) { members_[who]->connection->cancel(); }

void Crew::sever(std::size_t who) { members_[who]->connection->sever(); }

void Crew::leave_behind(std::size_t who) {
  Member& member = *members_[who];
  const std::lock_guard lock(board_->mutex);
  member.left_behind = true;
  member.quit = true;
  if (member.thread.joinable()) member.thread.detach();
}

void Crew::replace(std::size_t who, std::unique_ptr<db::Connection> connection) {
  dismiss(who);
  hire(who, std::move(connection));
}

}  // namespace isolde::probe
