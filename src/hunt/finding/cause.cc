#include "hunt/finding/cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/ascii.h"
#include "hunt/finding/schema_text.h"

namespace isolde::hunt {
namespace {

// The more there is to a kind of statement, the more likely it is the one to blame.
int suspicion(StatementKind kind) {
  switch (kind) {
    case StatementKind::kMerge:
      return 6;
    case StatementKind::kUpsert:
      return 5;
    case StatementKind::kInsert:
      return 4;
    case StatementKind::kDelete:
      return 3;
    case StatementKind::kUpdate:
      return 2;
    case StatementKind::kSelectForUpdate:
      return 1;
    case StatementKind::kSelect:
      return 0;
  }
  return 0;
}

const Statement* heaviest(const Case& test) {
  const Statement* found = nullptr;
  for (const Transaction& transaction : test.transactions)
    for (const Statement& statement : transaction.statements)
      if (found == nullptr || suspicion(statement.kind) > suspicion(found->kind)) found = &statement;
  return found;
}

// Whether it is one statement that is wrong, and not what several leave together.
bool is_about_one(Wrong wrong) {
  return wrong == Wrong::kResult || wrong == Wrong::kCount || wrong == Wrong::kError || wrong == Wrong::kPredicate ||
         wrong == Wrong::kRerun || wrong == Wrong::kHang || wrong == Wrong::kPlan || wrong == Wrong::kAgainst;
}

struct Clause {
  std::string_view word, name;
};
// Of queries, not of expressions: what a condition compares with what is chance.
constexpr Clause kClauseNames[] = {
    {"over", "window"}, {"group", "group by"}, {"having", "having"},       {"distinct", "distinct"},
    {"union", "union"}, {"except", "except"},  {"intersect", "intersect"}, {"with", "with"},
    {"join", "join"},   {"left", "left join"}, {"lateral", "lateral"},     {"exists", "exists"},
    {"limit", "limit"},
};

void add_clauses(const Statement& statement, std::set<std::string>& out) {
  std::set<std::string> words;
  for (std::string& word : words_in_sql(statement.sql)) words.insert(lower_case(std::move(word)));
  for (const Clause& clause : kClauseNames)
    if (words.contains(std::string(clause.word))) out.emplace(clause.name);
  if (words.contains("left")) out.erase("join");
  if (lower_case(statement.sql).find("in (select") != std::string::npos) out.emplace("in");
}

void add_schema_features(const Finding& finding, const Statement& statement, std::set<std::string>& out) {
  const Schema& schema = finding.test.schema;
  for (const std::string& sql : schema.more)
    if (has_word(lower_case(sql), "index")) out.emplace("index");
  for (const View& view : schema.views)
    if (has_word(statement.sql, view.name)) out.emplace("view");
  for (const Table& table : schema.tables) {
    if (!table.foreign_keys.empty()) out.emplace("foreign key");
    if (has_word(lower_case(table.create), "generated")) out.emplace("generated column");
  }
}

}  // namespace

std::string cause_of(const Finding& reduced) {
  if (!reduced.cause.empty()) return reduced.cause;
  std::string cause = (reduced.rate.is_rare() ? "intermittent " : "") + std::string(name(reduced.wrong));
  if (!reduced.anomaly.empty()) cause += " " + reduced.anomaly;
  const Case& test = reduced.test;
  const Place where = reduced.where;
  const bool there = where.transaction < test.transactions.size() &&
                     where.statement < test.transactions[where.transaction].statements.size();
  const Statement* const statement = there && is_about_one(reduced.wrong) ? &at(test, where) : heaviest(test);
  if (statement == nullptr) return cause;
  std::set<std::string> more;
  std::string list;
  // Rows that are found in another way than those that are read: whatever is then done to them.
  if (reduced.wrong != Wrong::kPredicate) list = name(statement->kind);
  // Where versions alone are wrong, it is not the clauses that make them so.
  if (reduced.wrong != Wrong::kIsolation) {
    add_clauses(*statement, more);
    add_schema_features(reduced, *statement, more);
  }
  for (const std::string& word : more) list += (list.empty() ? "" : ", ") + word;
  return list.empty() ? cause : fmt::format("{}: {}", cause, list);
}

}  // namespace isolde::hunt
