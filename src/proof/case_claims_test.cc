// Refutations by cases, made by hand: the proof accepts those that hold and refuses each once it is made wrong.
#include "proof/case_claims.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/rng.h"
#include "proof/prove.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace case_claims_test {

constexpr Level kSi = Level::kSnapshotIsolation;
constexpr Level kSer = Level::kSerializable;
constexpr TxnId T1{0}, T2{1}, T3{2}, T4{3}, T5{4}, T6{5};

class Refutation {
 public:
  Refutation(std::string_view text, Level level) : history(hist(text)) {
    verdict.outcome = Outcome::kViolated;
    verdict.level = level;
    verdict.method = "solver";
    Anomaly a;
    a.kind = AnomalyKind::kNoOrder;
    for (std::uint32_t t = 0; t < history.txn_count(); ++t) a.transactions.push_back(TxnId{t});
    verdict.anomalies.push_back(std::move(a));
    verdict.count(AnomalyKind::kNoOrder);
  }
  [[nodiscard]] KeyId key(std::string_view name) const {
    for (std::uint32_t k = 0; k < history.key_count(); ++k) {
      if (history.key_text(KeyId{k}) == name) return KeyId{k};
    }
    return kNoKey;
  }
  // The first operation of `t` on the key that is a read, or that is none.
  [[nodiscard]] OpId op(TxnId t, std::string_view name, bool read) const {
    for (std::uint32_t i = history.first_op(t); i < history.end_op(t); ++i) {
      if (history.op(i).key() == key(name) && (history.op(i).kind() == OpKind::kRead) == read) return OpId{i};
    }
    return kNoOp;
  }
  [[nodiscard]] Step ww(TxnId a, TxnId b, std::string_view k, Ground ground = Ground::kAssumed) const {
    return {StepType::kWw, a, b, key(k), op(a, k, false), op(b, k, false), ground};
  }
  [[nodiscard]] Step wr(TxnId a, TxnId b, std::string_view k, Ground ground = Ground::kReads) const {
    return {StepType::kWr, a, b, key(k), op(a, k, false), op(b, k, true), ground};
  }
  [[nodiscard]] Step rw(TxnId a, TxnId b, std::string_view k, Ground ground = Ground::kReads,
                        TxnId source = kNoTxn) const {
    return {StepType::kRw, a, b, key(k), op(a, k, true), op(b, k, false), ground, source};
  }
  void add(std::vector<Step> steps) { verdict.anomalies[0].cases.push_back({std::move(steps)}); }
  // What the proof says to it after the change; "" if it believes it.
  [[nodiscard]] std::string after(const std::function<void(Anomaly&)>& change) const {
    Verdict changed = verdict;
    change(changed.anomalies[0]);
    return says(changed);
  }
  [[nodiscard]] std::string at(Level level) const {
    Verdict changed = verdict;
    changed.level = level;
    return says(changed);
  }
  [[nodiscard]] std::string says() const { return says(verdict); }
  [[nodiscard]] std::string says(const Verdict& v) const {
    const auto proof = prove(history, v);
    return proof ? "" : proof.error().message();
  }
  [[nodiscard]] Step session(TxnId a, TxnId b) const { return {StepType::kSession, a, b}; }

  History history;
  Verdict verdict;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// The example of the anomaly table: whichever of T1 and T2 wrote x first.
Refutation table_example(Level level = kSer) {
  Refutation r("T1: r a_ w x1 | T2: r b_ w x2 | T3: w a1 w b1 | T4: r b1 r x1 | T5: r a1 r x2", level);
  r.add({r.rw(T4, T2, "x", Ground::kAssumed, T1), r.rw(T2, T3, "b"), r.wr(T3, T4, "b")});
  r.add({r.rw(T5, T1, "x", Ground::kAssumed, T2), r.rw(T1, T3, "a"), r.wr(T3, T5, "a")});
  return r;
}

TEST(CaseClaims, TwoCasesThatLeaveNoOrderAreProved) {
  const Refutation r = table_example();
  EXPECT_EQ(r.says(), "");
  EXPECT_EQ(r.at(Level::kRepeatableRead), "");
  EXPECT_EQ(r.at(Level::kStrictSerializable), "");
}

TEST(CaseClaims, TheLevelMustForbidTheCycles) {
  const Refutation r = table_example();
  for (const Level level : {Level::kSnapshotIsolation, Level::kStrongSnapshotIsolation, Level::kPrefix}) {
    EXPECT_TRUE(has(r.at(level), "adjacent")) << r.at(level);
  }
  for (const Level level :
       {Level::kReadUncommitted, Level::kReadCommitted, Level::kReadAtomic, Level::kCausal, Level::kCursorStability,
        Level::kMonotonicAtomicView, Level::kStrongSessionMonotonicAtomicView}) {
    EXPECT_TRUE(has(r.at(level), "does not ask for an order")) << r.at(level);
  }
}

TEST(CaseClaims, ACaseThatIsDroppedLeavesAWayToChoose) {
  const Refutation r = table_example();
  EXPECT_TRUE(has(r.after([](Anomaly& a) { a.cases.pop_back(); }), "leave a way to choose"));
  EXPECT_TRUE(has(r.after([](Anomaly& a) { a.cases.erase(a.cases.begin()); }), "leave a way to choose"));
  EXPECT_TRUE(has(r.after([](Anomaly& a) { a.cases[1] = a.cases[0]; }), "leave a way to choose"));
  EXPECT_TRUE(has(r.after([](Anomaly& a) { a.cases.clear(); }), "no cases"));
}

TEST(CaseClaims, AStepThatDoesNotFollowIsRefused) {
  const Refutation r = table_example();
  const auto first = [&](auto&& change) { return r.after([&](Anomaly& a) { change(a.cases[0].steps); }); };
  EXPECT_TRUE(has(first([](auto& s) { s[0].source = kNoTxn; }), "cannot have read")) << "x was not 1 at first";
  EXPECT_TRUE(has(first([](auto& s) { s[0].source = T2; }), "overwritten by the one that wrote it"));
  EXPECT_TRUE(has(first([](auto& s) { s[0].source = T3; }), "cannot have read"));
  EXPECT_TRUE(has(first([](auto& s) { s[0].ground = Ground::kReads; }), "nothing shows"));
  EXPECT_TRUE(has(first([](auto& s) { s[0].ground = Ground::kUpdate; }), "nothing shows"));
  EXPECT_TRUE(has(first([](auto& s) { s[1].source = T1; }), "did not read from the one"));
  EXPECT_NE(first([](auto& s) { s[1].key = s[0].key; }), "") << "T2 did not read x";
  EXPECT_NE(first([](auto& s) { s[2].type = StepType::kWw; }), "");
  EXPECT_NE(first([](auto& s) { s[2].type = StepType::kSession; }), "");
  EXPECT_NE(first([](auto& s) { s[2].type = StepType::kProgram; }), "");
  EXPECT_NE(first([](auto& s) { s[2].to_op = s[0].from_op; }), "") << "the read of x";
  EXPECT_NE(first([](auto& s) { s.pop_back(); }), "");
  EXPECT_NE(first([](auto& s) { std::swap(s[0], s[1]); }), "");
  EXPECT_NE(first([](auto& s) { s.clear(); }), "");
  EXPECT_NE(first([](auto& s) { s[0].to = T3; }), "");
  EXPECT_NE(first([](auto& s) { s[1].ground = Ground::kAssumed, s[1].source = T1; }), "");
  EXPECT_NE(r.after([](Anomaly& a) { a.steps = a.cases[0].steps; }), "") << "steps stand in cases";
  EXPECT_NE(r.after([](Anomaly& a) { a.source = ReadSource::kInitial; }), "");
}

TEST(CaseClaims, AChoiceIsAboutTwoWritersOfOneKey) {
  Refutation r("T1: w x1 r y_ | T2: w y1 r x_ | T3: w x2", kSer);
  r.add({r.ww(T1, T2, "x"), r.rw(T2, T1, "x")});
  r.add({r.ww(T2, T1, "x"), r.rw(T1, T2, "y")});
  EXPECT_TRUE(has(r.says(), "do not both write the key")) << r.says();
}

TEST(CaseClaims, ACaseWithoutChoicesIsACycle) {
  Refutation r("T1: r x_ w y1 | T2: r y_ w x1", kSer);
  r.add({r.rw(T1, T2, "x"), r.rw(T2, T1, "y")});
  EXPECT_EQ(r.says(), "");
  EXPECT_NE(r.at(kSi), "");
}

TEST(CaseClaims, OneChoiceSpeaksOfAllKeysOfThePair) {
  // T3 and T4 saw opposite halves of T1 and T2.
  Refutation r("T1: w x1 w y1 | T2: w x2 w y2 | T3: r x1 | T4: r y2 | T5: r x2 w z1 | T6: r y1 w z2", kSer);
  r.add({r.ww(T1, T2, "x"), r.ww(T2, T1, "y")});
  EXPECT_NE(r.says(), "") << "that is no order, so it excludes nothing";
}

// Both updated the first state of x, or overwrote it unseen: snapshot isolation lets no two writers of a key overlap.
TEST(CaseClaims, SnapshotIsolationLetsWritersOfAKeyNotOverlap) {
  Refutation r("T1: r x_ w x1 | T2: r x_ w x2", kSi);
  r.add({r.ww(T1, T2, "x"), r.rw(T2, T1, "x")});
  r.add({r.ww(T2, T1, "x"), r.rw(T1, T2, "x")});
  EXPECT_EQ(r.says(), "");
  EXPECT_EQ(r.at(kSer), "");
  EXPECT_TRUE(has(r.at(Level::kPrefix), "follows an overwrite")) << r.at(Level::kPrefix);
}

// A long fork whose halves are tied together by writes that nobody saw the order of.
TEST(CaseClaims, SnapshotIsolationByCases) {
  const char* const text = "T1: w x1 w a1 | T2: w x2 w b1 | T3: r x1 r b1 | T4: r x2 r a1";
  for (const Level level : {kSi, kSer, Level::kPrefix}) {
    Refutation r(text, level);
    r.add({r.rw(T3, T2, "x", Ground::kAssumed, T1), r.wr(T2, T3, "b")});
    r.add({r.rw(T4, T1, "x", Ground::kAssumed, T2), r.wr(T1, T4, "a")});
    EXPECT_EQ(r.says(), "") << info(level).name;
    EXPECT_NE(r.after([](Anomaly& a) { a.cases.pop_back(); }), "");
  }
}

TEST(CaseClaims, AReadMayComeFromEachThatLeftItsValue) {
  // x was 1 by T1 or by T2; T3 saw it and missed y of the one, z of the other.
  Refutation r("T1: w x1 w y1 | T2: w x1 w z1 | T3: r x1 r y_ r z_", kSer);
  r.add({r.wr(T1, T3, "x", Ground::kAssumed), r.rw(T3, T1, "y")});
  r.add({r.wr(T2, T3, "x", Ground::kAssumed), r.rw(T3, T2, "z")});
  EXPECT_EQ(r.says(), "");
  EXPECT_EQ(r.at(kSi), "");
  EXPECT_EQ(r.at(Level::kPrefix), "");
  EXPECT_TRUE(has(r.after([](Anomaly& a) { a.cases.pop_back(); }), "leave a way to choose"));
  EXPECT_TRUE(has(r.after([](Anomaly& a) { a.cases[0].steps[0].ground = Ground::kReads; }), "did not read from"))
      << "nothing tells which of the two";
}

TEST(CaseClaims, AllWhoMayHaveLeftAValueAreAsked) {
  const auto refute = [](const char* text) {
    Refutation r(text, kSer);
    r.add({r.wr(T1, T3, "x", Ground::kAssumed), r.rw(T3, T1, "y")});
    r.add({r.wr(T2, T3, "x", Ground::kAssumed), r.rw(T3, T2, "z")});
    return r.says();
  };
  EXPECT_EQ(refute("T1: w x1 w y1 | T2: w x1 w z1 | T3: r x1 r y_ r z_ | T4: w x2"), "");
  EXPECT_EQ(refute("T1: w x1 w y1 | T2: w x1 w z1 | T3: r x1 r y_ r z_ | T4!: w x1"), "") << "aborted";
  EXPECT_EQ(refute("T1: w x1 w y1 | T2: w x1 w z1 | T3: r x1 r y_ r z_ | T4: w x1 w x2"), "")
      << "overwritten by itself";
  EXPECT_EQ(refute("T1: w x1 w y1 | T2: w x1 w z1 | T3: r x1 r y_ r z_ w x1"), "") << "its own";
  EXPECT_NE(refute("T1: w x1 w y1 | T2: w x1 w z1 | T3: r x1 r y_ r z_ | T4: w x1"), "");
  EXPECT_NE(refute("T1: w x1 w y1 | T2: w x1 w z1 | T3: r x1 r y_ r z_ | T4?: w x1"), "") << "may have committed";
  EXPECT_NE(refute("init: x1 | T1: w x1 w y1 | T2: w x1 w z1 | T3: r x1 r y_ r z_"), "") << "the initial state";
  EXPECT_NE(refute("T1: w x1 w x2 w y1 | T2: w x1 w z1 | T3: r x1 r y_ r z_"), "") << "T1 left 2";
}

TEST(CaseClaims, TheInitialStateIsAPossibleWriter) {
  Refutation r("init: x0 | T1: w x0 w y1 | T2: w x1 w z1 | T3: r x0 r y_ r z1", kSer);
  // From T1: but it missed y of T1. From the initial state: but it saw T2, which had overwritten that.
  r.add({r.wr(T1, T3, "x", Ground::kAssumed), r.rw(T3, T1, "y")});
  r.add({r.rw(T3, T2, "x", Ground::kAssumed, kNoTxn), r.wr(T2, T3, "z")});
  EXPECT_EQ(r.says(), "");
  EXPECT_EQ(r.at(kSi), "");
  EXPECT_NE(r.after([](Anomaly& a) { a.cases[1].steps[0].ground = Ground::kReads; }), "") << "it may come from T1";
  EXPECT_NE(r.after([](Anomaly& a) { a.cases.pop_back(); }), "");
}

// A read from T1 or T2, and if from T1, the order of T1 and T4: choices of both kinds in one case.
TEST(CaseClaims, ChoicesOfBothKindsInOneCase) {
  Refutation r("T1: w x1 | T2: w x1 w z1 | T3: r x1 r z_ r b1 | T4: w x2 w b1 r a1 | T5: r x2 | T6: w a1 r x_", kSer);
  r.add({r.wr(T2, T3, "x", Ground::kAssumed), r.rw(T3, T2, "z")});
  r.add({r.rw(T3, T4, "x", Ground::kAssumed, T1), r.wr(T4, T3, "b")});
  EXPECT_TRUE(has(r.says(), "leave a way to choose")) << "T4 may come before T1";
  r.add({r.ww(T4, T1, "x"), r.ww(T1, T4, "x")});
  EXPECT_TRUE(has(r.says(), "leave a way to choose")) << "which says nothing";
}

TEST(CaseClaims, AnUnknownWriterCountsWhereItWasReadFrom) {
  // T2 committed if T3 read from it, and then T3 comes before and after it.
  Refutation r("T1: w x1 w y1 | T2?: w x1 w z1 | T3: r x1 r y_ r z_", kSer);
  r.add({r.wr(T1, T3, "x", Ground::kAssumed), r.rw(T3, T1, "y")});
  r.add({r.wr(T2, T3, "x", Ground::kAssumed), r.rw(T3, T2, "z", Ground::kAssumed)});
  EXPECT_EQ(r.says(), "");
  EXPECT_NE(r.after([](Anomaly& a) { a.cases.erase(a.cases.begin()); }), "");
  // Without such a read it may not have committed.
  Refutation lost("T1: w x1 r y_ | T2?: w y1 r x_", kSer);
  lost.add({lost.rw(T1, T2, "y", Ground::kAssumed), lost.rw(T2, T1, "x", Ground::kAssumed)});
  EXPECT_TRUE(has(lost.says(), "leave a way to choose")) << lost.says();
  Refutation aborted("T1: w x1 r y_ | T2!: w y1 r x_", kSer);
  aborted.add({aborted.rw(T1, T2, "y", Ground::kAssumed), aborted.rw(T2, T1, "x", Ground::kAssumed)});
  EXPECT_TRUE(has(aborted.says(), "does not count as committed")) << aborted.says();
}

// T3 read from T2, if not from T1; T2, if it committed, closes a cycle that T3 is not in.
TEST(CaseClaims, WhetherAnUnknownTransactionCommittedIsAChoice) {
  Refutation r("T1: w x1 w y1 | T2?: w x1 w a1 r b_ | T3: r x1 r y_ | T4: w b1 r a_", kSer);
  r.add({r.wr(T1, T3, "x", Ground::kAssumed), r.rw(T3, T1, "y")});
  r.add({r.rw(T2, T4, "b", Ground::kAssumed), r.rw(T4, T2, "a", Ground::kAssumed)});
  EXPECT_EQ(r.says(), "");
  EXPECT_TRUE(has(r.after([](Anomaly& a) { a.cases.pop_back(); }), "leave a way to choose"));
  EXPECT_TRUE(has(r.after([](Anomaly& a) { a.cases.erase(a.cases.begin()); }), "leave a way to choose"));
}

TEST(CaseClaims, SessionsOnlyWhereTheLevelHasThem) {
  Refutation r("T1@s: w x1 | T2@s: r x_", Level::kStrongSessionSerializable);
  r.add({r.session(T1, T2), r.rw(T2, T1, "x")});
  EXPECT_EQ(r.says(), "");
  EXPECT_EQ(r.at(Level::kStrongSessionSnapshotIsolation), "");
  EXPECT_EQ(r.at(Level::kPrefix), "");
  EXPECT_NE(r.at(kSer), "");
  EXPECT_NE(r.at(kSi), "");
  EXPECT_NE(r.at(Level::kRepeatableRead), "");
  EXPECT_NE(r.after([](Anomaly& a) { a.cases[0].steps[0].ground = Ground::kAssumed; }), "") << "no choice";
}

TEST(CaseClaims, AnOverwriteAtPrefixLeadsToTheCommit) {
  // T2 overwrote T1 and yet did not see it: prefix allows that.
  Refutation r("T1: w x1 w y1 | T2: w x2 r y_", Level::kPrefix);
  r.add({r.ww(T1, T2, "x"), r.rw(T2, T1, "y")});
  r.add({r.ww(T2, T1, "x"), r.ww(T1, T2, "x")});
  EXPECT_TRUE(has(r.says(), "follows an overwrite")) << r.says();
}

TEST(CaseClaims, ListsAndSumsAreNotToldByValue) {
  Refutation list("T1: a x1 w y1 | T2: a x1 w z1 | T3: r x[1] r y_ r z_", kSer);
  list.add({list.wr(T1, T3, "x", Ground::kAssumed), list.rw(T3, T1, "y")});
  list.add({list.wr(T2, T3, "x", Ground::kAssumed), list.rw(T3, T2, "z")});
  EXPECT_NE(list.says(), "");
  Refutation sum("T1: i x+1 w y1 | T2: i x+2 w z1 | T3: r x1 r y_ r z_", kSer);
  sum.add({sum.wr(T1, T3, "x", Ground::kAssumed), sum.rw(T3, T1, "y")});
  EXPECT_NE(sum.says(), "");
  sum.verdict.anomalies[0].cases[0].steps[0].ground = Ground::kReads;
  EXPECT_NE(sum.says(), "");
}

TEST(CaseClaims, AssumedStepsAndCasesAreOfThisAnomalyAlone) {
  Refutation r("T1: r x_ w y1 | T2: r y_ w x1", kSer);
  Anomaly& a = r.verdict.anomalies[0];
  a.kind = AnomalyKind::kG2Item;
  a.steps = {r.rw(T1, T2, "x"), r.rw(T2, T1, "y")};
  EXPECT_EQ(r.says(), "");
  EXPECT_NE(r.after([](Anomaly& b) { b.steps[0].ground = Ground::kAssumed; }), "");
  EXPECT_NE(r.after([](Anomaly& b) { b.cases.push_back({b.steps}); }), "");
  EXPECT_NE(r.after([](Anomaly& b) { b.kind = AnomalyKind::kNoOrder; }), "");
  for (const Given given : {Given::kTimestamps, Given::kExpectedOrder, Given::kProfile}) {
    Verdict v = table_example().verdict;
    v.given = given;
    EXPECT_NE(table_example().says(v), "") << static_cast<int>(given);
  }
}

TEST(CaseClaims, AnythingMayStandInAVerdict) {
  const Refutation good = table_example();
  const std::uint64_t count = effort::tries(10'000);
  Rng rng(effort::seed(7));
  for (std::uint64_t i = 0; i < count; ++i) {
    Verdict v = good.verdict;
    Anomaly& a = v.anomalies[0];
    for (std::uint64_t changes = 1 + rng.below(3); changes > 0; --changes) {
      auto& steps = a.cases[rng.below(a.cases.size())].steps;
      Step& s = steps[rng.below(steps.size())];
      const auto number = static_cast<std::uint32_t>(rng.below(4) == 0 ? kNone32 - rng.below(3) : rng.below(12));
      switch (rng.below(9)) {
        case 0:
          s.type = static_cast<StepType>(rng.below(10));
          break;
        case 1:
          s.from = TxnId{number};
          break;
        case 2:
          s.to = TxnId{number};
          break;
        case 3:
          s.key = KeyId{number};
          break;
        case 4:
          s.from_op = OpId{number};
          break;
        case 5:
          s.to_op = OpId{number};
          break;
        case 6:
          s.ground = static_cast<Ground>(rng.below(10));
          break;
        case 7:
          s.source = TxnId{number};
          break;
        default:
          v.level = static_cast<Level>(rng.below(kLevelCount));
          break;
      }
    }
    (void)good.says(v);
  }
}

}  // namespace case_claims_test
}  // namespace isolde
