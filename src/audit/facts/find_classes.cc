#include "audit/facts/find_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "audit/classes/assemble.h"
#include "audit/classes/classes.h"
#include "audit/classes/concurrent.h"
#include "audit/classes/forms.h"
#include "audit/classes/lock_tables.h"
#include "audit/classes/made_ids.h"
#include "audit/classes/names.h"
#include "audit/classes/write_backs.h"
#include "audit/facts/mine.h"
#include "audit/facts/same_rows.h"

namespace isolde::audit {
namespace {

// What the rest relies on: only statements that touch data have accesses, and a key's literal is one of the
// statement's.
void check(const TraceLog& log, std::vector<Statement>& statements) {
  for (std::uint32_t i = 0; i < statements.size(); ++i) {
    Statement& statement = statements[i];
    const bool touches_data = statement.kind != StatementKind::kNoData &&
                              statement.kind != StatementKind::kSchemaChange &&
                              statement.kind != StatementKind::kNotUnderstood;
    if (!touches_data) statement.accesses.clear();
    const std::uint32_t literals = log.shapes.literal_count(ShapeId{i});
    for (RowSet& rows : statement.row_sets) {
      for (std::vector<RowKey>* keys : {&rows.keys, &rows.unlike}) {
        std::erase_if(*keys, [&](const RowKey& key) { return key.literal >= literals; });
        std::ranges::stable_sort(*keys, {}, &RowKey::column);
      }
    }
    std::erase_if(statement.assigned, [&](const RowKey& key) { return key.literal >= literals; });
  }
}

// SET x = a … WHERE x = b: the statement changes x if the two differed whenever the trace has it.
void find_changes(const TraceLog& log, std::vector<Statement>& statements) {
  struct Pair {
    ColumnId column;
    std::uint32_t set, asked;
  };
  std::vector<std::vector<Pair>> pairs(statements.size());
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (statements[i].kind != StatementKind::kUpdate || statements[i].row_sets.size() != 1) continue;
    for (const RowKey& set : statements[i].assigned) {
      for (const RowKey& asked : statements[i].row_sets[0].keys) {
        if (set.column == asked.column) pairs[i].push_back({set.column, set.literal, asked.literal});
      }
    }
  }
  for (const TraceStatement& statement : log.statements) {
    std::vector<Pair>& of = pairs[raw(statement.shape)];
    if (of.empty()) continue;
    const std::span<const LiteralId> literals = log.literals_of(statement);
    std::erase_if(of, [&](const Pair& pair) { return literals[pair.set] == literals[pair.asked]; });
  }
  for (std::size_t i = 0; i < statements.size(); ++i) {
    for (const Pair& pair : pairs[i]) statements[i].changes.push_back(pair.column);
  }
}

// What the level that the trace says means there. At MySQL's SERIALIZABLE every SELECT locks what it reads;
// PostgreSQL's is a snapshot whose dangers are looked for among the serializable transactions.
void set_level(TransactionClass& one, SaidLevel said, SqlDialect dialect, WeakLevel audited) {
  const bool mysql = dialect == SqlDialect::kMysql;
  const WeakLevel repeatable = mysql && audited != WeakLevel::kSnapshotIsolation ? WeakLevel::kMysqlRepeatableRead
                                                                                 : WeakLevel::kSnapshotIsolation;
  switch (said) {
    case SaidLevel::kNothing:
      return;
    case SaidLevel::kReadCommitted:
      one.level = WeakLevel::kReadCommitted;
      return;
    case SaidLevel::kRepeatableRead:
      one.level = repeatable;
      return;
    case SaidLevel::kSerializable:
      one.level = repeatable;
      one.serializable = true;
      break;
  }
  if (!mysql) return;
  for (Operation& operation : one.operations) {
    Access& access = operation.access;
    if (access.action == Action::kRead && access.lock == Lock::kNone) access.lock = Lock::kShare;
  }
}

// Rows that a transaction finds by the key that it has given to a row of its own before.
void find_own_rows(Classes& classes) {
  const RowFacts facts(classes);
  for (std::uint32_t id = 0; id < classes.classes.size(); ++id) {
    TransactionClass& one = classes.classes[id];
    for (const Operation& insert : one.operations) {
      const Statement& statement = classes.statements[raw(one.statements[insert.statement])];
      if (!insert.access.inserts || statement.kind != StatementKind::kInsert || statement.keeps_old_row) continue;
      if (!one.rows[insert.access.row_set].single) continue;
      for (const Operation& later : one.operations) {
        if (later.statement <= insert.statement || later.access.inserts) continue;
        if (facts.same_in(ClassId(id), insert.access.row_set, later.access.row_set))
          one.rows[later.access.row_set].own = true;
      }
    }
  }
}

// Tables whose ids the application takes from a sequence and gives to its INSERTs.
std::vector<bool> tables_with_fresh_ids(const TraceLog& log, const Schema& schema,
                                        const std::vector<Statement>& statements, const MadeIds& made_ids) {
  std::vector<bool> given(schema.tables()), not_fresh(schema.tables());
  for (std::uint32_t i = 0; i < log.statements.size(); ++i) {
    const Statement& statement = statements[raw(log.statements[i].shape)];
    if (statement.kind != StatementKind::kInsert) continue;
    const std::span<const LiteralId> literals = log.literals_of(log.statements[i]);
    for (const Access& access : statement.accesses) {
      const RowSet& rows = statement.row_sets[access.row_set];
      if (!access.inserts || access.column != made_ids.made_by(rows.table)) continue;
      const auto id = std::ranges::lower_bound(rows.keys, access.column, {}, &RowKey::column);
      if (id == rows.keys.end() || id->column != access.column) continue;
      (made_ids.rises_at(rows.table, literals[id->literal], i) ? given : not_fresh)[raw(rows.table)] = true;
    }
  }
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = given[i] && !not_fresh[i];
  return given;
}

// Enough UPDATEs of the column, whatever else they write; or each of them saved a whole row, and a word there.
void add_unchanged_facts(const WriteBacks& write_backs, Classes& out) {
  constexpr std::uint32_t kEnoughTimes = 3;
  out.unchanged_facts.assign(out.schema.columns(), kNone32);
  for (std::uint32_t column = 0; column < out.unchanged.size(); ++column) {
    const std::uint32_t times = out.unchanged[column];
    const bool whole_rows = times > 0 && write_backs.whole_rows[column] == times;
    if (times < kEnoughTimes && !whole_rows) continue;
    out.unchanged_facts[column] = static_cast<std::uint32_t>(out.facts.size());
    out.facts.push_back({FactKind::kUnchanged, true, out.schema.column(ColumnId(column)).table, times,
                         fmt::format("{} of a row never changes: an UPDATE that sets it writes back what was there ({} "
                                     "time{}{}, no exception)",
                                     out.schema.full_name(ColumnId(column)), times, times == 1 ? "" : "s",
                                     whole_rows ? ", with all of the row" : "")});
  }
}

void count_statements(const TraceLog& log, Classes& out) {
  std::unordered_map<std::uint32_t, std::size_t> place_of;
  for (const TraceStatement& statement : log.statements) {
    const Statement& meaning = out.statements[raw(statement.shape)];
    if (!meaning.accesses.empty()) {
      ++out.data_statements;
    } else if (meaning.kind != StatementKind::kNotUnderstood) {
      ++out.no_data_statements;
    } else {
      ++out.not_understood_statements;
      const auto [place, is_new] = place_of.try_emplace(raw(statement.shape), out.not_understood.size());
      if (is_new)
        out.not_understood.push_back({.shape = statement.shape, .line = statement.line, .why = meaning.why_not});
      NotUnderstood& one = out.not_understood[place->second];
      ++one.times;
      one.line = std::min<std::uint64_t>(one.line, statement.line);
    }
  }
  std::ranges::stable_sort(out.not_understood, {}, &NotUnderstood::line);
}

}  // namespace

Classes find_classes(const TraceLog& log, Schema schema, std::vector<Statement> statements,
                     const ClassOptions& options) {
  Classes out;
  out.schema = std::move(schema);
  out.statements = std::move(statements);
  check(log, out.statements);
  if (options.locks) {
    add_lock_tables(log, out.schema, out.statements);
  } else {
    for (Statement& statement : out.statements) {
      std::erase_if(statement.accesses, [&](const Access& access) {
        return out.schema.table(out.schema.column(access.column).table).is_lock;
      });
    }
  }
  find_changes(log, out.statements);
  count_statements(log, out);
  const MadeIds made_ids(log, out.schema, out.statements);
  out.fresh_ids = tables_with_fresh_ids(log, out.schema, out.statements, made_ids);
  const Forms forms =
      find_forms(log, signatures(out.statements, out.schema),
                 {.rounds = options.rounds, .rolled_back_too = options.rolled_back_too, .levels = options.levels});
  out.class_of.assign(log.transactions.size(), kNone32);
  EqualEvidence evidence(log, out.schema, out.statements);
  std::vector<ClassAssembler> assemblers;
  assemblers.reserve(forms.groups.size());
  for (const FormGroup& group : forms.groups) {
    if (options.progress != nullptr && assemblers.size() % 64 == 0)
      options.progress->advance("reading classes", assemblers.size(), forms.groups.size());
    assemblers.emplace_back(log, out.schema, out.statements, forms, group, made_ids, evidence);
  }
  using Different = ClassAssembler::DifferentColumns;
  const Different different = options.one_value_is_enough          ? Different::kAlways
                              : options.facts.on(FactKind::kEqual) ? Different::kByEvidence
                                                                   : Different::kNever;
  for (const FormGroup& group : forms.groups) {
    if (options.progress != nullptr && out.classes.size() % 64 == 0)
      options.progress->advance("finding classes", out.classes.size(), forms.groups.size());
    for (const std::uint32_t form : group.forms) {
      for (const std::uint32_t transaction : forms.transactions_of(forms.forms[form])) {
        out.class_of[transaction] = static_cast<std::uint32_t>(out.classes.size());
      }
    }
    out.classes.push_back(assemblers[out.classes.size()].finish(evidence, different));
    settle_lock_tables(out.schema, log.facts.dialect, out.classes.back());
    set_level(out.classes.back(), group.level, log.facts.dialect, options.level);
  }
  find_own_rows(out);
  name_classes(log.shapes, out.schema, out.statements, out.classes);
  out.equal_columns = evidence.all();
  if (!options.one_value_is_enough) mine_facts(log, forms, options.facts, out);
  look_at_concurrency(log, options.pairs_for_unique, out);
  WriteBacks write_backs = find_write_backs(log, out.schema, out.statements, made_ids);
  out.unchanged = write_backs.unchanged;
  out.updates = std::move(write_backs.updates);
  if (!options.one_value_is_enough && options.facts.on(FactKind::kUnchanged)) add_unchanged_facts(write_backs, out);
  return out;
}

}  // namespace isolde::audit
