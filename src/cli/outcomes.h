// cli/outcomes.h: what becomes of the answers of a verb besides being printed: compared with a baseline (--baseline),
// written to one (--write-baseline), and given to a CI system (--junit, --github). One code path for all verbs.
//
// Use: Outcomes::from(verb, args); for each answer judge(), then add(); for each input that could not be read
//      add_bad_input(); at the end finish(), whose exit status counts too.
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

namespace isolde::cli {

class Outcomes {
 public:
  // `suite`: the verb that runs; `verb`: whose entries of a baseline count (record: those of check).
  [[nodiscard]] static Result<Outcomes> from(std::string_view suite, std::string_view verb, const Arguments& args);

  // What became of an answer that found these. `known`: none if there is no baseline, or nothing was found.
  struct Judgement {
    Exit exit;
    std::optional<KnownFindings> known;
  };
  // `exit`: the verb's own; `without`: what it would be if nothing had been found. The first of these stays unless all
  // findings are known, or will be by the baseline that is being written.
  Judgement judge(std::vector<KnownFinding> found, Exit exit, Exit without = Exit::kFine);

  // Whether anybody asked for what add() is given: details need not be made otherwise.
  [[nodiscard]] bool wanted() const { return ci_.wanted(); }
  void add(CiCase one) { ci_.add(std::move(one)); }
  // The same, with the result that follows from a judgement.
  void add(CiCase one, const Judgement& judgement, bool found);
  void add_bad_input(const std::string& name, const Error& error);
  // When every input has its answer. `quiet`: nothing is said of entries that nothing matched.
  [[nodiscard]] Exit finish(bool quiet) const;

 private:
  Outcomes(std::string_view suite, const Arguments& args) : ci_(suite, args), write_to_(args.text("write-baseline")) {}
  CiResults ci_;
  std::optional<Baseline> baseline_;
  std::string write_to_;
  std::vector<KnownFinding> found_;
};

// Lines for people: "known: P4 1 (known.toml)"; empty where there is no baseline.
[[nodiscard]] std::string known_text(const std::optional<KnownFindings>& known);

}  // namespace isolde::cli
