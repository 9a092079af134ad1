#include "audit/story/actors.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace isolde::audit {
namespace {

constexpr std::size_t kMostActors = 12;

}  // namespace

Actors::Actors(const Classes& classes, const TraceLog& log) : actors_(classes.classes.size()) {
  for (std::size_t id = 0; id < actors_.size(); ++id) actors_[id].push_back(classes.classes[id].example);
  const std::size_t count = std::min(classes.class_of.size(), log.transactions.size());
  for (std::uint32_t number = 0; number < count; ++number) {
    const std::uint32_t id = classes.class_of[number];
    if (id == kNone32 || actors_[id].size() == kMostActors) continue;
    const TransactionClass& one = classes.classes[id];
    if (number == one.example || !has_statements(one)) continue;
    const std::span<const TraceStatement> other = log.of(log.transactions[number]);
    const auto has_same_values = [&](std::uint32_t actor) {
      return std::ranges::equal(log.of(log.transactions[actor]), other,
                                [&](const TraceStatement& a, const TraceStatement& b) {
                                  return std::ranges::equal(log.literals_of(a), log.literals_of(b));
                                });
    };
    const std::span<const TraceStatement> example = log.of(log.transactions[one.example]);
    if (!std::ranges::equal(example, other, {}, &TraceStatement::shape, &TraceStatement::shape)) continue;
    if (std::ranges::none_of(actors_[id], has_same_values)) actors_[id].push_back(number);
  }
}

std::vector<ValuePlace> value_places(const Classes& classes, const TransactionClass& one) {
  std::vector<ValuePlace> out;
  std::set<std::pair<std::uint32_t, std::uint32_t>> named;
  const auto add = [&](std::uint32_t statement, const std::vector<RowKey>& of_shape,
                       const std::vector<ClassRowKey>& of_class) {
    for (const ClassRowKey& key : of_class) {
      const auto place = std::ranges::lower_bound(of_shape, key.column, {}, &RowKey::column);
      if (place == of_shape.end() || place->column != key.column || key.variable == kNoVariable) continue;
      out.push_back({statement, place->literal, key.variable, key.column});
      named.emplace(statement, place->literal);
    }
  };
  std::uint32_t first = 0;  // operation of the statement
  for (std::uint32_t op = 0; op < one.operations.size(); ++op) {
    const Operation& operation = one.operations[op];
    if (operation.statement != one.operations[first].statement) first = op;
    // Operation i of a statement is access i of its shape.
    const Statement& statement = classes.statements[raw(one.statements[operation.statement])];
    if (op - first >= statement.accesses.size()) continue;
    const RowSet& rows = statement.row_sets[statement.accesses[op - first].row_set];
    add(operation.statement, rows.keys, one.rows[operation.access.row_set].keys);
    add(operation.statement, rows.unlike, one.rows[operation.access.row_set].unlike);
  }
  for (std::uint32_t s = 0; s < one.statements.size(); ++s) {
    for (const RowKey& assigned : classes.statements[raw(one.statements[s])].assigned) {
      if (named.emplace(s, assigned.literal).second) out.push_back({s, assigned.literal, kNoVariable, assigned.column});
    }
  }
  return out;
}

std::string statement_text(const Classes& classes, const TraceLog& log, const TransactionClass& one,
                           std::uint32_t statement, const std::vector<LiteralId>& literals) {
  if (has_statements(one)) return log.shapes.text(one.statements[statement], literals.data());
  std::string reads, writes;
  for (const Operation& operation : one.operations) {
    if (operation.statement != statement) continue;
    std::string& list = operation.access.action == Action::kRead ? reads : writes;
    list += (list.empty() ? "" : ", ") + classes.schema.full_name(operation.access.column);
  }
  if (writes.empty()) return "reads " + reads;
  return reads.empty() ? "writes " + writes : "reads " + reads + "; writes " + writes;
}

}  // namespace isolde::audit
