// The data of a checked history's page: what is told, what is cut, and that it stays small.
#include "report/page/check_page.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include "history/history_builder.h"
#include "report/page/key_versions.h"
#include "report/page/page_testing.h"
#include "report/page/parsed_json.h"
#include "report/text.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace check_page_test {

constexpr PageOptions kOptions = {.version = "1"};

// Every transaction reads x and writes it; one a line of time.
History many(std::uint32_t count, std::uint32_t ops = 2) {
  HistoryBuilder b;
  for (std::uint32_t i = 0; i < count; ++i) {
    b.begin_txn(b.session(i % 50));
    b.set_begin(10 * i);
    b.set_end(10 * i + 25);
    b.set_start_ts(10 * i);
    b.set_commit_ts(10 * i + 25);
    for (std::uint32_t op = 0; op + 1 < ops; ++op) b.read(b.key(i % 997 + op), kNullValue);
    b.write(b.key(i % 997), b.values().integer(i));
    b.end_txn();
  }
  return *b.finish();
}

std::vector<TxnId> from_to(std::uint32_t from, std::uint32_t to) {
  std::vector<TxnId> all;
  for (std::uint32_t t = from; t < to; ++t) all.push_back(TxnId{t});
  return all;
}

TEST(CheckPage, TheVerdictAndWhatItRestsOn) {
  const History h = many(10);
  Verdict v = violated_at(Level::kSerializable);
  v.anomalies.push_back(cycle_of(h, from_to(0, 2)));
  v.count(AnomalyKind::kG2Item);
  const Parsed page(check_page_json(report_on(h, v), kOptions));
  EXPECT_EQ(text(page.json["kind"]), "check");
  EXPECT_EQ(text(page.json["verdict"]), "violated");
  EXPECT_EQ(text(page.json["summary"]), "h.jsonl violates serializable");
  EXPECT_EQ(size(page.json["counts"]), 1U);
  EXPECT_EQ(number(page.json["counts"].at(0)["count"]), 1U);
  EXPECT_EQ(number(page.json["anomalies_left_out"]), 0U);
}

TEST(CheckPage, ASubjectStandsInPlaceOfTheFile) {
  const History h = many(10);
  const Verdict v = violated_at(Level::kSerializable);
  const std::string json = check_page_json(report_on(h, v), {.version = "1", .subject = "register on DB 1.0/x"});
  EXPECT_EQ(text(Parsed(json).json["summary"]), "register on DB 1.0/x violates serializable");
  EXPECT_EQ(json.find("some/where"), std::string::npos);
}

TEST(CheckPage, AStepNamesTheOperationsThatAreShown) {
  const History h = many(4, 100);
  Verdict v = violated_at(Level::kSerializable);
  v.anomalies.push_back(cycle_of(h, from_to(0, 2)));
  const Parsed page(check_page_json(report_on(h, v), kOptions));
  const auto step = page.json["anomalies"].at(0)["steps"].at(0);
  const auto to = page.json["transactions"].at(number(step["to"]));
  EXPECT_EQ(size(to["ops"]), kOptions.most_operations);
  // The last of a hundred is what the step is about: it is among the few that are carried.
  EXPECT_EQ(text(to["ops"].at(number(step["to_op"]))["kind"]), "w");
}

TEST(CheckPage, AVersionSaysWhoOfTheAnomalyReadIt) {
  // T9 wrote the version that both read; neither it nor T8's is in the cycle.
  const History h = hist("T1: r x1 w x2 | T2: r x1 w x3 | T9: w x1 | T8: w x9 | versions: x[9 1 2 3]");
  Verdict v = violated_at(Level::kSnapshotIsolation);
  Anomaly cycle = cycle_of(h, {TxnId{0}, TxnId{1}});
  for (Step& step : cycle.steps) step.key = KeyId{0};
  v.anomalies.push_back(cycle);
  const Parsed page(check_page_json(report_on(h, v), kOptions));
  const auto versions = page.json["keys"].at(0)["versions"];
  ASSERT_EQ(size(versions), 4U);
  EXPECT_EQ(text(versions.at(1)["value"]), "1");
  EXPECT_EQ(size(versions.at(1)["read_by"]), 2U);
  EXPECT_NE(versions.at(2)["read_by"].error(), simdjson::SUCCESS);
}

TEST(CheckPage, ALongCycleIsCutAndSaysSo) {
  const History h = many(1000);
  Verdict v = violated_at(Level::kSerializable);
  v.anomalies.push_back(cycle_of(h, from_to(0, 1000)));
  const Parsed page(check_page_json(report_on(h, v), kOptions));
  const auto anomaly = page.json["anomalies"].at(0);
  EXPECT_LE(size(anomaly["steps"]), 2 * kOptions.most_members);
  EXPECT_LE(size(anomaly["transactions"]), 2 * kOptions.most_members);
  std::size_t gaps = 0;
  for (const auto step : anomaly["steps"].get_array()) gaps += text(step["type"]) == "…" ? 1U : 0U;
  EXPECT_GE(gaps, 1U);
}

TEST(CheckPage, AProofByCasesIsATree) {
  const History h = hist("T1: w x1 | T2: w x2 | T3: r x1 w y1 | T4: r x2 w y2");
  Verdict v = violated_at(Level::kSerializable);
  Anomaly a;
  a.kind = AnomalyKind::kNoOrder;
  a.transactions = from_to(0, 4);
  for (const auto& [first, second] : {std::pair{TxnId{0}, TxnId{1}}, std::pair{TxnId{1}, TxnId{0}}})
    a.cases.push_back(
        {{{StepType::kWw, first, second, KeyId{0}, OpId{h.first_op(first)}, OpId{h.first_op(second)}, Ground::kAssumed},
          {StepType::kSession, second, first, kNoKey, kNoOp, kNoOp}}});
  v.anomalies.push_back(a);
  const Parsed page(check_page_json(report_on(h, v), kOptions));
  const auto cases = page.json["anomalies"].at(0)["cases"];
  std::size_t cycles = 0;
  for (const auto line : cases.get_array()) {
    simdjson::dom::element steps;
    if (line["steps"].get(steps) != simdjson::SUCCESS) continue;
    ++cycles;
    EXPECT_EQ(steps.get_array().size(), 2U);
  }
  EXPECT_EQ(cycles, 2U);
}

TEST(CheckPage, ThousandsOfAnomaliesStaySmallAndAreCounted) {
  const History h = many(20'000, 40);
  Verdict v = violated_at(Level::kSerializable);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    v.anomalies.push_back(cycle_of(h, from_to(3 * i, 3 * i + 30)));
    v.count(AnomalyKind::kG2Item);
  }
  const std::string json = check_page_json(report_on(h, v), kOptions);
  EXPECT_LT(json.size(), 3'000'000U);
  const Parsed page(json);
  EXPECT_EQ(size(page.json["anomalies"]) + number(page.json["anomalies_left_out"]), 5000U);
}

TEST(CheckPage, NamesAndTextsOfMegabytesAreShortened) {
  HistoryBuilder b;
  const std::string huge(1'000'000, 'k');
  for (int i = 0; i < 2; ++i) {
    b.begin_txn(b.session(b.values().string(huge)));
    b.set_id(b.values().string(huge + std::to_string(i)));
    b.read(b.key(huge), kNullValue);
    b.write(b.key(huge), b.values().string(huge + std::to_string(i)));
    b.end_txn();
  }
  const History h = *b.finish();
  Verdict v = violated_at(Level::kSerializable);
  v.anomalies.assign(effort::size(100), cycle_of(h, from_to(0, 2)));
  EXPECT_LT(check_page_json(report_on(h, v), kOptions).size(), 3'000'000U);
}

// Proofs by hundreds of cases of long cycles, with names whose every letter is escaped in a page.
TEST(CheckPage, LargeProofsByCasesAreCutToThePagesSize) {
  HistoryBuilder b;
  const std::string hostile(150, '<');
  for (std::uint32_t i = 0; i < 400; ++i) {
    b.begin_txn(b.session(i));
    b.set_id(b.values().string(hostile + std::to_string(i)));
    b.read(b.key(hostile), kNullValue);
    b.write(b.key(hostile), b.values().string(hostile + std::to_string(i)));
    b.end_txn();
  }
  const History h = *b.finish();
  Verdict v = violated_at(Level::kSerializable);
  Anomaly a;
  a.kind = AnomalyKind::kNoOrder;
  a.transactions = from_to(0, 400);
  for (std::uint32_t i = 0; i < effort::size(100); ++i) {
    a.cases.push_back({cycle_of(h, from_to(i, i + 60)).steps});
    a.cases.back().steps.front().ground = Ground::kAssumed;
  }
  v.anomalies.assign(20, a);
  v.count(a.kind);
  v.anomalies[0].says = std::string(5'000'000, '&');
  Report report = report_on(h, v);
  report.notes.assign(5000, std::string(5000, '>'));
  const std::string json = check_page_json(report, kOptions);
  EXPECT_LE(html_page_size(json), kLargestPage);
  EXPECT_EQ(html_page_size(json), html_page(json).size());
  const Parsed page(json);
  EXPECT_GE(size(page.json["anomalies"]), 1U);
  EXPECT_EQ(size(page.json["anomalies"]) + number(page.json["anomalies_left_out"]), 20U);
  EXPECT_NE(text(page.json["notes"].at(0)).find("3 MB"), std::string_view::npos);
  // What was watched stands beside it, and takes its part of the room.
  const std::string watched = "{\"kind\":\"watch\",\"summary\":\"" + std::string(1'000'000, 'w') + "\"}";
  const std::string both = check_page_json(report, {.version = "1", .watched = watched});
  EXPECT_LE(html_page_size(both), kLargestPage);
  EXPECT_EQ(text(Parsed(both).json["watch"]["kind"]), "watch");
}

TEST(CheckPage, AnAcceptedHistoryHasNoAnomalies) {
  const History h = many(100);
  Verdict v;
  v.outcome = Outcome::kSatisfied;
  v.level = Level::kSnapshotIsolation;
  v.method = "timeline";
  const Parsed page(check_page_json(report_on(h, v), kOptions));
  EXPECT_EQ(text(page.json["verdict"]), "satisfied");
  EXPECT_EQ(size(page.json["anomalies"]), 0U);
  EXPECT_EQ(size(page.json["transactions"]), 0U);
  EXPECT_EQ(size(page.json["plots"]), 2U);
  for (const auto level : page.json["levels"].get_array()) {
    const std::string_view name = text(level["name"]);
    if (name != "snapshot-isolation" && name != "cursor-stability" && name != "serializable") continue;
    EXPECT_EQ(text(level["state"]), name == "serializable" ? "unknown" : "satisfied") << name;
  }
}

TEST(CheckPage, AnEmptyHistoryHasAPage) {
  HistoryBuilder b;
  const History h = *b.finish();
  Verdict v;
  v.level = Level::kSerializable;
  v.reason = "nothing";
  const Parsed page(check_page_json(report_on(h, v), kOptions));
  EXPECT_EQ(text(page.json["verdict"]), "undecided");
  EXPECT_EQ(size(page.json["plots"]), 0U);
}

std::vector<KeyId> first_key() { return {KeyId{0}}; }

TEST(KeyVersions, AGivenOrderComesFirst) {
  const History h = hist("T1 ..9: w x1 | T2 ..5: w x2 | versions: x[1 2]");
  const VersionsOfKey versions = versions_of(h, first_key())[0];
  EXPECT_EQ(versions.by, "as the history gives them");
  ASSERT_EQ(versions.versions.size(), 2U);
  EXPECT_EQ(versions.versions[0].by, TxnId{0});
  EXPECT_EQ(versions.versions[1].by, TxnId{1});
}

TEST(KeyVersions, AGivenOrderOfTransactionsHasTheValuesThatTheyLeft) {
  const History h = hist("T1: w x1 w x7 | T2: w x2 | versions: x<T2 T1>");
  const VersionsOfKey versions = versions_of(h, first_key())[0];
  ASSERT_EQ(versions.versions.size(), 2U);
  EXPECT_EQ(versions.versions[0].by, TxnId{1});
  EXPECT_EQ(h.value_text(versions.versions[1].value), "7");
}

TEST(KeyVersions, OfAListTheLongestThatWasRead) {
  const History h = hist("T1: a x1 | T2: a x2 | T3: a x3 | T4: r x[2] | T5: r x[2 1]");
  const VersionsOfKey versions = versions_of(h, first_key())[0];
  EXPECT_EQ(versions.by, "by the longest list that was read");
  ASSERT_EQ(versions.versions.size(), 2U);
  EXPECT_EQ(versions.versions[0].by, TxnId{1});
  EXPECT_EQ(versions.versions[1].by, TxnId{0});
}

TEST(KeyVersions, CommitTimestampsElseAndAbortedOnesNever) {
  const History h = hist("T1 ..9: w x1 | T2 ..5: w x2 | T3! ..7: w x3");
  const VersionsOfKey versions = versions_of(h, first_key())[0];
  EXPECT_EQ(versions.by, "by commit timestamp");
  ASSERT_EQ(versions.versions.size(), 2U);
  EXPECT_EQ(versions.versions[0].by, TxnId{1});
}

TEST(KeyVersions, WithoutEvidenceThereIsNoOrder) {
  const History h = hist("T1: w x1 | T2: w x2");
  EXPECT_TRUE(versions_of(h, first_key())[0].versions.empty());
  EXPECT_TRUE(versions_of(h, {}).empty());
}

TEST(CheckPage, FaultsAreOnThePageAndItsPlots) {
  HistoryBuilder b;
  for (std::uint32_t i = 0; i < 20; ++i) {
    b.begin_txn(b.session(i % 3));
    b.set_begin(1000 + 10 * i);
    b.set_end(1000 + 10 * i + 5);
    b.write(b.key("x"), b.values().integer(i));
    b.end_txn();
  }
  b.fault(1050, 1070, b.values().string("crash"), b.values().string("client 3"));
  b.fault(1100, kNoTime, b.values().string("kill"), kNullValue);
  const History h = *b.finish();
  Verdict v = violated_at(Level::kSerializable);
  v.anomalies.push_back(cycle_of(h, {TxnId{5}, TxnId{6}}));
  v.count(v.anomalies[0].kind);
  const Report report = report_on(h, v);
  const Parsed page(check_page_json(report, kOptions));
  ASSERT_EQ(size(page.json["faults"]), 2U);
  EXPECT_EQ(text(page.json["faults"].at(0)["name"]), "crash");
  EXPECT_EQ(text(page.json["faults"].at(0)["detail"]), "client 3");
  EXPECT_EQ(number(page.json["faults"].at(0)["to"]), 1070U);
  ASSERT_EQ(size(page.json["plots"].at(0)["faults"]), 2U);
  EXPECT_EQ(double(page.json["plots"].at(0)["faults"].at(0)["from"]), 50);
  // In the text too: how many, and which of them were beside an anomaly.
  const std::string shown = render_text(report, {});
  EXPECT_NE(shown.find("3 sessions, 2 faults"), std::string::npos) << shown;
  EXPECT_NE(shown.find("Faults while these transactions ran: crash\n"), std::string::npos) << shown;
}

}  // namespace check_page_test
}  // namespace isolde
