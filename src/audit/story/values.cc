#include "audit/story/values.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "audit/story/naming.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kMostOthers = 3;

// Where a class's statements hold its variables.
struct Place {
  std::uint32_t statement, literal, variable;
};

std::vector<Place> places_of(const Classes& classes, const TransactionClass& one) {
  std::vector<Place> out;
  std::uint32_t first = 0;  // operation of the statement
  for (std::uint32_t op = 0; op < one.operations.size(); ++op) {
    const Operation& operation = one.operations[op];
    if (operation.statement != one.operations[first].statement) first = op;
    // Operation i of a statement is access i of its shape.
    const Statement& statement = classes.statements[raw(one.statements[operation.statement])];
    if (op - first >= statement.accesses.size()) continue;
    const RowSet& rows = statement.row_sets[statement.accesses[op - first].row_set];
    for (const ClassRowKey& key : one.rows[operation.access.row_set].keys) {
      const auto place = std::ranges::lower_bound(rows.keys, key.column, {}, &RowKey::column);
      if (place == rows.keys.end() || place->column != key.column || key.variable == kNoVariable) continue;
      out.push_back({operation.statement, place->literal, key.variable});
    }
  }
  return out;
}

bool has_text(const TransactionClass& one) { return one.example_statements.size() == one.statements.size(); }

// The values of the variables; those of different members that must be equal are united.
class Ties {
 public:
  Ties(const Classes& classes, const Cycle& cycle) {
    for (const ClassId member : cycle.members) {
      first_.push_back(static_cast<std::uint32_t>(parent_.size()));
      parent_.resize(parent_.size() + classes.classes[raw(member)].variables);
    }
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  [[nodiscard]] std::uint32_t find(std::uint32_t member, std::uint32_t variable) {
    std::uint32_t node = first_[member] + variable;
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  void unite(std::uint32_t member_a, std::uint32_t a, std::uint32_t member_b, std::uint32_t b) {
    const std::uint32_t x = find(member_a, a), y = find(member_b, b);
    parent_[std::max(x, y)] = std::min(x, y);
  }

 private:
  std::vector<std::uint32_t> first_, parent_;
};

Ties tie(const Classes& classes, SameRows& rows, const Cycle& cycle) {
  Ties ties(classes, cycle);
  rows.reset(cycle.members);
  for (const CycleEdge& edge : cycle.edges) {
    rows.meet(edge.from, from_operation(classes, cycle, edge).access.row_set, edge.to,
              to_operation(classes, cycle, edge).access.row_set);
    // Also by columns that are updated: so that the rows meet when the story begins.
    const ClassRows &a = from_rows(classes, cycle, edge), &b = to_rows(classes, cycle, edge);
    for (const ClassRowKey& key : a.keys) {
      const auto other = std::ranges::lower_bound(b.keys, key.column, {}, &ClassRowKey::column);
      if (other == b.keys.end() || other->column != key.column) continue;
      if (key.variable == kNoVariable || other->variable == kNoVariable) continue;
      ties.unite(edge.from, key.variable, edge.to, other->variable);
    }
  }
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> first;  // by value: member and variable
  for (std::uint32_t member = 0; member < cycle.members.size(); ++member) {
    for (std::uint32_t variable = 0; variable < classes.classes[raw(cycle.members[member])].variables; ++variable) {
      const auto [place, is_new] = first.try_emplace(rows.value(member, variable), member, variable);
      if (!is_new) ties.unite(place->second.first, place->second.second, member, variable);
    }
  }
  return ties;
}

}  // namespace

Understudies::Understudies(const Classes& classes, const TraceLog& log)
    : classes_(classes), others_(classes.classes.size()) {
  const std::size_t count = std::min(classes.class_of.size(), log.transactions.size());
  for (std::uint32_t number = 0; number < count; ++number) {
    const std::uint32_t id = classes.class_of[number];
    if (id == kNone32 || others_[id].size() == kMostOthers) continue;
    const TransactionClass& one = classes.classes[id];
    if (number == one.example || !has_text(one)) continue;
    const std::span<const TraceStatement> example = log.of(log.transactions[one.example]);
    const std::span<const TraceStatement> other = log.of(log.transactions[number]);
    if (!std::ranges::equal(example, other, {}, &TraceStatement::shape, &TraceStatement::shape)) continue;
    const bool differs = !std::ranges::equal(example, other, [&](const TraceStatement& a, const TraceStatement& b) {
      return std::ranges::equal(log.literals_of(a), log.literals_of(b));
    });
    if (differs) others_[id].push_back(number);
  }
}

std::uint32_t Understudies::transaction(ClassId id, std::size_t n) const {
  const std::vector<std::uint32_t>& others = others_[raw(id)];
  return n == 0 || n > others.size() ? classes_.classes[raw(id)].example : others[n - 1];
}

StoryValues choose_values(const Classes& classes, const TraceLog& log, const Understudies& understudies, SameRows& rows,
                          const Cycle& cycle) {
  StoryValues out;
  Ties ties = tie(classes, rows, cycle);
  std::map<std::uint32_t, LiteralId> value_of;
  std::map<ClassId, std::size_t> times;
  for (std::uint32_t member = 0; member < cycle.members.size(); ++member) {
    const ClassId id = cycle.members[member];
    const TransactionClass& one = classes.classes[raw(id)];
    std::vector<std::vector<LiteralId>>& literals = out.literals.emplace_back(one.statements.size());
    if (!has_text(one)) continue;
    const std::uint32_t example = log.transactions[one.example].first_statement;
    const std::uint32_t actor = log.transactions[understudies.transaction(id, times[id]++)].first_statement;
    for (std::size_t s = 0; s < one.statements.size(); ++s) {
      const std::span<const LiteralId> values =
          log.literals_of(log.statements[one.example_statements[s] - example + actor]);
      literals[s].assign(values.begin(), values.end());
    }
    for (const Place& place : places_of(classes, one)) {
      if (place.literal >= literals[place.statement].size()) continue;
      LiteralId& value = literals[place.statement][place.literal];
      value = value_of.try_emplace(ties.find(member, place.variable), value).first->second;
    }
    for (std::uint32_t s = 0; s < one.statements.size(); ++s) {
      const std::span<const LiteralId> before = log.literals_of(log.statements[one.example_statements[s]]);
      for (std::uint32_t i = 0; i < before.size(); ++i) {
        if (literals[s][i] != before[i]) out.bindings.push_back({member, s, i, literals[s][i]});
      }
    }
  }
  return out;
}

std::string statement_text(const Classes& classes, const TraceLog& log, const TransactionClass& one,
                           std::uint32_t statement, const std::vector<LiteralId>& literals) {
  if (has_text(one)) return log.shapes.text(one.statements[statement], literals.data());
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
