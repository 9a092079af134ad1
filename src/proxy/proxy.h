// proxy/proxy.h: a database's protocol passed through, between any clients and one server.
//
// In, out: where to listen and where the server is -> a proxy that serves until it is stopped; what it counted.
// Always:  one connection to the server for each client, so that settings, prepared statements, temporary tables,
//          cancel requests and passwords (SCRAM too) work as without it. The client's own authentication is all there
//          is: whoever reaches the proxy reaches the server as from this machine.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "proxy/loop.h"
#include "proxy/upstream.h"

namespace isolde::proxy {

struct ProxyOptions {
  std::string listen = {};    // HOST:PORT, PORT or unix:PATH
  bool allow_remote = false;  // listen beyond this machine: only for clients with a certificate
  // Files in PEM form. A certificate and its key: TLS is offered. The authorities that sign clients' certificates: then
  // nobody without one is taken.
  std::string certificate = {}, key = {}, client_ca = {};
  std::size_t threads = 1;
  std::size_t connections = 1000;  // at a time
};

class Proxy {
 public:
  // Without `make_conversation` bytes are passed on and counted, in the protocol that the URL's scheme says.
  [[nodiscard]] static Result<std::unique_ptr<Proxy>> open(const ProxyOptions& options, const db::Url& server,
                                                           MakeConversation make_conversation = {});
  ~Proxy();

  // "127.0.0.1:6543", "unix:/tmp/.s.PGSQL.6543"; with the port that was chosen, if 0 was asked.
  [[nodiscard]] const std::string& listens_at() const;
  [[nodiscard]] const std::string& server() const;
  // Serves until `over()` says so (it is asked several times a second) or the system fails.
  [[nodiscard]] Result<void> run(const std::function<bool()>& over);
  // Ends all connections.
  Counts stop();

 private:
  struct Parts;
  explicit Proxy(std::unique_ptr<Parts> parts);
  bool take_one();
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolde::proxy
