// cli/secret_file.h: tokens and passwords that stand in a file, where `ps` and the shell's history do not show them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace isolde::cli {

// The first line, without the blanks at its end. `what`: "token", for the error, which does not show it.
[[nodiscard]] Result<std::string> secret_in(const std::string& file, std::string_view what);
// A new file of mode 0600.
[[nodiscard]] Result<void> write_secret(const std::string& file, const std::string& secret);

}  // namespace isolde::cli
