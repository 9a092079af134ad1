// The engine `solver` with more and less evidence, as King Cobra's study has it: version orders of some keys and some
// versions, timestamps of some transactions, sessions and real time on and off.
//
// What holds with more evidence holds with less, and what is broken with less is broken with more, whether the evidence
// is true or not; and evidence that is true never breaks a history that keeps the level.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "check/choose/engines.h"
#include "check/choose/evidence_use.h"
#include "gen/generate.h"
#include "gen/plants.h"
#include "proof/prove.h"
#include "tests/support/draft_of.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/random_change.h"

namespace isolde {
namespace solver_evidence_test {

constexpr int kShards = 4;
constexpr std::uint64_t kStepsOfACheck = 200'000'000;

struct Case {
  Draft draft;
  Level level = Level::kSerializable;
  bool valid = false;  // at that level, by all that is said
};

Case random_case(Rng& rng) {
  GenOptions options;
  options.repeated_values = rng.chance(0.3);
  options.transactions = 10 + rng.below(options.repeated_values ? 30 : 110);
  options.sessions = static_cast<std::uint32_t>(1 + rng.below(8));
  options.ops = static_cast<std::uint32_t>(1 + rng.below(5));
  options.keys = static_cast<std::uint32_t>(1 + rng.below(8));
  options.distribution = Distribution::kUniform;
  options.read_share = 0.1 + 0.6 * rng.unit();
  options.rmw_share = rng.chance(0.5) ? 0 : (1 - options.read_share) * rng.unit();
  options.overlap = 1 + static_cast<double>(rng.below(8));
  options.shuffled = rng.chance(0.5);
  options.evidence = {true, true, false, true, false, false};
  const bool serial = rng.chance(0.5);
  options.level = serial ? Level::kSerializable : Level::kSnapshotIsolation;
  if (rng.chance(0.25)) {
    constexpr PlantKind kPlants[] = {PlantKind::kLostUpdate, PlantKind::kWriteSkew, PlantKind::kLongFork};
    options.plants.push_back({kPlants[rng.below(3)], 0.01, 1});
  }
  options.seed = rng.next();
  auto made = generate(options);
  if (!made) return {};
  Case out{draft_of(made->history), serial ? Level::kSerializable : Level::kSnapshotIsolation, options.plants.empty()};
  if (rng.chance(0.2)) {
    out.level = serial ? Level::kRepeatableRead : Level::kPrefix;
  } else if (rng.chance(0.3)) {  // which it may not keep
    out.level = serial ? Level::kSnapshotIsolation : Level::kSerializable;
    out.valid &= serial;
  }
  for (int changes = rng.chance(0.4) ? static_cast<int>(1 + rng.below(3)) : 0; changes > 0; --changes) {
    change_a_little(out.draft, rng, false);
    out.valid = false;
  }
  return out;
}

// Less of the version orders: some keys, some versions.
void drop_versions(Draft& draft, Rng& rng) {
  std::erase_if(draft.versions, [&](const DraftVersions&) { return rng.chance(0.3); });
  const double share = rng.unit();
  for (DraftVersions& order : draft.versions) {
    order.complete = false;
    std::erase_if(order.values, [&](const DraftValue&) { return rng.chance(share); });
    std::erase_if(order.txns, [&](const std::string&) { return rng.chance(share); });
  }
  std::erase_if(draft.versions, [](const DraftVersions& o) { return o.values.empty() && o.txns.empty(); });
}

struct Checked {
  std::string what;
  Outcome outcome;
};

class Judge {
 public:
  explicit Judge(Level level) : level_(level) {}

  // Nothing where the evidence does not go with the level.
  std::string add(const Draft& draft, std::string_view use, std::string_view ignore, std::string what) {
    const auto evidence = parse_evidence_use(use, ignore);
    EXPECT_TRUE(evidence);
    const auto level = judged_level(level_, *evidence);
    if (!level) return {};
    const History h = judged_history(draft.build(), *evidence);
    Limits limits;
    WorkBudget budget(kStepsOfACheck);
    limits.work = &budget;
    const Verdict verdict = engine_named("solver")->check(h, *level, limits);
    const auto proof = prove(h, verdict);
    if (!proof) return fmt::format("{}: {}, not proved: {}", what, name(verdict.outcome), proof.error().message());
    all_.push_back({std::move(what), verdict.outcome});
    return {};
  }
  // The first is with the most evidence.
  [[nodiscard]] std::string fault(bool valid) const {
    for (std::size_t more = 0; more < all_.size(); ++more) {
      if (valid && all_[more].outcome == Outcome::kViolated) return "valid, but violated with " + all_[more].what;
      for (std::size_t less = more + 1; less < all_.size(); ++less) {
        if (all_[more].outcome == Outcome::kSatisfied && all_[less].outcome == Outcome::kViolated)
          return fmt::format("violated with {}, but satisfied with {}", all_[less].what, all_[more].what);
      }
    }
    return {};
  }
  [[nodiscard]] const std::vector<Checked>& all() const { return all_; }

 private:
  const Level level_;
  std::vector<Checked> all_;
};

class SolverEvidence : public ::testing::TestWithParam<int> {};

TEST_P(SolverEvidence, MoreOfItNeverHelpsAndWhatIsTrueNeverHurts) {
  const std::uint64_t wanted = effort::tries(60);
  const std::uint64_t seed = effort::seed(1800 + static_cast<std::uint64_t>(GetParam()));
  Rng rng(seed);
  std::uint64_t satisfied = 0, violated = 0, undecided = 0, turned = 0;
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const Case one = random_case(rng);
    if (one.draft.txns.empty()) continue;
    std::vector<Judge> chains;
    std::string fault;
    const auto in_turn = [&](const std::vector<Draft>& drafts, std::string_view use,
                             const std::vector<std::string_view>& ignores) {
      chains.emplace_back(one.level);
      for (std::size_t d = 0; d < drafts.size(); ++d) {
        for (const std::string_view ignore : ignores) {
          std::string now = chains.back().add(drafts[d], use, ignore,
                                              fmt::format("draft {} --use '{}' --ignore '{}'", d, use, ignore));
          if (fault.empty()) fault = std::move(now);
        }
      }
    };
    Draft some = one.draft;
    drop_versions(some, rng);
    Draft few = some;
    drop_versions(few, rng);
    in_turn({one.draft, some, few}, "", {""});
    in_turn({few}, "", {"", "versions"});
    in_turn({some}, "session", {"", "versions"});
    in_turn({some}, "realtime", {"", "versions"});
    // Real time, sessions, neither: each says less than the one before.
    chains.emplace_back(one.level);
    for (const auto& [use, ignore] : {std::pair{"realtime", ""}, {"session", "realtime"}, {"", "session,realtime"}}) {
      std::string now = chains.back().add(some, use, ignore, fmt::format("--use '{}' --ignore '{}'", use, ignore));
      if (fault.empty()) fault = std::move(now);
    }
    // The database's commits as the order of versions; of some transactions.
    Draft stamped = some;
    for (DraftTxn& txn : stamped.txns) {
      if (rng.chance(0.1)) txn.commit_ts.reset();
    }
    chains.emplace_back(one.level);
    for (const auto& [use, ignore] : {std::pair{"timestamps", ""}, {"", "timestamps"}, {"", "versions,timestamps"}}) {
      std::string now = chains.back().add(stamped, use, ignore, fmt::format("--use '{}' --ignore '{}'", use, ignore));
      if (fault.empty()) fault = std::move(now);
    }
    for (const Judge& chain : chains) {
      if (fault.empty()) fault = chain.fault(one.valid);
      for (const Checked& c : chain.all()) {
        ++(c.outcome == Outcome::kSatisfied ? satisfied : c.outcome == Outcome::kViolated ? violated : undecided);
      }
      turned += !chain.all().empty() && chain.all().front().outcome != chain.all().back().outcome ? 1 : 0;
    }
    ASSERT_EQ(fault, "") << info(one.level).name << ", seed " << seed << ", history " << i << "\n"
                         << native_text(some.build());
  }
  const std::uint64_t all = satisfied + violated + undecided;
  const std::string balance = fmt::format("{} satisfied, {} violated, {} undecided; {} times evidence told", satisfied,
                                          violated, undecided, turned);
  RecordProperty("balance", balance);
  // The answers about one history are much alike, so that shares are those of histories.
  const auto histories = [&](std::uint64_t answers) { return answers * wanted / std::max<std::uint64_t>(all, 1); };
  EXPECT_TRUE(effort::reaches(0.1, histories(satisfied), wanted)) << balance;
  EXPECT_TRUE(effort::reaches(0.1, histories(violated), wanted)) << balance;
  EXPECT_TRUE(effort::reaches(0.9, histories(satisfied + violated), wanted)) << balance;
  EXPECT_TRUE(effort::reaches(0.05, turned, wanted)) << balance;
}

INSTANTIATE_TEST_SUITE_P(Shards, SolverEvidence, ::testing::Range(0, kShards));

}  // namespace solver_evidence_test
}  // namespace isolde
