#include "hunt/second_opinion.h"

#include <algorithm>

#include "base/ascii.h"
#include "hunt/reduce/schema_text.h"
#include "hunt/turns.h"

namespace isolde::hunt {
namespace {

Result<AloneRun> run_alone_on(Arena& arena, const Case& test, const std::vector<Place>& order, std::uint64_t& rounds) {
  if (auto ready = arena.reset(); !ready) return std::move(ready).error();
  AloneRun run = arena.run_alone(test, order);
  ++rounds;
  if (run.lost || (run.fault && !run.fault_at)) return run.fault.value_or(Error{"the connection to the server broke"});
  return run;
}

bool all_done(const AloneRun& run) {
  return !run.fault && std::all_of(run.runs.begin(), run.runs.end(),
                                   [](const StatementRun& statement) { return statement.ran == Ran::kDone; });
}

// As if it had been a run in transactions, so that it can be compared with another.
Execution as_execution(const Case& test, const std::vector<Place>& order, const AloneRun& alone) {
  Execution execution;
  for (const Transaction& transaction : test.transactions) execution.runs.emplace_back(transaction.statements.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    execution.runs[order[i].transaction][order[i].statement] = alone.runs[i];
  execution.final = alone.final;
  return execution;
}

std::optional<Difference> difference_of(const Case& test, const std::vector<Place>& order, const AloneRun& here,
                                        const AloneRun& there, Wrong wrong) {
  if (!all_done(here) || !all_done(there)) return std::nullopt;
  Compared compared = compare(test, as_execution(test, order, here), order, there);
  if (!compared.decided || !compared.difference) return std::nullopt;
  compared.difference->wrong = wrong;
  return std::move(compared.difference);
}

}  // namespace

Schema without_indexes(const Schema& schema) {
  Schema fewer = schema;
  std::erase_if(fewer.more, [](const std::string& sql) {
    const std::string words = lower_case(sql);
    return has_word(words, "index") && !has_word(words, "unique");
  });
  return fewer;
}

Result<std::optional<Difference>> other_plan(Arena& arena, const Case& test, const std::vector<Place>& order,
                                             std::uint64_t& rounds) {
  const Schema fewer = without_indexes(test.schema);
  if (fewer.more.size() == test.schema.more.size() || order.empty()) return std::optional<Difference>();
  auto here = run_alone_on(arena, test, order, rounds);
  if (!here) return std::move(here).error();
  if (auto made = arena.prepare(fewer); !made) return std::move(made).error();
  auto there = run_alone_on(arena, test, order, rounds);
  if (auto made = arena.prepare(test.schema); !made) return std::move(made).error();
  if (!there) return std::move(there).error();
  return difference_of(test, order, *here, *there, Wrong::kPlan);
}

Result<std::optional<Difference>> other_server(Arena& arena, Arena& other, const Case& test,
                                               const std::vector<Place>& order, std::uint64_t& rounds) {
  if (order.empty()) return std::optional<Difference>();
  auto here = run_alone_on(arena, test, order, rounds);
  if (!here) return std::move(here).error();
  // What the other one does not know is no difference.
  if (!other.prepare(test.schema)) return std::optional<Difference>();
  auto there = run_alone_on(other, test, order, rounds);
  if (!there) return std::move(there).error();
  return difference_of(test, order, *here, *there, Wrong::kAgainst);
}

std::vector<Place> one_after_the_other(const Case& test) {
  std::vector<std::uint32_t> transactions(test.transactions.size());
  for (std::uint32_t t = 0; t < transactions.size(); ++t) transactions[t] = t;
  return statements_in(test, transactions);
}

}  // namespace isolde::hunt
