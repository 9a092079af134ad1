// Where a run may be followed, and its numbers as text: what needs no HTTP.
#include <fmt/format.h>

#include <charconv>

#include "cli/live_server.h"
#include "cli/secret_file.h"
#include "cli/terminal.h"
#include "cli/watch_token.h"

namespace isolde::cli {
namespace {

constexpr std::string_view kLoopback[] = {"127.0.0.1", "localhost", "[::1]", "::1"};

}  // namespace

bool is_loopback(std::string_view host) {
  for (const std::string_view name : kLoopback) {
    if (host == name) return true;
  }
  return false;
}

Result<ServeAddress> parse_serve_address(std::string_view text) {
  ServeAddress out;
  const std::size_t colon = text.rfind(':');
  const std::string_view digits = colon == std::string_view::npos ? text : text.substr(colon + 1);
  out.host = colon == std::string_view::npos ? "127.0.0.1" : std::string(text.substr(0, colon));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
  const bool is_port =
      error == std::errc() && end == digits.data() + digits.size() && out.port >= 0 && out.port < 65536;
  if (!is_port || out.host.empty())
    return Error{fmt::format("--serve takes HOST:PORT, such as 127.0.0.1:9000, not \"{}\"", text)};
  out.loopback = is_loopback(out.host);
  return out;
}

Result<std::unique_ptr<LiveServer>> LiveServer::from(const Arguments& args) {
  if (!args.has("serve")) return std::unique_ptr<LiveServer>();
  auto address = parse_serve_address(args.text("serve"));
  if (!address) return std::move(address).error();
  auto token = args.has("serve-token-file") ? secret_in(args.text("serve-token-file"), "token")
               : address->loopback          ? Result<std::string>(std::string())
                                            : random_token();
  if (!token) return std::move(token).error();
  auto server = start(*address, *std::move(token));
  if (server) print_error(fmt::format("follow this run at {}", (*server)->url()));
  return server;
}

Metrics& Metrics::sample(std::string_view type, std::string_view name, std::string_view help, double value,
                         std::string_view labels) {
  if (last_ != name) text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
  last_ = name;
  text_ += fmt::format("{}{} {:.10g}\n", name, labels, value);
  return *this;
}

Metrics& Metrics::counter(std::string_view name, std::string_view help, double value, std::string_view labels) {
  return sample("counter", name, help, value, labels);
}

Metrics& Metrics::gauge(std::string_view name, std::string_view help, double value) {
  return sample("gauge", name, help, value, {});
}

std::string metric_label(std::string_view name, std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return fmt::format("{{{}=\"{}\"}}", name, escaped);
}

}  // namespace isolde::cli
