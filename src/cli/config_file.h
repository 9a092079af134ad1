// cli/config_file.h: isolde.toml, the options that a person would otherwise repeat (docs/ci.md).
//
// In, out: the Arguments of a command line -> the same with the options of the file that the command line leaves out.
// Always:  what the command line says is taken; every name in the file is one of the options table, or the answer is an
//          error with its place. A file that nobody named, found in the working folder, may have come with somebody
//          else's project: it cannot run programs, name secrets or servers, or write outside the folder.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "cli/toml_file.h"

namespace isolde::cli {

inline constexpr std::string_view kConfigName = "isolde.toml";

enum class ConfigTrust { kFound, kNamed };

// Adds to `args` what the file says for the verb. The value: those options as on a command line, or nothing.
[[nodiscard]] Result<std::string> apply_config(const TomlFile& file, ConfigTrust trust, const VerbRow& verb,
                                               Arguments& args);

// The file that --config names, or isolde.toml of the working folder, unless there is --no-config. The value: a line
// that says what was used, or nothing.
[[nodiscard]] Result<std::string> take_config(const VerbRow& verb, Arguments& args);

}  // namespace isolde::cli
