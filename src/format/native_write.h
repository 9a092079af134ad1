// format/native_write.h: History -> native JSON Lines in canonical form; loses nothing. See format/native.h.
#pragma once

#include <cstdint>
#include <span>

#include "format/format.h"

namespace isolde {

[[nodiscard]] Result<WriteResult> write_native(const History& history, Output& output);

// One transaction as its line, without the newline: also what reports and tests show.
void append_native_line(const History& history, TxnId txn, std::string& out);

// The same with only the operations on some keys: those that `owner` (one entry per key) gives to `mine`. An update by
// a predicate becomes the writes that it made; scans and aggregates are left out, because they are about all keys.
void append_native_share(const History& history, TxnId txn, std::span<const std::uint32_t> owner, std::uint32_t mine,
                         std::string& out);

// The first line of a file or stream, with the newline: the values that keys hold before their first write.
void append_native_header(const History& history, std::string& out);

}  // namespace isolde
