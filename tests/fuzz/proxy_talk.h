// tests/fuzz/proxy_talk.h: a conversation through the proxy of which one direction says anything: what comes out is
// what went in, however it was cut.
#pragma once

#include <string>
#include <string_view>

#include "proxy/postgres/conversation.h"
#include "proxy/postgres/numbers.h"
#include "tests/fuzz/format_fuzz.h"

namespace isolde::fuzz {

inline std::string hello() {
  using namespace isolde::proxy::postgres;
  std::string body;
  put_u32(body, 196608);
  body += std::string_view("user\0a\0\0", 8);
  std::string out;
  put_u32(out, static_cast<std::uint32_t>(body.size() + 4));
  return out + body;
}

// Requests of every kind, so that answers of every kind may fit.
inline std::string requests() {
  std::string out;
  for (const char type : {'P', 'B', 'D', 'E', 'C', 'S', 'Q', 'E', 'S', 'F', 'c', 'Q', 'E', 'H', 'S', 'P', 'S', 'Q'})
    out += isolde::proxy::postgres::message(type, "");
  return out;
}

class Echo : public proxy::postgres::Listener {
 public:
  void startup(std::string_view) override {}
  [[nodiscard]] bool wants_from_client(char type) const override { return type != 'd'; }
  [[nodiscard]] bool wants_from_server(char type) const override { return type != 'd'; }
  void client(char type, std::string_view body, const proxy::postgres::Sent&, proxy::ByteQueue& to_server) override {
    to_server.append(proxy::postgres::message(type, body));
  }
  void server(char type, std::string_view body, const proxy::postgres::Answers::Fit& fit,
              proxy::ByteQueue& to_client) override {
    require(fit.fits, "a message that does not fit was heard");
    to_client.append(proxy::postgres::message(type, body));
  }
  [[nodiscard]] bool lost_track() override { return true; }
};

}  // namespace isolde::fuzz
