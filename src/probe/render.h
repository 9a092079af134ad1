// probe/render.h: findings as a text table with its legend, and as JSON.
#pragma once

#include <span>
#include <string>

#include "probe/probe.h"

namespace isolde::probe {

// Level by level, scenario by scenario: ✓ prevented (and how), — happened, ? undecided.
[[nodiscard]] std::string table_text(const Findings& findings, std::span<const Scenario> scenarios);
// ✓ 40001
[[nodiscard]] std::string mark_of(const Finding& finding);
// Every interleaving as it ran.
[[nodiscard]] std::string transcripts_text(const Findings& findings, std::span<const Scenario> scenarios);
// One object on one line, every cell with its transcript.
[[nodiscard]] std::string findings_json(const Findings& findings, std::span<const Scenario> scenarios,
                                        std::string_view url);

}  // namespace isolde::probe
