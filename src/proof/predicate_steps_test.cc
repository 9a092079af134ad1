// Steps that rest on predicates are believed only if no version leaves another way.
#include "proof/predicate_steps.h"

#include "proof/predicate_testing.h"

namespace isolde {
namespace predicate_steps_test {

constexpr Level kSer = Level::kSerializable;
constexpr Level kSi = Level::kSnapshotIsolation;
constexpr Level kRr = Level::kRepeatableRead;
constexpr Level kRc = Level::kReadCommitted;

OpId op_of(const History& h, std::uint32_t t, std::uint32_t i) { return OpId{h.first_op(TxnId{t}) + i}; }

Step wr(const History& h, std::uint32_t from, std::uint32_t to, std::string_view key, std::uint32_t op) {
  return {StepType::kWr, TxnId{from}, TxnId{to}, key_of(h, key), kNoOp, op_of(h, to, op)};
}
Step rw(const History& h, std::uint32_t from, std::uint32_t to, std::string_view key, std::uint32_t op) {
  return {StepType::kRw, TxnId{from}, TxnId{to}, key_of(h, key), op_of(h, from, op), kNoOp};
}

Verdict cycle(AnomalyKind kind, Level level, std::vector<Step> steps) {
  Anomaly a{};
  a.kind = kind;
  for (const Step& s : steps) a.transactions.push_back(s.from);
  a.steps = std::move(steps);
  return violated("graph", level, a);
}

void reverse(Step& s) {
  std::swap(s.from, s.to);
  std::swap(s.from_op, s.to_op);
}

// Write skew of predicates: each counts on what the other inserts.
TEST(PredicateSteps, TwoPhantomsAreG2) {
  const History h = native(R"j({"session":1,"ops":[["scan","c = 1",[]],["w","x",{"c":2}]]}
{"session":2,"ops":[["scan","c = 2",[]],["w","y",{"c":1}]]})j");
  const Verdict v = cycle(AnomalyKind::kG2, kSer, {rw(h, 0, 1, "y", 0), rw(h, 1, 0, "x", 0)});
  EXPECT_EQ(said(h, v), "");
  const auto after = [&](auto&& change) { return said_after(h, v, change); };
  EXPECT_NE(after([](Anomaly& a) { a.kind = AnomalyKind::kG2Item; }), "") << "no item was read";
  EXPECT_NE(after([](Anomaly& a) { a.kind = AnomalyKind::kGSingle; }), "");
  EXPECT_NE(after([&](Anomaly& a) { a.steps[0].key = key_of(h, "x"); }), "") << "T1 did not write x";
  EXPECT_NE(after([&](Anomaly& a) { std::swap(a.steps[0].key, a.steps[1].key); }), "");
  EXPECT_NE(after([](Anomaly& a) { a.steps[0].from_op = kNoOp; }), "");
  EXPECT_NE(after([&](Anomaly& a) { a.steps[0].from_op = op_of(h, 0, 1); }), "") << "a write";
  EXPECT_NE(after([&](Anomaly& a) { a.steps[0].from_op = op_of(h, 1, 0); }), "") << "the other's";
  EXPECT_NE(after([](Anomaly& a) { reverse(a.steps[0]); }), "");
  EXPECT_NE(after([](Anomaly& a) { a.steps.pop_back(); }), "");
  EXPECT_NE(after([](Anomaly& a) { a.steps[0].type = StepType::kWr; }), "");
  for (const Level level : {kSi, Level::kPrefix, kRr, kRc, Level::kCausal, Level::kReadUncommitted}) {
    EXPECT_NE(said(h, cycle(AnomalyKind::kG2, level, {rw(h, 0, 1, "y", 0), rw(h, 1, 0, "x", 0)})), "");
  }
}

TEST(PredicateSteps, AnOverwriteThatChangesNoMatchIsNoAntiDependency) {
  const History no_match = native(R"j({"session":1,"ops":[["scan","c = 1",[]],["w","x",{"c":2}]]}
{"session":2,"ops":[["scan","c = 2",[]],["w","y",{"c":3}]]})j");
  EXPECT_NE(said(no_match, cycle(AnomalyKind::kG2, kSer, {rw(no_match, 0, 1, "y", 0), rw(no_match, 1, 0, "x", 0)})),
            "");
  const History fault = native(R"j({"session":1,"ops":[["scan","c = 'a'",[]],["w","x",{"c":2}]]}
{"session":2,"ops":[["scan","c = 2",[]],["w","y",{"c":1}]]})j");
  EXPECT_NE(said(fault, cycle(AnomalyKind::kG2, kSer, {rw(fault, 0, 1, "y", 0), rw(fault, 1, 0, "x", 0)})), "");
  const History own = native(R"j({"session":1,"ops":[["w","y",{"c":0}],["scan","c = 1",[]],["w","x",{"c":2}]]}
{"session":2,"ops":[["scan","c = 2",[]],["w","y",{"c":1}]]})j");
  EXPECT_NE(said(own, cycle(AnomalyKind::kG2, kSer, {rw(own, 0, 1, "y", 1), rw(own, 1, 0, "x", 0)})), "")
      << "it looked at its own y";
  const History aggregate = native(R"j({"session":1,"ops":[["agg","count(*)","c = 1",0],["w","x",{"c":2}]]}
{"session":2,"ops":[["agg","count(c)","c = 2",0],["w","y",{"c":1}]]})j");
  EXPECT_EQ(said(aggregate, cycle(AnomalyKind::kG2, kSer, {rw(aggregate, 0, 1, "y", 0), rw(aggregate, 1, 0, "x", 0)}))
                .find("it is not known what it needs"),
            std::string("anomaly G2 of transaction 0: ").size())
      << "count(*) = 0 says that there was none; count(c) does not";
}

TEST(PredicateSteps, AVersionThatMayComeLaterLeavesAWayOut) {
  // T2 inserts y, T3 removes it: T1, which found nothing, may come after both.
  const char* const text = R"j({"session":1,"ops":[["scan","c = 1",[]],["w","x",{"c":2}]]}
{"session":2,"ops":[["scan","c = 2",[]],["w","y",{"c":1}]]}
{"session":3,"STATUS""ops":[["w","y",null]]}
ORDER)j";
  const auto history = [&](std::string_view status, std::string_view order) {
    std::string t = text;
    t.replace(t.find("\"STATUS\""), 8, status);
    t.replace(t.find("ORDER"), 5, order);
    return native(t);
  };
  const auto says = [&](const History& h) {
    return said(h, cycle(AnomalyKind::kG2, kSer, {rw(h, 0, 1, "y", 0), rw(h, 1, 0, "x", 0)}));
  };
  EXPECT_NE(says(history("", "")), "");
  EXPECT_NE(says(history(R"("status":"unknown",)", "")), "") << "it may have committed";
  EXPECT_EQ(says(history(R"("status":"aborted",)", "")), "");
  EXPECT_EQ(says(history("", R"({"version_order_by_txn":{"y":[2,1]}})")), "") << "the removal came before";
  EXPECT_NE(says(history("", R"({"version_order_by_txn":{"y":[1,2]}})")), "");
}

TEST(PredicateSteps, AMatchThatOnlyOneTransactionMadeIsAReadDependency) {
  // T1's update found x as T0 left it, T0 read what T1 wrote.
  const History h = native(R"j({"session":1,"ops":[["w","x",{"c":1}],["r","z",5]]}
{"session":2,"ops":[["update","c = 1",[["x",{"c":3}]]],["w","z",5]]}
{"session":3,"ops":[["w","x",{"c":9}]]})j");
  const std::vector<Step> steps = {wr(h, 0, 1, "x", 0), wr(h, 1, 0, "z", 1)};
  for (const Level level : {kSer, kSi, Level::kPrefix, kRr}) {
    EXPECT_EQ(said(h, cycle(AnomalyKind::kG1c, level, steps)), "") << info(level).name;
  }
  EXPECT_NE(said(h, cycle(AnomalyKind::kG1c, kRc, steps)), "") << "there it may have been any version";
  EXPECT_NE(said(h, cycle(AnomalyKind::kG1c, Level::kReadUncommitted, steps)), "");
  const Verdict v = cycle(AnomalyKind::kG1c, kSer, steps);
  EXPECT_NE(said_after(h, v, [](Anomaly& a) { a.steps[0].from = TxnId{2}; }), "");
  EXPECT_NE(said_after(h, v, [&](Anomaly& a) { a.steps[0].key = key_of(h, "z"); }), "");
  EXPECT_NE(said_after(h, v, [](Anomaly& a) { a.kind = AnomalyKind::kG0; }), "");
  const History two = native(R"j({"session":1,"ops":[["w","x",{"c":1}],["r","z",5]]}
{"session":2,"ops":[["update","c = 1",[["x",{"c":3}]]],["w","z",5]]}
{"session":3,"ops":[["w","x",{"c":1,"d":1}]]})j");
  EXPECT_NE(said(two, cycle(AnomalyKind::kG1c, kSer, {wr(two, 0, 1, "x", 0), wr(two, 1, 0, "z", 1)})), "")
      << "T2's version would do";
  const History initial = native(R"j({"isolde":1,"initial":{"x":{"c":1,"d":0}}}
{"session":1,"ops":[["w","x",{"c":1}],["r","z",5]]}
{"session":2,"ops":[["update","c = 1",[["x",{"c":3}]]],["w","z",5]]})j");
  EXPECT_NE(said(initial, cycle(AnomalyKind::kG1c, kSer, {wr(initial, 0, 1, "x", 0), wr(initial, 1, 0, "z", 1)})), "")
      << "the initial version would do";
}

TEST(PredicateSteps, AVersionSetTellsWhichChangesCameBeforeAndAfter) {
  // x: absent, 1 (T0), 7 (T1), 8 (T2). T3 looked at 8; of its condition only 7 changes the matches.
  const auto history = [](std::string_view looked_at) {
    return native(R"j({"session":1,"ops":[["w","x",{"c":1}],["r","z",5]]}
{"session":2,"ops":[["w","x",{"c":7}],["r","z",5]]}
{"session":3,"ops":[["w","x",{"c":8}],["r","z",5]]}
{"session":4,"ops":[["update","c > 5",[["x",{"c":20}]],{"vset":{"x":)j" +
                  std::string(looked_at) + R"j(}}],["w","z",5]]}
{"version_order_by_txn":{"x":[0,1,2,3]}})j");
  };
  const History h = history(R"({"c":8})");
  const auto from = [](const History& g, std::uint32_t t, Level level) {
    return said(g, cycle(AnomalyKind::kG1c, level, {wr(g, t, 3, "x", 0), wr(g, 3, t, "z", 1)}));
  };
  for (const Level level : {kSer, kSi, Level::kPrefix, kRr}) {
    EXPECT_EQ(from(h, 1, level), "") << info(level).name;
    EXPECT_NE(from(h, 2, level), "") << "7 would do, before it";
  }
  EXPECT_EQ(from(h, 2, kRc), "") << "as if it had read 8";
  EXPECT_EQ(from(h, 1, kRc), "");
  EXPECT_NE(from(h, 2, Level::kReadUncommitted), "");
  const History earlier = history(R"({"c":7})");
  EXPECT_NE(from(earlier, 2, kRc), "") << "8 comes after what it looked at";
  EXPECT_EQ(from(earlier, 1, kSer), "");
  EXPECT_NE(from(history(R"({"c":9})"), 1, kSer), "") << "nobody wrote that";
}

TEST(PredicateSteps, AVersionSetTellsWhatCameAfter) {
  const auto history = [](std::string_view row, std::string_view order) {
    return native(R"j({"session":1,"ops":[["w","x",{"c":1}]]}
{"session":2,"ops":[["agg","count(c)","c > 5",0,{"vset":{"x":{"c":1}}}],["w","y",1]]}
{"session":3,"ops":[["w","x",)j" +
                  std::string(row) + R"j(],["r","y",null]]}
{"version_order_by_txn":{"x":)j" +
                  std::string(order) + "}}");
  };
  const auto says = [](const History& h) {
    return said(h, cycle(AnomalyKind::kG2, kSer, {rw(h, 1, 2, "x", 0), rw(h, 2, 1, "y", 1)}));
  };
  EXPECT_EQ(says(history(R"({"c":7})", "[0,2]")), "");
  EXPECT_NE(says(history(R"({"c":2})", "[0,2]")), "") << "no change of the matches";
  EXPECT_NE(says(history(R"({"c":7})", "[2,0]")), "") << "it came before";
}

// ---- no version is left ----

Verdict left_none(const History& h, ReadSource source, std::uint32_t t, std::uint32_t op, std::vector<Step> steps,
                  Level level = kSer) {
  Anomaly a{};
  a.kind = AnomalyKind::kResultSetMismatch;
  a.source = source;
  a.transactions = {TxnId{t}};
  a.op = op_of(h, t, op);
  a.key = key_of(h, "x");
  a.steps = std::move(steps);
  if (a.steps.empty()) a.steps.push_back({StepType::kProgram, TxnId{t}, TxnId{t}, a.key, a.op, kNoOp});
  return violated("graph", level, a);
}

TEST(PredicateSteps, AScanAfterAWriterWhoseRowItLacks) {
  // T1 read z from T0, who also inserted x; T2 removes x, after T0's version, but reads that T1 is not there yet.
  const auto history = [](std::string_view third) {
    return native(R"j({"session":1,"ops":[["w","x",{"c":1}],["w","z",1]]}
{"session":2,"ops":[["r","z",1],["scan","c = 1",[]],["r","y",null]]}
{"session":3,"ops":[["w","y",1])j" +
                  std::string(third) + "]}");
  };
  const History h = history("");
  const Verdict v = left_none(h, ReadSource::kRowMissed, 1, 1, {wr(h, 0, 1, "z", 0)});
  EXPECT_EQ(said(h, v), "");
  for (const Level level : {kSi, Level::kPrefix}) {
    EXPECT_EQ(said(h, left_none(h, ReadSource::kRowMissed, 1, 1, {wr(h, 0, 1, "z", 0)}, level)), "");
  }
  for (const Level level : {kRr, kRc, Level::kCausal, Level::kReadUncommitted}) {
    EXPECT_NE(said(h, left_none(h, ReadSource::kRowMissed, 1, 1, {wr(h, 0, 1, "z", 0)}, level)), "");
  }
  EXPECT_NE(said(h, left_none(h, ReadSource::kRowMissed, 1, 1, {})), "") << "the initial state explains it";
  EXPECT_NE(said(h, left_none(h, ReadSource::kRowExtra, 1, 1, {wr(h, 0, 1, "z", 0)})), "");
  EXPECT_NE(said_after(h, v, [&](Anomaly& a) { a.key = key_of(h, "y"); }), "");
  EXPECT_NE(said_after(h, v, [&](Anomaly& a) { a.op = op_of(h, 1, 0); }), "");
  EXPECT_NE(said_after(h, v, [](Anomaly& a) { reverse(a.steps[0]); }), "");
  EXPECT_NE(said_after(h, v, [](Anomaly& a) { a.expected_known = true; }), "");

  const History removed = history(R"(,["w","x",null])");
  EXPECT_NE(said(removed, left_none(removed, ReadSource::kRowMissed, 1, 1, {wr(removed, 0, 1, "z", 0)})), "")
      << "T2 may have removed it";
  const std::vector<Step> walk = {wr(removed, 0, 1, "z", 0), rw(removed, 1, 2, "y", 2)};
  EXPECT_EQ(said(removed, left_none(removed, ReadSource::kRowMissed, 1, 1, walk)), "") << "but T1 comes before T2";
  EXPECT_EQ(said(removed, left_none(removed, ReadSource::kRowMissed, 1, 1, walk, kSi)), "");
  EXPECT_NE(said(removed, left_none(removed, ReadSource::kRowMissed, 1, 1, {walk[1], walk[0]})), "") << "no walk";
  EXPECT_NE(said(removed, left_none(removed, ReadSource::kRowMissed, 1, 1, {walk[1]})), "");
}

TEST(PredicateSteps, AnAntiDependencyLeadsToNoStart) {
  // T0, who inserted x, comes before T1 only as a whole: its start before T1's commit.
  const History h = native(R"j({"session":1,"ops":[["w","x",{"c":1}],["r","z",null]]}
{"session":2,"ops":[["scan","c = 1",[]],["w","z",1]]})j");
  const std::vector<Step> steps = {rw(h, 0, 1, "z", 1)};
  EXPECT_EQ(said(h, left_none(h, ReadSource::kRowMissed, 1, 0, steps)), "");
  EXPECT_NE(said(h, left_none(h, ReadSource::kRowMissed, 1, 0, steps, kSi)), "");
  EXPECT_NE(said(h, left_none(h, ReadSource::kRowMissed, 1, 0, steps, Level::kPrefix)), "");
}

TEST(PredicateSteps, AnUpdateThatFoundWhatWasNeverThere) {
  const History h = native(R"j({"session":1,"ops":[["w","x",{"c":1}]]}
{"session":2,"ops":[["update","c = 2",[["x",{"c":3}]]]]})j");
  for (const Level level : {kSer, kSi, Level::kPrefix, kRr}) {
    EXPECT_EQ(said(h, left_none(h, ReadSource::kRowExtra, 1, 0, {}, level)), "") << info(level).name;
  }
  EXPECT_NE(said(h, left_none(h, ReadSource::kRowMissed, 1, 0, {})), "");
  const History unknown = native(R"j({"session":1,"status":"unknown","ops":[["w","x",{"c":2}]]}
{"session":2,"ops":[["update","c = 2",[["x",{"c":3}]]]]})j");
  EXPECT_NE(said(unknown, left_none(unknown, ReadSource::kRowExtra, 1, 0, {})), "") << "it may have committed";
}

TEST(PredicateSteps, WhatTheTransactionReadItselfIsItsState) {
  const History h = native(R"j({"session":1,"ops":[["w","x",{"c":1}]]}
{"session":2,"ops":[["scan","c = 1",[]],["r","x",{"c":1}]]}
{"session":3,"ops":[["w","x",{"c":2}]]})j");
  const Verdict v = left_none(h, ReadSource::kRowMissed, 1, 0, {wr(h, 0, 1, "x", 1)});
  EXPECT_EQ(said(h, v), "");
  EXPECT_NE(said(h, left_none(h, ReadSource::kRowMissed, 1, 0, {wr(h, 0, 1, "x", 1)}, kRr)), "");
  const History other = native(R"j({"session":1,"ops":[["w","x",{"c":1}]]}
{"session":2,"ops":[["scan","c = 1",[]],["r","x",{"c":2}]]}
{"session":3,"ops":[["w","x",{"c":2}]]})j");
  EXPECT_NE(said(other, left_none(other, ReadSource::kRowMissed, 1, 0, {wr(other, 2, 1, "x", 1)})), "");
}

TEST(PredicateSteps, WhatComesAfterItsOwnVersionWasNotLookedAt) {
  // x: 1 (T0), 5 (T1), 2 (T2): T1 overwrote 1, so it should have found it.
  const auto history = [](std::string_view order) {
    return native(R"j({"session":1,"ops":[["w","x",{"c":1}]]}
{"session":2,"ops":[["scan","c = 1",[]],["w","x",{"c":5}]]}
{"session":3,"ops":[["w","x",{"c":2}]]}
{"version_order_by_txn":{"x":)j" +
                  std::string(order) + "}}");
  };
  const auto says = [](const History& h, Level level) {
    Step ww{StepType::kWw, TxnId{0}, TxnId{1}, key_of(h, "x"), kNoOp, kNoOp};
    return said(h, left_none(h, ReadSource::kRowMissed, 1, 0, {ww}, level));
  };
  EXPECT_EQ(says(history("[0,1,2]"), kSer), "");
  EXPECT_EQ(says(history("[0,1,2]"), kSi), "");
  EXPECT_NE(says(history("[0,1,2]"), Level::kPrefix), "") << "there writers may overlap";
  EXPECT_NE(says(history("[0,1,2]"), kRr), "");
  EXPECT_NE(says(history("[0,2,1]"), kSer), "") << "it overwrote 2";
}

}  // namespace predicate_steps_test
}  // namespace isolde
