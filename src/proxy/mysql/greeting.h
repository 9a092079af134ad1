// proxy/mysql/greeting.h: the first packet of either side: which forms of the protocol the two agree upon.
//
// In, out: the server's greeting -> the same without what would make the rest unreadable; the client's answer -> who it
//          is and what it speaks.
// Always:  lengths do not change, and what a password is scrambled with stays: authentication does not notice.
//          TLS could be ended here only with a certificate; clients that insist on it refuse to connect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace isolde::proxy::mysql {

// Compression, TLS, and forms of packets that are not read here. Without them client and server speak plainly.
[[nodiscard]] std::uint64_t struck_capabilities();

// `body`: of the packet. Takes capabilities out of it. None: no greeting of protocol 10 (an error, an older protocol).
[[nodiscard]] std::optional<std::uint64_t> strike_capabilities(std::string& body);

struct Login {
  std::uint64_t capabilities = 0;
  std::string user, database;
  bool utf8 = false;          // its character set
  bool asks_for_tls = false;  // nothing but the capabilities is there
};
[[nodiscard]] std::optional<Login> login_of(std::string_view body);

// The database that COM_CHANGE_USER names.
[[nodiscard]] std::optional<Login> changed_user(std::string_view body, std::uint64_t capabilities);

}  // namespace isolde::proxy::mysql
