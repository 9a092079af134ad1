// cli/check_plan.h: the options of `check`, understood once for all files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/choose.h"
#include "check/mirror/profile.h"
#include "cli/check_outcomes.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "format/format.h"
#include "report/text.h"

namespace isolde::cli {

struct CheckPlan {
  std::optional<Level> level;  // none: by the evidence of each file
  const FormatInfo* format = nullptr;
  ChooseOptions choose;
  std::optional<mirror::Profile> profile;  // of the method mirror
  std::optional<std::string> initial;      // of keys, where the history does not say it
  bool lenient = false, prove = false, json = false, quiet = false, strongest = false, explain_method = false,
       guess = true;
  std::optional<double> timeout;
  unsigned threads = 1;
  unsigned partitions = 1;  // of the mirror: only where threads were asked for
  std::size_t kept = 1000;
  TextStyle style;
  std::string dot, svg, html;
  std::string subject;  // as answers name it; empty: the file
  std::string watched;  // JSON for its page; empty: none
  std::optional<Judged>* judged = nullptr;
  CheckOutcomes* outcomes = nullptr;  // baseline and CI
};

[[nodiscard]] Result<CheckPlan> check_plan(const Arguments& args);
// The level to check, with a note if none was given. `history`: its columns say which.
[[nodiscard]] Level level_for(const CheckPlan& plan, const History& history, std::vector<std::string>& notes);

}  // namespace isolde::cli
