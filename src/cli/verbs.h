// cli/verbs.h: one function a verb; each prints its answer and returns the exit status.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anomaly/level.h"
#include "anomaly/verdict.h"
#include "base/result.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "format/format.h"

namespace isolde::cli {

Exit run_check(const Arguments& args);
Exit run_convert(const Arguments& args);
Exit run_gen(const Arguments& args);
Exit run_explain(const Arguments& args);
Exit run_demo(const Arguments& args);
Exit run_record(const Arguments& args);
Exit run_probe(const Arguments& args);
Exit run_watch(const Arguments& args);
Exit run_hunt(const Arguments& args);
Exit run_audit(const Arguments& args);
Exit run_report(const Arguments& args);
Exit run_send(const Arguments& args);
Exit run_proxy(const Arguments& args);
Exit run_elle_cli(const Arguments& args);

// What `--version` names beside the version; empty: not known.
void set_commit(std::string_view of);
// The whole program: `args` without the program's own name.
Exit run(std::vector<std::string> args);

// Names given by the user; the error suggests the nearest.
[[nodiscard]] Result<Level> level_by_name(std::string_view name);
[[nodiscard]] Result<const FormatInfo*> format_by_name(std::string_view name);

}  // namespace isolde::cli
