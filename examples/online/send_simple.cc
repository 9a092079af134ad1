// A minimal sender of traces to `isolde watch --listen unix:PATH`. Arguments: PATH SESSION COUNT.
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  sockaddr_un address{AF_UNIX, {}};
  if (argc != 4 || std::strlen(argv[1]) >= sizeof address.sun_path) return 2;
  std::strcpy(address.sun_path, argv[1]);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 2;
  std::FILE* const watcher = ::fdopen(fd, "r+");
  const auto now = [] { return static_cast<long long>(std::chrono::steady_clock::now().time_since_epoch().count()); };
  for (int value = 1; value <= std::atoi(argv[3]); ++value) {
    const long long begin = now();   // before the first request to the database
    const long long commit = now();  // before the commit is sent
    const long long end = now();     // after its answer, the last one
    std::fprintf(watcher, "{\"session\":%s,\"ops\":[[\"w\",\"x\",%d]],\"begin\":%lld,", argv[2], value, begin);
    std::fprintf(watcher, "\"commit\":[%lld,%lld],\"end\":%lld}\n", commit, end, end);
  }
  std::fflush(watcher);
  ::shutdown(fd, SHUT_WR);  // no more lines: the session is over
  char line[4096];
  while (std::fgets(line, sizeof line, watcher) != nullptr)  // until the watcher has taken everything
    if (std::strstr(line, "\"error\"") != nullptr) return 1;
}
