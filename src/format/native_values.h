// format/native_values.h: the values, names and keys inside a line of native JSON, and faults with their place.
//
// In, out: a piece of JSON -> what it stands for, in the builder's ids, or what was expected there.
// Always:  a fault points into the text that was parsed, or nowhere; then the place where the parser stands counts.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "format/json_value.h"
#include "format/unknown_fields.h"
#include "history/history_builder.h"

namespace isolde {

class NativeValues {
 public:
  using Fault = std::optional<JsonFault>;

 protected:
  using Json = simdjson::ondemand::value;

  NativeValues(HistoryBuilder& builder, UnknownFields::Stance stance) : builder_(builder), unknown_(stance) {}

  [[nodiscard]] Fault fault(std::string_view text);
  [[nodiscard]] static Fault fault_at(std::string_view text, Json value);

  // The next field of an object: its name in field_, where the name stands in field_at_, and its value.
  [[nodiscard]] Fault take_field(simdjson::simdjson_result<simdjson::ondemand::field>& field, Json& value);
  // What is wrong with field_, which is none of `known`: nothing if it may be ignored.
  [[nodiscard]] Fault unknown_field(std::string_view where, std::span<const std::string_view> known);
  [[nodiscard]] Fault misplaced_field(std::string_view why);

  // Calls `f(key or nothing, name, value)` for `{"x":…}` and for `[["x",…],[7,…]]`.
  template <typename F>
  Fault each_by_key(Json value, F&& f) {
    simdjson::ondemand::json_type type{};
    if (value.type().get(type)) return fault("expected a value");
    if (type == simdjson::ondemand::json_type::object) {
      simdjson::ondemand::object object;
      if (value.get_object().get(object)) return fault("expected an object by key");
      for (auto field : object) {
        std::string_view name;
        Json inner;
        if (field.unescaped_key().get(name) || field.value().get(inner)) return fault("expected \"key\": value");
        if (auto wrong = f(std::optional<KeyId>{}, name, inner)) return wrong;
      }
      return std::nullopt;
    }
    simdjson::ondemand::array array;
    if (value.get_array().get(array)) return fault_at("expected {key: value} or pairs [[key, value], …]", value);
    for (auto element : array) {
      Json entry;
      if (element.get(entry)) return fault("expected a pair [key, value]");
      const Fault no_pair = fault_at("expected a pair [key, value]", entry);
      simdjson::ondemand::array pair;
      if (entry.get_array().get(pair)) return no_pair;
      std::optional<KeyId> id;
      int place = 0;
      for (auto part : pair) {
        Json inner;
        if (part.get(inner)) return fault("expected a pair [key, value]");
        if (place == 0) {
          KeyId found{};
          if (auto wrong = key(inner, found)) return wrong;
          id = found;
        } else if (place == 1) {
          if (auto wrong = f(id, std::string_view{}, inner)) return wrong;
        }
        ++place;
      }
      if (place != 2) return no_pair;
    }
    return std::nullopt;
  }

  Fault integer(Json value, std::int64_t& out);
  // A time or a place in an order. The least integer stands for "not known" in the model, so that it is read as the
  // next one; a history that has both, so that the two would be mixed up, is refused.
  Fault time(Json value, std::int64_t& out);
  Fault text(Json value, std::string& out, std::string_view expected);
  Fault key(Json value, KeyId& out);
  Fault name_value(Json value, ValueId& out, std::string_view expected);
  Fault any(Json value, ValueId& out);

  HistoryBuilder& builder_;
  simdjson::ondemand::document* doc_ = nullptr;  // the line
  std::string field_;                            // that is being read
  const char* field_at_ = nullptr;               // where its name stands
  UnknownFields unknown_;

 private:
  struct Extremes {
    bool least = false, next = false;
  };
  Extremes extremes_[3];  // of the database's timestamps, of places, of the client's clock
};

}  // namespace isolde
