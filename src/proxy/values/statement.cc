#include "proxy/values/statement.h"

#include <algorithm>
#include <span>

#include "base/ascii.h"
#include "proxy/values/token_cursor.h"

namespace isolde::proxy::values {
namespace {

struct WordMeans {
  std::string_view word;
  Doing doing;
};

// Statements by their first word. What is not listed may do anything.
constexpr WordMeans kFirstWords[] = {
    {"select", Doing::kRead},         {"insert", Doing::kInsert},   {"replace", Doing::kReplace},
    {"update", Doing::kUpdate},       {"delete", Doing::kDelete},   {"load", Doing::kWritesOthers},
    {"with", Doing::kRead},           {"values", Doing::kRead},     {"table", Doing::kRead},
    {"set", Doing::kNothing},         {"show", Doing::kNothing},    {"use", Doing::kUse},
    {"describe", Doing::kNothing},    {"desc", Doing::kNothing},    {"help", Doing::kNothing},
    {"prepare", Doing::kNothing},     {"kill", Doing::kNothing},    {"checksum", Doing::kNothing},
    {"deallocate", Doing::kNothing},  {"commit", Doing::kCommit},   {"rollback", Doing::kRollBack},
    {"savepoint", Doing::kSavepoint}, {"release", Doing::kRelease}, {"create", Doing::kSchema},
    {"alter", Doing::kSchema},        {"drop", Doing::kSchema},     {"truncate", Doing::kSchema},
    {"rename", Doing::kSchema},       {"grant", Doing::kSchema},    {"revoke", Doing::kSchema},
    {"lock", Doing::kSchema},         {"unlock", Doing::kSchema},   {"flush", Doing::kSchema},
    {"reset", Doing::kSchema},        {"optimize", Doing::kSchema}, {"repair", Doing::kSchema},
    {"check", Doing::kSchema},
};

// With one of these in it, a row of the result is not one row of a table, or is not what the table holds now.
constexpr std::string_view kNotPlain[] = {"union",     "intersect", "except", "minus",     "group",       "having",
                                          "distinct",  "with",      "into",   "procedure", "system_time", "distinctrow",
                                          "partition", "over",      "values", "json_table"};

// Without GROUP BY these make one row of all, or of none.
constexpr std::string_view kAggregates[] = {"count",        "sum",           "min",           "max",         "avg",
                                            "std",          "stddev",        "stddev_pop",    "stddev_samp", "variance",
                                            "var_pop",      "var_samp",      "bit_and",       "bit_or",      "bit_xor",
                                            "group_concat", "json_arrayagg", "json_objectagg"};

// column = value AND …, up to the end of the clause. Further conditions may stand between them: they decide whether the
// row is met, not which one. False: OR, or what is not understood.
bool read_where(TokenCursor& at, Statement& out) {
  do {
    const std::size_t start = at.place();
    const bool bracket = at.symbol("(");
    auto column = at.column();
    if (column && at.symbol("=")) {
      Term value = at.term();
      const bool usable = value.kind != Term::Kind::kUnknown && value.kind != Term::Kind::kNull;
      if (usable && (!bracket || at.symbol(")")) && at.ends_condition()) {
        out.where.push_back({*std::move(column), std::move(value)});
        continue;
      }
    }
    at.go_back(start);
    out.more_conditions = true;
    if (!at.skip_condition()) return false;
  } while (at.word("and"));
  return true;
}

void read_update(TokenCursor& at, Statement& out) {
  out.doing = Doing::kWritesOthers;
  at.word("low_priority");
  out.ignores = at.word("ignore");
  if (!at.qualified(out.schema, out.table) || !at.word("set")) return;
  do {
    auto column = at.column();
    if (!column || !at.symbol("=")) return;
    Named set{*std::move(column), {}};
    const std::size_t start = at.place();
    const auto again = at.column();
    if (again && same_ignoring_case(*again, set.column)) {
      set.adds = at.symbol("+");
      set.subtracts = !set.adds && at.symbol("-");
    }
    if (!set.adds && !set.subtracts) at.go_to(start);
    set.value = at.term();
    if (set.value.kind == Term::Kind::kUnknown) set.adds = set.subtracts = false;
    out.sets.push_back(std::move(set));
  } while (at.symbol(","));
  if (!at.word("where") || !read_where(at, out) || !at.at_end() || out.ignores) return;
  out.doing = Doing::kUpdate;
  out.by_where = true;
}

void read_delete(TokenCursor& at, Statement& out) {
  out.doing = Doing::kWritesOthers;
  if (!at.word("from") || !at.qualified(out.schema, out.table) || !at.word("where")) return;
  if (!read_where(at, out) || !at.at_end()) return;
  out.doing = Doing::kDelete;
  out.by_where = true;
}

void read_insert(TokenCursor& at, Statement& out) {
  const Doing doing = out.doing;
  out.doing = Doing::kWritesOthers;
  if (!at.word("low_priority")) at.word("high_priority");
  out.ignores = at.word("ignore");
  at.word("into");
  if (!at.qualified(out.schema, out.table)) return;
  if (at.symbol("(")) {
    out.has_columns = true;
    if (!at.symbol(")")) {
      do {
        auto column = at.column();
        if (!column) return;
        out.columns.push_back(*std::move(column));
      } while (at.symbol(","));
      if (!at.symbol(")")) return;
    }
  }
  if (!at.word("values") && !at.word("value")) return;
  do {
    if (!at.symbol("(")) return;
    std::vector<Term> row;
    if (!at.symbol(")")) {
      do {
        row.push_back(at.term());
      } while (at.symbol(","));
      if (!at.symbol(")")) return;
    }
    out.rows.push_back(std::move(row));
  } while (at.symbol(","));
  if (at.word("on")) {
    out.upserts = true;
  } else if (!at.at_end()) {
    return;
  }
  out.doing = doing;
}

// FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE, and what may stand behind them.
bool read_lock(TokenCursor& at, Statement& out) {
  if (at.word("for")) {
    out.lock = at.word("update") ? Lock::kUpdate : at.word("share") ? Lock::kShare : Lock::kNone;
    if (out.lock == Lock::kNone) return false;
  } else if (at.word("lock")) {
    if (!at.word("in") || !at.word("share") || !at.word("mode")) return false;
    out.lock = Lock::kShare;
  }
  if (at.word("nowait")) return true;
  if (at.word("skip")) {
    out.may_skip = true;
    return at.word("locked");
  }
  if (at.word("wait")) static_cast<void>(at.term());
  return true;
}

void read_select(std::span<const Token> tokens, TokenCursor& at, Statement& out) {
  int depth = 0;
  std::size_t from = tokens.size(), locks = tokens.size();
  out.plain = audit::is_word(tokens[0], "select");
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (audit::is_symbol(tokens[i], "(")) ++depth;
    if (audit::is_symbol(tokens[i], ")")) --depth;
    if (audit::is_word(tokens[i], "select") || is_word_of(tokens[i], kNotPlain) || is_word_of(tokens[i], kAggregates))
      out.plain = false;
    if (depth != 0) continue;
    if (audit::is_word(tokens[i], "from") && from == tokens.size()) from = i;
    const bool is_lock = audit::is_word(tokens[i], "for") || audit::is_word(tokens[i], "lock");
    if (is_lock && from < i && i + 1 < tokens.size() &&
        (audit::is_word(tokens[i + 1], "update") || audit::is_word(tokens[i + 1], "share") ||
         audit::is_word(tokens[i + 1], "in")))
      locks = i;
  }
  if (locks < tokens.size()) {
    at.go_to(locks);
    if (!read_lock(at, out) || !at.at_end()) out.plain = false;
  }
  if (from == tokens.size() || !out.plain) return;
  // One table, found by nothing but `column = value`: then no row in the result means that there is none. Parameters
  // before it are counted on the way there.
  at.go_to(1);
  while (at.place() < from) {
    at.skip_term();
    if (at.place() < from) at.go_to(at.place() + 1);
  }
  at.go_to(from + 1);
  if (!at.qualified(out.schema, out.table)) return;
  at.word("as");
  if (!at.sees("where")) static_cast<void>(at.name());
  if (!at.word("where") || !read_where(at, out)) return;
  if (at.word("limit")) {
    const Term most = at.term();
    if (most.kind != Term::Kind::kNumber || most.text == "0") return;
  }
  out.by_where = at.place() == locks;
}

void read_set(std::span<const Token> tokens, TokenCursor& at, Statement& out) {
  const bool session = at.word("session") || at.word("local");
  if (at.word("names") || at.word("character") || at.word("charset")) {
    at.word("set");
    out.doing = Doing::kNames;
    if (!at.at_end()) out.name = lower_case(tokens[at.place()].text);
    return;
  }
  if (at.word("transaction")) {
    if (!at.word("isolation") || !at.word("level")) return;
    out.doing = session ? Doing::kLevel : Doing::kLevelOnce;
    while (const auto word = at.name()) out.name += (out.name.empty() ? "" : " ") + lower_case(*word);
    return;
  }
  for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
    const std::string word = lower_case(tokens[i].text);
    if (!audit::is_symbol(tokens[i + 1], "=") && !audit::is_symbol(tokens[i + 1], ":=")) continue;
    if (word.find("character_set") != std::string::npos) {
      out.doing = Doing::kNames;
      out.name = lower_case(tokens[i + 2].text);
    }
    if (word.find("global") != std::string::npos || (i > 0 && audit::is_word(tokens[i - 1], "global"))) continue;
    if (word.ends_with("tx_isolation") || word.ends_with("transaction_isolation")) {
      out.doing = Doing::kLevel;
      out.name = lower_case(tokens[i + 2].text);
      std::replace(out.name.begin(), out.name.end(), '-', ' ');
    }
  }
}

Statement statement_of(std::span<const Token> tokens, std::uint32_t first_parameter) {
  Statement out;
  TokenCursor at(tokens, first_parameter);
  at.go_to(1);
  for (const WordMeans& row : kFirstWords) {
    if (audit::is_word(tokens[0], row.word)) out.doing = row.doing;
  }
  switch (out.doing) {
    case Doing::kRead:
      read_select(tokens, at, out);
      break;
    case Doing::kInsert:
    case Doing::kReplace:
      read_insert(at, out);
      break;
    case Doing::kUpdate:
      read_update(at, out);
      break;
    case Doing::kDelete:
      read_delete(at, out);
      break;
    case Doing::kSavepoint:
      out.name = lower_case(at.name().value_or(""));
      break;
    case Doing::kRelease:
      at.word("savepoint");
      out.name = lower_case(at.name().value_or(""));
      break;
    case Doing::kRollBack:
      at.word("work");
      if (at.word("to")) {
        at.word("savepoint");
        out.doing = Doing::kRollBackTo;
        out.name = lower_case(at.name().value_or(""));
      }
      break;
    case Doing::kUse:
      out.name = at.name().value_or("");
      break;
    case Doing::kSchema:
    case Doing::kNothing:
      if (audit::is_word(tokens[0], "set")) read_set(tokens, at, out);
      break;
    default:
      if (audit::is_word(tokens[0], "begin") && (at.at_end() || (at.word("work") && at.at_end())))
        out.doing = Doing::kBegin;
      if (audit::is_word(tokens[0], "start") && at.word("transaction")) out.doing = Doing::kBegin;
      // EXPLAIN carries nothing out; ANALYZE with a statement behind it does.
      if (audit::is_word(tokens[0], "explain") && !at.sees("analyze")) out.doing = Doing::kNothing;
      if (audit::is_word(tokens[0], "analyze") && at.sees("table")) out.doing = Doing::kSchema;
      break;
  }
  for (const Token& token : tokens) {
    if (audit::is_name(token)) out.names.push_back(lower_case(token.text));
  }
  return out;
}

}  // namespace

std::vector<Statement> StatementReader::read(std::string_view sql) {
  const std::vector<Token>& tokens = lexer_.tokens(sql);
  std::vector<Statement> out;
  std::size_t start = 0;
  std::uint32_t parameters = 0, before = 0;
  for (std::size_t i = 0; i <= tokens.size(); ++i) {
    const bool ends = i == tokens.size() || audit::is_symbol(tokens[i], ";");
    if (!ends) {
      parameters += tokens[i].kind == TokenKind::kParameter && tokens[i].text == "?" ? 1U : 0U;
      continue;
    }
    if (i > start) out.push_back(statement_of(std::span(tokens).subspan(start, i - start), before));
    start = i + 1;
    before = parameters;
  }
  return out;
}

}  // namespace isolde::proxy::values
