// Ranks and index answer as asking every key does: random rows, conditions and changes; few keys and many.
#include "check/predicates/state_matches.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/rng.h"
#include "history/history_builder.h"
#include "tests/support/effort.h"

namespace isolde {
namespace state_matches_test {

constexpr std::string_view kConditions[] = {
    "a > {}",
    "a BETWEEN {} AND {}",
    "a = {} AND b < {}",
    "b <= {}.5",
    "a >= {} AND a < {} AND b <> {}",
    "t > 'm{}'",
    "t BETWEEN 'm1' AND 'm{}'",
    "a < {} OR b = {}",
    "a IN ({}, {}, 3)",
    "key < {}",
    "key >= {} AND a > {}",
    "value > {}",
    "m > {}",  // numbers and text: a fault
    "a > {} AND m = 1",
    "a > {} AND 10 / b > 1",
    "a = {} AND t LIKE 'm%'",
    "a > {} AND a < 'x'",
    "nowhere < {}",
    "a > {} AND (b < {} OR t IS NULL)",
    "NOT a < {}",
    "NOT (a BETWEEN {} AND {}) OR b <> {}",
    "(a < {} OR t = 'm{}') AND NOT b = {}",
    "NOT (a < {} OR b > {})",
    "NOT NOT a > {}",
    "a < {} OR b > {} OR t < 'm{}'",
    "a < {} OR m = {}",
    "TRUE",
};

struct Case {
  History history;
  std::vector<ValueId> versions;
};

Case random_case(Rng& rng, std::uint32_t keys) {
  HistoryBuilder b;
  auto& v = b.values();
  const auto number = [&] {
    const auto n = static_cast<std::int64_t>(rng.below(20)) - 2;
    return rng.chance(0.1) ? kNullValue : rng.chance(0.1) ? v.real(static_cast<double>(n) + 0.5) : v.integer(n);
  };
  std::vector<ValueId> versions{kNullValue};
  for (int i = 0; i < 60; ++i) {
    std::vector<RowField> fields{{v.string("a"), number()}, {v.string("b"), number()}};
    if (rng.chance(0.8)) fields.push_back({v.string("t"), v.string(fmt::format("m{}", rng.below(20)))});
    fields.push_back({v.string("m"), rng.chance(0.1) ? v.string("x") : number()});
    versions.push_back(v.row(fields));
  }
  const bool with_integers = rng.chance(0.5);
  for (std::int64_t i = 0; i < 10 && with_integers; ++i) versions.push_back(v.integer(i));
  b.begin_txn(b.session(0));
  for (std::uint32_t k = 0; k < keys; ++k) b.write(b.key(k), versions[rng.below(versions.size())]);
  for (const ValueId version : versions) b.write(b.key(std::int64_t{0}), version);
  for (const std::string_view shape : kConditions) {
    for (int i = 0; i < 3; ++i) {
      b.scan(fmt::format(fmt::runtime(shape), rng.below(20), rng.below(20), rng.below(20)), {});
    }
  }
  b.end_txn();
  return {*b.finish(), versions};
}

void compare(std::uint32_t keys, int rounds, std::uint64_t seed) {
  Rng rng(seed);
  const auto [h, versions] = random_case(rng, keys);
  const PredicateSet set(h);
  ASSERT_EQ(set.defect(), "");
  StateMatches state(h, set);
  StateMatches::Matches found;
  for (int round = 0; round < rounds; ++round) {
    const std::uint32_t changes = round == 0 ? keys : 20;
    // Seldom a key at first, so that narrow answers are walked.
    const bool sparse = seed % 2 == 0;
    for (std::uint32_t i = 0; i < changes; ++i) {
      const KeyId key{round == 0 ? i : static_cast<std::uint32_t>(rng.below(keys))};
      const ValueId value = sparse && !rng.chance(0.05) ? kNullValue : versions[rng.below(versions.size())];
      state.set(key, {value, kNoTxn, !rng.chance(0.02)});
    }
    for (std::uint32_t text = 0; text < set.size(); ++text) {
      state.find(text, found);
      std::set<std::uint32_t> right;
      bool faulty = false;
      for (std::uint32_t k = 0; k < keys; ++k) {
        const auto& version = state.at(KeyId{k});
        if (!version.known) continue;
        const Evaluation e = set.condition(text).evaluate(h.values(), h.columns().key_name[k], version.value);
        faulty = faulty || e.faults != kNoFault;
        if (e.matches() && e.faults == kNoFault) right.insert(k);
      }
      std::set<std::uint32_t> got;
      for (const KeyId key : found.keys) got.insert(raw(key));
      ASSERT_EQ(got.size(), found.keys.size()) << "one stands twice";
      ASSERT_EQ(got, right) << "condition " << text << " of seed " << seed;
      ASSERT_EQ(found.faulty, faulty) << "condition " << text << " of seed " << seed;
    }
  }
}

TEST(StateMatches, FewKeysAnswerAsEachByItself) {
  const std::uint64_t cases = effort::tries(40), first = effort::seed(1);
  for (std::uint64_t i = 0; i < cases; ++i) compare(4 + static_cast<std::uint32_t>(i % 40 * 3), 10, first + i);
}

TEST(StateMatches, ManyKeysAnswerAsEachByItself) {
  const std::uint64_t cases = effort::tries(4), first = effort::seed(1);
  for (std::uint64_t i = 0; i < cases; ++i) compare(3000, 4, first + i);
}

TEST(RankBits, FindsTheNextThatIsIn) {
  for (const std::uint32_t count : {1U, 63U, 64U, 65U, 4096U, 5000U, 300'000U}) {
    RankBits bits(count);
    std::set<std::uint32_t> in;
    Rng rng(effort::seed(count));
    for (int i = 0; i < 400; ++i) {
      const auto rank = static_cast<std::uint32_t>(rng.below(count));
      if (rng.chance(0.6)) {
        bits.insert(rank);
        in.insert(rank);
      } else {
        bits.erase(rank);
        in.erase(rank);
      }
      const auto from = static_cast<std::uint32_t>(rng.below(count + std::uint64_t{1}));
      const auto next = in.lower_bound(from);
      ASSERT_EQ(bits.next(from), next == in.end() ? kNone32 : *next) << count;
    }
  }
}

}  // namespace state_matches_test
}  // namespace isolde
