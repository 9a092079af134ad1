// db/guard/file_sql_postgres.cc: file_sql.h for PostgreSQL: every node of the parse tree is of a kind that is listed
// here.
#include <fmt/format.h>
#include <pg_query.h>
#include <simdjson.h>

#include <algorithm>
#include <iterator>

#include "base/ascii.h"
#include "db/guard/file_sql.h"
#include "db/guard/file_sql_dialects.h"

namespace isolde::db {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t kLongest = std::size_t{1} << 14;  // what the parser takes apart by recursion

// Sorted. Kinds of nodes that are harmless wherever they stand.
constexpr std::string_view kHarmless[] = {
    "A_ArrayExpr", "A_Const",          "A_Expr",     "A_Indices",       "A_Indirection",   "A_Star",
    "Alias",       "BitString",        "BoolExpr",   "Boolean",         "BooleanTest",     "CaseExpr",
    "CaseWhen",    "CoalesceExpr",     "ColumnDef",  "ColumnRef",       "CommonTableExpr", "Constraint",
    "CreateStmt",  "DeleteStmt",       "Float",      "GroupingFunc",    "GroupingSet",     "IndexElem",
    "IndexStmt",   "InferClause",      "InsertStmt", "Integer",         "JoinExpr",        "List",
    "LockStmt",    "LockingClause",    "MergeStmt",  "MergeWhenClause", "MinMaxExpr",      "MultiAssignRef",
    "NullTest",    "OnConflictClause", "ParamRef",   "RangeFunction",   "RangeSubselect",  "ResTarget",
    "RowExpr",     "SQLValueFunction", "SelectStmt", "SetToDefault",    "SortBy",          "String",
    "SubLink",     "TruncateStmt",     "TypeCast",   "TypeName",        "UpdateStmt",      "ViewStmt",
    "WindowDef",   "WithClause",
};
static_assert(std::is_sorted(std::begin(kHarmless), std::end(kHarmless)));

// Sorted. Settings that change how a statement runs, not what it means or whose it is.
constexpr std::string_view kSettings[] = {
    "client_min_messages",
    "deadlock_timeout",
    "default_transaction_deferrable",
    "default_transaction_isolation",
    "default_transaction_read_only",
    "enable_bitmapscan",
    "enable_hashagg",
    "enable_hashjoin",
    "enable_indexonlyscan",
    "enable_indexscan",
    "enable_material",
    "enable_mergejoin",
    "enable_nestloop",
    "enable_seqscan",
    "enable_sort",
    "enable_tidscan",
    "force_parallel_mode",
    "idle_in_transaction_session_timeout",
    "jit",
    "lock_timeout",
    "log_lock_waits",
    "max_parallel_workers_per_gather",
    "statement_timeout",
    "synchronous_commit",
    "transaction_deferrable",
    "transaction_isolation",
    "transaction_read_only",
};
static_assert(std::is_sorted(std::begin(kSettings), std::end(kSettings)));

template <std::size_t kSize>
bool listed(const std::string_view (&names)[kSize], std::string_view name) {
  return std::binary_search(std::begin(names), std::end(names), name);
}

std::string_view text_member(const object& fields, const char* name) {
  std::string_view text;
  return fields[name].get(text) ? std::string_view() : text;
}

struct FileStatement {
  explicit FileStatement(const std::string& sql) : raw(pg_query_parse(sql.c_str())) {}
  FileStatement(const FileStatement&) = delete;
  FileStatement& operator=(const FileStatement&) = delete;
  ~FileStatement() { pg_query_free_parse_result(raw); }
  PgQueryParseResult raw;
};

// The last part of a name that is a list of strings; empty if it has other parts than `pg_catalog` before it.
std::string_view plain_name(const object& fields, const char* member) {
  simdjson::dom::array parts;
  if (fields[member].get(parts)) return {};
  std::string_view name;
  std::size_t at = 0;
  const std::size_t count = parts.size();
  for (const element part : parts) {
    std::string_view text;
    if (part["String"]["sval"].get(text)) return {};
    if (++at < count && (count > 2 || text != "pg_catalog")) return {};
    name = text;
  }
  return name;
}

// The names that WITH gives to queries, wherever they stand.
void collect_common_tables(const element& part, OwnTables& names) {
  if (simdjson::dom::array items; !part.get(items)) {
    for (const element item : items) collect_common_tables(item, names);
    return;
  }
  object fields;
  if (part.get(fields)) return;
  if (const std::string_view name = text_member(fields, "ctename"); !name.empty()) names.insert(lower_case(name));
  for (const auto [name, value] : fields) collect_common_tables(value, names);
}

// What a statement may name.
struct KnownTables {
  const OwnTables& own;
  OwnTables common;  // to read from

  [[nodiscard]] std::string why_not(std::string_view name, bool target) const {
    const std::string lower = lower_case(name);
    if (own.contains(lower) || (!target && common.contains(lower))) return {};
    return fmt::format("it names {}, which is not one of the file's own tables", name);
  }
};

// Kinds of nodes that are harmless with some contents only. "" if this one is.
std::string why_node_refused(std::string_view kind, const object& fields, const KnownTables& tables,
                             bool target = false) {
  if (kind == "RangeVar") {
    if (text_member(fields, "schemaname").empty() && text_member(fields, "catalogname").empty())
      return tables.why_not(text_member(fields, "relname"), target);
    return fmt::format("it names a table of a schema ({}.{})", text_member(fields, "schemaname"),
                       text_member(fields, "relname"));
  }
  if (kind == "FuncCall") {
    const std::string_view name = plain_name(fields, "funcname");
    if (!name.empty() && only_computes(name)) return {};
    return fmt::format("it calls {}", name.empty() ? "a function of a schema" : fmt::format("{}()", name));
  }
  if (kind == "TransactionStmt") {
    const std::string_view what = text_member(fields, "kind");
    return what.find("PREPARED") == std::string_view::npos && what.find("PREPARE") == std::string_view::npos
               ? ""
               : "it prepares a transaction that would outlive the session";
  }
  if (kind == "VariableSetStmt") {
    const std::string_view name = text_member(fields, "name");
    if (listed(kSettings, name) || name == "TRANSACTION" || name == "SESSION CHARACTERISTICS") return {};
    return name.empty() ? "it changes all settings" : fmt::format("it sets {}", name);
  }
  if (kind == "VariableShowStmt") return {};
  if (kind == "DefElem") {
    static constexpr std::string_view kOptions[] = {
        "autovacuum_enabled",     "deduplicate_items",     "fillfactor",
        "transaction_deferrable", "transaction_isolation", "transaction_read_only"};
    const std::string_view name = text_member(fields, "defname");
    return listed(kOptions, name) ? "" : fmt::format("it has the option {}", name);
  }
  if (kind == "DropStmt") {
    const std::string_view what = text_member(fields, "removeType");
    // An index is named without its table: it could be anybody's.
    if (what != "OBJECT_TABLE" && what != "OBJECT_VIEW") return "it drops something that is not a table or view";
    simdjson::dom::array all;
    if (fields["objects"].get(all)) return "it drops something that has no name";
    for (const element one : all) {
      simdjson::dom::array parts;
      if (one["List"]["items"].get(parts) || parts.size() != 1) return "it drops a table of a schema";
      std::string_view name;
      if (parts.at(0)["String"]["sval"].get(name)) return "it drops something that has no name";
      if (std::string why = tables.why_not(name, true); !why.empty()) return why;
    }
    return {};
  }
  if (kind == "AlterTableStmt")
    return text_member(fields, "objtype") == "OBJECT_TABLE" ? "" : "it alters something that is not a table";
  if (kind == "AlterTableCmd") {
    static constexpr std::string_view kChanges[] = {
        "AT_AddColumn",      "AT_AddConstraint", "AT_ColumnDefault", "AT_DropColumn",
        "AT_DropConstraint", "AT_DropNotNull",   "AT_SetNotNull",    "AT_SetRelOptions",
    };
    const std::string_view what = text_member(fields, "subtype");
    return listed(kChanges, what) ? "" : fmt::format("it alters a table in a way that is not listed ({})", what);
  }
  return fmt::format("it has a part that is not listed ({})", kind);
}

// Members of harmless nodes that reach outside of a table's own.
std::string why_member_refused(std::string_view member) {
  if (member == "tablespacename" || member == "tableSpace") return "it names a tablespace";
  if (member == "accessMethod") return {};
  if (member == "oldNode" || member == "partspec" || member == "partbound" || member == "ofTypename")
    return "it makes a table that is not listed (partition or type)";
  return {};
}

// The first part that is refused, depth first: as deep as simdjson lets a document be.
std::string why_part_refused(const element& part, const KnownTables& tables) {
  if (simdjson::dom::array items; !part.get(items)) {
    for (const element item : items) {
      if (std::string why = why_part_refused(item, tables); !why.empty()) return why;
    }
    return {};
  }
  object fields;
  if (part.get(fields)) return {};  // a scalar
  for (const auto [name, value] : fields) {
    // A node is an object with one member, its kind, which begins with a capital letter.
    const bool is_node = !name.empty() && name.front() >= 'A' && name.front() <= 'Z';
    object inner;
    if (is_node && !listed(kHarmless, name) && !value.get(inner)) {
      if (std::string why = why_node_refused(name, inner, tables); !why.empty()) return why;
    }
    if (!is_node) {
      if (name == "lockedRels") continue;  // FOR UPDATE OF: names that FROM gave
      if (std::string why = why_member_refused(name); !why.empty()) return why;
      // libpg_query leaves out the kind where a member can be of one kind only.
      if ((name == "relation" || name == "view" || name == "pktable") && !value.get(inner)) {
        if (std::string why = why_node_refused("RangeVar", inner, tables, true); !why.empty()) return why;
      }
      if (name == "intoClause") return "it makes a table from a query";
    }
    if (std::string why = why_part_refused(value, tables); !why.empty()) return why;
  }
  return {};
}

}  // namespace

std::string why_postgres_refuses(std::string_view sql, const OwnTables& own) {
  if (sql.size() > kLongest) return fmt::format("it is longer than {} bytes", kLongest);
  if (!simdjson::validate_utf8(sql.data(), sql.size())) return "it is not valid UTF-8";
  const std::string text(sql);
  const FileStatement parsed(text);
  if (parsed.raw.error != nullptr) return fmt::format("PostgreSQL cannot parse it ({})", parsed.raw.error->message);
  simdjson::dom::parser parser;
  element tree;
  simdjson::dom::array statements;
  const std::string json(parsed.raw.parse_tree);
  if (parser.parse(json).get(tree) || tree["stmts"].get(statements)) return "it is nested too deeply";
  if (statements.size() != 1) return statements.size() == 0 ? "there is no statement" : "it is more than one statement";
  element statement;
  if (statements.at(0)["stmt"].get(statement)) return "there is no statement";
  KnownTables tables{own, {}};
  collect_common_tables(statement, tables.common);
  return why_part_refused(statement, tables);
}

}  // namespace isolde::db
