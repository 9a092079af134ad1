#include "history/copy_value.h"

#include <vector>

namespace isolde {

// Recursive to the depth that values may nest (kMaxValueDepth).
// NOLINTNEXTLINE(misc-no-recursion)
ValueId copy_value(const ValueTable& from, ValueId value, ValueInterner& to) {
  switch (from.type(value)) {
    case ValueType::kNull:
      return kNullValue;
    case ValueType::kInteger:
      return to.integer(from.integer(value));
    case ValueType::kString:
      return to.string(from.string(value));
    case ValueType::kNumberText:
      return to.number_text(from.string(value));
    case ValueType::kBoolean:
      return to.boolean(from.boolean(value));
    case ValueType::kReal:
      return to.real(from.real(value));
    case ValueType::kList: {
      std::vector<ValueId> elements;
      for (const ValueId element : from.list(value)) elements.push_back(copy_value(from, element, to));
      return to.list(elements);
    }
    case ValueType::kRow: {
      std::vector<RowField> fields;
      for (const RowField& field : from.row(value))
        fields.push_back({copy_value(from, field.name, to), copy_value(from, field.value, to)});
      return to.row(fields);
    }
  }
  return kNullValue;
}

}  // namespace isolde
