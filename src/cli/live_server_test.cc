#include "cli/live_server.h"

#include <gtest/gtest.h>

namespace isolde::cli {
namespace live_server_test {

std::string address_of(std::string_view text) {
  const auto address = parse_serve_address(text);
  return address ? address->host + " " + std::to_string(address->port) + (address->loopback ? "" : " token")
                 : address.error().text;
}

TEST(LiveServer, ServesThisMachineAloneUnlessThereIsAToken) {
  EXPECT_EQ(address_of("127.0.0.1:9000"), "127.0.0.1 9000");
  EXPECT_EQ(address_of("9000"), "127.0.0.1 9000");
  EXPECT_EQ(address_of("localhost:0"), "localhost 0");
  EXPECT_EQ(address_of("[::1]:80"), "[::1] 80");
  EXPECT_EQ(address_of("0.0.0.0:9000"), "0.0.0.0 9000 token");
  EXPECT_EQ(address_of("example.org:9000"), "example.org 9000 token");
  for (const char* const wrong : {"", ":9000", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:-1", "host"})
    EXPECT_TRUE(address_of(wrong).starts_with("--serve takes HOST:PORT")) << wrong;
}

TEST(Metrics, AreInTheFormatOfPrometheus) {
  Metrics m;
  m.counter("isolde_x_total", "What it is.", 3, metric_label("anomaly", "G1a"));
  m.counter("isolde_x_total", "What it is.", 1, metric_label("anomaly", "a\"b\\c\nd"));
  m.gauge("isolde_lag_seconds", "How late.", 0.25);
  EXPECT_EQ(m.text(),
            "# HELP isolde_x_total What it is.\n# TYPE isolde_x_total counter\n"
            "isolde_x_total{anomaly=\"G1a\"} 3\n"
            "isolde_x_total{anomaly=\"a\\\"b\\\\c\\nd\"} 1\n"
            "# HELP isolde_lag_seconds How late.\n# TYPE isolde_lag_seconds gauge\n"
            "isolde_lag_seconds 0.25\n");
}

}  // namespace live_server_test
}  // namespace isolde::cli
