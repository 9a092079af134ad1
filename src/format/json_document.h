// format/json_document.h: one JSON document parsed on demand, with the place of every fault.
//
// In, out: text -> simdjson's document; a fault in it -> Error with line and column.
// Always:  faults that simdjson finds before it reads any value (bad UTF-8, an open string) have a place, too.
// Cost:    one copy of the text, because simdjson reads some bytes past its end.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json_value.h"
#include "format/text_lines.h"

namespace isolde {

class JsonDocument {
 public:
  // `first_line`: the number of the text's first line in the file that `file` names.
  JsonDocument(std::string file, std::uint64_t first_line) : file_(std::move(file)), first_line_(first_line) {}

  // Parses another text. Ensures: without an error, doc() is at its start.
  [[nodiscard]] std::optional<Error> start(std::string_view text, std::uint64_t first_line);
  // An error if anything follows the value that was read.
  [[nodiscard]] std::optional<Error> expect_end();

  [[nodiscard]] simdjson::ondemand::document& doc() { return doc_; }
  // Where the document stands, or its end.
  [[nodiscard]] const char* here();
  [[nodiscard]] JsonFault fault(std::string text) { return JsonFault{std::move(text), here()}; }
  // What is wrong when the document itself is not what was asked for: cut off, or followed by something, or neither,
  // and then `expected` says what it should be.
  [[nodiscard]] JsonFault root_fault(simdjson::error_code code, std::string expected);
  [[nodiscard]] JsonFault fault(simdjson::error_code code) { return fault(simdjson::error_message(code)); }
  [[nodiscard]] Error error(const JsonFault& fault) { return error_at(fault.text, fault.at ? fault.at : here()); }
  [[nodiscard]] Error error_at(std::string text, const char* at) const;
  [[nodiscard]] std::size_t offset_of(const char* at) const { return static_cast<std::size_t>(at - padded_.data()); }
  [[nodiscard]] const char* at_offset(std::size_t offset) const { return padded_.data() + offset; }

 private:
  std::string file_;
  std::uint64_t first_line_;
  std::string padded_;
  std::size_t size_ = 0;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document doc_;
};

// Where a value stands, for a fault in it. Asked before it is read: afterwards the document stands behind it.
[[nodiscard]] const char* place_of(simdjson::ondemand::value& value);
// What is wrong with a value if it turns out not to be what is expected. Made before every value that is read, so its
// text is built only when it becomes a fault.
struct PossibleFault {
  const char* text;
  const char* at;
  operator JsonFault() const { return JsonFault{text, at}; }  // NOLINT(google-explicit-constructor)
};
[[nodiscard]] PossibleFault fault_at(const char* text, simdjson::ondemand::value& value);
[[nodiscard]] JsonFault fault_at(std::string text, simdjson::ondemand::value& value);

// An integer, as a number or quoted; a fault names `what`.
[[nodiscard]] std::optional<JsonFault> json_integer(simdjson::ondemand::value value, const char* what,
                                                    WideInteger& out);
// An integer, or a string, which where it spells an integer is that integer; a fault names `what`.
[[nodiscard]] std::optional<JsonFault> json_integer_or_text(simdjson::ondemand::value value, const char* what,
                                                            ValueInterner& values, ValueId& out);

// Where a text that begins with an array or object ends inside it. `at` is the end of the text, or the start of a
// string that is never closed.
struct CutJson {
  std::size_t at = 0;
  bool in_string = false;
};
[[nodiscard]] std::optional<CutJson> cut_json(std::string_view text);

// A document that is cut off, closed after its last whole record: what follows is left out, and the brackets still open
// are closed. `record_depth`: how many brackets are open around a record. Nothing if the document is not cut off.
[[nodiscard]] std::optional<std::string> close_cut_json(std::string_view text, std::size_t record_depth);

}  // namespace isolde
