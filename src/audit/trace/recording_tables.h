// audit/trace/recording_tables.h: the tables, columns and keys that a history's keys and values stand for.
//
// In, out: a History -> for each key its table and the words of its WHERE; for each table its columns.
// Cost:    one pass over keys, operations and predicates.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "history/history.h"

namespace isolde::audit {

// As SQL writes them: a name with quotes where it needs them, a value as a literal.
[[nodiscard]] std::string sql_name(std::string_view name);
[[nodiscard]] std::string sql_literal(const ValueTable& values, ValueId value);

struct RecordedTable {
  enum class Type : std::uint8_t { kUnknown, kInteger, kReal, kBoolean, kText };
  struct Column {
    std::string name;  // as SQL writes it
    Type type = Type::kUnknown;
  };

  std::string name;
  std::vector<Column> keys;  // one for each part of a key
  std::vector<Column> columns;
};

class RecordedTables {
 public:
  explicit RecordedTables(const History& history);

  [[nodiscard]] std::span<const RecordedTable> tables() const { return tables_; }
  [[nodiscard]] std::uint32_t table_of(KeyId key) const { return table_of_[raw(key)]; }
  // kNone32 if the predicate does not tell.
  [[nodiscard]] std::uint32_t table_of(const Predicate& predicate) const;
  // The values of the key's columns, as literals.
  [[nodiscard]] std::vector<std::string> key_literals(KeyId key) const;
  // `key1 = 1 AND key2 = 3`
  [[nodiscard]] std::string where(KeyId key) const;
  [[nodiscard]] std::string create_text(const RecordedTable& table) const;

 private:
  void add_key(KeyId key);
  void add_value(KeyId key, ValueId value);
  std::uint32_t table_named(std::string_view name);

  const History& history_;
  std::vector<RecordedTable> tables_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::vector<std::uint32_t> table_of_;                                      // by key
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> column_of_;  // by table: name's ValueId -> column
};

}  // namespace isolde::audit
