// format/text_lines.h: the lines of a text file, each read token by token, with the place for errors.
//
// In, out: a file -> its lines that are not blank; within a line: characters, integers, words.
// Always:  an integer is any of 64 bits, signed or unsigned; '\r' before '\n' is no part of the line.
// Cost:    one pass, nothing is copied.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/format.h"
#include "history/value.h"

namespace isolde {

// An integer between -2^63 and 2^64-1.
struct WideInteger {
  std::uint64_t magnitude = 0;
  bool negative = false;

  [[nodiscard]] ValueId value(ValueInterner& values) const {
    if (negative) return values.integer(static_cast<std::int64_t>(~magnitude + 1));
    return values.unsigned_integer(magnitude);
  }
  // The integer as 64 bits, signs told apart only together with `negative`.
  [[nodiscard]] std::uint64_t bits() const { return negative ? ~magnitude + 1 : magnitude; }
};

// The integer at the start of `text`, which is shortened by it; nothing if there is none or it needs more than 64 bits.
[[nodiscard]] std::optional<WideInteger> take_integer(std::string_view& text);

class TextLines {
 public:
  explicit TextLines(const SourceFile& file) : file_(file), rest_(file.bytes) {}

  // Goes to the next line that is not blank; false at the end of the file.
  bool next();
  // Whether this line is the last and has no newline, so that it may be cut off.
  [[nodiscard]] bool may_be_cut() const { return !has_newline_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }

  [[nodiscard]] std::string_view line() const { return line_; }
  // What is left of the line.
  [[nodiscard]] std::string_view left() const { return left_; }
  void skip_blanks();
  // Skips blanks; whether the line ends here.
  bool at_end();
  // Skips blanks and takes `c` if it stands here.
  bool take(char c);
  // Skips blanks and takes an integer if one stands here; otherwise nothing is taken.
  std::optional<WideInteger> integer();
  // Skips blanks and takes characters up to the next blank.
  std::string_view word();

  // The column of this place, from 1.
  [[nodiscard]] std::size_t column() const { return line_.size() - left_.size() + 1; }
  // An error at this place, at a column or the start of the line.
  [[nodiscard]] Error error(std::string text) const;
  [[nodiscard]] Error error_at(std::string text, std::size_t column) const {
    return Error{std::move(text), file_.name, number_, column};
  }
  [[nodiscard]] Error error_at_start(std::string text) const { return Error{std::move(text), file_.name, number_, 1}; }

 private:
  const SourceFile& file_;
  std::string_view rest_;
  std::string_view line_;
  std::string_view left_;
  std::uint64_t number_ = 0;
  bool has_newline_ = false;
};

// The note for a last line that was dropped.
[[nodiscard]] std::string dropped_line_note(const TextLines& lines);

// The first line that is not blank, without blanks at its start.
[[nodiscard]] std::string_view first_line_of(std::string_view text);

}  // namespace isolde
