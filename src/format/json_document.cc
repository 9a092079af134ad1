#include "format/json_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace isolde {
namespace {

namespace od = simdjson::ondemand;

// The first byte of the first line that is not valid UTF-8.
const char* bad_utf8(std::string_view text) {
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t size = std::min(text.find('\n', from), text.size()) - from;
    if (!simdjson::validate_utf8(text.data() + from, size)) return text.data() + from;
    from += size + 1;
  }
  return text.data();
}

// The brackets of a text outside its strings, one after the other.
class Brackets {
 public:
  explicit Brackets(std::string_view text) : text_(text) {}

  // Goes past the next bracket; false at the end of the text or where a bracket closes none.
  bool next() {
    bool in_string = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (in_string) {
        if (c == '\\') ++at_;
        in_string = c != '"';
        if (!in_string) string_ = std::string_view::npos;
      } else if (c == '"') {
        in_string = true;
        string_ = at_;
      } else if (c == '[' || c == '{') {
        open_ += c == '[' ? ']' : '}';
        ++at_;
        return true;
      } else if (c == ']' || c == '}') {
        mismatch_ = open_.empty() || open_.back() != c;
        if (mismatch_) return false;
        open_.pop_back();
        ++at_;
        return true;
      }
    }
    return false;
  }
  // What would close the brackets that are open, innermost last.
  [[nodiscard]] const std::string& open() const { return open_; }
  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] bool mismatch() const { return mismatch_; }
  // Where the string begins that the text ends in, or npos.
  [[nodiscard]] std::size_t open_string() const { return string_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t string_ = std::string_view::npos;
  std::string open_;
  bool mismatch_ = false;
};

// Where the first array or object of the text ends, or npos.
std::size_t end_of_value(std::string_view text) {
  Brackets brackets(text);
  while (brackets.next()) {
    if (brackets.open().empty()) return brackets.offset();
  }
  return std::string_view::npos;
}

std::optional<WideInteger> whole_integer(std::string_view text) {
  const auto number = take_integer(text);
  return text.empty() ? number : std::nullopt;
}

// The integer, as a number or quoted; nothing if it is none of 64 bits.
std::optional<WideInteger> integer_of(od::value value) {
  od::json_type type{};
  if (value.type().get(type)) return std::nullopt;
  if (type == od::json_type::string) {
    std::string_view text;
    if (value.get_string().get(text)) return std::nullopt;
    return whole_integer(text);
  }
  if (type != od::json_type::number) return std::nullopt;
  const auto number = whole_integer(trimmed(value.raw_json_token()));
  // Reading it as a number as well goes past it, and refuses what is no JSON number.
  od::number checked;
  if (const auto code = value.get_number().get(checked); code && code != simdjson::NUMBER_ERROR) return std::nullopt;
  return number;
}

}  // namespace

std::optional<Error> JsonDocument::start(std::string_view text, std::uint64_t first_line) {
  first_line_ = first_line;
  padded_.assign(text);
  padded_.append(simdjson::SIMDJSON_PADDING, ' ');
  size_ = text.size();
  const auto code = parser_.iterate(padded_.data(), size_, padded_.size()).get(doc_);
  if (!code) return std::nullopt;
  const char* const at = code == simdjson::UTF8_ERROR        ? bad_utf8({padded_.data(), size_})
                         : code == simdjson::UNCLOSED_STRING ? padded_.data() + size_
                                                             : padded_.data();
  return error_at(fmt::format("expected JSON: {}", simdjson::error_message(code)), at);
}

std::optional<Error> JsonDocument::expect_end() {
  const char* const at = here();
  if (at >= padded_.data() + size_) return std::nullopt;
  return error_at("expected the end after the JSON value", at);
}

const char* JsonDocument::here() {
  const char* at = nullptr;
  if (doc_.current_location().get(at)) at = padded_.data() + size_;
  return at;
}

JsonFault JsonDocument::root_fault(simdjson::error_code code, std::string expected) {
  if (code == simdjson::INCORRECT_TYPE) {
    const std::size_t start = padded_.find_first_not_of(" \t\r\n");
    return JsonFault{std::move(expected), padded_.data() + std::min(start, size_)};
  }
  if (code != simdjson::INCOMPLETE_ARRAY_OR_OBJECT) return fault(code);
  const std::string_view text(padded_.data(), size_);
  std::size_t end = end_of_value(text);
  if (end == std::string_view::npos) {
    return JsonFault{"expected more: the text ends inside a JSON value", padded_.data() + size_};
  }
  end = std::min(text.find_first_not_of(" \t\r\n", end), size_);
  return JsonFault{"expected the end after the JSON value", padded_.data() + end};
}

Error JsonDocument::error_at(std::string text, const char* at) const {
  const std::string_view before =
      std::string_view(padded_).substr(0, std::min(static_cast<std::size_t>(at - padded_.data()), size_));
  const auto lines = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return Error{std::move(text), file_, first_line_ + lines, before.size() - line_start + 1};
}

const char* place_of(od::value& value) { return value.raw_json_token().data(); }

PossibleFault fault_at(const char* text, od::value& value) { return {text, place_of(value)}; }

JsonFault fault_at(std::string text, od::value& value) { return JsonFault{std::move(text), place_of(value)}; }

std::optional<JsonFault> json_integer(od::value value, const char* what, WideInteger& out) {
  const char* const at = place_of(value);
  if (const auto number = integer_of(value)) {
    out = *number;
    return std::nullopt;
  }
  return JsonFault{fmt::format("expected {}, a 64-bit integer", what), at};
}

std::optional<JsonFault> json_integer_or_text(od::value value, const char* what, ValueInterner& values, ValueId& out) {
  const char* const at = place_of(value);
  od::json_type type{};
  std::string_view text;
  if (!value.type().get(type) && type == od::json_type::string && !value.get_string().get(text)) {
    const auto number = whole_integer(text);
    out = number ? number->value(values) : values.string(text);
    return std::nullopt;
  }
  if (type == od::json_type::number) {
    if (const auto number = integer_of(value)) {
      out = number->value(values);
      return std::nullopt;
    }
  }
  return JsonFault{fmt::format("expected {}, a 64-bit integer or a string", what), at};
}

std::optional<CutJson> cut_json(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || (text[start] != '{' && text[start] != '[')) return std::nullopt;
  Brackets brackets(text);
  while (brackets.next()) {
    if (brackets.open().empty()) return std::nullopt;
  }
  if (brackets.mismatch()) return std::nullopt;
  const bool in_string = brackets.open_string() != std::string_view::npos;
  return CutJson{in_string ? brackets.open_string() : text.size(), in_string};
}

std::optional<std::string> close_cut_json(std::string_view text, std::size_t record_depth) {
  std::size_t whole = 0;  // where the last whole record ends
  std::string open_at_whole;
  Brackets brackets(text);
  while (brackets.next()) {
    if (brackets.open().size() > record_depth) continue;
    whole = brackets.offset();
    open_at_whole = brackets.open();
    if (open_at_whole.empty()) return std::nullopt;
  }
  if (brackets.mismatch() || whole == 0) return std::nullopt;
  std::string closed(text.substr(0, whole));
  closed.append(open_at_whole.rbegin(), open_at_whole.rend());
  return closed;
}

}  // namespace isolde
