// format/jepsen_json.h: Jepsen operations written as JSON: one array of objects, or objects one after another (JSON
// Lines).
//
// In, out: bytes -> the same trees that EDN is read into, one an object; strings are kString, objects are kMap.
// Always:  each object is parsed by simdjson, so it is valid JSON; nesting is at most kMaxEdnDepth.
// Cost:    one scan for the end of each object and one parse of it.
#pragma once

#include <memory>
#include <string_view>

#include "format/jepsen_op.h"

namespace isolde {

[[nodiscard]] std::unique_ptr<JepsenOps> open_json_ops(std::string_view bytes);

}  // namespace isolde
