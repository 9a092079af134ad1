// tests/support/wire_client.h: PostgreSQL's protocol by hand: what is sent and what comes back, message by message, so
// that a server and a proxy before it can be compared byte for byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace isolde::test {

struct WireMessage {
  char type;
  std::string body;
  friend bool operator==(const WireMessage&, const WireMessage&) = default;
};

// What a person reads of it, for failures.
[[nodiscard]] std::string shown(const WireMessage& message);
[[nodiscard]] std::string shown(const std::vector<WireMessage>& messages);
// Without what differs between two databases that were made alike: oids of tables, process ids.
[[nodiscard]] WireMessage comparable(WireMessage message);

class WireClient {
 public:
  // `address`: "unix:PATH" or "HOST:PORT" (of this machine).
  explicit WireClient(const std::string& address);
  ~WireClient();
  WireClient(const WireClient&) = delete;
  WireClient& operator=(const WireClient&) = delete;

  [[nodiscard]] bool connected() const { return fd_ >= 0; }
  void send(std::string_view bytes);
  // The startup packet, and everything up to the first ReadyForQuery (or the end).
  std::vector<WireMessage> log_in(const std::string& user, const std::string& database);
  // The next message; type 0: the connection ended.
  [[nodiscard]] WireMessage next();
  // Everything up to and with so many ReadyForQuery.
  [[nodiscard]] std::vector<WireMessage> until_ready(std::size_t times);
  [[nodiscard]] std::string bytes(std::size_t count);
  void close();
  void shut_write() const;

 private:
  [[nodiscard]] bool fill();
  int fd_ = -1;
  std::string in_;
};

// Messages of a client.
[[nodiscard]] std::string wire_message(char type, std::string_view body);
[[nodiscard]] std::string wire_query(std::string_view sql);
[[nodiscard]] std::string wire_parse(std::string_view name, std::string_view sql);
[[nodiscard]] std::string wire_bind(std::string_view portal, std::string_view statement,
                                    const std::vector<std::string>& parameters = {}, bool binary_results = false);
[[nodiscard]] std::string wire_describe(char kind, std::string_view name);
[[nodiscard]] std::string wire_execute(std::string_view portal, std::uint32_t most_rows = 0);
[[nodiscard]] std::string wire_close(char kind, std::string_view name);
[[nodiscard]] std::string wire_startup(const std::string& user, const std::string& database);
inline constexpr std::string_view kWireSync{"S\0\0\0\4", 5};
inline constexpr std::string_view kWireFlush{"H\0\0\0\4", 5};

}  // namespace isolde::test
