// Predicate operations against profiles: each rule by its smallest streams, forced, and just not forced.
#include "check/mirror/predicate_looks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "check/mirror/mirror.h"
#include "check/mirror/mirror_testing.h"
#include "tests/support/native_history.h"
#include "tests/support/online_steps.h"

namespace isolde::mirror {
namespace looks_test {

struct Outcome {
  std::string kinds;  // in order
  std::uint64_t unchecked = 0;
  std::string text;
  std::uint64_t bytes = 0;
};

const Profile& named(std::string_view name) { return *profile_named(name); }

// Lines that stand in order of begin; `restarts`: the state is saved and loaded before each of them.
Outcome run(const Profile& profile, std::string_view lines, bool restarts = false, std::size_t memory = 512 << 20) {
  const auto chunk = std::make_shared<const Chunk>(native(lines));
  Told sink;
  MirrorOptions options;
  options.profile = profile;
  options.memory_limit = memory;
  auto engine = make_mirror(options, sink);
  engine->begin(*chunk);
  for (std::uint32_t t = 0; t < chunk->history.txn_count(); ++t) {
    engine->advance({.now = 0, .watermark = chunk->history.begin(TxnId{t}), .complete = true});
    if (restarts) {
      StateWriter out;
      engine->save(out);
      StateReader in(out.bytes());
      engine = make_mirror(options, sink);
      EXPECT_TRUE(engine->load(in));
      EXPECT_TRUE(in.at_end());
    }
    engine->take({chunk, TxnId{t}, false});
  }
  engine->finish();
  Outcome out;
  out.text = sink.text();
  for (const OnlineViolation& v : sink.violations) {
    out.kinds += (out.kinds.empty() ? "" : " ") + full_name(v.kind, v.variant);
    EXPECT_EQ(steps_fault(chunk->history, v), "") << v.text;
  }
  out.unchecked = engine->counts().unchecked;
  out.bytes = engine->counts().bytes;
  return out;
}

std::string told(std::string_view profile, const std::string& lines) {
  const Outcome once = run(named(profile), lines);
  EXPECT_EQ(run(named(profile), lines, true).kinds, once.kinds) << "after restarts";
  return once.kinds;
}

// One row, committed at 10 at the latest.
constexpr const char* kRow = R"j({"id":1,"session":1,"begin":0,"end":10,"ops":[["w","x",{"a":5},{"at":[1,2]}]]})j"
                             "\n";

std::string reader(const std::string& op) {
  return R"j({"id":2,"session":2,"begin":20,"end":30,"ops":[)j" + op + "]}\n";
}

TEST(MirrorLooks, AScanThatMissesARow) {
  const std::string missed = reader(R"j(["scan","a > 3",[],{"at":[21,22]}])j");
  for (const char* profile : {"postgres:read-committed", "postgres:repeatable-read", "postgres:serializable",
                              "mariadb:read-committed", "mariadb:repeatable-read", "mariadb:serializable",
                              "sqlite:serializable", "strict-serializable", "sqlserver:read-committed"}) {
    EXPECT_EQ(told(profile, kRow + missed), "result-set-mismatch") << profile;
    EXPECT_EQ(told(profile, kRow + reader(R"j(["scan","a > 5",[],{"at":[21,22]}])j")), "") << profile;
    EXPECT_EQ(told(profile, kRow + reader(R"j(["scan","a > 3",[["x",{"a":5}]],{"at":[21,22]}])j")), "") << profile;
  }
  const Outcome told = run(named("postgres:read-committed"), kRow + missed);
  EXPECT_NE(
      told.text.find("the scan `a > 3` missed it; the only version that it can have seen within [21, 22] matches"),
      std::string::npos)
      << told.text;
  // Anything that was ever written may be read there, and by no clock whatever was committed.
  for (const char* profile : {"read-uncommitted", "serializable"}) {
    const Outcome open = run(named(profile), kRow + missed);
    EXPECT_EQ(open.kinds, "") << profile;
    EXPECT_EQ(open.unchecked, 1U) << profile;
  }
}

TEST(MirrorLooks, ARowThatMayNotHaveBeenThereYetIsNotMissed) {
  EXPECT_EQ(told("postgres:read-committed",
                 kRow + std::string(
                            R"j({"id":2,"session":2,"begin":5,"end":30,"ops":[["scan","a > 3",[],{"at":[8,12]}]]})j")),
            "");
  // Two versions overlap with the scan, and both match.
  const std::string both =
      kRow + std::string(R"j({"id":2,"session":2,"begin":18,"end":30,"ops":[["scan","a > 3",[],{"at":[21,25]}]]}
{"id":3,"session":3,"begin":20,"end":24,"ops":[["w","x",{"a":6},{"at":[21,22]}]]}
)j");
  EXPECT_EQ(told("postgres:read-committed", both), "result-set-mismatch");
  // A scan that reads what is latest, row by row, may miss one that moves.
  EXPECT_EQ(told("sqlserver:read-committed", both), "");
  EXPECT_EQ(run(named("sqlserver:read-committed"), both).unchecked, 1U);
}

TEST(MirrorLooks, AReturnedRowThatDoesNotMatch) {
  for (const Profile& profile : profiles()) {
    EXPECT_EQ(run(profile, kRow + reader(R"j(["scan","a > 7",[["x",{"a":5}]],{"at":[21,22]}])j")).kinds,
              "result-set-mismatch")
        << profile.name;
  }
  EXPECT_EQ(told("postgres:read-committed", kRow + reader(R"j(["scan","key = 'y'",[["x",{"a":5}]],{"at":[21,22]}])j")),
            "result-set-mismatch");
  EXPECT_EQ(
      run(named("postgres:read-committed"), kRow + reader(R"j(["scan","a > 'b'",[["x",{"a":5}]],{"at":[21,22]}])j"))
          .unchecked,
      1U)
      << "a number and a text do not compare";
}

TEST(MirrorLooks, AWrongAggregate) {
  const auto count = [](const char* value) {
    return kRow + reader(std::string(R"j(["agg","count(*)","a > 3",)j") + value + R"j(,{"at":[21,22]}])j");
  };
  for (const char* profile : {"postgres:read-committed", "postgres:serializable", "mariadb:repeatable-read",
                              "mariadb:serializable", "sqlite:serializable"}) {
    EXPECT_EQ(told(profile, count("1")), "") << profile;
    EXPECT_EQ(told(profile, count("2")), "result-set-mismatch") << profile;
    EXPECT_EQ(told(profile, kRow + reader(R"j(["agg","sum(a)","TRUE",5,{"at":[21,22]}])j")), "") << profile;
    EXPECT_EQ(told(profile, kRow + reader(R"j(["agg","max(a)","TRUE",4,{"at":[21,22]}])j")), "result-set-mismatch");
  }
  // The other row may have been there, or not: one or two, but not three.
  const auto open = [](const char* value) {
    return std::string(kRow) + R"j({"id":2,"session":2,"begin":18,"end":30,"ops":[["agg","count(*)","a > 3",)j" +
           value +
           R"j(,{"at":[21,25]}]]}
{"id":3,"session":3,"begin":20,"end":24,"ops":[["w","y",{"a":6},{"at":[21,22]}]]}
)j";
  };
  EXPECT_EQ(told("postgres:read-committed", open("1")), "");
  EXPECT_EQ(told("postgres:read-committed", open("2")), "");
  EXPECT_EQ(told("postgres:read-committed", open("3")), "result-set-mismatch");
  EXPECT_EQ(told("postgres:read-committed", open("0")), "result-set-mismatch");
  EXPECT_EQ(run(named("postgres:read-committed"), open("1")).unchecked, 0U);
}

TEST(MirrorLooks, WhatAnAggregateCountedOrdersIt) {
  // It counted the row whose commit came after its other read's version was replaced.
  const std::string lines =
      R"j({"id":1,"session":1,"begin":0,"end":90,"ops":[["agg","count(*)","a > 3",1,{"at":[1,50]}],["r","y",0,{"at":[51,60]}]]}
{"id":2,"session":2,"begin":2,"end":20,"ops":[["w","y",7,{"at":[3,4]}]]}
{"id":3,"session":3,"begin":22,"end":40,"ops":[["w","x",{"a":5},{"at":[23,24]}]]}
)j";
  EXPECT_EQ(told("postgres:repeatable-read", R"j({"isolde":1,"initial":{"y":0}})j"
                                             "\n" +
                                                 lines),
            "result-set-mismatch");
}

TEST(MirrorLooks, AScanBindsTheSnapshotThatOtherReadsShare) {
  // The row is not there, so the snapshot came before 2; the value of y is newer.
  const std::string lines =
      R"j({"id":1,"session":1,"begin":0,"end":90,"ops":[["scan","a > 3",[],{"at":[1,50]}],["r","y",7,{"at":[51,60]}]]}
{"id":2,"session":2,"begin":2,"end":20,"ops":[["w","x",{"a":5},{"at":[3,4]}]]}
{"id":3,"session":3,"begin":22,"end":40,"ops":[["w","y",7,{"at":[23,24]}]]}
)j";
  EXPECT_EQ(told("postgres:repeatable-read", lines), "result-set-mismatch");
  EXPECT_EQ(told("mariadb:repeatable-read", lines), "") << "a snapshot that is gathered";
  EXPECT_EQ(told("postgres:read-committed", lines), "");
}

// Each looks for rows that match, finds none, and inserts one.
constexpr const char* kPhantoms =
    R"j({"id":1,"session":1,"begin":0,"end":20,"ops":[["scan","a > 3",[],{"at":[1,2]}],["w","x",{"a":5},{"at":[5,6]}]]}
{"id":2,"session":2,"begin":0,"end":20,"ops":[["scan","a > 3",[],{"at":[1,2]}],["w","y",{"a":6},{"at":[5,6]}]]}
)j";

TEST(MirrorLooks, PhantomsUnderSerializableProfiles) {
  for (const char* profile : {"postgres:serializable", "mariadb:serializable", "strict-serializable"}) {
    const bool timed = profile == std::string_view("strict-serializable");
    EXPECT_EQ(told(profile, kPhantoms), timed ? "G2-item" : "write-skew") << profile;
  }
  EXPECT_EQ(told("postgres:repeatable-read", kPhantoms), "");
  // By no clock, another version that does not match may still come, and each may have seen that.
  EXPECT_EQ(told("serializable", kPhantoms), "");
  EXPECT_EQ(run(named("serializable"), kPhantoms).unchecked, 2U);
  std::string later = kPhantoms;
  later.replace(later.find(R"j("a":6)j"), 5, R"j("a":2)j");
  for (const char* profile : {"postgres:serializable", "mariadb:serializable", "strict-serializable", "serializable"}) {
    EXPECT_EQ(told(profile, later), "") << profile << ": a row that does not match is no phantom";
  }
  // What was looked at is another when it commits.
  const std::string stale =
      R"j({"id":1,"session":1,"begin":0,"end":50,"ops":[["scan","a > 3",[],{"at":[1,2]}],["w","x",{"a":1},{"at":[45,46]}]]}
{"id":2,"session":2,"begin":10,"end":20,"ops":[["w","y",{"a":6},{"at":[15,16]}]]}
)j";
  EXPECT_EQ(told("sqlite:serializable", stale), "G2");
  EXPECT_EQ(told("postgres:serializable", stale), "");
}

TEST(MirrorLooks, CountsShowPhantomsToo) {
  const std::string lines =
      R"j({"id":1,"session":1,"begin":0,"end":20,"ops":[["agg","count(*)","a > 3",0,{"at":[1,2]}],["w","x",{"a":5},{"at":[5,6]}]]}
{"id":2,"session":2,"begin":0,"end":20,"ops":[["agg","count(*)","a > 3",0,{"at":[1,2]}],["w","y",{"a":6},{"at":[5,6]}]]}
)j";
  EXPECT_EQ(told("postgres:serializable", lines), "write-skew");
  EXPECT_EQ(told("mariadb:serializable", lines), "write-skew");
}

TEST(MirrorLooks, APredicateUpdateFindsWhatMatches) {
  const auto update = [](const char* rows) {
    return kRow + reader(std::string(R"j(["update","a > 3",)j") + rows + R"j(,{"at":[21,22]}])j");
  };
  for (const char* profile : {"postgres:read-committed", "postgres:repeatable-read", "mariadb:read-committed",
                              "mariadb:repeatable-read", "mariadb:serializable", "sqlite:serializable"}) {
    EXPECT_EQ(told(profile, update(R"j([["x",{"a":7}]])j")), "") << profile;
    EXPECT_EQ(told(profile, update("[]")), "result-set-mismatch") << profile;
    EXPECT_EQ(told(profile, kRow + reader(R"j(["update","a > 5",[["x",{"a":7}]],{"at":[21,22]}])j")),
              "result-set-mismatch")
        << profile;
  }
}

TEST(MirrorLooks, ATransactionsOwnRowsCount) {
  const auto own = [](const std::string& op) {
    return R"j({"id":1,"session":1,"begin":0,"end":10,"ops":[["w","x",{"a":5},{"at":[1,2]}],)j" + op + "]}\n";
  };
  EXPECT_EQ(told("postgres:read-committed", own(R"j(["scan","a > 3",[],{"at":[3,4]}])j")), "result-set-mismatch");
  EXPECT_EQ(told("postgres:read-committed", own(R"j(["scan","a > 3",[["x",{"a":5}]],{"at":[3,4]}])j")), "");
  EXPECT_EQ(told("postgres:read-committed", own(R"j(["agg","count(*)","a > 3",1,{"at":[3,4]}])j")), "");
  EXPECT_EQ(told("postgres:read-committed", own(R"j(["agg","count(*)","a > 3",0,{"at":[3,4]}])j")),
            "result-set-mismatch");
  EXPECT_EQ(told("postgres:read-committed", own(R"j(["update","a > 3",[],{"at":[3,4]}])j")), "result-set-mismatch");
  EXPECT_EQ(told("postgres:read-committed", own(R"j(["update","a > 7",[["x",{"a":8}]],{"at":[3,4]}])j")),
            "result-set-mismatch");
}

TEST(MirrorLooks, RowsThatWereThereAtFirst) {
  const std::string header = R"j({"isolde":1,"initial":{"x":{"a":5}}})j"
                             "\n";
  EXPECT_EQ(told("postgres:read-committed", header + reader(R"j(["scan","a > 3",[],{"at":[21,22]}])j")),
            "result-set-mismatch");
}

TEST(MirrorLooks, WhatCannotBeJudgedIsCounted) {
  // A value that nobody knows: a list that was appended to.
  const Outcome list =
      run(named("postgres:read-committed"),
          std::string(R"j({"id":1,"session":1,"begin":0,"end":10,"ops":[["append","x",5,{"at":[1,2]}]]})j") + "\n" +
              reader(R"j(["scan","value > 3",[],{"at":[21,22]}])j"));
  EXPECT_EQ(list.kinds, "");
  EXPECT_EQ(list.unchecked, 1U);
  // Outcomes that are not known: it may have been deleted.
  const Outcome unknown =
      run(named("postgres:read-committed"),
          std::string(kRow) +
              R"j({"id":3,"session":3,"begin":12,"end":14,"status":"unknown","ops":[["w","x",null,{"at":[13,14]}]]})j"
              "\n" +
              reader(R"j(["scan","a > 3",[],{"at":[21,22]}])j"));
  EXPECT_EQ(unknown.kinds, "");
}

TEST(MirrorLooks, WithASessionMissingNothingIsMoreThanSuspected) {
  const auto chunk = std::make_shared<const Chunk>(
      native(kRow + reader(R"j(["scan","a > 3",[],{"at":[21,22]}],["agg","count(*)","a > 3",0,{"at":[23,24]}])j")));
  Told sink;
  MirrorOptions options;
  options.profile = named("postgres:serializable");
  const auto engine = make_mirror(options, sink);
  for (std::uint32_t t = 0; t < 2; ++t) engine->take({chunk, TxnId{t}, false});
  engine->advance({.now = 0, .watermark = 100, .complete = false});
  EXPECT_TRUE(sink.violations.empty());
  EXPECT_EQ(sink.suspicions.size(), 2U);
}

// Many rows within little memory: some values are not held, and then nothing is said.
TEST(MirrorLooks, MemoryIsKeptAndWhatWasGivenUpIsCounted) {
  std::string lines;
  for (int t = 0; t < 3000; ++t) {
    const std::string row = fmt::format(R"j("k{}",{{"a":{},"b":"some text that needs room {}"}})j", t % 500, t, t);
    lines += fmt::format(R"j({{"id":{},"session":1,"begin":{},"end":{},"ops":[["w",{},{{"at":[{},{}]}}])j", t, t * 10,
                         t * 10 + 5, row, t * 10 + 1, t * 10 + 2);
    if (t % 10 == 9)
      lines += fmt::format(R"j(,["scan","a = {}",[[{}]],{{"at":[{},{}]}}])j", t, row, t * 10 + 3, t * 10 + 4);
    lines += "]}\n";
  }
  const Outcome enough = run(named("postgres:read-committed"), lines);
  EXPECT_EQ(enough.kinds, "");
  EXPECT_EQ(enough.unchecked, 0U);
  const Outcome little = run(named("postgres:read-committed"), lines, false, 256 << 10);
  EXPECT_EQ(little.kinds, "");
  EXPECT_GT(little.unchecked, 0U);
  const Outcome some = run(named("postgres:read-committed"), lines, false, 3 << 20);
  EXPECT_EQ(some.kinds, "");
  EXPECT_EQ(some.unchecked, 0U) << "only what keys hold is kept";
}

}  // namespace looks_test
}  // namespace isolde::mirror
