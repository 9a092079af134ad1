// audit/sql/meaning.h: walks the tree of a statement and notes what it reads and writes; the inside of statement.h.
//
// In, out: PostgresText + names -> Statement.
// Always:  drafts of accesses are kept by the part of the statement that they come from, and put into the paper's order
//          when that part is done; rows are worked out at the end, when all equalities are known.
// Files:   select.cc: SELECT and expressions; from.cc: FROM and equalities; writes.cc: UPDATE, DELETE, MERGE …;
//          insert.cc: INSERT and upserts; lock_calls.cc: locks that are no rows; meaning.cc: which statement, and the
//          end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audit/sql/names.h"
#include "audit/sql/rows.h"
#include "audit/sql/scope.h"
#include "audit/sql/statement.h"
#include "audit/sql/to_postgres.h"
#include "audit/sql/tree.h"

namespace isolde::audit {

struct AccessDraft {
  Access access;
  std::uint32_t source = 0;
  bool of_target_where = false;  // decides which rows are written: locked if that is a single row
  bool of_increment = false;     // the x of x = x + 1
};
using Drafts = std::vector<AccessDraft>;
inline void append(Drafts& to, const Drafts& from) { to.insert(to.end(), from.begin(), from.end()); }

// The accesses of one SELECT, UPDATE …, by where they stand.
struct Parts {
  Drafts joins;
  Drafts with, of_target, of_from, of_where, of_rest;  // subqueries
  Drafts where;
  Drafts main;
  [[nodiscard]] Drafts in_order();
};

struct Query {
  Drafts drafts = {};
  std::vector<Output> outputs = {};
  bool open = false;     // has columns that are not known
  bool one_row = false;  // has no FROM
};

// Where an expression stands.
struct Place {
  const Scope& scope;
  Drafts& reads;
  Drafts& subqueries;
  bool in_where = false;
  Clause clause = Clause::kPlain;
  bool has_window = false;  // set when one was met
};

[[nodiscard]] inline bool holds(const std::vector<ColumnId>& columns, ColumnId column) {
  return std::ranges::find(columns, column) != columns.end();
}

class Meaning {
 public:
  // `literals`: the texts of $1, $2 …; parameters beyond them are no literals.
  Meaning(Names& names, const PostgresText& text, std::span<const std::string_view> literals)
      : names_(names), text_(text), literals_(literals), resolver_(names, sources_) {}

  void statement(const tree::Node& node);
  [[nodiscard]] Statement finish();

 private:
  using Json = tree::Json;
  using Fields = tree::Fields;
  using Sources = std::vector<std::uint32_t>;

  // meaning.cc
  void explain(Fields fields);
  void copy(Fields fields);
  void create_as(Fields fields);
  void make_table(Fields range_var, const std::vector<Output>& outputs, Drafts& to);
  void did(StatementKind kind);
  void fail(std::string why);
  void emit(Drafts& to, Action action, SourceColumn what, bool in_where);
  void judge_increments();
  [[nodiscard]] bool is_in_key(ColumnId column) const;
  void make_rows(Statement& statement);
  void make_accesses(Statement& statement);

  // lock_calls.cc
  std::optional<TableId> lock_table(std::string_view name);
  void function_call(Fields fields, Place& place);
  void lock_statement(Fields fields);

  // select.cc
  Query query_of(const tree::Node& node, const Scope* outer);
  Query select(Fields fields, const Scope* outer);
  Query set_operation(Fields fields, const Scope* outer);
  Query values(Fields fields, const Scope* outer);
  void with_clause(Fields fields, Scope& scope, Drafts& drafts);
  void select_list(Fields fields, std::string_view list, Scope& scope, Parts& parts, Query& query, bool& has_window);
  void lock_rows(Fields fields, const Scope& scope, Parts& parts);
  void walk(Json json, Place& place);
  void column_reference(Fields fields, Place& place);
  void read_all(std::uint32_t source, Drafts& reads, bool in_where);
  void append_outputs(std::uint32_t source, Query& query) const;
  void read_presence(const Scope& scope, Drafts& reads);
  void judge_list(Fields fields, const Scope& scope, std::span<const AccessDraft> of_order);

  // from.cc
  std::uint32_t add_source(FromSource source);
  std::uint32_t table_source(Fields range_var, const Scope& scope, bool written);
  Sources from_item(Json json, Scope& scope, Parts& parts);
  std::uint32_t view_source(const View& view, Fields range_var, Scope& scope, Parts& parts);
  Sources join(Fields fields, Scope& scope, Parts& parts);
  void join_column(const Sources& left, const Sources& right, std::string_view name, const Sources* only, Parts& parts);
  std::uint32_t derived(Query query, Fields fields, Scope& scope);
  void equalities(Json condition, const Scope& scope, const Sources* only);
  void tie(const Meant& a, const Meant& b, const Sources* only);
  void tell_apart(Json a, Json b, const Scope& scope, const Sources* only);
  [[nodiscard]] std::optional<SourceColumn> conditioned(Json json, const Scope& scope, const Sources* only);
  void note_choices(Json left, const std::vector<Json>& values, const Scope& scope, const Sources* only);
  void note_pattern(Json left, Json right, const Scope& scope, const Sources* only);
  void note_age(Json older, Json newer, const Scope& scope, const Sources* only);
  void tie_terms(Json a, Json b, const Scope& scope, const Sources* only);
  [[nodiscard]] Meant term(Json json, const Scope& scope);
  [[nodiscard]] std::optional<std::uint32_t> literal(Json json) const;
  [[nodiscard]] std::optional<std::uint32_t> negative_literal(Json json) const;

  // writes.cc
  Query update(Fields fields, const Scope* outer);
  Query remove(Fields fields, const Scope* outer);
  [[nodiscard]] std::optional<std::uint32_t> source_named(std::string_view name, const Scope& scope) const;
  // FROM or USING, and the tables that are written, as sources of the level.
  Sources targets(Fields fields, std::string_view others, Scope& scope, Parts& parts);
  Query merge(Fields fields, const Scope* outer);
  void truncate(Fields fields);
  struct Assigned {
    SourceColumn column;
    std::optional<std::uint32_t> literal, negative;  // column = literal, column = -literal
    std::optional<std::uint32_t> made;               // column = what an alias stands for: nothing but that literal
    bool is_null;
    bool increments, subtracts;
  };
  std::vector<Assigned> assignments(const std::vector<Json>& list, std::uint32_t target, const Scope& scope,
                                    Drafts& reads, Drafts& subqueries);
  std::optional<SourceColumn> assigned_column(Fields target_fields, std::uint32_t target, const Scope& scope);
  // column + n or column - n.
  [[nodiscard]] bool is_increment(Json value, SourceColumn column, const Scope& scope);
  void write_assigned(const std::vector<Assigned>& assigned, Drafts& to);
  void write_all(std::uint32_t source, Drafts& to, bool inserts, bool deletes);
  void mark_target(const Sources& written, Parts& parts);
  void check_parents(std::uint32_t source, const std::vector<ColumnId>& written, const std::vector<Assigned>* assigned,
                     Drafts& to);

  // insert.cc
  Query insert(Fields fields, const Scope* outer);
  struct Row {
    std::uint32_t source = 0;
    std::vector<ColumnId> columns = {};   // that the statement gives
    std::vector<ColumnId> not_null = {};  // of these, those that are not plainly NULL
    bool single = false;
    bool in_order = true;  // which value is which column's is known
  };
  void insert_rows(Fields fields, Row& row, Scope& scope, Parts& parts);
  void upsert(Fields fields, const Row& row, Scope& scope, Parts& parts);
  // The row that has the key already; emits the reads that find it.
  std::uint32_t met_row(const Row& row, const std::vector<std::vector<ColumnId>>& keys, Lock lock, Drafts& reads);
  [[nodiscard]] std::vector<std::vector<ColumnId>> keys_given(const Row& row) const;

  Names& names_;
  const PostgresText& text_;
  std::span<const std::string_view> literals_;
  std::vector<FromSource> sources_;
  std::vector<bool> touched_;                // by source: read or written
  std::vector<std::optional<bool>> single_;  // by source: known without its keys
  Resolver resolver_;
  Equalities equalities_;
  Drafts drafts_;
  std::vector<std::uint16_t> row_set_of_;  // by source
  std::vector<TableId> written_, named_;
  std::vector<RowKey> assigned_, assigned_negative_;
  std::vector<ColumnId> given_again_;
  std::vector<ColumnId> nulls_;
  std::vector<ColumnId> ordered_by_;
  bool plain_list_ = false, picks_one_ = false, one_number_ = false;
  std::vector<ColumnId> added_to_;  // SET x = x + n
  StatementKind kind_ = StatementKind::kNoData;
  std::string why_not_;
  std::string unknown_function_;  // the first that is not the database's own
  std::uint32_t views_open_ = 0;  // views whose queries are being read, one within the other
  bool keeps_old_row_ = false;    // INSERT IGNORE, ON CONFLICT DO NOTHING
};

// What the text does, or that it cannot be parsed; adds to the schema what `names` lets it.
[[nodiscard]] Statement understand_postgres(const PostgresText& text, std::span<const std::string_view> literals,
                                            Names& names);

}  // namespace isolde::audit
