#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include "stream/intake.h"
#include "stream/spool.h"
#include "stream/testing.h"

namespace isolde::stream {
namespace listen_input_test {

using testing::address_of;
using testing::expected_writes;
using testing::Heard;
using testing::line;
using testing::lines;
using testing::milliseconds;
using testing::Peer;
using testing::writes_of;

std::unique_ptr<Input> listen(const ListenOptions& options, InputOptions input = {}) {
  auto made = listen_on(options, std::move(input));
  EXPECT_TRUE(made) << made.error().message();
  return made ? *std::move(made) : nullptr;
}
// An address that nobody uses.
std::string new_socket() {
  static const testing::Scratch folder;
  static int made = 0;
  return "unix:" + folder / ("socket-" + std::to_string(++made));
}
std::unique_ptr<Input> listen_here(InputOptions input = {}) {
  return listen({.address = new_socket()}, std::move(input));
}
// A second passes whenever somebody looks at it.
std::function<std::chrono::steady_clock::time_point()> fast_clock() {
  return [looks = std::make_shared<int>()] {
    return std::chrono::steady_clock::time_point(std::chrono::seconds(1000 + ++*looks));
  };
}
std::uint64_t refused_as(const Input& input, Refusal why) {
  return input.counts().refused_as[static_cast<std::size_t>(why)];
}
std::string address_of_path(const std::string& path) { return "unix:" + path; }

TEST(ListenInput, LinesOfATcpConnectionBecomePiecesAndAreAcknowledged) {
  const auto input = listen({.address = "tcp:0", .token = "secret"});
  const std::string address = address_of(*input);
  EXPECT_TRUE(address.starts_with("tcp:127.0.0.1:")) << address;
  Peer peer(address);
  peer.send("{\"token\": \"secret\"}\n" + lines(1, 1, 100));
  Heard heard;
  heard.until_writes(*input, 100);
  heard.listen(*input, [&] { return peer.heard("{\"ack\": 100}\n"); });
  EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 1, 100));
  EXPECT_EQ(input->counts().open_connections, 1U);
  peer.hang_up();
  heard.listen(*input, [&] { return input->counts().open_connections == 0; });
  EXPECT_EQ(heard.gone, std::vector<Fingerprint>{*exact_fingerprint(1)});
}

TEST(ListenInput, TimeDoesNotPassWhatWasSentAndIsNotReadYet) {
  testing::Scratch folder;
  int now = 0;
  InputOptions options;
  options.clock = [&] { return std::chrono::steady_clock::time_point(std::chrono::milliseconds(now)); };
  const auto input = listen({.address = "unix:" + (folder / "socket")}, options);
  Peer early(address_of(*input));
  early.send(line(1, 1));
  Heard heard;
  heard.until_writes(*input, 1);
  const auto drained = [&] {
    const auto next = input->next(milliseconds(0));
    EXPECT_TRUE(next && !next->piece);
    return next ? next->drained / milliseconds(1) : -1;
  };
  now = 600;
  EXPECT_EQ(drained(), 600);
  // It gets no processor; one that is connected and one that is not yet send something meanwhile.
  early.send(line(1, 2));
  Peer late(address_of_path(folder / "socket"));
  late.send(line(2, 3));
  now = 3'100;
  std::size_t writes = 0;
  while (writes < 2) {
    const auto next = input->next(milliseconds(50));
    ASSERT_TRUE(next);
    EXPECT_EQ(next->drained / milliseconds(1), 600) << "not everything was read by then";
    std::vector<std::string> got;
    if (next->piece) testing::append_writes(*next->piece->chunk, got);
    writes += got.size();
  }
  now = 3'200;
  EXPECT_GE(drained(), 2'600) << "what lay there was little: nobody was held up";
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

TEST(ListenInput, ATcpPortNeedsATokenOnLoopbackToo) {
  for (const char* const address : {"tcp:0.0.0.0:0", "tcp:0", "tcp:127.0.0.1:0", "tcp:localhost:0"}) {
    const auto open = listen_on({.address = address}, {});
    ASSERT_FALSE(open) << address;
    EXPECT_NE(open.error().message().find("token"), std::string::npos);
  }
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

TEST(ListenInput, EverySenderIsRefusedByItselfAndOthersAreServedOn) {
  InputOptions options;
  options.max_line = 10'000;
  const auto input = listen_here(options);
  const std::string address = address_of(*input);
  Peer good(address);
  Heard heard;
  int sent = 0;
  struct Case {
    std::string what, why;
  };
  std::string silent;
  for (int i = 0; i < 20'000; ++i) silent += " \n";
  std::string binary = "\x01\x00\xff\xfe garbage";
  binary += '\n';
  const Case cases[] = {
      {line(1, 1) + line(1, 2) + "{\"session\":1}\n", "line 3: expected a transaction with"},
      {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "line 1: expected a JSON object"},
      {binary, "line 1: "},
      {std::string(20'000, 'x'), "line 1: it is longer than 10000 bytes"},
      {line(1, 1) + "{\"session\":1,\"ops\":[[\"r\",\"x\",\"" + std::string(20'000, 'y') + "\"]]}\n",
       "line 2: it is longer than 10000 bytes"},
      {silent, "lines in a row say nothing"},
      {std::string(2000, '[') + "\n", "line 1: "},
      {line(1, 1) + "{\"isolde\":1}\n", "line 2: the header may only be the first line"},
      {"{\"version_order\":{\"x\":[1]}}\n", "line 1: a version order has no meaning in a stream"},
      {"{\"hello\":\"\"}\n", "line 1: expected {\\\"hello"},
      {"{\"hello\":\"a\\u001b[31m\"}\n", "line 1: expected {\\\"hello"},
      {"{\"hello\":7}\n", "line 1: expected {\\\"hello"},
      {"{\"hello\":\"x\",\"from\":0}\n", "line 1: expected \\\"from"},
      {"{\"token\":\"x\"}\n{\"token\":\"x\"}\n", "line 1: unknown field \\\"token"},
      {"{\"id\":1,\"session\":1,\"ops\":[]}\n{\"id\":1,\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n",
       "line 2: transaction id 1 occurs twice"},
      {line(1, 1) + "{\"bye\":false}\n", "line 2: "},
      {"{\"bye\":true}\n" + line(1, 1), "line 1: "},
      {std::string("{\"session\":1,\"ops\":[[\"w\",\"\xff\xfe\",1]]}\n"), "line 1: "},
  };
  std::uint64_t refused = 0;
  for (const Case& wrong : cases) {
    Peer bad(address);
    bad.send(wrong.what);
    heard.listen(*input, [&] { return bad.closed(); });
    EXPECT_TRUE(bad.heard("{\"error\": \"line ") && bad.heard(wrong.why))
        << bad.heard() << " for " << wrong.what.substr(0, 80);
    EXPECT_EQ(input->counts().refused, ++refused);
    const std::size_t before = writes_of(heard.pieces).size();
    good.send(line(9, ++sent));
    heard.until_writes(*input, before + 1);
  }
  EXPECT_EQ(heard.error, "");
  std::vector<std::string> served;
  for (const std::string& write : writes_of(heard.pieces)) {
    if (write.starts_with("9:")) served.push_back(write);
  }
  EXPECT_EQ(served, expected_writes(9, 1, sent));
  EXPECT_TRUE(heard.noticed("refused: line 3: expected a transaction"));
  bool good_was_refused = good.heard("error");
  EXPECT_FALSE(good_was_refused);
}

TEST(ListenInput, LinesBeforeAWrongOneAreTakenAndAcknowledged) {
  const auto input = listen_here();
  Peer peer(address_of(*input));
  peer.send(lines(1, 1, 5) + "{}\n" + lines(1, 6, 9));
  Heard heard;
  heard.listen(*input, [&] { return peer.closed(); });
  EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 1, 5));
  EXPECT_TRUE(peer.heard("{\"ack\": 5}"));
  EXPECT_TRUE(peer.heard("{\"error\": \"line 6: "));
  EXPECT_TRUE(heard.gone.empty()) << "what a refused sender had to say is missing, not over";
}

TEST(ListenInput, WithoutTheTokenNothingIsTaken) {
  const auto input = listen({.address = "tcp:0", .token = "secret"});
  const std::string address = address_of(*input);
  Heard heard;
  for (const std::string& first :
       {line(1, 1), std::string("{\"token\":\"secre\"}\n"), std::string("{\"token\":\"secrets\"}\n"),
        std::string("{\"token\":\"\"}\n"), std::string("{\"token\":7}\n"), std::string("\n"),
        std::string("{\"hello\":\"secret\"}\n"), std::string(5000, ' ')}) {
    Peer peer(address);
    peer.send(first + line(1, 2));
    heard.listen(*input, [&] { return peer.closed(); });
    EXPECT_TRUE(peer.heard("{\"error\": \"line 1: ")) << peer.heard();
  }
  EXPECT_TRUE(heard.pieces.empty());
  Peer right(address);
  right.send("{\"token\": \"secret\"}\n" + line(1, 7));
  heard.until_writes(*input, 1);
  EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 7, 7));
}

TEST(ListenInput, ATokenThatNobodyAskedForIsIgnored) {
  const auto input = listen_here();
  Peer peer(address_of(*input));
  peer.send("{\"token\": \"secret\"}\n{\"hello\": \"a\"}\n" + line(1, 7));
  Heard heard;
  heard.until_writes(*input, 1);
  heard.listen(*input, [&] { return peer.heard("{\"resume\": 0}\n{\"ack\": 1}\n"); });
}

TEST(ListenInput, WhoDoesNotFinishItsFirstLineOrAnyLineIsRefused) {
  const auto input = listen({.address = "tcp:0",
                             .token = "secret",
                             .greeting_limit = std::chrono::milliseconds(50),
                             .line_limit = std::chrono::milliseconds(50)});
  const std::string address = address_of(*input);
  Heard heard;
  Peer mute(address);
  Peer slow(address);
  slow.send("{\"tok");
  heard.listen(*input, [&] { return mute.closed() && slow.closed(); });
  EXPECT_TRUE(mute.heard("the token did not come in time"));
  EXPECT_TRUE(slow.heard("the token did not come in time"));
}

TEST(ListenInput, ALineThatDripsInIsRefusedAndAQuietConnectionIsNot) {
  const auto input = listen({.address = new_socket(), .line_limit = std::chrono::milliseconds(50)});
  const std::string address = address_of(*input);
  Heard heard;
  Peer quiet(address);
  quiet.send(line(1, 1));
  Peer drip(address);
  drip.send(line(2, 1));
  heard.listen(*input, [&] {
    drip.send(" ");
    return drip.closed();
  });
  EXPECT_TRUE(drip.heard("line 2: it was begun and did not become whole in time"));
  quiet.send(line(1, 2));
  heard.until_writes(*input, 3);
  EXPECT_EQ(input->counts().refused, 1U);
}

TEST(ListenInput, MoreConnectionsThanAllowedAreToldSo) {
  const auto input = listen({.address = new_socket(), .max_connections = 3});
  const std::string address = address_of(*input);
  Heard heard;
  std::vector<Peer> peers;
  for (int i = 0; i < 3; ++i) {
    peers.emplace_back(address);
    peers.back().send(line(i, 1));
  }
  heard.until_writes(*input, 3);
  Peer fourth(address);
  heard.listen(*input, [&] { return fourth.closed(); });
  EXPECT_TRUE(fourth.heard("there are 3 connections already"));
  peers.pop_back();
  heard.listen(*input, [&] { return input->counts().open_connections == 2; });
  Peer fifth(address);
  fifth.send(line(5, 1));
  heard.until_writes(*input, 4);
}

TEST(ListenInput, SilentConnectionsMakeRoomForOthersTheOldestFirst) {
  const auto input = listen({.address = new_socket(), .max_connections = 3});
  const std::string address = address_of(*input);
  Heard heard;
  Peer served(address);
  served.send(line(1, 1));
  heard.until_writes(*input, 1);
  std::vector<Peer> silent;
  for (int i = 0; i < 2; ++i) {
    silent.emplace_back(address);
    heard.listen(*input, [&] { return input->counts().open_connections == static_cast<std::uint64_t>(2 + i); });
  }
  for (int i = 0; i < 2; ++i) {
    Peer& oldest = silent[static_cast<std::size_t>(i)];
    EXPECT_FALSE(oldest.closed());
    Peer next(address);
    next.send(line(2 + i, 1));
    heard.until_writes(*input, static_cast<std::size_t>(2 + i));
    EXPECT_TRUE(oldest.closed());
    EXPECT_TRUE(oldest.heard("others need its place, and it has sent nothing")) << oldest.heard();
    next.hang_up();
    heard.listen(*input, [&] { return input->counts().open_connections == 2; });
    silent.emplace_back(address);  // and somebody is silent in its place
    heard.listen(*input, [&] { return input->counts().open_connections == 3; });
  }
  EXPECT_EQ(refused_as(*input, Refusal::kSilent), 2U);
  served.send(line(1, 2));
  heard.until_writes(*input, 4);
}

TEST(ListenInput, WhoShowedTheTokenStaysLongerThanWhoDidNot) {
  const auto input = listen({.address = "tcp:0", .token = "secret", .max_connections = 2});
  const std::string address = address_of(*input);
  Heard heard;
  Peer known(address);
  known.send("{\"token\": \"secret\"}\n");
  heard.listen(*input, [&] { return input->counts().bytes > 0; });
  Peer stranger(address);
  heard.listen(*input, [&] { return input->counts().open_connections == 2; });
  Peer third(address);
  heard.listen(*input, [&] { return stranger.closed(); });
  EXPECT_FALSE(known.closed());
  third.send("{\"token\": \"secret\"}\n" + line(1, 1));
  heard.until_writes(*input, 1);
}

TEST(ListenInput, AConnectionWithoutAFirstLineIsClosedInTime) {
  const auto input = listen({.address = new_socket(), .clock = fast_clock()});
  const std::string address = address_of(*input);
  Heard heard;
  Peer served(address);
  served.send(line(1, 1));
  heard.until_writes(*input, 1);
  Peer silent(address);
  Peer half(address);
  half.send("{\"session\":");
  heard.listen(*input, [&] { return silent.closed() && half.closed(); });
  EXPECT_TRUE(silent.heard("line 1: it did not come in time")) << silent.heard();
  EXPECT_TRUE(half.heard("line 1: it did not come in time")) << half.heard();
  EXPECT_FALSE(served.closed()) << "it may be quiet as long as it likes";
  EXPECT_EQ(refused_as(*input, Refusal::kSilent), 2U);
}

TEST(ListenInput, AFloodOfRefusalsIsOneNoticeOfEachKindAndACount) {
  const auto input = listen({.address = "tcp:0", .token = "secret"});
  const std::string address = address_of(*input);
  Heard heard;
  for (int i = 0; i < 40; ++i) {
    Peer wrong(address);
    wrong.send(i % 2 == 0 ? "{\"token\": \"guess\"}\n" : "{\"token\": \"secret\"}\nno trace\n");
    heard.listen(*input, [&] { return wrong.closed(); });
  }
  EXPECT_EQ(refused_as(*input, Refusal::kToken), 20U);
  EXPECT_EQ(refused_as(*input, Refusal::kLine), 20U);
  EXPECT_EQ(input->counts().refused, 40U);
  EXPECT_EQ(heard.notices.size(), 2U);
  EXPECT_TRUE(heard.noticed("line 1: this is not the token (further ones without the token are only counted)"));
}

TEST(ListenInput, NamesShownToPeopleMoveNoCursor) {
  const auto input = listen_here();
  Peer peer(address_of(*input));
  peer.send("{\"hello\": \"a\u202eb\"}\nno trace\n");
  Heard heard;
  heard.listen(*input, [&] { return peer.closed(); });
  EXPECT_TRUE(heard.noticed("\"a\\u202eb\"")) << (heard.notices.empty() ? "" : heard.notices[0]);
}

// As somebody does who wants no other name to be taken any more.
TEST(ListenInput, NamesWithoutLinesAreForgottenAndTakeNoRoom) {
  testing::Scratch folder;
  InputOptions options;
  options.spool_folder = folder / "spool";
  {
    const auto input = listen({.address = new_socket()}, options);
    const std::string address = address_of(*input);
    Heard heard;
    Peer real(address);
    real.send("{\"hello\": \"real\"}\n" + line(1, 1));
    heard.until_writes(*input, 1);
    for (int i = 0; i < 50; ++i) {
      Peer peer(address);
      peer.send(fmt::format("{{\"hello\": \"n{}\"}}\n", i));
      heard.listen(*input, [&] { return peer.heard("resume"); });
      peer.hang_up();
      heard.listen(*input, [&] { return input->counts().open_connections == 1; });
    }
  }
  const auto spool = Spool::open(options.spool_folder, 0);
  ASSERT_TRUE(spool);
  for (const auto& [name, sender] : (*spool)->state().senders) EXPECT_EQ(sender.left, name != "real") << name;
}

TEST(Intake, ANewNameAlwaysFindsRoomAndThoseHeardOfLastAreKept) {
  const auto intake = Intake::open({});
  ASSERT_TRUE(intake);
  const auto named = [&](const std::string& name, std::unordered_set<std::uint32_t> connected = {}) {
    return (*intake)->sender_named(name, 1, connected);
  };
  auto first = named("first");
  ASSERT_TRUE(first.sender);
  Sender early = *named("early").sender;
  ASSERT_TRUE((*intake)->take(early, line(1, 1), "early").piece);
  for (std::size_t i = 2; i < SpoolState::kMostSenders; ++i) {
    Sender sender = *named("n" + std::to_string(i)).sender;
    if (i < 10) {
      ASSERT_TRUE((*intake)->take(sender, line(1, static_cast<int>(i)), "n").piece);
    }
  }
  ASSERT_TRUE((*intake)->take(early, line(1, 2), "early").piece);  // heard of again
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(named("new" + std::to_string(i), {first.sender->number}).sender) << "for ever blocked";
  }
  EXPECT_EQ(named("early").sender->lines, 2U) << "it was heard of not long ago";
  EXPECT_EQ(named("first").sender->number, first.sender->number) << "it is connected";
  EXPECT_EQ(named("n2").sender->lines, 0U) << "it was forgotten";
}

TEST(Intake, AfterARestartNamesWithoutLinesTakeNoRoom) {
  testing::Scratch folder;
  InputOptions options;
  options.spool_folder = folder / "spool";
  {
    const auto intake = Intake::open(options);
    ASSERT_TRUE(intake);
    for (std::size_t i = 0; i < SpoolState::kMostSenders; ++i)
      ASSERT_TRUE((*intake)->sender_named("n" + std::to_string(i), 1, {}).sender);
  }  // killed
  const auto intake = Intake::open(options);
  ASSERT_TRUE(intake);
  // Even if everybody who is known were connected again.
  std::unordered_set<std::uint32_t> all;
  for (std::uint32_t i = 1; i <= SpoolState::kMostSenders; ++i) all.insert(i);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE((*intake)->sender_named("new" + std::to_string(i), 1, all).sender);
}

TEST(ListenInput, WhoSendsFasterThanPiecesAreTakenHasToWait) {
  InputOptions options;
  options.max_held = std::size_t{1} << 20;
  options.piece_bytes = std::size_t{64} << 10;
  const auto input = listen_here(options);
  Peer peer(address_of(*input));
  std::string text;
  while (text.size() < std::size_t{32} << 20) text += lines(1, 1, 1000);
  // Nobody calls next(): what goes out is in the system's buffers, which end somewhere.
  std::size_t sent = peer.send(text);
  EXPECT_LT(sent, text.size());
  EXPECT_EQ(input->counts().bytes, 0U);
  std::uint64_t most_held = 0;
  std::uint64_t largest = 0;
  std::uint64_t transactions = 0;
  while (sent < text.size() || transactions < text.size() / lines(1, 1, 1000).size() * 1000) {
    const auto next = input->next(std::chrono::milliseconds(10));
    ASSERT_TRUE(next);
    if (next->piece) {
      transactions += next->piece->chunk->history.txn_count();
      largest = std::max<std::uint64_t>(largest, next->piece->chunk->history.txn_count());
    }
    most_held = std::max(most_held, input->counts().held_bytes);
    sent += peer.send(std::string_view(text).substr(sent));
  }
  EXPECT_LE(most_held, options.max_held);
  EXPECT_LE(largest * 30, 2 * (options.piece_bytes + (std::size_t{64} << 10))) << "a piece is no larger than asked";
}

TEST(ListenInput, UnfinishedLinesTogetherStayWithinTheLimit) {
  InputOptions options;
  options.max_held = std::size_t{1} << 20;
  options.max_line = options.max_held;
  const auto input = listen_here(options);
  const std::string address = address_of(*input);
  std::vector<Peer> hostile;
  for (int i = 0; i < 30; ++i) hostile.emplace_back(address);
  Peer good(address);
  const std::string half = "{\"about\":\"" + std::string(100'000, 'x');
  Heard heard;
  for (Peer& peer : hostile) {
    peer.send(half);
    for (int i = 0; i < 3; ++i) heard.listen(*input, [n = 0]() mutable { return n++ == 1; });
    ASSERT_LE(input->counts().held_bytes, options.max_held);
  }
  heard.listen(*input, [&] { return input->counts().refused >= 19; });
  EXPECT_TRUE(heard.noticed("has no room beside those of other connections"));
  good.send(line(1, 1));
  heard.until_writes(*input, 1);
}

TEST(ListenInput, ASenderWithANameGoesOnWhereItsLinesEnded) {
  const auto input = listen_here();
  const std::string address = address_of(*input);
  Heard heard;
  {
    Peer peer(address);
    peer.send("{\"hello\": \"app-1\"}\n" + lines(1, 1, 10) + "{\"session\":1,\"op");
    heard.until_writes(*input, 10);
    heard.listen(*input, [&] { return peer.heard("{\"resume\": 0}\n{\"ack\": 10}\n"); });
  }
  heard.listen(*input, [&] { return input->counts().open_connections == 0; });
  EXPECT_TRUE(heard.gone.empty()) << "it may come back";
  Peer again(address);
  again.send("{\"hello\": \"app-1\"}\n");
  heard.listen(*input, [&] { return again.heard("{\"resume\": 10}\n"); });
  again.send(lines(1, 11, 12) + "{\"bye\": true}\n");
  again.done();
  heard.listen(*input, [&] { return again.closed() && !heard.gone.empty(); });
  EXPECT_TRUE(again.heard("{\"ack\": 12}"));
  EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 1, 12));
  EXPECT_EQ(heard.gone, std::vector<Fingerprint>{*exact_fingerprint(1)}) << "it said that it will not";
}

TEST(ListenInput, ANewConnectionUnderTheSameNameReplacesTheOld) {
  const auto input = listen_here();
  const std::string address = address_of(*input);
  Heard heard;
  Peer old(address);
  old.send("{\"hello\": \"a\"}\n" + lines(1, 1, 3));
  heard.until_writes(*input, 3);
  Peer fresh(address);
  fresh.send("{\"hello\": \"a\"}\n");
  heard.listen(*input, [&] { return fresh.heard("{\"resume\": 3}\n") && old.closed(); });
  EXPECT_TRUE(old.heard("another connection goes on under this name"));
}

TEST(ListenInput, LinesThatASenderCannotSendAgainAreToldMissing) {
  const auto input = listen_here();
  Peer peer(address_of(*input));
  peer.send("{\"hello\": \"a\", \"from\": 501}\n" + line(1, 1));
  Heard heard;
  heard.until_writes(*input, 1);
  heard.listen(*input, [&] { return peer.heard("{\"resume\": 500}\n{\"ack\": 501}\n"); });
  EXPECT_TRUE(heard.noticed("500 lines up to line 500 are missing"));
}

TEST(ListenInput, TheStreamHasOneHeaderAndTransactionsAreNumberedOverAllSenders) {
  const auto input = listen_here();
  const std::string address = address_of(*input);
  const std::string header = "{\"isolde\":1,\"initial\":{\"7\":5},\"columns\":true}\n";
  Heard heard;
  Peer first(address);
  first.send(header + line(1, 1));
  heard.until_writes(*input, 1);
  Peer same(address);
  same.send(header + line(2, 1));
  heard.until_writes(*input, 2);
  Peer none(address);
  none.send(line(3, 1));
  heard.until_writes(*input, 3);
  Peer other(address);
  other.send("{\"isolde\":1,\"initial\":{\"7\":6},\"columns\":true}\n" + line(4, 1));
  heard.listen(*input, [&] { return other.closed(); });
  EXPECT_TRUE(other.heard("line 1: this header says something else than the stream's"));
  ASSERT_EQ(heard.pieces.size(), 3U);
  EXPECT_TRUE(heard.pieces[0].chunk->has_header);
  EXPECT_TRUE(heard.pieces[0].chunk->columns);
  EXPECT_FALSE(heard.pieces[1].chunk->has_header);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(heard.pieces[i].chunk->id(TxnId{0}), *exact_fingerprint(static_cast<std::int64_t>(i)));
  }
}

TEST(ListenInput, ManySendersAtOnceLoseNothing) {
  testing::Scratch folder;
  InputOptions options;
  options.spool_folder = folder / "spool";
  const auto input = listen({.address = "unix:" + folder / "socket"}, options);
  const std::string address = address_of(*input);
  constexpr int kSenders = 24;
  constexpr int kLines = 400;
  std::vector<std::thread> senders;
  senders.reserve(kSenders);
  for (int i = 0; i < kSenders; ++i) {
    senders.emplace_back([&, i] {
      Peer peer(address);
      const std::string text = lines(i, 1, kLines);
      for (std::size_t sent = 0; sent < text.size();) {
        sent += peer.send(std::string_view(text).substr(sent, 777));
        std::this_thread::yield();
      }
      peer.done();
      while (!peer.closed()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_TRUE(peer.heard(fmt::format("{{\"ack\": {}}}", kLines)));
    });
  }
  Heard heard;
  heard.listen(*input, [&] { return heard.gone.size() == kSenders; });
  std::thread stopper([&] { input->stop(); });
  heard.listen(*input);
  stopper.join();
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(heard.error, "");
  std::map<std::string, std::vector<std::string>> by_session;
  for (const std::string& write : writes_of(heard.pieces))
    by_session[write.substr(0, write.find(':'))].push_back(write);
  ASSERT_EQ(by_session.size(), std::size_t{kSenders});
  for (int i = 0; i < kSenders; ++i) EXPECT_EQ(by_session[std::to_string(i)], expected_writes(i, 1, kLines));
}

}  // namespace listen_input_test
}  // namespace isolde::stream
