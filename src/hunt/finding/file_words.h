// hunt/finding/file_words.h: how the files of findings spell texts: as they are where that is safe, else in double
// quotes with escapes; long SQL over several lines.
//
// Always: what is written is read as the same bytes, whatever they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isolde::hunt {

// Any text on one line: as it is, or "…" with \n, \", \\ and \xNN if it would not be read as the same otherwise.
[[nodiscard]] std::string spelled(std::string_view text);
// In double quotes whatever it is.
[[nodiscard]] std::string escaped(std::string_view text);
// A name: as it is if it is made of letters, digits, _ and $.
[[nodiscard]] std::string spelled_name(std::string_view name);
// SQL as spelled(), but broken before clauses, and where it would pass column 120. `indent`: what each line but the
// first begins with; `used`: columns of the first line that are taken.
[[nodiscard]] std::string spelled_sql(std::string_view sql, std::size_t used, std::size_t indent);
// A cell of a row, which ends at a comma.
[[nodiscard]] std::string spelled_cell(std::string_view cell);
// One line of a text of several: nothing is quoted, but control characters and \ are escaped.
[[nodiscard]] std::string spelled_line(std::string_view line);

struct Piece {
  std::string text;
  bool quoted = false;
  std::size_t offset = 0;  // where it stood
};
// `problem` is the offset of what cannot be read.
struct Pieces {
  std::vector<Piece> pieces;
  std::optional<std::size_t> problem;
};

// What spelled() wrote. None: an escape that there is not, or no closing quote at its end.
[[nodiscard]] std::optional<std::string> unspelled(std::string_view text);
[[nodiscard]] std::optional<std::string> unspelled_line(std::string_view line);
// Cells, with commas between.
[[nodiscard]] Pieces cells_of(std::string_view row);
// Names and words with blanks between; comma, ( and ) are pieces of their own.
[[nodiscard]] Pieces words_of(std::string_view line);

}  // namespace isolde::hunt
