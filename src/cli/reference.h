// cli/reference.h: the options table in the forms that a package installs: man pages and completions of shells.
//
// Always:  all of it comes from verbs() and options() and the tables of levels, formats, methods, … that they refer to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace isolde::cli {

// troff (man(7)). None: isolde(1), otherwise isolde-VERB(1). `version`: as in its footer.
[[nodiscard]] std::string man_page(const VerbRow* verb, std::string_view version);

// A script for bash, zsh or fish.
[[nodiscard]] Result<std::string> completion(std::string_view shell);

// The words that an option may take, for completion; empty: any.
[[nodiscard]] std::vector<std::string_view> words_for(const VerbRow& verb, const OptionRow& option);

}  // namespace isolde::cli
