// audit/schema/types.h: a column's type in the words of any dialect -> a type of a scratch database that takes its
// values.
//
// Always: wide rather than exact: what the application's statements write must fit, also where the dialects differ
//         (every integer is a bigint, text has no length where it need not have one).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/dialect.h"

namespace isolde::audit {

enum class TypeKind : std::uint8_t {
  kInteger,
  kDecimal,
  kFloat,
  kBoolean,
  kText,
  kBytes,
  kDate,
  kTime,
  kTimestamp,
  kTimestampTz,
  kBits,
  kUuid,
  kJson,
  kOther,  // intervals, networks, arrays …: of PostgreSQL
  kUnknown,
};

struct ColumnType {
  TypeKind kind = TypeKind::kUnknown;
  std::string arguments = {};  // "10,2"
};

[[nodiscard]] ColumnType type_of(std::string_view text);
// `is_key`: the column is part of a key, which MariaDB wants short.
[[nodiscard]] std::string scratch_type(std::string_view text, const db::Dialect& dialect, bool is_key);

}  // namespace isolde::audit
