#include "proxy/capture/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "audit/sql/tree.h"

namespace isolde::proxy::capture {
namespace {

namespace tree = audit::tree;
using tree::Fields;

constexpr std::size_t kMostShapes = 20'000;
constexpr std::size_t kAtEnd = SIZE_MAX;
constexpr std::string_view kUnknownTable = "a table that is not known, or a view";

struct KindOfNode {
  std::string_view node;
  Kind kind;
  std::string_view why_not = {};
};

// Statements by their node in libpg_query's tree. What is not listed may end transactions by itself.
constexpr KindOfNode kKinds[] = {
    {"VariableSetStmt", Kind::kHarmless},
    {"VariableShowStmt", Kind::kHarmless},
    {"ListenStmt", Kind::kHarmless},
    {"UnlistenStmt", Kind::kHarmless},
    {"NotifyStmt", Kind::kHarmless},
    {"ConstraintsSetStmt", Kind::kHarmless},
    {"LockStmt", Kind::kHarmless},
    {"DeallocateStmt", Kind::kHarmless},
    {"ClosePortalStmt", Kind::kHarmless},
    {"ExplainStmt", Kind::kUnjudged, "EXPLAIN"},
    {"PrepareStmt", Kind::kHarmless},
    {"DiscardStmt", Kind::kHarmless},
    {"DeclareCursorStmt", Kind::kUnjudged, "a cursor"},
    {"FetchStmt", Kind::kUnjudged, "a cursor"},
    {"CopyStmt", Kind::kUnjudged, "COPY"},
    {"MergeStmt", Kind::kUnjudged, "MERGE"},
    {"TruncateStmt", Kind::kUnjudged, "TRUNCATE"},
    {"CreateTableAsStmt", Kind::kSchema},
    {"CreateStmt", Kind::kSchema},
    {"AlterTableStmt", Kind::kSchema},
    {"DropStmt", Kind::kSchema},
    {"RenameStmt", Kind::kSchema},
    {"CreateTrigStmt", Kind::kSchema},
    {"RuleStmt", Kind::kSchema},
    {"CreateSchemaStmt", Kind::kSchema},
    {"AlterObjectSchemaStmt", Kind::kSchema},
    {"CreateForeignTableStmt", Kind::kSchema},
    {"ViewStmt", Kind::kSchema},
    {"GrantStmt", Kind::kSchema},
    {"GrantRoleStmt", Kind::kSchema},
    {"AlterRoleStmt", Kind::kSchema},
    {"AlterRoleSetStmt", Kind::kSchema},
    {"AlterDatabaseSetStmt", Kind::kSchema},
    {"DropRoleStmt", Kind::kSchema},
    {"AlterOwnerStmt", Kind::kSchema},
    {"DropOwnedStmt", Kind::kSchema},
    {"CreatePolicyStmt", Kind::kSchema},
};

constexpr std::pair<std::string_view, Kind> kTransactionKinds[] = {
    {"TRANS_STMT_BEGIN", Kind::kBegin},
    {"TRANS_STMT_START", Kind::kBegin},
    {"TRANS_STMT_COMMIT", Kind::kCommit},
    {"TRANS_STMT_ROLLBACK", Kind::kRollBack},
    {"TRANS_STMT_SAVEPOINT", Kind::kSavepoint},
    {"TRANS_STMT_RELEASE", Kind::kRelease},
    {"TRANS_STMT_ROLLBACK_TO", Kind::kRollBackTo},
    {"TRANS_STMT_PREPARE", Kind::kPrepare},
};

struct Source {
  const Table* table;
  std::string alias;
};

// What is to be added to one statement, or why nothing is.
struct Addition {
  Kind kind = Kind::kUnjudged;
  std::string_view why_not = {};
  std::vector<Source> sources = {};
  Lock lock = Lock::kNone;
  bool returns_nothing = false;
  bool at_end = true;
  std::int64_t before_place = 0;  // !at_end: the last FROM before this byte
};

Addition no(std::string_view why_not) { return {.why_not = why_not}; }

Lock lock_of(Fields select) {
  Lock lock = Lock::kNone;
  for (const tree::Json item : tree::list(select, "lockingClause")) {
    const auto clause = tree::as(item, "LockingClause");
    if (!clause) continue;
    const std::string_view strength = tree::text(*clause, "strength");
    const bool updates = strength == "LCS_FORUPDATE" || strength == "LCS_FORNOKEYUPDATE";
    if (updates) return Lock::kUpdate;
    lock = Lock::kShare;
  }
  return lock;
}

// A table that a statement names; otherwise why its rows cannot be named.
std::string_view add_table(Fields range, const Tables& tables, std::string_view user, std::vector<Source>& sources) {
  const std::string_view schema = tree::text(range, "schemaname"), name = tree::text(range, "relname");
  if (!tree::text(range, "catalogname").empty()) return "a name with a database";
  const Table* const table = tables.find(schema, name, user);
  if (table == nullptr) return kUnknownTable;
  if (!table->why_not.empty()) return "a table that cannot be recorded";
  Source source{table, std::string(name)};
  if (const auto alias = tree::inner(range, "alias")) {
    if (!tree::list(*alias, "colnames").empty()) return "columns that were given other names";
    source.alias = tree::text(*alias, "aliasname");
  }
  sources.push_back(std::move(source));
  return {};
}

// The tables of a FROM clause whose rows can be named, and the first place in the text that belongs to it. A join with
// an alias of its own hides its tables. What comes from elsewhere (a view, a subquery) is not named.
struct From {
  const Tables& tables;
  std::string_view user;
  std::vector<Source> sources = {};
  std::string_view why_not = {};
  std::int64_t first_place = INT64_MAX;

  void add(tree::Json root) {
    std::vector<tree::Json> left = {root};
    while (!left.empty()) {
      const tree::Json item = left.back();
      left.pop_back();
      if (const auto range = tree::as(item, "RangeVar")) {
        first_place = std::min(first_place, tree::number(*range, "location"));
        if (const auto why = add_table(*range, tables, user, sources); !why.empty()) why_not = why;
      } else if (const auto join = tree::as(item, "JoinExpr"); join && !tree::child(*join, "alias")) {
        for (const char* const side : {"rarg", "larg"}) {
          if (const auto part = tree::child(*join, side)) left.push_back(*part);
        }
      } else {
        why_not = "a subquery or function in FROM";
      }
    }
  }
};

bool sets_a_key(Fields statement, const Table& table) {
  for (const tree::Json item : tree::list(statement, "targetList")) {
    const auto target = tree::as(item, "ResTarget");
    if (!target) return true;
    if (std::find(table.key.begin(), table.key.end(), tree::text(*target, "name")) != table.key.end()) return true;
  }
  return false;
}

Addition of_select(Fields select, const Tables& tables, std::string_view user) {
  const std::string_view operation = tree::text(select, "op");
  if (!operation.empty() && operation != "SETOP_NONE") return no("a set operation");
  if (tree::child(select, "withClause")) return no("WITH");
  if (tree::child(select, "intoClause")) return {.kind = Kind::kSchema, .why_not = {}};
  if (tree::child(select, "distinctClause")) return no("DISTINCT");
  if (tree::child(select, "groupClause") || tree::child(select, "havingClause")) return no("GROUP BY");
  const auto items = tree::list(select, "fromClause");
  if (items.empty()) return no("no table");
  if (tree::list(select, "targetList").empty()) return no("no columns");
  From from{tables, user};
  for (const tree::Json item : items) from.add(item);
  if (from.sources.empty()) return no(from.why_not);
  // What stands before the first table may be a subquery with a FROM of its own.
  if (!tree::as(items[0], "RangeVar") && !tree::as(items[0], "JoinExpr")) return no(from.why_not);
  return {.kind = Kind::kRead,
          .sources = std::move(from.sources),
          .lock = lock_of(select),
          .at_end = false,
          .before_place = from.first_place};
}

Addition of_write(const tree::Node& node, const Tables& tables, std::string_view user) {
  const Fields fields = node.fields;
  if (tree::child(fields, "withClause")) return no("WITH");
  if (tree::child(fields, "fromClause") || tree::child(fields, "usingClause")) return no("a join");
  const auto range = tree::inner(fields, "relation");
  if (!range) return no("no table");
  Addition out;
  if (const auto why = add_table(*range, tables, user, out.sources); !why.empty()) return no(why);
  const Table& table = *out.sources[0].table;
  if (node.type == "UpdateStmt" && sets_a_key(fields, table)) return no("an UPDATE of a primary key");
  if (const auto conflict = tree::inner(fields, "onConflictClause")) {
    if (sets_a_key(*conflict, table)) return no("an UPDATE of a primary key");
  }
  out.kind = node.type == "DeleteStmt" ? Kind::kDelete : Kind::kWrite;
  out.returns_nothing = tree::list(fields, "returningList").empty();
  return out;
}

Addition addition_of(const tree::Node& node, const Tables& tables, std::string_view user) {
  if (node.type == "SelectStmt") return of_select(node.fields, tables, user);
  return of_write(node, tables, user);
}

bool is_data(std::string_view node) {
  return node == "SelectStmt" || node == "InsertStmt" || node == "UpdateStmt" || node == "DeleteStmt";
}

// A temporary table hides one of the same name.
bool is_temporary(Fields create) {
  auto range = tree::inner(create, "relation");
  if (const auto into = tree::inner(create, "into")) range = tree::inner(*into, "rel");
  return !range || tree::text(*range, "relpersistence") == "t";
}

Step step_of(const tree::Node& node) {
  if (is_data(node.type)) return {.kind = Kind::kUnjudged, .name = {}, .why_not = "several statements in one text"};
  if (node.type == "ExecuteStmt") return {.kind = Kind::kExecute, .name = std::string(tree::text(node.fields, "name"))};
  if (node.type == "TransactionStmt") {
    const std::string_view name = tree::text(node.fields, "kind");
    for (const auto& [kind_name, kind] : kTransactionKinds) {
      if (kind_name != name) continue;
      return {.kind = kind,
              .name = std::string(tree::text(node.fields, "savepoint_name")),
              .chains = tree::flag(node.fields, "chain"),
              .level = level_change(node)};
    }
    return {.kind = Kind::kHarmless};  // COMMIT PREPARED, ROLLBACK PREPARED: of another transaction
  }
  for (const KindOfNode& row : kKinds) {
    if (row.node != node.type) continue;
    Step step{.kind = row.kind, .name = {}, .why_not = row.why_not};
    step.level = level_change(node);
    const std::string_view variable = tree::text(node.fields, "name");
    step.changes_path = node.type == "VariableSetStmt" && (variable == "search_path" || variable.empty() ||
                                                           variable == "role" || variable == "session_authorization");
    if (node.type == "CreateStmt" || node.type == "CreateTableAsStmt") step.changes_path = is_temporary(node.fields);
    if (node.type == "DeallocateStmt" || node.type == "PrepareStmt" || node.type == "DiscardStmt") {
      step.forgets = true;
      step.name = variable;
    }
    return step;
  }
  return {.kind = Kind::kUnclear, .name = {}, .why_not = "a statement that may do anything (CALL, DO, …)"};
}

// The last FROM outside of brackets that begins before `place`.
std::optional<std::size_t> from_before(const std::vector<audit::Token>& tokens, std::int64_t place) {
  std::optional<std::size_t> found;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size() && static_cast<std::int64_t>(tokens[i].offset) < place; ++i) {
    if (audit::is_symbol(tokens[i], "(") || audit::is_symbol(tokens[i], "[")) ++depth;
    if (audit::is_symbol(tokens[i], ")") || audit::is_symbol(tokens[i], "]")) --depth;
    if (depth == 0 && audit::is_word(tokens[i], "from")) found = i;
  }
  return found;
}

std::string added_text(const Addition& addition) {
  std::string out;
  std::size_t number = 0;
  for (const Source& source : addition.sources) {
    const std::string alias = quoted_name(source.alias);
    const std::string_view start = number > 0 || !addition.at_end ? ", "
                                   : addition.returns_nothing     ? "\nRETURNING "
                                                                  : "\n, ";
    out += start;
    for (const char* const column : {"tableoid", "ctid", "xmin"})
      out += fmt::format("{}{}.{} AS _isolde_{}", column[0] == 't' ? "" : ", ", alias, column, number++);
    for (const std::string& column : source.table->key)
      out += fmt::format(", {}.{}::text AS _isolde_{}", alias, quoted_name(column), number++);
  }
  return out + (addition.at_end ? "" : " ");
}

Plan plan_of(std::string_view sql, const std::vector<audit::Token>& tokens, const std::shared_ptr<const Tables>& tables,
             std::string_view user) {
  Plan plan;
  tree::Tree parsed;
  if (sql.find('\0') != std::string_view::npos || !parsed.parse(std::string(sql))) {
    plan.steps.push_back({.kind = Kind::kUnclear, .name = {}, .why_not = "a statement that could not be parsed"});
    return plan;
  }
  for (const tree::Node& node : parsed.statements()) plan.steps.push_back(step_of(node));
  if (parsed.statements().size() != 1 || !is_data(parsed.statements()[0].type)) return plan;
  Step& step = plan.steps[0];
  if (tables == nullptr) {
    step.why_not = "nothing is rewritten on this connection";
    return plan;
  }
  const Addition addition = addition_of(parsed.statements()[0], *tables, user);
  step.why_not = addition.why_not;
  step.kind = addition.kind;
  plan.unknown_table = addition.why_not == kUnknownTable;
  if (addition.sources.empty()) return plan;
  std::optional<std::size_t> place = kAtEnd;
  if (!addition.at_end) place = from_before(tokens, addition.before_place);
  // A semicolon, and nothing behind it.
  if (addition.at_end && !tokens.empty() && audit::is_symbol(tokens.back(), ";")) place = tokens.size() - 1;
  if (!place || tokens.empty()) {
    step = {.kind = Kind::kUnjudged, .name = {}, .why_not = "a statement whose FROM was not found"};
    return plan;
  }
  plan.rewritten = true;
  plan.tables = tables;
  for (const Source& source : addition.sources) plan.sources.push_back(source.table);
  plan.lock = addition.lock;
  plan.returns_nothing = addition.returns_nothing;
  plan.added = added_text(addition);
  plan.before_token = *place;
  return plan;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

}  // namespace

std::string Planner::shape_key(std::string_view sql, std::string_view user, bool rewrites) {
  if (shapes_.size() > kMostShapes || shapes_.literals() > 10 * kMostShapes) {
    shapes_ = audit::ShapeTable(audit::SqlDialect::kPostgres);
    known_.clear();
    checked_.clear();
  }
  literals_.clear();
  return fmt::format("{} {} {}", raw(shapes_.intern(sql, literals_)), rewrites ? 1 : 0, user);
}

std::shared_ptr<const Plan> Planner::plan(std::string_view sql, const std::shared_ptr<const Tables>& tables,
                                          std::string_view user) {
  const std::string key = shape_key(sql, user, tables != nullptr);
  Known& known = known_[key];
  if (known.plan == nullptr || known.tables != tables) {
    known.plan = std::make_shared<const Plan>(plan_of(sql, lexer_.tokens(sql), tables, user));
    known.tables = tables;
  }
  return known.plan;
}

Rewriting Planner::rewrite(std::string_view sql, const Plan& plan) {
  std::size_t at = sql.size();
  if (plan.before_token != kAtEnd) {
    const auto& tokens = lexer_.tokens(sql);
    at = tokens[std::min(plan.before_token, tokens.size() - 1)].offset;
  }
  Rewriting out;
  out.sql.reserve(sql.size() + plan.added.size());
  out.sql.append(sql.substr(0, at)).append(plan.added).append(sql.substr(at));
  out.from = characters(sql.substr(0, at));
  out.length = characters(plan.added);
  return out;
}

void Planner::give_up(std::string_view sql, std::string_view user, std::string_view why_not) {
  Known& known = known_[shape_key(sql, user, true)];
  if (known.plan == nullptr) return;
  known.plan = plain(*known.plan, why_not);
}

std::shared_ptr<const Plan> Planner::plain(const Plan& plan, std::string_view why_not) {
  Plan out;
  out.steps = plan.steps;
  out.steps[0] = {.kind = Kind::kUnjudged, .name = {}, .why_not = why_not};
  return std::make_shared<const Plan>(std::move(out));
}

}  // namespace isolde::proxy::capture
