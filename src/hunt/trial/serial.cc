#include "hunt/trial/serial.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hunt/case/dialects.h"
#include "hunt/judge/effects.h"

namespace isolde::hunt {
namespace {

constexpr std::size_t kMostTransactionsInSerial = 4;

bool inserts(const Statement& statement) {
  return statement.kind == StatementKind::kInsert || statement.kind == StatementKind::kUpsert ||
         statement.kind == StatementKind::kMerge;
}

// Those that committed, in the order of their commits; none if a statement of theirs was not carried out.
std::optional<std::vector<std::uint32_t>> committed(const Case& test, const Execution& execution) {
  std::vector<std::uint32_t> transactions;
  for (const Place place : execution.answered) {
    if (place.statement < test.transactions[place.transaction].statements.size()) continue;
    if (execution.ends[place.transaction] == Ended::kCommitted) transactions.push_back(place.transaction);
  }
  for (const std::uint32_t t : transactions)
    for (const StatementRun& run : execution.runs[t])
      if (run.ran != Ran::kDone) return std::nullopt;
  if (std::find(execution.ends.begin(), execution.ends.end(), Ended::kUnknown) != execution.ends.end())
    return std::nullopt;
  return transactions;
}

}  // namespace

bool can_be_ordered(const Case& test, std::string_view dialect) {
  if (test.transactions.size() > kMostTransactionsInSerial) return false;
  if (!rules_of(dialect).reuses_deleted_keys) return true;
  for (std::size_t t = 0; t < test.transactions.size(); ++t) {
    std::set<std::string_view> inserted;
    for (const Statement& statement : test.transactions[t].statements)
      if (inserts(statement)) inserted.insert(statement.writes.begin(), statement.writes.end());
    for (std::size_t other = 0; other < test.transactions.size(); ++other) {
      if (other == t) continue;
      for (const Statement& statement : test.transactions[other].statements)
        if (deletes(statement) && std::any_of(statement.writes.begin(), statement.writes.end(),
                                              [&](const std::string& table) { return inserted.contains(table); }))
          return false;
    }
  }
  return true;
}

Result<Compared> compare_with_serial(Arena& arena, const Case& test, const Execution& execution,
                                     std::uint64_t& rounds) {
  const Compared undecided{.decided = false, .difference = {}};
  auto by_commit = committed(test, execution);
  if (!by_commit || by_commit->empty()) return undecided;
  std::vector<std::uint32_t> order(by_commit->size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::string actual;
  do {
    std::vector<Place> alone;
    std::string names;
    for (const std::uint32_t i : order) {
      const std::uint32_t t = (*by_commit)[i];
      names += fmt::format("{}T{}", names.empty() ? "" : ", ", t + 1);
      for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s) alone.push_back({t, s});
    }
    if (auto ready = arena.reset(); !ready) return std::move(ready).error();
    const AloneRun run = arena.run_alone(test, alone);
    ++rounds;
    if (run.lost || (run.fault && !run.fault_at))
      return run.fault.value_or(Error{"the connection to the server broke"});
    const Compared compared = compare(test, execution, alone, run);
    if (!compared.decided) return undecided;
    if (!compared.difference) return compared;
    const Difference& difference = *compared.difference;
    // Constraints are checked against the latest rows, so a statement may fail in an order where it need not.
    if (difference.wrong == Wrong::kError) return undecided;
    actual += fmt::format("{}not {}: {} would give\n{}\nand gave\n{}", actual.empty() ? "" : "\n", names,
                          difference.wrong == Wrong::kContents ? "the end" : name(difference.where),
                          difference.expected, difference.actual);
  } while (std::next_permutation(order.begin(), order.end()));
  return Compared{.decided = true,
                  .difference = Difference{Wrong::kIsolation,
                                           {},
                                           "what some order of the transactions gives, one after the other",
                                           std::move(actual),
                                           std::string(kNoSerialOrder)}};
}

}  // namespace isolde::hunt
