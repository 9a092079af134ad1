// proxy/postgres/conversation.h: one client's conversation with a PostgreSQL server (protocol 3), as bytes in both
// directions.
//
// In, out: bytes as they arrive from either side -> bytes for the other side, and what they say to a listener.
// Always:  the bytes that come out are those that went in, but for what a listener changes and for two requests that
//          are answered here: SSLRequest and GSSENCRequest get an N (no encryption), and no server hears of them. What
//          is not understood is passed on byte for byte from there on (is_readable() says no, and why). Nothing waits
//          for the rest of a message unless a listener wants it whole.
// Cost:    one look per message, one copy per byte.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/postgres/answers.h"
#include "proxy/wire/byte_queue.h"

namespace isolde::proxy::postgres {

// Why a connection cannot be read (further).
enum class Unreadable : std::uint8_t {
  kNot,
  kCancel,       // a request to cancel: it never could be
  kProtocol,     // a protocol other than 3
  kReplication,  // the client asked for the replication protocol
  kMessage,      // a message that does not fit what was asked
  kTooLong,      // a message that a listener needs whole, and that is longer than kWholeAtMost
};
inline constexpr std::size_t kUnreadableKinds = 6;
[[nodiscard]] std::string_view words(Unreadable why);

inline constexpr std::size_t kWholeAtMost = std::size_t{16} << 20;

// What a listener should know of a client's message.
struct Sent {
  std::uint64_t number;  // of the request (Answers)
  bool ignored;          // the server will throw it away, because of an error before it
};

// Hears whole messages and passes them on, as they are or changed. `body`: without type and length.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void startup(std::string_view parameters) = 0;
  [[nodiscard]] virtual bool wants_from_client(char type) const = 0;
  [[nodiscard]] virtual bool wants_from_server(char type) const = 0;
  // The time of everything that is heard until the next call.
  virtual void at(std::int64_t) {}
  virtual void client(char type, std::string_view body, const Sent& sent, ByteQueue& to_server) = 0;
  virtual void server(char type, std::string_view body, const Answers::Fit& fit, ByteQueue& to_client) = 0;
  // Nothing more will be heard, because it cannot be read. False: the client cannot go on without the listener.
  [[nodiscard]] virtual bool lost_track() = 0;
  // Nothing more will be heard, because the connection is over.
  virtual void closed() {}
};

struct ConversationCounts {
  std::uint64_t statements = 0;    // Query and Execute
  std::uint64_t transactions = 0;  // that ended: ReadyForQuery said "idle" after requests
};

class Conversation {
 public:
  explicit Conversation(Listener* listener = nullptr) : listener_(listener) {}

  // Takes all of `bytes`. `to_client` is for what is answered here.
  void from_client(std::string_view bytes, ByteQueue& to_server, ByteQueue& to_client);
  void from_server(std::string_view bytes, ByteQueue& to_client);
  // That side said that nothing more will come: the beginning of a message that was held back goes out.
  void end_of_client(ByteQueue& to_server);
  void end_of_server(ByteQueue& to_client);

  // The client said what it wants of a server: now one is needed.
  [[nodiscard]] bool wants_server() const { return stage_ != Stage::kStartup && stage_ != Stage::kRefused; }
  // It said something that no server would take: to be closed when what is on its way was sent.
  [[nodiscard]] bool refused() const { return stage_ == Stage::kRefused; }
  // Its bytes cannot be passed on without the listener, which does not understand them any more: to be cut.
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] bool is_readable() const { return why_ == Unreadable::kNot; }
  [[nodiscard]] Unreadable why() const { return why_; }
  [[nodiscard]] const ConversationCounts& counts() const { return counts_; }

 private:
  enum class Stage : std::uint8_t { kStartup, kMessages, kBytes, kRefused };
  struct Direction {
    std::string partial;        // the beginning of a message that is not there yet
    std::uint64_t passing = 0;  // bytes of the message at hand that are passed on as they come
  };
  [[nodiscard]] std::size_t startup(std::string_view bytes, ByteQueue& to_server, ByteQueue& to_client);
  void begin(std::string_view packet, ByteQueue& to_server);
  void lose_track(Unreadable why);
  template <typename Take>
  void feed(Direction& direction, std::string_view bytes, ByteQueue& out, Take take);
  [[nodiscard]] std::size_t take_client(std::string_view bytes, ByteQueue& out, std::uint64_t& passing);
  [[nodiscard]] std::size_t take_server(std::string_view bytes, ByteQueue& out, std::uint64_t& passing);

  Listener* listener_;
  Stage stage_ = Stage::kStartup;
  Unreadable why_ = Unreadable::kNot;
  bool broken_ = false;
  Answers answers_;
  Direction client_, server_;
  ConversationCounts counts_;
};

// A message of a server that ends the connection, as PostgreSQL's own look.
[[nodiscard]] std::string fatal_error(std::string_view sqlstate, std::string_view text);

}  // namespace isolde::proxy::postgres
