#include "record/http_get.h"

#include <gtest/gtest.h>

#include "tests/support/http_server.h"

namespace isolde::record {
namespace http_get_test {

TEST(HttpGet, GivesStatusAndBody) {
  const std::string big(3'000'000, 'x');
  const test::HttpServer server([&](const std::string& path) {
    return path == "/big?a=%20b" ? test::HttpServer::ok(big) : "HTTP/1.1 404 Not Found\r\n\r\nno such thing";
  });
  const auto found = http_get("127.0.0.1", server.port(), "/big?a=%20b");
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_EQ(found->status, 200);
  EXPECT_TRUE(found->body == big);
  const auto missing = http_get("localhost", server.port(), "/other");
  ASSERT_TRUE(missing.has_value()) << missing.error().message();
  EXPECT_EQ(missing->status, 404);
  EXPECT_EQ(missing->body, "no such thing");
}

TEST(HttpGet, AHostThatIsNotThereIsNamed) {
  std::uint16_t port = 0;
  {
    const test::HttpServer server([](const std::string&) { return ""; });
    port = server.port();
  }
  const auto answer = http_get("127.0.0.1", port, "/");
  ASSERT_FALSE(answer.has_value());
  EXPECT_NE(answer.error().text.find("127.0.0.1"), std::string::npos);
}

TEST(HttpGet, ChunksAreJoined) {
  const auto answer =
      parse_http("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n1;name=x\r\nf\r\n0\r\n\r\n");
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->body, "abcdef");
}

TEST(HttpGet, WhatIsCutOffIsAnErrorAndNeverAShorterBody) {
  for (const std::string_view raw :
       {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc", "SSH-2.0\r\n\r\n", "HTTP/1.1 \r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc\r\n"})
    EXPECT_FALSE(parse_http(raw).has_value()) << raw;
}

TEST(HttpGet, PartsOfAPathAreEncoded) { EXPECT_EQ(url_encoded("a b/c?ü~1"), "a%20b%2Fc%3F%C3%BC~1"); }

}  // namespace http_get_test
}  // namespace isolde::record
