// proxy/wire/tls.h: TLS for one end of a connection, between bytes as they are on the wire and bytes as they are meant.
//
// In, out: what the peer sent -> plain bytes, and what is to be sent back; plain bytes -> what is to be sent.
// Always:  waits for nothing and owns no socket. TLS 1.2 or later.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "proxy/wire/byte_queue.h"

namespace isolde::proxy {

// What all connections of one direction share.
class TlsContext {
 public:
  // For clients. `client_ca` not empty: they must show a certificate that one of its authorities signed.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> for_clients(const std::string& certificate,
                                                                             const std::string& key,
                                                                             const std::string& client_ca);
  // For a server. `ca` not empty: its certificate must be signed by one of these; `host` not empty: and be for it.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> for_server(const std::string& ca,
                                                                            const std::string& host);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  struct Parts;
  [[nodiscard]] const Parts& parts() const { return *parts_; }

 private:
  explicit TlsContext(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

class TlsEnd {
 public:
  explicit TlsEnd(std::shared_ptr<const TlsContext> context);
  ~TlsEnd();
  TlsEnd(const TlsEnd&) = delete;
  TlsEnd& operator=(const TlsEnd&) = delete;

  // Begins, where it is our turn; takes what the peer sent. False: it cannot go on (fault() says why).
  [[nodiscard]] bool receive(std::string_view cipher, std::string& plain, ByteQueue& wire);
  // What cannot be encrypted yet is kept until it can.
  [[nodiscard]] bool send(std::string_view plain, ByteQueue& wire);
  [[nodiscard]] const std::string& fault() const { return fault_; }
  // Bytes that wait for the handshake.
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Session;
  void take_out(ByteQueue& wire);
  bool step(ByteQueue& wire);
  std::shared_ptr<const TlsContext> context_;
  std::unique_ptr<Session> session_;
  std::string waiting_;  // to be encrypted when the handshake is done
  std::string fault_;
};

}  // namespace isolde::proxy
