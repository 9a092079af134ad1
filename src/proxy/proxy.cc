#include "proxy/proxy.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "proxy/mysql/conversation.h"
#include "proxy/postgres/conversation.h"
#include "stream/socket_address.h"

namespace isolde::proxy {
namespace {

constexpr int kLookMs = 100;  // how often `over` is asked
constexpr int kAtOnce = 64;   // clients that are taken in between

bool is_loopback(std::string_view host) { return host == "localhost" || host == "[::1]" || host.starts_with("127."); }

// As people write it -> as stream::ListeningSocket reads it.
Result<std::string> listen_address(const ProxyOptions& options) {
  const std::string& text = options.listen;
  if (text.starts_with("unix:")) return text;
  if (text.starts_with('/')) return "unix:" + text;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return "tcp:" + text;
  if (is_loopback(text.substr(0, colon))) return "tcp:" + text;
  if (!options.allow_remote)
    return Error{
        fmt::format("{} can be reached from other machines, and the server takes whoever comes through for "
                    "this one: give --allow-remote if that is meant, and --client-ca",
                    text)};
  if (options.client_ca.empty())
    return Error{
        "--allow-remote needs --cert, --key and --client-ca: only clients that show a certificate may come "
        "from other machines"};
  return "tcp:" + text;
}

// Two descriptors per connection; the usual limit is 1024.
void raise_descriptors(std::size_t connections) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, 2 * connections + 256);
  if (wanted <= limit.rlim_cur) return;
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<ClientTls> client_tls(const ProxyOptions& options, const db::Url& server) {
  if (options.certificate.empty() && options.key.empty() && options.client_ca.empty()) return ClientTls{};
  if (speaks_mysql(server))
    return Error{"TLS with clients (--cert) is for PostgreSQL: MariaDB's clients can use loopback, or a tunnel"};
  if (options.certificate.empty() || options.key.empty()) return Error{"TLS with clients needs both --cert and --key"};
  auto context = TlsContext::for_clients(options.certificate, options.key, options.client_ca);
  if (!context) return std::move(context).error();
  return ClientTls{*std::move(context), !options.client_ca.empty()};
}

MakeConversation conversations_without_listener(const db::Url& server) {
  if (speaks_mysql(server)) return [](std::size_t) { return std::make_unique<mysql::Conversation>(); };
  return [](std::size_t) { return std::make_unique<postgres::Conversation>(); };
}

}  // namespace

struct Proxy::Parts {
  Parts(stream::ListeningSocket socket, Upstream server) : listening(std::move(socket)), upstream(std::move(server)) {}
  stream::ListeningSocket listening;
  Upstream upstream;
  ClientTls client_tls;
  std::string shown;
  std::size_t most = 0;
  std::atomic<std::size_t> open = 0;
  std::vector<std::unique_ptr<Loop>> loops;
  std::size_t next = 0;
  std::uint64_t turned_away = 0;
};

Proxy::Proxy(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Proxy::~Proxy() = default;

Result<std::unique_ptr<Proxy>> Proxy::open(const ProxyOptions& options, const db::Url& server,
                                           MakeConversation make_conversation) {
  auto address = listen_address(options);
  if (!address) return std::move(address).error();
  if (!make_conversation) make_conversation = conversations_without_listener(server);
  raise_descriptors(options.connections);
  auto tls = client_tls(options, server);
  if (!tls) return std::move(tls).error();
  auto upstream = Upstream::find(server);
  if (!upstream) return std::move(upstream).error();
  // The clients' token is the password that the server asks for.
  auto listening = stream::ListeningSocket::open(*address, true);
  if (!listening) return std::move(listening).error();
  auto parts = std::make_unique<Parts>(*std::move(listening), *std::move(upstream));
  parts->shown = parts->listening.shown();
  if (parts->shown.starts_with("tcp:")) parts->shown.erase(0, 4);
  parts->most = options.connections;
  parts->client_tls = *std::move(tls);
  for (std::size_t i = 0; i < options.threads; ++i) {
    auto loop = Loop::make(parts->upstream, parts->client_tls, make_conversation, parts->open, i);
    if (!loop) return std::move(loop).error();
    parts->loops.push_back(*std::move(loop));
  }
  return std::unique_ptr<Proxy>(new Proxy(std::move(parts)));
}

const std::string& Proxy::listens_at() const { return parts_->shown; }
const std::string& Proxy::server() const { return parts_->upstream.shown(); }

// Takes the next client that waits. False: none does.
bool Proxy::take_one() {
  const int client = ::accept4(parts_->listening.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client < 0) {
    // Without descriptors nothing can be accepted until a connection ends.
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) ::poll(nullptr, 0, kLookMs);
    return errno == EINTR || errno == ECONNABORTED;
  }
  tune_socket(client);
  const std::size_t open = ++parts_->open;
  // Clients that are turned away get their error once they have sent a request; only so many are kept for that.
  if (open > 2 * parts_->most) {
    ::close(client);
    --parts_->open;
    ++parts_->turned_away;
    return true;
  }
  parts_->loops[parts_->next++ % parts_->loops.size()]->give(client, open > parts_->most);
  return true;
}

Result<void> Proxy::run(const std::function<bool()>& over) {
  pollfd waiting{parts_->listening.fd(), POLLIN, 0};
  while (!over()) {
    const int ready = ::poll(&waiting, 1, kLookMs);
    if (ready < 0 && errno != EINTR) return errno_error("cannot wait for connections", parts_->shown);
    if (ready <= 0) continue;
    for (int i = 0; i < kAtOnce && take_one(); ++i) {
    }
  }
  return {};
}

Counts Proxy::stop() {
  Counts all;
  for (const auto& loop : parts_->loops) {
    loop->stop();
    all.add(loop->counts());
  }
  all.refused += parts_->turned_away;
  return all;
}

}  // namespace isolde::proxy
