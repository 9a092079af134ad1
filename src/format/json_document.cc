#include "format/json_document.h"

#include <fmt/format.h>

#include <algorithm>

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

std::string_view trimmed(std::string_view token) {
  const std::size_t end = token.find_last_not_of(" \t\r\n");
  return end == std::string_view::npos ? std::string_view{} : token.substr(0, end + 1);
}

std::optional<WideInteger> whole_integer(std::string_view text) {
  const auto number = take_integer(text);
  return text.empty() ? number : std::nullopt;
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

Error JsonDocument::error_at(std::string text, const char* at) const {
  const std::string_view before =
      std::string_view(padded_).substr(0, std::min(static_cast<std::size_t>(at - padded_.data()), size_));
  const auto lines = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return Error{std::move(text), file_, first_line_ + lines, before.size() - line_start + 1};
}

JsonFault fault_at(std::string text, od::value& value) {
  return JsonFault{std::move(text), value.raw_json_token().data()};
}

std::optional<JsonFault> json_integer(od::value value, const char* what, WideInteger& out) {
  const JsonFault wrong = fault_at(fmt::format("expected {}, an integer of 64 bits", what), value);
  od::json_type type{};
  if (value.type().get(type)) return wrong;
  std::optional<WideInteger> number;
  if (type == od::json_type::string) {
    std::string_view text;
    if (value.get_string().get(text)) return wrong;
    number = whole_integer(text);
  } else if (type == od::json_type::number) {
    number = whole_integer(trimmed(value.raw_json_token()));
    // Reading it as a number as well goes past it, and refuses what is no JSON number.
    od::number checked;
    if (const auto code = value.get_number().get(checked); code && code != simdjson::NUMBER_ERROR) return wrong;
  }
  if (!number) return wrong;
  out = *number;
  return std::nullopt;
}

std::optional<JsonFault> json_integer_or_text(od::value value, const char* what, ValueInterner& values, ValueId& out) {
  const JsonFault wrong = fault_at(fmt::format("expected {}, an integer of 64 bits or a string", what), value);
  od::json_type type{};
  if (value.type().get(type)) return wrong;
  if (type == od::json_type::string) {
    std::string_view text;
    if (value.get_string().get(text)) return wrong;
    const auto number = whole_integer(text);
    out = number ? number->value(values) : values.string(text);
    return std::nullopt;
  }
  if (type != od::json_type::number) return wrong;
  WideInteger number;
  if (json_integer(value, what, number)) return wrong;
  out = number.value(values);
  return std::nullopt;
}

std::optional<std::string> close_cut_json(std::string_view text, std::size_t record_depth) {
  std::string open;       // the brackets that would close what is open, innermost last
  std::size_t whole = 0;  // where the last whole record ends
  std::string open_at_whole;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    if (c == '"') {
      in_string = true;
      continue;
    }
    if (c == '[' || c == '{') {
      open += c == '[' ? ']' : '}';
    } else if (c == ']' || c == '}') {
      if (open.empty() || open.back() != c) return std::nullopt;
      open.pop_back();
    } else {
      continue;
    }
    if (open.size() <= record_depth) {
      whole = i + 1;
      open_at_whole = open;
    }
  }
  if (open.empty() && !in_string) return std::nullopt;
  if (whole == 0) return std::nullopt;
  std::string closed(text.substr(0, whole));
  closed.append(open_at_whole.rbegin(), open_at_whole.rend());
  return closed;
}

}  // namespace isolde
