#include "audit/sql/scope.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

// Columns that a table has without anyone having made them.
constexpr std::array<std::string_view, 9> kHiddenColumns = {"ctid", "oid",  "tableoid", "xmin",   "xmax",
                                                            "cmin", "cmax", "rowid",    "_rowid_"};

bool is_one_of(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::optional<ColumnId> Resolver::column_of(std::uint32_t source, std::string_view name) const {
  const FromSource& from = sources_[source];
  if (from.table == kNoTable) return std::nullopt;
  if (!from.renamed.empty()) {
    const std::vector<ColumnId>& columns = names_.table(from.table).columns;
    for (std::size_t i = 0; i < from.renamed.size() && i < columns.size(); ++i) {
      if (from.renamed[i] == name) return columns[i];
    }
  }
  return names_.find(from.table, name);
}

Meant Resolver::in_source(std::uint32_t source, std::string_view name, bool may_add) {
  const TableId table = sources_[source].table;
  Meant meant{.source = source};
  if (table != kNoTable) {
    auto column = column_of(source, name);
    if (!column && std::ranges::find(kHiddenColumns, name) != kHiddenColumns.end()) {
      const auto& key = names_.table(table).primary_key;
      meant.kind = Meant::Kind::kMade;
      if (name.find("rowid") != std::string_view::npos && key.size() == 1) column = key[0];
    }
    if (!column && may_add && meant.kind == Meant::Kind::kNothing) column = names_.find_or_add(table, name);
    if (column) {
      meant.kind = Meant::Kind::kColumn;
      meant.column = {source, *column};
    }
    return meant;
  }
  for (const Output& output : sources_[source].outputs) {
    if (output.name != name) continue;
    meant.kind = Meant::Kind::kMade;
    meant.base = output.base;
    meant.literal = output.literal;
    return meant;
  }
  return meant;
}

std::optional<std::uint32_t> Resolver::source_of(std::string_view alias, const Scope& scope) const {
  for (const Scope* level = &scope; level != nullptr; level = level->outer) {
    for (const std::uint32_t source : level->sources) {
      if (sources_[source].alias == alias) return source;
    }
  }
  return std::nullopt;
}

const WithQuery* Resolver::with_query(std::string_view name, const Scope& scope) const {
  for (const Scope* level = &scope; level != nullptr; level = level->outer) {
    for (const WithQuery& query : level->with) {
      if (query.name == name) return &query;
    }
  }
  return nullptr;
}

Meant Resolver::resolve(std::span<const std::string_view> parts, const Scope& scope, Clause clause) {
  if (parts.empty()) return {};
  const std::string name = lower_case(parts.back());
  if (parts.size() == 1) return unqualified(name, scope, clause);
  const std::string alias = lower_case(parts[parts.size() - 2]);
  for (const Scope* level = &scope; level != nullptr; level = level->outer) {
    for (const std::uint32_t source : level->sources) {
      if (sources_[source].alias != alias) continue;
      Meant meant = in_source(source, name, true);
      // What a subquery made without our knowing how, or a field of a row.
      if (meant.kind == Meant::Kind::kNothing && sources_[source].table == kNoTable) meant.kind = Meant::Kind::kMade;
      meant.local = level == &scope;
      return meant;
    }
  }
  // The table's own name although it has an alias: some databases take it. Else a.b may be a field of the column a.
  for (const std::uint32_t source : scope.sources) {
    const TableId table = sources_[source].table;
    if (table == kNoTable || lower_case(names_.table(table).name) != alias) continue;
    Meant meant = in_source(source, name, true);
    meant.local = true;
    return meant;
  }
  return known(alias, scope, clause);
}

Meant Resolver::unqualified(std::string_view name, const Scope& scope, Clause clause) {
  const Meant meant = known(name, scope, clause);
  return meant.kind == Meant::Kind::kNothing ? learned(name, scope) : meant;
}

Meant Resolver::known(std::string_view name, const Scope& scope, Clause clause) {
  if (clause == Clause::kOrderBy && is_one_of(scope.aliases, name)) return {.kind = Meant::Kind::kMade, .local = true};
  for (const Scope* level = &scope; level != nullptr; level = level->outer) {
    const bool local = level == &scope;
    for (const std::uint32_t source : level->sources) {
      Meant meant = in_source(source, name, false);
      if (meant.kind == Meant::Kind::kNothing) continue;
      meant.local = local;
      return meant;
    }
    if (local && clause != Clause::kPlain && is_one_of(level->aliases, name))
      return {.kind = Meant::Kind::kMade, .local = true};
    for (const std::uint32_t source : level->sources) {
      if (sources_[source].alias == name) return {.kind = Meant::Kind::kWholeRow, .source = source, .local = local};
    }
  }
  return {};
}

// Nobody knows the name. A source whose columns are not all known may have it; else it is a table's.
Meant Resolver::learned(std::string_view name, const Scope& scope) {
  std::size_t tables_in_all = 0;
  for (const Scope* level = &scope; level != nullptr; level = level->outer) {
    for (const std::uint32_t source : level->sources) tables_in_all += sources_[source].table != kNoTable ? 1 : 0;
  }
  // Without a table there is nothing to read: a word of the dialect that looks like a name.
  if (tables_in_all == 0) return {.kind = Meant::Kind::kMade, .local = true};
  for (const Scope* level = &scope; level != nullptr; level = level->outer) {
    std::vector<std::uint32_t> of_tables;
    std::vector<TableId> tables;
    bool open = false;
    for (const std::uint32_t source : level->sources) {
      if (sources_[source].table == kNoTable) {
        open = open || sources_[source].open;
        continue;
      }
      of_tables.push_back(source);
      tables.push_back(sources_[source].table);
    }
    const bool local = level == &scope;
    const bool some_learned = std::ranges::any_of(tables, [&](TableId id) { return names_.table(id).learned; });
    if (open && !some_learned) return {.kind = Meant::Kind::kMade, .local = local};
    if (tables.empty()) continue;
    if (!names_.learns()) return {};
    if (names_.learning() == Learning::kSure && (tables_in_all > 1 || open)) {
      names_.leave_open();
      return {};
    }
    const std::size_t place = names_.likeliest(tables, name);
    Meant meant = in_source(of_tables[place], name, true);
    meant.local = local;
    return meant;
  }
  return {};
}

}  // namespace isolde::audit
