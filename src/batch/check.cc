#include "batch/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "batch/dependencies.h"
#include "batch/facts.h"
#include "batch/fetch.h"
#include "batch/timeline.h"
#include "check/session_numbers.h"
#include "check/tested.h"
#include "checking/checking.h"

namespace isolde::batch {
namespace {

// What a share and the sweep over it take, in bytes; and a reading of the clock (batch/realtime.cc).
constexpr double kBytesPerSharedTxn = 130, kBytesPerSharedOp = 16, kBytesPerTxnOfClock = 2 * 40;
// A share's ids are 32 bits; keys are not dealt out evenly.
constexpr double kMostOpsPerShare = 2e9;

Level level_of(const BatchOptions& options, const History& columns) {
  return options.level ? *options.level : level_by_evidence(columns);
}

class BatchRun {
 public:
  BatchRun(Ranks& ranks, Parts& parts, const BatchOptions& options, const Limits& limits)
      : ranks_(ranks), parts_(parts), options_(options), limits_(limits) {
    answer_.transactions = parts.whole_transactions();
    answer_.operations = parts.whole_operations();
    answer_.passes = passes_for(parts, ranks.size(), options.memory);
  }

  Result<BatchAnswer> run() {
    if (parts_.whole_transactions() == 0) return bring_together("it is empty");
    auto facts = survey(ranks_, parts_);
    if (!facts) return std::move(facts).error();
    answer_.stand_in = stand_in(*facts);
    level_ = level_of(options_, *answer_.stand_in);
    const Choice choice = choose(*answer_.stand_in, level_, options_.choose);
    const bool by_time = choice.engine != nullptr &&
                         (choice.engine->given == Given::kTimestamps || choice.engine->given == Given::kExpectedOrder);
    answer_.why_method = choice.why;
    if (choice.engine != nullptr && judges_by_dependencies(*choice.engine))
      return run_by_dependencies(*facts, *choice.engine);
    if (!by_time) {
      const std::string_view method = choice.engine == nullptr ? "none" : choice.engine->name;
      return bring_together(fmt::format("the method for {} is {}", info(level_).name, method));
    }
    auto judged = judge(*facts, level_, *choice.engine);
    if (!judged) return std::move(judged).error();
    if (!judged->open.empty()) return bring_together(judged->open);
    if (auto finished = finish(*facts, *std::move(judged), *choice.engine); !finished)
      return std::move(finished).error();
    if (!open_.empty()) return bring_together(open_);
    return std::move(answer_);
  }

 private:
  Result<BatchAnswer> run_by_dependencies(const Facts& facts, const Engine& engine) {
    if (std::string why = not_by_dependencies(facts, level_); !why.empty()) return bring_together(std::move(why));
    const DependenciesJob job{level_, &engine, options_.engine, answer_.passes, options_.most_at_first};
    auto judged = judge_by_dependencies(ranks_, parts_, facts, job, limits_);
    if (!judged) return std::move(judged).error();
    if (!judged->open.empty()) return bring_together(judged->open);
    answer_.keys = judged->keys;
    answer_.sessions = judged->sessions;
    answer_.is_part = true;
    answer_.outcome = judged->outcome;
    Verdict& verdict = answer_.verdict;
    if (judged->outcome == Outcome::kViolated) {
      verdict = std::move(judged->verdict);
      answer_.history = std::move(judged->history);
      return std::move(answer_);
    }
    verdict.level = level_;
    verdict.method = engine.name;
    verdict.outcome = Outcome::kSatisfied;
    verdict.witness.kind = judged->witness;
    verdict.search = judged->search;
    if (info(level_).order != AddedOrder::kNone) withhold_untested(judged->orders, verdict);
    if (verdict.holds && info(level_).order == AddedOrder::kSession && judged->orders.clocks)
      return bring_together("there is no session order to test, but clocks may show it");
    answer_.outcome = verdict.outcome;
    answer_.history = answer_.stand_in;
    return std::move(answer_);
  }

  Result<TimelineAnswer> judge(const Facts& facts, Level level, const Engine& engine) {
    TimelineJob job;
    job.level = level;
    job.clock = engine.given == Given::kExpectedOrder ? timeline::Clock::kOrder : timeline::Clock::kTimestamps;
    job.passes = answer_.passes;
    job.max_anomalies = limits_.max_anomalies;
    return judge_by_time(ranks_, parts_, facts, job);
  }

  // What LevelChecks::check() does with the engine's verdict. The same decisions on all ranks.
  Result<void> finish(const Facts& facts, TimelineAnswer judged, const Engine& engine) {
    Verdict verdict = std::move(judged.verdict);
    verdict.method = engine.name;
    const bool gaps = judged.gap_count > 0 && proscribes(level_, AnomalyKind::kSessionGap);
    const bool has_gaps = ranks_.any(gaps);
    answer_.outcome = has_gaps ? Outcome::kViolated : judged.outcome;
    if (has_gaps) {
      add_session_gaps(judged.gaps, judged.gap_count, limits_, verdict);
    } else if (judged.outcome == Outcome::kSatisfied) {
      verdict.level = level_;
      verdict.outcome = Outcome::kSatisfied;  // of other ranks, too, so that they decide the same
      if (info(level_).order != AddedOrder::kNone) withhold_untested(judged.orders, verdict);
      answer_.outcome = verdict.outcome;
      if (verdict.holds) {
        if (auto taken = take_from_real_time(facts, judged, engine, verdict); !taken) return taken;
      }
    }
    if (!open_.empty()) return {};
    answer_.keys = judged.keys;
    answer_.sessions = judged.sessions;
    if (!ranks_.is_first()) return {};
    if (!has_gaps && judged.gap_count > 0)
      note_session_gaps(*judged.part, judged.gaps.front(), judged.gap_count, verdict);
    answer_.history = std::move(judged.part);
    answer_.is_part = true;
    answer_.verdict = std::move(verdict);
    return {};
  }

  // Without sessions but with clocks: if real time holds, it implies session order.
  Result<void> take_from_real_time(const Facts& facts, const TimelineAnswer& judged, const Engine& engine,
                                   Verdict& verdict) {
    const LevelInfo& level = info(level_);
    if (level.order != AddedOrder::kSession || !judged.orders.clocks) return {};
    for (const LevelInfo& strong : all_levels()) {
      if (strong.family != level.family || strong.order != AddedOrder::kRealTime) continue;
      const Choice choice = choose(*answer_.stand_in, strong.level, options_.choose);
      if (choice.engine != &engine) {
        open_ = "another method judges the level with real time";
        return {};
      }
      auto timed = judge(facts, strong.level, engine);
      if (!timed) return std::move(timed).error();
      open_ = timed->open;
      const bool gaps = ranks_.any(timed->gap_count > 0) && proscribes(strong.level, AnomalyKind::kSessionGap);
      if (!open_.empty() || timed->outcome != Outcome::kSatisfied || gaps) return {};
      verdict.decide(Outcome::kSatisfied);
      answer_.outcome = verdict.outcome;
      verdict.notes.push_back(fmt::format("{} holds, which implies {}", strong.name, level.name));
    }
    return {};
  }

  Result<BatchAnswer> bring_together(std::string why) {
    answer_.verdict = {};
    if (parts_.whole_bytes() > options_.most_at_first) return leave_undecided(std::move(why));
    auto joiner = fetch_all(ranks_, parts_);
    if (!joiner) return std::move(joiner).error();
    Result<void> good;
    if (ranks_.is_first()) {
      auto whole = joiner->finish();
      if (!whole) {
        good = std::move(whole).error();
      } else {
        good = check_here(*whole);
      }
    }
    if (auto agreed = ranks_.agree(good); !agreed) return std::move(agreed).error();
    answer_.brought_together = std::move(why);
    answer_.outcome = gathered(ranks_, std::vector{answer_.outcome}).front();
    return std::move(answer_);
  }

  Result<void> check_here(const History& whole) {
    level_ = level_of(options_, whole);
    const auto checking = Checking::of(whole, level_, {.choose = options_.choose, .engine = options_.engine});
    if (!checking) return checking.error();
    Verdict& verdict = answer_.verdict;
    verdict = (*checking)->check(limits_);
    answer_.history = whole;
    answer_.why_method = (*checking)->why(verdict);
    answer_.outcome = verdict.outcome;
    answer_.is_part = false;
    answer_.keys = whole.key_count();
    answer_.sessions = whole.session_count();
    return {};
  }

  Result<BatchAnswer> leave_undecided(std::string why) {
    answer_.outcome = Outcome::kUndecided;
    answer_.verdict = {};
    answer_.verdict.level = level_;
    answer_.verdict.method = "none";
    answer_.verdict.leave_open(
        WhyOpen::kMemory,
        fmt::format(
            "{}, so the whole history is needed in one place; its parts are {} MiB, and at most {} MiB may be brought "
            "together (--gather)",
            why, parts_.whole_bytes() >> 20, options_.most_at_first >> 20));
    answer_.why_method.clear();
    if (!answer_.stand_in) answer_.stand_in = stand_in(Facts{});
    answer_.history = answer_.stand_in;
    answer_.is_part = true;
    return std::move(answer_);
  }

  Ranks& ranks_;
  Parts& parts_;
  const BatchOptions& options_;
  const Limits& limits_;
  Level level_ = Level::kSerializable;
  std::string open_;
  BatchAnswer answer_;
};

}  // namespace

unsigned passes_for(const Parts& parts, unsigned ranks, std::uint64_t memory) {
  constexpr unsigned kMostPasses = 1U << 12;
  const auto txns = static_cast<double>(parts.whole_transactions());
  const auto ops = static_cast<double>(parts.whole_operations());
  for (unsigned passes = 1; passes < kMostPasses; ++passes) {
    // A transaction is in the share of each bucket that has one of its keys.
    const double buckets = static_cast<double>(ranks) * passes;
    const double shared = txns > 0 ? txns * (1 - std::pow(1 - 1 / buckets, ops / txns)) : 0;
    const double share = shared * kBytesPerSharedTxn + ops / buckets * kBytesPerSharedOp;
    const double needed = std::max(share, txns / buckets * kBytesPerTxnOfClock);
    if ((memory == 0 || needed <= static_cast<double>(memory)) && ops / buckets < kMostOpsPerShare) return passes;
  }
  return kMostPasses;
}

Result<BatchAnswer> check_parts(Ranks& ranks, Parts& parts, const BatchOptions& options, const Limits& limits) {
  return BatchRun(ranks, parts, options, limits).run();
}

}  // namespace isolde::batch
