// What wire/tls.h is where the program was built without OpenSSL: an error that says so.
#include "proxy/wire/tls.h"

namespace isolde::proxy {
namespace {

constexpr const char* kNoTls = "this program was built without OpenSSL, and cannot use TLS";

}  // namespace

struct TlsContext::Parts {};
TlsContext::TlsContext(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TlsContext::~TlsContext() = default;
Result<std::shared_ptr<const TlsContext>> TlsContext::for_clients(const std::string&, const std::string&,
                                                                  const std::string&) {
  return Error{kNoTls};
}
Result<std::shared_ptr<const TlsContext>> TlsContext::for_server(const std::string&, const std::string&) {
  return Error{kNoTls};
}

struct TlsEnd::Session {};
TlsEnd::TlsEnd(std::shared_ptr<const TlsContext> context) : context_(std::move(context)) {}
TlsEnd::~TlsEnd() = default;
bool TlsEnd::receive(std::string_view, std::string&, ByteQueue&) { return false; }
bool TlsEnd::send(std::string_view, ByteQueue&) { return false; }

}  // namespace isolde::proxy
