// cli/ci_results.h: the answers of a command in the forms that CI systems show: JUnit XML (--junit FILE), and the
// annotations and the step summary of GitHub Actions (--github). docs/ci.md describes them.
//
// In, out: one CiCase per input -> a file, lines on standard error, Markdown added to GITHUB_STEP_SUMMARY.
// Always:  nothing that a history contains can end an XML element, start a workflow command or leave a code block.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/terminal.h"

namespace isolde::cli {

struct CiCase {
  enum class Result : std::uint8_t { kPassed, kKnown, kViolated, kUndecided, kBadInput };
  std::string name;   // the input, as it was given
  std::string level;  // empty: not known
  Result result = Result::kPassed;
  std::string message;  // one line: "h.jsonl violates serializable: G-single 3"
  std::string details;  // as on a terminal; empty: nothing to add
  Error place = {};     // kBadInput: where
  double seconds = 0;
};

// `suite`: "isolde check".
[[nodiscard]] std::string junit_xml(std::string_view suite, std::span<const CiCase> cases);
// One workflow command per case that is not fine; empty if all are.
[[nodiscard]] std::string github_annotations(std::span<const CiCase> cases);
[[nodiscard]] std::string github_summary(std::string_view suite, std::span<const CiCase> cases);

class CiResults {
 public:
  CiResults(std::string_view verb, const Arguments& args);
  // Whether anybody asked for them: details need not be made otherwise.
  [[nodiscard]] bool wanted() const { return !junit_.empty() || github_; }
  void add(CiCase one) { cases_.push_back(std::move(one)); }
  // When every input has its answer.
  [[nodiscard]] Exit write() const;

 private:
  std::string suite_, junit_;
  bool github_;
  std::vector<CiCase> cases_;
};

}  // namespace isolde::cli
