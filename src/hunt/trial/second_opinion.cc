#include "hunt/trial/second_opinion.h"

#include <algorithm>

#include "base/ascii.h"
#include "hunt/finding/schema_text.h"
#include "hunt/run/refusals.h"
#include "hunt/trial/turns.h"

namespace isolde::hunt {
namespace {

Result<AloneRun> answered_alone(AloneRun run, std::uint64_t& rounds) {
  ++rounds;
  if (run.lost || (run.fault && !run.fault_at)) return run.fault.value_or(Error{"the connection to the server broke"});
  return run;
}

Result<AloneRun> run_alone_on(Arena& arena, const Case& test, const std::vector<Place>& order, std::uint64_t& rounds) {
  if (auto ready = arena.reset(); !ready) return std::move(ready).error();
  return answered_alone(arena.run_alone(test, order), rounds);
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
  // An internal error is wrong by whichever plan it comes.
  for (const AloneRun* const run : {&here, &there}) {
    for (std::size_t i = 0; i < order.size() && i < run->runs.size(); ++i) {
      const db::Failure& failure = run->runs[i].reply.failure;
      if (run->runs[i].ran == Ran::kFailed && refusal_of(failure.code) == Refusal::kInternal)
        return Difference{wrong, order[i], "no internal error", failure.code + ": " + failure.text, {}};
    }
  }
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

namespace {

// Of plans by settings, the first that answers otherwise than `here`.
Result<std::optional<Difference>> by_settings(Arena& arena, const Case& test, const std::vector<Place>& order,
                                              const AloneRun& here, std::uint64_t& rounds) {
  for (const Plan plan : kPlans) {
    if (plan_settings(arena.dialect().name, plan).on.empty()) continue;
    if (auto ready = arena.reset(); !ready) return std::move(ready).error();
    auto run = arena.run_alone_by(test, order, plan);
    if (!run) continue;
    auto there = answered_alone(*std::move(run), rounds);
    if (!there) return std::move(there).error();
    auto difference = difference_of(test, order, here, *there, Wrong::kPlan);
    if (!difference) continue;
    difference->anomaly = name(plan);
    return difference;
  }
  return std::optional<Difference>();
}

// Requires: the arena has the schema without indexes.
Result<std::optional<Difference>> by_fewer_indexes(Arena& arena, const Case& test, const std::vector<Place>& order,
                                                   const AloneRun& here, std::uint64_t& rounds) {
  auto there = run_alone_on(arena, test, order, rounds);
  if (!there) return std::move(there).error();
  auto difference = difference_of(test, order, here, *there, Wrong::kPlan);
  if (difference) difference->anomaly = kWithoutIndexes;
  return difference;
}

}  // namespace

Result<std::optional<Difference>> other_plan(Arena& arena, const Case& test, const std::vector<Place>& order,
                                             std::uint64_t& rounds) {
  if (order.empty()) return std::optional<Difference>();
  auto here = run_alone_on(arena, test, order, rounds);
  if (!here) return std::move(here).error();
  auto difference = by_settings(arena, test, order, *here, rounds);
  if (!difference || *difference) return difference;
  const Schema fewer = without_indexes(test.schema);
  if (fewer.more.size() == test.schema.more.size()) return std::optional<Difference>();
  if (auto made = arena.prepare(fewer); !made) return std::move(made).error();
  difference = by_fewer_indexes(arena, test, order, *here, rounds);
  if (auto made = arena.prepare(test.schema); !made) return std::move(made).error();
  return difference;
}

Result<std::optional<Suspect>> first_suspect(Arena& arena, Arena* against, const std::vector<Case>& cases,
                                             FewerIndexes fewer, std::uint64_t& rounds) {
  if (cases.empty()) return std::optional<Suspect>();
  std::vector<AloneRun> all_here;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::vector<Place> order = one_after_the_other(cases[i]);
    auto here = run_alone_on(arena, cases[i], order, rounds);
    if (!here) return std::move(here).error();
    auto difference = by_settings(arena, cases[i], order, *here, rounds);
    if (difference && !*difference && against != nullptr)
      difference = other_server(arena, *against, cases[i], order, rounds);
    if (!difference) return std::move(difference).error();
    if (*difference) return std::optional<Suspect>({i, *std::move(*difference)});
    all_here.push_back(*std::move(here));
  }
  const Schema bare = without_indexes(cases.front().schema);
  if (fewer == FewerIndexes::kSkip || bare.more.size() == cases.front().schema.more.size())
    return std::optional<Suspect>();
  if (auto made = arena.prepare(bare); !made) return std::move(made).error();
  std::optional<Suspect> suspect;
  for (std::size_t i = 0; i < cases.size() && !suspect; ++i) {
    auto difference = by_fewer_indexes(arena, cases[i], one_after_the_other(cases[i]), all_here[i], rounds);
    if (!difference) return std::move(difference).error();
    if (*difference) suspect = Suspect{i, *std::move(*difference)};
  }
  return suspect;
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
