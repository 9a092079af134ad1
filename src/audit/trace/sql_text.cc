// audit/trace/sql_text.cc: plain SQL: scripts, and what SQLite's .trace writes (each statement and a semicolon).
//
// A comment line `-- session N` says whose statements follow. Commands of the shells (.mode, \set, DELIMITER) are no
// SQL; of those only DELIMITER means something here. The rows after COPY … FROM stdin are passed over.
#include <algorithm>
#include <string>

#include "audit/trace/session_numbers.h"
#include "audit/trace/sql_scan.h"
#include "audit/trace/trace_input.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

class SqlTextReader {
 public:
  SqlTextReader(TraceInput& input, SqlDialect dialect, TraceSink& sink)
      : input_(input), text_(input.text), dialect_(dialect), sink_(sink), sessions_(sink) {}

  void read() {
    while (at_ < text_.size()) {
      if (is_blank(text_[at_]) || text_[at_] == ';') {
        go_to(at_ + 1);
      } else if (is_line_comment()) {
        comment_line();
      } else if (is_shell_command()) {
        sink_.not_read(line_, line_here(), "a command of a shell, no SQL");
        next_line();
      } else if (same_word(first_word(text_.substr(at_, 10)), "delimiter") && line_here().size() > 10) {
        const std::string_view wanted = trimmed_line(line_here().substr(10));
        delimiter_ = wanted.empty() ? ";" : wanted;
        next_line();
      } else {
        statement();
      }
      input_.done(at_);
    }
  }

 private:
  // Only forward.
  void go_to(std::size_t to) {
    to = std::min(to, text_.size());
    line_ += static_cast<std::uint64_t>(std::ranges::count(text_.substr(at_, to - at_), '\n'));
    at_ = to;
  }
  void next_line() {
    const std::size_t newline = text_.find('\n', at_);
    go_to(newline == std::string_view::npos ? text_.size() : newline + 1);
  }
  [[nodiscard]] std::string_view line_here() const {
    return text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
  }
  static std::string_view trimmed_line(std::string_view line) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    return line;
  }

  // Whether nothing but blanks stands before this place on its line.
  [[nodiscard]] bool begins_line() const {
    std::size_t at = at_;
    while (at > 0 && is_blank(text_[at - 1]) && text_[at - 1] != '\n') --at;
    return at == 0 || text_[at - 1] == '\n';
  }
  [[nodiscard]] bool is_line_comment() const {
    return text_.substr(at_, 2) == "--" || (text_[at_] == '#' && dialect_ == SqlDialect::kMysql);
  }
  void comment_line() {
    std::string_view words = trimmed_line(line_here());
    words.remove_prefix(std::min(words.find_first_not_of("-#"), words.size()));
    words = trimmed_line(words);
    if (begins_line() && same_word(first_word(words), "session")) {
      const std::string_view name = trimmed_line(words.substr(7));
      // `-- session 2`, and nothing else on the line: words in prose are no command.
      if (!name.empty() && std::ranges::none_of(name, is_blank)) session_ = name;
    }
    next_line();
  }

  [[nodiscard]] bool is_shell_command() const {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
    return text_[at_] == '\\' || (text_[at_] == '.' && begins_line() && is_word_char(next));
  }

  [[nodiscard]] std::size_t end_of_statement() {
    scanner_.start();
    if (delimiter_ == ";") return scanner_.find_end(text_, at_);
    std::size_t scanned = at_;
    for (std::size_t found = text_.find(delimiter_, at_); found != std::string_view::npos;
         found = text_.find(delimiter_, found + 1)) {
      while (scanned < found) scanned = std::min(scanner_.find_end(text_.substr(0, found), scanned) + 1, found);
      if (!scanner_.is_open()) return found;
    }
    return text_.size();
  }

  void statement() {
    const std::size_t end = end_of_statement();
    const std::string_view whole = text_.substr(at_, end - at_);
    const std::string_view sql = tagged(whole, dialect_);
    const bool is_cut = end == text_.size() && scanner_.is_open();
    if (is_cut) {
      sink_.not_read(line_, whole, "the text ends in the middle of this statement");
    } else if (!sql.empty()) {
      go_to(static_cast<std::size_t>(sql.data() - text_.data()));
      sink_.statement({sessions_.of(session_), kNoTime, line_, sql});
    }
    go_to(end + delimiter_.size());
    if (!is_cut && copies_rows(sql)) pass_over_rows();
  }

  [[nodiscard]] bool copies_rows(std::string_view sql) const {
    if (dialect_ != SqlDialect::kPostgres || !same_word(first_word(trimmed(sql, dialect_)), "copy")) return false;
    const std::string lower = lower_case(sql.substr(0, 4096));
    return lower.find("from stdin") != std::string::npos;
  }
  void pass_over_rows() {
    next_line();
    while (at_ < text_.size()) {
      const bool is_last = trimmed_line(line_here()) == "\\.";
      next_line();
      if (is_last) return;
    }
  }

  TraceInput& input_;
  std::string_view text_;
  SqlDialect dialect_;
  TraceSink& sink_;
  SessionNumbers<std::string_view> sessions_;
  SqlScanner scanner_{dialect_};
  std::string_view session_;
  std::string_view delimiter_ = ";";
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
};

constexpr std::string_view kFirstWords[] = {
    "abort",   "alter",    "analyze",   "attach",   "begin",     "call",   "commit",  "copy",    "create",
    "declare", "delete",   "delimiter", "do",       "drop",      "end",    "execute", "explain", "fetch",
    "grant",   "insert",   "load",      "lock",     "merge",     "pragma", "prepare", "reindex", "release",
    "rename",  "replace",  "revoke",    "rollback", "savepoint", "select", "set",     "show",    "start",
    "table",   "truncate", "update",    "use",      "vacuum",    "values", "with",    "xa"};

bool has_any(const std::string& text, std::initializer_list<const char*> words) {
  return std::ranges::any_of(words, [&](const char* word) { return text.find(word) != std::string::npos; });
}

}  // namespace

void read_sql_text(TraceInput& input, SqlDialect dialect, TraceSink& sink) {
  SqlTextReader(input, dialect, sink).read();
}

bool looks_like_sql_text(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' && !is_blank(c); };
  if (std::ranges::any_of(head, is_control)) return false;
  std::string_view rest = text.substr(0, std::size_t{1} << 18);
  while (true) {
    const bool only_comments = rest.starts_with("--") || rest.starts_with("/*");
    rest = trimmed(rest, SqlDialect::kPostgres);
    if (rest.empty()) return only_comments;
    const bool shell = rest.size() > 1 && (rest[0] == '\\' || rest[0] == '.') && is_word_char(rest[1]);
    const bool hash = rest.starts_with('#') || rest.starts_with("/*!");
    if (!shell && !hash) break;
    rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    if (rest.empty()) return shell || hash;
  }
  while (rest.starts_with('(')) rest.remove_prefix(1);
  const std::string_view word = first_word(rest);
  const std::string_view after = rest.substr(word.size());
  if (!after.empty() && !is_blank(after.front()) &&
      std::string_view(";(*/'\"`@").find(after.front()) == std::string_view::npos)
    return false;
  return std::ranges::any_of(kFirstWords, [&](std::string_view w) { return same_word(word, w); });
}

SqlDialect dialect_of_sql_text(std::string_view text) {
  const std::string lower = lower_case(text.substr(0, std::size_t{1} << 18));
  if (has_any(lower, {"auto_increment", "on duplicate key", "engine=", "autocommit", "/*!", "lock tables", "delimiter ",
                      "sql_calc_found_rows", "start transaction with consistent"}))
    return SqlDialect::kMysql;
  if (has_any(lower, {"pragma ", "autoincrement", "sqlite_", "begin immediate", "begin exclusive", "begin deferred",
                      "insert or ", "without rowid", "\n.trace"}))
    return SqlDialect::kSqlite;
  if (has_any(lower, {"::", "$$", " returning ", "serial", "nextval("})) return SqlDialect::kPostgres;
  return has_any(lower, {"`", "\\'"}) ? SqlDialect::kMysql : SqlDialect::kPostgres;
}

}  // namespace isolde::audit
