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
#include <utility>

#include "proxy/postgres/answers.h"
#include "proxy/wire/byte_queue.h"
#include "proxy/wire/conversation.h"

namespace isolde::proxy::postgres {

using proxy::Unreadable;

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

class Conversation final : public proxy::Conversation {
 public:
  explicit Conversation(Listener* listener = nullptr) : listener_(listener) {}
  explicit Conversation(std::unique_ptr<Listener> listener) : owned_(std::move(listener)), listener_(owned_.get()) {}

  void from_client(std::string_view bytes, ByteQueue& to_server, ByteQueue& to_client) override;
  void from_server(std::string_view bytes, ByteQueue& to_client) override;
  void end_of_client(ByteQueue& to_server) override;
  void end_of_server(ByteQueue& to_client) override;
  void at(std::int64_t time) override {
    if (listener_ != nullptr) listener_->at(time);
  }
  [[nodiscard]] bool needs_time() const override { return listener_ != nullptr; }
  void closed() override {
    if (listener_ != nullptr) listener_->closed();
  }

  void offer_tls(bool required) override { tls_ = required ? Tls::kRequired : Tls::kOffered; }
  [[nodiscard]] bool starts_tls() override { return std::exchange(starts_tls_, false); }
  [[nodiscard]] bool wants_server() const override { return stage_ != Stage::kStartup && stage_ != Stage::kRefused; }
  [[nodiscard]] bool silent() const override { return !wants_server(); }
  [[nodiscard]] bool refused() const override { return stage_ == Stage::kRefused; }
  [[nodiscard]] bool broken() const override { return broken_; }
  [[nodiscard]] Unreadable why() const override { return why_; }
  [[nodiscard]] const ConversationCounts& counts() const override { return counts_; }
  [[nodiscard]] std::string refusal(Refusal why, std::string_view text) const override;

 private:
  enum class Stage : std::uint8_t { kStartup, kMessages, kBytes, kRefused };
  enum class Tls : std::uint8_t { kNone, kOffered, kRequired, kInUse };
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

  std::unique_ptr<Listener> owned_ = nullptr;
  Listener* listener_;
  Stage stage_ = Stage::kStartup;
  Unreadable why_ = Unreadable::kNot;
  bool broken_ = false;
  Tls tls_ = Tls::kNone;
  bool starts_tls_ = false;
  Answers answers_;
  Direction client_, server_;
  ConversationCounts counts_;
};

}  // namespace isolde::proxy::postgres
