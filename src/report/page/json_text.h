// report/page/json_text.h: JSON put together piece by piece, for the data of pages.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

#include "report/json.h"

namespace isolde {

// {"name":value,…}. Values of `raw` are JSON already.
class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value) { return raw(name, json_string(value)); }
  template <std::integral Number>
  JsonObject& number(std::string_view name, Number value) {
    return raw(name, fmt::format("{}", value));
  }
  JsonObject& truth(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  JsonObject& raw(std::string_view name, std::string_view json) {
    text_ += text_.size() > 1 ? ",\"" : "\"";
    text_ += name;
    text_ += "\":";
    text_ += json;
    return *this;
  }
  [[nodiscard]] std::string done() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

template <typename Range, typename Render>
std::string json_list(const Range& range, Render&& render) {
  std::string out = "[";
  for (const auto& element : range) {
    if (out.size() > 1) out += ',';
    out += render(element);
  }
  return out + "]";
}

}  // namespace isolde
