// Which statement it is; and, when all of it was walked, its rows and accesses.
#include "audit/sql/meaning.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <tuple>

namespace isolde::audit {

using tree::as;
using tree::child;
using tree::flag;
using tree::inner;
using tree::list;
using tree::node_of;
using tree::text;

namespace {

// Statements that say nothing about rows.
constexpr std::array<std::string_view, 19> kNoDataStatements = {
    "VariableSetStmt", "VariableShowStmt", "TransactionStmt", "FetchStmt",          "ClosePortalStmt",
    "PrepareStmt",     "DeallocateStmt",   "ListenStmt",      "NotifyStmt",         "UnlistenStmt",
    "DiscardStmt",     "CheckPointStmt",   "VacuumStmt",      "LoadStmt",           "ConstraintsSetStmt",
    "ReindexStmt",     "ClusterStmt",      "AlterSystemStmt", "ReplicaIdentityStmt"};

// Beginnings of the names of those that change the schema.
constexpr std::array<std::string_view, 14> kSchemaStatements = {
    "Create", "Alter",   "Drop",   "Index",   "View",     "Rename",        "Grant",
    "Rule",   "Comment", "Define", "Refresh", "SecLabel", "ImportForeign", "Reassign"};

}  // namespace

void Meaning::statement(const tree::Node& node) {
  const std::string_view type = node.type;
  if (type == "SelectStmt" || type == "InsertStmt" || type == "UpdateStmt" || type == "DeleteStmt" ||
      type == "MergeStmt") {
    const Query query = query_of(node, nullptr);
    drafts_.insert(drafts_.end(), query.drafts.begin(), query.drafts.end());
    if (!named_.empty()) did(StatementKind::kSelect);
    return;
  }
  if (type == "TruncateStmt") return truncate(node.fields);
  if (type == "ExplainStmt") return explain(node.fields);
  if (type == "CopyStmt") return copy(node.fields);
  if (type == "CreateTableAsStmt") return create_as(node.fields);
  if (type == "DeclareCursorStmt") {
    const auto json = child(node.fields, "query");
    if (const auto query = json ? node_of(*json) : std::nullopt) statement(*query);
    return;
  }
  if (type == "CallStmt" || type == "DoStmt") return fail("what the procedure does is not in the trace");
  if (type == "LockStmt") return lock_statement(node.fields);
  if (type == "ExecuteStmt") return fail("what was prepared is not in the trace");
  if (std::ranges::find(kNoDataStatements, type) != kNoDataStatements.end()) return;
  const bool changes_schema =
      std::ranges::any_of(kSchemaStatements, [&](std::string_view begin) { return type.starts_with(begin); });
  if (changes_schema) return did(StatementKind::kSchemaChange);
  fail("a kind of statement that is not known: " + std::string(type));
}

// Only EXPLAIN ANALYZE carries it out.
void Meaning::explain(Fields fields) {
  const bool runs = std::ranges::any_of(list(fields, "options"), [](Json option) {
    const auto element = as(option, "DefElem");
    return element && text(*element, "defname") == "analyze";
  });
  const auto json = child(fields, "query");
  const auto query = json ? node_of(*json) : std::nullopt;
  if (runs && query) statement(*query);
}

void Meaning::copy(Fields fields) {
  if (const auto json = child(fields, "query")) {
    if (const auto query = node_of(*json)) statement(*query);
    return;
  }
  const auto relation = inner(fields, "relation");
  if (!relation) return;
  const Scope scope;
  const bool from = flag(fields, "is_from");
  const std::uint32_t source = table_source(*relation, scope, from);
  if (from) {
    write_all(source, drafts_, true, false);
  } else {
    read_all(source, drafts_, false);
  }
  did(from ? StatementKind::kInsert : StatementKind::kSelect);
}

void Meaning::create_as(Fields fields) {
  const auto json = child(fields, "query");
  const auto query = json ? as(*json, "SelectStmt") : std::nullopt;
  const auto into = inner(fields, "into");
  const auto target = into ? inner(*into, "rel") : std::nullopt;
  if (!query || !target || text(fields, "objtype") == "OBJECT_MATVIEW") return did(StatementKind::kSchemaChange);
  did(StatementKind::kInsert);
  const Query made = select(*query, nullptr);
  drafts_.insert(drafts_.end(), made.drafts.begin(), made.drafts.end());
  make_table(*target, made.outputs, drafts_);
}

// A table that is made from what a SELECT tells.
void Meaning::make_table(Fields range_var, const std::vector<Output>& outputs, Drafts& to) {
  const Scope scope;
  const std::uint32_t source = table_source(range_var, scope, true);
  const TableId table = sources_[source].table;
  if (table == kNoTable) return;
  for (const Output& output : outputs) {
    if (!output.name.empty()) (void)names_.find_or_add(table, output.name);
  }
  write_all(source, to, true, false);
}

void Meaning::did(StatementKind kind) {
  const bool nothing_yet = kind_ == StatementKind::kNoData || kind_ == StatementKind::kSelect;
  if (nothing_yet) kind_ = kind;
}

void Meaning::fail(std::string why) {
  if (why_not_.empty()) why_not_ = std::move(why);
}

void Meaning::emit(Drafts& to, Action action, SourceColumn what, bool in_where) {
  Access access{.action = action, .column = what.column, .row_set = 0};
  access.in_where = in_where;
  to.push_back({.access = access, .source = what.source});
  touched_[what.source] = true;
}

bool Meaning::is_in_key(ColumnId column) const {
  const Table& table = names_.table(names_.schema().column(column).table);
  const auto has = [&](const std::vector<ColumnId>& key) { return std::ranges::find(key, column) != key.end(); };
  return has(table.primary_key) || std::ranges::any_of(table.unique_keys, has) ||
         std::ranges::any_of(table.foreign_keys, has, &ForeignKey::columns);
}

// x = x + 1 can change places with another only if the statement does not look at x otherwise.
void Meaning::judge_increments() {
  for (AccessDraft& draft : drafts_) {
    if (!draft.access.increments) continue;
    const ColumnId column = draft.access.column;
    const bool read_too = std::ranges::any_of(drafts_, [&](const AccessDraft& other) {
      return other.access.action == Action::kRead && other.access.column == column && !other.of_increment;
    });
    const bool set_too = std::ranges::any_of(drafts_, [&](const AccessDraft& other) {
      return other.access.action == Action::kWrite && other.access.column == column && !other.access.increments &&
             !other.access.inserts;
    });
    if (read_too || set_too || is_in_key(column)) draft.access.increments = false;
  }
}

void Meaning::make_rows(Statement& statement) {
  constexpr std::uint16_t kUnmade = std::numeric_limits<std::uint16_t>::max();
  equalities_.solve();
  row_set_of_.assign(sources_.size(), kUnmade);
  std::vector<bool> written(sources_.size(), false), told_apart;
  for (const AccessDraft& draft : drafts_) {
    if (draft.access.action == Action::kWrite) written[draft.source] = true;
  }
  for (const AccessDraft& draft : drafts_) {
    const std::uint32_t source = draft.source;
    if (row_set_of_[source] != kUnmade) continue;
    const TableId table = sources_[source].table;
    RowSet rows{.table = table,
                .keys = equalities_.keys_of(source),
                .unlike = equalities_.unlike_of(source),
                .among = equalities_.among_of(source),
                .like = equalities_.like_of(source),
                .just_now = equalities_.just_now_of(source),
                .long_ago = equalities_.long_ago_of(source)};
    rows.single = single_[source].value_or(covers_a_key(names_.table(table), rows.keys));
    // Two mentions of a table are the same rows to us if nothing tells them apart; but those that are written are
    // not those that a subquery reads.
    const bool telling =
        written[source] || rows.single || !rows.keys.empty() || !rows.unlike.empty() || !rows.long_ago.empty();
    const auto same =
        telling ? statement.row_sets.end() : std::ranges::find_if(statement.row_sets, [&](const RowSet& other) {
          const auto place = static_cast<std::size_t>(&other - statement.row_sets.data());
          return other.table == table && !told_apart[place];
        });
    row_set_of_[source] = static_cast<std::uint16_t>(same - statement.row_sets.begin());
    if (same == statement.row_sets.end()) {
      statement.row_sets.push_back(std::move(rows));
      told_apart.push_back(telling);
    }
  }
}

void Meaning::make_accesses(Statement& statement) {
  const bool writes =
      std::ranges::any_of(drafts_, [](const AccessDraft& d) { return d.access.action == Action::kWrite; });
  using Identity = std::tuple<Action, Lock, ColumnId, std::uint16_t, unsigned>;
  std::set<std::pair<Identity, std::size_t>> seen;
  for (const AccessDraft& draft : drafts_) {
    Access access = draft.access;
    access.row_set = row_set_of_[draft.source];
    const RowSet& rows = statement.row_sets[access.row_set];
    if (access.action == Action::kRead) access.of_write = writes;
    if (draft.of_target_where && rows.single) {
      access.lock = Lock::kExclusive;
      access.of_written_row = !std::ranges::binary_search(rows.keys, access.column, {}, &RowKey::column);
    }
    const unsigned flags = (access.counts_only ? 1U : 0U) | (access.increments ? 2U : 0U) | (access.inserts ? 4U : 0U) |
                           (access.deletes ? 8U : 0U) | (access.foreign_key ? 16U : 0U) |
                           (access.of_written_row ? 32U : 0U);
    const Identity identity{access.action, access.lock, access.column, access.row_set, flags};
    const auto known = seen.lower_bound({identity, 0});
    if (known != seen.end() && known->first == identity) {
      if (access.in_where) statement.accesses[known->second].in_where = true;
      continue;
    }
    seen.insert({identity, statement.accesses.size()});
    statement.accesses.push_back(access);
  }
}

Statement Meaning::finish() {
  Statement statement;
  judge_increments();
  if (why_not_.empty()) make_rows(statement);
  if (why_not_.empty()) make_accesses(statement);
  for (const std::vector<TableId>* tables : {&written_, &named_}) {
    for (const TableId table : *tables) {
      if (table != kNoTable && std::ranges::find(statement.tables, table) == statement.tables.end()) {
        statement.tables.push_back(table);
      }
    }
  }
  statement.kind = kind_;
  statement.assigned = std::move(assigned_);
  statement.given_again = std::move(given_again_);
  statement.assigned_negative = std::move(assigned_negative_);
  statement.nulls = std::move(nulls_);
  statement.plain_list = plain_list_ && kind_ == StatementKind::kSelect;
  statement.picks_one = picks_one_ && kind_ == StatementKind::kSelect;
  statement.one_number = one_number_ && kind_ == StatementKind::kSelect;
  statement.ordered_by = std::move(ordered_by_);
  statement.keeps_old_row = keeps_old_row_;
  statement.calls = std::move(unknown_function_);
  if (why_not_.empty() && statement.accesses.empty() && !statement.calls.empty())
    why_not_ = "what the function " + statement.calls + "() does is not in the trace";
  statement.changes = std::move(added_to_);
  if (why_not_.empty()) return statement;
  statement.kind = StatementKind::kNotUnderstood;
  statement.why_not = std::move(why_not_);
  statement.row_sets.clear();
  statement.accesses.clear();
  return statement;
}

Statement understand_postgres(const PostgresText& text, std::span<const std::string_view> literals, Names& names) {
  tree::Tree tree;
  if (!tree.parse(text.sql)) {
    Statement refused;
    refused.why_not = "PostgreSQL's grammar: " + tree.why_not();
    return refused;
  }
  Meaning meaning(names, text, literals);
  for (const tree::Node& node : tree.statements()) meaning.statement(node);
  return meaning.finish();
}

}  // namespace isolde::audit
