// proxy/pair.h: a client's connection and its own connection to the server, and what waits between them.
//
// Always:  a side is read only while less than kMostWaiting bytes wait for the other one (back-pressure). When one side
//          ends, what it sent is delivered first. One thread owns a pair.
// Cost:    a receive and a send per batch of messages.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "proxy/upstream.h"
#include "proxy/wire/byte_queue.h"
#include "proxy/wire/conversation.h"
#include "proxy/wire/tls.h"

namespace isolde::proxy {

inline constexpr std::size_t kMostWaiting = std::size_t{1} << 20;

// How clients may encrypt.
struct ClientTls {
  std::shared_ptr<const TlsContext> context = nullptr;  // null: not at all
  bool required = false;
};

enum class Side : std::uint8_t { kClient, kServer };

class Pair {
 public:
  // Takes `client` over. `full`: no more clients are served: this one gets an error.
  Pair(int client, const Upstream& upstream, const ClientTls& client_tls, std::unique_ptr<Conversation> conversation,
       bool full);
  ~Pair();
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  // `events`: of epoll. `room`: to receive into. Calls may open the server's socket. What is to be sent waits for
  // settle().
  void ready(Side side, std::uint32_t events, std::span<char> room);
  // Opens the server's connection, or tries again if its queue was full.
  void try_connect();
  // Requires: the server is to speak first, and nothing was done yet.
  void begin();
  // After everything that came at once: sends what waits, and finds out whether all is over.
  void settle();

  [[nodiscard]] int fd(Side side) const { return end(side).fd; }
  [[nodiscard]] std::uint32_t wanted_events(Side side) const;  // 0: none
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] bool waits_to_connect() const { return waits_to_connect_; }
  // It has not said yet what it wants.
  [[nodiscard]] bool silent() const { return conversation_->silent(); }
  [[nodiscard]] bool reached_server() const { return connected_; }
  [[nodiscard]] const Conversation& conversation() const { return *conversation_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  [[nodiscard]] bool was_refused() const { return full_ || conversation_->refused(); }

  // What the loop keeps: where it holds this pair, and the events that epoll was told.
  std::size_t place = 0;
  std::uint32_t told[2] = {0, 0};
  bool registered[2] = {false, false};

 private:
  struct End {
    int fd = -1;
    ByteQueue out;  // for it
    std::unique_ptr<TlsEnd> tls;
    ByteQueue wire;      // for it, encrypted
    bool ended = false;  // it said that nothing more will come
    bool shut = false;   // we said so
    bool gone = false;   // it takes nothing any more
  };
  [[nodiscard]] End& end(Side side) { return ends_[static_cast<std::size_t>(side)]; }
  [[nodiscard]] const End& end(Side side) const { return ends_[static_cast<std::size_t>(side)]; }
  void receive(Side side, std::span<char> room);
  void send(Side side);
  void ended(Side side);
  void refuse(Refusal why, std::string_view text);
  [[nodiscard]] bool decrypt(Side side, std::string_view& bytes);
  void asked_for_tls(std::string_view bytes);
  [[nodiscard]] static std::size_t waiting(const End& end);

  const Upstream& upstream_;
  const ClientTls& client_tls_;
  std::unique_ptr<Conversation> conversation_;
  End ends_[2];
  std::uint64_t bytes_ = 0;
  bool full_;
  bool connected_ = false;
  bool waits_to_connect_ = false;
  bool asked_server_for_tls_ = false;  // and it has not answered yet
  std::string plain_;                  // what was decrypted
  bool closing_ = false;               // once the client has what waits for it
  bool over_ = false;
};

}  // namespace isolde::proxy
