// audit/confirm/references.h: foreign keys of the schema, which scratch tables do not have.
//
// A scratch table with foreign keys would need every row that the schema wants, in tables that the story is not about.
// So they are left out, and a run is looked at afterwards: one that leaves a row whose parent is gone is one that the
// application's tables refuse, whatever the foreign key does on DELETE.
//
// In, out: play, rows before and after -> the first row without a parent that had one, or was not there; in words.
// Limits:  only where the story uses both tables. What a foreign key makes wait, or deletes along with the parent, is
//          not seen.
#pragma once

#include <string>
#include <vector>

#include "audit/confirm/observed.h"
#include "audit/confirm/play.h"
#include "audit/confirm/rows.h"

namespace isolde::audit {

// Empty: there is none.
[[nodiscard]] std::string broken_reference(const Play& play, const std::vector<InitialRow>& before,
                                           const std::vector<Rows>& left);

}  // namespace isolde::audit
