#include "check/choose/strongest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "check/cycles/cycles.h"
#include "check/exhaustive/exhaustive.h"
#include "check/graph/graph.h"
#include "check/session_numbers.h"
#include "check/solver/solver.h"
#include "check/sums/sums.h"

namespace isolde {
namespace {

constexpr std::size_t at(Level level) { return static_cast<std::size_t>(level); }

// What a look at stronger levels may take where a level was left open, in steps (base/limits.h) and in times of the
// check itself: about two seconds, or as long again.
constexpr std::uint64_t kStrongerSteps = 200'000'000, kStrongerTimes = 1;

// What a check takes as given beside the values, sessions and client's clock that its level is about.
enum Belief : std::uint8_t {
  kVersionOrders = 1,
  kPoints = 2,  // timestamps as start and commit points
  kPlaces = 4,  // commit timestamps as places in a serial order
  kExpected = 8,
  kPredicates = 16,  // no belief, but more to be right about: what predicates should have found
};

std::uint8_t beliefs(const History& h, const Engine& engine, Level level) {
  const bool predicates = !h.columns().predicates.empty();
  // Two levels are about items alone.
  const bool items_only = level == Level::kReadUncommitted || level == Level::kRepeatableRead;
  unsigned all = predicates && !items_only ? kPredicates : 0;
  switch (engine.given) {
    case Given::kExpectedOrder:
      all |= kExpected;
      break;
    case Given::kTimestamps:
      all |= info(level).family == LevelFamily::kSnapshot ? kPoints : kPlaces;
      break;
    case Given::kProfile:
      break;
    case Given::kVersionOrders:
      if (!h.columns().version_orders.empty()) all |= kVersionOrders;
      const bool by_starts = engine.believes_starts && info(level).family == LevelFamily::kSnapshot;
      if (by_starts && !h.columns().start_ts.empty()) all |= kPoints;
      break;
  }
  return static_cast<std::uint8_t>(all);
}

// Then no order of the transactions helps.
bool has_session_gaps(const Verdict& verdict) {
  return verdict.counts[static_cast<std::size_t>(AnomalyKind::kSessionGap)] > 0;
}

bool believes_all_of(std::uint8_t more, std::uint8_t less) { return (less & ~more) == 0; }

// Whether these steps, one cycle, are a cycle at a level of this row.
bool is_cycle_of(const graph::LevelRow& row, std::span<const Step> steps) {
  using graph::Edge;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const Step& next = steps[(i + 1) % steps.size()];
    if (step.to != next.from) return false;
    switch (step.type) {
      case StepType::kWw:
        if (!row.edges.has(Edge::kWw)) return false;
        break;
      case StepType::kWr:
        if (!row.edges.has(Edge::kWr)) return false;
        break;
      case StepType::kRw:
        if (!row.edges.has(Edge::kRw)) return false;
        break;
      case StepType::kSession:
        if (!row.edges.has(Edge::kSession)) return false;
        break;
      case StepType::kRealtime:
        if (!row.edges.has(Edge::kRealtime)) return false;
        break;
      default:
        return false;
    }
    if (row.nodes == graph::Nodes::kTransactions || next.type != StepType::kRw) continue;
    // An anti-dependency leaves from a start; what leads to a commit does not lead on to it.
    const bool to_commit =
        step.type == StepType::kRw || (row.nodes == graph::Nodes::kPrefixPoints && step.type == StepType::kWw);
    if (to_commit) return false;
  }
  return true;
}

bool is_about_predicates(const History& h, const Step& step) {
  const auto is = [&](OpId op) { return op != kNoOp && is_predicate(h.op(raw(op)).kind()); };
  return is(step.from_op) || is(step.to_op);
}

// Whether a step needs no order of versions but what the read itself shows: it returned the initial state, or a list
// that does not hold what was appended.
bool is_shown(const History& h, const Step& step) {
  if (step.type != StepType::kRw) return step.type != StepType::kWw;
  if (step.from_op == kNoOp || step.to_op == kNoOp) return false;
  const ValueId read = h.op_value(raw(step.from_op));
  if (read == h.initial(step.key)) return true;
  const auto elements = h.values().elements(read);
  return elements && h.op(raw(step.to_op)).kind() == OpKind::kAppend &&
         std::find(elements->begin(), elements->end(), h.op_value(raw(step.to_op))) == elements->end();
}

// One anti-dependency, and else a chain of reads and sessions: the reader misses a transaction of its past.
bool misses_its_past(std::span<const Step> steps) {
  const auto count = [&](StepType type) {
    return std::count_if(steps.begin(), steps.end(), [type](const Step& s) { return s.type == type; });
  };
  return count(StepType::kRw) == 1 &&
         count(StepType::kWr) + count(StepType::kSession) + 1 == static_cast<std::ptrdiff_t>(steps.size());
}

bool cycle_breaks(const History& h, const Anomaly& anomaly, Level found_at, Level level) {
  using enum AnomalyKind;
  const std::span<const Step> steps = anomaly.steps;
  const bool is_cycle = anomaly.kind == kG0 || anomaly.kind == kG1c || anomaly.kind == kGSingle ||
                        anomaly.kind == kGNonadjacent || anomaly.kind == kG2Item;
  if (!is_cycle || anomaly.source != ReadSource::kNotARead || steps.size() < 2) return false;
  // What is in whose past depends on whether sessions count.
  if (std::any_of(steps.begin(), steps.end(),
                  [](const Step& s) { return s.ground == Ground::kSeen || s.ground == Ground::kPast; }))
    return false;
  // What a predicate depends on, not every level asks.
  if (std::any_of(steps.begin(), steps.end(), [&](const Step& s) { return is_about_predicates(h, s); })) return false;
  const graph::LevelRow* const from = graph::row_of(found_at);
  const graph::LevelRow* const serial = graph::row_of(Level::kStrongSessionSerializable);
  const bool shown = std::all_of(steps.begin(), steps.end(), [&](const Step& s) { return is_shown(h, s); });
  if (shown && is_cycle_of(*serial, steps) && misses_its_past(steps)) {
    if (implies(level, Level::kCausal) || (steps.size() == 2 && implies(level, Level::kReadAtomic))) return true;
  }
  // These two are not about cycles of such steps alone.
  const auto other = [](Level l) { return l == Level::kCausal || l == Level::kCursorStability; };
  const graph::LevelRow* const row = graph::row_of(level);
  if (from == nullptr || row == nullptr || other(level) || other(found_at)) return false;
  // A level that lets updates be lost knows fewer version orders; and what somebody had seen depends on sessions.
  const bool known = std::none_of(steps.begin(), steps.end(), [](const Step& s) { return s.ground == Ground::kSeen; });
  return (shown || (known && from->updates <= row->updates)) && is_cycle_of(*row, steps);
}

// A stronger level holds.
void take_over(Verdict strong, Verdict& verdict) {
  verdict.decide(Outcome::kSatisfied);
  verdict.method = strong.method;
  verdict.given = strong.given;
  verdict.search = strong.search;
  verdict.witness = std::move(strong.witness);
  verdict.notes.push_back(fmt::format("{} holds, which implies {}", info(strong.level).name, info(verdict.level).name));
}

// Whether what satisfies `strong` satisfies `weak`, for this history: what predicates looked at is no read at
// repeatable-read, and is one at the levels below it.
bool follows_here(const History& h, Level strong, Level weak) {
  if (strong == Level::kRepeatableRead && !h.columns().predicates.empty())
    return weak == strong || weak == Level::kReadUncommitted;
  return implies(strong, weak);
}

class StrongestSearch {
 public:
  StrongestSearch(LevelChecks& checks, const History& history, const ChooseOptions& options,
                  const OrderEvidence& orders, const Limits& limits)
      : checks_(checks), h_(history), orders_(orders), limits_(limits) {
    limits_.max_anomalies = 1;
    for (const LevelInfo& row : all_levels()) {
      const auto judged = judged_level(row.level, {.use = 0, .ignore = options.evidence.ignore});
      left_out_[at(row.level)] = !judged || *judged != row.level;
      if (left_out_[at(row.level)]) continue;
      Choice choice = choose(h_, row.level, options);
      // A forced method judges what it can.
      if (choice.engine == nullptr) {
        ChooseOptions unforced = options;
        unforced.method = {};
        choice = choose(h_, row.level, unforced);
      }
      engine_[at(row.level)] = choice.engine;
      if (choice.engine != nullptr) beliefs_[at(row.level)] = beliefs(h_, *choice.engine, row.level);
      // The read rules alone never accept, and what they refuse another method refuses too, at all levels at once.
      if (choice.engine == nullptr || !choice.engine->certifies) {
        out_.levels[at(row.level)] = Outcome::kUndecided;
      }
    }
  }

  Strongest run(const Verdict& first) {
    take(first);
    while (const auto level = next()) {
      if (limits_.exhausted()) {
        stop();
        break;
      }
      const Verdict verdict = checks_.check_alone({engine_[at(*level)], {}}, *level, limits_);
      ++out_.checks;
      if (verdict.outcome == Outcome::kUndecided && limits_.exhausted()) stop();
      take(verdict);
    }
    finish();
    return std::move(out_);
  }

 private:
  void stop() {
    out_.stop = limits_.is_cancelled()  ? Strongest::Stop::kCancelled
                : limits_.out_of_work() ? Strongest::Stop::kWork
                                        : Strongest::Stop::kTime;
  }

  [[nodiscard]] bool is_open(Level level) const {
    return !left_out_[at(level)] && !out_.at(level) && !is_doomed(level);
  }
  [[nodiscard]] bool follows(Level strong, Level weak) const { return follows_here(h_, strong, weak); }
  // A weaker level is broken.
  [[nodiscard]] bool is_doomed(Level level) const {
    return std::any_of(all_levels().begin(), all_levels().end(), [&](const LevelInfo& weak) {
      return follows(level, weak.level) && out_.at(weak.level) == Outcome::kViolated;
    });
  }

  // A stronger one of its family is undecided: likely for want of evidence that this one needs too, so it comes last.
  [[nodiscard]] bool is_put_off(Level level) const {
    return std::any_of(all_levels().begin(), all_levels().end(), [&](const LevelInfo& strong) {
      return strong.family == info(level).family && follows(strong.level, level) &&
             out_.at(strong.level) == Outcome::kUndecided && !out_.is_untested(strong.level);
    });
  }

  // The strongest level that is open; of several, the one whose method is the cheapest, and then the later in the
  // table: so those that ask for one view come first, and share what was traced.
  [[nodiscard]] std::optional<Level> next() const {
    std::optional<Level> best, put_off;
    for (const LevelInfo& row : all_levels()) {
      const Level level = row.level;
      if (!is_open(level)) continue;
      if (is_put_off(level)) {
        put_off = level;
        continue;
      }
      const bool below = std::any_of(all_levels().begin(), all_levels().end(), [&](const LevelInfo& strong) {
        return strong.level != level && follows(strong.level, level) && is_open(strong.level) &&
               !is_put_off(strong.level);
      });
      if (below) continue;
      if (!best || engine_[at(level)] <= engine_[at(*best)]) best = level;  // the table of engines is by cost
    }
    return best ? best : put_off;
  }

  void take(const Verdict& verdict) {
    const Level level = verdict.level;
    // What was not tested holds as far as it was.
    const Outcome outcome = verdict.holds ? Outcome::kSatisfied : verdict.outcome;
    const bool tested = !verdict.holds;
    infer(level, outcome, tested);
    // Another level's check need not have asked for the database's word: it does so only where nothing else tells.
    if (rests_on_the_database(verdict)) return;
    const std::uint8_t believed = beliefs_[at(level)];
    for (const LevelInfo& other : all_levels()) {
      if (other.level == level || engine_[at(other.level)] == nullptr) continue;
      const std::uint8_t theirs = beliefs_[at(other.level)];
      if (outcome == Outcome::kSatisfied) {
        if (follows(level, other.level) && believes_all_of(believed, theirs))
          infer(other.level, Outcome::kSatisfied, tested);
      } else if (verdict.outcome == Outcome::kViolated && believes_all_of(theirs, believed & ~kPredicates)) {
        const bool broken = (follows(other.level, level) && believes_all_of(theirs, believed)) ||
                            std::any_of(verdict.anomalies.begin(), verdict.anomalies.end(),
                                        [&](const Anomaly& a) { return breaks_too(h_, verdict, a, other.level); });
        if (broken) infer(other.level, Outcome::kViolated, tested);
      }
    }
  }

  // `tested`: so was what it is inferred from; then it holds whether or not there was more to test here.
  void infer(Level level, Outcome outcome, bool tested) {
    auto& answer = out_.levels[at(level)];
    if (answer && *answer != Outcome::kUndecided) return;
    if (out_.is_untested(level) && (!tested || outcome != Outcome::kSatisfied)) return;
    out_.not_tested[at(level)] = !tested && outcome == Outcome::kSatisfied && tested_form(level, orders_).has_value();
    answer = out_.is_untested(level) ? Outcome::kUndecided : outcome;
  }

  void finish() {
    for (const LevelInfo& row : all_levels()) {
      if (is_open(row.level)) out_.levels[at(row.level)] = Outcome::kUndecided;
    }
    const auto is_candidate = [&](Level level) { return out_.at(level) == Outcome::kSatisfied && !is_doomed(level); };
    for (std::size_t i = kLevelCount; i-- > 0;) {
      const Level level = all_levels()[i].level;
      const bool implied = std::any_of(all_levels().begin(), all_levels().end(), [&](const LevelInfo& strong) {
        return strong.level != level && follows(strong.level, level) && is_candidate(strong.level);
      });
      if (implied) continue;
      if (is_candidate(level)) out_.holds.push_back(level);
      if (out_.at(level) != Outcome::kUndecided || is_doomed(level)) continue;
      if (!out_.is_untested(level)) {
        out_.undecided.push_back(level);
        continue;
      }
      const bool covered = std::any_of(all_levels().begin(), all_levels().end(), [&](const LevelInfo& strong) {
        return strong.level != level && follows(strong.level, level) && out_.is_untested(strong.level);
      });
      if (!covered) out_.untested.push_back(level);
    }
  }

  LevelChecks& checks_;
  const History& h_;
  const OrderEvidence orders_;
  Limits limits_;
  std::array<const Engine*, kLevelCount> engine_{};
  std::array<std::uint8_t, kLevelCount> beliefs_{};
  std::array<bool, kLevelCount> left_out_{};  // levels that are about evidence that is to be ignored
  Strongest out_;
};

}  // namespace

LevelChecks::LevelChecks(const History& history, const ChooseOptions& options, const EngineOptions& engine_options)
    : h_(history), options_(options), context_(history, engine_options) {}

const OrderEvidence& LevelChecks::orders() {
  if (!orders_) orders_ = order_evidence(h_);
  return *orders_;
}

void LevelChecks::withhold(Verdict& verdict) {
  const bool adds = info(verdict.level).order != AddedOrder::kNone;
  if (adds && verdict.outcome == Outcome::kSatisfied) withhold_untested(orders(), verdict);
}

Verdict LevelChecks::check(const Choice& choice, Level level, const Limits& limits) {
  Verdict verdict = check_engine(choice, level, limits);
  if (has_session_gaps(verdict)) return verdict;
  if (verdict.outcome == Outcome::kUndecided && options_.method.empty() && !limits.exhausted())
    take_from_stronger(*choice.engine, limits, verdict);
  search_small(choice, limits, verdict);
  withhold(verdict);
  if (verdict.holds && !limits.exhausted()) take_from_real_time(*choice.engine, limits, verdict);
  note_session_gaps(h_, verdict);
  return verdict;
}

void LevelChecks::take_from_real_time(const Engine& engine, const Limits& limits, Verdict& verdict) {
  const LevelInfo& level = info(verdict.level);
  if (level.order != AddedOrder::kSession || !orders().clocks) return;
  for (const LevelInfo& strong : all_levels()) {
    if (strong.family != level.family || strong.order != AddedOrder::kRealTime) continue;
    const Choice choice = choose(h_, strong.level, options_);
    if (choice.engine == nullptr || choice.engine->given != engine.given) return;
    Verdict timed = check_engine(choice, strong.level, limits);
    search_small(choice, limits, timed);
    if (timed.outcome != Outcome::kSatisfied) return;
    take_over(std::move(timed), verdict);
  }
}

Verdict LevelChecks::check_alone(const Choice& choice, Level level, const Limits& limits) {
  Verdict verdict = check_engine(choice, level, limits);
  if (has_session_gaps(verdict)) return verdict;
  search_small(choice, limits, verdict);
  withhold(verdict);
  return verdict;
}

void LevelChecks::search_small(const Choice& choice, const Limits& limits, Verdict& verdict) {
  const Given given = choice.engine->given;
  // The level comes first, and the database's own order of versions only where nothing else tells.
  const bool by_its_word =
      verdict.outcome == Outcome::kViolated && given == Given::kVersionOrders && rests_on_the_database(verdict);
  const bool open = verdict.outcome == Outcome::kUndecided || by_its_word;
  // Where the user wants timestamps as the order of versions, any other order is no answer.
  if (!open || !options_.method.empty() || limits.exhausted() || h_.has_flag(kVersionsByCommitTs)) return;
  Verdict searched = check_exhaustively(h_, verdict.level, given, limits);
  const std::string leaves = by_its_word ? std::string("decides this only by the database's own order of versions")
                                         : fmt::format("leaves this undecided ({})", verdict.reason);
  if (searched.outcome != Outcome::kUndecided) {
    searched.notes.push_back(
        fmt::format("method {} {}; the history is small, so every order was tried", choice.engine->name, leaves));
    verdict = std::move(searched);
    return;
  }
  if (given != Given::kVersionOrders || limits.exhausted() || !kSumsEngine.lacks(h_, verdict.level).empty()) return;
  Verdict summed = kSumsEngine.run(context_, verdict.level, limits);
  if (summed.outcome == Outcome::kUndecided) return;
  summed.notes.push_back(fmt::format("method {} {}; sums decide it", choice.engine->name, leaves));
  verdict = std::move(summed);
}

void LevelChecks::take_from_stronger(const Engine& engine, const Limits& limits, Verdict& verdict) {
  struct Candidate {
    Level level;
    const Engine* engine;
  };
  std::vector<Candidate> candidates;
  for (const LevelInfo& strong : all_levels()) {
    if (strong.level == verdict.level || !follows_here(h_, strong.level, verdict.level)) continue;
    // A form with real time asks for more than one without, and shows no more.
    if (strong.order == AddedOrder::kRealTime && info(verdict.level).order != AddedOrder::kRealTime) continue;
    if (!asks_for_one_order(strong.level)) continue;
    const Choice choice = choose(h_, strong.level, options_);
    if (choice.engine == nullptr || !choice.engine->certifies) continue;
    if (!believes_all_of(beliefs(h_, *choice.engine, strong.level), beliefs(h_, engine, verdict.level))) continue;
    candidates.push_back({strong.level, choice.engine});
  }
  // The table of engines is by cost. Of one engine: the level that asks least.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.engine < b.engine; });
  const std::uint64_t spent = limits.work == nullptr ? 0 : limits.work->spent();
  WorkBudget budget(std::max(kStrongerSteps, kStrongerTimes * spent), "the check of stronger levels", {}, limits.work);
  Limits within = limits;
  within.work = &budget;
  within.max_anomalies = 1;
  std::vector<Level> broken;
  for (const Candidate& one : candidates) {
    if (within.exhausted()) return;
    const auto breaks = [&](Level weak) { return follows_here(h_, one.level, weak); };
    if (std::any_of(broken.begin(), broken.end(), breaks)) continue;
    Verdict strong = check_engine({one.engine, {}}, one.level, within);
    if (strong.outcome == Outcome::kViolated) broken.push_back(one.level);
    if (strong.outcome != Outcome::kSatisfied) continue;
    take_over(std::move(strong), verdict);
    return;
  }
}

Verdict LevelChecks::check_engine(const Choice& choice, Level level, const Limits& limits) {
  Verdict verdict = run_engine(choice, level, limits);
  // What breaks a profile breaks no level.
  if (verdict.given != Given::kProfile) add_session_gaps(h_, limits, verdict);
  return verdict;
}

Verdict LevelChecks::run_engine(const Choice& choice, Level level, const Limits& limits) {
  Verdict verdict = choice.engine->run(context_, level, limits);
  // What this engine knows leaves it open: another one searches, unless the user wants this method.
  const Engine* const next = choice.engine->then;
  const bool open = verdict.outcome == Outcome::kUndecided && options_.method.empty() && !limits.exhausted();
  if (!open || next == nullptr || !next->lacks(h_, level).empty()) return verdict;
  Verdict searched = next->run(context_, level, limits);
  if (searched.outcome != Outcome::kUndecided) return searched;
  if (searched.search) verdict.reason += fmt::format("; a search for it ended: {}", searched.reason);
  return verdict;
}

std::string LevelChecks::other_order(const Verdict& found, const Limits& limits) {
  const bool by_order = found.given != Given::kVersionOrders;
  if (!by_order || found.outcome != Outcome::kViolated || info(found.level).family != LevelFamily::kSerializable)
    return {};
  if (!kGraphEngine.lacks(h_, found.level).empty()) return {};
  Verdict bare = kSolverEngine.run(context_, found.level, limits);
  if (bare.outcome == Outcome::kUndecided && !limits.exhausted())
    bare = kGraphEngine.run(context_, found.level, limits);
  if (bare.outcome == Outcome::kUndecided && !limits.exhausted()) {
    Verdict searched = check_exhaustively(h_, found.level, Given::kVersionOrders, limits);
    if (searched.outcome != Outcome::kUndecided) bare = std::move(searched);
  }
  switch (bare.outcome) {
    case Outcome::kSatisfied:
      return fmt::format("another order explains the history: {} itself holds, and only the promised order is violated",
                         info(found.level).name);
    case Outcome::kViolated:
      return "no other order explains the history either";
    case Outcome::kUndecided:
      break;
  }
  return fmt::format("whether another order explains the history is not known ({})", bare.reason);
}

Strongest LevelChecks::strongest(const Verdict& first, const Limits& limits) {
  return StrongestSearch(*this, h_, options_, orders(), limits).run(first);
}

bool breaks_too(const History& history, const Verdict& found, const Anomaly& anomaly, Level level) {
  using enum AnomalyKind;
  // Where values repeat, what is told by an order that is given does not make sure that no other writer explains a
  // read.
  if (found.given != Given::kVersionOrders) return false;
  if (anomaly.op != kNoOp && history.status(history.txn_of(anomaly.op)) != Status::kCommitted) return false;
  const bool bad_read = anomaly.kind == kG1a || anomaly.kind == kG1b || anomaly.kind == kGarbageRead ||
                        (anomaly.kind == kG1c && anomaly.source == ReadSource::kOwnLater);
  if (bad_read) return level != Level::kReadUncommitted;
  if (anomaly.kind == kInternal) {
    return implies(level, Level::kReadAtomic) || implies(level, Level::kRepeatableRead) ||
           implies(level, Level::kSnapshotIsolation);
  }
  const bool lost = anomaly.kind == kLostUpdate && anomaly.steps.size() == 2 &&
                    anomaly.steps[0].type == StepType::kRw && anomaly.steps[1].type == StepType::kRw;
  if (lost) return implies(level, Level::kCursorStability);
  return cycle_breaks(history, anomaly, found.level, level);
}

}  // namespace isolde
