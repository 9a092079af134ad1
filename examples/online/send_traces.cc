// Sends an application's traces to `isolde watch`. docs/online.md describes the protocol. Copy TraceSender: it needs
// only sockets.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

class TraceSender {
 public:
  // `address`: "unix:/run/isolde.sock" or "tcp:127.0.0.1:4711"
  // `token`: what a TCP port asks for; empty: no token
  TraceSender(std::string address, std::string name, std::string token = {})
      : address_(std::move(address)), name_(std::move(name)), token_(std::move(token)) {}
  ~TraceSender() { ::close(fd_); }

  // One transaction: {"session":3,"ops":[["r","x",1],["w","x",2]],"begin":…,"commit":[…,…],"end":…}
  void send(const std::string& json) {
    lines_.push_back(json + "\n");
    if (lines_.size() >= 100) flush();
  }
  void flush() {  // returns when the watcher has taken everything
    while (!lines_.empty()) {
      std::string text;
      bool good = fd_ >= 0 || connect();
      for (const std::string& line : lines_) text += line;
      good = good && put(text);
      while (good && !lines_.empty()) good = answer();
      if (good) continue;
      ::close(fd_);  // the next connection continues after the last line that the watcher has
      fd_ = -1;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  void bye() { put("{\"bye\": true}\n"); }  // the sessions are over

 private:
  bool connect() {
    sockaddr_un local{AF_UNIX, {}};
    sockaddr_in remote{AF_INET, 0, {}, {}};
    const std::size_t colon = address_.rfind(':');
    const bool is_unix = address_.rfind("unix:", 0) == 0;
    std::strncpy(local.sun_path, address_.c_str() + 5, sizeof local.sun_path - 1);
    remote.sin_port = htons(static_cast<unsigned short>(std::atoi(address_.c_str() + colon + 1)));
    inet_pton(AF_INET, address_.substr(4, colon - 4).c_str(), &remote.sin_addr);
    fd_ = ::socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    rest_.clear();
    const int failed = is_unix ? ::connect(fd_, reinterpret_cast<sockaddr*>(&local), sizeof local)
                               : ::connect(fd_, reinterpret_cast<sockaddr*>(&remote), sizeof remote);
    const std::string token = token_.empty() ? "" : "{\"token\": \"" + token_ + "\"}\n";
    return failed == 0 &&
           put(token + "{\"hello\": \"" + name_ + "\", \"from\": " + std::to_string(taken_ + 1) + "}\n") && answer();
  }
  bool put(const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t now = ::send(fd_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return false;
      sent += static_cast<std::size_t>(now);
    }
    return true;
  }
  bool answer() {  // {"resume": N} or {"ack": N}
    std::size_t end = 0;
    while ((end = rest_.find('\n')) == std::string::npos) {
      char bytes[4096];
      const ssize_t got = ::recv(fd_, bytes, sizeof bytes, 0);
      if (got <= 0) return false;
      rest_.append(bytes, static_cast<std::size_t>(got));
    }
    const std::string line = rest_.substr(0, end);
    rest_.erase(0, end + 1);
    const bool known = line.rfind("{\"ack\": ", 0) == 0 || line.rfind("{\"resume\": ", 0) == 0;
    if (!known) throw std::runtime_error("refused: " + line);
    const unsigned long long taken = std::strtoull(line.c_str() + line.find(' '), nullptr, 10);
    lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(taken - taken_));
    taken_ = taken;
    return true;
  }

  std::string address_, name_, token_, rest_;
  std::vector<std::string> lines_;  // that the watcher has not taken yet
  unsigned long long taken_ = 0;    // how many lines it has taken
  int fd_ = -1;
};

// ADDRESS NAME SESSION COUNT: a session that writes 1, 2, 3, … to x
int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const char* const token = std::getenv("ISOLDE_TOKEN");
  TraceSender sender(argv[1], argv[2], token == nullptr ? "" : token);
  const auto now = [] { return std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()); };
  for (int value = 1; value <= std::atoi(argv[4]); ++value) {
    const std::string begin = now();   // before the first request to the database
    const std::string commit = now();  // before the commit is sent
    const std::string end = now();     // after its answer, the last one
    sender.send("{\"session\":" + std::string(argv[3]) + ",\"ops\":[[\"w\",\"x\"," + std::to_string(value) +
                "]],\"begin\":" + begin + ",\"commit\":[" + commit + "," + end + "],\"end\":" + end + "}");
  }
  sender.flush();
  sender.bye();
}
