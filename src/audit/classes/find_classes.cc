#include <algorithm>
#include <unordered_map>

#include "audit/classes/assemble.h"
#include "audit/classes/classes.h"
#include "audit/classes/concurrent.h"
#include "audit/classes/forms.h"
#include "audit/classes/names.h"

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
      std::erase_if(rows.keys, [&](const RowKey& key) { return key.literal >= literals; });
      std::ranges::stable_sort(rows.keys, {}, &RowKey::column);
    }
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
  count_statements(log, out);
  const Forms forms = find_forms(log, signatures(out.statements, out.schema),
                                 {.rounds = options.rounds, .rolled_back_too = options.rolled_back_too});
  out.class_of.assign(log.transactions.size(), kNone32);
  for (const FormGroup& group : forms.groups) {
    if (options.progress != nullptr && out.classes.size() % 64 == 0)
      options.progress->advance("finding classes", out.classes.size(), forms.groups.size());
    for (const std::uint32_t form : group.forms) {
      for (const std::uint32_t transaction : forms.transactions_of(forms.forms[form])) {
        out.class_of[transaction] = static_cast<std::uint32_t>(out.classes.size());
      }
    }
    out.classes.push_back(assemble(log, out.schema, out.statements, forms, group, options.one_value_is_enough));
  }
  name_classes(log.shapes, out.schema, out.statements, out.classes);
  look_at_concurrency(log, options.pairs_for_unique, out);
  return out;
}

}  // namespace isolde::audit
