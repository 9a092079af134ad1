// cli/baseline.h: findings that are known, so that only new ones fail a build (`--baseline`, docs/ci.md).
//
// In, out: a TOML file and what a verb found -> which of it is known; what was found -> such a file.
// Always:  a verdict stays what it is: only the exit status and what is shown beside it depend on the baseline. A
//          finding is a verb, a file (or a database), a level and the name of an anomaly; more of it than the baseline
//          allows is new. One file may serve all verbs: each looks only at its own entries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/report.h"

namespace isolde::cli {

struct KnownFinding {
  std::string verb = "check";
  std::string file = "*";   // as it is given to the verb; * stands for anything
  std::string level = "*";  // its name, or *
  std::string anomaly;      // check: as in "counts" of --json; the other verbs: docs/ci.md
  std::uint64_t most = UINT64_MAX;
  std::string why;
  bool seen = false;
};

class Baseline {
 public:
  // `verb`: whose findings will be compared.
  [[nodiscard]] static Result<Baseline> read(const std::string& path, std::string_view verb);

  // A finding that is allowed counts as seen.
  [[nodiscard]] KnownFindings compare(const std::vector<KnownFinding>& found);
  // The reason that the file gives for a finding; empty: none.
  [[nodiscard]] std::string why(const KnownFinding& finding) const;
  // "G-single of run.jsonl at serializable": entries of the verb that nothing matched.
  [[nodiscard]] std::vector<std::string> unseen() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_, verb_;
  std::vector<KnownFinding> findings_;
};

// What of a violated verdict a baseline would list.
[[nodiscard]] std::vector<KnownFinding> findings_of(const Report& report);
[[nodiscard]] std::string baseline_text(const std::vector<KnownFinding>& findings);

}  // namespace isolde::cli
