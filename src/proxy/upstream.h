// proxy/upstream.h: where the server is: a URL -> an address that connections are opened to without waiting.
//
// Always:  names are looked up once, when the proxy starts. What a URL asks for and this program cannot do (TLS to a
//          MariaDB) is an error, never ignored.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "db/url.h"
#include "proxy/wire/tls.h"

namespace isolde::proxy {

// MariaDB's and MySQL's protocol; otherwise it is PostgreSQL's.
[[nodiscard]] bool speaks_mysql(const db::Url& url);

class Upstream {
 public:
  // The error says what is wrong with the URL, or why nobody answers there.
  [[nodiscard]] static Result<Upstream> find(const db::Url& url);

  // A socket that is connected, or being connected (writable once it is, or failed: SO_ERROR). -1: errno says why;
  // EAGAIN: the server's queue is full, try again.
  [[nodiscard]] int connect() const;
  // Null: connections to it are not encrypted.
  [[nodiscard]] const std::shared_ptr<const TlsContext>& tls() const { return tls_; }
  // As it may be shown.
  [[nodiscard]] const std::string& shown() const { return shown_; }

 private:
  sockaddr_storage address_{};
  socklen_t length_ = 0;
  std::string shown_;
  std::shared_ptr<const TlsContext> tls_;
};

// Small messages go out at once; a peer that is gone is found out.
void tune_socket(int fd);

}  // namespace isolde::proxy
