// audit/confirm/script.h: a play's statements as the server takes them.
//
// Each statement is sent once, one after the other, and all of it is undone: those that the server does not understand
// are worded differently (numbers in quotes), or left out if they are reads that the cycle does not need.
//
// In, out: place, play, rows -> SQL by member and line. The error says which statement cannot be run there, and why.
#pragma once

#include <string>
#include <vector>

#include "audit/confirm/confirm.h"
#include "audit/confirm/place.h"
#include "audit/confirm/play.h"
#include "audit/confirm/rows.h"

namespace isolde::audit {

struct Script {
  using Sql = std::vector<std::vector<std::string>>;  // by member and line; empty: left out
  std::vector<std::vector<bool>> sent, quotes_numbers;
  std::vector<ConfirmedStep> left_out;

  // With the values that the play has now.
  [[nodiscard]] Sql sql(const Play& play, db::Family dialect) const;
};

// Ensures: the tables of the play are there.
[[nodiscard]] Result<Script> rehearse(ScratchPlace& place, const Play& play, const std::vector<InitialRow>& rows);

// What the server said, of a message that also says what we do about it.
[[nodiscard]] std::string server_words(std::string_view text);

}  // namespace isolde::audit
