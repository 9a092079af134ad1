#include "db/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "db/product.h"

namespace isolde::db {
namespace {

std::string url_forms() {
  std::string all;
  for (const Product* const one : products())
    if (!one->url_form.empty()) all += fmt::format("{}{}", all.empty() ? "" : ", ", one->url_form);
  const std::size_t last = all.rfind(", ");
  return last == std::string::npos ? all : all.replace(last, 2, " or ");
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      return Error{fmt::format("a % in a URL must be followed by two hexadecimal digits: \"{}\"", text)};
    if (high + low == 0) return Error{fmt::format("%00 has no meaning in a URL: \"{}\"", text)};
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

// Cuts `text` at the first `mark`; what follows it, or nothing if there is none.
std::string_view cut_after(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + 1);
  text = text.substr(0, at);
  return rest;
}

std::optional<Error> take_options(std::string_view text, Url& url) {
  while (!text.empty()) {
    std::string_view one = text;
    text = cut_after(one, '&');
    if (one.empty()) continue;
    auto value = decoded(cut_after(one, '='));
    if (!value) return std::move(value).error();
    auto name = decoded(one);
    if (!name) return std::move(name).error();
    url.options.emplace_back(*std::move(name), *std::move(value));
  }
  return std::nullopt;
}

std::optional<Error> take_host(std::string_view text, Url& url) {
  std::string_view host = text;
  std::string_view port;
  if (host.starts_with('[')) {  // an IPv6 address
    const std::size_t close = host.find(']');
    if (close == std::string_view::npos) return Error{fmt::format("no ] after the address in \"{}\"", text)};
    port = host.substr(close + 1);
    host = host.substr(1, close - 1);
    if (!port.empty() && !port.starts_with(':'))
      return Error{fmt::format("expected :PORT after the ] of \"{}\"", text)};
    if (!port.empty()) port.remove_prefix(1);
  } else {
    port = cut_after(host, ':');
  }
  auto name = decoded(host);
  if (!name) return std::move(name).error();
  url.host = *std::move(name);
  if (port.empty()) return std::nullopt;
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (failed != std::errc{} || end != port.data() + port.size() || url.port == 0)
    return Error{fmt::format("a port is a number from 1 to 65535, not \"{}\"", port)};
  return std::nullopt;
}

std::optional<Error> take_authority(std::string_view text, Url& url) {
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    std::string_view user = text.substr(0, at);
    auto password = decoded(cut_after(user, ':'));
    if (!password) return std::move(password).error();
    auto name = decoded(user);
    if (!name) return std::move(name).error();
    url.user = *std::move(name);
    url.password = *std::move(password);
    text.remove_prefix(at + 1);
  }
  return take_host(text, url);
}

// postgres:///shop?host=/run/postgresql&user=anna, as libpq has it too: what the URL leaves out elsewhere.
void host_and_user_of_options(Url& url) {
  std::erase_if(url.options, [&](auto& option) {
    std::string* const part = option.first == "host" ? &url.host : option.first == "user" ? &url.user : nullptr;
    if (part == nullptr || !part->empty()) return false;
    *part = std::move(option.second);
    return true;
  });
}

std::string encoded(std::string_view text, std::string_view kept) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || kept.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Result<Url> parse_whole(std::string_view text) {
  std::string_view scheme = text;
  std::string_view rest = cut_after(scheme, ':');
  Url url;
  const Product* const product = product_of_scheme(scheme);
  if (product == nullptr) return Error{fmt::format("\"{}\" is not a database URL: use {}", text, url_forms())};
  url.scheme = product->name;
  if (auto e = take_options(cut_after(rest, '?'), url)) return *std::move(e);
  if (product->in_process) {
    auto file = decoded(rest);
    if (!file) return std::move(file).error();
    url.database = *std::move(file);
    return url;
  }
  if (!rest.starts_with("//")) return Error{fmt::format("\"{}\": expected {}://user@host:port/database", text, scheme)};
  rest.remove_prefix(2);
  auto database = decoded(cut_after(rest, '/'));
  if (!database) return std::move(database).error();
  url.database = *std::move(database);
  if (auto e = take_authority(rest, url)) return *std::move(e);
  host_and_user_of_options(url);
  return url;
}

}  // namespace

std::vector<PasswordPlace> passwords_in(std::string_view text) {
  std::vector<PasswordPlace> places;
  constexpr std::string_view kMark = "://", kEnds = " \t\r\n\"'", kOption = "password=";
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at)) {
    at += kMark.size();
    const std::size_t end = std::min(text.find_first_of(kEnds, at), text.size());
    const std::string_view url = text.substr(at, end - at);
    const std::size_t colon = url.find(':');
    const std::size_t host = url.rfind('@');
    std::size_t from = 0;
    if (colon != std::string_view::npos && host != std::string_view::npos && colon + 1 < host) {
      places.push_back({at + colon + 1, host - colon - 1});
      from = host;
    }
    for (std::size_t o = url.find(kOption, from); o != std::string_view::npos; o = url.find(kOption, o)) {
      o += kOption.size();
      const std::size_t length = std::min(url.find('&', o), url.size()) - o;
      if (length > 0) places.push_back({at + o, length});
    }
    at = end;
  }
  return places;
}

std::string without_passwords(std::string_view text) {
  std::string out;
  std::size_t done = 0;
  for (const PasswordPlace& place : passwords_in(text)) {
    out += text.substr(done, place.offset - done);
    out += "***";
    done = place.offset + place.length;
  }
  return out += text.substr(done);
}

std::string Url::shown() const {
  std::string out = scheme + ":";
  if (const Product* const product = find_product(scheme); product != nullptr && product->in_process) {
    out += encoded(database, "/");
  } else {
    out += "//";
    if (!user.empty()) out += encoded(user, "") + "@";
    out += host.find(':') == std::string::npos ? encoded(host, "") : "[" + host + "]";
    if (port != 0) out += fmt::format(":{}", port);
    if (!database.empty()) out += "/" + encoded(database, "");
  }
  char mark = '?';
  for (const auto& [name, value] : options) {
    if (name.ends_with("password")) continue;  // libpq has sslpassword
    out += fmt::format("{}{}={}", mark, encoded(name, ""), encoded(value, "/"));
    mark = '&';
  }
  return out;
}

Result<Url> parse_url(std::string_view text) {
  auto url = parse_whole(text);
  if (url || passwords_in(text).empty()) return url;
  // What is wrong is said of the URL without its password.
  auto shown = parse_whole(without_passwords(text));
  if (!shown) return shown;
  return Error{
      "the password in the URL cannot be read: write @ as %40, / as %2F, ? as %3F and % as %25, or use "
      "--password-file"};
}

}  // namespace isolde::db
