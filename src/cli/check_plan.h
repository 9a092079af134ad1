// cli/check_plan.h: the options of `check`, understood once for all files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/mirror/profile.h"
#include "checking/checking.h"
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
  EngineOptions engine;                    // but for the profile
  std::optional<mirror::Profile> profile;  // of the method mirror
  std::optional<std::string> initial;      // of keys, where the history does not say it
  bool lenient = false, prove = false, json = false, quiet = false, strongest = false, explain_method = false;
  std::optional<double> timeout;
  unsigned threads = 1;
  std::size_t kept = 1000;
  TextStyle style;
  std::string dot, svg, html;
  std::string subject;                // as answers name it; empty: the file
  std::string watched;                // JSON for its page; empty: none
  CheckOutcomes* outcomes = nullptr;  // baseline and CI; null: neither
};

[[nodiscard]] Result<CheckPlan> check_plan(const Arguments& args);
// As without any option but these.
[[nodiscard]] CheckPlan plain_check_plan(bool json, bool quiet);

// What an engine said of a history.
struct Judged {
  Level level;
  Outcome outcome;
  std::string method;
};
// Checks one history and prints the answer. `judged`: gets the verdict, if the history could be read.
Exit check_file(const CheckPlan& plan, const std::string& file, std::optional<Judged>* judged = nullptr);
// The level to check, with a note if none was given. `history`: its columns say which.
[[nodiscard]] Level level_for(const CheckPlan& plan, const History& history, std::vector<std::string>& notes);

}  // namespace isolde::cli
