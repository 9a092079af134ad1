// A witness is believed only if every predicate operation fits the state that it gives.
#include "proof/predicate_replay.h"

#include <fmt/format.h>

#include <chrono>

#include "proof/predicate_testing.h"

namespace isolde {
namespace predicate_replay_test {

constexpr Level kSer = Level::kSerializable;
constexpr Level kRr = Level::kRepeatableRead;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// T0 inserts x with c=1 and y with c=5; T1 has the operation; T2 sets x to c=7.
History around(std::string_view op) {
  return native(fmt::format(R"j({{"session":1,"ops":[["w","x",{{"c":1}}],["w","y",{{"c":5}}]]}}
{{"session":2,"ops":[{}]}}
{{"session":3,"ops":[["w","x",{{"c":7}}]]}})j",
                            op));
}

TEST(PredicateReplay, AScanReturnsExactlyTheRowsThatMatch) {
  const History right = around(R"j(["scan","c > 2",[["y",{"c":5}]]])j");
  EXPECT_EQ(said_of_order(right, kSer, {0, 1, 2}), "");
  EXPECT_TRUE(contains(said_of_order(right, kSer, {0, 2, 1}), "lacks x")) << said_of_order(right, kSer, {0, 2, 1});
  EXPECT_NE(said_of_order(right, kSer, {1, 0, 2}), "") << "it cannot have read y yet";
  const History empty = around(R"j(["scan","c > 5",[]])j");
  EXPECT_EQ(said_of_order(empty, kSer, {0, 1, 2}), "");
  EXPECT_EQ(said_of_order(empty, kSer, {1, 0, 2}), "");
  EXPECT_NE(said_of_order(empty, kSer, {0, 2, 1}), "");
  const History extra = around(R"j(["scan","c > 5",[["y",{"c":5}]]])j");
  EXPECT_TRUE(contains(said_of_order(extra, kSer, {0, 1, 2}), "has y"));
}

TEST(PredicateReplay, AnUpdateChangesExactlyTheRowsThatMatch) {
  const History right = around(R"j(["update","c > 2",[["y",{"c":6}]]])j");
  EXPECT_EQ(said_of_order(right, kSer, {0, 1, 2}), "");
  EXPECT_NE(said_of_order(right, kSer, {0, 2, 1}), "");
  EXPECT_NE(said_of_order(right, kSer, {1, 0, 2}), "");
  const History removed = around(R"j(["update","c = 5",[["y",null]]],["scan","true",[["x",{"c":1}]]])j");
  EXPECT_EQ(said_of_order(removed, kSer, {0, 1, 2}), "") << "what it removed itself it does not find";
}

TEST(PredicateReplay, AnAggregateIsThatOfTheState) {
  const History right = around(R"j(["agg","sum(c)","true",6])j");
  EXPECT_EQ(said_of_order(right, kSer, {0, 1, 2}), "");
  EXPECT_NE(said_of_order(right, kSer, {0, 2, 1}), "");
  EXPECT_NE(said_of_order(right, kSer, {1, 0, 2}), "");
}

TEST(PredicateReplay, OwnWritesCount) {
  const History h = around(R"j(["w","z",{"c":3}],["scan","c = 3",[["z",{"c":3}]]],["agg","count(*)","c=3",1])j");
  EXPECT_EQ(said_of_order(h, kSer, {0, 1, 2}), "");
  const History missed = around(R"j(["w","z",{"c":3}],["scan","c = 3",[]])j");
  EXPECT_NE(said_of_order(missed, kSer, {0, 1, 2}), "");
  const History before = around(R"j(["scan","c = 3",[]],["w","z",{"c":3}])j");
  EXPECT_EQ(said_of_order(before, kSer, {0, 1, 2}), "");
}

TEST(PredicateReplay, APredicateLooksAtTheSnapshotOfPoints) {
  const History h = around(R"j(["scan","c > 2",[["y",{"c":5}]]])j");
  Verdict v;
  v.outcome = Outcome::kSatisfied;
  v.level = Level::kSnapshotIsolation;
  v.method = "graph";
  v.witness = {Witness::Kind::kPoints, {0, 1, 2, 4, 5, 3}};
  EXPECT_EQ(said(h, v), "") << "it starts before T2 commits";
  v.witness.events = {0, 1, 4, 5, 2, 3};
  EXPECT_NE(said(h, v), "");
  v.level = kRr;
  v.witness.events = {0, 1, 2, 4, 5, 3};
  EXPECT_NE(said(h, v), "") << "points are no order of repeatable-read";
}

TEST(PredicateReplay, WhatCannotBeEvaluatedIsNotBelieved) {
  for (const char* op : {R"j(["scan","c < 'a'",[]])j", R"j(["scan","1 / (c - c) = 1",[]])j",
                         R"j(["agg","sum(c / 0)","true",null])j", R"j(["scan","c ==== 1",[]])j"}) {
    EXPECT_TRUE(contains(said_of_order(around(op), kSer, {0, 1, 2}), "cannot be proved")) << op;
  }
  const auto list = [](std::string_view op) {
    return native(fmt::format(R"j({{"session":1,"ops":[["append","l",1]]}}
{{"session":2,"ops":[{}]}})j",
                              op));
  };
  const History by_value = list(R"j(["scan","value = 1",[]])j");
  EXPECT_TRUE(contains(said_of_order(by_value, kSer, {0, 1}), "cannot be proved"));
  EXPECT_EQ(said_of_order(by_value, kSer, {1, 0}), "") << "there is no list yet";
  EXPECT_EQ(said_of_order(list(R"j(["scan","c = 1",[]])j"), kSer, {0, 1}), "") << "a list has no column";
  EXPECT_NE(said_of_order(list(R"j(["scan","c is null",[]])j"), kSer, {0, 1}), "");
  EXPECT_EQ(said_of_order(list(R"j(["scan","c is null",[["l",[1]]]])j"), kSer, {0, 1}), "");
  EXPECT_NE(said_of_order(list(R"j(["agg","max(value)","true",1])j"), kSer, {0, 1}), "");
}

TEST(PredicateReplay, TheResultFollowsFromTheVersionSet) {
  EXPECT_EQ(said_of_order(around(R"j(["scan","c > 2",[["y",{"c":5}]],{"vset":{"x":{"c":1},"y":{"c":5}}}])j"), kSer,
                          {0, 1, 2}),
            "");
  for (const char* op : {
           R"j(["scan","c > 2",[],{"vset":{"x":{"c":1},"y":{"c":5}}}])j",
           R"j(["scan","c > 2",[["y",{"c":5}]],{"vset":{"x":{"c":1}}}])j",
           R"j(["scan","c > 2",[["y",{"c":5}]],{"vset":{"x":{"c":1},"y":{"c":6}}}])j",
           R"j(["scan","c > 2",[["y",{"c":5}]],{"vset":{"x":{"c":7},"y":{"c":5}}}])j",
           R"j(["agg","sum(c)","c > 2",6,{"vset":{"x":{"c":1},"y":{"c":5}}}])j",
           R"j(["agg","sum(c)","c > 2",8,{"vset":{"x":{"c":1},"y":{"c":8}}}])j",  // nobody wrote that
       }) {
    EXPECT_NE(said_of_order(around(op), kSer, {0, 1, 2}), "") << op;
  }
}

TEST(PredicateReplay, TheStateMayBeAnotherVersionOfTheSameMatches) {
  // x: absent, 1, 7; y: absent, 5.
  const History matches = around(R"j(["agg","max(c)","c > 0",5,{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  EXPECT_EQ(said_of_order(matches, kSer, {0, 1, 2}), "");
  EXPECT_EQ(said_of_order(matches, kSer, {0, 2, 1}), "") << "x matches with 1 and with 7";
  EXPECT_NE(said_of_order(matches, kSer, {1, 0, 2}), "") << "absent it does not";
  const History later = around(R"j(["agg","max(c)","c > 0",7,{"vset":{"x":{"c":7},"y":{"c":5}}}])j");
  EXPECT_EQ(said_of_order(later, kSer, {0, 1, 2}), "");
  const History changes = around(R"j(["agg","max(c)","c > 4",5,{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  EXPECT_EQ(said_of_order(changes, kSer, {0, 1, 2}), "");
  EXPECT_NE(said_of_order(changes, kSer, {0, 2, 1}), "");
  const History own = around(R"j(["w","x",{"c":2}],["agg","max(c)","c > 0",5,{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  EXPECT_NE(said_of_order(own, kSer, {0, 1, 2}), "") << "it wrote x itself";
}

TEST(PredicateReplay, AtRepeatableReadAnEarlierVersionWillDo) {
  const History h = around(R"j(["scan","c > 5",[]])j");
  EXPECT_EQ(said_of_order(h, kRr, {0, 2, 1}), "") << "x was absent, and 1";
  EXPECT_NE(said_of_order(h, kSer, {0, 2, 1}), "");
  const History update = around(R"j(["update","c = 1",[["x",{"c":2}]]])j");
  EXPECT_EQ(said_of_order(update, kRr, {0, 2, 1}), "");
  EXPECT_NE(said_of_order(update, kRr, {1, 0, 2}), "") << "no version up to it matches";
  const History own = native(R"j({"session":1,"ops":[["update","true",[["x",{"c":2}]]]]}
{"session":2,"ops":[["w","x",{"c":1}]]})j");
  EXPECT_EQ(said_of_order(own, kRr, {0, 1}), "") << "it looked at 1; that x is there rests on its own version";
  EXPECT_NE(said_of_order(own, kSer, {0, 1}), "");
  const History other = native(R"j({"session":1,"ops":[["update","c = 1",[["x",{"c":2}]]]]}
{"session":2,"ops":[["w","x",{"c":1}]]})j");
  EXPECT_NE(said_of_order(other, kRr, {0, 1}), "") << "that x has 1 rests on T1";
  const History vset = around(R"j(["update","c = 1",[["x",{"c":2}]],{"vset":{"x":{"c":1},"y":{"c":5}}}])j");
  EXPECT_EQ(said_of_order(vset, kRr, {0, 2, 1}), "");
  EXPECT_NE(said_of_order(vset, kRr, {1, 0, 2}), "");
  EXPECT_NE(said_of_order(vset, kSer, {0, 2, 1}), "");
  const History agg = around(R"j(["agg","sum(c)","true",6])j");
  EXPECT_EQ(said_of_order(agg, kRr, {0, 2, 1}), "") << "1 + 5";
  EXPECT_NE(said_of_order(agg, kRr, {1, 0, 2}), "");
  const History never = around(R"j(["agg","sum(c)","true",8])j");
  EXPECT_NE(said_of_order(never, kRr, {0, 2, 1}), "");
}

}  // namespace predicate_replay_test
}  // namespace isolde
