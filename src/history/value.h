// history/value.h: every value of a history as a 32-bit id, and the values behind the ids.
//
// Always:  equal values have equal ids, so engines compare values by comparing ids. Integers 0 … 2^31-1 are their own
//          id; kNullValue is absence; other values are entries of the ValueTable. Integer 1, real 1.0 and string "1"
//          are three values.
// Cost:    a table entry costs its bytes plus 9; a list or row is stored once, however often it is read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/column.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/json_text.h"

namespace isolde {

enum class ValueType : std::uint8_t {
  kNull,
  kInteger,  // any signed 64-bit integer
  kString,
  kBoolean,
  kReal,        // a double that is a number; -0.0 is 0.0
  kNumberText,  // a number that fits neither of the above exactly, in one canonical form per value
  kList,        // ids of its elements
  kRow,         // (name, value) id pairs, ordered by name
};

inline constexpr ValueId kNullValue{0x80000000U};
inline constexpr std::uint32_t kFirstTableValue = 0x80000001U;

constexpr bool is_inline_integer(ValueId v) { return raw(v) < 0x80000000U; }
constexpr bool is_table_value(ValueId v) { return raw(v) >= kFirstTableValue; }

struct RowField {
  ValueId name;  // a string
  ValueId value;
  friend bool operator==(const RowField&, const RowField&) = default;
};

// Read access to the columns of the table, wherever they are stored (built, or mapped from a file).
class ValueTable {
 public:
  ValueTable() = default;
  ValueTable(std::span<const std::uint64_t> begin, std::span<const std::uint8_t> type,
             std::span<const std::uint8_t> bytes)
      : begin_(begin), type_(type), bytes_(bytes) {}

  [[nodiscard]] std::size_t size() const { return type_.size(); }
  [[nodiscard]] ValueType type(ValueId v) const;
  // Each requires that `v` is of that type.
  [[nodiscard]] std::int64_t integer(ValueId v) const;
  [[nodiscard]] std::string_view string(ValueId v) const;  // also kNumberText
  [[nodiscard]] bool boolean(ValueId v) const;
  [[nodiscard]] double real(ValueId v) const;
  [[nodiscard]] std::span<const ValueId> list(ValueId v) const;
  [[nodiscard]] std::span<const RowField> row(ValueId v) const;

  // The elements of a list; an empty span for absence; nothing for anything else.
  [[nodiscard]] std::optional<std::span<const ValueId>> elements(ValueId v) const;

  // As JSON text, e.g. 7, "a", [1,2], {"c":1}. Values are never nested deeper than kMaxValueDepth.
  void append_json(ValueId v, std::string& out) const;
  [[nodiscard]] std::string json(ValueId v) const;

 private:
  [[nodiscard]] std::span<const std::uint8_t> payload(ValueId v) const;

  std::span<const std::uint64_t> begin_;  // size()+1 offsets into bytes_, multiples of 4
  std::span<const std::uint8_t> type_;    // type | padding bytes at the end of the payload << 4
  std::span<const std::uint8_t> bytes_;
};

// How deeply lists and rows may be nested; readers refuse more.
inline constexpr int kMaxValueDepth = 64;

// Checks a table that was read from a file before it is used: empty if it is well formed, otherwise what is wrong.
[[nodiscard]] std::string defect_of_values(std::span<const std::uint64_t> begin, std::span<const std::uint8_t> type,
                                           std::span<const std::uint8_t> bytes);

// Gives every distinct value its id.
class ValueInterner {
 public:
  ValueInterner() { begin_.push_back(0); }

  ValueId integer(std::int64_t value) {
    if (value >= 0 && value < 0x80000000LL) return ValueId{static_cast<std::uint32_t>(value)};
    return intern(ValueType::kInteger, &value, sizeof value);
  }
  ValueId unsigned_integer(std::uint64_t value);
  ValueId string(std::string_view text) { return intern(ValueType::kString, text.data(), text.size()); }
  ValueId boolean(bool value);
  ValueId real(double value);
  // A decimal number as in JSON. It becomes an integer or a real if that is exact (a real: at most 15 significant
  // digits), and otherwise keeps all its digits. Text that is not a number becomes a string.
  ValueId number_text(std::string_view text);
  ValueId list(std::span<const ValueId> elements) {
    return intern(ValueType::kList, elements.data(), elements.size_bytes());
  }
  // Sorts the fields by name; of two with the same name, the later one is kept.
  ValueId row(std::span<const RowField> fields);

  [[nodiscard]] ValueTable table() const { return {begin_.view(), type_.view(), bytes_.view()}; }

  // The id of a string that is already in the table.
  [[nodiscard]] std::optional<ValueId> find_string(std::string_view text) const;
  // … and of such a list.
  [[nodiscard]] std::optional<ValueId> find_list(std::span<const ValueId> elements) const;

  Column<std::uint64_t>& begin_column() { return begin_; }
  Column<std::uint8_t>& type_column() { return type_; }
  Column<std::uint8_t>& bytes_column() { return bytes_; }

 private:
  ValueId intern(ValueType type, const void* data, std::size_t size);
  [[nodiscard]] std::uint64_t hash_of(std::uint32_t entry) const;
  [[nodiscard]] std::uint32_t find(ValueType type, const void* data, std::size_t size, std::uint64_t hash) const;
  [[nodiscard]] std::optional<ValueId> find(ValueType type, const void* data, std::size_t size) const;

  Column<std::uint64_t> begin_;
  Column<std::uint8_t> type_;
  Column<std::uint8_t> bytes_;
  IdIndex index_;
};

// A position whose id also occurs at an earlier one, if there is one. Cost: linear for small integers, else sorts.
[[nodiscard]] std::optional<std::size_t> duplicate_in(std::span<const ValueId> ids);

// Whether the text is a JSON number.
[[nodiscard]] bool is_json_number(std::string_view text);

}  // namespace isolde
