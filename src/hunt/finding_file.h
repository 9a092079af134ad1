// hunt/finding_file.h: a finding as one file that people can read and `isolde hunt --replay` can run anywhere.
//
// In, out: Finding <-> text: versions, seed, level, schema, rows, transactions, interleaving, the order alone, what was
//          expected and what came. An error of a file has its line and says what was expected there.
// Always:  write, read, write gives the same text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "hunt/finding.h"

namespace isolde::hunt {

[[nodiscard]] std::string finding_text(const Finding& finding);
[[nodiscard]] Result<Finding> parse_finding(std::string_view text, const std::string& file);
[[nodiscard]] Result<Finding> read_finding(const std::string& path);

}  // namespace isolde::hunt
