// cli/baseline.h: findings that are known, so that only new ones fail a check (`check --baseline`, docs/ci.md).
//
// In, out: a TOML file and verdicts -> which of their anomalies are known; verdicts -> such a file.
// Always:  a verdict stays what it is: only the exit status and what is shown beside it depend on the baseline. A
// finding
//          is a file, a level and the name of an anomaly; more of it than the baseline allows is new.
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
  std::string file = "*";   // as it is given to `check`; * stands for anything
  std::string level = "*";  // its name, or *
  std::string anomaly;      // as in "counts" of --json
  std::uint64_t most = UINT64_MAX;
  std::string why;
  bool seen = false;
};

class Baseline {
 public:
  [[nodiscard]] static Result<Baseline> read(const std::string& path);

  // Of a violated verdict; a finding that is allowed counts as seen.
  [[nodiscard]] KnownFindings compare(const Report& report);
  // The reason that the file gives for a finding; empty: none.
  [[nodiscard]] std::string why(const KnownFinding& finding) const;
  // "G-single of run.jsonl at serializable": entries that nothing matched.
  [[nodiscard]] std::vector<std::string> unseen() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::vector<KnownFinding> findings_;
};

// What of a violated verdict a baseline would list.
[[nodiscard]] std::vector<KnownFinding> findings_of(const Report& report);
[[nodiscard]] std::string baseline_text(const std::vector<KnownFinding>& findings);

}  // namespace isolde::cli
