// cli/check_parts.h: `check` on a folder of parts, by several ranks or in several passes (src/batch).
//
// Always:  only rank 0 prints, and its exit status is that of the job. The answer is that of
//          `isolde check FOLDER --quiet --json` (or, without --json, its text), but for costs.
#pragma once

#include "batch/ranks.h"
#include "cli/options.h"
#include "cli/terminal.h"

namespace isolde::cli {

// What `isolde-mpi` runs: its words, without the program's own name.
[[nodiscard]] Exit run_ranks(std::vector<std::string> args, batch::Ranks& ranks);

// `isolde check FOLDER --memory N`: one rank, as many passes as it takes.
[[nodiscard]] Exit run_check_in_passes(const Arguments& args);

}  // namespace isolde::cli
