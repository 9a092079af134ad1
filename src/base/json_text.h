// base/json_text.h: the one writer of JSON: strings, objects and lists put together piece by piece.
//
// Always:  strings are escaped, and invalid UTF-8 in them becomes U+FFFD. Nothing else is checked: what is passed as
// JSON
//          must be JSON.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace isolde {

// Appends `text` as a JSON string, quotes and escapes included.
void append_json_string(std::string_view text, std::string& out);
[[nodiscard]] std::string json_string(std::string_view text);

// Reports are read by people, too, and have a space after each comma and colon; the data of pages has none.
enum class JsonSpaces : bool { kNone, kAfterSigns };

class JsonObject {
 public:
  explicit JsonObject(JsonSpaces spaces = JsonSpaces::kAfterSigns) : spaces_(spaces) {}

  JsonObject& text(std::string_view name, std::string_view value) {
    begin(name);
    append_json_string(value, text_);
    return *this;
  }
  template <std::integral Number>
  JsonObject& number(std::string_view name, Number value) {
    begin(name);
    text_ += std::to_string(value);
    return *this;
  }
  JsonObject& decimal(std::string_view name, double value, int digits);
  // null if it is empty.
  JsonObject& text_or_null(std::string_view name, std::string_view value) {
    return value.empty() ? raw(name, "null") : text(name, value);
  }
  JsonObject& truth(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  // A value that is JSON already.
  JsonObject& raw(std::string_view name, std::string_view json) {
    begin(name);
    text_ += json;
    return *this;
  }
  [[nodiscard]] std::string done() const { return text_ + "}"; }
  [[nodiscard]] bool empty() const { return text_.size() == 1; }

 private:
  void begin(std::string_view name);

  JsonSpaces spaces_;
  std::string text_ = "{";
};

// `render` makes JSON of an element.
template <typename Range, typename Render>
[[nodiscard]] std::string json_list(const Range& range, Render&& render, JsonSpaces spaces = JsonSpaces::kAfterSigns) {
  std::string out = "[";
  for (const auto& element : range) {
    if (out.size() > 1) out += spaces == JsonSpaces::kAfterSigns ? ", " : ",";
    out += render(element);
  }
  return out + "]";
}
// Of elements that are JSON already.
template <typename Range>
[[nodiscard]] std::string json_list(const Range& range) {
  return json_list(range, [](std::string_view element) { return element; });
}

}  // namespace isolde
