// The renderers on anomalies made by hand: what they say, and that nothing a history holds can break their syntax.
#include <gtest/gtest.h>
#include <simdjson.h>

#include "history/history_builder.h"
#include "report/dot.h"
#include "report/explain_anomaly.h"
#include "report/json.h"
#include "report/shown_steps.h"
#include "report/text.h"
#include "report/words.h"

namespace isolde {
namespace report_test {

History three_transactions(std::string_view key) {
  HistoryBuilder b;
  const KeyId x = b.key(key);
  for (int i = 1; i <= 2; ++i) {
    b.begin_txn(b.session(1));
    b.set_id(b.values().integer(i));
    b.set_start_ts(20 * i - 10);
    b.set_commit_ts(20 * i);
    b.write(x, b.values().integer(i));
    b.end_txn();
  }
  b.begin_txn(b.session(b.values().string("b")));
  b.set_id(b.values().string("late \"one\"\n"));
  b.set_start_ts(50);
  b.set_commit_ts(60);
  b.read(x, b.values().integer(1));
  b.end_txn();
  return *b.finish();
}

Anomaly stale_read() {
  Anomaly a;
  a.kind = AnomalyKind::kGSIb;
  a.transactions = {TxnId{2}, TxnId{1}};
  a.source = ReadSource::kOlder;
  a.op = OpId{2};
  a.key = KeyId{0};
  a.read = ValueId{1};
  a.expected = ValueId{2};
  a.expected_known = true;
  a.expected_writer = TxnId{1};
  a.source_writer = TxnId{0};
  a.steps = {{StepType::kVisible, TxnId{1}, TxnId{2}, kNoKey, kNoOp, kNoOp},
             {StepType::kRw, TxnId{2}, TxnId{1}, KeyId{0}, OpId{2}, OpId{1}}};
  return a;
}

Verdict violated() {
  Verdict v;
  v.outcome = Outcome::kViolated;
  v.level = Level::kSnapshotIsolation;
  v.method = "timeline";
  v.anomalies.push_back(stale_read());
  v.count(AnomalyKind::kGSIb);
  return v;
}

Report noted_report(const History& h, const Verdict& v) {
  return {.file = "h.jsonl",
          .format = "native",
          .history = h,
          .verdict = v,
          .why_method = "why",
          .notes = {"a note"},
          .stats = {}};
}

TEST(ExplainAnomaly, AStaleReadSaysWhatWasReadWhatWasThereAndWhence) {
  const History h = three_transactions("x");
  const Explanation e = explain(h, stale_read());
  ASSERT_EQ(e.lines.size(), 2U);
  EXPECT_EQ(e.lines[0],
            "\"late \\\"one\\\"\\u000a\" (session b, start_ts 50, commit_ts 60) read x = 1 (operation 1 of 1).");
  EXPECT_EQ(e.lines[1], "In its snapshot (start_ts 50) x = 2, written by T2 (commit_ts 40).");
  ASSERT_EQ(e.steps.size(), 2U);
  EXPECT_EQ(
      e.steps[0],
      "T2 before \"late \\\"one\\\"\\u000a\", because T2 had committed (40) when \"late \\\"one\\\"\\u000a\" took its "
      "snapshot (50)");
  EXPECT_EQ(e.steps[1],
            "\"late \\\"one\\\"\\u000a\" before T2, because \"late \\\"one\\\"\\u000a\" read x = 1 and T2 wrote a "
            "later version, "
            "x = 2");
  EXPECT_EQ(e.contradiction, "x = 1 is an older version, by T1 (commit_ts 20), overwritten by then.");
}

TEST(ExplainAnomaly, EveryKindSourceAndStepHasWords) {
  const History h = three_transactions("x");
  for (int kind = 0; kind < kAnomalyCount; ++kind) {
    for (int source = 0; source <= static_cast<int>(ReadSource::kUntraceable); ++source) {
      for (int type = 0; type <= static_cast<int>(StepType::kProgram); ++type) {
        Anomaly a = stale_read();
        a.kind = static_cast<AnomalyKind>(kind);
        a.source = static_cast<ReadSource>(source);
        a.steps[0].type = static_cast<StepType>(type);
        const Explanation e = explain(h, a);
        EXPECT_FALSE(e.title.empty());
        EXPECT_FALSE(e.lines.empty());
        EXPECT_FALSE(e.contradiction.empty());
        EXPECT_EQ(e.transactions.size(), a.transactions.size());
        for (const std::string& step : e.steps) EXPECT_FALSE(step.empty());
      }
    }
  }
}

TEST(ExplainAnomaly, TheInitialStateIsNamed) {
  const History h = three_transactions("x");
  Anomaly a = stale_read();
  a.expected_writer = kNoTxn;
  a.expected = kNullValue;
  a.source = ReadSource::kNeverWritten;
  const Explanation e = explain(h, a);
  EXPECT_EQ(e.lines[1], "In its snapshot (start_ts 50) x is absent, the initial state.");
  EXPECT_EQ(e.contradiction, "x = 1 is a value that no transaction wrote.");
}

// `n` transactions, each of which appends its number to "ring", and one anti-dependency that closes the cycle.
History ring(int n, int other_operations = 0) {
  HistoryBuilder b;
  const KeyId x = b.key("ring");
  const KeyId y = b.key("other");
  for (int i = 0; i < n; ++i) {
    b.begin_txn(b.session(i));
    b.set_id(b.values().integer(i));
    for (int k = 0; k < other_operations; ++k) b.read(y, kNullValue);
    b.append(x, b.values().integer(i));
    b.end_txn();
  }
  return *b.finish();
}
Anomaly ring_cycle(const History& h) {
  Anomaly a;
  a.kind = AnomalyKind::kGSingle;
  for (std::uint32_t i = 0; i < h.txn_count(); ++i) {
    const TxnId from{i};
    const TxnId to{(i + 1) % h.txn_count()};
    a.transactions.push_back(from);
    a.steps.push_back({to == TxnId{0} ? StepType::kRw : StepType::kWw, from, to, KeyId{0}, OpId{h.end_op(from) - 1},
                       OpId{h.end_op(to) - 1}});
  }
  return a;
}

TEST(ExplainAnomaly, ACycleSaysWhoWouldComeBeforeItself) {
  const History two = ring(2);
  const Explanation small = explain(two, ring_cycle(two));
  EXPECT_EQ(small.transactions[1], "T1 (session 1): appended 1 to ring");
  EXPECT_EQ(small.steps[0], "T0 before T1, because T0 appended 0 to ring and T1 appended 1 to it later");
  EXPECT_EQ(small.contradiction, "T0 comes before T1, and T1 before T0.");
  const History many = ring(1000);
  EXPECT_EQ(explain(many, ring_cycle(many)).contradiction, "T0 comes before itself, by these 1,000 steps.");
}

TEST(ExplainAnomaly, OfManyOperationsOnlyThoseThatTheStepsAreAbout) {
  const History h = ring(2, 12);
  EXPECT_EQ(explain(h, ring_cycle(h)).transactions[0], "T0 (session 0): appended 0 to ring, … 12 other operations");
  const History five = ring(5, 1);
  EXPECT_EQ(explain(five, ring_cycle(five)).transactions[0], "T0 (session 0): appended 0 to ring, … 1 other operation");
}

TEST(ExplainAnomaly, TwoReadsThatDifferAreNotCalledOwnWrites) {
  HistoryBuilder b;
  const KeyId x = b.key("x");
  b.begin_txn(b.session(1));
  b.set_id(b.values().integer(1));
  b.read(x, b.values().integer(1));
  b.read(x, b.values().integer(2));
  b.end_txn();
  const History h = *b.finish();
  Anomaly a;
  a.kind = AnomalyKind::kInternal;
  a.transactions = {TxnId{0}};
  a.source = ReadSource::kOwn;
  a.op = OpId{1};
  a.key = KeyId{0};
  a.read = h.op_value(1);
  a.steps = {{StepType::kProgram, TxnId{0}, TxnId{0}, KeyId{0}, OpId{0}, OpId{1}}};
  EXPECT_EQ(explain(h, a).contradiction,
            "T1 had read something else before, and nothing it did since explains the difference.");
}

TEST(ExplainAnomaly, AnOrderThatAThirdTransactionSawNamesItsRead) {
  HistoryBuilder b;
  const KeyId x = b.key("x");
  for (int i = 1; i <= 3; ++i) {
    b.begin_txn(b.session(i));
    b.set_id(b.values().integer(i));
    for (int v = 1; v <= 2 && i == 3; ++v) b.read(x, b.values().integer(v));
    if (i < 3) b.write(x, b.values().integer(i));
    b.end_txn();
  }
  const History h = *b.finish();
  Anomaly a;
  a.kind = AnomalyKind::kOTV;
  a.transactions = {TxnId{0}, TxnId{1}, TxnId{2}};
  a.steps = {{StepType::kWw, TxnId{0}, TxnId{1}, KeyId{0}, OpId{0}, OpId{1}, Ground::kSeen},
             {StepType::kSession, TxnId{1}, TxnId{0}}};
  EXPECT_EQ(
      explain(h, a).steps[0],
      "T1 before T2, because T1 wrote x = 1 and T2 wrote a later version, x = 2 (T3, which had seen T1, read x = 2)");
  a.steps[0].reader = TxnId{2};
  EXPECT_EQ(explain(h, a).steps[0],
            "T1 before T2, because T1 wrote x = 1 and T2 wrote a later version, x = 2 (T3, which read x = 1 from T1, "
            "read x = "
            "2)");
}

TEST(ShownSteps, OfALongCycleTheEndsAndTheTellingSteps) {
  const History h = ring(1000);
  Anomaly a = ring_cycle(h);
  EXPECT_EQ(shown_steps(a.steps, 12), (std::vector<std::size_t>{0, 1, 998, 999}));
  a.steps[500].type = StepType::kRw;
  a.steps[600].type = StepType::kRealtime;
  EXPECT_EQ(shown_steps(a.steps, 12), (std::vector<std::size_t>{0, 1, 500, 600, 998, 999}));
  for (Step& s : a.steps) s.type = StepType::kRw;
  EXPECT_EQ(shown_steps(a.steps, 12).size(), 12U);
  EXPECT_EQ(shown_steps(std::span(a.steps).first(12), 12).size(), 12U);
  EXPECT_TRUE(shown_steps({}, 12).empty());
}

TEST(ShownSteps, AGapSaysWhatItHoldsInCommon) {
  const History h = ring(20);
  const Anomaly a = ring_cycle(h);
  EXPECT_EQ(gap_text(h, std::span(a.steps).first(19)), "19 more steps, all ww on ring");
  EXPECT_EQ(gap_text(h, a.steps), "20 more steps");
  EXPECT_EQ(gap_text(h, std::span(a.steps).first(1)), "1 more step");
}

TEST(Text, TheVerdictComesFirst) {
  const History h = three_transactions("x");
  const Verdict v = violated();
  const std::string text = render_text(noted_report(h, v), {});
  EXPECT_TRUE(text.starts_with("✗ h.jsonl violates snapshot-isolation\n")) << text;
  EXPECT_NE(text.find("anomalies GSIb 1"), std::string::npos) << text;
  EXPECT_NE(text.find("note      a note"), std::string::npos) << text;
  EXPECT_NE(text.find("isolde explain GSIb"), std::string::npos) << text;
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST(Text, ALongCycleKeepsItsTwoEndsAndTheContradictionIsLast) {
  const History h = ring(1000);
  Verdict v = violated();
  v.anomalies = {ring_cycle(h)};
  const std::string text = render_text(noted_report(h, v), {});
  EXPECT_NE(text.find("     … 996 more steps, all ww on ring; --json has them all\n"), std::string::npos) << text;
  EXPECT_NE(text.find("     T999 before T0, because T999 appended 999 to ring and T0 appended 0 to it later [rw]\n"
                      "     Contradiction: T0 comes before itself, by these 1,000 steps.\n\n"),
            std::string::npos)
      << text;
  EXPECT_LT(text.size(), 2000U);
}

TEST(Text, TheStrongestLevelIsOneLine) {
  const History h = three_transactions("x");
  const Verdict v = violated();
  Report report = noted_report(h, v);
  EXPECT_EQ(render_text(report, {}).find("strongest"), std::string::npos);
  report.strongest = Strongest{};
  report.strongest->holds = {Level::kRepeatableRead, Level::kCausal};
  report.strongest->undecided = {Level::kPrefix};
  report.strongest->checks = 2;
  const std::string text = render_text(report, {});
  EXPECT_NE(text.find("  strongest level that holds: repeatable-read (also: causal); undecided: prefix\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("2 checks at other levels"), std::string::npos) << text;
  report.strongest->untested = {Level::kStrictSerializable};
  EXPECT_EQ(strongest_text(*report.strongest),
            "repeatable-read (also: causal); not tested: strict-serializable; undecided: prefix");
  report.strongest->untested.clear();
  report.strongest->holds.clear();
  EXPECT_EQ(strongest_text(*report.strongest), "none that could be decided; undecided: prefix");
  report.strongest->stop = Strongest::Stop::kTime;
  EXPECT_EQ(strongest_text(*report.strongest), "not found; out of time (--timeout) before prefix");
  report.strongest->stop = Strongest::Stop::kWork;
  EXPECT_EQ(strongest_text(*report.strongest), "not found; step limit reached (--strongest lifts it) before prefix");
  EXPECT_EQ(strongest_text({}), "none");
}

TEST(Text, QuietIsOneLine) {
  const History h = three_transactions("x");
  const Verdict v = violated();
  EXPECT_EQ(render_text(noted_report(h, v), {.verdict_only = true}), "✗ h.jsonl violates snapshot-isolation\n");
}

TEST(Json, ItIsValidWhateverTheNamesAre) {
  for (const std::string_view key : {"x", "a\"b\\c\n\t", "\xff\xfe not utf-8", "日本", ""}) {
    const History h = three_transactions(key);
    const Verdict v = violated();
    simdjson::dom::parser parser;
    simdjson::dom::element report;
    const std::string text = render_json(noted_report(h, v));
    ASSERT_EQ(parser.parse(text).get(report), simdjson::SUCCESS) << text;
    EXPECT_EQ(std::string_view(report["anomalies"].at(0)["transactions"].at(0)), "late \"one\"\n");
    EXPECT_EQ(std::int64_t(report["anomalies"].at(0)["transactions"].at(1)), 2);
    EXPECT_EQ(std::string_view(report["anomalies"].at(0)["source"]), "older");
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(Json, TheStrongestLevelAndWhatIsKnownOfTheOthers) {
  const History h = three_transactions("x");
  const Verdict v = violated();
  Report report = noted_report(h, v);
  report.strongest = Strongest{};
  report.strongest->holds = {Level::kPrefix};
  report.strongest->levels[static_cast<std::size_t>(Level::kPrefix)] = Outcome::kSatisfied;
  report.strongest->levels[static_cast<std::size_t>(Level::kSnapshotIsolation)] = Outcome::kViolated;
  report.strongest->levels[static_cast<std::size_t>(Level::kStrictSerializable)] = Outcome::kUndecided;
  report.strongest->not_tested[static_cast<std::size_t>(Level::kStrictSerializable)] = true;
  report.stats.strongest_seconds = 0.5;
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  const std::string text = render_json(report);
  ASSERT_EQ(parser.parse(text).get(json), simdjson::SUCCESS) << text;
  EXPECT_EQ(std::string_view(json["strongest"].at(0)), "prefix");
  EXPECT_EQ(json["levels"].get_object().size(), 3U);
  EXPECT_EQ(std::string_view(json["levels"]["strict-serializable"]), "not-tested");
  EXPECT_EQ(std::string_view(json["levels"]["snapshot-isolation"]), "violated");
  EXPECT_EQ(double(json["stats"]["seconds"]["strongest"]), 0.5);
  EXPECT_NE(std::string_view(json["anomalies"].at(0)["contradiction"]), "");
}

TEST(Json, AllStepsOfALongCycleAreThere) {
  const History h = ring(1000);
  Verdict v = violated();
  v.anomalies = {ring_cycle(h)};
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  const std::string text = render_json(noted_report(h, v));
  ASSERT_EQ(parser.parse(text).get(json), simdjson::SUCCESS);
  EXPECT_EQ(json["anomalies"].at(0)["steps"].get_array().size(), 1000U);
}

TEST(Dot, ALongCycleStaysSmallAndTheGuiltyOneIsMarked) {
  const History h = ring(1000);
  Verdict v = violated();
  v.anomalies = {ring_cycle(h)};
  const std::string dot = render_dot(noted_report(h, v), 10);
  EXPECT_LT(dot.size(), 4000U);
  EXPECT_NE(dot.find("a0_t0 [label=\"T0 (session 0)\\nappended 0 to ring\\l\", color="), std::string::npos) << dot;
  EXPECT_NE(dot.find("a0_gap2 [label=\"… 996 more steps, all ww on ring\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("a0_t2 -> a0_gap2"), std::string::npos) << dot;
  EXPECT_NE(dot.find("a0_gap2 -> a0_t998"), std::string::npos) << dot;
  EXPECT_NE(dot.find("a0_t999 -> a0_t0 [label=\"rw ring\""), std::string::npos) << dot;
}

TEST(Dot, QuotesAreEscaped) {
  const History h = three_transactions("a\"b");
  const Verdict v = violated();
  const std::string dot = render_dot(noted_report(h, v), 10);
  EXPECT_TRUE(dot.starts_with("digraph isolde {\n")) << dot;
  EXPECT_TRUE(dot.ends_with("}\n")) << dot;
  EXPECT_NE(dot.find("a0_t2 -> a0_t1 [label=\"rw "), std::string::npos) << dot;
}

TEST(Words, ALongListKeepsWholeElementsOfItsEnds) {
  HistoryBuilder b;
  const KeyId x = b.key("x");
  std::vector<ValueId> elements;
  for (int i = 1000; i < 1100; ++i) elements.push_back(b.values().integer(i));
  b.begin_txn(b.session(1));
  b.read(x, b.values().list(elements));
  b.read(x, b.values().list(std::vector<ValueId>(elements.begin(), elements.begin() + 3)));
  b.end_txn();
  const History h = *b.finish();
  EXPECT_EQ(words::value(h, h.op_value(0)), "[1000,1001,1002,1003, … 92 more … ,1096,1097,1098,1099]");
  EXPECT_EQ(words::value(h, h.op_value(1)), "[1000,1001,1002]");
}

TEST(Words, ShorteningKeepsUtf8Whole) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "é";
  for (std::size_t most = 16; most < 40; ++most) {
    const std::string cut = words::shortened(text, most);
    std::string json;
    append_json_string(cut, json);
    EXPECT_EQ(json.find("\xEF\xBF\xBD"), std::string::npos) << most;
    EXPECT_LE(cut.size(), most + 2);
  }
}

}  // namespace report_test
}  // namespace isolde
