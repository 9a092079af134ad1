// probe/words.h: what scenario files, conditions and files of findings share: lines, steps' names, literals,
// characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "db/connection.h"

namespace isolde::probe {

inline constexpr std::size_t kMostTransactions = 16;

[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
[[nodiscard]] constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

struct Line {
  std::string_view text;  // without its indent and its end
  std::uint64_t number = 0, column = 1;

  [[nodiscard]] bool indented() const { return column > 1; }
};
// Those that say something: neither blank nor a comment (#).
[[nodiscard]] std::vector<Line> lines_of(std::string_view text);

// T1, or T1.2: its second statement.
struct StepName {
  std::size_t transaction = 0;  // from 0
  std::size_t number = 0;       // from 1; 0: the transaction
};
[[nodiscard]] std::optional<StepName> step_name(std::string_view word);

// How long the text in quotes at the start of `text` is, a quote within it written twice; 0: it does not end.
[[nodiscard]] std::size_t quoted_size(std::string_view text);
// 10, -1.5, 'text', null.
[[nodiscard]] std::optional<db::Cell> cell_named(std::string_view word);

}  // namespace isolde::probe
