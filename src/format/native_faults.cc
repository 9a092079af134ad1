// format/native_faults.cc: a line of native JSON that marks a fault: {"fault": "restart", "at": [100, 250]}.

#include "format/native_line.h"

namespace isolde {

namespace od = simdjson::ondemand;

NativeValues::Fault NativeLine::mark_field(od::value value) {
  if (field_ == "at") {
    mark_.misplaced = field_;
    mark_.misplaced_at = field_at_;
    return mark_time(value);
  }
  std::string text;
  if (field_ == "fault") {
    if (auto wrong = NativeValues::text(value, text, "expected \"fault\" to be the name of what was done, as text"))
      return wrong;
    mark_.name = builder_.values().string(text);
    return std::nullopt;
  }
  mark_.misplaced = field_;
  mark_.misplaced_at = field_at_;
  bool null = false;
  if (!value.is_null().get(null) && null) return std::nullopt;
  if (auto wrong = NativeValues::text(value, text, "expected \"detail\" to be text")) return wrong;
  mark_.detail = builder_.values().string(text);
  return std::nullopt;
}

// 100, [100, 250], or [100, null] if nobody knows when it ended.
NativeValues::Fault NativeLine::mark_time(od::value value) {
  const Fault wrong = fault_at("expected \"at\": TIME or [FROM, TO]", value);
  od::json_type type{};
  if (value.type().get(type)) return wrong;
  if (type != od::json_type::array) return NativeValues::time(value, mark_.begin);
  od::array array;
  if (value.get_array().get(array)) return wrong;
  int count = 0;
  for (auto element : array) {
    od::value entry;
    if (element.get(entry) || ++count > 2) return wrong;
    bool null = false;
    if (count == 2 && !entry.is_null().get(null) && null) continue;
    if (auto bad = NativeValues::time(entry, count == 1 ? mark_.begin : mark_.end)) return bad;
  }
  if (count != 2) return wrong;
  if (mark_.end != kNoTime && mark_.end < mark_.begin) return JsonFault{"expected FROM <= TO in \"at\"", wrong->at};
  return std::nullopt;
}

// Adds it, once all fields of the line were read.
NativeValues::Fault NativeLine::finish_mark() {
  if (!mark_.name) {
    if (mark_.misplaced.empty()) return std::nullopt;
    field_ = mark_.misplaced;
    field_at_ = mark_.misplaced_at;
    return misplaced_field("it belongs to a fault: {\"fault\": \"restart\", \"at\": [100, 250]}");
  }
  if (mark_.begin == kNoTime) return fault("expected a fault with \"at\"");
  builder_.fault(mark_.begin, mark_.end, *mark_.name, mark_.detail);
  return std::nullopt;
}

}  // namespace isolde
