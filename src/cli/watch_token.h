// cli/watch_token.h: the token that connections to a TCP port begin with.
//
// Always:  a TCP port has one: that of --token-file, or a random one. With a checkpoint the random one is kept beside
// it
//          (DIR/token, mode 0600), so that senders can come back after a restart; without one it is printed once.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"

namespace isolde::cli {

struct WatchToken {
  std::string token;    // empty: none is asked for
  std::string kept_in;  // a file that we wrote; empty: it was given, or is to be shown
  bool is_ours = false;
};

// `address`: of --listen. `checkpoint`: the folder; empty: none.
[[nodiscard]] Result<WatchToken> watch_token(const Arguments& args, const std::string& address,
                                             const std::string& checkpoint);

// 128 random bits as 32 hexadecimal digits.
[[nodiscard]] Result<std::string> random_token();

}  // namespace isolde::cli
