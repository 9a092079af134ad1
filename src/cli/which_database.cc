#include "cli/which_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/secret_file.h"
#include "db/product.h"

namespace isolde::cli {

Result<std::optional<db::ServerOptions>> spawn_options(const Arguments& args) {
  if (!args.has("spawn")) {
    for (const char* option : {"server-path", "server-settings"}) {
      if (args.has(option)) return Error{fmt::format("--{} requires --spawn", option)};
    }
    return std::optional<db::ServerOptions>();
  }
  if (!args.positional.empty()) return Error{"--spawn starts its own server, so it cannot be used with a URL"};
  db::ServerOptions options = {.kind = args.text("spawn"), .binaries = args.text("server-path"), .settings = {}};
  // Its programs are run in a folder of the server's own.
  if (!options.binaries.empty()) options.binaries = std::filesystem::absolute(options.binaries).string();
  const std::string settings = args.text("server-settings");
  for (std::string_view rest = settings; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    const std::size_t is = one.find('=');
    if (is == std::string_view::npos)
      return Error{fmt::format("--server-settings takes NAME=VALUE,…, not \"{}\"", one)};
    options.settings.emplace(one.substr(0, is), one.substr(is + 1));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  return std::optional(std::move(options));
}

Result<db::Url> database_url(const Arguments& args, std::string_view text) {
  auto url = db::parse_url(text);
  if (!url) return url;
  const db::Product& product = *db::find_product(url->scheme);
  if (product.in_process) return url;
  if (args.has("password-file")) {
    if (!url->password.empty()) return Error{"--password-file and a password in the URL: use only one of them"};
    auto password = secret_in(args.text("password-file"), "password");
    if (!password) return std::move(password).error();
    url->password = *std::move(password);
  } else if (!product.password_variable.empty() && url->password.empty()) {
    if (const char* const given = std::getenv(std::string(product.password_variable).c_str())) url->password = given;
  }
  return url;
}

Result<OpenDatabase> open_database_at(const Arguments& args, const std::optional<db::ServerOptions>& spawn,
                                      std::string url) {
  OpenDatabase open;
  if (spawn) {
    auto server = db::start_server(*spawn);
    if (!server) return std::move(server).error();
    open.server = *std::move(server);
    url = open.server->url();
  }
  auto parsed = spawn ? db::parse_url(url) : database_url(args, url);
  if (!parsed) return std::move(parsed).error();
  open.url = *std::move(parsed);
  auto database = db::open_database(open.url);
  if (!database) return std::move(database).error();
  open.database = *std::move(database);
  return open;
}

Result<OpenDatabase> open_named_database(const Arguments& args) {
  auto spawn = spawn_options(args);
  if (!spawn) return std::move(spawn).error();
  return open_database_at(args, *spawn, args.positional.empty() ? "sqlite:" : args.positional.front());
}

}  // namespace isolde::cli
