// proxy/postgres/rows.h: columns that were added to a result, taken out of its messages again.
//
// In, out: the body of RowDescription, DataRow or Bind, and how many columns were added -> the body without (with)
//          them.
// Always:  a body that is not as the protocol says is nothing, never a read beyond its end.
// Cost:    one look per column.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isolde::proxy::postgres {

// RowDescription without its last columns.
[[nodiscard]] std::optional<std::string> without_columns(std::string_view description, std::size_t added);

struct CutRow {
  std::size_t kept = 0;                                     // bytes of the body before the added columns
  std::uint16_t columns = 0;                                // that are left
  std::vector<std::optional<std::string_view>> added = {};  // what was in them; none: NULL
};
// DataRow cut before its last columns.
[[nodiscard]] std::optional<CutRow> cut_row(std::string_view row, std::size_t added);

// What of a Bind matters: names, and whether the columns behind the client's come in binary form. `body`: with formats
// for the added columns (text), where the client gave one for each of its own.
struct BindParts {
  std::string_view portal, statement;
  bool binary = false;
  std::string body = {};  // empty: as it was
};
[[nodiscard]] std::optional<BindParts> bind_parts(std::string_view body, std::size_t added);

// Text up to a zero byte at the front, which is taken off together with it.
[[nodiscard]] std::optional<std::string_view> take_text(std::string_view& body);

// The value of an ErrorResponse's or NoticeResponse's field; empty if there is none.
[[nodiscard]] std::string_view error_field(std::string_view body, char field);
// With its place in the text (P) moved back, where it is beyond `from` characters.
[[nodiscard]] std::string with_place_moved(std::string_view body, std::size_t from, std::size_t length);

// Where a row version stands, and which (sub)transaction made it.
struct VersionName {
  std::uint32_t table = 0, block = 0, xmin = 0;
  std::uint16_t place = 0;
};
// From tableoid, ctid and xmin as text or binary. None: not in that form.
[[nodiscard]] std::optional<VersionName> version_name(std::span<const std::optional<std::string_view>> columns,
                                                      bool binary);

}  // namespace isolde::proxy::postgres
