// cli/check_outcomes.h: reports of `check` as outcomes (cli/outcomes.h): compared with a baseline, and as CI cases.
#pragma once

#include <string>
#include <string_view>

#include "cli/outcomes.h"
#include "report/report.h"

namespace isolde::cli {

class CheckOutcomes {
 public:
  // `suite`: "check", or "record" for what it checks.
  [[nodiscard]] static Result<CheckOutcomes> from(std::string_view suite, const Arguments& args);

  // Says in the report which of its findings are known. Its exit status: that of the verdict, or fine if all are, or
  // will be by the baseline that is being written.
  Exit compare(Report& report, Exit exit);
  void add_answer(const Report& report, Exit exit);
  void add_bad_input(const std::string& file, const Error& error) { outcomes_.add_bad_input(file, error); }
  [[nodiscard]] Exit finish(bool quiet) const { return outcomes_.finish(quiet); }

 private:
  explicit CheckOutcomes(Outcomes outcomes) : outcomes_(std::move(outcomes)) {}
  Outcomes outcomes_;
};

}  // namespace isolde::cli
