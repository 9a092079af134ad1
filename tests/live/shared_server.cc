#include "tests/live/shared_server.h"

#include <gtest/gtest.h>

namespace isolde::test {

db::Server* shared_server(const db::ServerOptions& options) {
  static std::map<std::string, std::unique_ptr<db::Server>> servers;
  std::string which = options.kind + " " + options.binaries;
  for (const auto& [name, value] : options.settings) which += " " + name + "=" + value;
  std::unique_ptr<db::Server>& server = servers[which];
  if (server == nullptr) {
    auto started = db::start_server(options);
    EXPECT_TRUE(started) << which << ": " << started.error().message();
    if (started) server = *std::move(started);
  }
  return server.get();
}

}  // namespace isolde::test
