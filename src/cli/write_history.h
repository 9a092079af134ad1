// cli/write_history.h: a history to the file that a user named, or, for -, to standard output.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "format/format.h"

namespace isolde::cli {

[[nodiscard]] bool is_standard_output(const std::string& out);

// The format that --to names, otherwise the one that the name of `out` shows; for - that is the native one.
[[nodiscard]] Result<const FormatInfo*> output_format(const Arguments& args, const std::string& out);

// As save() does. To standard output it refuses folders, and binary files where that is a terminal.
[[nodiscard]] Result<WriteResult> write_to(const std::string& out, const History& history, const FormatInfo& format,
                                           Losses losses = Losses::kRefuse);

// The summary of what was written: on standard output, unless the history itself went there.
void print_beside(const std::string& out, std::string_view text);

}  // namespace isolde::cli
