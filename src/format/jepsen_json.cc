#include "format/jepsen_json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <string>

#include "base/text.h"

namespace isolde {
namespace {

namespace od = simdjson::ondemand;

class JsonOps : public JepsenOps {
 public:
  explicit JsonOps(std::string_view bytes) : bytes_(bytes) {}

  Got next(EdnTree& tree) override {
    tree.clear();
    if (ended_) return fault_.text.empty() ? Got::kEnd : Got::kFault;
    if (!begin_object()) return fault_.text.empty() ? Got::kEnd : Got::kFault;
    const std::uint64_t from = at_;
    if (!find_end()) return Got::kFault;
    if (!parse(from, tree)) {
      ended_ = true;
      return Got::kFault;
    }
    return Got::kForm;
  }
  [[nodiscard]] const EdnFault& fault() const override { return fault_; }
  [[nodiscard]] std::uint64_t offset() const override { return at_; }

 private:
  bool fail(std::uint64_t offset, std::string text, bool truncated = false) {
    fault_ = {std::move(text), offset, truncated};
    ended_ = true;
    return false;
  }
  // Goes to the next byte that is no space; '\0' at the end.
  char skip_space() {
    while (at_ < bytes_.size()) {
      const char c = bytes_[at_];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
      ++at_;
    }
    return '\0';
  }
  [[nodiscard]] std::string place_text(std::uint64_t offset) const {
    const TextPlace place = place_of(bytes_, offset);
    return fmt::format("{}:{}", place.line, place.column);
  }

  // Goes to the `{` of the next object. False: there is none, or a fault.
  bool begin_object() {
    if (at_ == 0 && bytes_.starts_with("\xef\xbb\xbf")) at_ = 3;
    char c = skip_space();
    if (!begun_) {
      begun_ = true;
      if (c == '[') {
        in_array_ = true;
        array_offset_ = at_++;
        c = skip_space();
        first_ = true;
      }
    }
    if (in_array_) {
      if (c == ']') {
        ++at_;
        skip_space();
        if (at_ < bytes_.size()) return fail(at_, "expected the end of the file after the array");
        ended_ = true;
        return false;
      }
      if (!first_ && at_ < bytes_.size()) {
        if (c != ',') return fail(at_, "expected `,` or `]` after the operation");
        ++at_;
        c = skip_space();
      }
      first_ = false;
      if (at_ == bytes_.size()) {
        return fail(at_, fmt::format("expected `]` for the `[` at {}, but the file ends", place_text(array_offset_)),
                    true);
      }
    }
    if (at_ == bytes_.size()) {
      ended_ = true;
      return false;
    }
    if (c != '{') return fail(at_, "expected an operation, an object with \"type\"");
    return true;
  }

  // Goes behind the end of the object at `at_`.
  bool find_end() {
    const std::uint64_t from = at_;
    std::uint64_t depth = 0;
    bool in_string = false;
    for (; at_ < bytes_.size(); ++at_) {
      const char c = bytes_[at_];
      if (in_string) {
        if (c == '\\') {
          ++at_;
        } else if (c == '"') {
          in_string = false;
        }
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        if (--depth == 0) {
          ++at_;
          return true;
        }
      }
    }
    at_ = bytes_.size();
    return fail(at_, fmt::format("expected `}}` for the `{{` at {}, but the file ends", place_text(from)), true);
  }

  bool parse(std::uint64_t from, EdnTree& tree) {
    const std::size_t length = at_ - from;
    start_ = bytes_.data() + from;
    base_ = from;
    // simdjson reads past the end; the last objects of a file have nothing behind them that may be read.
    if (bytes_.size() - at_ < simdjson::SIMDJSON_PADDING) {
      padded_.assign(start_, length);
      padded_.append(simdjson::SIMDJSON_PADDING, ' ');
      start_ = padded_.data();
    }
    od::document document;
    od::object object;
    if (const auto error = parser_.iterate(start_, length, length + simdjson::SIMDJSON_PADDING).get(document)) {
      return fail(base_, fmt::format("expected JSON: {}", simdjson::error_message(error)));
    }
    auto error = document.get_object().get(object);
    if (!error) error = read_object(object, tree, from, 1);
    if (!error) return true;
    if (!fault_.text.empty()) return false;
    const char* where = start_;
    if (document.current_location().get(where) || where < start_ || where > start_ + length) where = start_;
    return fail(base_ + static_cast<std::uint64_t>(where - start_),
                fmt::format("expected JSON: {}", simdjson::error_message(error)));
  }

  simdjson::error_code too_deep(std::uint64_t offset) {
    fail(offset, fmt::format("expected at most {} levels of nesting", kMaxEdnDepth));
    return simdjson::DEPTH_ERROR;
  }

  simdjson::error_code read_object(od::object object, EdnTree& tree, std::uint64_t offset, int depth) {
    if (depth > kMaxEdnDepth) return too_deep(offset);
    const std::uint32_t node = tree.open(EdnKind::kMap, offset);
    std::uint32_t children = 0;
    for (auto entry : object) {
      od::field field;
      if (const auto error = std::move(entry).get(field)) return error;
      std::string_view name;
      if (const auto error = field.unescaped_key().get(name)) return error;
      od::value value = field.value();
      const std::uint64_t at = offset_of(value);
      tree.add(EdnKind::kString, at, tree.keep(name));
      if (const auto error = read_value(value, tree, at, depth)) return error;
      children += 2;
    }
    tree.close(node, children);
    return simdjson::SUCCESS;
  }

  simdjson::error_code read_array(od::array array, EdnTree& tree, std::uint64_t offset, int depth) {
    if (depth > kMaxEdnDepth) return too_deep(offset);
    const std::uint32_t node = tree.open(EdnKind::kVector, offset);
    std::uint32_t children = 0;
    for (auto entry : array) {
      od::value value;
      if (const auto error = std::move(entry).get(value)) return error;
      if (const auto error = read_value(value, tree, offset_of(value), depth)) return error;
      ++children;
    }
    tree.close(node, children);
    return simdjson::SUCCESS;
  }

  // Requires: `value` was not read yet.
  std::uint64_t offset_of(od::value& value) {
    return base_ + static_cast<std::uint64_t>(value.raw_json_token().data() - start_);
  }

  // A word or number that is none of JSON's.
  simdjson::error_code bad_scalar(od::value& value, std::uint64_t at) {
    const std::string_view token = value.raw_json_token();
    fail(at, fmt::format("expected a JSON value, found `{}`",
                         token.substr(0, std::min<std::size_t>(token.find_first_of(" \t\r\n,]}"), 40))));
    return simdjson::INCORRECT_TYPE;
  }

  simdjson::error_code read_value(od::value& value, EdnTree& tree, std::uint64_t at, int depth) {
    od::json_type type{};
    if (value.type().get(type)) return bad_scalar(value, at);
    switch (type) {
      case od::json_type::object: {
        od::object object;
        if (const auto error = value.get_object().get(object)) return error;
        return read_object(object, tree, at, depth + 1);
      }
      case od::json_type::array: {
        od::array array;
        if (const auto error = value.get_array().get(array)) return error;
        return read_array(array, tree, at, depth + 1);
      }
      case od::json_type::string: {
        std::string_view text;
        if (const auto error = value.get_string().get(text)) return error;
        tree.add(EdnKind::kString, at, tree.keep(text));
        return simdjson::SUCCESS;
      }
      case od::json_type::boolean: {
        bool truth = false;
        if (value.get_bool().get(truth)) return bad_scalar(value, at);
        tree.add_integer(EdnKind::kBoolean, at, truth ? 1 : 0);
        return simdjson::SUCCESS;
      }
      case od::json_type::null: {
        bool is_null = false;
        if (value.is_null().get(is_null) || !is_null) return bad_scalar(value, at);
        tree.add(EdnKind::kNil, at, {});
        return simdjson::SUCCESS;
      }
      case od::json_type::number:
        return read_number(value, tree, at);
    }
    return simdjson::INCORRECT_TYPE;
  }

  simdjson::error_code read_number(od::value& value, EdnTree& tree, std::uint64_t at) {
    std::int64_t integer = 0;
    if (!value.get_int64().get(integer)) {
      tree.add_integer(EdnKind::kInteger, at, integer);
      return simdjson::SUCCESS;
    }
    // No 64-bit integer: kept by its digits.
    const std::string_view token = trimmed(value.raw_json_token());
    const std::size_t sign = token.starts_with('-') ? 1 : 0;
    const bool zeros =
        token.size() > sign + 1 && token[sign] == '0' && token[sign + 1] >= '0' && token[sign + 1] <= '9';
    const bool json = !zeros && token.find_first_not_of("+-0123456789.eE") == std::string_view::npos &&
                      token[0] != '+' && !token.ends_with('.') && token.find(".e") == std::string_view::npos &&
                      token.find(".E") == std::string_view::npos;
    if (!json || !add_number(tree, at, tree.keep(token))) return bad_scalar(value, at);
    return simdjson::SUCCESS;
  }

  std::string_view bytes_;
  std::uint64_t at_ = 0;
  bool begun_ = false, ended_ = false, in_array_ = false, first_ = false;
  std::uint64_t array_offset_ = 0;
  od::parser parser_;
  std::string padded_;
  const char* start_ = nullptr;
  std::uint64_t base_ = 0;
  EdnFault fault_;
};

}  // namespace

std::unique_ptr<JepsenOps> open_json_ops(std::string_view bytes) { return std::make_unique<JsonOps>(bytes); }

}  // namespace isolde
