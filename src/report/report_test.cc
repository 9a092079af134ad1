// The renderers on anomalies made by hand: what they say, and that nothing a history holds can break their syntax.
#include <gtest/gtest.h>
#include <simdjson.h>

#include "history/history_builder.h"
#include "report/dot.h"
#include "report/explain_anomaly.h"
#include "report/json.h"
#include "report/text.h"
#include "report/words.h"

namespace isolde {
namespace {

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

Report report_on(const History& h, const Verdict& v) {
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
  ASSERT_EQ(e.lines.size(), 3U);
  EXPECT_EQ(e.lines[0],
            "\"late \\\"one\\\"\\u000a\" (session b, start_ts 50, commit_ts 60) read x = 1 (operation 1 of 1).");
  EXPECT_EQ(e.lines[1], "In its snapshot (start_ts 50) x = 2, written by T2 (commit_ts 40).");
  EXPECT_EQ(e.lines[2], "x = 1: that is an older version, by T1 (commit_ts 20), overwritten by then.");
  ASSERT_EQ(e.steps.size(), 2U);
  EXPECT_EQ(e.steps[1], "\"late \\\"one\\\"\\u000a\" read x = 1: it did not see that T2 wrote x = 2");
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
  EXPECT_EQ(e.lines[2], "x = 1: nobody wrote that.");
}

TEST(Text, TheVerdictComesFirst) {
  const History h = three_transactions("x");
  const Verdict v = violated();
  const std::string text = render_text(report_on(h, v), {});
  EXPECT_TRUE(text.starts_with("✗ h.jsonl violates snapshot-isolation\n")) << text;
  EXPECT_NE(text.find("anomalies GSIb 1"), std::string::npos) << text;
  EXPECT_NE(text.find("note      a note"), std::string::npos) << text;
  EXPECT_NE(text.find("isolde explain GSIb"), std::string::npos) << text;
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST(Text, ALongCycleKeepsItsTwoEnds) {
  const History h = three_transactions("x");
  Verdict v = violated();
  v.anomalies[0].steps.assign(500, v.anomalies[0].steps[1]);
  const std::string text = render_text(report_on(h, v), {});
  EXPECT_NE(text.find("… 488 more steps"), std::string::npos) << text;
  EXPECT_LT(text.size(), 4000U);
}

TEST(Text, QuietIsOneLine) {
  const History h = three_transactions("x");
  const Verdict v = violated();
  EXPECT_EQ(render_text(report_on(h, v), {.verdict_only = true}), "✗ h.jsonl violates snapshot-isolation\n");
}

TEST(Json, ItIsValidWhateverTheNamesAre) {
  for (const std::string_view key : {"x", "a\"b\\c\n\t", "\xff\xfe not utf-8", "日本", ""}) {
    const History h = three_transactions(key);
    const Verdict v = violated();
    simdjson::dom::parser parser;
    simdjson::dom::element report;
    const std::string text = render_json(report_on(h, v));
    ASSERT_EQ(parser.parse(text).get(report), simdjson::SUCCESS) << text;
    EXPECT_EQ(std::string_view(report["anomalies"].at(0)["transactions"].at(0)), "late \"one\"\n");
    EXPECT_EQ(std::int64_t(report["anomalies"].at(0)["transactions"].at(1)), 2);
    EXPECT_EQ(std::string_view(report["anomalies"].at(0)["source"]), "older");
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(Dot, QuotesAreEscaped) {
  const History h = three_transactions("a\"b");
  const Verdict v = violated();
  const std::string dot = render_dot(report_on(h, v), 10);
  EXPECT_TRUE(dot.starts_with("digraph isolde {\n")) << dot;
  EXPECT_TRUE(dot.ends_with("}\n")) << dot;
  EXPECT_NE(dot.find("a0_t2 -> a0_t1 [label=\"rw "), std::string::npos) << dot;
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

}  // namespace
}  // namespace isolde
