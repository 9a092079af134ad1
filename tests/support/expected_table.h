// tests/support/expected_table.h: what a database is known to do (tests/probe/*.txt) against what a probe found.
#pragma once

#include <span>
#include <string>

#include "probe/probe.h"

namespace isolde::test {

// Every cell that differs, with its transcript; empty: none does. All cells of the file must have been probed, and all
// that was probed must stand in the file. `file`: its name in tests/probe.
[[nodiscard]] std::string differences(const std::string& file, const probe::Findings& findings,
                                      std::span<const probe::Scenario> scenarios);

}  // namespace isolde::test
