#include "hunt/judge/compare.h"
#include "hunt/judge/judge.h"
#include "hunt/judge/latest.h"
#include "hunt/trial/applicability.h"
#include "hunt/trial/run_judge.h"
#include "hunt/trial/second_opinion.h"
#include "hunt/trial/serial.h"
#include "hunt/trial/trial.h"
#include "hunt/trial/turns.h"
#include "hunt/trial/unexplained.h"

namespace isolde::hunt {
namespace {

// One finding run again as it stands.
class Again {
 public:
  Again(Arena& arena, const Finding& finding, const TrialOptions& options)
      : arena_(arena), finding_(finding), against_(options.against), judge_(arena, options, counts_) {}

  Result<std::optional<Finding>> run() {
    const Case& test = finding_.test;
    if (!has_all_turns(test)) return std::optional<Finding>();
    if (finding_.wrong == Wrong::kCrash) return crash();
    if (finding_.wrong == Wrong::kPlan || finding_.wrong == Wrong::kAgainst) return second_opinion();
    if (finding_.wrong == Wrong::kIsolation && finding_.anomaly == kNoSerialOrder) return no_serial_order();
    const auto transactions = serial_order(test);
    const bool serial = !finding_.alone.empty() && transactions && finding_.alone == statements_in(test, *transactions);
    if (auto ready = arena_.reset(); !ready) return std::move(ready).error();
    Execution execution = arena_.run(test, !serial);
    if (auto error = error_of(execution)) return *error;
    if (finding_.alone.empty() && finding_.wrong == Wrong::kError) return failure(execution, unexplained_error);
    if (finding_.wrong == Wrong::kHang) return failure(execution, unexplained_hang);
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

  Result<std::optional<Finding>> failure(const Execution& execution, decltype(unexplained_error)* judge) {
    auto difference = judge(arena_, finding_.test, execution, counts_.rounds);
    if (!difference) return std::move(difference).error();
    return told(execution, *std::move(difference));
  }

  Result<std::optional<Finding>> against_alone(const Execution& execution, bool serial) {
    const Case& test = finding_.test;
    if (!serial && why_no_oracle(test, execution, finding_.alone)) return std::optional<Finding>();
    if (auto ready = arena_.reset(); !ready) return std::move(ready).error();
    const AloneRun alone = arena_.run_alone(test, finding_.alone);
    if (auto error = error_of(alone)) return *error;
    Compared compared = compare(test, execution, finding_.alone, alone);
    if (compared.difference && !serial && is_excused(test, execution, *compared.difference))
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

  Result<std::optional<Finding>> second_opinion() {
    const bool plan = finding_.wrong == Wrong::kPlan;
    if (!plan && against_ == nullptr) return std::optional<Finding>();
    auto difference = plan ? other_plan(arena_, finding_.test, finding_.alone, counts_.rounds)
                           : other_server(arena_, *against_, finding_.test, finding_.alone, counts_.rounds);
    if (!difference) return std::move(difference).error();
    if (!*difference) return std::optional<Finding>();
    Finding again = finding_;
    again.where = (*difference)->where;
    again.anomaly = std::move((*difference)->anomaly);
    again.expected = std::move((*difference)->expected);
    again.actual = std::move((*difference)->actual);
    again.server = arena_.server();
    if (!plan) again.expected += "\n(" + against_->server() + ")";
    return std::optional<Finding>(std::move(again));
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
  Arena* against_;
  TrialCounts counts_;
  RunJudge judge_;
};

}  // namespace

Result<std::optional<Finding>> try_again(Arena& arena, const Finding& finding, const TrialOptions& options) {
  return Again(arena, finding, options).run();
}

Result<std::optional<Finding>> try_often(Arena& arena, const Finding& finding, const TrialOptions& options,
                                         std::uint64_t runs, Rate before) {
  constexpr std::uint64_t kOftenEnough = 2;  // to say how often it comes, roughly
  std::optional<Finding> last;
  std::uint64_t seen = 0, tried = 0;
  while (tried < runs && seen < kOftenEnough) {
    auto again = try_again(arena, finding, options);
    if (!again) return std::move(again).error();
    ++tried;
    if (!*again) continue;
    ++seen;
    last = *std::move(*again);
  }
  if (last) last->rate = {before.seen + seen, before.runs + tried};
  return last;
}

}  // namespace isolde::hunt
