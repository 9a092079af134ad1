#include "format/json_value.h"

#include <vector>

namespace isolde {
namespace {

namespace od = simdjson::ondemand;

std::optional<JsonFault> fault(simdjson::error_code code) { return JsonFault{simdjson::error_message(code)}; }

std::optional<JsonFault> list_value(od::value json, ValueInterner& values, ValueId& out, int depth) {
  od::array array;
  if (const auto code = json.get_array().get(array)) return fault(code);
  std::vector<ValueId> elements;
  for (auto element : array) {
    od::value inner;
    if (const auto code = element.get(inner)) return fault(code);
    ValueId id{};
    if (auto wrong = json_value(inner, values, id, depth + 1)) return wrong;
    elements.push_back(id);
  }
  out = values.list(elements);
  return std::nullopt;
}

std::optional<JsonFault> row_value(od::value json, ValueInterner& values, ValueId& out, int depth) {
  od::object object;
  if (const auto code = json.get_object().get(object)) return fault(code);
  std::vector<RowField> fields;
  for (auto field : object) {
    std::string_view name;
    od::value inner;
    if (const auto code = field.unescaped_key().get(name)) return fault(code);
    const ValueId name_id = values.string(name);
    if (const auto code = field.value().get(inner)) return fault(code);
    ValueId id{};
    if (auto wrong = json_value(inner, values, id, depth + 1)) return wrong;
    fields.push_back({name_id, id});
  }
  out = values.row(fields);
  return std::nullopt;
}

}  // namespace

simdjson::error_code take_field(simdjson::simdjson_result<simdjson::ondemand::field>& field, JsonField& out) {
  simdjson::ondemand::raw_json_string quoted;
  if (const auto code = field.key().get(quoted)) return code;
  out.at = quoted.raw() - 1;
  std::string_view name;
  if (const auto code = field.unescaped_key().get(name)) return code;
  out.name.assign(name);
  return field.value().get(out.value);
}

// Recursion is bounded by kMaxValueDepth.
std::optional<JsonFault> json_value(od::value json, ValueInterner& values, ValueId& out, int depth) {
  if (depth > kMaxValueDepth) return JsonFault{"values are nested too deeply"};
  od::json_type type{};
  if (const auto code = json.type().get(type)) return fault(code);
  switch (type) {
    case od::json_type::null: {
      bool null = false;
      if (const auto code = json.is_null().get(null)) return fault(code);
      if (!null) return JsonFault{"expected null"};
      out = kNullValue;
      return std::nullopt;
    }
    case od::json_type::boolean: {
      bool value = false;
      if (const auto code = json.get_bool().get(value)) return fault(code);
      out = values.boolean(value);
      return std::nullopt;
    }
    case od::json_type::string: {
      std::string_view value;
      if (const auto code = json.get_string().get(value)) return fault(code);
      out = values.string(value);
      return std::nullopt;
    }
    case od::json_type::number: {
      std::string_view token = json.raw_json_token();
      while (!token.empty() &&
             (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t')) {
        token.remove_suffix(1);
      }
      // Read by its text and not by simdjson, which refuses numbers beyond 64 bits and doubles.
      if (!is_json_number(token)) return JsonFault{"not a JSON number"};
      out = values.number_text(token);
      return std::nullopt;
    }
    case od::json_type::array:
      return list_value(json, values, out, depth);
    case od::json_type::object:
      return row_value(json, values, out, depth);
  }
  return JsonFault{"expected a JSON value"};
}

}  // namespace isolde
