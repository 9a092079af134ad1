// hunt/bug_report.h: a finding as Markdown for the issue tracker of a database: what to type, in which session, what
// should come and what comes.
#pragma once

#include <string>
#include <vector>

#include "hunt/finding/finding.h"

namespace isolde::hunt {

// Another server that the finding was replayed on.
struct SeenElsewhere {
  std::string server;   // as it calls itself, or its URL
  std::string outcome;  // "seen", "not seen", "cannot be run: …"
};

[[nodiscard]] std::string bug_report_text(const Finding& finding, const std::vector<SeenElsewhere>& elsewhere = {});

}  // namespace isolde::hunt
