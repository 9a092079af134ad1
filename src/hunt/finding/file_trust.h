// hunt/finding/file_trust.h: whether a finding that came in a file is only what a hunt could have written.
//
// In, out: a finding and the dialect of the server that it would run on -> nothing, or the error that refuses it, with
//          the statement's line in the file.
// Always:  what passes reads and changes rows of its own tables and makes and drops those, and nothing else
//          (db/guard/file_sql.h). Names of tables and columns, which are put into statements of ours, are plain words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "hunt/finding/finding.h"

namespace isolde::hunt {

// `text`: the file's, for lines; `file`: its name.
[[nodiscard]] std::optional<Error> why_not_trusted(const Finding& finding, std::string_view dialect,
                                                   std::string_view text, const std::string& file);

}  // namespace isolde::hunt
