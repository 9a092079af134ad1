#include "audit/story/values.h"

#include <algorithm>
#include <span>

#include "audit/facts/occurrences.h"
#include "audit/story/naming.h"

namespace isolde::audit {

void StoryValues::set(std::uint32_t member, std::uint32_t statement, std::uint32_t literal, LiteralId value) {
  if (literals[member][statement][literal] == value) return;
  literals[member][statement][literal] = value;
  const auto known = std::ranges::find_if(bindings, [&](const Binding& one) {
    return one.member == member && one.statement == statement && one.literal == literal;
  });
  if (known == bindings.end()) {
    bindings.push_back({member, statement, literal, value});
  } else {
    known->value = value;
  }
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> StoryValueSolver::answers_of(const Cycle& cycle,
                                                                                  const CycleEdge& edge,
                                                                                  Answers answers) {
  const Access &from = from_operation(classes_, cycle, edge).access, &to = to_operation(classes_, cycle, edge).access;
  // A row that one inserts or deletes is not always one that the other finds.
  if (from.inserts || from.deletes || to.inserts || to.deletes) return {};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  const ClassRows &named_from = from_rows(classes_, cycle, edge), &named_to = to_rows(classes_, cycle, edge);
  for (const ClassRowKey& a : row_columns_.of(cycle.members[edge.from], from.row_set)) {
    for (const ClassRowKey& b : row_columns_.of(cycle.members[edge.to], to.row_set)) {
      if (a.column != b.column) continue;
      const std::vector<ColumnId>& key = classes_.schema.table(named_from.table).primary_key;
      if (answers == Answers::kNotTheKey && std::ranges::find(key, a.column) != key.end()) continue;
      const bool named =
          variable_in(named_from, a.column) == a.variable && variable_in(named_to, b.column) == b.variable;
      if (!named) out.emplace_back(a.variable, b.variable);
    }
  }
  return out;
}

std::optional<StoryValues> StoryValueSolver::solve(const Cycle& cycle) {
  const std::size_t n = cycle.members.size();
  std::vector<std::vector<Actor>> choices(n);  // by member
  std::vector<Literals> examples;
  for (std::size_t member = 0; member < n; ++member) {
    const ClassId id = cycle.members[member];
    const TransactionClass& one = classes_.classes[raw(id)];
    examples.emplace_back(one.statements.size());
    if (!has_statements(one)) {
      choices[member].push_back({examples.back(), one.example});
      continue;
    }
    const std::uint32_t example = log_.transactions[one.example].first_statement;
    for (const std::uint32_t actor : actors_.of(id)) {
      Literals& literals = choices[member].emplace_back(Actor{{}, actor}).literals;
      for (const std::uint32_t statement : one.example_statements) {
        const std::uint32_t number = statement - example + log_.transactions[actor].first_statement;
        const std::span<const LiteralId> values = log_.literals_of(log_.statements[number]);
        literals.emplace_back(values.begin(), values.end());
      }
    }
    examples.back() = choices[member].front().literals;
    // A class that takes part again is another of its transactions.
    const auto times =
        std::count(cycle.members.begin(), cycle.members.begin() + static_cast<std::ptrdiff_t>(member), id);
    std::ranges::rotate(choices[member], choices[member].begin() + times % std::ssize(choices[member]));
  }
  const auto actors_of = [&](const std::vector<std::size_t>& choice) {
    std::vector<Actor> actors;
    for (std::size_t member = 0; member < n; ++member) actors.push_back(choices[member][choice[member]]);
    return actors;
  };
  const bool any_answers =
      std::ranges::any_of(cycle.edges,
                          [&](const CycleEdge& edge) { return !answers_of(cycle, edge, Answers::kCount).empty(); }) ||
      std::ranges::count_if(cycle.members, [&](ClassId id) { return !row_columns_.found(id).empty(); }) > 1;
  std::optional<StoryValues> found;
  for (const Answers answers : {Answers::kCount, Answers::kNotTheKey, Answers::kDoNotCount}) {
    if (found || (answers != Answers::kDoNotCount && !any_answers)) continue;
    // Choices of transactions, those near the first of each member before others.
    std::vector<std::vector<std::size_t>> tries = {std::vector<std::size_t>(n, 0)};
    for (std::size_t i = 0; i < tries.size() && !found; ++i) {
      const std::vector<Actor> actors = actors_of(tries[i]);
      found = attempt(cycle, actors, {true, Tables::kWhereNoRowsMeet, answers});
      if (!found) found = attempt(cycle, actors, {true, Tables::kAll, answers});
      // Each choice comes from the one that has its last member that is not the first of its class one step back.
      std::size_t last = n;
      while (last > 0 && tries[i][last - 1] == 0) --last;
      for (std::size_t member = last == 0 ? 0 : last - 1; member < n && tries.size() < kMostChoices; ++member) {
        if (tries[i][member] + 1 == choices[member].size()) continue;
        std::vector<std::size_t> next = tries[i];
        ++next[member];
        tries.push_back(std::move(next));
      }
    }
  }
  if (!found) {
    const std::vector<Actor> actors = actors_of(std::vector<std::size_t>(n, 0));
    found = attempt(cycle, actors, {false, Tables::kAll, Answers::kDoNotCount});
  }
  if (!found) return std::nullopt;
  for (std::uint32_t member = 0; member < n; ++member) {
    for (std::uint32_t s = 0; s < examples[member].size(); ++s) {
      for (std::uint32_t i = 0; i < examples[member][s].size(); ++i) {
        const LiteralId value = found->literals[member][s][i];
        if (value != examples[member][s][i]) found->bindings.push_back({member, s, i, value});
      }
    }
  }
  return found;
}

}  // namespace isolde::audit
