// format/json_value.h: any JSON value -> ValueId, for every reader of a JSON form.
//
// Always: nesting is limited (kMaxValueDepth), numbers keep their exact value; an object becomes a row.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>

#include "history/value.h"

namespace isolde {

// What is wrong, in words, with where it stands in the parsed text (null: not known).
struct JsonFault {
  std::string text;
  const char* at = nullptr;
};

// One field of an object, with where its name stands (at the quote).
struct JsonField {
  std::string name;
  const char* at = nullptr;
  simdjson::ondemand::value value;
};
[[nodiscard]] simdjson::error_code take_field(simdjson::simdjson_result<simdjson::ondemand::field>& field,
                                              JsonField& out);

// The value, or what is wrong. Requires: `json` has not been read from yet.
[[nodiscard]] std::optional<JsonFault> json_value(simdjson::ondemand::value json, ValueInterner& values, ValueId& out,
                                                  int depth = 0);

}  // namespace isolde
