// report/words.h: transactions, operations and values as a person reads them; shared by the renderers.
//
// Always: text is short: a long value keeps its two ends. Whoever needs all of it finds it in the JSON report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "history/history.h"

namespace isolde::words {

// "T4" for integer ids, the id itself for strings; kNoTxn is "the initial state".
[[nodiscard]] std::string txn(const History& history, TxnId t);
// "T4 (session 2, start_ts 100, commit_ts 120)": with what is known of it.
[[nodiscard]] std::string txn_with_place(const History& history, TxnId t);
// "x", or "key 7" where a bare number would read like a value.
[[nodiscard]] std::string key(const History& history, KeyId k);
// "1 key", "1,234 keys".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);
// A value as JSON, shortened.
[[nodiscard]] std::string value(const History& history, ValueId v);
// "x = 1" or "x is absent".
[[nodiscard]] std::string holds(const History& history, KeyId key, ValueId v);
// "read x = 1", "wrote x = 2", "deleted x", "appended 3 to x", "scanned where c > 1 (2 rows)", …
[[nodiscard]] std::string did(const History& history, OpId op);
// "operation 2 of 5"; empty for kNoOp.
[[nodiscard]] std::string place_of(const History& history, OpId op);

// Cuts the middle out of a text that is longer than `most` bytes, never through a UTF-8 sequence.
[[nodiscard]] std::string shortened(std::string text, std::size_t most = 72);

}  // namespace isolde::words
