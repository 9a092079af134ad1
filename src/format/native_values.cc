#include "format/native_values.h"

#include <fmt/format.h>

#include <utility>

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

NativeValues::Fault NativeValues::take_field(simdjson::simdjson_result<od::field>& field, od::value& value) {
  JsonField taken;
  if (isolde::take_field(field, taken)) return fault("expected \"field\": value");
  field_ = std::move(taken.name);
  field_at_ = taken.at;
  value = taken.value;
  return std::nullopt;
}

NativeValues::Fault NativeValues::unknown_field(std::string_view where, std::span<const std::string_view> known) {
  std::string wrong = unknown_.wrong_with(field_, where, known);
  if (wrong.empty()) return std::nullopt;
  return JsonFault{std::move(wrong), field_at_};
}

NativeValues::Fault NativeValues::misplaced_field(std::string_view why) {
  std::string wrong = unknown_.misplaced(field_, why);
  if (wrong.empty()) return std::nullopt;
  return JsonFault{std::move(wrong), field_at_};
}

NativeValues::Fault NativeValues::integer(od::value value, std::int64_t& out) {
  if (!value.get_int64().get(out)) return std::nullopt;
  return fault_at(fmt::format("expected \"{}\" to be a 64-bit integer", field_), value);
}

NativeValues::Fault NativeValues::time(od::value value, std::int64_t& out) {
  const char* const at = value.raw_json_token().data();
  if (auto wrong = integer(value, out)) return wrong;
  if (out > kNoTime + 1) return std::nullopt;
  const bool of_database = field_ == "start_ts" || field_ == "commit_ts";
  Extremes& seen = extremes_[of_database ? 0 : field_ == "order" ? 1 : field_ == "sno" ? 3 : 2];
  (out == kNoTime ? seen.least : seen.next) = true;
  if (seen.least && seen.next) {
    return JsonFault{
        fmt::format("\"{}\": {} and {} in one history cannot be distinguished", field_, kNoTime, kNoTime + 1), at};
  }
  out = kNoTime + 1;
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
