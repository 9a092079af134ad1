// record/http_get.h: one GET of HTTP/1.1 from a database's status port.
//
// Always: one connection a request, closed after it; what is cut off or too long is an error, never a shorter body.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace isolde::record {

struct HttpAnswer {
  int status = 0;
  std::string body;
};

// `path` begins with / and is encoded already. Any status is an answer; the error says what is wrong with the
// connection.
[[nodiscard]] Result<HttpAnswer> http_get(const std::string& host, std::uint16_t port, std::string_view path);

// A whole answer as it comes from the wire; `raw` is all of it.
[[nodiscard]] Result<HttpAnswer> parse_http(std::string_view raw);

// One part of a path, or a name or value of a query: everything but letters, digits and -._~ as %XX.
[[nodiscard]] std::string url_encoded(std::string_view text);

}  // namespace isolde::record
