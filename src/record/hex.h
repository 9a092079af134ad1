// record/hex.h: PostgreSQL's text of bytea ("\x42ff") -> its bytes.
#pragma once

#include <string>
#include <string_view>

namespace isolde::record {

// False: it is of another form.
[[nodiscard]] bool unhex(std::string_view text, std::string& out);

}  // namespace isolde::record
