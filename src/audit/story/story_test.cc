#include "audit/story/story.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "audit/cycles/search.h"
#include "audit/facts/find_classes.h"

namespace isolde::audit {
namespace story_test {

constexpr WeakLevel kRc = WeakLevel::kReadCommitted, kSi = WeakLevel::kSnapshotIsolation;

struct Told {
  Told(std::string_view schema, std::string_view sql, WeakLevel level) {
    auto log_read = load_trace_text(sql, "test.sql", {});
    auto schema_read = read_schema_text(schema, "schema.sql");
    if (!log_read || !schema_read) {
      ADD_FAILURE();
      return;
    }
    log = *std::move(log_read);
    classes = find_classes(log, *std::move(schema_read), {});
    GraphOptions options;
    options.level = level;
    const DependencyGraph graph = build_graph(classes, {}, options);
    cycles = search_cycles(classes, graph, {}, {}).cycles;
    anomalies = tell(classes, log, graph, cycles, {level});
    EXPECT_FALSE(anomalies.empty());
  }
  [[nodiscard]] const Anomaly& first() const {
    static const Anomaly kNone{};
    return anomalies.empty() ? kNone : anomalies[0];
  }
  // "T1 SELECT …", one a line, with remarks in brackets.
  [[nodiscard]] std::string steps() const {
    std::string out;
    for (const StoryStep& step : first().steps) {
      out += fmt::format("T{} {}", step.member + 1, step.sql);
      if (!step.remark.empty()) out += fmt::format(" [{}]", step.remark);
      out += '\n';
    }
    return out;
  }
  TraceLog log;
  Classes classes;
  std::vector<Cycle> cycles;
  std::vector<Anomaly> anomalies;
};

constexpr std::string_view kOrders = "CREATE TABLE orders (id int PRIMARY KEY, total int, note text);";

TEST(Story, ThePapersPurchaseIsALostUpdate) {
  const Told told(kOrders,
                  "BEGIN; SELECT total FROM orders WHERE id = 7; UPDATE orders SET total = 15 WHERE id = 7; COMMIT;\n"
                  "BEGIN; SELECT total FROM orders WHERE id = 8; UPDATE orders SET total = 21 WHERE id = 8; COMMIT;\n",
                  kRc);
  EXPECT_EQ(told.anomalies.size(), 1U);
  EXPECT_EQ(told.first().name, AnomalyName::kLostUpdate);
  EXPECT_EQ(told.first().cycles, told.cycles.size());
  EXPECT_EQ(
      told.steps(),
      "T1 BEGIN\n"
      "T1 SELECT total FROM orders WHERE id = 7 [reads orders.total, which T2 changes below]\n"
      "T2 BEGIN\n"
      "T2 SELECT total FROM orders WHERE id = 7\n"
      "T2 UPDATE orders SET total = 21 WHERE id = 7 [changes orders.total, which T1 has read above and overwrites "
      "below]\n"
      "T2 COMMIT\n"
      "T1 UPDATE orders SET total = 15 WHERE id = 7 [overwrites T2's orders.total]\n"
      "T1 COMMIT\n");
}

TEST(Story, BindingsAreWhatDiffersFromTheExample) {
  const Told told(kOrders,
                  "BEGIN; SELECT total FROM orders WHERE id = 7; UPDATE orders SET total = 15 WHERE id = 7; COMMIT;\n"
                  "BEGIN; SELECT total FROM orders WHERE id = 8; UPDATE orders SET total = 21 WHERE id = 8; COMMIT;\n",
                  kRc);
  // T2 is the second transaction on the first's row: of the class's example only the total is another.
  ASSERT_EQ(told.first().bindings.size(), 1U);
  const Binding& binding = told.first().bindings[0];
  EXPECT_EQ(binding.member, 1U);
  EXPECT_EQ(binding.statement, 1U);
  EXPECT_EQ(told.log.shapes.literal(binding.value), "21");
}

TEST(Story, RowsThatNeedNotMeetAreKeptApart) {
  // Both change a row of hits, too: if it were the same one, the second would have to wait for the first.
  const Told told(
      "CREATE TABLE orders (id int PRIMARY KEY, total int); CREATE TABLE hits (page int PRIMARY KEY, n int);",
      "BEGIN; UPDATE hits SET n = n + 1 WHERE page = 1; SELECT total FROM orders WHERE id = 7; UPDATE orders SET total "
      "= 15 WHERE id = 7; COMMIT;\n"
      "BEGIN; UPDATE hits SET n = n + 1 WHERE page = 2; SELECT total FROM orders WHERE id = 8; UPDATE orders SET total "
      "= 16 WHERE id = 8; COMMIT;\n"
      "BEGIN; UPDATE hits SET n = n + 1 WHERE page = 2; SELECT total FROM orders WHERE id = 9; UPDATE orders SET total "
      "= 17 WHERE id = 9; COMMIT;\n",
      kRc);
  EXPECT_NE(told.steps().find("T1 UPDATE hits SET n = n + 1 WHERE page = 1\n"), std::string::npos) << told.steps();
  EXPECT_NE(told.steps().find("T2 UPDATE hits SET n = n + 1 WHERE page = 2\n"), std::string::npos) << told.steps();
  EXPECT_NE(told.steps().find("T2 UPDATE orders SET total = 16 WHERE id = 7"), std::string::npos) << told.steps();
}

TEST(Story, AStatementByItselfHasNoBeginAndCommit) {
  const Told told(kOrders,
                  "BEGIN; SELECT total FROM orders WHERE id = 7; UPDATE orders SET note = 'x' WHERE id = 7; COMMIT;\n"
                  "UPDATE orders SET total = 0, note = '' WHERE id = 9;\n",
                  kRc);
  EXPECT_EQ(told.first().name, AnomalyName::kStaleRead);
  ASSERT_EQ(told.first().steps.size(), 5U);
  EXPECT_EQ(told.first().steps[2].sql, "UPDATE orders SET total = 0, note = '' WHERE id = 7");
}

TEST(Story, WriteSkewUnderSnapshotsReadsWhatIsNotCommittedYet) {
  const Told told("CREATE TABLE doctor (id int PRIMARY KEY, duty int);",
                  "BEGIN; SELECT duty FROM doctor WHERE id = 1; UPDATE doctor SET duty = 0 WHERE id = 2; COMMIT;\n"
                  "BEGIN; SELECT duty FROM doctor WHERE id = 2; UPDATE doctor SET duty = 0 WHERE id = 1; COMMIT;\n",
                  kSi);
  EXPECT_EQ(told.first().name, AnomalyName::kWriteSkew);
  EXPECT_EQ(told.steps(),
            "T1 BEGIN\n"
            "T1 SELECT duty FROM doctor WHERE id = 1 [reads doctor.duty, which T2 changes below]\n"
            "T1 UPDATE doctor SET duty = 0 WHERE id = 2 [changes doctor.duty, which T2 does not see below]\n"
            "T2 BEGIN\n"
            "T2 SELECT duty FROM doctor WHERE id = 2 [reads doctor.duty as it was: T1's change is not committed yet]\n"
            "T2 UPDATE doctor SET duty = 0 WHERE id = 1 [changes doctor.duty, which T1 has read above]\n"
            "T2 COMMIT\n"
            "T1 COMMIT\n");
}

TEST(Story, TheSameCyclesGiveTheSameStories) {
  const std::string_view sql =
      "BEGIN; SELECT total FROM orders WHERE id = 7; UPDATE orders SET total = 15 WHERE id = 7; COMMIT;\n"
      "BEGIN; SELECT total, note FROM orders WHERE id = 8; UPDATE orders SET note = 'x' WHERE id = 8; COMMIT;\n"
      "SELECT total FROM orders WHERE note = 'x';\n";
  const Told one(kOrders, sql, kRc), two(kOrders, sql, kRc);
  ASSERT_EQ(one.anomalies.size(), two.anomalies.size());
  for (std::size_t i = 0; i < one.anomalies.size(); ++i) {
    EXPECT_EQ(one.anomalies[i].words, two.anomalies[i].words);
    EXPECT_LE(one.anomalies[i].rank, one.anomalies[i == 0 ? 0 : i - 1].rank);
  }
  std::uint64_t cycles = 0;
  for (const Anomaly& anomaly : one.anomalies) cycles += anomaly.cycles;
  EXPECT_EQ(cycles, one.cycles.size());
}

}  // namespace story_test
}  // namespace isolde::audit
