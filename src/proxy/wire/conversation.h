// proxy/wire/conversation.h: one client's conversation with a server, as bytes in both directions: what the loop knows
// of any protocol.
//
// In, out: bytes as they arrive from either side -> bytes for the other side.
// Always:  takes all that it is given and waits for nothing. What it does not understand is passed on byte for byte
// from
//          there on (is_readable() says no, and why).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/wire/byte_queue.h"

namespace isolde::proxy {

// Why a connection cannot be read (further).
enum class Unreadable : std::uint8_t {
  kNot,
  kCancel,       // a request to cancel: it never could be
  kProtocol,     // a protocol other than the one that is expected
  kReplication,  // the client asked for the replication protocol
  kMessage,      // a message that does not fit what was asked
  kTooLong,      // a message that a listener needs whole, and that is longer than it may be
  kEncrypted,    // the client and the server encrypt
};
inline constexpr std::size_t kUnreadableKinds = 7;
[[nodiscard]] std::string_view words(Unreadable why);

struct ConversationCounts {
  std::uint64_t statements = 0;    // texts and executions of prepared statements
  std::uint64_t transactions = 0;  // that ended, as far as the protocol says so
};

// Why the proxy itself ends a connection.
enum class Refusal : std::uint8_t { kTooManyClients, kNoServer, kUnreadable, kNeedsTls };

class Conversation {
 public:
  virtual ~Conversation() = default;

  // Takes all of `bytes`. `to_client` is for what is answered here.
  virtual void from_client(std::string_view bytes, ByteQueue& to_server, ByteQueue& to_client) = 0;
  virtual void from_server(std::string_view bytes, ByteQueue& to_client) = 0;
  // That side said that nothing more will come: the beginning of a message that was held back goes out.
  virtual void end_of_client(ByteQueue& to_server) = 0;
  virtual void end_of_server(ByteQueue& to_client) = 0;
  // The time of everything that comes until the next call.
  virtual void at(std::int64_t) {}
  // Whether anybody needs that time.
  [[nodiscard]] virtual bool needs_time() const { return false; }
  // The connection is over.
  virtual void closed() {}

  // The proxy can end TLS for this client; `required`: and takes it in no other way.
  virtual void offer_tls(bool required) { static_cast<void>(required); }
  // Once: the client was told to go on in TLS. What it sends next is that.
  [[nodiscard]] virtual bool starts_tls() { return false; }
  // Now a server is needed.
  [[nodiscard]] virtual bool wants_server() const = 0;
  // The client has not said yet who it is.
  [[nodiscard]] virtual bool silent() const = 0;
  // It said something that no server would take: to be closed when what is on its way was sent.
  [[nodiscard]] virtual bool refused() const = 0;
  // Its bytes cannot be passed on any more: to be cut.
  [[nodiscard]] virtual bool broken() const = 0;
  [[nodiscard]] virtual Unreadable why() const = 0;
  [[nodiscard]] bool is_readable() const { return why() == Unreadable::kNot; }
  [[nodiscard]] virtual const ConversationCounts& counts() const = 0;
  // The message that tells the client why, in its protocol.
  [[nodiscard]] virtual std::string refusal(Refusal why, std::string_view text) const = 0;
};

// For a new client of the loop of that number; called by its thread.
using MakeConversation = std::function<std::unique_ptr<Conversation>(std::size_t loop)>;

}  // namespace isolde::proxy
