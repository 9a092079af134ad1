// bench/delay_link.cc: delay_link DELAY_MS NAMESPACE:ADDRESS…: a network on which every packet takes DELAY_MS.
//
// Makes a tun device in each network namespace (ip netns), gives it the address (10.0.0.1/24), and passes packets
// between them by their destination, DELAY_MS after they were sent. For kernels that cannot delay packets themselves
// (netem). Says "ready" when all devices are up; runs until it is killed. Needs root.
//
// Cost: a system call to read and one to write per packet; the devices' queues hold what comes faster.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kMtu = 65000;  // few packets for large messages, as with a network card that segments them

struct Host {
  int device = -1;
  std::uint32_t address = 0;
};
struct Packet {
  Clock::time_point due;
  int to;
  std::vector<char> bytes;
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "delay_link: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

void run(const std::string& command) {
  if (std::system(command.c_str()) != 0) fail(command);
}

int open_device(const std::string& space, const std::string& address) {
  const int there = ::open(("/var/run/netns/" + space).c_str(), O_RDONLY | O_CLOEXEC);
  if (there < 0 || ::setns(there, CLONE_NEWNET) != 0) fail("no network namespace " + space);
  ::close(there);
  const int device = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) fail("/dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(request.ifr_name, "far0", IFNAMSIZ - 1);
  if (::ioctl(device, TUNSETIFF, &request) != 0) fail("TUNSETIFF");
  run("ip link set lo up && ip addr add " + address + "/24 dev far0 && ip link set far0 mtu " + std::to_string(kMtu) +
      " txqueuelen 10000 up");
  return device;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: delay_link DELAY_MS NAMESPACE:ADDRESS…\n");
    return 2;
  }
  const auto delay = std::chrono::microseconds(static_cast<long>(std::atof(argv[1]) * 1000));
  std::vector<Host> hosts;
  std::map<std::uint32_t, int> by_address;
  for (int i = 2; i < argc; ++i) {
    const std::string arg = argv[i];
    const std::size_t colon = arg.find(':');
    if (colon == std::string::npos) fail(arg);
    Host host;
    host.device = open_device(arg.substr(0, colon), arg.substr(colon + 1));
    host.address = ::inet_addr(arg.substr(colon + 1).c_str());
    by_address[host.address] = host.device;
    hosts.push_back(host);
  }
  std::puts("ready");
  std::fflush(stdout);
  std::vector<pollfd> polled;
  for (const Host& host : hosts) polled.push_back({host.device, POLLIN, 0});
  std::deque<Packet> on_their_way;  // one delay for all: the oldest is due first
  std::vector<char> buffer(kMtu + 100);
  while (true) {
    int wait = -1;
    if (!on_their_way.empty()) {
      const auto left = std::chrono::duration_cast<std::chrono::microseconds>(on_their_way.front().due - Clock::now());
      wait = left.count() <= 0 ? 0 : static_cast<int>(left.count() / 1000);
      if (wait == 0 && left.count() > 0) ::usleep(static_cast<useconds_t>(left.count()));
    }
    if (::poll(polled.data(), polled.size(), wait) < 0) fail("poll");
    const Clock::time_point now = Clock::now();
    for (const pollfd& one : polled) {
      if ((one.revents & POLLIN) == 0) continue;
      for (int burst = 0; burst < 64; ++burst) {
        const ssize_t size = ::read(one.fd, buffer.data(), buffer.size());
        if (size < 20) break;
        std::uint32_t to = 0;
        std::memcpy(&to, buffer.data() + 16, sizeof to);  // the destination of an IPv4 packet
        const auto known = by_address.find(to);
        if ((buffer[0] >> 4) == 4 && known != by_address.end())
          on_their_way.push_back({now + delay, known->second, {buffer.begin(), buffer.begin() + size}});
      }
    }
    for (; !on_their_way.empty() && on_their_way.front().due <= Clock::now(); on_their_way.pop_front()) {
      const Packet& packet = on_their_way.front();
      if (::write(packet.to, packet.bytes.data(), packet.bytes.size()) < 0 && errno != EAGAIN) fail("write");
    }
  }
}
