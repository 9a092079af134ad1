// proxy/loop.h: one thread that serves its share of the connections by epoll.
//
// Always:  nothing in it waits for one connection; a pair belongs to one loop for its whole life.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "proxy/pair.h"
#include "proxy/wire/conversation.h"

namespace isolde::proxy {

struct Counts {
  std::uint64_t connections = 0;  // that reached the server
  std::uint64_t refused = 0;      // too many, or none that a server would take
  std::uint64_t unreachable = 0;  // the server could not be reached
  std::uint64_t statements = 0, transactions = 0, bytes = 0;
  std::array<std::uint64_t, kUnreadableKinds> unreadable{};

  void add(const Counts& other);
};

class Loop {
 public:
  // An error: the system has no descriptors left.
  [[nodiscard]] static Result<std::unique_ptr<Loop>> make(const Upstream& upstream, const ClientTls& client_tls,
                                                          MakeConversation make_conversation,
                                                          std::atomic<std::size_t>& open, std::size_t number);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // From any thread: takes a client's socket over.
  void give(int client, bool full);
  // From any thread: ends all connections. Waits until the thread is done.
  void stop();
  // Of the connections that are over. Requires: it was stopped.
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  struct Given {
    int client;
    bool full;
  };
  Loop(const Upstream& upstream, const ClientTls& client_tls, MakeConversation make_conversation,
       std::atomic<std::size_t>& open, std::size_t number)
      : upstream_(upstream),
        client_tls_(client_tls),
        make_conversation_(std::move(make_conversation)),
        open_(open),
        number_(number) {}
  void run();
  void take_given();
  void tell(Pair& pair);
  void forget(Pair& pair);
  void retry_waiting();
  void wake();

  const Upstream& upstream_;
  const ClientTls& client_tls_;
  MakeConversation make_conversation_;
  std::atomic<std::size_t>& open_;  // connections of all loops
  std::size_t number_;
  int epoll_ = -1, wake_ = -1;
  std::thread thread_;
  std::mutex mutex_;
  std::vector<Given> given_;
  std::atomic<bool> stop_ = false;
  std::vector<std::unique_ptr<Pair>> pairs_;
  std::vector<Pair*> touched_;
  std::vector<char> room_;
  Counts counts_;
};

}  // namespace isolde::proxy
