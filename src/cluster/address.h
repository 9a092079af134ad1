// cluster/address.h: nats://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]…]/STREAM[?option=value&…], or tls:// for the
// same with TLS.
//
// Options: ca=FILE (certificates to trust), cert=FILE and key=FILE (the client's own), host=NAME (expected in the
// server's certificate), creds=FILE (user credentials), replicas=N.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace isolde::cluster {

struct Address {
  std::vector<std::string> servers;  // "nats://10.0.0.1:4222"
  std::string user, password;
  std::string stream;
  bool tls = false;
  std::string ca, cert, key, expected_host, credentials;
  std::uint32_t replicas = 1;

  // As it may be shown: without the password.
  [[nodiscard]] std::string shown() const;
};

[[nodiscard]] bool is_cluster_address(std::string_view text);
// The error shows no password.
[[nodiscard]] Result<Address> parse_address(std::string_view text);

}  // namespace isolde::cluster
