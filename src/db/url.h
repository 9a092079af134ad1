// db/url.h: database URLs: sqlite:FILE, postgres://user:password@host:port/database?option=value, mariadb://…
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace isolde::db {

struct Url {
  std::string scheme;  // the name of a product (db/product.h): "sqlite", "postgres" (aliases are resolved)
  std::string user, password;
  std::string host;        // a name, an address, or the folder of a unix socket (written with %2F); empty: the default
  std::uint16_t port = 0;  // 0: the default of the scheme
  std::string database;    // or the file, for one in this process; empty: a scratch file
  std::vector<std::pair<std::string, std::string>> options;

  // As it may be shown and recorded: without passwords.
  [[nodiscard]] std::string shown() const;
};

// The error shows no password.
[[nodiscard]] Result<Url> parse_url(std::string_view text);

// Where passwords stand in a text that has URLs in it, well formed or not: offsets and lengths. Rather too much than
// too little: all between the first : and the last @ of a URL counts.
struct PasswordPlace {
  std::size_t offset, length;
};
[[nodiscard]] std::vector<PasswordPlace> passwords_in(std::string_view text);
// The text with *** in their places.
[[nodiscard]] std::string without_passwords(std::string_view text);

}  // namespace isolde::db
