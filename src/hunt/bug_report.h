// hunt/bug_report.h: a finding as Markdown for the issue tracker of a database: what to type, in which session, what
// should come and what comes.
#pragma once

#include <string>

#include "hunt/finding.h"

namespace isolde::hunt {

[[nodiscard]] std::string bug_report_text(const Finding& finding);

}  // namespace isolde::hunt
