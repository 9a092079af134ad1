#include "proxy/loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace isolde::proxy {
namespace {

constexpr std::size_t kRoom = 64 * 1024;
constexpr int kEventsAtOnce = 256;
constexpr int kRetryMs = 10;  // a server whose queue of connections is full

// The side is in the lowest bit: a pair stands at an even address.
std::uint64_t tag_of(Pair* pair, Side side) {
  return reinterpret_cast<std::uint64_t>(pair) | static_cast<std::uint64_t>(side);
}

}  // namespace

void Counts::add(const Counts& other) {
  connections += other.connections;
  refused += other.refused;
  unreachable += other.unreachable;
  statements += other.statements;
  transactions += other.transactions;
  bytes += other.bytes;
  for (std::size_t i = 0; i < unreadable.size(); ++i) unreadable[i] += other.unreadable[i];
}

Result<std::unique_ptr<Loop>> Loop::make(const Upstream& upstream, const ClientTls& client_tls,
                                         MakeConversation make_conversation, std::atomic<std::size_t>& open,
                                         std::size_t number) {
  std::unique_ptr<Loop> loop(new Loop(upstream, client_tls, std::move(make_conversation), open, number));
  loop->epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  loop->wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = 0;
  if (loop->epoll_ < 0 || loop->wake_ < 0 || ::epoll_ctl(loop->epoll_, EPOLL_CTL_ADD, loop->wake_, &event) != 0)
    return errno_error("cannot wait for connections", "epoll");
  loop->room_.resize(kRoom);
  loop->thread_ = std::thread([raw = loop.get()] { raw->run(); });
  return loop;
}

Loop::~Loop() {
  stop();
  for (const Given& given : given_) ::close(given.client);
  for (const int fd : {epoll_, wake_}) {
    if (fd >= 0) ::close(fd);
  }
}

void Loop::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);  // full: it is awake anyway
}

void Loop::give(int client, bool full) {
  {
    const std::lock_guard lock(mutex_);
    given_.push_back({client, full});
  }
  wake();
}

void Loop::stop() {
  stop_ = true;
  if (!thread_.joinable()) return;
  wake();
  thread_.join();
}

void Loop::take_given() {
  std::uint64_t value = 0;
  [[maybe_unused]] const ssize_t got = ::read(wake_, &value, sizeof value);
  std::vector<Given> given;
  {
    const std::lock_guard lock(mutex_);
    given.swap(given_);
  }
  for (const Given& one : given) {
    bool full = one.full;
    if (full) {
      // One that has said nothing yet makes room for one that may.
      const auto silent = std::find_if(pairs_.begin(), pairs_.end(), [](const auto& pair) { return pair->silent(); });
      if (silent != pairs_.end()) {
        forget(**silent);
        ++counts_.refused;
        full = false;
      }
    }
    pairs_.push_back(std::make_unique<Pair>(one.client, upstream_, client_tls_, make_conversation_(number_), full));
    Pair& pair = *pairs_.back();
    pair.place = pairs_.size() - 1;
    if (pair.conversation().wants_server()) pair.begin();
    if (pair.over()) {
      forget(pair);
    } else {
      tell(pair);
    }
  }
}

// Tells epoll what the pair waits for now.
void Loop::tell(Pair& pair) {
  for (const Side side : {Side::kClient, Side::kServer}) {
    const auto i = static_cast<std::size_t>(side);
    const int fd = pair.fd(side);
    if (fd < 0) continue;
    const std::uint32_t wanted = pair.wanted_events(side);
    if (wanted == pair.told[i] && (wanted == 0 || pair.registered[i])) continue;
    epoll_event event{};
    event.events = wanted;
    event.data.u64 = tag_of(&pair, side);
    // Who waits for nothing is taken out: epoll would report its end again and again.
    const int what = wanted == 0 ? EPOLL_CTL_DEL : pair.registered[i] ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    ::epoll_ctl(epoll_, what, fd, &event);
    pair.told[i] = wanted;
    pair.registered[i] = wanted != 0;
  }
}

void Loop::forget(Pair& pair) {
  const Conversation& conversation = pair.conversation();
  counts_.statements += conversation.counts().statements;
  counts_.transactions += conversation.counts().transactions;
  counts_.bytes += pair.bytes();
  if (!conversation.is_readable()) ++counts_.unreadable[static_cast<std::size_t>(conversation.why())];
  if (pair.reached_server()) {
    ++counts_.connections;
  } else if (pair.was_refused()) {
    ++counts_.refused;
  } else if (!pair.silent()) {
    ++counts_.unreachable;
  }
  // Closing is not enough: a process that is being forked off may hold the sockets for a moment longer, and epoll would
  // go on to report them.
  for (const Side side : {Side::kClient, Side::kServer}) {
    if (pair.registered[static_cast<std::size_t>(side)]) ::epoll_ctl(epoll_, EPOLL_CTL_DEL, pair.fd(side), nullptr);
  }
  const std::size_t place = pair.place;
  std::swap(pairs_[place], pairs_.back());
  pairs_[place]->place = place;
  pairs_.pop_back();
  --open_;
}

void Loop::retry_waiting() {
  for (const auto& pair : pairs_) {
    if (!pair->waits_to_connect()) continue;
    pair->try_connect();
    pair->settle();
    tell(*pair);
  }
}

void Loop::run() {
  std::vector<epoll_event> events(kEventsAtOnce);
  bool waiting = false;
  while (!stop_) {
    const int count = ::epoll_wait(epoll_, events.data(), kEventsAtOnce, waiting ? kRetryMs : -1);
    touched_.clear();
    bool given = false;
    for (int i = 0; i < count; ++i) {
      const std::uint64_t tag = events[static_cast<std::size_t>(i)].data.u64;
      if (tag == 0) {
        given = true;
        continue;
      }
      Pair* const pair = reinterpret_cast<Pair*>(tag & ~std::uint64_t{1});
      pair->ready(static_cast<Side>(tag & 1U), events[static_cast<std::size_t>(i)].events, room_);
      touched_.push_back(pair);
    }
    // Only now, as both ends of a pair may have events.
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    for (Pair* const pair : touched_) {
      pair->settle();
      if (pair->over()) {
        forget(*pair);
      } else {
        tell(*pair);
        waiting = waiting || pair->waits_to_connect();
      }
    }
    if (waiting) {
      retry_waiting();
      waiting = std::any_of(pairs_.begin(), pairs_.end(), [](const auto& pair) { return pair->waits_to_connect(); });
    }
    if (given) take_given();
  }
  while (!pairs_.empty()) forget(*pairs_.back());
}

}  // namespace isolde::proxy
