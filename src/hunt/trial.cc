#include "hunt/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hunt/applicability.h"
#include "hunt/judge/at_once.h"
#include "hunt/judge/compare.h"
#include "hunt/judge/effects.h"
#include "hunt/judge/isolation.h"
#include "hunt/judge/judge.h"
#include "hunt/judge/latest.h"
#include "hunt/serial.h"

namespace isolde::hunt {
namespace {

// The extra oracles cost a run or two each: they are drawn for one case in so many.
constexpr std::uint64_t kRerunOneIn = 4, kSerialOneIn = 8, kOrderOneIn = 3;

// The turns as the steps were answered, then those that never came up.
std::vector<std::uint32_t> answered_order(const Case& test, const Execution& execution) {
  std::vector<std::size_t> turns(test.transactions.size());
  for (std::size_t t = 0; t < turns.size(); ++t) turns[t] = test.transactions[t].statements.size() + 1;
  std::vector<std::uint32_t> order;
  for (const Place place : execution.answered) {
    if (turns[place.transaction] == 0) continue;
    --turns[place.transaction];
    order.push_back(place.transaction);
  }
  for (std::uint32_t t = 0; t < turns.size(); ++t) order.insert(order.end(), turns[t], t);
  return order;
}

// The transactions in the order in which they come up, if none begins before the one before has ended.
std::optional<std::vector<std::uint32_t>> serial_order(const Case& test) {
  std::vector<std::uint32_t> order;
  std::size_t left = 0;
  for (const std::uint32_t t : test.order) {
    if (left == 0) {
      order.push_back(t);
      left = test.transactions[t].statements.size() + 1;
    }
    if (t != order.back()) return std::nullopt;
    --left;
  }
  return order;
}

std::vector<Place> statements_in(const Case& test, const std::vector<std::uint32_t>& transactions) {
  std::vector<Place> places;
  for (const std::uint32_t t : transactions) {
    if (!test.transactions[t].commits) continue;
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s) places.push_back({t, s});
  }
  return places;
}

bool all_as_wanted(const Case& test, const Execution& execution) { return compare(test, execution, execution).decided; }

// Without the extra reads a transaction of InnoDB at REPEATABLE READ takes its snapshot later.
bool reads_change_nothing(const Arena& arena) {
  return arena.dialect().name != "mariadb" || arena.level().name != "repeatable read";
}

// What is said of a run, whichever way it came about.
class Judge {
 public:
  Judge(Arena& arena, const TrialOptions& options, TrialCounts& counts)
      : arena_(arena), options_(options), counts_(counts) {}

  [[nodiscard]] Finding finding(const Case& test, const Execution& execution, Difference difference,
                                std::vector<Place> alone) const {
    Finding found;
    found.wrong = difference.wrong;
    found.test = test;
    found.alone = std::move(alone);
    found.where = difference.where;
    found.server = arena_.server();
    found.level = arena_.level().name;
    found.dialect = arena_.dialect().name;
    found.expected = std::move(difference.expected);
    found.actual = std::move(difference.actual);
    found.anomaly = std::move(difference.anomaly);
    found.cause = known_cause(test, execution);
    return found;
  }

  // The cause that the level is known for, if some statement that locks saw rows that were not the latest.
  [[nodiscard]] std::string known_cause(const Case& test, const Execution& execution) const {
    const auto why = why_not(arena_.dialect().name, arena_.level().name, arena_.server());
    if (!why || !why->recognisable) return {};
    for (const auto& [place, tables] : old_tables(test, execution))
      if (locks(at(test, place))) return why->cause;
    return {};
  }

  // `asked`: that kind only. Else what tells most: what was undone and seen, a broken level, then the rest.
  std::optional<Difference> at_once(const Case& test, const Execution& execution, std::optional<Wrong> asked) {
    std::vector<Difference> all = wrong_at_once(test, execution, arena_.dialect().name, options_.level);
    if (asked) std::erase_if(all, [&](const Difference& difference) { return difference.wrong != *asked; });
    const auto undone = std::find_if(
        all.begin(), all.end(), [](const Difference& difference) { return difference.wrong == Wrong::kRolledBack; });
    if (undone != all.end()) return std::move(*undone);
    if (!asked || *asked == Wrong::kIsolation)
      if (auto broken = broken_isolation(test, execution)) return broken;
    if (all.empty()) return std::nullopt;
    return std::move(all.front());
  }

  // A constraint is checked against the latest rows, so a statement whose snapshot was older may fail alone.
  [[nodiscard]] static bool is_excused(const Case& test, const Execution& execution, const Difference& difference) {
    if (difference.wrong != Wrong::kError) return false;
    return old_tables(test, execution).contains(difference.where);
  }

 private:
  std::optional<Difference> broken_isolation(const Case& test, const Execution& execution) {
    // Where one cause is known beforehand, what it breaks is snapshots; nothing else is told of such a level.
    const auto why = why_not(arena_.dialect().name, arena_.level().name, arena_.server());
    if (why && known_cause(test, execution).empty()) return std::nullopt;
    const auto broken = broken_level(test, execution, why ? Level::kSnapshotIsolation : options_.level);
    if (!broken) {
      if (broken.error().text.find("could not be proved") != std::string::npos) ++counts_.unproved;
      return std::nullopt;
    }
    ++counts_.histories;
    if (!*broken) return std::nullopt;
    const Level level = held_to(why ? Level::kSnapshotIsolation : options_.level);
    return Difference{Wrong::kIsolation,
                      {},
                      fmt::format("no {} at {}", (*broken)->anomaly, info(level).name),
                      (*broken)->text,
                      (*broken)->anomaly};
  }

  Arena& arena_;
  const TrialOptions& options_;
  TrialCounts& counts_;
};

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

  // What the run shows by itself is told; else the case is changed so that more can be said. True: run it anew.
  bool refine() {
    Case& test = trial_.refined;
    if (execution_.fault_at) {
      ++counts_.failed;
      test = without(test, {*execution_.fault_at});
      return true;
    }
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
      if (!compared.difference || Judge::is_excused(test, execution_, *compared.difference)) continue;
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
    auto again = try_again(arena_, finding, options_);
    if (!again) {
      fail(std::move(again).error());
      return true;
    }
    if (!*again) {
      ++counts_.unsteady;
      return false;
    }
    trial_.finding = std::move(**again);
    over_ = true;
    return true;
  }

  Arena& arena_;
  const TrialOptions& options_;
  Rng& rng_;
  TrialCounts& counts_;
  Judge judge_;
  Trial trial_;
  Execution execution_;
  StatementGraph graph_;
  std::set<std::string> moved_;  // statements that waited once
  bool keeps_aborted_ = false;   // transactions that fail because of others stay in, and must leave no trace
  bool over_ = false;
};

// One finding run again as it stands.
class Again {
 public:
  Again(Arena& arena, const Finding& finding, const TrialOptions& options)
      : arena_(arena), finding_(finding), judge_(arena, options, counts_) {}

  Result<std::optional<Finding>> run() {
    const Case& test = finding_.test;
    if (!is_whole(test)) return std::optional<Finding>();
    if (finding_.wrong == Wrong::kCrash) return crash();
    if (finding_.wrong == Wrong::kIsolation && finding_.anomaly == kNoSerialOrder) return no_serial_order();
    const auto transactions = serial_order(test);
    const bool serial = !finding_.alone.empty() && transactions && finding_.alone == statements_in(test, *transactions);
    if (auto ready = arena_.reset(); !ready) return std::move(ready).error();
    Execution execution = arena_.run(test, !serial);
    if (auto error = error_of(execution)) return *error;
    if (serial) {
      if (!all_as_wanted(test, execution)) return std::optional<Finding>();
    } else if (!beyond_their_snapshot(test, execution, arena_.dialect().name).empty()) {
      return std::optional<Finding>();
    }
    if (!finding_.alone.empty()) return against_alone(execution, serial);
    if (finding_.wrong == Wrong::kRerun) return rerun(execution);
    return told(execution, judge_.at_once(test, execution, finding_.wrong));
  }

 private:
  // Files may say anything.
  static bool is_whole(const Case& test) {
    std::vector<std::size_t> turns(test.transactions.size(), 0);
    for (const std::uint32_t t : test.order)
      if (t >= turns.size() || ++turns[t] > test.transactions[t].statements.size() + 1) return false;
    for (std::size_t t = 0; t < turns.size(); ++t)
      if (turns[t] != test.transactions[t].statements.size() + 1) return false;
    return true;
  }
  template <typename Run>
  static std::optional<Error> error_of(const Run& run) {
    if (run.lost) return run.fault.value_or(Error{"the connection to the server broke"});
    return run.fault;
  }

  Result<std::optional<Finding>> told(const Execution& execution, std::optional<Difference> difference) const {
    if (!difference || difference->wrong != finding_.wrong) return std::optional<Finding>();
    Finding again = judge_.finding(finding_.test, execution, std::move(*difference), finding_.alone);
    again.isolde = finding_.isolde;
    // What was put down to the level's known cause is not to become something else when it is made smaller.
    const auto why = why_not(arena_.dialect().name, arena_.level().name, arena_.server());
    if (why && finding_.cause == why->cause && again.cause != finding_.cause) return std::optional<Finding>();
    if (again.cause.empty()) again.cause = finding_.cause;
    return std::optional<Finding>(std::move(again));
  }

  Result<std::optional<Finding>> against_alone(const Execution& execution, bool serial) {
    const Case& test = finding_.test;
    if (!serial && why_no_oracle(test, execution, finding_.alone)) return std::optional<Finding>();
    if (auto ready = arena_.reset(); !ready) return std::move(ready).error();
    const AloneRun alone = arena_.run_alone(test, finding_.alone);
    if (auto error = error_of(alone)) return *error;
    Compared compared = compare(test, execution, finding_.alone, alone);
    if (compared.difference && !serial && Judge::is_excused(test, execution, *compared.difference))
      return std::optional<Finding>();
    return told(execution, std::move(compared.difference));
  }

  Result<std::optional<Finding>> no_serial_order() {
    if (!can_be_ordered(finding_.test, arena_.dialect().name)) return std::optional<Finding>();
    if (auto ready = arena_.reset(); !ready) return std::move(ready).error();
    const Execution execution = arena_.run(finding_.test, false);
    if (auto error = error_of(execution)) return *error;
    auto compared = compare_with_serial(arena_, finding_.test, execution, counts_.rounds);
    if (!compared) return std::move(compared).error();
    return told(execution, std::move(compared->difference));
  }

  Result<std::optional<Finding>> rerun(const Execution& execution) {
    if (auto ready = arena_.reset(); !ready) return std::move(ready).error();
    const Execution second = arena_.run(finding_.test, false);
    if (auto error = error_of(second)) return *error;
    Compared compared = compare(finding_.test, execution, second);
    if (compared.difference) compared.difference->wrong = Wrong::kRerun;
    return told(execution, std::move(compared.difference));
  }

  Result<std::optional<Finding>> crash() {
    if (auto ready = arena_.reset(); !ready) return std::move(ready).error();
    Execution execution = arena_.run(finding_.test, true);
    bool lost = execution.lost;
    if (!lost && execution.fault) return *execution.fault;
    if (!lost && !finding_.alone.empty()) {
      if (auto ready = arena_.reset(); !ready) return std::move(ready).error();
      lost = arena_.run_alone(finding_.test, finding_.alone).lost;
    }
    if (!lost) return std::optional<Finding>();
    return std::optional<Finding>(finding_);
  }

  Arena& arena_;
  const Finding& finding_;
  TrialCounts counts_;
  Judge judge_;
};

}  // namespace

Trial try_case(Arena& arena, const Case& test, const TrialOptions& options, Rng& rng, TrialCounts& counts) {
  return Trying(arena, test, options, rng, counts).run();
}

Result<std::optional<Finding>> try_again(Arena& arena, const Finding& finding, const TrialOptions& options) {
  return Again(arena, finding, options).run();
}

}  // namespace isolde::hunt
