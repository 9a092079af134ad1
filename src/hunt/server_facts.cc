// What is known of servers: how their versions are written, and what a scratch one may leave out.
#include "hunt/server_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "hunt/case/dialects.h"
#include "hunt/hunt.h"

namespace isolde::hunt {
namespace {

// What follows `name=`, up to a comma; empty: it is not said.
std::string_view value_said(std::string_view server, std::string_view name) {
  for (std::string_view rest = server; !rest.empty();) {
    std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return one.substr(name.size() + 1);
  }
  return {};
}

bool says_on(std::string_view value) { return value == "ON" || value == "on" || value == "1"; }

struct VersionFamily {
  std::string_view product, version;  // views of the description
};
// By the numbers that name a major version of the product.
VersionFamily version_family(std::string_view server) {
  const std::size_t digits = server.find_first_of("0123456789");
  if (digits == std::string_view::npos || digits == 0) return {};
  const std::string_view product = server.substr(0, server.find(' '));
  std::string_view version = server.substr(digits);
  version = version.substr(0, version.find_first_not_of("0123456789."));
  std::size_t dot = version.find('.');
  const db::Product* const known = db::product_described(server);
  for (int more = known == nullptr ? 0 : known->major_numbers - 1; more > 0 && dot != std::string_view::npos; --more)
    dot = version.find('.', dot + 1);
  return {product, version.substr(0, dot)};
}

}  // namespace

std::map<std::string, std::string> isolation_settings(std::string_view dialect, std::string_view server) {
  std::map<std::string, std::string> settings;
  const db::HuntRules* const rules = hunt_dialect(dialect);
  if (rules == nullptr) return settings;
  for (const db::Setting& setting : rules->isolation_settings) {
    const std::string_view said = value_said(server, setting.name);
    if (said.empty() && version_number(server) == 0) continue;
    settings.emplace(setting.name, said.empty() ? setting.value : says_on(said) ? "ON" : "OFF");
  }
  return settings;
}

std::map<std::string, std::string> settings_to_change(std::string_view dialect, std::string_view found_on,
                                                      std::string_view here) {
  std::map<std::string, std::string> changes = isolation_settings(dialect, found_on);
  const std::map<std::string, std::string> now = isolation_settings(dialect, here);
  std::erase_if(changes, [&](const auto& wanted) {
    const auto has = now.find(wanted.first);
    return has != now.end() && has->second == wanted.second;
  });
  return changes;
}

std::string why_other_settings(std::string_view dialect, std::string_view found_on, std::string_view here) {
  for (const auto& [name, value] : settings_to_change(dialect, found_on, here)) {
    if (value_said(here, name).empty())
      return fmt::format("it was found with {}={}, a setting that this server does not have", name, value);
    return fmt::format("it was found with {}={}, and here it is {}", name, value, value_said(here, name));
  }
  return {};
}

std::string other_version(std::string_view found_on, std::string_view here) {
  const VersionFamily then = version_family(found_on), now = version_family(here);
  if (then.product.empty() || now.product.empty()) return {};
  if (then.product == now.product && then.version == now.version) return {};
  return fmt::format("it was found on {} {}, and this is {} {}", then.product, then.version, now.product, now.version);
}

int version_number(std::string_view server) {
  const std::size_t digits = server.find_first_of("0123456789");
  if (digits == std::string_view::npos) return 0;
  int parts[3] = {0, 0, 0};
  int count = 0;
  const char* at = server.data() + digits;
  const char* const end = server.data() + server.size();
  while (count < 3) {
    const auto [next, error] = std::from_chars(at, end, parts[count]);
    if (error != std::errc{} || parts[count] > 9999) break;
    ++count;
    if (next == end || *next != '.') break;
    at = next + 1;
  }
  const db::Product* const product = db::product_described(server);
  return product != nullptr && product->version_numbers == 2 ? parts[0] * 10000 + parts[1]
                                                             : parts[0] * 10000 + parts[1] * 100 + parts[2];
}

// A scratch server is thrown away after the hunt: a crash of the machine loses nothing.
std::map<std::string, std::string> fast_settings(std::string_view kind) {
  std::map<std::string, std::string> settings;
  if (const db::HuntRules* const rules = hunt_dialect(kind))
    for (const db::Setting& setting : rules->throwaway_settings) settings.emplace(setting.name, setting.value);
  return settings;
}

}  // namespace isolde::hunt
