#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "stream/testing.h"

namespace isolde::stream {
namespace {

using testing::address_of;
using testing::expected_writes;
using testing::Heard;
using testing::line;
using testing::lines;
using testing::Peer;
using testing::writes_of;

std::unique_ptr<Input> listen(const ListenOptions& options, InputOptions input = {}) {
  auto made = listen_on(options, std::move(input));
  EXPECT_TRUE(made) << made.error().message();
  return made ? *std::move(made) : nullptr;
}
std::unique_ptr<Input> listen_tcp(InputOptions input = {}) { return listen({.address = "tcp:0"}, std::move(input)); }

TEST(ListenInput, LinesOfATcpConnectionBecomePiecesAndAreAcknowledged) {
  const auto input = listen_tcp();
  const std::string address = address_of(*input);
  EXPECT_TRUE(address.starts_with("tcp:127.0.0.1:")) << address;
  Peer peer(address);
  peer.send(lines(1, 1, 100));
  Heard heard;
  heard.until_writes(*input, 100);
  heard.listen(*input, [&] { return peer.heard("{\"ack\": 100}\n"); });
  EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 1, 100));
  EXPECT_EQ(input->counts().open_connections, 1U);
  peer.hang_up();
  heard.listen(*input, [&] { return input->counts().open_connections == 0; });
  EXPECT_EQ(heard.gone, std::vector<Print>{*exact_print(1)});
}

TEST(ListenInput, AUnixSocketIsItsOwnersAloneAndGoesAtTheEnd) {
  testing::Scratch folder;
  const std::string path = folder / "socket";
  {
    const auto input = listen({.address = "unix:" + path});
    struct stat made{};
    ASSERT_EQ(::stat(path.c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 0777, 0600U);
    Peer peer(address_of(*input));
    peer.send(line(1, 1));
    Heard heard;
    heard.until_writes(*input, 1);
    EXPECT_FALSE(listen_on({.address = "unix:" + path}, {})) << "somebody listens there";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ListenInput, AStaleSocketIsReplacedAndAnythingElseIsNot) {
  testing::Scratch folder;
  const std::string path = folder / "socket";
  const int stale = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::memcpy(at.sun_path, path.c_str(), path.size());
  ASSERT_EQ(::bind(stale, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  ::close(stale);
  EXPECT_TRUE(listen_on({.address = "unix:" + path}, {}));
  std::ofstream(folder / "file") << "kept";
  EXPECT_FALSE(listen_on({.address = "unix:" + folder / "file"}, {}));
  EXPECT_TRUE(std::filesystem::exists(folder / "file"));
}

TEST(ListenInput, AHostThatOthersReachNeedsAToken) {
  const auto open = listen_on({.address = "tcp:0.0.0.0:0"}, {});
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().message().find("token"), std::string::npos);
  EXPECT_TRUE(listen_on({.address = "tcp:0.0.0.0:0", .token = "secret"}, {}));
  EXPECT_FALSE(listen_on({.address = "tcp:[::]:0"}, {}));
}

TEST(ListenInput, AddressesThatAreNoneAreRefused) {
  for (const char* const bad :
       {"", "tcp:", "tcp:x", "tcp:99999", "tcp::", "unix:", "http:80", "tcp:127.0.0.1:", "80"}) {
    EXPECT_FALSE(listen_on({.address = bad}, {})) << bad;
  }
  EXPECT_FALSE(listen_on({.address = "unix:/" + std::string(200, 'x')}, {}));
}

}  // namespace
}  // namespace isolde::stream
