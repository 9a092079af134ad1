// The engine `solver` on histories that are too large for the oracle: what it says must agree with itself (guessing or
// not, over levels), with engines that know more, with what the generator planted, and with src/proof.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "anomaly/level.h"
#include "check/choose/engines.h"
#include "gen/generate.h"
#include "gen/plants.h"
#include "proof/prove.h"
#include "tests/support/draft_of.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/order_levels.h"
#include "tests/support/random_change.h"
#include "tests/support/random_history.h"
#include "tests/support/shrink.h"

namespace isolde {
namespace solver_medium_test {

constexpr int kShards = 4;
constexpr std::uint64_t kStepsOfACheck = 200'000'000;

constexpr std::size_t kHowMany = std::size(kOrderLevels);

struct Case {
  Draft draft;
  std::string what;
  std::array<std::optional<Outcome>, kHowMany> expected = {};  // what the generator made it to be
};

std::size_t place_of(Level level) {
  return static_cast<std::size_t>(std::find(std::begin(kOrderLevels), std::end(kOrderLevels), level) -
                                  std::begin(kOrderLevels));
}

Case generated(Rng& rng) {
  GenOptions options;
  options.repeated_values = rng.chance(0.35);
  const std::uint64_t most = options.repeated_values ? 60 : rng.chance(0.3) ? 300 : 80;
  options.transactions = 5 + rng.below(most - 4);
  options.sessions = static_cast<std::uint32_t>(1 + rng.below(10));
  options.ops = static_cast<std::uint32_t>(1 + rng.below(6));
  options.keys = static_cast<std::uint32_t>(rng.chance(0.7) ? 1 + rng.below(8) : 2 + options.transactions / 4);
  options.distribution = rng.chance(0.5) ? Distribution::kUniform : Distribution::kZipf;
  options.read_share = 0.2 + 0.6 * rng.unit();
  options.rmw_share = rng.chance(0.5) ? 0 : (1 - options.read_share) * rng.unit();
  options.level = rng.chance(0.5) ? Level::kSnapshotIsolation : Level::kSerializable;
  options.overlap = 1 + static_cast<double>(rng.below(8));
  options.shuffled = rng.chance(0.4);
  options.evidence = {rng.chance(0.4), rng.chance(0.4), false, rng.chance(0.25), rng.chance(0.3), false};
  if (rng.chance(0.5)) options.evidence.versions_share = rng.unit();
  if (rng.chance(0.2)) options.abort_share = 0.1;
  if (rng.chance(0.1)) options.unknown_share = 0.1;
  const bool planted = rng.chance(0.35);
  PlantKind kind{};
  if (planted) {
    do {
      kind = all_plants()[rng.below(all_plants().size())].kind;
    } while (info(kind).rows_only);
    options.plants.push_back({kind, 0.01, 1});
    options.spread = rng.chance(0.5) ? 0.5 : 0;
    options.transactions = std::max<std::uint64_t>(options.transactions, 10);
  }
  options.seed = rng.next();
  auto made = generate(options);
  if (!made) return {{}, made.error().message()};
  Case out{draft_of(made->history),
           fmt::format("{} transactions, {} keys, {} ops{}{}{}, seed {}", options.transactions, options.keys,
                       options.ops, options.repeated_values ? ", repeated" : "", options.shuffled ? ", shuffled" : "",
                       planted ? fmt::format(", {}", info(kind).name) : "", options.seed)};
  const int changes = rng.chance(0.5) ? 0 : static_cast<int>(1 + rng.below(3));
  for (int i = 0; i < changes; ++i) change_a_little(out.draft, rng, false);
  if (changes > 0) {
    out.what += ", changed";
    return out;
  }
  const bool serial = generated_serializable(options.level);
  for (std::size_t i = 0; i < kHowMany; ++i) {
    const LevelFamily family = info(kOrderLevels[i]).family;
    const bool holds = serial || family == LevelFamily::kSnapshot || family == LevelFamily::kPrefix;
    if (!planted && holds) out.expected[i] = Outcome::kSatisfied;
  }
  if (planted) {
    for (const Level level : info(kind).breaks_by_values) {
      const bool known = info(level).order != AddedOrder::kRealTime || options.evidence.intervals;
      if (const std::size_t i = place_of(level); i < kHowMany && known) out.expected[i] = Outcome::kViolated;
    }
    for (const Level level : info(kind).keeps) {
      const LevelFamily family = info(level).family;
      const bool holds = serial || family == LevelFamily::kSnapshot || family == LevelFamily::kPrefix;
      if (const std::size_t i = place_of(level); i < kHowMany && holds) out.expected[i] = Outcome::kSatisfied;
    }
  }
  return out;
}

Case by_chance(Rng& rng) {
  RandomOptions options;
  options.registers_only = true;
  options.max_txns = static_cast<int>(6 + rng.below(50));
  options.max_keys = 3;
  options.max_ops = static_cast<int>(2 + rng.below(4));
  options.blind = rng.chance(0.2);
  if (rng.chance(0.5)) options.unknown = options.aborted = 0;
  if (rng.chance(0.3)) options.timestamps = RandomOptions::Timestamps::kCompleteAndDistinct;
  return {random_draft(rng, options), "by chance"};
}

struct Counts {
  std::uint64_t satisfied = 0, violated = 0, open = 0, limited = 0, both = 0;
  std::array<std::uint64_t, kHowMany> by_level = {};
};

// By a step, or as a whole: all points in time, or version sets.
bool is_given_by_the_database(const Verdict& verdict) {
  return rests_on_the_database(verdict) ||
         std::any_of(verdict.notes.begin(), verdict.notes.end(),
                     [](const std::string& n) { return n.starts_with("given the database's"); });
}

// What is wrong with the verdicts on one history; empty if nothing.
class Judge {
 public:
  Judge(const History& history, Counts* counts) : h_(history), counts_(counts) {}

  std::string run(const std::array<std::optional<Outcome>, kHowMany>& expected) {
    for (std::size_t i = 0; i < kHowMany; ++i) {
      const std::string fault = at(i, expected[i]);
      if (!fault.empty()) return fmt::format("{}: {}", info(kOrderLevels[i]).name, fault);
    }
    for (std::size_t strong = 0; strong < kHowMany; ++strong) {
      for (std::size_t weak = 0; weak < kHowMany; ++weak) {
        if (implies(kOrderLevels[strong], kOrderLevels[weak]) && outcome_[strong] == Outcome::kSatisfied &&
            outcome_[weak] == Outcome::kViolated)
          return fmt::format("{} satisfied, {} violated", info(kOrderLevels[strong]).name,
                             info(kOrderLevels[weak]).name);
      }
    }
    return {};
  }

 private:
  std::string at(std::size_t i, std::optional<Outcome> expected) {
    const Level level = kOrderLevels[i];
    const Verdict guessing = check("solver", level, true);
    const Verdict plain = check("solver", level, false);
    for (const Verdict* verdict : {&guessing, &plain}) {
      const auto proof = prove(h_, *verdict);
      if (!proof)
        return fmt::format("{}{}, but the proof fails: {}", name(verdict->outcome),
                           verdict == &plain ? " without guessing" : "", proof.error().message());
    }
    outcome_[i] = guessing.outcome;
    count(guessing, i);
    const bool both = guessing.outcome != Outcome::kUndecided && plain.outcome != Outcome::kUndecided;
    if (both && guessing.outcome != plain.outcome)
      return fmt::format("{}, but without guessing {}", name(guessing.outcome), name(plain.outcome));
    if (counts_ != nullptr && both) ++counts_->both;
    if (guessing.outcome == Outcome::kUndecided) return {};
    if (expected && guessing.outcome != *expected)
      return fmt::format("{}, but was made to be {}", name(guessing.outcome), name(*expected));
    return against_others(level, guessing.outcome);
  }

  std::string against_others(Level level, Outcome outcome) {
    for (const std::string_view method : {"graph", "weak", "rules"}) {
      if (!engine_named(method)->lacks(h_, level).empty()) continue;
      const Verdict other = check(method, level, true);
      if (other.outcome == Outcome::kUndecided || is_given_by_the_database(other) || other.outcome == outcome) continue;
      return fmt::format("{}, but by {} {}", name(outcome), method, name(other.outcome));
    }
    // These believe clocks, and nothing that is said about versions.
    if (!h_.columns().version_orders.empty() || outcome == Outcome::kSatisfied) return {};
    for (const std::string_view method : {"timeline", "replay"}) {
      if (!engine_named(method)->lacks(h_, level).empty()) continue;
      if (check(method, level, true).outcome == Outcome::kSatisfied)
        return fmt::format("{}, but by {} satisfied", name(outcome), method);
    }
    return {};
  }

  void count(const Verdict& verdict, std::size_t i) {
    if (counts_ == nullptr) return;
    if (verdict.outcome == Outcome::kSatisfied) ++counts_->satisfied;
    if (verdict.outcome == Outcome::kViolated) ++counts_->violated;
    if (verdict.outcome != Outcome::kUndecided) return;
    const bool limit = verdict.reason.find("limit of") != std::string::npos;
    ++(limit ? counts_->limited : counts_->open);
    if (limit) ++counts_->by_level[i];
  }

  Verdict check(std::string_view method, Level level, bool guess) {
    Limits limits;
    WorkBudget budget(kStepsOfACheck);
    limits.work = &budget;
    return engine_named(method)->check(h_, level, limits, {.guess = guess});
  }

  const History& h_;
  Counts* const counts_;
  std::array<Outcome, kHowMany> outcome_ = {};
};

// As shrink() does, many transactions at a time first.
Draft shrunk(Draft draft, const std::function<bool(const Draft&)>& faulty) {
  for (std::size_t step = draft.txns.size() / 2; step > 0; step /= 2) {
    for (std::size_t at = 0; at < draft.txns.size();) {
      Draft less = draft;
      const std::size_t end = std::min(at + step, less.txns.size());
      for (std::size_t t = at; t < end; ++t) {
        for (DraftVersions& order : less.versions) std::erase(order.txns, less.txns[t].name);
      }
      std::erase_if(less.versions,
                    [](const DraftVersions& order) { return order.txns.empty() && order.values.empty(); });
      less.txns.erase(less.txns.begin() + static_cast<std::ptrdiff_t>(at),
                      less.txns.begin() + static_cast<std::ptrdiff_t>(end));
      if (faulty(less)) {
        draft = std::move(less);
      } else {
        at = end;
      }
    }
  }
  return shrink(std::move(draft), faulty);
}

class SolverMedium : public ::testing::TestWithParam<int> {};

TEST_P(SolverMedium, AgreesWithItselfAndWithThoseWhoKnowMore) {
  const std::uint64_t wanted = effort::tries(25);
  const std::uint64_t seed = effort::seed(1700 + static_cast<std::uint64_t>(GetParam()));
  Rng rng(seed);
  Counts counts;
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const Case one = rng.chance(0.75) ? generated(rng) : by_chance(rng);
    if (one.draft.txns.empty()) continue;
    const History h = one.draft.build();
    const std::string fault = Judge(h, &counts).run(one.expected);
    if (fault.empty()) continue;
    // Nothing is expected of what is left of a history.
    const auto still = [&](const Draft& d) { return Judge(d.build(), nullptr).run({}) == fault; };
    const std::string text =
        still(one.draft) ? native_text(shrunk(one.draft, still).build()) : "(as it is) " + native_text(h);
    FAIL() << "seed " << seed << ", history " << i << " (" << one.what << "): " << fault << "\n" << text;
  }
  const std::uint64_t all = counts.satisfied + counts.violated + counts.open + counts.limited;
  const std::string balance =
      fmt::format("{} satisfied, {} violated, {} open, {} limited ({}), {} without guessing", counts.satisfied,
                  counts.violated, counts.open, counts.limited, fmt::join(counts.by_level, " "), counts.both);
  RecordProperty("balance", balance);
  // The answers about one history are much alike, so that shares are those of histories.
  const auto histories = [&](std::uint64_t answers) { return answers / kHowMany; };
  EXPECT_TRUE(effort::reaches(0.1, histories(counts.satisfied), histories(all))) << balance;
  EXPECT_TRUE(effort::reaches(0.1, histories(counts.violated), histories(all))) << balance;
  EXPECT_LE(counts.limited, kHowMany + all / 100) << balance;
  EXPECT_TRUE(effort::reaches(0.5, histories(counts.both), histories(all))) << balance;
}

INSTANTIATE_TEST_SUITE_P(Shards, SolverMedium, ::testing::Range(0, kShards));

}  // namespace solver_medium_test
}  // namespace isolde
