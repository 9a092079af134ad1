// Random small traces: classes and variables are those that a plain reading of the definition gives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "audit/classes/classes.h"
#include "base/rng.h"
#include "tests/support/effort.h"
#include "tests/support/small_trace.h"

namespace isolde::audit {
namespace random_classes_test {

std::string random_trace(Rng& rng) {
  // The second and third do the same operations by other shapes; the last two have two keys.
  static const std::vector<std::string> kStatements = {
      "w(a.x) @ a.id={}",    "w(b.x) @ b.id={}",           "w(b.x) @~ b.id={}",
      "w(c.x) @~ c.a_id={}", "w(c.x) @ c.id={} c.a_id={}", "w(a.x) wi(b.y) @ a.id={} b.id={}"};
  std::string text;
  const std::uint64_t transactions = 1 + rng.below(8), values = 1 + rng.below(3);
  for (std::uint64_t t = 0; t < transactions; ++t) {
    std::string line = fmt::format("T{}:", t);
    for (std::uint64_t s = 1 + rng.below(4); s > 0; --s) {
      std::string one = kStatements[rng.below(kStatements.size())];
      for (std::size_t at = one.find("{}"); at != std::string::npos; at = one.find("{}")) {
        one.replace(at, 2, std::to_string(1 + rng.below(values)));
      }
      line += " " + one + ";";
    }
    text += line + "\n";
  }
  return text;
}

std::vector<std::vector<std::uint32_t>> operations_of(const testing::SmallTrace& trace, std::size_t transaction) {
  std::vector<std::vector<std::uint32_t>> out;
  for (const TraceStatement& statement : trace.log.of(trace.log.transactions[transaction])) {
    std::vector<std::uint32_t>& words = out.emplace_back();
    for (const Access& access : trace.statements[raw(statement.shape)].accesses) {
      words.push_back(raw(access.column));
      words.push_back(access.inserts ? 1 : 0);
    }
  }
  return out;
}

// A key of some rows, by the operation that touches them.
struct Slot {
  std::size_t operation;
  ColumnId column;
  friend auto operator<=>(const Slot&, const Slot&) = default;
};

std::map<Slot, LiteralId> values_of(const testing::SmallTrace& trace, std::size_t transaction) {
  std::map<Slot, LiteralId> out;
  std::size_t operation = 0;
  for (const TraceStatement& statement : trace.log.of(trace.log.transactions[transaction])) {
    const Statement& meaning = trace.statements[raw(statement.shape)];
    for (const Access& access : meaning.accesses) {
      for (const RowKey& key : meaning.row_sets[access.row_set].keys) {
        out[{operation, key.column}] = trace.log.literals[statement.first_literal + key.literal];
      }
      ++operation;
    }
  }
  return out;
}

TEST(RandomClasses, AreThoseOfTheDefinition) {
  const std::uint64_t rounds = effort::tries(2'000);
  Rng rng(effort::seed(11));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::string text = random_trace(rng);
    SCOPED_TRACE(text);
    const testing::SmallTrace trace = testing::small_trace(text);
    // Whether equal values of different columns are chance is not part of the definition (equal_evidence.h).
    ClassOptions options{.rounds = 0};
    options.facts.turn_all_off();
    const Classes classes = testing::classes_of(trace, options);

    std::map<std::vector<std::vector<std::uint32_t>>, std::vector<std::size_t>> expected;
    for (std::size_t i = 0; i < trace.log.transactions.size(); ++i) expected[operations_of(trace, i)].push_back(i);
    ASSERT_EQ(classes.classes.size(), expected.size());

    for (const auto& [operations, members] : expected) {
      const TransactionClass& one = classes.classes[classes.class_of[members[0]]];
      ASSERT_EQ(one.transactions, members.size());
      ASSERT_EQ(one.example, members[0]);
      std::vector<std::map<Slot, LiteralId>> values;
      for (const std::size_t member : members) {
        ASSERT_EQ(classes.class_of[member], classes.class_of[members[0]]);
        values.push_back(values_of(trace, member));
      }
      // Slots that all have; which are equal in all.
      std::vector<Slot> slots;
      for (const auto& [slot, value] : values[0]) {
        if (std::ranges::all_of(values, [&](const auto& its) { return its.contains(slot); })) slots.push_back(slot);
      }
      std::vector<std::size_t> group(slots.size());
      std::iota(group.begin(), group.end(), 0);
      for (std::size_t a = 0; a < slots.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          const bool equal =
              std::ranges::all_of(values, [&](const auto& its) { return its.at(slots[a]) == its.at(slots[b]); });
          if (!equal || slots[a].column != slots[b].column) continue;
          std::ranges::replace(group, group[a], group[b]);
        }
      }
      std::map<std::size_t, std::uint32_t> variable_of;
      std::set<std::uint32_t> used;
      std::size_t count = 0;
      for (std::size_t i = 0; i < one.operations.size(); ++i) {
        for (const ClassRowKey& key : one.rows[one.operations[i].access.row_set].keys) {
          const auto place = std::ranges::find(slots, Slot{i, key.column});
          ASSERT_NE(place, slots.end());
          ++count;
          const std::size_t its_group = group[static_cast<std::size_t>(place - slots.begin())];
          ASSERT_EQ(variable_of.try_emplace(its_group, key.variable).first->second, key.variable);
          used.insert(key.variable);
        }
      }
      ASSERT_EQ(count, slots.size());
      ASSERT_EQ(used.size(), variable_of.size());
      ASSERT_EQ(used.size(), one.variables);
    }
  }
}

// However often a loop goes round, it is the same class, and no claim is made that one of the transactions refutes.
TEST(RandomClasses, DoNotDependOnHowOftenALoopGoesRound) {
  const std::uint64_t traces = effort::tries(300);
  Rng rng(effort::seed(12));
  for (std::uint64_t round = 0; round < traces; ++round) {
    std::string text;
    for (int t = 0; t < 6; ++t) {
      text += fmt::format("T{}: w(a.x) @ a.id={};", t, rng.below(3));
      const std::uint64_t rounds = t == 0 ? 3 : 1 + rng.below(4);
      for (std::uint64_t i = 0; i < rounds; ++i) {
        text += fmt::format(" w(b.x) @ b.id={};", rng.below(3));
        const std::uint64_t inner = i == 0 && t == 0 ? 2 : 1 + rng.below(3);
        for (std::uint64_t j = 0; j < inner; ++j) text += fmt::format(" w(c.x) @ c.id={};", rng.below(3));
      }
      text += fmt::format(" w(a.x) @ a.id={}\n", rng.below(3));
    }
    SCOPED_TRACE(text);
    const testing::SmallTrace trace = testing::small_trace(text);
    const Classes classes = testing::classes_of(trace);
    ASSERT_EQ(classes.classes.size(), 1);
    const TransactionClass& one = classes.classes[0];
    ASSERT_EQ(one.statements.size(), 8);  // a (b c c) (b c c) a
    ASSERT_EQ(one.transactions, 6);
    const auto variable = [&](std::size_t statement) { return one.rows[statement].keys[0].variable; };
    for (std::size_t i = 0; i < trace.log.transactions.size(); ++i) {
      const auto statements = trace.log.of(trace.log.transactions[i]);
      const bool same =
          trace.log.literals[statements.front().first_literal] == trace.log.literals[statements.back().first_literal];
      if (!same) {
        ASSERT_NE(variable(0), variable(7));
      }
    }
  }
}

}  // namespace random_classes_test
}  // namespace isolde::audit
