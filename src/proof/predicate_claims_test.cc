// A result-set mismatch is believed only if the result contradicts what the operation was evaluated on.
#include "proof/predicate_claims.h"

#include <fmt/format.h>

#include "proof/predicate_testing.h"

namespace isolde {
namespace predicate_claims_test {

constexpr Level kSer = Level::kSerializable;
constexpr Level kSi = Level::kSnapshotIsolation;
constexpr Level kRc = Level::kReadCommitted;
constexpr KeyId kX{0};
constexpr KeyId kY{1};
constexpr OpId kOp{2};  // of T1
constexpr TxnId kT0{0};
constexpr TxnId kT1{1};
constexpr TxnId kT2{2};

// T0 [1..2] inserts x with c=1 and y with c=5; T1 [start..commit] has the operations; T2 [4..5] sets x to c=7.
History around(std::string_view ops, int start = 6, int commit = 7) {
  return native(fmt::format(
      R"j({{"session":1,"start_ts":1,"commit_ts":2,"order":1,"ops":[["w","x",{{"c":1}}],["w","y",{{"c":5}}]]}}
{{"session":2,"start_ts":{},"commit_ts":{},"order":3,"ops":[{}]}}
{{"session":3,"start_ts":4,"commit_ts":5,"order":2,"ops":[["w","x",{{"c":7}}]]}})j",
      start, commit, ops));
}

ValueId written(const History& h, TxnId t, std::uint32_t op) { return h.op_value(h.first_op(t) + op); }

Anomaly mismatch(ReadSource source, KeyId key, ValueId read, ValueId expected, TxnId writer, StepType step) {
  Anomaly a{};
  a.kind = AnomalyKind::kResultSetMismatch;
  a.source = source;
  a.op = kOp;
  a.key = key;
  a.read = read;
  a.expected = expected;
  a.expected_known = true;
  a.expected_writer = writer;
  a.transactions = {kT1};
  const bool other = writer != kNoTxn && writer != kT1;
  if (other) a.transactions.push_back(writer);
  a.steps.push_back({step, other ? writer : kT1, kT1, key, kNoOp, kNoOp});
  if (step == StepType::kProgram) a.steps.back().from_op = kOp;
  return a;
}

TEST(PredicateClaims, ARowThatTheSnapshotHasAndTheScanMissed) {
  const History h = around(R"j(["scan","c > 2",[["y",{"c":5}]]])j");
  const Anomaly a = mismatch(ReadSource::kRowMissed, kX, kNullValue, written(h, kT2, 0), kT2, StepType::kVisible);
  const Verdict v = violated("timeline", kSi, a);
  EXPECT_EQ(said(h, v), "");
  const auto after = [&](auto&& change) { return said_after(h, v, change); };
  EXPECT_NE(after([](Anomaly& b) { b.key = kY; }), "") << "its result has y";
  EXPECT_NE(after([](Anomaly& b) { b.key = kNoKey; }), "");
  EXPECT_NE(after([](Anomaly& b) { b.source = ReadSource::kRowExtra; }), "");
  EXPECT_NE(after([](Anomaly& b) { b.source = ReadSource::kWrongAggregate; }), "");
  EXPECT_NE(after([](Anomaly& b) { b.source = ReadSource::kNotARead; }), "");
  EXPECT_NE(after([&](Anomaly& b) { b.read = b.expected; }), "");
  EXPECT_NE(after([&](Anomaly& b) { b.expected = written(h, kT0, 0); }), "") << "that does not match";
  EXPECT_NE(after([&](Anomaly& b) { b.expected = written(h, kT0, 1); }), "") << "nobody wrote that to x";
  EXPECT_NE(after([](Anomaly& b) { b.expected_known = false; }), "");
  EXPECT_NE(after([](Anomaly& b) { b.expected_writer = kT0; }), "");
  EXPECT_NE(after([](Anomaly& b) { b.expected_writer = kNoTxn; }), "");
  EXPECT_NE(after([](Anomaly& b) { b.expected_writer = kT1; }), "");
  EXPECT_NE(after([](Anomaly& b) { std::swap(b.steps[0].from, b.steps[0].to); }), "");
  EXPECT_NE(after([](Anomaly& b) { b.steps[0].from = kT0; }), "");
  EXPECT_NE(after([](Anomaly& b) { b.steps.clear(); }), "");
  EXPECT_NE(after([](Anomaly& b) { b.transactions = {kT2}; }), "");
  EXPECT_NE(after([](Anomaly& b) { b.transactions.push_back(kT0); }), "");
  EXPECT_NE(after([](Anomaly& b) { b.op = OpId{0}; }), "");
  EXPECT_NE(after([](Anomaly& b) { b.op = kNoOp; }), "");
  for (const Level level : {Level::kReadUncommitted, kRc, Level::kRepeatableRead, Level::kCausal}) {
    EXPECT_NE(said(h, violated("timeline", level, a)), "") << "the level has no such state";
  }
  EXPECT_NE(said(h, violated("graph", kSi, a)), "") << "not about timestamps";

  const History before = around(R"j(["scan","c > 2",[["y",{"c":5}]]])j", 3, 7);
  EXPECT_NE(said(before, v), "") << "T2 is not in the snapshot";
  const History same = around(R"j(["scan","c > 2",[["y",{"c":5}]]])j", 5, 7);
  EXPECT_EQ(said(same, v), "") << "commit_ts = start_ts is visible";
}

TEST(PredicateClaims, TheSameInTheOrderOfCommitsAndInAnExpectedOrder) {
  const History h = around(R"j(["scan","c > 2",[["y",{"c":5}]]])j", 3, 7);
  const Anomaly by_commit =
      mismatch(ReadSource::kRowMissed, kX, kNullValue, written(h, kT2, 0), kT2, StepType::kCommit);
  EXPECT_EQ(said(h, violated("timeline", kSer, by_commit)), "");
  const Anomaly by_order = mismatch(ReadSource::kRowMissed, kX, kNullValue, written(h, kT2, 0), kT2, StepType::kOrder);
  EXPECT_EQ(said(h, violated("replay", kSer, by_order)), "");
  const History tied = around(R"j(["scan","c > 2",[["y",{"c":5}]]])j", 3, 5);
  EXPECT_NE(said(tied, violated("timeline", kSer, by_commit)), "") << "T1 may come before T2";
}

TEST(PredicateClaims, ARowThatAnUpdateFoundAndShouldNot) {
  const History h = around(R"j(["update","c = 1",[["x",{"c":2}]]])j");
  const ValueId after_row = h.items(h.predicate(h.op(2).predicate()))[0].value;
  const Anomaly a = mismatch(ReadSource::kRowExtra, kX, after_row, written(h, kT2, 0), kT2, StepType::kVisible);
  const Verdict v = violated("timeline", kSi, a);
  EXPECT_EQ(said(h, v), "");
  EXPECT_NE(said_after(h, v, [](Anomaly& b) { b.source = ReadSource::kRowMissed; }), "");
  EXPECT_NE(said_after(h, v, [&](Anomaly& b) { b.read = written(h, kT0, 0); }), "");
  EXPECT_NE(said_after(h, v, [&](Anomaly& b) { b.read = kNullValue; }), "");
  EXPECT_NE(said_after(h, v, [&](Anomaly& b) { b.expected = written(h, kT0, 0); }), "");
  const History absent = around(R"j(["update","c = 1",[["z",{"c":2}]]])j");
  const ValueId row = absent.items(absent.predicate(absent.op(2).predicate()))[0].value;
  const KeyId z = key_of(absent, "z");
  EXPECT_EQ(said(absent, violated("timeline", kSi,
                                  mismatch(ReadSource::kRowExtra, z, row, kNullValue, kNoTxn, StepType::kProgram))),
            "");
}

TEST(PredicateClaims, AWriterThatMayOrMayNotHaveCommittedInTimeProvesNothing) {
  // T3 wrote x so that it does not match: it may be what T1 saw.
  for (const char* doubt :
       {R"("status":"unknown","start_ts":5,"commit_ts":6,)", R"("start_ts":5,)", R"("commit_ts":5,)"}) {
    const History h = native(
        fmt::format(R"j({{"session":1,"start_ts":1,"commit_ts":2,"ops":[["w","x",{{"c":1}}],["w","y",{{"c":5}}]]}}
{{"session":2,"start_ts":6,"commit_ts":7,"ops":[["scan","c > 2",[["y",{{"c":5}}]]]]}}
{{"session":3,"start_ts":4,"commit_ts":5,"ops":[["w","x",{{"c":7}}]]}}
{{"session":4,{}"ops":[["w","x",{{"c":0}}]]}})j",
                    doubt));
    const Anomaly a = mismatch(ReadSource::kRowMissed, kX, kNullValue, written(h, kT2, 0), kT2, StepType::kVisible);
    EXPECT_NE(said(h, violated("timeline", kSi, a)), "") << doubt;
  }
  const History aborted =
      native(R"j({"session":1,"start_ts":1,"commit_ts":2,"ops":[["w","x",{"c":1}],["w","y",{"c":5}]]}
{"session":2,"start_ts":6,"commit_ts":7,"ops":[["scan","c > 2",[["y",{"c":5}]]]]}
{"session":3,"start_ts":4,"commit_ts":5,"ops":[["w","x",{"c":7}]]}
{"session":4,"status":"aborted","start_ts":5,"commit_ts":6,"ops":[["w","x",{"c":0}]]})j");
  const Anomaly a = mismatch(ReadSource::kRowMissed, kX, kNullValue, written(aborted, kT2, 0), kT2, StepType::kVisible);
  EXPECT_EQ(said(aborted, violated("timeline", kSi, a)), "");
}

TEST(PredicateClaims, OwnWritesCountFromReadCommittedUp) {
  const History h = around(R"j(["scan","c > 2",[["y",{"c":5}]]],["w","x",{"c":9}],["scan","c > 8",[]])j");
  Anomaly a = mismatch(ReadSource::kRowMissed, kX, kNullValue, written(h, kT1, 1), kT1, StepType::kProgram);
  a.op = a.steps[0].from_op = OpId{4};
  for (const char* method : {"timeline", "graph", "rules"}) {
    EXPECT_EQ(said(h, violated(method, kRc, a)), "") << method;
  }
  EXPECT_NE(said(h, violated("graph", Level::kReadUncommitted, a)), "");
  EXPECT_NE(said_after(h, violated("graph", kRc, a), [](Anomaly& b) { b.op = kOp; }), "") << "before it wrote";
  EXPECT_NE(said_after(h, violated("graph", kRc, a), [](Anomaly& b) { b.expected_writer = kNoTxn; }), "");
  EXPECT_NE(said_after(h, violated("graph", kRc, a), [](Anomaly& b) { b.key = kY; }), "");
  // What others wrote does not matter then.
  const History own = around(R"j(["w","x",{"c":0}],["scan","c > 5",[]])j");
  Anomaly b = mismatch(ReadSource::kRowMissed, kX, kNullValue, written(own, kT2, 0), kT2, StepType::kVisible);
  b.op = OpId{3};
  EXPECT_NE(said(own, violated("timeline", kSi, b)), "");
}

TEST(PredicateClaims, ARowThatDoesNotMatchItsOwnCondition) {
  const History h = around(R"j(["scan","c > 5",[["y",{"c":5}],["x",{"c":7}]]])j");
  const Anomaly a =
      mismatch(ReadSource::kRowExtra, kY, written(h, kT0, 1), written(h, kT0, 1), kNoTxn, StepType::kProgram);
  EXPECT_EQ(said(h, violated("graph", kRc, a)), "");
  EXPECT_EQ(said(h, violated("timeline", kSi, a)), "");
  EXPECT_NE(said(h, violated("graph", Level::kReadUncommitted, a)), "");
  EXPECT_NE(said_after(h, violated("graph", kRc, a),
                       [&](Anomaly& b) {
                         b.key = kX;
                         b.read = b.expected = written(h, kT2, 0);
                       }),
            "")
      << "x matches";
  EXPECT_NE(said_after(h, violated("graph", kRc, a), [](Anomaly& b) { b.expected = kNullValue; }), "");
  const History unclear = around(R"j(["scan","c > 'a'",[["y",{"c":5}]]])j");
  EXPECT_NE(said(unclear, violated("graph", kRc, a)), "") << "a fault decides nothing";
}

TEST(PredicateClaims, AResultThatDoesNotFollowFromItsVersionSet) {
  const History missed = around(R"j(["scan","c > 2",[],{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  const Anomaly a =
      mismatch(ReadSource::kRowMissed, kY, kNullValue, written(missed, kT0, 1), kNoTxn, StepType::kProgram);
  EXPECT_EQ(said(missed, violated("graph", kRc, a)), "");
  EXPECT_NE(said_after(missed, violated("graph", kRc, a), [&](Anomaly& b) { b.key = kX; }), "");
  EXPECT_NE(said_after(missed, violated("graph", kRc, a), [&](Anomaly& b) { b.expected = written(missed, kT2, 0); }),
            "")
      << "the set has another version";
  const History right = around(R"j(["scan","c > 2",[["y",{"c":5}]],{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  EXPECT_NE(said(right, violated("graph", kRc, a)), "");
  const History extra =
      around(R"j(["update","c > 2",[["x",{"c":3}],["y",{"c":6}]],{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  const ValueId row = extra.items(extra.predicate(extra.op(2).predicate()))[0].value;
  const Anomaly b = mismatch(ReadSource::kRowExtra, kX, row, written(extra, kT0, 0), kNoTxn, StepType::kProgram);
  EXPECT_EQ(said(extra, violated("graph", kRc, b)), "");
  const Anomaly no_row = mismatch(ReadSource::kRowExtra, kX, row, kNullValue, kNoTxn, StepType::kProgram);
  EXPECT_NE(said(extra, violated("graph", kRc, no_row)), "") << "the set names x";
}

TEST(PredicateClaims, ARowOtherThanThatOfItsVersionSet) {
  const History h = around(R"j(["scan","c > 2",[["y",{"c":6}]],{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  const ValueId row = h.items(h.predicate(h.op(2).predicate()))[0].value;
  const Anomaly a = mismatch(ReadSource::kRowExtra, kY, row, written(h, kT0, 1), kNoTxn, StepType::kProgram);
  EXPECT_EQ(said(h, violated("graph", kRc, a)), "");
  Anomaly named = a;
  named.expected_writer = kT0;
  EXPECT_EQ(said(h, violated("graph", kRc, named)), "");
  named.expected_writer = kT2;
  EXPECT_NE(said(h, violated("graph", kRc, named)), "") << "T2 did not write it";
  EXPECT_NE(said_after(h, violated("graph", kRc, a), [&](Anomaly& b) { b.expected = row; }), "");
  EXPECT_NE(said(h, violated("graph", Level::kReadUncommitted, a)), "");
  const History same = around(R"j(["scan","c > 2",[["y",{"c":5}]],{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  const Anomaly right =
      mismatch(ReadSource::kRowExtra, kY, written(same, kT0, 1), written(same, kT0, 1), kNoTxn, StepType::kProgram);
  EXPECT_NE(said(same, violated("graph", kRc, right)), "");
}

TEST(PredicateClaims, AVersionSetThatHoldsWhatTheTransactionWroteLater) {
  const History h = around(R"j(["agg","count(*)","c = 9",1,{"vset":{"z":{"c":9}}}],["w","z",{"c":9}])j");
  const KeyId z = key_of(h, "z");
  Anomaly a = mismatch(ReadSource::kRowMissed, z, kNullValue, written(h, kT1, 1), kT1, StepType::kCommit);
  a.steps.push_back({StepType::kWr, kT1, kT1, z, kNoOp, kOp});
  EXPECT_EQ(said(h, violated("timeline", kSer, a)), "");
  EXPECT_NE(said_after(h, violated("timeline", kSer, a), [](Anomaly& b) { b.key = kX; }), "");
  const History before = around(R"j(["w","z",{"c":9}],["agg","count(*)","c = 9",1,{"vset":{"z":{"c":9}}}])j");
  Anomaly b = a;
  b.op = b.steps[1].to_op = OpId{3};
  b.expected = written(before, kT1, 0);
  EXPECT_NE(said(before, violated("timeline", kSer, b)), "") << "it had written it already";
}

TEST(PredicateClaims, AnAggregateThatIsNotThatOfTheState) {
  const History h = around(R"j(["agg","sum(c)","true",6])j");
  Anomaly a = mismatch(ReadSource::kWrongAggregate, kNoKey, ValueId{6}, kNullValue, kNoTxn, StepType::kProgram);
  a.expected_text = "12";
  a.expected_known = false;
  const Verdict v = violated("timeline", kSi, a);
  EXPECT_EQ(said(h, v), "");
  EXPECT_NE(said_after(h, v, [](Anomaly& b) { b.expected_text = "6"; }), "");
  EXPECT_NE(said_after(h, v, [](Anomaly& b) { b.expected_text = ""; }), "");
  EXPECT_NE(said_after(h, v, [](Anomaly& b) { b.read = ValueId{12}; }), "");
  EXPECT_NE(said_after(h, v, [](Anomaly& b) { b.key = kX; }), "");
  EXPECT_NE(said(h, violated("graph", kSi, a)), "");
  EXPECT_NE(said(h, violated("timeline", kRc, a)), "");
  const History before = around(R"j(["agg","sum(c)","true",6])j", 3, 7);
  EXPECT_NE(said(before, v), "") << "right in this snapshot";
  EXPECT_EQ(said(before, violated("timeline", kSer, a)), "") << "but not at its commit";
  const History tied = around(R"j(["agg","sum(c)","true",6])j", 3, 5);
  EXPECT_NE(said(tied, violated("timeline", kSer, a)), "") << "T1 may come before T2";
  const History fault = around(R"j(["agg","sum(c / 0)","true",6])j");
  EXPECT_NE(said(fault, v), "");
  const History own = around(R"j(["agg","sum(c)","true",6],["w","x",{"c":2}],["agg","sum(c)","true",7])j");
  EXPECT_NE(said_after(own, v,
                       [](Anomaly& b) {
                         b.op = OpId{4};
                         b.read = ValueId{7};
                       }),
            "")
      << "7 = 2 + 5";
}

TEST(PredicateClaims, AnAggregateThatIsNotThatOfItsVersionSet) {
  const History h = around(R"j(["agg","sum(c)","true",7,{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  Anomaly a = mismatch(ReadSource::kWrongAggregate, kNoKey, ValueId{7}, kNullValue, kNoTxn, StepType::kProgram);
  a.expected_text = "6";
  EXPECT_EQ(said(h, violated("graph", kRc, a)), "");
  EXPECT_NE(said_after(h, violated("graph", kRc, a), [](Anomaly& b) { b.expected_text = "12"; }), "");
  const History right = around(R"j(["agg","sum(c)","true",6,{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  a.read = ValueId{6};
  a.expected_text = "12";
  EXPECT_NE(said(right, violated("graph", kRc, a)), "");
  EXPECT_NE(said(right, violated("timeline", kSi, a)), "") << "for order only the matches count";
}

TEST(PredicateClaims, AVersionSetFromAnotherRunOfMatches) {
  // x: absent, 1, 7 (T2, at 5), 2 (T3, at 9). T1, at 10, looked at 1 and sees 2: both do not match, 7 does.
  const auto history = [](std::string_view looked_at, int start) {
    return native(
        fmt::format(R"j({{"session":1,"start_ts":1,"commit_ts":2,"ops":[["w","x",{{"c":1}}],["w","y",{{"c":5}}]]}}
{{"session":2,"start_ts":{},"commit_ts":20,"ops":[["scan","c > 6",[],{{"vset":{{"x":{},"y":{{"c":5}}}}}}]]}}
{{"session":3,"start_ts":4,"commit_ts":5,"ops":[["w","x",{{"c":7}}]]}}
{{"session":4,"start_ts":8,"commit_ts":9,"ops":[["w","x",{{"c":2}}]]}})j",
                    start, looked_at));
  };
  const auto claim = [](const History& h, StepType type) {
    Anomaly a = mismatch(ReadSource::kRowMissed, kX, kNullValue, written(h, kT2, 0), kT2, type);
    if (type == StepType::kInvisible) std::swap(a.steps[0].from, a.steps[0].to);
    return violated("timeline", kSi, a);
  };
  const auto since = [&](const History& h) { return said(h, claim(h, StepType::kVisible)); };
  EXPECT_EQ(since(history(R"({"c":1})", 10)), "");
  EXPECT_EQ(since(history("null", 10)), "") << "absent is in the run of 1";
  EXPECT_NE(since(history(R"({"c":2})", 10)), "") << "that is the state's";
  EXPECT_NE(since(history(R"({"c":3})", 10)), "") << "nobody wrote that";
  EXPECT_NE(since(history(R"({"c":1})", 3)), "") << "that is the state's";
  EXPECT_EQ(since(history(R"({"c":1})", 9)), "");
  const History h = history(R"({"c":1})", 10);
  const Verdict v = claim(h, StepType::kVisible);
  EXPECT_NE(said_after(h, v, [](Anomaly& b) { b.expected_writer = TxnId{3}; }), "");
  EXPECT_NE(said_after(h, v, [&](Anomaly& b) { b.expected = written(h, TxnId{3}, 0); }), "") << "does not match";
  // As engines tell it: and by what it looked at it comes before the one that it sees.
  const Step before{StepType::kRw, kT1, kT2, kX, kOp, kNoOp};
  const Step after{StepType::kWr, kT2, kT1, kX, kNoOp, kOp};
  EXPECT_EQ(said_after(h, v, [&](Anomaly& b) { b.steps.push_back(before); }), "");
  EXPECT_NE(said_after(h, v, [&](Anomaly& b) { b.steps.push_back(after); }), "") << "the wrong way";
  EXPECT_NE(said_after(h, v, [&](Anomaly& b) { b.steps = {before, {StepType::kWw, kT2, kT1, kX, kNoOp, kNoOp}}; }), "");
  const History own_state = history(R"({"c":2})", 10);
  Verdict wrong = claim(own_state, StepType::kVisible);
  wrong.anomalies[0].steps.push_back(before);
  EXPECT_NE(said(own_state, wrong), "") << "it looked at the state's";
  // The other way: it looked at 2 while the snapshot has 1.
  const auto later = [&](const History& g) { return said(g, claim(g, StepType::kInvisible)); };
  EXPECT_EQ(later(history(R"({"c":2})", 3)), "");
  EXPECT_NE(later(history(R"({"c":1})", 3)), "");
  EXPECT_NE(later(history(R"({"c":2})", 10)), "");
}

}  // namespace predicate_claims_test
}  // namespace isolde
