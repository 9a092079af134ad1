#include "cluster/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "cluster/names.h"

namespace isolde::cluster {
namespace {

constexpr std::string_view kPlainScheme = "nats://", kTlsScheme = "tls://";
constexpr std::uint16_t kUsualPort = 4222;
constexpr std::string_view kForm = "nats://HOST[:PORT][,HOST…]/STREAM";

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ptr == text.data() + i + 3) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::optional<Error> take_option(Address& address, std::string_view name, std::string value) {
  if (name == "ca") {
    address.ca = std::move(value);
  } else if (name == "cert") {
    address.cert = std::move(value);
  } else if (name == "key") {
    address.key = std::move(value);
  } else if (name == "host") {
    address.expected_host = std::move(value);
  } else if (name == "creds") {
    address.credentials = std::move(value);
  } else if (name == "replicas") {
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), address.replicas);
    if (failed != std::errc{} || end != value.data() + value.size() || address.replicas < 1 || address.replicas > 5)
      return Error{"replicas is a number from 1 to 5"};
  } else {
    return Error{fmt::format("a cluster's address has no option \"{}\": ca, cert, key, host, creds, replicas", name)};
  }
  return std::nullopt;
}

Result<std::string> server_of(std::string_view text) {
  std::string_view port;
  std::string_view host = text;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && text.find(']', colon) == std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  std::uint16_t number = kUsualPort;
  if (!port.empty()) {
    const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (failed != std::errc{} || end != port.data() + port.size() || number == 0)
      return Error{fmt::format("\"{}\" is no port", port)};
  }
  if (host.empty()) return Error{fmt::format("a host is missing: {}", kForm)};
  return fmt::format("nats://{}:{}", host, number);
}

}  // namespace

std::string Address::shown() const {
  std::string out(tls ? kTlsScheme : kPlainScheme);
  if (!user.empty()) out += user + (password.empty() ? "@" : ":***@");
  for (std::size_t i = 0; i < servers.size(); ++i) {
    out += (i > 0 ? "," : "") + servers[i].substr(kPlainScheme.size());
  }
  return out + "/" + stream;
}

bool is_cluster_address(std::string_view text) {
  return text.starts_with(kPlainScheme) || text.starts_with(kTlsScheme);
}

Result<Address> parse_address(std::string_view text) {
  Address address;
  address.tls = text.starts_with(kTlsScheme);
  if (!is_cluster_address(text)) return Error{fmt::format("a cluster's address is {}", kForm)};
  text.remove_prefix(address.tls ? kTlsScheme.size() : kPlainScheme.size());
  std::string_view options;
  if (const std::size_t mark = text.find('?'); mark != std::string_view::npos) {
    options = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = text.substr(0, at);
    text.remove_prefix(at + 1);
    const std::size_t colon = who.find(':');
    address.user = unescaped(who.substr(0, colon));
    if (colon != std::string_view::npos) address.password = unescaped(who.substr(colon + 1));
  }
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return Error{fmt::format("the stream's name is missing: {}", kForm)};
  address.stream = text.substr(slash + 1);
  if (!is_cluster_name(address.stream))
    return Error{
        fmt::format("\"{}\" cannot be a stream's name: letters, digits, - and _ only, at most 64", address.stream)};
  std::string_view hosts = text.substr(0, slash);
  while (true) {
    const std::size_t comma = hosts.find(',');
    auto server = server_of(hosts.substr(0, comma));
    if (!server) return std::move(server).error();
    address.servers.push_back(*std::move(server));
    if (comma == std::string_view::npos) break;
    hosts.remove_prefix(comma + 1);
  }
  while (!options.empty()) {
    const std::string_view one = options.substr(0, options.find('&'));
    options.remove_prefix(std::min(options.size(), one.size() + 1));
    const std::size_t equals = one.find('=');
    const std::string value = equals == std::string_view::npos ? std::string() : unescaped(one.substr(equals + 1));
    if (auto wrong = take_option(address, one.substr(0, equals), value)) return *std::move(wrong);
  }
  if (!address.ca.empty() || !address.cert.empty()) address.tls = true;
  if (address.cert.empty() != address.key.empty()) return Error{"cert and key are given together, or not at all"};
  return address;
}

}  // namespace isolde::cluster
