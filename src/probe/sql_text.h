// probe/sql_text.h: a script's SQL as it is sent: the scenario's tables under their real names, values of earlier steps
// put in.
//
//   ${T1.1}  ${T1.1.value + 5}  ${T1.1 + T2.1 - 1}   whole numbers that statements returned in their first row
//   ${for update}                                    what the dialect has for it; nothing in SQLite
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/dialect.h"
#include "probe/condition.h"
#include "probe/transcript.h"

namespace isolde::probe {

struct SqlTerm {
  bool minus = false;
  std::int64_t constant = 0;  // if source.number is 0
  Source source;
  std::string column;  // empty: the only one
};

struct SqlPiece {
  enum class Kind : std::uint8_t { kText, kTable, kForUpdate, kValue };
  Kind kind = Kind::kText;
  std::string text;
  std::vector<SqlTerm> terms;
};

// `column`: where `sql` stands in its line. A name of `tables` is replaced wherever it stands as a word outside of
// quotes and not after a dot.
[[nodiscard]] Result<std::vector<SqlPiece>> parse_sql(std::string_view sql, std::span<const std::string> tables,
                                                      const std::string& file, std::uint64_t line,
                                                      std::uint64_t column);

struct SqlSetting {
  std::string_view prefix;  // of the real tables' names
  const db::Dialect& dialect;
  const std::vector<Step>& steps;
  const Transcript& so_far;
};

// The error says which value is missing.
[[nodiscard]] Result<std::string> sql_text(std::span<const SqlPiece> pieces, const SqlSetting& setting);

}  // namespace isolde::probe
