// report/page/parsed_json.h: what tests read out of JSON that was written.
#pragma once

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace isolde {

class Parsed {
 public:
  explicit Parsed(const std::string& text) : text_(text) {
    EXPECT_EQ(parser_.parse(text_).get(json), simdjson::SUCCESS) << text.substr(0, 400);
  }
  simdjson::dom::element json;

 private:
  simdjson::padded_string text_;
  simdjson::dom::parser parser_;
};

using JsonResult = simdjson::simdjson_result<simdjson::dom::element>;
inline std::string_view text(JsonResult element) { return element; }
inline std::uint64_t number(JsonResult element) { return element; }
inline std::size_t size(JsonResult element) { return element.get_array().size(); }

}  // namespace isolde
