// audit/ddl/ddl_words.h: the words of a file of SQL, statement by statement, whatever dialect it is in.
//
// Always: names lose their quotes (`a`, "a", [a]); comments are left out, but the text in MySQL's /*! … */ counts; the
//         data of PostgreSQL's COPY … FROM stdin and psql's \commands are passed over. Of statements that say nothing
//         of tables (INSERT …) only the first words are kept.
// Cost:   one pass.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isolde::audit {

struct DdlWord {
  enum class Kind : std::uint8_t { kWord, kName, kString, kNumber, kSymbol };
  Kind kind;
  std::string text;    // kString: as it is written, with its quotes
  std::size_t offset;  // in the file
  bool spaced;         // something stood between it and the word before

  // A word without quotes, compared without regard to case. `word` is in lower case.
  [[nodiscard]] bool is(std::string_view word) const;
  [[nodiscard]] bool is_symbol(char c) const { return kind == Kind::kSymbol && text.size() == 1 && text[0] == c; }
};

class DdlWords {
 public:
  explicit DdlWords(std::string_view text);
  // The words of the next statement that has any, without its semicolon; false at the end.
  [[nodiscard]] bool next(std::vector<DdlWord>& words);
  // Whether the text looks as MySQL's or MariaDB's: \ in strings, # begins a comment.
  [[nodiscard]] bool mysql() const { return mysql_; }

 private:
  void skip_space();
  void skip_line();
  void skip_copied_rows();
  std::string quoted(char end, bool backslashes);
  DdlWord word();

  std::string_view text_;
  std::size_t at_ = 0;
  bool mysql_;
};

}  // namespace isolde::audit
