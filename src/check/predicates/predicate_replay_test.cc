#include "check/predicates/predicate_replay.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "tests/support/native_history.h"

namespace isolde {
namespace predicate_replay_test {

// "x missed {"c":1} by 0", "x extra …", "aggregate 7"; "open"; "" if all is explained.
std::string told(const History& h, const PredicateReplay& replay) {
  std::string out;
  for (const PredicateFinding& f : replay.findings) {
    if (!out.empty()) out += "; ";
    if (f.source == ReadSource::kWrongAggregate) {
      out += "aggregate " + f.expected_text;
    } else {
      out += fmt::format("{} {} {}", h.key_text(f.key), f.source == ReadSource::kRowMissed ? "missed" : "extra",
                         h.value_text(f.expected));
    }
    using Basis = PredicateFinding::Basis;
    if (f.basis == Basis::kItself) out += " itself";
    if (f.basis == Basis::kChangedSince) out += " changed since";
    if (f.basis == Basis::kChangedLater) out += " changed later";
    if (f.writer != kNoTxn) out += " by " + h.txn_text(f.writer);
  }
  EXPECT_EQ(replay.sure, replay.findings.size());
  if (!replay.undecided.empty()) out += out.empty() ? "open" : "; open";
  return out;
}

std::string serial(const History& h, std::initializer_list<std::uint32_t> order) {
  const PredicateSet set(h);
  EXPECT_EQ(set.defect(), "");
  return told(h, replay_predicates(h, set, order, EventForm::kSerial, {}));
}

// "A" inserts x with c=1 and y with c=5; "P" has the operations; "B" sets x to c=7.
History around(std::string_view ops) {
  return native(fmt::format(R"j({{"id":"A","session":1,"ops":[["w","x",{{"c":1}}],["w","y",{{"c":5}}]]}}
{{"id":"P","session":2,"ops":[{}]}}
{{"id":"B","session":3,"ops":[["w","x",{{"c":7}}]]}})j",
                            ops));
}
std::string at_its_place(std::string_view ops) { return serial(around(ops), {0, 1, 2}); }

TEST(PredicateReplay, AScanFindsTheRowsThatMatchAtItsPlace) {
  const History h = around(R"j(["scan","c > 2",[["y",{"c":5}]]])j");
  EXPECT_EQ(serial(h, {0, 1, 2}), "");
  EXPECT_EQ(serial(h, {0, 2, 1}), R"(x missed {"c":7} by B)");
  EXPECT_EQ(serial(around(R"j(["scan","c > 2",[]])j"), {1, 0, 2}), "");
}

TEST(PredicateReplay, ARowThatDoesNotMatchItsOwnConditionIsExtra) {
  EXPECT_EQ(at_its_place(R"j(["scan","c > 5",[["y",{"c":5}]]])j"), R"(y extra {"c":5} itself)");
}

TEST(PredicateReplay, ARowThatIsNotTheStatesIsAnItemRead) {
  EXPECT_EQ(at_its_place(R"j(["scan","c > 5",[["x",{"c":7}]]])j"), "");
}

TEST(PredicateReplay, NullsAndAbsentKeysMatchNothing) {
  EXPECT_EQ(at_its_place(R"j(["w","x",null],["scan","true",[["y",{"c":5}]]])j"), "");
  EXPECT_EQ(at_its_place(R"j(["w","x",null],["scan","c IS NULL",[]])j"), "");
  EXPECT_EQ(at_its_place(R"j(["w","x",{"c":null}],["scan","c < 9",[["y",{"c":5}]]])j"), "");
  EXPECT_EQ(at_its_place(R"j(["w","x",{"c":null}],["scan","c IS NULL",[]])j"), R"(x missed {"c":null} by P)");
}

TEST(PredicateReplay, OwnWritesCountFromWhereTheyStand) {
  EXPECT_EQ(at_its_place(R"j(["scan","c = 3",[]],["w","z",{"c":3}],["scan","c = 3",[["z",{"c":3}]]])j"), "");
  EXPECT_EQ(at_its_place(R"j(["w","z",{"c":3}],["scan","c = 3",[]])j"), R"(z missed {"c":3} by P)");
  EXPECT_EQ(at_its_place(R"j(["w","z",{"c":3}],["w","z",{"c":4}],["scan","c = 3",[]])j"), "");
}

TEST(PredicateReplay, OwnWritesAreGoneAfterTheStartOfASnapshot) {
  const History h = native(R"j({"id":"P","session":1,"ops":[["w","x",{"c":3}],["scan","c = 3",[["x",{"c":3}]]]]}
{"id":"Q","session":2,"ops":[["scan","c = 3",[]]]}
{"id":"R","session":3,"ops":[["scan","c = 3",[]]]})j");
  const PredicateSet set(h);
  const std::vector<std::uint32_t> events{0, 2, 3, 1, 4, 5};  // P starts, Q runs, P commits, R runs
  EXPECT_EQ(told(h, replay_predicates(h, set, events, EventForm::kPoints, {})), R"(x missed {"c":3} by P)");
}

TEST(PredicateReplay, AnUpdateIsEvaluatedNotBelieved) {
  const History h = around(R"j(["update","c > 2",[["y",{"c":6}]]],["scan","c = 6",[["y",{"c":6}]]])j");
  EXPECT_EQ(serial(h, {0, 1, 2}), "");
  EXPECT_EQ(serial(h, {0, 2, 1}), R"(x missed {"c":7} by B)");
  EXPECT_EQ(serial(h, {1, 0, 2}), R"(y extra null)");
  EXPECT_EQ(at_its_place(R"j(["update","c = 1",[["y",{"c":6}]]])j"), R"(x missed {"c":1} by A; y extra {"c":5} by A)");
  EXPECT_EQ(at_its_place(R"j(["update","c = 5",[["y",null]]],["scan","true",[["x",{"c":1}]]])j"), "");
}

TEST(PredicateReplay, AggregatesOfAllKinds) {
  EXPECT_EQ(at_its_place(R"j(["agg","count(*)","c > 0",2],["agg","sum(c)","true",6],["agg","min(c)","true",1])j"), "");
  EXPECT_EQ(at_its_place(R"j(["agg","max(c)","true",5],["agg","avg(c)","true",3.0],["agg","max(c)","c>9",null])j"), "");
  EXPECT_EQ(at_its_place(R"j(["agg","count(*)","c > 0",3],["agg","sum(c)","true",7],["agg","min(c)","true",null])j"),
            "aggregate 2; aggregate 6; aggregate 1");
  EXPECT_EQ(at_its_place(R"j(["agg","max(c)","true",6],["agg","avg(c)","true",2.5],["agg","max(c)","c>9",5])j"),
            "aggregate 5; aggregate 3; aggregate null");
  EXPECT_EQ(at_its_place(R"j(["w","z",{"c":null}],["agg","count(c)","true",3],["agg","count(*)","true",3])j"),
            "aggregate 2");
}

TEST(PredicateReplay, NothingRestsOnAFault) {
  EXPECT_EQ(at_its_place(R"j(["scan","c < 'a'",[]])j"), "open");
  EXPECT_EQ(at_its_place(R"j(["scan","1 / (c - 1) < 0",[]])j"), "open");
  EXPECT_EQ(at_its_place(R"j(["agg","sum(c / 0)","true",null])j"), "open");
  EXPECT_EQ(at_its_place(R"j(["scan","10 / (c - 1) = 2",[]])j"), R"(y missed {"c":5} by A; open)");
}

TEST(PredicateReplay, AListOrCounterHasNoRow) {
  const History h = native(R"j({"id":"A","session":1,"ops":[["append","l",1]]}
{"id":"P","session":2,"ops":[["scan","c = 1",[]]]}
{"id":"B","session":3,"ops":[["w","l",{"c":1}]]})j");
  EXPECT_EQ(serial(h, {0, 1, 2}), "open");
  EXPECT_EQ(serial(h, {1, 0, 2}), "");
  EXPECT_EQ(serial(h, {0, 2, 1}), R"(l missed {"c":1} by B)");
}

TEST(PredicateReplay, WhoIsNotAmongTheEventsIsLeftOut) {
  EXPECT_EQ(serial(around(R"j(["scan","c > 0",[]])j"), {1}), "");
  EXPECT_EQ(serial(around(R"j(["scan","c > 0",[]])j"), {2, 1}), R"(x missed {"c":7} by B)");
}

TEST(PredicateReplay, TheResultFollowsFromTheVersionSet) {
  EXPECT_EQ(at_its_place(R"j(["scan","c > 2",[["y",{"c":5}]],{"vset":{"x":{"c":1},"y":{"c":5}}}])j"), "");
  EXPECT_EQ(at_its_place(R"j(["scan","c > 2",[],{"vset":{"x":{"c":7}}}])j"),
            R"(x missed {"c":7} itself; y missed {"c":5} by A)");
  EXPECT_EQ(at_its_place(R"j(["scan","c > 2",[["y",{"c":5}]],{"vset":{"x":{"c":1}}}])j"), R"(y extra null itself)");
  EXPECT_EQ(at_its_place(R"j(["agg","sum(c)","c > 2",6,{"vset":{"x":{"c":1},"y":{"c":5}}}])j"), "aggregate 5 itself");
}

TEST(PredicateReplay, TheStateMayBeAnotherVersionOfTheSameMatches) {
  const History same = around(R"j(["agg","max(c)","c > 0",5,{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  EXPECT_EQ(serial(same, {0, 1, 2}), "");
  EXPECT_EQ(serial(same, {0, 2, 1}), "") << "x matches with 1 and with 7";
  EXPECT_EQ(serial(same, {1, 0, 2}), "open") << "it saw what was not there yet";
  const History later = around(R"j(["agg","max(c)","c > 0",7,{"vset":{"x":{"c":7},"y":{"c":5}}}])j");
  EXPECT_EQ(serial(later, {0, 1, 2}), "");
  const History changes = around(R"j(["agg","max(c)","c > 4",5,{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  EXPECT_EQ(serial(changes, {0, 1, 2}), "");
  EXPECT_EQ(serial(changes, {0, 2, 1}), R"(x missed {"c":7} changed since by B)");
}

TEST(PredicateReplay, AVersionOfAnotherRunWithTheSameMatchDoesNotDo) {
  const History h = native(R"j({"id":"A","session":1,"ops":[["w","x",{"c":1}]]}
{"id":"B","session":2,"ops":[["w","x",{"c":9}]]}
{"id":"C","session":3,"ops":[["w","x",{"c":2}]]}
{"id":"P","session":4,"ops":[["update","c > 5",[],{"vset":{"x":{"c":1}}}]]}
{"id":"Q","session":5,"ops":[["update","c > 5",[],{"vset":{"x":{"c":2}}}]]}
{"id":"R","session":6,"ops":[["update","c > 5",[],{"vset":{"x":{"c":3}}}]]})j");
  EXPECT_EQ(serial(h, {0, 3, 1, 2, 4}), "");
  EXPECT_EQ(serial(h, {3, 0, 1, 2}), "") << "absent and 1 match alike";
  EXPECT_EQ(serial(h, {0, 1, 2, 3}), R"(x missed {"c":9} changed since by B)");
  EXPECT_EQ(serial(h, {0, 4, 1, 2}), R"(x missed {"c":9} changed later by B)");
  EXPECT_EQ(serial(h, {0, 1, 2, 5}), "open") << "nobody wrote that version";
}

TEST(PredicateReplay, WhatIsNotSureIsCountedApart) {
  const History h = around(R"j(["scan","c > 0",[]],["agg","count(*)","true",9])j");
  const PredicateSet set(h);
  const auto replay =
      replay_predicates(h, set, std::initializer_list<std::uint32_t>{0, 1, 2}, EventForm::kSerial, {},
                        [&](const PredicateFinding& f) { return f.key != kNoKey && h.key_text(f.key) == "x"; });
  EXPECT_EQ(replay.sure, 1U);
  EXPECT_EQ(replay.open, 2U);
  EXPECT_FALSE(replay.explained());
}

TEST(PredicateReplay, AllAreCountedAndTheFirstKept) {
  Limits limits;
  limits.max_anomalies = 1;
  const History h = around(R"j(["scan","c > 0",[]],["agg","count(*)","true",9])j");
  const auto replay =
      replay_predicates(h, PredicateSet(h), std::initializer_list<std::uint32_t>{0, 1, 2}, EventForm::kSerial, limits);
  EXPECT_EQ(replay.sure, 3U);
  EXPECT_EQ(replay.findings.size(), 1U);
}

}  // namespace predicate_replay_test
}  // namespace isolde
