// tests/live/cluster_test.cc: a stream on a real nats-server, checked by workers that are killed.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/rng.h"
#include "db/server_process.h"
#include "tests/cli/run_program.h"
#include "tests/cli/watched_stream.h"
#include "tests/support/comes_true.h"
#include "tests/support/effort.h"

namespace isolde::test {
namespace cluster_live_test {

std::string server_program() {
  for (const char* path : {"/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"}) {
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

sockaddr_in loopback(int port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  return to;
}

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(fd);
  return ntohs(address.sin_port);
}

bool listens(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in to = loopback(port);
  const bool there = ::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  ::close(fd);
  return there;
}

// One server with JetStream, for one test. Nobody else knows its password.
class Broker {
 public:
  // `settings`: of the server; empty: one user may do everything.
  explicit Broker(const Scratch& scratch, const std::string& settings = {}) : scratch_(scratch), process_(db::RunAs{}) {
    command_ = {server_program(), "-a", "127.0.0.1", "-p", std::to_string(port_)};
    const std::vector<std::string> more =
        settings.empty()
            ? std::vector<std::string>{"-js", "-sd", scratch.path("store"), "--user", "isolde", "--pass", password_}
            : std::vector<std::string>{"-c", scratch.file("nats.conf", settings)};
    command_.insert(command_.end(), more.begin(), more.end());
  }
  void start() {
    ASSERT_TRUE(process_.start(command_, scratch_.path(), scratch_.path("nats.log"), SIGKILL));
    ASSERT_TRUE(comes_true([this] { return listens(port_) || !process_.running(); }));
    ASSERT_TRUE(process_.running()) << content_of(scratch_.path("nats.log"));
  }
  void kill() { process_.kill_all(); }
  [[nodiscard]] std::string address(const std::string& stream) const { return address("isolde", password_, stream); }
  [[nodiscard]] std::string address(const std::string& user, const std::string& password,
                                    const std::string& stream) const {
    return fmt::format("nats://{}:{}@127.0.0.1:{}/{}", user, password, port_, stream);
  }

 private:
  const Scratch& scratch_;
  db::ServerProcess process_;
  std::vector<std::string> command_;
  int port_ = free_port();
  std::string password_ = fmt::format("{:016x}", Rng(static_cast<std::uint64_t>(::getpid())).next());
};

std::vector<std::string> merger_of(const std::string& address, const std::string& folder) {
  return {address,        "--level", "snapshot-isolation", "--partitions", "4",         "--producers", "2",
          "--lease",      "20",      "--deadline",         "600",          "--silence", "600",         "--json",
          "--checkpoint", folder};
}

// Its exit status; -1: it was still running after minutes, and was killed.
int ended_at_last(pid_t child) {
  int status = 0;
  if (comes_true([&] { return ::waitpid(child, &status, WNOHANG) == child; }))
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  kill_watch(child);
  return -1;
}

// Lines of sessions with odd and with even numbers.
std::string half(const std::vector<std::string>& lines, std::size_t which) {
  std::string out;
  for (const std::string& line : lines) {
    if (line.find("heartbeat") != std::string::npos) continue;
    const std::size_t at = line.find("\"session\":");
    const std::size_t digit = line.find_first_of("0123456789", at);
    if (static_cast<std::size_t>(line[digit] - '0') % 2 == which) out += line + "\n";
  }
  return out;
}

}  // namespace cluster_live_test

using namespace cluster_live_test;

#if ISOLDE_HAS_NATS

TEST(ClusterLive, FindsWhatOneProcessFindsThoughWorkersMergerAndServerAreKilled) {
  if (server_program().empty()) GTEST_SKIP() << "no nats-server (Debian: nats-server)";
  const Scratch scratch;
  Rng rng(effort::seed(11));
  const std::vector<std::string> lines = faulty_stream(3000, rng);
  const std::string halves[] = {scratch.file("p0.jsonl", half(lines, 0)), scratch.file("p1.jsonl", half(lines, 1))};
  const std::string whole = scratch.file("all.jsonl", half(lines, 0) + half(lines, 1));
  const pid_t alone = start_watch({whole, "--level", "snapshot-isolation", "--json"}, scratch.path("alone.log"));
  ASSERT_EQ(ended_at_last(alone), 1);
  std::vector<std::string> expected = identities(scratch.path("alone.log"));
  ASSERT_GT(expected.size(), 20U);

  Broker broker(scratch);
  broker.start();
  const std::string address = broker.address("test");
  const std::string record = scratch.path("record");
  std::filesystem::create_directories(record);
  pid_t merger = start_watch(merger_of(address, record), scratch.path("merger.log"));
  // The stream is there when a sender finds its plan.
  const auto send = [&](int which) {
    return isolde({"send", halves[which], address, "--name", fmt::format("p{}", which)});
  };
  // Under their old names they take their partitions back at once, so a lease may be longer than any machine is slow.
  const auto start_worker = [&](int which) {
    return start_watch({address, "--worker", "--lease", "20", "--name", fmt::format("w{}", which)},
                       scratch.path("worker.log"));
  };
  pid_t workers[] = {start_worker(0), start_worker(1)};
  Answer sent;
  ASSERT_TRUE(comes_true([&] { return (sent = send(0)).status == 0; })) << sent.err;
  kill_watch(workers[0]);
  workers[0] = start_worker(0);
  broker.kill();
  broker.start();
  kill_watch(merger);
  merger = start_watch(merger_of(address, record), scratch.path("merger.log"));
  ASSERT_TRUE(comes_true([&] { return (sent = send(1)).status == 0; })) << sent.err;
  kill_watch(workers[1]);
  workers[1] = start_worker(1);
  EXPECT_EQ(ended_at_last(merger), 1) << content_of(scratch.path("merger.log"))
                                      << content_of(scratch.path("worker.log"));
  for (const pid_t worker : workers) kill_watch(worker);
  std::vector<std::string> found = identities(record + "/violations.jsonl");
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(found, expected);
}

// What `isolde record` writes is in the stream, all of it and its end, though the broker was away meanwhile.
TEST(ClusterLive, ARunIsPublishedWhileItGoesOn) {
  if (server_program().empty()) GTEST_SKIP() << "no nats-server (Debian: nats-server)";
  const Scratch scratch;
  Broker broker(scratch);
  broker.start();
  const std::string address = broker.address("run");
  const std::string log = scratch.path("watch.log");
  const pid_t watch =
      start_watch({address, "--profile", "sqlite-wal:serializable", "--producers", "1", "--workers", "1"}, log);
  ASSERT_TRUE(comes_true([&] { return content_of(log).find("watching") != std::string::npos; })) << content_of(log);
  std::thread away([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    broker.kill();
    broker.start();
  });
  const Answer recorded = isolde({"record", "sqlite:" + scratch.path("run.db"), "--time", "2", "--clients", "2",
                                  "--think", "0.005", "--to", address, "--name", "recorder", "--json"});
  away.join();
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  EXPECT_NE(recorded.out.find("\"complete\": true"), std::string::npos) << recorded.out;
  const std::size_t sent = recorded.out.find("\"transactions\": ", recorded.out.find("\"sent\": "));
  ASSERT_NE(sent, std::string::npos) << recorded.out;
  const std::uint64_t count = std::stoull(recorded.out.substr(sent + 16));
  EXPECT_GT(count, 0U);
  EXPECT_EQ(ended_at_last(watch), 3) << content_of(log);  // clocks certify nothing
  std::string summary = content_of(log);
  std::erase(summary, ',');  // of numbers
  EXPECT_NE(summary.find(fmt::format("; {} shares of transactions {} of them judged", count, count)), std::string::npos)
      << summary;
  EXPECT_EQ(summary.find("never came"), std::string::npos) << summary;
}

// As docs/cluster.md shows: a program that writes its traces on standard output.
TEST(ClusterLive, APipeOfTracesIsPublished) {
  if (server_program().empty()) GTEST_SKIP() << "no nats-server (Debian: nats-server)";
  const Scratch scratch;
  Broker broker(scratch);
  broker.start();
  const std::string address = broker.address("pipe");
  const std::string log = scratch.path("watch.log");
  const pid_t watch =
      start_watch({address, "--profile", "sqlite-wal:serializable", "--producers", "2", "--workers", "1"}, log);
  ASSERT_TRUE(comes_true([&] { return content_of(log).find("watching") != std::string::npos; })) << content_of(log);
  for (const char* name : {"a", "b"}) {
    const std::string pipe =
        fmt::format("python3 {}/examples/online/write_traces.py {} 500 | {}/isolde send - '{}' --name {}",
                    ISOLDE_SOURCE_DIR, name, ISOLDE_BINARY_DIR, address, name);
    const Answer answer = run_program({"/bin/sh", "-c", pipe});
    ASSERT_EQ(answer.status, 0) << answer.err;
  }
  EXPECT_EQ(ended_at_last(watch), 3) << content_of(log);  // clocks certify nothing
  EXPECT_NE(content_of(log).find("1,000 shares of transactions, 1,000 of them judged"), std::string::npos)
      << content_of(log);
}

TEST(ClusterLive, WhoMayNotComeInIsToldSo) {
  if (server_program().empty()) GTEST_SKIP() << "no nats-server (Debian: nats-server)";
  const Scratch scratch;
  Broker broker(scratch);
  broker.start();
  std::string address = broker.address("test");
  address.replace(address.find(':', 8) + 1, 16, "wrong");
  const Answer answer = isolde({"watch", address, "--level", "si"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.err.find("Authorization"), std::string::npos) << answer.err;
  EXPECT_EQ(answer.err.find("wrong"), std::string::npos) << "the password is shown: " << answer.err;
}

TEST(ClusterLive, AStreamThatIsNotThereIsNamed) {
  if (server_program().empty()) GTEST_SKIP() << "no nats-server (Debian: nats-server)";
  const Scratch scratch;
  Broker broker(scratch);
  broker.start();
  const std::string file = scratch.file("h.jsonl", "{\"id\":1,\"session\":1,\"ops\":[]}\n");
  const Answer answer = isolde({"send", file, broker.address("nowhere")});
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.err.find("there is no stream nowhere"), std::string::npos) << answer.err;
}

// The settings of docs/cluster.md, without TLS, let everybody do what they have to.
TEST(ClusterLive, TheLeastPermissionsAreEnough) {
  if (server_program().empty()) GTEST_SKIP() << "no nats-server (Debian: nats-server)";
  const std::string page = content_of(ISOLDE_SOURCE_DIR "/docs/cluster.md");
  const std::size_t begin = page.find("\naccounts {"), end = page.find("```", begin);
  ASSERT_NE(begin, std::string::npos);
  const Scratch scratch;
  std::string settings = fmt::format("jetstream {{ store_dir: \"{}\" }}", scratch.path("store"));
  settings += page.substr(begin, end - begin);
  const std::string blank = "\"…\"", password = "\"secret\"";
  for (std::size_t at = 0; (at = settings.find(blank, at)) != std::string::npos; at += password.size())
    settings.replace(at, blank.size(), password);
  Broker broker(scratch, settings);
  broker.start();
  const std::string log = scratch.path("watch.log"), worker_log = scratch.path("worker.log");
  const pid_t watch = start_watch({broker.address("watcher", "secret", "shop"), "--level", "si", "--partitions", "3",
                                   "--producers", "1", "--deadline", "600"},
                                  log);
  const pid_t worker = start_watch({broker.address("worker", "secret", "shop"), "--worker"}, worker_log);
  ASSERT_TRUE(comes_true([&] { return content_of(log).find("watching") != std::string::npos; })) << content_of(log);
  const std::string file = scratch.path("h.jsonl");
  ASSERT_EQ(isolde({"gen", "--out", file, "--transactions", "2000", "--level", "si"}).status, 0);
  const Answer sent = isolde({"send", file, broker.address("app-1", "secret", "shop"), "--name", "app-1"});
  EXPECT_EQ(sent.status, 0) << sent.err;
  EXPECT_EQ(ended_at_last(watch), 0) << content_of(log) << content_of(worker_log);
  ::kill(worker, SIGTERM);  // it writes its last checkpoints
  EXPECT_EQ(ended_at_last(worker), 0) << content_of(worker_log);
  EXPECT_EQ(content_of(worker_log).find("ermission"), std::string::npos) << content_of(worker_log);
}

#else

TEST(ClusterLive, WithoutNatsItSaysWhatToInstall) {
  const Scratch scratch;
  const std::string file = scratch.file("h.jsonl", "{\"id\":1,\"session\":1,\"ops\":[]}\n");
  const std::string address = "nats://localhost/shop";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"watch", address, "--level", "si"},
        {"watch", address, "--worker"},
        {"send", file, address},
        {"record", "sqlite:" + scratch.path("a.db"), "--time", "1", "--to", address}}) {
    const Answer answer = isolde(command);
    EXPECT_EQ(answer.status, 2) << command.front();
    EXPECT_NE(answer.err.find("install libnats-dev"), std::string::npos) << command.front() << ": " << answer.err;
  }
}

#endif

}  // namespace isolde::test
