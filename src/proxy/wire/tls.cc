#include "proxy/wire/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <utility>

namespace isolde::proxy {
namespace {

constexpr std::size_t kTlsPiece = 16 * 1024;

// What OpenSSL has against it, the first reason only.
std::string tls_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  std::array<char, 256> text{};
  if (code == 0) return "the connection ended";
  ERR_error_string_n(code, text.data(), text.size());
  const char* const reason = ERR_reason_error_string(code);
  return reason == nullptr ? text.data() : reason;
}

}  // namespace

struct TlsContext::Parts {
  SSL_CTX* context = nullptr;
  bool to_clients = false;
  std::string host = {};
  ~Parts() { SSL_CTX_free(context); }
};

TlsContext::TlsContext(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<const TlsContext>> TlsContext::for_clients(const std::string& certificate,
                                                                  const std::string& key,
                                                                  const std::string& client_ca) {
  auto parts = std::make_unique<Parts>();
  parts->to_clients = true;
  SSL_CTX* const context = parts->context = SSL_CTX_new(TLS_server_method());
  if (context == nullptr) return Error{"TLS cannot be used: " + tls_reason()};
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1)
    return Error{"the certificate cannot be read: " + tls_reason(), certificate};
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1)
    return Error{"the key cannot be read: " + tls_reason(), key};
  if (SSL_CTX_check_private_key(context) != 1) return Error{"the key is not that of the certificate", key};
  if (!client_ca.empty()) {
    if (SSL_CTX_load_verify_locations(context, client_ca.c_str(), nullptr) != 1)
      return Error{"the authorities of clients cannot be read: " + tls_reason(), client_ca};
    SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(client_ca.c_str()));
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(parts)));
}

Result<std::shared_ptr<const TlsContext>> TlsContext::for_server(const std::string& ca, const std::string& host) {
  auto parts = std::make_unique<Parts>();
  parts->host = host;
  SSL_CTX* const context = parts->context = SSL_CTX_new(TLS_client_method());
  if (context == nullptr) return Error{"TLS cannot be used: " + tls_reason()};
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (!ca.empty()) {
    if (SSL_CTX_load_verify_locations(context, ca.c_str(), nullptr) != 1)
      return Error{"the server's authorities cannot be read: " + tls_reason(), ca};
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  }
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(parts)));
}

struct TlsEnd::Session {
  SSL* ssl = nullptr;
  BIO* in = nullptr;  // both belong to ssl
  BIO* out = nullptr;
  ~Session() { SSL_free(ssl); }
};

TlsEnd::TlsEnd(std::shared_ptr<const TlsContext> context)
    : context_(std::move(context)), session_(std::make_unique<Session>()) {
  const TlsContext::Parts& parts = context_->parts();
  session_->ssl = SSL_new(parts.context);
  session_->in = BIO_new(BIO_s_mem());
  session_->out = BIO_new(BIO_s_mem());
  SSL_set_bio(session_->ssl, session_->in, session_->out);
  if (parts.to_clients) {
    SSL_set_accept_state(session_->ssl);
    return;
  }
  SSL_set_connect_state(session_->ssl);
  if (parts.host.empty()) return;
  SSL_set_tlsext_host_name(session_->ssl, parts.host.c_str());
  SSL_set1_host(session_->ssl, parts.host.c_str());
}

TlsEnd::~TlsEnd() = default;

void TlsEnd::take_out(ByteQueue& wire) {
  std::array<char, kTlsPiece> piece;
  int count = 0;
  while ((count = BIO_read(session_->out, piece.data(), static_cast<int>(piece.size()))) > 0)
    wire.append(std::string_view(piece.data(), static_cast<std::size_t>(count)));
}

// The handshake as far as it goes, then what waited for it.
bool TlsEnd::step(ByteQueue& wire) {
  if (!fault_.empty()) return false;
  if (SSL_is_init_finished(session_->ssl) == 0) {
    const int done = SSL_do_handshake(session_->ssl);
    const int why = SSL_get_error(session_->ssl, done);
    take_out(wire);
    if (done != 1 && (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)) return true;
    if (done != 1) {
      fault_ = tls_reason();
      return false;
    }
  }
  if (!waiting_.empty()) {
    std::string waiting;
    waiting.swap(waiting_);
    if (SSL_write(session_->ssl, waiting.data(), static_cast<int>(waiting.size())) <= 0) fault_ = tls_reason();
    take_out(wire);
  }
  return fault_.empty();
}

bool TlsEnd::receive(std::string_view cipher, std::string& plain, ByteQueue& wire) {
  if (!cipher.empty()) BIO_write(session_->in, cipher.data(), static_cast<int>(cipher.size()));
  if (!step(wire)) return false;
  if (SSL_is_init_finished(session_->ssl) == 0) return true;
  std::array<char, kTlsPiece> piece;
  int count = 0;
  while ((count = SSL_read(session_->ssl, piece.data(), static_cast<int>(piece.size()))) > 0)
    plain.append(piece.data(), static_cast<std::size_t>(count));
  const int why = SSL_get_error(session_->ssl, count);
  take_out(wire);
  if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE || why == SSL_ERROR_ZERO_RETURN) {
    ERR_clear_error();
    return true;
  }
  fault_ = tls_reason();
  return false;
}

bool TlsEnd::send(std::string_view plain, ByteQueue& wire) {
  waiting_ += plain;
  if (SSL_is_init_finished(session_->ssl) == 0) return fault_.empty();
  return step(wire);
}

}  // namespace isolde::proxy
