// bench/send_lines.cc SOCKET FILE: sends a file to `isolde watch --listen unix:SOCKET` as fast as that takes it.
//
// The kernel copies from the page cache, so that the sender costs next to nothing; what the watcher answers is read and
// forgotten. Ends when the watcher has taken everything.
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>

int main(int argc, char** argv) {
  sockaddr_un address{AF_UNIX, {}};
  if (argc != 3 || std::strlen(argv[1]) >= sizeof address.sun_path) {
    std::fprintf(stderr, "usage: send_lines SOCKET FILE\n");
    return 2;
  }
  std::strcpy(address.sun_path, argv[1]);
  const int file = ::open(argv[2], O_RDONLY);
  const int sock = ::socket(AF_UNIX, SOCK_STREAM, 0);
  struct stat of{};
  if (file < 0 || ::fstat(file, &of) != 0 ||
      ::connect(sock, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    std::perror("send_lines");
    return 2;
  }
  std::thread answers([sock] {
    char bytes[4096];
    while (::read(sock, bytes, sizeof bytes) > 0) {
    }
  });
  off_t at = 0;
  while (at < of.st_size) {
    if (::sendfile(sock, file, &at, static_cast<std::size_t>(of.st_size - at)) <= 0) break;
  }
  if (at < of.st_size) std::perror("send_lines");
  ::shutdown(sock, SHUT_WR);
  answers.join();
  return at < of.st_size ? 1 : 0;
}
