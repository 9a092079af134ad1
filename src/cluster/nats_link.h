// cluster/nats_link.h: a connection to NATS: requests without waiting, and messages for readers, by the raw protocol.
//
// In, out: a request -> its reply, or that none came within the time limit; an inbox -> what is sent to it.
// Always:  libnats calls back on a thread of its own, which only puts messages into queues, under one mutex. Replies
//          are handed on by poll(), on the caller's thread.
//          A forbidden publication looks like one without an answer; the reason comes to the error handler, which keeps
//          it for the next error.
#pragma once

#include <nats/nats.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cluster/address.h"

namespace isolde::cluster {

template <typename T, void (*destroy)(T*)>
struct DestroyNats {
  void operator()(T* t) const { destroy(t); }
};
using NatsMessagePtr = std::unique_ptr<natsMsg, DestroyNats<natsMsg, natsMsg_Destroy>>;

class NatsLink {
 public:
  static constexpr std::chrono::milliseconds kAnswerWait{5000};

  NatsLink() = default;
  NatsLink(const NatsLink&) = delete;
  NatsLink& operator=(const NatsLink&) = delete;
  ~NatsLink();

  [[nodiscard]] Result<void> connect(const Address& address, const std::string& name);
  // It could not connect, and trying again would not help.
  [[nodiscard]] bool locked_out() const { return locked_out_; }

  // Nothing: no reply came in time, or the connection is down. Called by poll().
  using Reply = std::function<void(natsMsg*)>;
  struct Header {
    const char* name;
    std::string value;
  };
  // An error: it cannot be sent at all, and there will be no reply.
  [[nodiscard]] natsStatus request(const std::string& subject, std::string_view data,
                                   const std::vector<Header>& headers, Reply reply);
  void poll(std::chrono::milliseconds wait);

  // An inbox of its own.
  class Inflow {
   public:
    ~Inflow();
    // At most `most` of what has come.
    [[nodiscard]] std::vector<NatsMessagePtr> take(std::size_t most);
    [[nodiscard]] const std::string& subject() const { return subject_; }

   private:
    friend class NatsLink;
    struct Queue {
      std::shared_ptr<struct NatsArrivals> arrivals;
      std::deque<NatsMessagePtr> messages;
    };
    static void arrived(natsConnection*, natsSubscription*, natsMsg* message, void* closure);
    static void closed(void* closure);
    std::shared_ptr<Queue> queue_;
    std::string subject_;
    natsSubscription* subscription_ = nullptr;
  };
  // Nothing: there is no connection.
  [[nodiscard]] std::unique_ptr<Inflow> inflow();
  // Sends a request whose replies come to an inbox.
  [[nodiscard]] natsStatus ask(const std::string& subject, std::string_view data, const Inflow& to);

  // Grows when the connection was lost: what was on its way may be gone.
  [[nodiscard]] std::uint64_t losses() const;
  // Whether the server has said that this connection may not publish under the subject.
  [[nodiscard]] bool is_forbidden(const std::string& subject) const;
  [[nodiscard]] jsCtx* context() const { return context_; }
  // What happened, in words; with the reason that the server gave apart from its answer, if there is one.
  [[nodiscard]] Error failed(std::string_view what, std::string_view why);

 private:
  using Clock = std::chrono::steady_clock;
  struct Pending {
    Reply reply;
    Clock::time_point until;
  };
  static void complained(natsConnection* connection, natsSubscription*, natsStatus status, void* self);
  static void disconnected(natsConnection*, void* self);
  static void closed(natsConnection*, void* self);

  std::shared_ptr<struct NatsArrivals> arrivals_;
  std::unique_ptr<Inflow> replies_;
  std::string prefix_;  // of the subjects that replies come to
  std::map<std::uint64_t, Pending> pending_;
  std::uint64_t next_ = 0;
  bool locked_out_ = false;
  natsConnection* connection_ = nullptr;
  jsCtx* context_ = nullptr;
};

[[nodiscard]] std::string nats_text(natsStatus status);

}  // namespace isolde::cluster
