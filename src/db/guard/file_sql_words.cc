// db/guard/file_sql_words.cc: file_sql.h for MariaDB and SQLite, whose statements are taken apart into words.
//
// No grammar is needed, because what is allowed is narrow: the statement begins with words that are listed; where a
// table stands, its name has no database before it; whatever looks like a call is of a function that only computes; and
// some words stand nowhere.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "base/ascii.h"
#include "db/guard/file_sql.h"
#include "db/guard/file_sql_dialects.h"

namespace isolde::db {
namespace {

constexpr std::size_t kLongestStatement = std::size_t{1} << 20;

struct SqlWord {
  enum class Kind : std::uint8_t { kWord, kName, kText, kNumber, kSymbol };
  Kind kind;
  std::string text;  // a word in lower case, a quoted name without its quotes, a symbol

  [[nodiscard]] bool is(std::string_view word) const { return kind == Kind::kWord && text == word; }
  [[nodiscard]] bool is_symbol(char symbol) const { return kind == Kind::kSymbol && text[0] == symbol; }
  [[nodiscard]] bool is_name() const { return kind == Kind::kWord || kind == Kind::kName; }
};

struct SqlWords {
  std::vector<SqlWord> words;
  std::string fault;  // why it cannot be taken apart
};

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }
bool continues_name(char c) { return starts_name(c) || is_digit(c) || c == '$'; }

// MariaDB reads a backslash in a text as an escape (unless its mode says otherwise); SQLite does not. So a text with a
// backslash is refused: the two readings end at different places.
class SqlScanner {
 public:
  explicit SqlScanner(std::string_view sql) : sql_(sql) {}

  SqlWords scan() {
    while (at_ < sql_.size() && out_.fault.empty()) next();
    return std::move(out_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const { return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0'; }
  void add(SqlWord::Kind kind, std::string text) { out_.words.push_back({kind, std::move(text)}); }

  void next() {
    const char c = peek();
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if ((c == '-' && peek(1) == '-') || c == '#' || (c == '/' && peek(1) == '*')) {
      out_.fault = "it has a comment, which servers read differently";
    } else if (c == '\'' || c == '"' || c == '`' || c == '[') {
      quoted(c == '[' ? ']' : c);
    } else if (starts_name(c)) {
      const std::size_t from = at_;
      while (at_ < sql_.size() && continues_name(sql_[at_])) ++at_;
      add(SqlWord::Kind::kWord, lower_case(sql_.substr(from, at_ - from)));
    } else if (is_digit(c)) {
      number();
    } else {
      add(SqlWord::Kind::kSymbol, std::string(1, c));
      ++at_;
    }
  }

  // Servers disagree on where a number ends that runs into a word: MariaDB reads 1.from as two.
  void number() {
    const std::size_t from = at_;
    const auto digits = [&] {
      while (is_digit(peek())) ++at_;
    };
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
      at_ += 2;
      while (std::isxdigit(static_cast<unsigned char>(peek())) != 0) ++at_;
    } else {
      digits();
      if (peek() == '.') {
        ++at_;
        digits();
      }
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
        at_ += 1 + sign;
        digits();
      }
    }
    if (continues_name(peek()) || peek() == '.') out_.fault = "a number in it runs into a word";
    add(SqlWord::Kind::kNumber, std::string(sql_.substr(from, at_ - from)));
  }

  void quoted(char end) {
    const char begin = peek();
    std::string text;
    for (++at_; at_ < sql_.size(); ++at_) {
      if (sql_[at_] == '\\') {
        out_.fault = "it has a backslash in quotes, which servers read differently";
        return;
      }
      if (sql_[at_] != end) {
        text += sql_[at_];
      } else if (peek(1) == end && end != ']') {
        text += end;
        ++at_;
      } else {
        ++at_;
        add(begin == '\'' ? SqlWord::Kind::kText : SqlWord::Kind::kName, std::move(text));
        return;
      }
    }
    out_.fault = "a quote in it has no end";
  }

  std::string_view sql_;
  std::size_t at_ = 0;
  SqlWords out_;
};

template <std::size_t kSize>
bool one_of(std::string_view word, const std::array<std::string_view, kSize>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class WordGuard {
 public:
  WordGuard(std::span<const SqlWord> words, bool is_sqlite, const OwnTables& own)
      : words_(words), is_sqlite_(is_sqlite), own_(own) {}

  std::string why() {
    if (words_.empty()) return "there is no statement";
    if (std::string why = why_beginning(); !why.empty()) return why;
    collect_common_tables();
    for (at_ = 0; at_ < words_.size(); ++at_) {
      if (std::string why = why_word(); !why.empty()) return why;
    }
    return {};
  }

 private:
  [[nodiscard]] const SqlWord& word(std::size_t at) const {
    static const SqlWord kEnd{SqlWord::Kind::kSymbol, ";"};
    return at < words_.size() ? words_[at] : kEnd;
  }

  // What the statement is. Sets what is special about it.
  std::string why_beginning() {
    static constexpr std::array<std::string_view, 15> kAlone = {
        "select", "insert",   "update",    "delete",  "replace",  "with",   "begin", "commit",
        "end",    "rollback", "savepoint", "release", "truncate", "values", "unlock"};
    const SqlWord& first = word(0);
    if (first.kind != SqlWord::Kind::kWord && !first.is_symbol('(')) return "it does not begin with a word";
    if (first.is_symbol('(') || one_of(first.text, kAlone)) return {};
    if (first.is("start")) return word(1).is("transaction") ? "" : not_listed(2);
    if (first.is("lock")) return word(1).is("tables") || word(1).is("table") ? "" : not_listed(2);
    if (first.is("alter")) return word(1).is("table") ? why_alter() : not_listed(2);
    if (first.is("drop")) {
      const std::size_t what = word(1).is("temporary") ? 2 : 1;
      // SQLite's indexes are named without their tables: it could be anybody's.
      const bool index = word(what).is("index") && !is_sqlite_;
      return word(what).is("table") || word(what).is("view") || index ? "" : not_listed(2);
    }
    if (first.is("create")) return why_create();
    if (first.is("set") && !is_sqlite_) return why_set();
    if (first.is("pragma") && is_sqlite_) return why_pragma();
    return not_listed(1);
  }

  [[nodiscard]] std::string not_listed(std::size_t count) const {
    std::string text = word(0).text;
    if (count > 1 && word(1).kind == SqlWord::Kind::kWord) text += " " + word(1).text;
    return fmt::format("\"{}\" is not among the statements that a file may contain", text);
  }

  std::string why_create() {
    std::size_t at = 1;
    if (word(at).is("or") && word(at + 1).is("replace")) at += 2;
    while (word(at).is("temporary") || word(at).is("temp") || word(at).is("unique")) ++at;
    makes_index_ = word(at).is("index");
    makes_table_ = word(at).is("table");
    return makes_table_ || makes_index_ || word(at).is("view") ? "" : not_listed(2);
  }

  [[nodiscard]] std::string why_alter() const {
    static constexpr std::array<std::string_view, 4> kChanges = {"add", "drop", "alter", "modify"};
    return one_of(word(3).text, kChanges) ? "" : "it alters a table in a way that is not listed";
  }

  // One variable of the session, or the transaction's level.
  [[nodiscard]] std::string why_set() const {
    static constexpr std::array<std::string_view, 12> kVariables = {"autocommit",
                                                                    "foreign_key_checks",
                                                                    "innodb_lock_wait_timeout",
                                                                    "innodb_snapshot_isolation",
                                                                    "lock_wait_timeout",
                                                                    "max_execution_time",
                                                                    "max_statement_time",
                                                                    "optimizer_switch",
                                                                    "transaction_isolation",
                                                                    "transaction_read_only",
                                                                    "tx_isolation",
                                                                    "unique_checks"};
    std::size_t at = 1;
    if (word(at).is("session") || word(at).is("local")) ++at;
    if (word(at).is("transaction")) return {};
    if (!one_of(word(at).text, kVariables)) return fmt::format("it sets {}", word(at).text);
    const bool more = std::any_of(words_.begin(), words_.end(), [](const SqlWord& w) { return w.is_symbol(','); });
    return more ? "it sets several variables at once" : "";
  }

  [[nodiscard]] std::string why_pragma() const {
    static constexpr std::array<std::string_view, 6> kPragmas = {"busy_timeout",       "case_sensitive_like",
                                                                 "defer_foreign_keys", "foreign_keys",
                                                                 "read_uncommitted",   "recursive_triggers"};
    return one_of(word(1).text, kPragmas) ? "" : fmt::format("it is the pragma {}", word(1).text);
  }

  std::string why_word() {
    const SqlWord& w = word(at_);
    if (w.is_symbol(';')) return at_ + 1 == words_.size() ? "" : "it is more than one statement";
    if (w.is_symbol('(')) return open(), "";
    if (w.is_symbol(')')) return close(), "";
    if (w.is_symbol('@')) return "it uses a variable";
    if (w.is_symbol(',')) {
      expects_table_ = from_.back();
      return {};
    }
    // SQLite takes a text for a name where a name has to be.
    const bool value = w.kind == SqlWord::Kind::kText || w.kind == SqlWord::Kind::kNumber;
    if (value && expects_table_) return fmt::format("{} stands where a table is named", w.text);
    if (!w.is_name()) return {};
    if (w.kind == SqlWord::Kind::kWord) {
      if (std::string why = why_keyword(w.text); !why.empty()) return why;
      if (w.is("value") && word(at_ + 1).is("for")) return "it uses a sequence";
      if (takes_table_next(w.text)) {
        if (w.text != "exists") {  // IF EXISTS stands between
          from_.back() = lists_tables(w.text);
          target_ = is_target(w.text);
        }
        expects_table_ = true;
        return {};
      }
      if (ends_tables(w.text)) {
        from_.back() = false;
        expects_table_ = false;
      }
    }
    return why_name();
  }

  // Words that stand nowhere in a statement of a file.
  static std::string why_keyword(std::string_view text) {
    static constexpr std::array<std::string_view, 24> kNowhere = {
        "outfile",    "dumpfile", "infile",  "load",       "attach",  "detach",         "directory", "connection",
        "tablespace", "execute",  "prepare", "deallocate", "call",    "handler",        "grant",     "revoke",
        "procedure",  "function", "trigger", "event",      "definer", "load_extension", "rename",    "exchange"};
    return one_of(text, kNowhere) ? fmt::format("it has the word {}", text) : "";
  }

  // A table's name comes after these words; after some unless a parenthesis does (USING (id), REPLACE(a, b, c)).
  [[nodiscard]] bool takes_table_next(std::string_view text) const {
    static constexpr std::array<std::string_view, 11> kBefore = {
        "from", "join", "straight_join", "into", "update", "table", "tables", "view", "references", "exists", "index"};
    static constexpr std::array<std::string_view, 4> kUnlessCalled = {"insert", "replace", "truncate", "using"};
    if (one_of(text, kUnlessCalled)) return !word(at_ + 1).is_symbol('(');
    if (text == "like") return makes_table_ && word(at_ + 1).is_name();  // else it compares texts
    if (text == "in") return is_sqlite_ && !word(at_ + 1).is_symbol('(');
    if (at_ > 0 && text == "from" && word(at_ - 1).is("distinct")) return false;
    // ON DUPLICATE KEY UPDATE, FOR UPDATE, ON UPDATE CASCADE, DO UPDATE SET, THEN UPDATE SET
    static constexpr std::array<std::string_view, 5> kBeforeUpdate = {"key", "for", "on", "do", "then"};
    if (at_ > 0 && text == "update" && one_of(word(at_ - 1).text, kBeforeUpdate)) return false;
    if (text == "on") return makes_index_ || (word(0).is("drop") && word(1).is("index"));
    return one_of(text, kBefore);
  }
  // And then a comma and another one.
  [[nodiscard]] bool lists_tables(std::string_view text) const {
    static constexpr std::array<std::string_view, 9> kLists = {"from",  "join",   "straight_join", "update",  "using",
                                                               "table", "tables", "view",          "truncate"};
    return one_of(text, kLists) && !word(0).is("create") && !word(0).is("alter");
  }
  // Not ON and USING: a comma after a join's condition is followed by another table.
  static bool ends_tables(std::string_view text) {
    static constexpr std::array<std::string_view, 12> kAfter = {"where",     "set",    "group",  "order",
                                                                "having",    "limit",  "values", "select",
                                                                "returning", "window", "for",    "duplicate"};
    return one_of(text, kAfter);
  }
  // What comes next is changed, or made, or dropped: WITH gives names to what is read only.
  [[nodiscard]] bool is_target(std::string_view text) const {
    static constexpr std::array<std::string_view, 4> kReads = {"join", "straight_join", "using", "in"};
    static constexpr std::array<std::string_view, 4> kDeletes = {"delete", "low_priority", "quick", "ignore"};
    if (text == "from") return at_ > 0 && one_of(word(at_ - 1).text, kDeletes);
    return !one_of(text, kReads);
  }

  std::string why_name() {
    const SqlWord& w = word(at_);
    const bool at_table = expects_table_ && !modifies_table(w);
    if (at_table) {
      expects_table_ = false;
      if (std::string why = why_not_own(w); !why.empty() && !word(at_ + 1).is_symbol('.')) return why;
    }
    if (word(at_ + 1).is_symbol('.')) {
      if (at_table) return fmt::format("it names a table of a database ({}.{})", w.text, word(at_ + 2).text);
      if (word(at_ + 3).is_symbol('.')) return "a name in it has three parts";
    }
    if (w.is("engine")) return why_engine();
    if (!word(at_ + 1).is_symbol('(')) return {};
    if (at_table && !from_.back()) return {};  // a table's name and its columns
    if (w.kind == SqlWord::Kind::kWord && (only_computes(w.text) || is_syntax(w.text))) return {};
    if (is_column_list()) return {};
    return fmt::format("it calls {}()", w.text);
  }

  // NAME AS (SELECT …, and NAME (COLUMN…) AS (SELECT …, after WITH.
  void collect_common_tables() {
    const bool with = std::any_of(words_.begin(), words_.end(), [](const SqlWord& w) { return w.is("with"); });
    for (std::size_t at = 1; with && at + 1 < words_.size(); ++at) {
      if (!word(at).is("as") || !word(at + 1).is_symbol('(')) continue;
      std::size_t name = at - 1;
      if (word(name).is_symbol(')')) {
        while (name > 0 && !word(name).is_symbol('(')) --name;
        if (name > 0) --name;
      }
      if (word(name).is_name()) common_.insert(word(name).text);
    }
  }

  // An index is its table's, and may be called as it likes.
  [[nodiscard]] std::string why_not_own(const SqlWord& w) const {
    const std::string name = lower_case(w.text);
    if (own_.contains(name) || (!target_ && common_.contains(name)) || word(at_ - 1).is("index")) return {};
    if ((makes_index_ || (word(0).is("drop") && word(1).is("index"))) && !word(at_ - 1).is("on")) return {};
    return fmt::format("it names {}, which is not one of the file's own tables", w.text);
  }

  // IF NOT EXISTS and its like, between TABLE and the name.
  static bool modifies_table(const SqlWord& w) {
    static constexpr std::array<std::string_view, 14> kBetween = {
        "if",     "not",   "exists",  "only", "low_priority", "high_priority", "delayed",
        "ignore", "quick", "lateral", "or",   "fail",         "abort",         "rollback"};
    return w.kind == SqlWord::Kind::kWord && one_of(w.text, kBetween);
  }

  // Words that may stand before a parenthesis without calling anything.
  static bool is_syntax(std::string_view text) {
    static constexpr std::array<std::string_view, 66> kSyntax = {
        "select",   "from",     "where",    "and",      "or",        "not",       "in",     "exists",    "any",
        "all",      "some",     "as",       "on",       "using",     "values",    "value",  "over",      "by",
        "when",     "then",     "else",     "case",     "end",       "union",     "except", "intersect", "set",
        "having",   "limit",    "offset",   "like",     "between",   "is",        "key",    "unique",    "check",
        "cast",     "distinct", "filter",   "conflict", "partition", "join",      "insert", "with",      "interval",
        "mod",      "div",      "primary",  "index",    "default",   "returning", "int",    "integer",   "bigint",
        "smallint", "varchar",  "char",     "decimal",  "numeric",   "double",    "float",  "text",      "real",
        "datetime", "binary",   "varbinary"};
    return one_of(text, kSyntax);
  }

  // The name of a common table with its columns, of a constraint or key, or, in CREATE INDEX, of the table.
  [[nodiscard]] bool is_column_list() const {
    if (at_ == 0) return false;
    const SqlWord& before = word(at_ - 1);
    if (makes_index_ && before.is("on")) return true;
    static constexpr std::array<std::string_view, 6> kBefore = {"with",       "recursive", "key",
                                                                "constraint", "unique",    "into"};
    return before.kind == SqlWord::Kind::kWord && one_of(before.text, kBefore);
  }

  // Engines that keep their rows themselves: CONNECT, FEDERATED and CSV read others' files and servers.
  [[nodiscard]] std::string why_engine() const {
    static constexpr std::array<std::string_view, 4> kEngines = {"innodb", "aria", "myisam", "memory"};
    const SqlWord& which = word(at_ + (word(at_ + 1).is_symbol('=') ? 2 : 1));
    return one_of(which.text, kEngines) ? "" : fmt::format("it asks for the engine {}", which.text);
  }

  void open() {
    const bool list = expects_table_;  // FROM (a, b)
    from_.push_back(list);
    expects_table_ = list;
  }
  void close() {
    if (from_.size() > 1) from_.pop_back();
    expects_table_ = false;
  }

  std::span<const SqlWord> words_;
  bool is_sqlite_;
  const OwnTables& own_;
  OwnTables common_;  // the names that WITH gives to queries
  std::size_t at_ = 0;
  bool makes_index_ = false, makes_table_ = false;
  bool expects_table_ = false;     // the next name is a table's
  bool target_ = false;            // one that is changed
  std::vector<bool> from_{false};  // for each parenthesis that is open: a comma is followed by another table
};

std::string why_words_refused(std::string_view sql, bool is_sqlite, const OwnTables& own) {
  if (sql.size() > kLongestStatement) return fmt::format("it is longer than {} bytes", kLongestStatement);
  const SqlWords taken = SqlScanner(sql).scan();
  if (!taken.fault.empty()) return taken.fault;
  return WordGuard(taken.words, is_sqlite, own).why();
}

}  // namespace

std::string why_mariadb_refuses(std::string_view sql, const OwnTables& own) {
  return why_words_refused(sql, false, own);
}
std::string why_sqlite_refuses(std::string_view sql, const OwnTables& own) { return why_words_refused(sql, true, own); }

}  // namespace isolde::db
