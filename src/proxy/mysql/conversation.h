// proxy/mysql/conversation.h: one client's conversation with a MySQL or MariaDB server, as bytes in both directions.
//
// In, out: bytes as they arrive from either side -> the same bytes for the other side, at once, and what they say to a
//          listener.
// Always:  the bytes that come out are those that went in, but for the greeting: what is struck from it (compression,
//          TLS: greeting.h) the two sides do not agree upon, and the rest can be read. Reading is beside the way: what
//          is not understood is passed on like everything else, and is_readable() says no from there on.
// Cost:    one look per packet; one copy per byte.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "proxy/mysql/answers.h"
#include "proxy/mysql/greeting.h"
#include "proxy/mysql/packets.h"
#include "proxy/wire/byte_queue.h"
#include "proxy/wire/conversation.h"

namespace isolde::proxy::mysql {

// Hears what passes. Packets come with as much of their body as is kept.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void logged_in(const Login& login) = 0;
  virtual void command(std::uint64_t number, const Packet& packet) = 0;
  virtual void answer(const Answer& answer, const Packet& packet) = 0;
  // The time of everything that is heard until the next call.
  virtual void at(std::int64_t) {}
  // Nothing more will be heard, because it cannot be read, or because the connection is over.
  virtual void lost_track() = 0;
  virtual void closed() = 0;
};

class Conversation final : public proxy::Conversation {
 public:
  static constexpr std::size_t kKept = 64, kKeptForListener = std::size_t{1} << 20;

  explicit Conversation(std::unique_ptr<Listener> listener = nullptr)
      : listener_(std::move(listener)),
        from_client_(listener_ == nullptr ? kKept : kKeptForListener),
        from_server_(listener_ == nullptr ? kKept : kKeptForListener) {}

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

  [[nodiscard]] bool wants_server() const override { return true; }
  [[nodiscard]] bool silent() const override { return stage_ == Stage::kGreeting || stage_ == Stage::kLogin; }
  [[nodiscard]] bool refused() const override { return false; }
  [[nodiscard]] bool broken() const override { return false; }
  [[nodiscard]] Unreadable why() const override { return why_; }
  [[nodiscard]] const ConversationCounts& counts() const override { return counts_; }
  [[nodiscard]] std::string refusal(Refusal why, std::string_view text) const override;

 private:
  enum class Stage : std::uint8_t { kGreeting, kLogin, kCommands, kBytes };
  void lose_track(Unreadable why);
  void take_login(ByteQueue& to_server);
  void read_client(std::string_view bytes);
  void take_client(const Packet& packet);
  void take_server(const Packet& packet);

  std::unique_ptr<Listener> listener_;
  Stage stage_ = Stage::kGreeting;
  Unreadable why_ = Unreadable::kNot;
  std::string greeting_, held_;  // either side's first packet, as far as it has come
  std::uint64_t offered_ = 0;    // to the client
  Login login_;
  PacketCutter from_client_, from_server_;
  Answers answers_;
  bool in_transaction_ = false;
  ConversationCounts counts_;
};

}  // namespace isolde::proxy::mysql
