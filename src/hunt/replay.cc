#include "hunt/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "hunt/case/dialects.h"
#include "hunt/run/own_schema.h"
#include "hunt/run/refusals.h"
#include "hunt/server_facts.h"

namespace isolde::hunt {
namespace {

using What = ReplayOutcome::What;

// Errors that say that the server does not know what it is asked for, or does not allow it here, in all dialects.
bool is_unknown_here(const db::Failure& failure, std::string_view dialect) {
  const std::span<const std::string_view> unknown = rules_of(dialect).unknown_codes;
  return std::any_of(unknown.begin(), unknown.end(),
                     [&](std::string_view code) { return is_of_code(code, failure.code); });
}

// What did not go through. `unknown`: the first statement that the server does not understand.
std::string what_happened(const Case& test, const Execution& execution, std::string_view dialect,
                          std::string& unknown) {
  std::string lines;
  const auto tell = [&](std::string line) { lines += (lines.empty() ? "" : "\n") + std::move(line); };
  for (const Place place : execution.answered) {
    if (place.transaction >= execution.runs.size()) continue;
    if (place.statement >= execution.runs[place.transaction].size()) continue;
    const StatementRun& run = at(execution, place);
    if (run.ran == Ran::kDone) continue;
    const db::Failure& failure = run.reply.failure;
    tell(run.ran == Ran::kTimedOut ? fmt::format("{} took too long", name(place))
                                   : fmt::format("{} was refused: {} {}", name(place), failure.code, failure.text));
    if (unknown.empty() && is_unknown_here(failure, dialect)) unknown = lines.substr(lines.rfind('\n') + 1);
  }
  for (std::size_t t = 0; t < execution.ends.size() && t < test.transactions.size(); ++t) {
    if (execution.ends[t] == Ended::kAborted) tell(fmt::format("T{} was rolled back by the server", t + 1));
    if (execution.ends[t] == Ended::kUnknown) tell(fmt::format("T{} has no known end", t + 1));
  }
  return lines;
}

// What comes now and then is tried so often that it is missed once in a hundred times or so.
std::uint32_t tries_of(const Finding& finding, const ReplayOptions& options) {
  constexpr std::uint64_t kEnough = 5, kMost = 5000;
  if (!finding.rate.is_rare() || finding.rate.seen == 0) return options.tries;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(kEnough * finding.rate.runs / finding.rate.seen, options.tries, kMost));
}

// MySQL's and MariaDB's findings run on each other where their SQL is the same.
Finding written_for(Finding finding, std::string_view dialect) {
  const auto translate = [&](std::string& sql) { sql = translated(std::move(sql), finding.dialect, dialect); };
  for (Table& table : finding.test.schema.tables) translate(table.create);
  for (std::string& sql : finding.test.schema.more) translate(sql);
  for (View& view : finding.test.schema.views) translate(view.create);
  for (Transaction& transaction : finding.test.transactions)
    for (Statement& statement : transaction.statements)
      for (std::string* const sql : {&statement.sql, &statement.before, &statement.undone}) translate(*sql);
  finding.dialect = dialect;
  return finding;
}

}  // namespace

Result<ReplayOutcome> replay(db::Database& database, const db::ServerLevel& level, const Finding& given,
                             const ReplayOptions& options) {
  ReplayOutcome outcome;
  outcome.level = level.name;
  if (!share_grammar(given.dialect, database.dialect().name)) {
    outcome.what = What::kCannotRun;
    outcome.reason =
        fmt::format("it is written for {}, and this database speaks {}", given.dialect, database.dialect().name);
    return outcome;
  }
  ArenaOptions arena_options = options.arena;
  arena_options.most_transactions =
      std::max(arena_options.most_transactions, static_cast<std::uint32_t>(given.test.transactions.size()));
  const auto held = hold_own_schema(database, level);
  if (!held) return held.error();
  auto arena = open_arena(database, level, arena_options);
  if (!arena) return std::move(arena).error();
  outcome.server = (*arena)->server();
  const std::string dialect((*arena)->dialect().name);
  const Finding finding = written_for(given, dialect);
  if (std::string other = other_version(finding.server, outcome.server); !other.empty())
    outcome.notes.push_back(std::move(other));
  outcome.reason = why_other_settings(dialect, finding.server, outcome.server);
  if (!outcome.reason.empty()) {
    outcome.what = What::kCannotRun;
    (*arena).reset();
    (void)drop_own_schema(database, level);
    return outcome;
  }
  Result<void> made = clear_own_schema(database, level);
  if (made) made = (*arena)->prepare(finding.test.schema);
  if (!made) {
    outcome.what = What::kCannotRun;
    outcome.reason = fmt::format("its tables cannot be made here: {}", made.error().text);
    (*arena).reset();
    (void)drop_own_schema(database, level);
    return outcome;
  }
  TrialOptions trial = options.trial;
  trial.level = level.claims;
  std::optional<Error> fault;
  const std::uint32_t tries = tries_of(finding, options);
  for (outcome.tries = 0; outcome.tries < tries; ++outcome.tries) {
    auto seen = try_again(**arena, finding, trial);
    if (!seen) {
      fault = std::move(seen).error();
      continue;
    }
    fault.reset();
    if (!*seen) continue;
    ++outcome.tries;
    outcome.what = What::kSeen;
    outcome.seen = *std::move(*seen);
    outcome.seen.server = outcome.server;
    outcome.seen.level = outcome.level;
    outcome.seen.rate = finding.rate;
    break;
  }
  if (outcome.what != What::kSeen) {
    if (auto back = (*arena)->reset(); !back) {
      fault = std::move(back).error();
    } else {
      const Execution execution = (*arena)->run(finding.test, false);
      if (execution.fault) fault = execution.fault;
      outcome.happened = what_happened(finding.test, execution, dialect, outcome.reason);
    }
    if (fault) outcome.reason = fault->text;
    if (!outcome.reason.empty()) outcome.what = What::kCannotRun;
  }
  (*arena).reset();  // its sessions end first
  (void)drop_own_schema(database, level);
  return outcome;
}

}  // namespace isolde::hunt
