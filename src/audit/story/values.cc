#include "audit/story/values.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include "audit/story/naming.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kMostActors = 12;

// Where a class's statements hold its variables.
struct VariablePlace {
  std::uint32_t statement, literal, variable;
  ColumnId column;
};

std::vector<VariablePlace> places_of(const Classes& classes, const TransactionClass& one) {
  std::vector<VariablePlace> out;
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
      out.push_back({operation.statement, place->literal, key.variable, key.column});
    }
  }
  return out;
}

// Classes written by hand for tests have none.
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

using Literals = std::vector<std::vector<LiteralId>>;  // by statement

class StoryValueChooser {
 public:
  StoryValueChooser(const Classes& classes, const TraceLog& log, const Actors& actors, SameRows& rows,
                    const Cycle& cycle)
      : classes_(classes), log_(log), actors_(actors), cycle_(cycle), ties_(tie(classes, rows, cycle)) {}

  StoryValues choose() {
    for (std::uint32_t member = 0; member < cycle_.members.size(); ++member) choose(member);
    return std::move(out_);
  }

 private:
  void choose(std::uint32_t member) {
    const ClassId id = cycle_.members[member];
    const TransactionClass& one = classes_.classes[raw(id)];
    Literals& literals = out_.literals.emplace_back(one.statements.size());
    if (!has_text(one)) return;
    const std::vector<VariablePlace> places = places_of(classes_, one);
    const Literals example = literals_of(one, one.example);
    std::vector<Literals> candidates;
    for (const std::uint32_t actor : actors_.of(id)) candidates.push_back(literals_of(one, actor));
    // A class that takes part again is another of its transactions.
    const auto times = std::count(cycle_.members.begin(), cycle_.members.begin() + member, id);
    std::ranges::rotate(candidates, candidates.begin() + times % std::ssize(candidates));
    literals = *std::ranges::min_element(candidates, {},
                                         [&](const Literals& candidate) { return clashes(member, places, candidate); });
    for (const VariablePlace& place : places) set(member, place, candidates, literals);
    for (const VariablePlace& place : places) used_.emplace(place.column, literals[place.statement][place.literal]);

    for (std::uint32_t s = 0; s < literals.size(); ++s) {
      for (std::uint32_t i = 0; i < literals[s].size(); ++i) {
        if (literals[s][i] != example[s][i]) out_.bindings.push_back({member, s, i, literals[s][i]});
      }
    }
  }

  [[nodiscard]] Literals literals_of(const TransactionClass& one, std::uint32_t actor) const {
    const std::uint32_t example = log_.transactions[one.example].first_statement;
    Literals out;
    for (const std::uint32_t statement : one.example_statements) {
      const std::uint32_t number = statement - example + log_.transactions[actor].first_statement;
      const std::span<const LiteralId> values = log_.literals_of(log_.statements[number]);
      out.emplace_back(values.begin(), values.end());
    }
    return out;
  }

  // How many values would make rows meet that need not.
  [[nodiscard]] std::size_t clashes(std::uint32_t member, const std::vector<VariablePlace>& places,
                                    const Literals& literals) {
    return static_cast<std::size_t>(std::ranges::count_if(places, [&](const VariablePlace& place) {
      return !value_of_.contains(ties_.find(member, place.variable)) &&
             used_.contains({place.column, literals[place.statement][place.literal]});
    }));
  }

  void set(std::uint32_t member, const VariablePlace& place, const std::vector<Literals>& candidates,
           Literals& literals) {
    LiteralId& value = literals[place.statement][place.literal];
    const auto [known, is_new] = value_of_.try_emplace(ties_.find(member, place.variable), value);
    if (is_new && used_.contains({place.column, value})) {
      for (const Literals& candidate : candidates) {
        const LiteralId other = candidate[place.statement][place.literal];
        if (used_.contains({place.column, other})) continue;
        known->second = other;
        break;
      }
    }
    value = known->second;
  }

  const Classes& classes_;
  const TraceLog& log_;
  const Actors& actors_;
  const Cycle& cycle_;
  Ties ties_;
  StoryValues out_;
  std::map<std::uint32_t, LiteralId> value_of_;    // by tied variables
  std::set<std::pair<ColumnId, LiteralId>> used_;  // by earlier members
};

}  // namespace

Actors::Actors(const Classes& classes, const TraceLog& log) : actors_(classes.classes.size()) {
  for (std::size_t id = 0; id < actors_.size(); ++id) actors_[id].push_back(classes.classes[id].example);
  const std::size_t count = std::min(classes.class_of.size(), log.transactions.size());
  for (std::uint32_t number = 0; number < count; ++number) {
    const std::uint32_t id = classes.class_of[number];
    if (id == kNone32 || actors_[id].size() == kMostActors) continue;
    const TransactionClass& one = classes.classes[id];
    if (number == one.example || !has_text(one)) continue;
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

StoryValues choose_values(const Classes& classes, const TraceLog& log, const Actors& actors, SameRows& rows,
                          const Cycle& cycle) {
  return StoryValueChooser(classes, log, actors, rows, cycle).choose();
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
