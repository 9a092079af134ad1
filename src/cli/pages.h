// cli/pages.h: what verbs print, as data of a report page (web/src/data.ts).
//
// In, out: the JSON that probe, audit and check print, or findings of a hunt -> the JSON of a page.
// Always:  a page stays small: of a list that is too long its beginning is kept, and "left_out" says how many are not.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hunt/finding/finding.h"

namespace isolde::cli {

// `probes`: an object each, as `isolde probe --json` prints it.
[[nodiscard]] std::string probe_page(std::span<const std::string> probes);
// As `isolde audit --json` prints it. Requires: valid JSON.
[[nodiscard]] std::string audit_page(std::string_view audit);
// `title`: what was hunted; empty: these findings were kept in a file.
[[nodiscard]] std::string hunt_page(std::string_view file, std::string_view title,
                                    std::span<const hunt::Finding> findings);

// The page of what `--json` of check, probe or audit printed: one object a line. No value: it is none of these.
[[nodiscard]] Result<std::optional<std::string>> page_of_json(std::string_view text, const std::string& file);

}  // namespace isolde::cli
