#include "audit/trace/control.h"

#include <algorithm>

#include "audit/trace/sql_scan.h"

namespace isolde::audit {
namespace {

// The words of a statement one by one: words, quoted texts without their quotes, single symbols.
class ControlWords {
 public:
  ControlWords(std::string_view sql, SqlDialect dialect) : rest_(sql), dialect_(dialect) {}

  // Empty at the end.
  std::string_view next() {
    rest_ = trimmed(rest_, dialect_);
    if (rest_.starts_with("/*!")) {  // its text counts
      rest_.remove_prefix(3);
      while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') rest_.remove_prefix(1);
      return next_word();
    }
    return next_word();
  }
  bool take(std::string_view lower) {
    const std::string_view before = rest_;
    if (same_word(next(), lower)) return true;
    rest_ = before;
    return false;
  }
  [[nodiscard]] bool at_end() const { return trimmed(rest_, dialect_).empty(); }

 private:
  std::string_view next_word() {
    rest_ = trimmed(rest_, dialect_);
    if (rest_.empty()) return {};
    const char c = rest_.front();
    if (c == '\'' || c == '"' || c == '`') {
      const std::size_t end = std::min(rest_.find(c, 1), rest_.size());
      const std::string_view text = rest_.substr(1, end - 1);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      return text;
    }
    const std::string_view word = rest_.substr(0, std::max<std::size_t>(first_word(rest_).size(), 1));
    rest_.remove_prefix(word.size());
    return word;
  }

  std::string_view rest_;
  SqlDialect dialect_;
};

// After COMMIT, ROLLBACK, END …: WORK, AND CHAIN.
bool takes_and_chain(ControlWords& words) {
  if (!words.take("work")) (void)words.take("transaction");
  return words.take("and") && words.take("chain");
}

// SERIALIZABLE, REPEATABLE READ, READ COMMITTED, READ UNCOMMITTED; with - or as one word, as variables have it.
SaidLevel level_at(ControlWords& words) {
  const auto dash = [&] { (void)words.take("-"); };
  if (words.take("serializable")) return SaidLevel::kSerializable;
  if (words.take("repeatable")) return dash(), words.take("read") ? SaidLevel::kRepeatableRead : SaidLevel::kNothing;
  if (words.take("repeatable read") || words.take("repeatable-read")) return SaidLevel::kRepeatableRead;
  if (words.take("read committed") || words.take("read-committed") || words.take("read uncommitted") ||
      words.take("read-uncommitted")) {
    return SaidLevel::kReadCommitted;
  }
  if (!words.take("read")) return SaidLevel::kNothing;
  dash();
  return words.take("committed") || words.take("uncommitted") ? SaidLevel::kReadCommitted : SaidLevel::kNothing;
}

// … ISOLATION LEVEL x …, wherever it stands.
SaidLevel isolation_level(ControlWords words) {
  while (!words.at_end()) {
    if (words.take("isolation") && words.take("level")) return level_at(words);
    (void)words.next();
  }
  return SaidLevel::kNothing;
}

// SET TRANSACTION …, SET SESSION TRANSACTION …, SET SESSION CHARACTERISTICS AS TRANSACTION …, and variables of either
// database that hold a level.
ControlStatement level_statement(ControlWords words) {
  ControlStatement found{.what = Control::kSetLevel};
  while (words.take("@") || words.take("@@")) {
  }
  if (is_any(ControlWords(words).next(), {"global", "persist", "persist_only", "local"})) return {};
  if (words.take("session")) found.for_session = true;
  while (words.take(".")) {
  }
  ControlWords after = words;
  if (after.take("transaction") || after.take("characteristics")) {
    found.level = isolation_level(after);
    return found.level == SaidLevel::kNothing ? ControlStatement{} : found;
  }
  const std::string_view variable = words.next();
  if (!is_any(variable, {"default_transaction_isolation", "transaction_isolation", "tx_isolation"})) return {};
  // PostgreSQL's transaction_isolation is that of the transaction it is set in.
  found.for_session = found.for_session || !same_word(variable, "transaction_isolation");
  (void)words.take(":");
  if (!words.take("=") && !words.take("to")) return {};
  found.level = level_at(words);
  return found.level == SaidLevel::kNothing ? ControlStatement{} : found;
}

bool is_on(std::string_view value) { return !is_any(value, {"0", "off", "false"}); }

// SET [SESSION] autocommit = 0, SET @@autocommit := ON, SET sql_mode = '', autocommit = 1 …; the last one counts.
ControlStatement set_statement(ControlWords words, SqlDialect dialect) {
  if (const ControlStatement level = level_statement(words); level.what == Control::kSetLevel) return level;
  ControlStatement found{.what = Control::kNoData};
  if (dialect != SqlDialect::kMysql) return found;
  if (words.take("statement")) return {};  // MariaDB's SET STATEMENT … FOR UPDATE t …
  bool is_global = false;
  while (!words.at_end()) {
    const std::string_view word = words.next();
    if (word == ",") is_global = false;
    if (same_word(word, "select")) return {};  // reads rows into a variable
    if (is_any(word, {"global", "persist", "persist_only"})) is_global = true;
    if (!same_word(word, "autocommit") || is_global) continue;
    (void)words.take(":");
    if (!words.take("=")) continue;
    found.what = Control::kAutocommit;
    found.on = is_on(words.next());
  }
  return found;
}

ControlStatement rollback_statement(ControlWords words) {
  if (words.take("prepared")) return {.what = Control::kRollbackPrepared, .name = words.next()};
  if (!words.take("work")) (void)words.take("transaction");
  if (words.take("to")) {
    (void)words.take("savepoint");
    return {.what = Control::kRollbackTo, .name = words.next()};
  }
  return {.what = Control::kRollback, .chain = takes_and_chain(words)};
}

ControlStatement xa_statement(ControlWords words) {
  const std::string_view verb = words.next();
  if (is_any(verb, {"start", "begin"})) return {.what = Control::kBegin};
  if (same_word(verb, "commit")) return {.what = Control::kCommit};
  if (same_word(verb, "rollback")) return {.what = Control::kRollback};
  return {.what = Control::kNoData};
}

bool commits_before(std::string_view first, ControlWords words) {
  if (is_any(first, {"create", "drop"})) {
    (void)(words.take("or") && words.take("replace"));
    return !words.take("temporary");
  }
  if (same_word(first, "load")) return words.take("index");
  return is_any(first, {"alter", "truncate", "rename", "grant", "revoke", "analyze", "check", "optimize", "repair",
                        "flush", "reset", "install", "uninstall", "lock", "cache", "start", "stop", "change"});
}

// EXPLAIN ANALYZE and EXPLAIN (…, ANALYZE) carry the statement out.
bool carries_out(ControlWords words) {
  if (!words.take("(")) return words.take("analyze");
  while (!words.at_end()) {
    const std::string_view word = words.next();
    if (same_word(word, "analyze")) return true;
    if (word == ")") return false;
  }
  return false;
}

bool is_no_data(std::string_view first, ControlWords words, SqlDialect dialect) {
  if (is_any(first, {"show",     "use",        "pragma",    "help",       "kill",   "listen",   "notify",
                     "unlisten", "deallocate", "discard",   "checkpoint", "vacuum", "reindex",  "cluster",
                     "attach",   "detach",     "fetch",     "move",       "close",  "analyze",  "prepare",
                     "reset",    "unlock",     "flush",     "start",      "stop",   "change",   "purge",
                     "binlog",   "install",    "uninstall", "optimize",   "repair", "checksum", "cache"}))
    return true;
  if (is_any(first, {"explain", "describe", "desc"})) {
    return !carries_out(words);
  }
  if (dialect == SqlDialect::kMysql)
    return is_any(first, {"lock", "check"}) || (same_word(first, "load") && words.take("index"));
  return same_word(first, "load");
}

}  // namespace

ControlStatement control_of(std::string_view sql, SqlDialect dialect) {
  ControlWords words(sql, dialect);
  const std::string_view first = words.next();
  if (is_any(first, {"select", "insert", "update", "delete", "replace", "with"})) return {};
  if (same_word(first, "begin")) {
    ControlWords after = words;
    // MariaDB's BEGIN NOT ATOMIC is a block of statements.
    if (after.take("not")) return {};
    return {.what = Control::kBegin, .level = isolation_level(words)};
  }
  if (same_word(first, "start")) {
    ControlWords after = words;
    if (after.take("transaction")) return {.what = Control::kBegin, .level = isolation_level(after)};
  }
  if (same_word(first, "commit")) {
    if (words.take("prepared")) return {.what = Control::kCommitPrepared, .name = words.next()};
    return {.what = Control::kCommit, .chain = takes_and_chain(words)};
  }
  if (same_word(first, "end")) return {.what = Control::kCommit, .chain = takes_and_chain(words)};
  if (same_word(first, "abort")) return {.what = Control::kRollback, .chain = takes_and_chain(words)};
  if (same_word(first, "rollback")) return rollback_statement(words);
  if (same_word(first, "savepoint")) return {.what = Control::kSavepoint, .name = words.next()};
  if (same_word(first, "release")) {
    (void)words.take("savepoint");
    return {.what = Control::kRelease, .name = words.next()};
  }
  if (same_word(first, "set")) return set_statement(words, dialect);
  if (same_word(first, "xa") && dialect == SqlDialect::kMysql) return xa_statement(words);
  if (same_word(first, "prepare")) {
    ControlWords after = words;
    if (after.take("transaction")) return {.what = Control::kPrepareTransaction, .name = after.next()};
  }
  ControlStatement found;
  if (is_no_data(first, words, dialect)) found.what = Control::kNoData;
  found.commits_before = dialect == SqlDialect::kMysql && commits_before(first, words);
  return found;
}

}  // namespace isolde::audit
