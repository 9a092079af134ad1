#include "cli/watch_token.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <filesystem>

#include "cli/secret_file.h"

namespace isolde::cli {
Result<std::string> random_token() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes))
    return errno_error("cannot get random numbers for a token", "");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

Result<WatchToken> watch_token(const Arguments& args, const std::string& address, const std::string& checkpoint) {
  WatchToken out;
  if (args.has("token-file")) {
    auto token = secret_in(args.text("token-file"), "token");
    if (!token) return std::move(token).error();
    out.token = *std::move(token);
    return out;
  }
  if (!address.starts_with("tcp:")) return out;  // a unix socket is its owner's alone
  out.is_ours = true;
  out.kept_in = checkpoint.empty() ? "" : checkpoint + "/token";
  std::error_code ignored;
  if (!out.kept_in.empty() && std::filesystem::exists(out.kept_in, ignored)) {
    auto token = secret_in(out.kept_in, "token");
    if (!token) return std::move(token).error();
    out.token = *std::move(token);
    return out;
  }
  auto token = random_token();
  if (!token) return std::move(token).error();
  out.token = *std::move(token);
  if (!out.kept_in.empty()) {
    if (auto written = write_secret(out.kept_in, out.token); !written) return written.error();
  }
  return out;
}

}  // namespace isolde::cli
