// audit/trace/mysql_log.cc: general_log of MySQL and MariaDB.
//
// An entry goes on over the lines that are no entries themselves. A string may hold lines that look like entries, and a
// statement may have a quote too many; both are told apart by looking on: in the first case the string ends, and the
// statement with it, before some entry; in the second it never does, or ends in the middle of a word.
#include <algorithm>

#include "audit/trace/mysql_line.h"
#include "audit/trace/session_numbers.h"
#include "audit/trace/sql_scan.h"
#include "audit/trace/trace_input.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kLongestLookAhead = std::size_t{1} << 20;
constexpr std::size_t kShortestLookAhead = std::size_t{1} << 12;

class MysqlLogReader {
 public:
  MysqlLogReader(TraceInput& input, TraceSink& sink)
      : input_(input), sink_(sink), lines_(input.text), sessions_(sink) {}

  void read() {
    while (lines_.next()) {
      if (is_start()) {
        finish_entry(lines_.begin(), /*is_cut=*/true);
        sessions_.end_all();
        (void)lines_.next();
        (void)lines_.next();
        continue;
      }
      const auto line = mysql_line(lines_.line());
      if (!line) {
        if (!in_entry_) outside();
        continue;
      }
      if (in_entry_ && has_sql() && is_in_quotes()) continue;
      finish_entry(lines_.begin(), /*is_cut=*/false);
      begin_entry(*line);
    }
    const bool whole = input_.text.ends_with('\n');
    finish_entry(input_.text.size(), !whole);
  }

 private:
  [[nodiscard]] bool is_start() const {
    return lines_.line().ends_with("started with:") && is_mysql_start(input_.text.substr(lines_.begin()));
  }

  void outside() {
    if (lines_.line().empty()) return;
    sink_.not_read(lines_.number(), lines_.line(), "no entry of a general_log begins before this line");
  }

  void begin_entry(const MysqlLine& line) {
    in_entry_ = true;
    entry_ = line;
    if (line.time_us != kNoTime) time_us_ = line.time_us;
    line_number_ = lines_.number();
    argument_ = scanned_ = lines_.begin() + line.argument;
    semicolon_ = kNowhere;
    scanner_.start();
  }

  [[nodiscard]] bool has_sql() const {
    return entry_.command == MysqlCommand::kStatement || entry_.command == MysqlCommand::kPrepare;
  }

  // Scans the entry up to `end`.
  void scan_to(std::size_t end) {
    const std::string_view text = input_.text.substr(0, end);
    while (scanned_ < end) {
      const std::size_t found = scanner_.find_end(text, scanned_);
      if (found < end && semicolon_ == kNowhere) semicolon_ = found;
      scanned_ = std::min(found + 1, end);
    }
  }

  // Whether the line, which looks like an entry, is inside a string or comment of the entry before it.
  [[nodiscard]] bool is_in_quotes() {
    if (lines_.begin() < literal_until_) return true;
    scan_to(lines_.begin());
    if (!scanner_.is_open()) return false;
    SqlScanner ahead = scanner_;
    Lines lines(input_.text.substr(lines_.begin()));
    const std::string_view text = input_.text;
    while (lines.next()) {
      const std::size_t begin = lines_.begin() + lines.begin();
      if (!ahead.is_open() && mysql_line(lines.line())) return found_literal(begin);
      if (lines.end() > look_ahead_) break;
      const std::size_t end = lines_.begin() + lines.end();
      for (std::size_t at = begin; at < end;) at = ahead.find_end(text.substr(0, end), at) + 1;
      if (ahead.is_odd()) break;
    }
    if (lines_.begin() + lines.end() == text.size() && !ahead.is_open() && !ahead.is_odd())
      return found_literal(text.size());
    look_ahead_ = std::max(look_ahead_ / 2, kShortestLookAhead);
    return false;
  }
  bool found_literal(std::size_t until) {
    literal_until_ = until;
    look_ahead_ = kLongestLookAhead;
    return true;
  }

  void finish_entry(std::size_t end, bool is_cut) {
    if (!in_entry_) return;
    in_entry_ = false;
    input_.done(argument_);
    switch (entry_.command) {
      case MysqlCommand::kStatement:
        statements(end, is_cut);
        break;
      case MysqlCommand::kNewSession:
      case MysqlCommand::kQuit:
        sessions_.end(entry_.thread);
        break;
      case MysqlCommand::kPrepare:
      case MysqlCommand::kOther:
        break;
    }
  }

  void statements(std::size_t end, bool is_cut) {
    scan_to(end);
    if (is_cut && scanner_.is_open()) {
      sink_.not_read(line_number_, input_.text.substr(argument_, end - argument_),
                     "the log ends in the middle of this statement");
      return;
    }
    if (semicolon_ == kNowhere) return emit(argument_, end);
    SqlScanner scanner(SqlDialect::kMysql);
    const std::string_view text = input_.text.substr(0, end);
    for (std::size_t at = argument_; at < end;) {
      scanner.start();
      const std::size_t stop = scanner.find_end(text, at);
      emit(at, stop);
      at = stop + 1;
    }
  }

  void emit(std::size_t begin, std::size_t end) {
    std::string_view sql = tagged(input_.text.substr(begin, end - begin), SqlDialect::kMysql);
    if (sql.starts_with('[')) {  // MySQL 5.0 puts the number of the prepared statement first: [3] SELECT …
      const std::size_t close = sql.find_first_not_of("0123456789", 1);
      if (close != std::string_view::npos && sql[close] == ']') sql = tagged(sql.substr(close + 1), SqlDialect::kMysql);
    }
    // The text that EXECUTE stands for has an entry of its own.
    if (sql.empty() || same_word(first_word(trimmed(sql, SqlDialect::kMysql)), "execute")) return;
    const auto before =
        input_.text.substr(argument_, static_cast<std::size_t>(sql.data() - input_.text.data()) - argument_);
    const auto lines_before = static_cast<std::uint64_t>(std::ranges::count(before, '\n'));
    sink_.statement({sessions_.of(entry_.thread), time_us_, line_number_ + lines_before, sql});
  }

  static constexpr std::size_t kNowhere = std::string_view::npos;

  TraceInput& input_;
  TraceSink& sink_;
  Lines lines_;
  SessionNumbers<std::uint64_t> sessions_;
  SqlScanner scanner_{SqlDialect::kMysql};
  bool in_entry_ = false;
  MysqlLine entry_{};
  std::uint64_t line_number_ = 0;
  std::int64_t time_us_ = kNoTime;
  std::size_t argument_ = 0;          // where the entry's text begins
  std::size_t scanned_ = 0;           // how far scanner_ went
  std::size_t semicolon_ = kNowhere;  // the first that ends a statement
  std::size_t literal_until_ = 0;     // entries before this place are text in quotes
  std::size_t look_ahead_ = kLongestLookAhead;
};

}  // namespace

void read_mysql_log(TraceInput& input, TraceSink& sink) { MysqlLogReader(input, sink).read(); }

bool looks_like_mysql_log(std::string_view text) {
  Lines lines(text);
  int found = 0;
  bool first_is_entry = false;
  while (lines.next() && lines.number() <= 400 && lines.begin() < (1U << 18)) {
    if (lines.line().ends_with("started with:") && is_mysql_start(text.substr(lines.begin()))) return true;
    if (!mysql_line(lines.line())) continue;
    if (found == 0) first_is_entry = lines.number() == 1;
    // A script may quote a line of a log, so one that is not at the beginning is not enough.
    if (first_is_entry || ++found >= 3) return true;
  }
  // Too short to tell: one or two entries after the rest of a statement.
  return found > 0 && !looks_like_sql_text(text);
}

}  // namespace isolde::audit
