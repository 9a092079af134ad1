// report/page/json_text.h: JSON for the data of pages: as base/json_text.h, without spaces.
#pragma once

#include <functional>
#include <string>

#include "base/json_text.h"

namespace isolde {

class PageObject : public JsonObject {
 public:
  PageObject() : JsonObject(JsonSpaces::kNone) {}
};

template <typename Range, typename Render = std::identity>
[[nodiscard]] std::string page_list(const Range& range, Render&& render = {}) {
  return json_list(range, std::forward<Render>(render), JsonSpaces::kNone);
}

}  // namespace isolde
