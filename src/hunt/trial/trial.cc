#include "hunt/trial/trial.h"

#include <algorithm>
#include <set>

#include "hunt/case/dialects.h"
#include "hunt/judge/compare.h"
#include "hunt/judge/effects.h"
#include "hunt/judge/judge.h"
#include "hunt/judge/latest.h"
#include "hunt/trial/run_judge.h"
#include "hunt/trial/second_opinion.h"
#include "hunt/trial/serial.h"
#include "hunt/trial/turns.h"
#include "hunt/trial/unexplained.h"

namespace isolde::hunt {
namespace {

// The extra oracles cost a run or two each: they are drawn for one case in so many.
// Where so much was seen once and never again, less work is spent on the next.
constexpr std::uint64_t kOftenInVain = 20;
constexpr std::uint64_t kRerunOneIn = 4, kSerialOneIn = 8, kOrderOneIn = 3;

// Without the extra reads a transaction may take its snapshot later (InnoDB at REPEATABLE READ).
bool reads_change_nothing(const Arena& arena) {
  return arena.level().name != rules_of(arena.dialect().name).snapshot_by_read;
}

class Trying {
 public:
  Trying(Arena& arena, const Case& test, const TrialOptions& options, Rng& rng, TrialCounts& counts)
      : arena_(arena), options_(options), rng_(rng), counts_(counts), judge_(arena, options, counts) {
    trial_.refined = test;
    keeps_aborted_ = rng.below(2) == 0;
  }

  Trial run() {
    ++counts_.cases;
    if (options_.extra_oracles && options_.level == Level::kSerializable && rng_.below(kOrderOneIn) == 0)
      look_for_order();
    bool judged = false;
    for (std::uint32_t round = 0; round <= options_.refinements && !over_; ++round) {
      if (!execute()) break;
      if (refine()) continue;
      judged = !over_;
      break;
    }
    if (judged) judged = oracle_rounds();
    if (judged && !over_ && options_.extra_oracles) extra_oracles();
    if (!judged && !over_) ++counts_.given_up;
    return std::move(trial_);
  }

 private:
  // Without extra reads, as the case was drawn.
  void look_for_order() {
    const Case& test = trial_.refined;
    if (!can_be_ordered(test, arena_.dialect().name)) return;
    const auto execution = run_once(test, false);
    if (!execution || execution->fault) return;
    auto compared = compare_with_serial(arena_, test, *execution, counts_.rounds);
    if (!compared) {
      fail(std::move(compared).error());
      return;
    }
    if (compared->difference) tell(judge_.finding(test, *execution, std::move(*compared->difference), {}));
  }

  // The case as it stands now; false: the trial is over.
  bool execute() {
    if (statements_of(trial_.refined) == 0) return false;
    auto execution = run_once(trial_.refined, true);
    if (!execution) return false;
    execution_ = std::move(*execution);
    return true;
  }

  std::optional<Execution> run_once(const Case& test, bool instrumented) {
    if (auto ready = arena_.reset(); !ready) return fail(std::move(ready).error());
    Execution execution = arena_.run(test, instrumented);
    ++counts_.runs;
    for (const auto& transaction : execution.runs) {
      for (const StatementRun& run : transaction) {
        if (run.ran == Ran::kNotSent) continue;
        ++counts_.statements;
        if (run.ran == Ran::kFailed) ++counts_.failed;
        if (run.ran == Ran::kTimedOut) ++counts_.timed_out;
        if (run.apart) ++counts_.waited;
      }
    }
    if (execution.lost) {
      trial_.refined = test;
      trial_.lost = true;
      return fail(execution.fault.value_or(Error{"the connection to the server broke"}));
    }
    // An error that no table knows is no reason to stop where it is one statement's: the case goes on without it.
    if (execution.fault && !execution.fault_at) return fail(*execution.fault);
    return execution;
  }
  std::optional<AloneRun> run_alone(const Case& test, const std::vector<Place>& order) {
    if (auto ready = arena_.reset(); !ready) {
      fail(std::move(ready).error());
      return std::nullopt;
    }
    AloneRun alone = arena_.run_alone(test, order);
    ++counts_.rounds;
    if (!alone.lost && (!alone.fault || alone.fault_at)) return alone;
    trial_.lost = alone.lost;
    if (alone.lost) {
      trial_.refined = test;
      trial_.alone = order;
    }
    fail(alone.fault.value_or(Error{"the connection to the server broke"}));
    return std::nullopt;
  }
  std::nullopt_t fail(Error error) {
    trial_.fault = std::move(error);
    over_ = true;
    return std::nullopt;
  }

  // Errors and hangs that nothing excuses. True: the trial is over.
  bool told_of_failures() {
    for (const auto judge : {unexplained_error, unexplained_hang}) {
      auto difference = judge(arena_, trial_.refined, execution_, counts_.rounds);
      if (!difference) {
        fail(std::move(difference).error());
        return true;
      }
      if (*difference && tell(judge_.finding(trial_.refined, execution_, *std::move(*difference), {}))) return true;
    }
    return false;
  }

  // What the run shows by itself is told; else the case is changed so that more can be said. True: run it anew.
  bool refine() {
    Case& test = trial_.refined;
    if (execution_.fault_at) {
      ++counts_.failed;
      test = without(test, {*execution_.fault_at});
      return true;
    }
    if (told_of_failures()) return false;
    std::vector<Place> drop = beyond_their_snapshot(test, execution_, arena_.dialect().name);
    if (drop.empty()) {
      if (auto difference = judge_.at_once(test, execution_, std::nullopt))
        if (tell(judge_.finding(test, execution_, std::move(*difference), {}))) return false;
    }
    bool moved = false;
    for (std::uint32_t t = 0; t < test.transactions.size(); ++t) {
      for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s) {
        const Place place{t, s};
        const StatementRun& run = at(execution_, place);
        const bool failed = run.ran == Ran::kTimedOut ||
                            (run.ran == Ran::kFailed && !(keeps_aborted_ && is_about_concurrency(run.reply)));
        if (failed) {
          drop.push_back(place);
        } else if (run.apart && is_counted(execution_, place)) {
          if (!moved_.insert(at(test, place).sql).second) drop.push_back(place);
          moved = true;
        }
      }
    }
    if (drop.empty() && !moved) {
      graph_ = statement_graph(test, execution_);
      for (const Place place : statements_to_drop(graph_, test, rng_))
        if (writes(at(test, place))) drop.push_back(place);
      counts_.dropped_for_cycles += drop.size();
    }
    if (moved) test.order = answered_order(test, execution_);
    if (!drop.empty()) test = without(test, drop);
    return moved || !drop.empty();
  }

  // Plain reads in cycles are left out of an order, others each time; the run stands as it is.
  bool oracle_rounds() {
    const Case& test = trial_.refined;
    if (graph_.statements.empty()) return true;
    std::set<std::vector<Place>> tried;
    for (std::uint32_t round = 0; round < options_.orders && !over_; ++round) {
      const std::vector<Place> dropped = statements_to_drop(graph_, test, rng_);
      counts_.dropped_for_cycles += dropped.size();
      std::vector<Place> order = draw_order(without(graph_, dropped), rng_);
      if (!tried.insert(order).second) continue;
      if (why_no_oracle(test, execution_, order)) {
        ++counts_.no_oracle;
        return false;
      }
      const auto alone = run_alone(test, order);
      if (!alone) return false;
      auto compared = compare(test, execution_, order, *alone);
      if (!compared.decided) return false;
      if (!compared.difference || is_excused(test, execution_, *compared.difference)) continue;
      tell(judge_.finding(test, execution_, std::move(*compared.difference), std::move(order)));
    }
    return true;
  }

  void extra_oracles() {
    if (rng_.below(kRerunOneIn) == 0 && reads_change_nothing(arena_) && all_as_wanted(trial_.refined, execution_)) {
      const auto second = run_once(trial_.refined, false);
      if (!second) return;
      if (auto difference = compare(trial_.refined, execution_, *second).difference) {
        difference->wrong = Wrong::kRerun;
        if (tell(judge_.finding(trial_.refined, execution_, std::move(*difference), {}))) return;
      }
    }
    if (rng_.below(kSerialOneIn) == 0 && trial_.refined.transactions.size() > 1) serial_oracle();
  }

  void serial_oracle() {
    Case serial = trial_.refined;
    std::vector<std::uint32_t> transactions(serial.transactions.size());
    for (std::uint32_t t = 0; t < transactions.size(); ++t) transactions[t] = t;
    for (std::size_t i = transactions.size(); i > 1; --i) std::swap(transactions[i - 1], transactions[rng_.below(i)]);
    serial.order.clear();
    for (const std::uint32_t t : transactions)
      serial.order.insert(serial.order.end(), serial.transactions[t].statements.size() + 1, t);
    const auto execution = run_once(serial, false);
    if (!execution || !all_as_wanted(serial, *execution)) return;
    std::vector<Place> order = statements_in(serial, transactions);
    const auto alone = run_alone(serial, order);
    if (!alone) return;
    if (auto difference = compare(serial, *execution, order, *alone).difference)
      tell(judge_.finding(serial, *execution, std::move(*difference), std::move(order)));
  }

  // True: it was seen a second time, and the trial is over.
  bool tell(const Finding& finding) {
    auto again = seen_again(finding);
    if (!again) {
      fail(std::move(again).error());
      return true;
    }
    if (!*again) {
      ++counts_.unsteady;
      if (trial_.once) return false;
      trial_.once = finding;
      trial_.once->rate = {1, options_.rare_runs + 1};
      return false;
    }
    trial_.finding = std::move(**again);
    over_ = true;
    return true;
  }

  Result<std::optional<Finding>> seen_again(const Finding& finding) {
    // A machine that stands still for a moment looks like a hang: that is not to happen three times running.
    const int times = finding.wrong == Wrong::kHang ? 2 : 1;
    Result<std::optional<Finding>> again = std::optional<Finding>();
    for (int i = 0; i < times; ++i) {
      again = try_again(arena_, finding, options_);
      if (!again || !*again) break;
    }
    if (!again || *again || finding.wrong == Wrong::kHang) return again;
    const std::uint64_t runs = counts_.unsteady < kOftenInVain ? options_.rare_runs : options_.rare_runs / 10;
    counts_.rare_runs += runs;
    return try_often(arena_, finding, options_, runs, {1, 2});
  }

  Arena& arena_;
  const TrialOptions& options_;
  Rng& rng_;
  TrialCounts& counts_;
  RunJudge judge_;
  Trial trial_;
  Execution execution_;
  StatementGraph graph_;
  std::set<std::string> moved_;  // statements that waited once
  bool keeps_aborted_ = false;   // transactions that fail because of others stay in, and must leave no trace
  bool over_ = false;
};

}  // namespace

Trial try_case(Arena& arena, const Case& test, const TrialOptions& options, Rng& rng, TrialCounts& counts) {
  return Trying(arena, test, options, rng, counts).run();
}

Trial try_second_opinion(Arena& arena, const std::vector<Case>& cases, const TrialOptions& options, FewerIndexes fewer,
                         TrialCounts& counts) {
  Trial trial;
  auto suspect = first_suspect(arena, options.against, cases, fewer, counts.rounds);
  if (!suspect) {
    trial.fault = std::move(suspect).error();
    return trial;
  }
  if (!*suspect) return trial;
  const Case& test = cases[(*suspect)->which];
  trial.refined = test;
  // It is run again, with the case's schema.
  if (auto made = arena.prepare(test.schema); !made) {
    trial.fault = std::move(made).error();
    return trial;
  }
  const RunJudge judge(arena, options, counts);
  Execution nothing;
  for (const Transaction& transaction : test.transactions) nothing.runs.emplace_back(transaction.statements.size());
  nothing.ends.assign(test.transactions.size(), Ended::kUnknown);
  auto again = try_again(
      arena, judge.finding(test, nothing, std::move((*suspect)->difference), one_after_the_other(test)), options);
  if (!again) {
    trial.fault = std::move(again).error();
    return trial;
  }
  if (*again) trial.finding = *std::move(*again);
  if (!*again) ++counts.unsteady;
  return trial;
}

}  // namespace isolde::hunt
