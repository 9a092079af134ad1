#include "batch/wire.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace isolde::batch {
namespace {

// An odd code says which type follows. Null is the first of them.
constexpr std::uint64_t code_of(ValueType type) { return (static_cast<std::uint64_t>(type) << 1) | 1; }

}  // namespace

// Recursive to the depth that values may nest (kMaxValueDepth).
// NOLINTNEXTLINE(misc-no-recursion)
void WireWriter::put_other(const ValueTable& values, ValueId v) {
  const ValueType type = values.type(v);
  put(code_of(type));
  switch (type) {
    case ValueType::kNull:
      break;
    case ValueType::kInteger:
      put_signed(static_cast<std::uint64_t>(values.integer(v)));
      break;
    case ValueType::kString:
    case ValueType::kNumberText:
      put_text(values.string(v));
      break;
    case ValueType::kBoolean:
      put(values.boolean(v) ? 1 : 0);
      break;
    case ValueType::kReal:
      put(std::bit_cast<std::uint64_t>(values.real(v)));
      break;
    case ValueType::kList: {
      const auto elements = values.list(v);
      put(elements.size());
      for (const ValueId element : elements) put_value(values, element);
      break;
    }
    case ValueType::kRow: {
      const auto fields = values.row(v);
      put(fields.size());
      for (const RowField& field : fields) {
        put_value(values, field.name);
        put_value(values, field.value);
      }
      break;
    }
  }
}

std::string_view WireReader::get_text() {
  const std::uint64_t size = get();
  if (size > bytes_.size() - at_) {
    good_ = false;
    return {};
  }
  const std::string_view text = bytes_.substr(at_, size);
  at_ += size;
  return text;
}

// NOLINTNEXTLINE(misc-no-recursion)
ValueId WireReader::get_nested(ValueInterner& values, int depth) {
  const std::uint64_t code = get();
  if ((code & 1) == 0) return ValueId{static_cast<std::uint32_t>(code >> 1)};
  return get_other(code, values, depth);
}

// NOLINTNEXTLINE(misc-no-recursion)
ValueId WireReader::get_other(std::uint64_t code, ValueInterner& values, int depth) {
  if (depth > kMaxValueDepth || code > code_of(ValueType::kRow)) {
    good_ = false;
    return kNullValue;
  }
  switch (static_cast<ValueType>(code >> 1)) {
    case ValueType::kNull:
      return kNullValue;
    case ValueType::kInteger:
      return values.integer(static_cast<std::int64_t>(get_signed()));
    case ValueType::kString:
      return values.string(get_text());
    case ValueType::kNumberText:
      return values.number_text(get_text());
    case ValueType::kBoolean:
      return values.boolean(get() != 0);
    case ValueType::kReal:
      return values.real(std::bit_cast<double>(get()));
    case ValueType::kList: {
      std::vector<ValueId> elements;
      for (std::uint64_t left = get(); left > 0 && good_; --left) elements.push_back(get_nested(values, depth + 1));
      return values.list(elements);
    }
    case ValueType::kRow: {
      std::vector<RowField> fields;
      for (std::uint64_t left = get(); left > 0 && good_; --left) {
        const ValueId name = get_nested(values, depth + 1);
        fields.push_back({name, get_nested(values, depth + 1)});
      }
      return values.row(fields);
    }
  }
  return kNullValue;
}

}  // namespace isolde::batch
