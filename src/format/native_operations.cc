#include "format/native_operations.h"

#include <algorithm>

namespace isolde {
namespace {

constexpr std::string_view kOperationForm =
    "expected an operation: [\"r\",key,value], [\"w\",key,value], [\"append\",key,element], [\"inc\",key,number], "
    "[\"scan\",where,rows], [\"agg\",expression,where,value] or [\"update\",where,rows]";

constexpr std::string_view kDetailFields[] = {"at", "lock", "vset"};

}  // namespace

namespace od = simdjson::ondemand;

NativeValues::Fault NativeOperations::operations(od::value value) {
  od::array array;
  if (value.get_array().get(array)) return fault_at("expected \"ops\" to be a list of operations", value);
  for (auto element : array) {
    od::value operation_json;
    if (element.get(operation_json)) return fault(kOperationForm);
    if (auto wrong = operation(operation_json)) return wrong;
  }
  return std::nullopt;
}

NativeValues::Fault NativeOperations::operation(od::value value) {
  const char* const at = value.raw_json_token().data();
  od::array array;
  if (value.get_array().get(array)) return JsonFault{std::string(kOperationForm), at};
  Parts parts;
  bool has_details = false;
  for (auto element : array) {
    od::value part;
    if (element.get(part)) return fault(kOperationForm);
    if (has_details) return JsonFault{"expected nothing after the details of an operation", at};
    if (auto wrong = operation_part(part, parts, has_details)) return wrong;
  }
  const bool is_item = parts.name == "r" || parts.name == "w" || parts.name == "append" || parts.name == "inc";
  const int wanted = parts.name == "agg" ? 4 : 3;
  if (parts.count != wanted) return JsonFault{std::string(kOperationForm), at};
  if (parts.lock != Lock::kNone && parts.name != "r" && parts.name != "scan" && parts.name != "agg") {
    return JsonFault{"expected \"lock\" only on a read", at};
  }
  if (is_item && parts.vset) return JsonFault{"expected \"vset\" only on a predicate operation", at};
  if (parts.name == "r") builder_.read(parts.key, parts.value, parts.lock);
  if (parts.name == "w") builder_.write(parts.key, parts.value);
  if (parts.name == "append") builder_.append(parts.key, parts.value);
  if (parts.name == "inc") builder_.increment(parts.key, parts.value);
  if (parts.name == "scan") builder_.scan(parts.where, parts.rows, parts.lock);
  if (parts.name == "agg") builder_.aggregate(parts.expression, parts.where, parts.value, parts.lock);
  if (parts.name == "update") builder_.update(parts.where, parts.rows);
  if (parts.vset) builder_.vset(*parts.vset);
  for (const auto& [entry, name] : parts.vset_names) builder_.name_vset_key(entry, name);
  if (parts.before != kNoTime) builder_.at(parts.before, parts.after);
  return std::nullopt;
}

NativeValues::Fault NativeOperations::operation_part(od::value part, Parts& parts, bool& has_details) {
  const int place = parts.count++;
  if (place == 0) {
    std::string_view name;
    if (part.get_string().get(name)) return fault_at(kOperationForm, part);
    static constexpr std::string_view kNames[] = {"r", "w", "append", "inc", "scan", "agg", "update"};
    if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames))
      return fault_at(kOperationForm, part);
    parts.name = name;
    return std::nullopt;
  }
  const bool is_aggregate = parts.name == "agg";
  if (place == (is_aggregate ? 4 : 3)) {
    --parts.count;
    has_details = true;
    return details(part, parts);
  }
  if (parts.name == "scan" || parts.name == "update") {
    return place == 1 ? text(part, parts.where, "expected a predicate as SQL text") : rows(part, parts.rows);
  }
  if (is_aggregate) {
    if (place == 1) return text(part, parts.expression, "expected an aggregate such as \"max(c1)\"");
    if (place == 2) return text(part, parts.where, "expected a predicate as SQL text");
    return any(part, parts.value);
  }
  if (place == 1) return key(part, parts.key);
  if (parts.name == "inc") {
    std::int64_t number = 0;
    if (part.get_int64().get(number)) return fault_at("expected an integer to add", part);
    parts.value = builder_.values().integer(number);
    return std::nullopt;
  }
  return any(part, parts.value);
}

NativeValues::Fault NativeOperations::details(od::value value, Parts& parts) {
  od::object object;
  if (value.get_object().get(object)) {
    return fault_at("expected the details of an operation, e.g. {\"at\":[1,2]}", value);
  }
  for (auto field : object) {
    od::value inner;
    if (auto wrong = take_field(field, inner)) return wrong;
    if (field_ == "at") {
      std::int64_t times[2] = {kNoTime, kNoTime};
      int count = 0;
      od::array array;
      if (inner.get_array().get(array)) return fault_at("expected \"at\": [before, after]", inner);
      for (auto element : array) {
        od::value entry;
        if (count == 2 || element.get(entry)) return fault("expected \"at\": [before, after]");
        if (auto wrong = time(entry, times[count])) return wrong;
        ++count;
      }
      if (count != 2) return fault("expected \"at\": [before, after]");
      parts.before = times[0];
      parts.after = times[1];
    } else if (field_ == "lock") {
      std::string_view lock;
      if (inner.get_string().get(lock) || (lock != "update" && lock != "share")) {
        return fault_at("expected \"lock\" to be \"update\" or \"share\"", inner);
      }
      parts.lock = lock == "update" ? Lock::kUpdate : Lock::kShare;
    } else if (field_ == "vset") {
      parts.vset.emplace();
      parts.vset_names.clear();
      Fault wrong =
          each_by_key(inner, [&](std::optional<KeyId> id, std::string_view text_name, od::value row) -> Fault {
            if (!id) parts.vset_names.emplace_back(parts.vset->size(), text_name);
            ValueId row_id{};
            if (auto bad = any(row, row_id)) return bad;
            parts.vset->push_back({id.value_or(KeyId{0}), row_id});
            return std::nullopt;
          });
      if (wrong) return wrong;
    } else if (auto wrong = unknown_field("the details of an operation", kDetailFields)) {
      return wrong;
    }
  }
  return std::nullopt;
}

NativeValues::Fault NativeOperations::rows(od::value value, std::vector<Item>& out) {
  od::array array;
  if (value.get_array().get(array)) return fault_at("expected rows: [[key,row],…]", value);
  for (auto element : array) {
    od::array pair;
    if (element.get_array().get(pair)) return fault("expected rows: [[key,row],…]");
    Item item{};
    int place = 0;
    for (auto part : pair) {
      od::value inner;
      if (part.get(inner)) return fault("expected rows: [[key,row],…]");
      Fault wrong;
      if (place == 0) wrong = key(inner, item.key);
      if (place == 1) wrong = any(inner, item.value);
      if (wrong) return wrong;
      ++place;
    }
    if (place != 2) return fault("expected rows: [[key,row],…]");
    out.push_back(item);
  }
  return std::nullopt;
}

}  // namespace isolde
