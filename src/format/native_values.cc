#include "format/native_values.h"

#include <fmt/format.h>

namespace isolde {

namespace od = simdjson::ondemand;

NativeValues::Fault NativeValues::fault(std::string_view text) {
  const char* at = nullptr;
  if (doc_->current_location().get(at)) at = nullptr;
  return JsonFault{std::string(text), at};
}
NativeValues::Fault NativeValues::fault_at(std::string_view text, od::value value) {
  return JsonFault{std::string(text), value.raw_json_token().data()};
}

NativeValues::Fault NativeValues::integer(od::value value, std::int64_t& out) {
  if (value.get_int64().get(out) || out == kNoTime) {
    return fault_at(fmt::format("expected \"{}\" to be a 64-bit integer", field_), value);
  }
  return std::nullopt;
}

NativeValues::Fault NativeValues::text(od::value value, std::string& out, std::string_view expected) {
  std::string_view got;
  if (value.get_string().get(got)) return fault_at(expected, value);
  out = got;
  return std::nullopt;
}

NativeValues::Fault NativeValues::key(od::value value, KeyId& out) {
  ValueId id{};
  if (auto wrong = name_value(value, id, "expected a key: an integer or a string")) return wrong;
  out = builder_.key(id);
  return std::nullopt;
}

NativeValues::Fault NativeValues::name_value(od::value value, ValueId& out, std::string_view expected) {
  const char* const at = value.raw_json_token().data();
  od::json_type type{};
  if (value.type().get(type) || (type != od::json_type::string && type != od::json_type::number)) {
    return JsonFault{std::string(expected), at};
  }
  if (auto wrong = any(value, out)) return wrong;
  const ValueType kind = builder_.values().table().type(out);
  const bool is_name = kind == ValueType::kInteger || kind == ValueType::kString ||
                       (kind == ValueType::kNumberText &&
                        builder_.values().table().string(out).find_first_of(".e") == std::string_view::npos);
  if (!is_name) return JsonFault{std::string(expected), at};
  return std::nullopt;
}

NativeValues::Fault NativeValues::any(od::value value, ValueId& out) {
  const char* const at = value.raw_json_token().data();
  auto wrong = json_value(value, builder_.values(), out);
  if (wrong) wrong = JsonFault{"expected a JSON value: " + wrong->text, at};
  return wrong;
}

}  // namespace isolde
