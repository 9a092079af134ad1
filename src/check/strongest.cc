#include "check/strongest.h"

#include <algorithm>

#include "check/graph/cycles.h"

namespace isolde {
namespace {

constexpr std::size_t at(Level level) { return static_cast<std::size_t>(level); }

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
  if (engine.name == "replay") {
    all |= kExpected;
  } else if (engine.name == "timeline") {
    all |= info(level).family == LevelFamily::kSnapshot ? kPoints : kPlaces;
  } else if (!h.columns().version_orders.empty()) {
    all |= kVersionOrders;
  }
  return static_cast<std::uint8_t>(all);
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

bool cycle_breaks(const Anomaly& anomaly, Level found_at, Level level) {
  using enum AnomalyKind;
  const bool is_cycle = anomaly.kind == kG0 || anomaly.kind == kG1c || anomaly.kind == kGSingle ||
                        anomaly.kind == kGNonadjacent || anomaly.kind == kG2Item;
  if (!is_cycle || anomaly.source != ReadSource::kNotARead || anomaly.steps.size() < 2) return false;
  // These two ask for more than that some edges form no cycle.
  if (level == Level::kCausal || level == Level::kCursorStability) return false;
  const graph::LevelRow* const from = graph::row_of(found_at);
  const graph::LevelRow* const row = graph::row_of(level);
  // A level that lets updates be lost knows fewer version orders.
  if (from == nullptr || row == nullptr || from->updates > row->updates) return false;
  return is_cycle_of(*row, anomaly.steps);
}

class Search {
 public:
  Search(const History& history, const ChooseOptions& options, const Limits& limits)
      : h_(history), options_(options), limits_(limits) {
    limits_.max_anomalies = 1;
    for (const LevelInfo& row : all_levels()) {
      Choice choice = choose(h_, row.level, options_);
      // A forced method judges what it can.
      if (choice.engine == nullptr)
        choice = choose(h_, row.level, {.method = {}, .order_by_commit = options_.order_by_commit});
      engine_[at(row.level)] = choice.engine;
      if (choice.engine != nullptr) {
        beliefs_[at(row.level)] = beliefs(h_, *choice.engine, row.level);
      } else {
        out_.levels[at(row.level)] = Outcome::kUndecided;
      }
    }
  }

  Strongest run(const Verdict& first) {
    take(first);
    while (const auto level = next()) {
      if (limits_.out_of_time()) {
        out_.out_of_time = true;
        break;
      }
      const Verdict verdict = engine_[at(*level)]->check(h_, *level, limits_);
      ++out_.checks;
      if (verdict.outcome == Outcome::kUndecided && limits_.out_of_time()) out_.out_of_time = true;
      take(verdict);
    }
    finish();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_open(Level level) const { return !out_.at(level) && !is_doomed(level); }
  // A weaker level is broken.
  [[nodiscard]] bool is_doomed(Level level) const {
    return std::any_of(all_levels().begin(), all_levels().end(), [&](const LevelInfo& weak) {
      return implies(level, weak.level) && out_.at(weak.level) == Outcome::kViolated;
    });
  }

  // The strongest level that is open; of several, the one whose method is the cheapest.
  [[nodiscard]] std::optional<Level> next() const {
    std::optional<Level> best;
    for (const LevelInfo& row : all_levels()) {
      const Level level = row.level;
      const bool below = std::any_of(all_levels().begin(), all_levels().end(), [&](const LevelInfo& strong) {
        return strong.level != level && implies(strong.level, level) && is_open(strong.level);
      });
      if (!is_open(level) || below) continue;
      if (!best || engine_[at(level)] < engine_[at(*best)]) best = level;  // the table of engines is by cost
    }
    return best;
  }

  void take(const Verdict& verdict) {
    const Level level = verdict.level;
    auto& answer = out_.levels[at(level)];
    if (!answer || *answer == Outcome::kUndecided) answer = verdict.outcome;
    const std::uint8_t believed = beliefs_[at(level)];
    for (const LevelInfo& other : all_levels()) {
      if (other.level == level || engine_[at(other.level)] == nullptr) continue;
      const std::uint8_t theirs = beliefs_[at(other.level)];
      if (verdict.outcome == Outcome::kSatisfied) {
        if (implies(level, other.level) && believes_all_of(believed, theirs)) infer(other.level, Outcome::kSatisfied);
      } else if (verdict.outcome == Outcome::kViolated && believes_all_of(theirs, believed & ~kPredicates)) {
        const bool broken = (implies(other.level, level) && believes_all_of(theirs, believed)) ||
                            std::any_of(verdict.anomalies.begin(), verdict.anomalies.end(),
                                        [&](const Anomaly& a) { return breaks_too(h_, verdict, a, other.level); });
        if (broken) infer(other.level, Outcome::kViolated);
      }
    }
  }

  void infer(Level level, Outcome outcome) {
    auto& answer = out_.levels[at(level)];
    if (!answer || *answer == Outcome::kUndecided) answer = outcome;
  }

  void finish() {
    for (const LevelInfo& row : all_levels()) {
      if (is_open(row.level)) out_.levels[at(row.level)] = Outcome::kUndecided;
    }
    const auto is_candidate = [&](Level level) { return out_.at(level) == Outcome::kSatisfied && !is_doomed(level); };
    for (std::size_t i = kLevelCount; i-- > 0;) {
      const Level level = all_levels()[i].level;
      const bool implied = std::any_of(all_levels().begin(), all_levels().end(), [&](const LevelInfo& strong) {
        return strong.level != level && implies(strong.level, level) && is_candidate(strong.level);
      });
      if (implied) continue;
      if (is_candidate(level)) out_.holds.push_back(level);
      if (out_.at(level) == Outcome::kUndecided && !is_doomed(level)) out_.undecided.push_back(level);
    }
  }

  const History& h_;
  const ChooseOptions& options_;
  Limits limits_;
  std::array<const Engine*, kLevelCount> engine_{};
  std::array<std::uint8_t, kLevelCount> beliefs_{};
  Strongest out_;
};

}  // namespace

bool breaks_too(const History& history, const Verdict& found, const Anomaly& anomaly, Level level) {
  using enum AnomalyKind;
  // Where values repeat, only these methods make sure that no other writer explains a read.
  if (found.method != "graph" && found.method != "rules") return false;
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
  return cycle_breaks(anomaly, found.level, level);
}

}  // namespace isolde
