#include "proxy/values/rows.h"

#include "base/ascii.h"
#include "proxy/mysql/numbers.h"

namespace isolde::proxy::values {
namespace {

using mysql::Reader;

// Types of fields, by their numbers.
enum : std::uint8_t {
  kTiny = 1,
  kShort = 2,
  kLong = 3,
  kFloat = 4,
  kDouble = 5,
  kNullType = 6,
  kTimestamp = 7,
  kLongLong = 8,
  kInt24 = 9,
  kDate = 10,
  kTime = 11,
  kDateTime = 12,
  kYear = 13,
};
constexpr std::uint16_t kUnsignedParameter = 0x8000;
constexpr std::uint16_t kUnsignedColumn = 0x20;
constexpr unsigned char kNullField = 0xfb;

std::int64_t signed_of(std::uint64_t value, std::size_t bytes, bool is_unsigned) {
  if (is_unsigned || bytes == 8) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

// One field of the binary form.
FieldSeen binary_field(Reader& reader, std::uint8_t type, bool is_unsigned) {
  FieldSeen out;
  const auto integer = [&](std::size_t bytes) {
    out.kind = FieldSeen::Kind::kInteger;
    out.number = signed_of(reader.integer(bytes), bytes, is_unsigned);
    // What 64 signed bits do not hold.
    if (bytes == 8 && is_unsigned && out.number < 0) out.kind = FieldSeen::Kind::kOther;
  };
  switch (type) {
    case kTiny:
      integer(1);
      break;
    case kShort:
    case kYear:
      integer(2);
      break;
    case kLong:
    case kInt24:
      integer(4);
      break;
    case kLongLong:
      integer(8);
      break;
    case kFloat:
      static_cast<void>(reader.take(4));
      break;
    case kDouble:
      static_cast<void>(reader.take(8));
      break;
    case kTimestamp:
    case kDate:
    case kTime:
    case kDateTime:
      static_cast<void>(reader.take(reader.integer(1)));
      break;
    case kNullType:
      out.kind = FieldSeen::Kind::kNull;
      break;
    default:
      out.kind = FieldSeen::Kind::kText;
      out.text = reader.text();
  }
  return out;
}

bool bit_of(std::string_view bits, std::size_t place) {
  return (static_cast<unsigned char>(bits[place / 8]) >> (place % 8) & 1U) != 0;
}

}  // namespace

std::optional<ColumnSeen> column_seen(std::string_view packet, bool extended_metadata) {
  Reader reader(packet);
  static_cast<void>(reader.text());  // "def"
  ColumnSeen out;
  out.schema = reader.text();
  out.alias = reader.text();
  out.table = reader.text();
  static_cast<void>(reader.text());
  out.column = lower_case(reader.text());
  if (extended_metadata) static_cast<void>(reader.text());
  static_cast<void>(reader.length());  // of the fixed part
  static_cast<void>(reader.take(2 + 4));
  out.type = static_cast<std::uint8_t>(reader.integer(1));
  out.is_unsigned = (reader.integer(2) & kUnsignedColumn) != 0;
  return reader.good() ? std::optional(std::move(out)) : std::nullopt;
}

Value field_value(const FieldSeen& field, ColumnKind kind, bool utf8) {
  switch (field.kind) {
    case FieldSeen::Kind::kNull:
      return {Value::Kind::kNull};
    case FieldSeen::Kind::kInteger:
      return kind == ColumnKind::kInteger ? integer_value(field.number)
                                          : text_value(std::to_string(field.number), kind, true);
    case FieldSeen::Kind::kText:
      return text_value(field.text, kind, utf8);
    case FieldSeen::Kind::kOther:
      break;
  }
  return {};
}

bool text_row(std::string_view packet, std::size_t columns, std::vector<FieldSeen>& to) {
  Reader reader(packet);
  to.clear();
  for (std::size_t i = 0; i < columns; ++i) {
    FieldSeen field;
    if (reader.next_is(kNullField)) {
      static_cast<void>(reader.take(1));
      field.kind = FieldSeen::Kind::kNull;
    } else {
      field.kind = FieldSeen::Kind::kText;
      field.text = reader.text();
    }
    to.push_back(field);
  }
  return reader.good() && reader.rest().empty();
}

bool binary_row(std::string_view packet, const std::vector<ColumnSeen>& columns, std::vector<FieldSeen>& to) {
  Reader reader(packet);
  to.clear();
  static_cast<void>(reader.take(1));
  constexpr std::size_t kBitsBefore = 2;
  const std::string_view nulls = reader.take((columns.size() + 7 + kBitsBefore) / 8);
  if (!reader.good()) return false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    to.push_back(bit_of(nulls, i + kBitsBefore) ? FieldSeen{FieldSeen::Kind::kNull}
                                                : binary_field(reader, columns[i].type, columns[i].is_unsigned));
  }
  return reader.good() && reader.rest().empty();
}

bool parameters_seen(std::string_view body, std::size_t count, std::vector<std::uint16_t>& types,
                     const std::vector<bool>& sent_apart, std::vector<FieldSeen>& to) {
  to.clear();
  if (count == 0) return true;
  Reader reader(body);
  const std::string_view nulls = reader.take((count + 7) / 8);
  if (reader.integer(1) == 1) {
    types.clear();
    for (std::size_t i = 0; i < count; ++i) types.push_back(static_cast<std::uint16_t>(reader.integer(2)));
  }
  if (!reader.good() || types.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (bit_of(nulls, i)) {
      to.push_back({FieldSeen::Kind::kNull});
    } else if (i < sent_apart.size() && sent_apart[i]) {
      to.push_back({});
    } else {
      to.push_back(
          binary_field(reader, static_cast<std::uint8_t>(types[i] & 0xffU), (types[i] & kUnsignedParameter) != 0));
    }
  }
  return reader.good();
}

}  // namespace isolde::proxy::values
