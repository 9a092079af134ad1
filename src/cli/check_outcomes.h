// cli/check_outcomes.h: what becomes of the answers of `check` besides being printed: compared with a baseline, written
// to one, and given to a CI system.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/baseline.h"
#include "cli/ci_results.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "report/report.h"

namespace isolde::cli {

class CheckOutcomes {
 public:
  [[nodiscard]] static Result<CheckOutcomes> from(const Arguments& args);

  // Says in the report which of its findings are known. Its exit status: that of the verdict, or fine if all are, or
  // will be by the baseline that is being written.
  Exit compare(Report& report, Exit exit);
  void add_answer(const Report& report, Exit exit);
  void add_bad_input(const std::string& file, const Error& error);
  // When every input has its answer. `quiet`: nothing is said of entries that nothing matched.
  [[nodiscard]] Exit finish(bool quiet) const;

 private:
  explicit CheckOutcomes(const Arguments& args) : ci_("check", args), write_to_(args.text("write-baseline")) {}
  CiResults ci_;
  std::optional<Baseline> baseline_;
  std::string write_to_;
  std::vector<KnownFinding> found_;
};

}  // namespace isolde::cli
