// SELECT, set operations, VALUES, WITH, and the columns that an expression reads.
#include <algorithm>

#include "audit/sql/meaning.h"
#include "base/ascii.h"

namespace isolde::audit {

using tree::as;
using tree::child;
using tree::flag;
using tree::inner;
using tree::list;
using tree::node_of;
using tree::text;

namespace {

Lock lock_of(std::string_view strength) {
  if (strength == "LCS_FORUPDATE" || strength == "LCS_FORNOKEYUPDATE") return Lock::kExclusive;
  if (strength == "LCS_FORSHARE" || strength == "LCS_FORKEYSHARE") return Lock::kShare;
  return Lock::kNone;
}

// A list of nothing but count(…), sum(…) and the like, of all rows together; COALESCE around it does not matter.
bool gives_one_number(tree::Fields fields) {
  const std::vector<tree::Json> targets = list(fields, "targetList");
  const auto target = targets.size() == 1 ? as(targets[0], "ResTarget") : std::nullopt;
  auto value = target ? child(*target, "val") : std::nullopt;
  if (!value || child(fields, "groupClause")) return false;
  auto node = node_of(tree::without_casts(*value));
  if (node && node->type == "A_Expr") {  // … nor does a constant that is added
    const auto left = child(node->fields, "lexpr"), right = child(node->fields, "rexpr");
    if (!left || !right || !(as(*right, "A_Const") || as(*right, "ParamRef"))) return false;
    node = node_of(tree::without_casts(*left));
  }
  if (!node) return false;
  const auto called = [](tree::Fields call) {
    const auto names = tree::names(call, "funcname");
    return names.empty() ? std::string() : lower_case(names.back());
  };
  auto call = node->type == "FuncCall" ? std::optional(node->fields) : std::nullopt;
  if (node->type == "CoalesceExpr" || (call && called(*call) == "ifnull")) {
    const std::vector<tree::Json> args = list(node->fields, "args");
    call = args.empty() ? std::nullopt : as(tree::without_casts(args[0]), "FuncCall");
  }
  if (!call || child(*call, "over")) return false;
  const std::string name = called(*call);
  return name == "count" || name == "sum" || name == "avg" || name == "min" || name == "max";
}

// The name that a result column has if it is given none.
std::string own_name(tree::Json value) {
  const auto node = node_of(tree::without_casts(value));
  if (!node) return {};
  const auto names = tree::names(node->fields, node->type == "ColumnRef" ? "fields" : "funcname");
  return names.empty() ? std::string{} : lower_case(names.back());
}

}  // namespace

Drafts Parts::in_order() {
  Drafts all = std::move(joins);
  for (const Drafts* part : {&with, &of_target, &of_from, &of_where, &of_rest, &where, &main}) append(all, *part);
  return all;
}

Query Meaning::query_of(const tree::Node& node, const Scope* outer) {
  if (node.type == "SelectStmt") return select(node.fields, outer);
  if (node.type == "InsertStmt") return insert(node.fields, outer);
  if (node.type == "UpdateStmt") return update(node.fields, outer);
  if (node.type == "DeleteStmt") return remove(node.fields, outer);
  if (node.type == "MergeStmt") return merge(node.fields, outer);
  return {};
}

void Meaning::with_clause(Fields fields, Scope& scope, Drafts& drafts) {
  const auto with = inner(fields, "withClause");
  if (!with) return;
  const bool recursive = flag(*with, "recursive");
  for (const Json item : list(*with, "ctes")) {
    const auto cte = as(item, "CommonTableExpr");
    if (!cte) continue;
    const auto names = tree::names(*cte, "aliascolnames");
    WithQuery made{.name = lower_case(text(*cte, "ctename"))};
    for (const std::string_view name : names) made.outputs.push_back({.name = lower_case(name)});
    const auto query_json = child(*cte, "ctequery");
    const auto node = query_json ? node_of(*query_json) : std::nullopt;
    if (!node) continue;
    Scope inside{.outer = &scope};
    // While a recursive query is read, its own name stands for what it makes, whose columns are not known yet.
    if (recursive) inside.with.push_back({.name = made.name, .outputs = made.outputs, .open = true});
    Query query = query_of(*node, &inside);
    append(drafts, query.drafts);
    for (std::size_t i = 0; i < query.outputs.size(); ++i) {
      if (i >= made.outputs.size()) made.outputs.push_back({.name = query.outputs[i].name});
    }
    made.open = query.open;
    // It may be named more than once, each time for other rows: what it is told of is not kept.
    scope.with.push_back(std::move(made));
  }
}

Query Meaning::select(Fields fields, const Scope* outer) {
  if (const std::string_view op = text(fields, "op"); !op.empty() && op != "SETOP_NONE") {
    return set_operation(fields, outer);
  }
  if (!list(fields, "valuesLists").empty()) return values(fields, outer);
  Query query;
  Parts parts;
  Scope with{.outer = outer};
  with_clause(fields, with, parts.with);
  Scope scope{.outer = &with};
  const std::vector<Json> from = list(fields, "fromClause");
  for (const Json item : from) from_item(item, scope, parts);
  query.one_row = from.empty();

  bool has_window = false;
  if (const auto where = child(fields, "whereClause")) {
    Place place{.scope = scope, .reads = parts.where, .subqueries = parts.of_where, .in_where = true};
    walk(*where, place);
    equalities(*where, scope, nullptr);
  }
  select_list(fields, "targetList", scope, parts, query, has_window);
  Place rest{.scope = scope, .reads = parts.main, .subqueries = parts.of_rest, .clause = Clause::kGroupBy};
  for (const std::string_view clause : {"distinctClause", "groupClause", "havingClause", "windowClause"}) {
    if (const auto part = child(fields, clause)) walk(*part, rest);
  }
  rest.clause = Clause::kOrderBy;
  const std::size_t before_order = parts.main.size();
  for (const std::string_view clause : {"sortClause", "limitOffset", "limitCount"}) {
    if (const auto part = child(fields, clause)) walk(*part, rest);
  }
  if (outer == nullptr) one_number_ = !has_window && gives_one_number(fields);
  if (outer == nullptr && parts.with.empty()) judge_list(fields, scope, std::span(parts.main).subspan(before_order));
  read_presence(scope, parts.main);
  lock_rows(fields, scope, parts);

  // What is asked of the result can be asked of the rows only if each row stands for itself.
  bool filtered = has_window || rest.has_window;
  for (const std::string_view clause : {"distinctClause", "groupClause", "havingClause", "limitOffset", "limitCount"}) {
    filtered = filtered || child(fields, clause).has_value();
  }
  if (filtered) {
    for (Output& output : query.outputs) output.base.reset();
  }
  if (const auto into = inner(fields, "intoClause")) {
    if (const auto target = inner(*into, "rel")) {
      make_table(*target, query.outputs, parts.main);
      did(StatementKind::kInsert);
    }
  }
  query.drafts = parts.in_order();
  return query;
}

// Of the whole statement: is each row of the result one row of a table, and which columns decide on their order?
void Meaning::judge_list(Fields fields, const Scope& scope, std::span<const AccessDraft> of_order) {
  if (scope.sources.size() != 1 || sources_[scope.sources[0]].table == kNoTable || views_open_ > 0) return;
  if (sources_.size() != 1) return;  // subqueries
  for (const std::string_view clause :
       {"distinctClause", "groupClause", "havingClause", "windowClause", "limitOffset"}) {
    if (child(fields, clause)) return;
  }
  const auto limit = child(fields, "limitCount");
  const auto count = limit ? literal(*limit) : std::nullopt;
  const std::vector<Json> targets = list(fields, "targetList");
  const auto value_of = [](Json item) {
    const auto target = as(item, "ResTarget");
    return target ? child(*target, "val") : std::nullopt;
  };
  if (targets.size() == 1 && !limit) {
    const auto value = value_of(targets[0]);
    const auto call = value ? as(*value, "FuncCall") : std::nullopt;
    const auto function = call ? tree::names(*call, "funcname") : std::vector<std::string_view>{};
    const std::vector<Json> args = call ? list(*call, "args") : std::vector<Json>{};
    if (!function.empty() && args.size() == 1 && as(args[0], "ColumnRef").has_value()) {
      const std::string name = lower_case(function.back());
      picks_one_ = name == "min" || name == "max";
    }
    if (call) return;
  }
  for (const Json item : targets) {
    const auto value = value_of(item);
    if (!value || !as(*value, "ColumnRef")) return;
  }
  const std::vector<Json> order = list(fields, "sortClause");
  for (const Json item : order) {
    const auto sort = as(item, "SortBy");
    const auto by = sort ? child(*sort, "node") : std::nullopt;
    if (!by || !as(*by, "ColumnRef")) return;
  }
  if (order.size() != of_order.size()) return;  // by the name of something in the list
  for (const AccessDraft& read : of_order) ordered_by_.push_back(read.access.column);
  plain_list_ = true;
  picks_one_ = count && literals_[*count] == "1";
}

Query Meaning::set_operation(Fields fields, const Scope* outer) {
  Query query;
  Scope with{.outer = outer};
  with_clause(fields, with, query.drafts);
  // A chain of UNIONs is as deep as it is long.
  std::vector<Fields> arms;
  Fields left = fields;
  const auto plain = [](Fields select) {
    return text(select, "op") != "SETOP_NONE" && !inner(select, "withClause") && !child(select, "sortClause") &&
           !child(select, "limitCount") && !child(select, "limitOffset");
  };
  while (true) {
    const auto l = inner(left, "larg");
    const auto r = inner(left, "rarg");
    if (r) arms.push_back(*r);
    if (!l) break;
    left = *l;
    if (!plain(left)) {
      arms.push_back(left);
      break;
    }
  }
  std::ranges::reverse(arms);
  Scope scope{.outer = &with};
  for (const Fields arm : arms) {
    Query part = select(arm, &with);
    append(query.drafts, part.drafts);
    query.open = query.open || part.open;
    if (query.outputs.empty()) {
      for (const Output& output : part.outputs) query.outputs.push_back({.name = output.name});
    }
  }
  for (const Output& output : query.outputs) scope.aliases.push_back(output.name);
  Drafts reads, subqueries;
  Place place{.scope = scope, .reads = reads, .subqueries = subqueries, .clause = Clause::kOrderBy};
  for (const std::string_view clause : {"sortClause", "limitOffset", "limitCount"}) {
    if (const auto part = child(fields, clause)) walk(*part, place);
  }
  append(query.drafts, subqueries);
  append(query.drafts, reads);
  return query;
}

Query Meaning::values(Fields fields, const Scope* outer) {
  Query query;
  Scope with{.outer = outer};
  with_clause(fields, with, query.drafts);
  const Scope scope{.outer = &with};
  Drafts reads, subqueries;
  Place place{.scope = scope, .reads = reads, .subqueries = subqueries};
  const std::vector<Json> rows = list(fields, "valuesLists");
  for (const Json row : rows) walk(row, place);
  append(query.drafts, subqueries);
  append(query.drafts, reads);
  if (const auto first = as(rows.front(), "List")) {
    for (const Json item : list(*first, "items")) {
      Output output{.name = "column" + std::to_string(query.outputs.size() + 1)};
      if (rows.size() == 1) output.literal = literal(item);
      query.outputs.push_back(std::move(output));
    }
  }
  query.one_row = rows.size() == 1;
  return query;
}

void Meaning::select_list(Fields fields, std::string_view name, Scope& scope, Parts& parts, Query& query,
                          bool& has_window) {
  Place place{.scope = scope, .reads = parts.main, .subqueries = parts.of_target};
  for (const Json item : list(fields, name)) {
    const auto target = as(item, "ResTarget");
    const auto value = target ? child(*target, "val") : std::nullopt;
    if (!value) continue;
    walk(*value, place);
    const auto column = as(*value, "ColumnRef");
    const auto parts_of_name = column ? tree::names(*column, "fields") : std::vector<std::string_view>{};
    if (!parts_of_name.empty() && parts_of_name.back() == "*") {
      if (parts_of_name.size() == 1) {
        for (const std::uint32_t source : scope.sources) append_outputs(source, query);
      } else if (const auto source = resolver_.source_of(lower_case(parts_of_name[parts_of_name.size() - 2]), scope)) {
        append_outputs(*source, query);
      }
      continue;
    }
    Output output{.name = lower_case(text(*target, "name"))};
    if (!output.name.empty()) scope.aliases.push_back(output.name);
    if (output.name.empty()) output.name = own_name(*value);
    const Meant meant = term(*value, scope);
    if (meant.kind == Meant::Kind::kColumn) output.base = meant.column;
    if (meant.kind == Meant::Kind::kMade) {
      output.base = meant.base;
      output.literal = meant.literal;
    }
    query.outputs.push_back(std::move(output));
  }
  has_window = place.has_window;
}

void Meaning::append_outputs(std::uint32_t source, Query& query) const {
  const FromSource& from = sources_[source];
  query.open = query.open || from.open;
  query.outputs.insert(query.outputs.end(), from.outputs.begin(), from.outputs.end());
  if (from.table == kNoTable) return;
  const Table& table = names_.table(from.table);
  query.open = query.open || table.learned;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ColumnId column = table.columns[i];
    query.outputs.push_back(
        {.name = i < from.renamed.size() ? from.renamed[i] : lower_case(names_.schema().column(column).name),
         .base = SourceColumn{source, column}});
  }
}

// A table of which no column is read still tells whether it has rows.
void Meaning::read_presence(const Scope& scope, Drafts& reads) {
  for (const std::uint32_t source : scope.sources) {
    if (sources_[source].table == kNoTable || touched_[source]) continue;
    const Table& table = names_.table(sources_[source].table);
    if (table.columns.empty()) {
      if (!names_.learns()) fail("no column of the table " + table.name + " is known");
      continue;
    }
    emit(reads, Action::kRead, {source, table.primary_key.empty() ? table.columns[0] : table.primary_key[0]}, true);
    reads.back().access.counts_only = true;
  }
}

void Meaning::lock_rows(Fields fields, const Scope& scope, Parts& parts) {
  for (const Json item : list(fields, "lockingClause")) {
    const auto clause = as(item, "LockingClause");
    if (!clause) continue;
    const Lock lock = lock_of(text(*clause, "strength"));
    const bool skips = text(*clause, "waitPolicy") == "LockWaitSkip";
    Sources locked;
    const std::vector<Json> named = list(*clause, "lockedRels");
    for (const std::uint32_t source : scope.sources) {
      const bool meant = named.empty() || std::ranges::any_of(named, [&](Json relation) {
                           const auto range_var = as(relation, "RangeVar");
                           return range_var && lower_case(text(*range_var, "relname")) == sources_[source].alias;
                         });
      if (meant) locked.push_back(source);
    }
    for (Drafts* part : {&parts.joins, &parts.where, &parts.main}) {
      for (AccessDraft& draft : *part) {
        if (std::ranges::find(locked, draft.source) == locked.end()) continue;
        draft.access.lock = std::max(draft.access.lock, lock);
        draft.access.skips_locked = draft.access.skips_locked || skips;
      }
    }
  }
}

void Meaning::walk(Json json, Place& place) {
  if (simdjson::dom::array items; !json.get(items)) {
    for (const Json item : items) walk(item, place);
    return;
  }
  Fields fields;
  if (json.get(fields)) return;
  for (const auto [key, value] : fields) {
    Fields node;
    if (key == "ColumnRef" && !value.get(node)) {
      column_reference(node, place);
    } else if (key == "SelectStmt" && !value.get(node)) {
      append(place.subqueries, select(node, &place.scope).drafts);
    } else if (key == "FuncCall" && !value.get(node)) {
      place.has_window = place.has_window || inner(node, "over").has_value();
      function_call(node, place);
      walk(value, place);
    } else if (key != "typeName" && (value.is_object() || value.is_array())) {
      walk(value, place);
    }
  }
}

void Meaning::column_reference(Fields fields, Place& place) {
  const auto parts = tree::names(fields, "fields");
  if (parts.empty()) return;
  if (parts.back() == "*") {
    if (parts.size() > 1) {
      if (const auto source = resolver_.source_of(lower_case(parts[parts.size() - 2]), place.scope)) {
        read_all(*source, place.reads, place.in_where);
      }
      return;
    }
    for (const std::uint32_t source : place.scope.sources) read_all(source, place.reads, place.in_where);
    return;
  }
  const Meant meant = resolver_.resolve(parts, place.scope, place.clause);
  if (meant.kind == Meant::Kind::kColumn) emit(place.reads, Action::kRead, meant.column, place.in_where);
  if (meant.kind == Meant::Kind::kWholeRow) read_all(meant.source, place.reads, place.in_where);
  if (meant.kind == Meant::Kind::kNothing && !names_.learns()) {
    std::string name(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) name.append(".").append(parts[i]);
    fail("no table of the statement is known to have the column " + name);
  }
}

void Meaning::read_all(std::uint32_t source, Drafts& reads, bool in_where) {
  if (sources_[source].table == kNoTable) return;
  for (const ColumnId column : names_.table(sources_[source].table).columns) {
    emit(reads, Action::kRead, {source, column}, in_where);
  }
}

}  // namespace isolde::audit
