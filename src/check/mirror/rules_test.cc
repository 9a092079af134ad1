// Each rule of the mirror by its smallest histories: forced, and just not forced.
#include <gtest/gtest.h>

#include <string>

#include "check/mirror/mirror.h"
#include "check/mirror/mirror_testing.h"
#include "tests/support/native_history.h"
#include "tests/support/online_steps.h"

namespace isolde::mirror {
namespace rules_test {

Profile si() {
  Profile p;
  p.name = "si";
  p.reads = Reads::kTransaction;
  p.write_locks = p.first_updater_wins = true;
  return p;
}
Profile rc() {
  Profile p;
  p.name = "rc";
  p.reads = Reads::kStatement;
  p.write_locks = true;
  return p;
}

// The kinds of what is told, in order, for lines that stand in order of begin.
std::string told(const Profile& profile, std::string_view lines, bool complete = true, bool columns = false,
                 std::string* text = nullptr) {
  const auto chunk = std::make_shared<Chunk>(native(lines));
  chunk->columns = columns;
  Told sink;
  MirrorOptions options;
  options.profile = profile;
  const auto engine = make_mirror(options, sink);
  engine->begin(*chunk);
  for (std::uint32_t t = 0; t < chunk->history.txn_count(); ++t) {
    engine->advance({.now = 0, .watermark = chunk->history.begin(TxnId{t}), .complete = complete});
    engine->take({chunk, TxnId{t}, false});
  }
  engine->finish();
  std::string kinds;
  for (const auto* list : {&sink.violations, &sink.suspicions}) {
    for (const OnlineViolation& v : *list) {
      kinds += (kinds.empty() ? "" : " ") + full_name(v.kind, v.variant);
      EXPECT_EQ(steps_fault(chunk->history, v), "") << v.text;
    }
  }
  if (text != nullptr) *text = sink.text();
  if (!sink.suspicions.empty()) kinds = "suspected: " + kinds;
  return kinds;
}

TEST(MirrorRules, AReadOfWhatWasReplacedBeforeItBeganIsStale) {
  const char* const writer = R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["w","x",1,{"at":[5,10]}]]})"
                             "\n";
  EXPECT_EQ(told(si(), std::string(writer) +
                           R"({"id":2,"session":2,"begin":21,"end":30,"ops":[["r","x",null,{"at":[22,25]}]]})"),
            "GSIb");
  // The commit may have come after the snapshot, or at the same reading of the clock.
  EXPECT_EQ(told(si(), std::string(writer) +
                           R"({"id":2,"session":2,"begin":20,"end":30,"ops":[["r","x",null,{"at":[22,25]}]]})"),
            "");
}

// What a picture shows of the first violation.
std::string steps(const Profile& profile, std::string_view lines) {
  const auto chunk = std::make_shared<Chunk>(native(lines));
  Told sink;
  MirrorOptions options;
  options.profile = profile;
  const auto engine = make_mirror(options, sink);
  engine->begin(*chunk);
  for (std::uint32_t t = 0; t < chunk->history.txn_count(); ++t) engine->take({chunk, TxnId{t}, false});
  engine->finish();
  return sink.violations.empty() ? std::string() : steps_text(sink.violations.front());
}

TEST(MirrorRules, AViolationSaysWhoDependsOnWhom) {
  EXPECT_EQ(steps(si(), R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["w","x",1,{"at":[5,10]}]]}
{"id":2,"session":2,"begin":21,"end":30,"ops":[["r","x",null,{"at":[22,25]}]]})"),
            "2 -rw \"x\"-> 1, 1 -realtime-> 2");
  EXPECT_EQ(steps(si(), R"({"id":2,"session":2,"begin":0,"end":30,"ops":[["r","x",1,{"at":[2,9]}]]}
{"id":1,"session":1,"begin":1,"end":20,"ops":[["w","x",1,{"at":[5,10]}]]})"),
            "1 -wr \"x\"-> 2, 2 -realtime-> 1");
  Profile cycles;
  cycles.name = "cycles";
  cycles.reads = Reads::kTransaction;
  cycles.certifier = Certifier::kCycles;
  EXPECT_EQ(
      steps(cycles,
            R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["r","x",null,{"at":[1,2]}],["w","y",1,{"at":[3,4]}]]}
{"id":2,"session":2,"begin":0,"end":20,"ops":[["r","y",null,{"at":[1,2]}],["w","x",1,{"at":[3,4]}]]})"),
      "2 -rw \"y\"-> 1, 1 -rw \"x\"-> 2");
}

// Commits that begin at one reading of the clock say nothing of who was first; the snapshots may.
TEST(MirrorRules, OfTwoUpdatersOneCommittedBeforeTheOthersSnapshotAlsoWhereCommitsTie) {
  Profile updaters = si();
  updaters.write_locks = false;
  const auto lines = [](int answered) {
    return R"({"id":1,"session":1,"begin":0,"end":16,"commit":[12,16],"ops":[["w","x",1,{"at":[3,4]}]]}
{"id":2,"session":2,"begin":1,"end":15,"commit":[12,15],"ops":[["w","x",2,{"at":[2,)" +
           std::to_string(answered) + "]}]]}\n";
  };
  EXPECT_EQ(told(updaters, lines(6)), "lost-update");
  EXPECT_EQ(told(updaters, lines(6), false), "suspected: lost-update");
  EXPECT_EQ(told(updaters, lines(12)), "") << "the first may have committed before the second's snapshot";
}

// Where reads have no moment, a version that was sent after the read was answered is not what it saw, whether it
// arrives before the read is judged or after.
TEST(MirrorRules, WhatIsSentAfterAReadWasAnsweredDoesNotExplainIt) {
  const Profile& serializable = *profile_named("serializable");
  const std::string one = R"({"id":1,"session":1,"begin":0,"end":5,"ops":[["w","x",1,{"at":[1,2]}]]}
)";
  const std::string two =
      R"({"id":2,"session":2,"begin":6,"end":10,"ops":[["w","x",2,{"at":[6,7]}],["w","y",2,{"at":[8,9]}]]}
)";
  const auto reader = [](const std::string& value) {
    return R"({"id":3,"session":3,"begin":4,"end":30,"ops":[["r","x",)" + value +
           R"(,{"at":[21,22]}],["r","y",2,{"at":[23,24]}]]}
)";
  };
  const auto writer = [](int begin, const std::string& value) {
    return R"({"id":4,"session":4,"begin":)" + std::to_string(begin) + R"(,"end":60,"ops":[["w","x",)" + value +
           R"(,{"at":[)" + std::to_string(begin + 1) + "," + std::to_string(begin + 2) + "]}]]}\n";
  };
  // The version of x that it saw was replaced by the one whose y it saw.
  constexpr const char* kCycle = "3 -rw \"x\"-> 2, 2 -wr \"y\"-> 3";
  for (const bool absent : {false, true}) {
    const std::string value = absent ? "null" : "1";
    const std::string lines = (absent ? "" : one) + reader(value) + two;
    for (const std::string& later : {std::string(), writer(40, value)}) {
      EXPECT_EQ(told(serializable, lines + later), "G-single") << later;
      EXPECT_EQ(steps(serializable, lines + later), kCycle) << later;
    }
    // Sent in time, it may be what was seen, though it was answered later.
    EXPECT_EQ(told(serializable, lines + writer(15, value)), "") << value;
    EXPECT_EQ(steps(serializable, lines + writer(15, value)), "") << value;
  }
}

// What is reported before the stream ends, when it is known that nobody begins before `watermark` any more.
std::string told_live(const Profile& profile, std::string_view lines, std::int64_t watermark) {
  const auto chunk = std::make_shared<Chunk>(native(lines));
  Told sink;
  MirrorOptions options;
  options.profile = profile;
  const auto engine = make_mirror(options, sink);
  engine->begin(*chunk);
  for (std::uint32_t t = 0; t < chunk->history.txn_count(); ++t) engine->take({chunk, TxnId{t}, false});
  engine->advance({.now = 0, .watermark = watermark, .complete = true});
  std::string kinds;
  for (const OnlineViolation& v : sink.violations) {
    kinds += (kinds.empty() ? "" : " ") + full_name(v.kind, v.variant);
    EXPECT_EQ(steps_fault(chunk->history, v), "") << v.text;
  }
  return kinds;
}

TEST(MirrorRules, TwoThatReplaceWhatBothReadAreToldWhenTheirSessionsHaveMovedOn) {
  constexpr const char* kBoth =
      R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["r","x",null],["w","x",1]]}
{"id":2,"session":2,"begin":5,"end":25,"ops":[["r","x",null],["w","x",2]]})";
  EXPECT_EQ(told_live(*profile_named("serializable"), kBoth, 6), "");
  EXPECT_EQ(told_live(*profile_named("serializable"), kBoth, 26), "lost-update");
  EXPECT_EQ(told(*profile_named("serializable"), kBoth), "lost-update") << "once";
  EXPECT_EQ(told_live(*profile_named("strict-serializable"), kBoth, 26), "lost-update");
  EXPECT_EQ(told_live(*profile_named("read-committed"), kBoth, 26), "");
  EXPECT_EQ(told_live(*profile_named("serializable"),
                      R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["r","x",null],["w","x",1]]}
{"id":2,"session":2,"begin":5,"end":25,"ops":[["r","x",1],["w","x",2]]})",
                      26),
            "");
}

// Ten seconds after a commit its value is not read; nobody else writes the key.
TEST(MirrorRules, AStaleReadBreaksWhatCockroachdbAndYugabytedbPromise) {
  constexpr const char* kStale =
      R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["w","x",1,{"at":[5,10]}]]}
{"id":2,"session":2,"begin":10000000020,"end":10000000030,"ops":[["r","x",null,{"at":[10000000022,10000000025]}]]})";
  constexpr const char* kOlderThanTheStatement =
      R"({"id":2,"session":2,"begin":0,"end":60,"ops":[["r","y",null,{"at":[1,2]}],["r","x",null,{"at":[50,55]}]]}
{"id":1,"session":1,"begin":5,"end":20,"ops":[["w","x",1,{"at":[8,10]}]]})";
  // No one moment: the later of two commits is seen and the earlier is not.
  constexpr const char* kCausalReverse =
      R"({"id":3,"session":3,"begin":0,"end":100,"ops":[["r","x",null,{"at":[50,55]}],["r","y",1,{"at":[60,65]}]]}
{"id":1,"session":1,"begin":5,"end":20,"ops":[["w","x",1,{"at":[8,10]}]]}
{"id":2,"session":2,"begin":25,"end":40,"ops":[["w","y",1,{"at":[28,30]}]]})";
  for (const char* dbms : {"cockroachdb", "yugabytedb"}) {
    const auto profile = [&](const char* level) { return *profile_named(std::string(dbms) + ":" + level); };
    for (const char* level : {"read-committed", "repeatable-read", "serializable"}) {
      EXPECT_EQ(told(profile(level), kStale), "GSIb") << dbms << " " << level;
    }
    EXPECT_EQ(told(profile("read-committed"), kOlderThanTheStatement), "GSIb") << dbms;
    for (const char* level : {"repeatable-read", "serializable"}) {
      EXPECT_EQ(told(profile(level), kOlderThanTheStatement), "") << dbms << " " << level;
      EXPECT_EQ(told(profile(level), kCausalReverse), "") << dbms << " " << level;
    }
  }
}

// Found by random schedules: a correct database was called wrong when a session that had been missing was back.
TEST(MirrorRules, WhatWasAddedUpWithoutOneThatCameLateIsNotJudged) {
  const auto chunk = std::make_shared<Chunk>(native(
      R"({"id":0,"session":3,"begin":0,"end":8,"ops":[["inc",1,2,{"at":[4,4]}]]}
{"id":5,"session":3,"begin":9,"end":19,"ops":[["inc",1,2,{"at":[14,16]}]]}
{"id":8,"session":3,"begin":20,"end":21,"ops":[["r",2,null,{"at":[20,21]}]]}
{"id":1,"session":0,"begin":0,"end":3,"ops":[["inc",1,1,{"at":[0,1]}]]}
{"id":9,"session":3,"begin":30,"end":40,"ops":[["r",1,5,{"at":[31,32]}]]})"));
  Told sink;
  MirrorOptions options;
  options.profile = rc();
  const auto engine = make_mirror(options, sink);
  for (std::uint32_t t = 0; t < 3; ++t) engine->take({chunk, TxnId{t}, false});
  engine->advance({.now = 0, .watermark = 22, .complete = false});
  engine->take({chunk, TxnId{3}, true});
  engine->take({chunk, TxnId{4}, false});
  engine->advance({.now = 0, .watermark = 50, .complete = true});
  engine->finish();
  EXPECT_EQ(sink.text(), "");
  EXPECT_GT(engine->counts().unchecked, 0U);
}

TEST(MirrorRules, AReadOfWhatCommitsAfterItIsFromTheFuture) {
  const auto history = [](const char* at) {
    return std::string(R"({"id":2,"session":2,"begin":0,"end":30,"ops":[["r","x",1,{"at":)") + at + "}]]}\n" +
           R"({"id":1,"session":1,"begin":1,"end":20,"ops":[["w","x",1,{"at":[5,10]}]]})";
  };
  EXPECT_EQ(told(si(), history("[2,9]")), "GSIa");
  EXPECT_EQ(told(si(), history("[2,10]")), "");
}

TEST(MirrorRules, TheSnapshotIsTakenByTheFirstStatementAndNotLater) {
  const char* const lines =
      R"({"id":2,"session":2,"begin":0,"end":90,"ops":[["r","y",null,{"at":[1,2]}],["r","x",1,{"at":[50,60]}]]}
{"id":1,"session":1,"begin":10,"end":20,"ops":[["w","x",1,{"at":[12,15]}]]})";
  EXPECT_EQ(told(si(), lines), "GSIa");
  EXPECT_EQ(told(rc(), lines), "");
}

TEST(MirrorRules, TwoReadsOfOneSnapshotMustAgreeOnAMoment) {
  // x before the writer's commit, y after it: no one moment.
  const char* const lines =
      R"({"id":1,"session":1,"begin":0,"end":30,"ops":[["w","x",1,{"at":[1,2]}],["w","y",1,{"at":[3,4]}]]}
{"id":2,"session":2,"begin":3,"end":40,"ops":[["r","x",null,{"at":[10,20]}],["r","y",1,{"at":[21,25]}]]})";
  EXPECT_EQ(told(si(), lines), "G-single");
  EXPECT_EQ(told(rc(), lines), "");
}

TEST(MirrorRules, AbortedIntermediateAndInventedValuesAreWrong) {
  EXPECT_EQ(told(rc(), R"({"id":1,"session":1,"status":"aborted","begin":0,"end":9,"ops":[["w","x",1,{"at":[1,2]}]]}
{"id":2,"session":2,"begin":3,"end":8,"ops":[["r","x",1,{"at":[4,5]}]]})"),
            "G1a");
  EXPECT_EQ(
      told(rc(), R"({"id":1,"session":1,"begin":0,"end":9,"ops":[["w","x",1,{"at":[1,2]}],["w","x",2,{"at":[6,7]}]]}
{"id":2,"session":2,"begin":3,"end":8,"ops":[["r","x",1,{"at":[4,5]}]]})"),
      "G1b");
  EXPECT_EQ(told(rc(), R"({"id":2,"session":2,"begin":3,"end":8,"ops":[["r","x",7,{"at":[4,5]}]]})"), "garbage-read");
  EXPECT_EQ(told(rc(), R"({"id":2,"session":2,"begin":3,"end":8,"ops":[["w","x",7],["r","x",8]]})"), "internal");
}

TEST(MirrorRules, TwoWhoHeldOneLockAtOnceBreakMutualExclusion) {
  const auto history = [](const char* second) {
    return std::string(
               R"({"id":1,"session":1,"begin":0,"end":30,"ops":[["w","x",1,{"at":[1,2]}],["r","y",null,{"at":[20,21]}]]})") +
           "\n" + R"({"id":2,"session":2,"begin":3,"end":40,"ops":[["w","x",2,{"at":)" + second +
           "}],[\"r\",\"z\",null,{\"at\":[35,36]}]]}";
  };
  EXPECT_EQ(told(rc(), history("[5,10]")), "dirty-update");
  EXPECT_EQ(told(rc(), history("[5,21]")), "");
  Profile free = rc();
  free.write_locks = false;
  EXPECT_EQ(told(free, history("[5,10]")), "");
}

TEST(MirrorRules, AnAbortedHolderKeepsOthersOutUntilItsLastAnswer) {
  EXPECT_EQ(
      told(
          rc(),
          R"({"id":1,"session":1,"status":"aborted","begin":0,"end":30,"ops":[["w","x",1,{"at":[1,2]}],["r","y",null,{"at":[20,21]}]]}
{"id":2,"session":2,"begin":3,"end":12,"ops":[["w","x",2,{"at":[5,10]}]]})"),
      "dirty-update");
  // A write that was never answered may have failed.
  EXPECT_EQ(told(rc(), R"({"id":1,"session":1,"status":"aborted","begin":0,"end":30,"ops":[["w","x",1]]}
{"id":2,"session":2,"begin":3,"end":12,"ops":[["w","x",2,{"at":[5,10]}]]})"),
            "");
}

TEST(MirrorRules, SharedLocksExcludeWritersAndNotEachOther) {
  EXPECT_EQ(
      told(
          rc(),
          R"({"id":1,"session":1,"begin":0,"end":30,"ops":[["r","x",0,{"at":[1,2],"lock":"share"}],["r","y",null,{"at":[20,21]}]]}
{"id":2,"session":2,"begin":3,"end":12,"ops":[["r","x",0,{"at":[5,10],"lock":"share"}]]})"
          "\n"),
      "garbage-read garbage-read");
  const std::string initial = R"({"isolde":1,"initial":0})"
                              "\n";
  EXPECT_EQ(
      told(
          rc(),
          initial +
              R"({"id":1,"session":1,"begin":0,"end":30,"ops":[["r","x",0,{"at":[1,2],"lock":"share"}],["r","y",0,{"at":[20,21]}]]}
{"id":2,"session":2,"begin":3,"end":12,"ops":[["r","x",0,{"at":[5,10],"lock":"share"}]]})"),
      "");
  EXPECT_EQ(
      told(
          rc(),
          initial +
              R"({"id":1,"session":1,"begin":0,"end":30,"ops":[["r","x",0,{"at":[1,2],"lock":"share"}],["r","y",0,{"at":[20,21]}]]}
{"id":2,"session":2,"begin":3,"end":12,"ops":[["w","x",2,{"at":[5,10]}]]})"),
      "dirty-update");
}

TEST(MirrorRules, TwoUpdatersWhoDidNotSeeEachOtherLoseAnUpdate) {
  Profile p = si();
  p.write_locks = false;
  const auto history = [](const char* begin) {
    return std::string(R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["w","x",1,{"at":[1,10]}]]})") + "\n" +
           R"({"id":2,"session":2,"begin":5,"end":40,"ops":[["r","y",null,{"at":)" + begin +
           "}],[\"w\",\"x\",2,{\"at\":[25,30]}]]}";
  };
  EXPECT_EQ(told(p, history("[6,9]")), "lost-update");
  EXPECT_EQ(told(p, history("[6,10]")), "");
}

TEST(MirrorRules, AnUnknownTransactionCountsOnceItWasSeen) {
  const std::string unknown =
      R"({"id":1,"session":1,"status":"unknown","begin":0,"end":9,"ops":[["w","x",1,{"at":[1,2]}],["w","y",1,{"at":[3,4]}]]})"
      "\n";
  EXPECT_EQ(told(rc(), unknown + R"({"id":2,"session":2,"begin":10,"end":20,"ops":[["r","x",null,{"at":[11,12]}]]})"),
            "");
  EXPECT_EQ(told(rc(), unknown + R"({"id":2,"session":2,"begin":10,"end":20,"ops":[["r","x",1,{"at":[11,12]}]]})"), "");
  EXPECT_EQ(
      told(
          rc(),
          unknown +
              R"({"id":2,"session":2,"begin":10,"end":20,"ops":[["r","x",1,{"at":[11,12]}],["r","y",null,{"at":[14,15]}]]})"),
      "no-order");
}

TEST(MirrorRules, TwoAntiDependenciesAreDangerousOnlyIfTheThirdCommittedFirst) {
  Profile p = si();
  p.certifier = Certifier::kSsi;
  // Write skew: each reads what the other writes.
  EXPECT_EQ(told(p, R"({"isolde":1,"initial":0}
{"id":1,"session":1,"begin":0,"end":20,"ops":[["r","x",0,{"at":[1,2]}],["w","y",1,{"at":[5,6]}]]}
{"id":2,"session":2,"begin":1,"end":40,"ops":[["r","y",0,{"at":[3,4]}],["w","x",1,{"at":[30,31]}]]})"),
            "write-skew");
  // Three in a row: the last had certainly committed first, or perhaps not.
  const auto three = [](const char* end) {
    return std::string(R"({"isolde":1,"initial":0}
{"id":1,"session":1,"begin":0,"end":60,"ops":[["r","x",0,{"at":[1,2]}],["w","z",1,{"at":[40,41]}]]}
{"id":2,"session":2,"begin":1,"end":50,"ops":[["r","y",0,{"at":[3,4]}],["w","x",1,{"at":[30,31]}]]}
{"id":3,"session":3,"begin":2,"end":)") +
           end + R"(,"ops":[["w","y",1,{"at":[7,8]}]]})";
  };
  EXPECT_EQ(told(p, three("20")), "G2-item");
  EXPECT_EQ(told(p, three("35")), "");
  // One alone is no harm.
  EXPECT_EQ(told(p, R"({"isolde":1,"initial":0}
{"id":1,"session":1,"begin":0,"end":20,"ops":[["r","x",0,{"at":[1,2]}],["w","y",1,{"at":[5,6]}]]}
{"id":2,"session":2,"begin":1,"end":40,"ops":[["w","x",1,{"at":[30,31]}]]})"),
            "");
}

TEST(MirrorRules, OtherCertifiersRefuseWriteSkewToo) {
  const char* const skew = R"({"isolde":1,"initial":0}
{"id":1,"session":1,"begin":0,"end":20,"ops":[["r","x",0,{"at":[1,2]}],["w","y",1,{"at":[5,6]}]]}
{"id":2,"session":2,"begin":1,"end":40,"ops":[["r","y",0,{"at":[3,4]}],["w","x",1,{"at":[30,31]}]]})";
  Profile p = si();
  EXPECT_EQ(told(p, skew), "");
  p.certifier = Certifier::kCycles;
  EXPECT_EQ(told(p, skew), "write-skew");
  p.certifier = Certifier::kConflictCheck;
  EXPECT_EQ(told(p, skew), "G2-item");
  p.certifier = Certifier::kTimestampOrder;
  EXPECT_EQ(told(p, skew), "G2-item");
}

TEST(MirrorRules, ListsAndCountersHoldWhatTheOrderOfTheirWritersSays) {
  const std::string lists = R"({"id":1,"session":1,"begin":0,"end":9,"ops":[["append","x",1,{"at":[1,2]}]]}
{"id":2,"session":2,"begin":10,"end":19,"ops":[["append","x",2,{"at":[11,12]}]]}
)";
  EXPECT_EQ(told(rc(), lists + R"({"id":3,"session":3,"begin":20,"end":29,"ops":[["r","x",[1,2],{"at":[21,22]}]]})"),
            "");
  EXPECT_EQ(told(rc(), lists + R"({"id":3,"session":3,"begin":20,"end":29,"ops":[["r","x",[2,1],{"at":[21,22]}]]})"),
            "GSIb");
  const std::string counters = R"({"id":1,"session":1,"begin":0,"end":9,"ops":[["inc","x",1,{"at":[1,2]}]]}
{"id":2,"session":2,"begin":10,"end":19,"ops":[["inc","x",2,{"at":[11,12]}]]}
)";
  EXPECT_EQ(told(rc(), counters + R"({"id":3,"session":3,"begin":20,"end":29,"ops":[["r","x",3,{"at":[21,22]}]]})"),
            "");
  EXPECT_EQ(told(rc(), counters + R"({"id":3,"session":3,"begin":20,"end":29,"ops":[["r","x",2,{"at":[21,22]}]]})"),
            "GSIb");
}

TEST(MirrorRules, AScanOfARangeReadsTheAbsenceOfWhatItDoesNotReturn) {
  const std::string writer = R"({"id":1,"session":1,"begin":0,"end":9,"ops":[["w",5,1,{"at":[1,2]}]]})"
                             "\n";
  EXPECT_EQ(
      told(rc(),
           writer +
               R"({"id":2,"session":2,"begin":20,"end":29,"ops":[["scan","key between 1 and 9",[],{"at":[21,22]}]]})"),
      "GSIb");
  EXPECT_EQ(
      told(rc(),
           writer +
               R"({"id":2,"session":2,"begin":20,"end":29,"ops":[["scan","key between 6 and 9",[],{"at":[21,22]}]]})"),
      "");
}

TEST(MirrorRules, ValuesWrittenTwiceAreTriedOut) {
  // 1 was there before and after 2; at the read's moment only 2 can have been.
  const std::string writers = R"({"id":1,"session":1,"begin":0,"end":9,"ops":[["w","x",1,{"at":[1,2]}]]}
{"id":2,"session":2,"begin":10,"end":19,"ops":[["w","x",2,{"at":[11,12]}]]}
)";
  EXPECT_EQ(told(rc(), writers + R"({"id":3,"session":3,"begin":20,"end":29,"ops":[["r","x",1,{"at":[21,22]}]]}
{"id":4,"session":4,"begin":23,"end":39,"ops":[["w","x",1,{"at":[31,32]}]]})"),
            "GSIa");
  EXPECT_EQ(told(rc(), writers + R"({"id":3,"session":3,"begin":20,"end":29,"ops":[["r","x",1,{"at":[21,25]}]]}
{"id":4,"session":4,"begin":23,"end":39,"ops":[["w","x",1,{"at":[24,25]}]]})"),
            "");
}

TEST(MirrorRules, AnUnknownWriterOrdersNobodyByNotBeingThere) {
  EXPECT_EQ(told(rc(), R"({"id":0,"session":2,"begin":0,"end":26,"ops":[["append",0,0,{"at":[1,25]}]]}
{"id":4,"session":1,"status":"unknown","begin":17,"end":34,"ops":[["append",0,1,{"at":[32,33]}]]}
{"id":5,"session":0,"status":"unknown","begin":17,"end":30,"ops":[["append",0,0,{"at":[21,28]}]]}
{"id":8,"session":2,"begin":31,"end":47,"ops":[["r",0,[0],{"at":[32,36]}],["r",0,[0,1],{"at":[36,37]}]]})"),
            "");
}

TEST(MirrorRules, ADeleteWithoutAnIntervalLooksForItsRowUpToItsCommit) {
  Profile p = rc();
  p.certifier = Certifier::kConflictCheck;
  EXPECT_EQ(told(p, R"({"id":0,"session":0,"begin":1,"end":78,"ops":[["w",0,null]]}
{"id":1,"session":1,"begin":2,"end":54,"ops":[["w",0,null,{"at":[3,12]}],["r",0,null,{"at":[27,30]}]]}
{"id":3,"session":2,"begin":11,"end":66,"ops":[["w",0,0,{"at":[18,49]}]]}
{"id":5,"session":1,"begin":60,"end":100,"ops":[["r",0,null,{"at":[63,73],"lock":"share"}],["w",1,1,{"at":[75,85]}],["r",0,null,{"at":[86,92]}]]})"),
            "");
}

TEST(MirrorRules, AGatheredSnapshotHasAMomentForEachRow) {
  // x is as of before the first commit was over, y as of after the second was sent.
  const std::string lines = R"({"id":1,"session":1,"begin":0,"end":9,"ops":[["w","x",1,{"at":[1,2]}]]}
{"id":2,"session":2,"begin":0,"end":19,"ops":[["w","y",1,{"at":[1,12]}]]}
{"id":3,"session":3,"begin":1,"end":29,"ops":[["scan","value >= 0",[["x",0],["y",1]],{"at":[1,25]}]]})";
  Profile p = rc();
  EXPECT_EQ(told(p, "{\"isolde\":1,\"initial\":0}\n" + lines), "GSIa");
  p.snapshot_gathered = true;
  EXPECT_EQ(told(p, "{\"isolde\":1,\"initial\":0}\n" + lines), "");
}

TEST(MirrorRules, WithASessionMissingNothingIsMoreThanSuspected) {
  EXPECT_EQ(told(rc(), R"({"id":2,"session":2,"begin":3,"end":8,"ops":[["r","x",7,{"at":[4,5]}]]})", false),
            "suspected: garbage-read");
}

std::string told_of_columns(const Profile& profile, std::string_view lines, std::string* text = nullptr) {
  return told(profile, lines, true, true, text);
}

constexpr const char* kRow = R"({"isolde":1,"initial":{"x":{"a":0,"b":0}}}
)";

TEST(MirrorColumns, WhoChangesOneColumnDoesNotDisturbReadsOfAnother) {
  const std::string lines = std::string(kRow) +
                            R"({"id":1,"session":1,"begin":0,"end":10,"ops":[["w","x",{"a":1},{"at":[1,2]}]]}
{"id":2,"session":2,"begin":20,"end":30,"ops":[["w","x",{"b":2},{"at":[21,22]}]]}
{"id":3,"session":3,"begin":40,"end":50,"ops":[["r","x",{"a":1},{"at":[41,42]}],["r","x",{"b":2},{"at":[43,44]}],["r","x",{"a":1,"b":2},{"at":[45,46]}]]})";
  EXPECT_EQ(told_of_columns(si(), lines), "");
  EXPECT_EQ(told_of_columns(rc(), lines), "");
  // As whole values these are rows that nobody wrote.
  EXPECT_NE(told(si(), lines), "");
}

TEST(MirrorColumns, AStaleColumnIsFoundThoughAnotherWasWrittenLater) {
  const std::string writers = std::string(kRow) +
                              R"({"id":1,"session":1,"begin":0,"end":10,"ops":[["w","x",{"a":1},{"at":[1,2]}]]}
{"id":2,"session":2,"begin":20,"end":30,"ops":[["w","x",{"b":2},{"at":[21,22]}]]}
)";
  const auto read = [&](const char* row, std::string* text) {
    return told_of_columns(
        si(), writers + R"({"id":3,"session":3,"begin":40,"end":50,"ops":[["r","x",)" + row + R"(,{"at":[41,42]}]]})",
        text);
  };
  std::string text;
  EXPECT_EQ(read(R"({"a":0,"b":2})", &text), "GSIb");
  EXPECT_NE(text.find(R"(read 0 of key "x" (column "a") where 1 is expected)"), std::string::npos) << text;
  EXPECT_EQ(read(R"({"a":7})", nullptr), "GSIb");  // long replaced, or never written
  EXPECT_EQ(read("null", nullptr), "GSIb");
  // One writer of both: there was no moment with the one and not the other.
  const std::string one_moment = std::string(kRow) +
                                 R"({"id":1,"session":1,"begin":0,"end":30,"ops":[["w","x",{"a":1,"b":1},{"at":[1,2]}]]}
{"id":2,"session":2,"begin":3,"end":40,"ops":[["r","x",{"a":0,"b":1},{"at":[10,20]}]]})";
  EXPECT_EQ(told_of_columns(rc(), one_moment), "G-single");
}

TEST(MirrorColumns, TheLockIsTheRows) {
  const auto history = [](const char* second) {
    return std::string(kRow) +
           R"({"id":1,"session":1,"begin":0,"end":30,"ops":[["w","x",{"a":1},{"at":[1,2]}],["r","y",null,{"at":[20,21]}]]}
{"id":2,"session":2,"begin":3,"end":40,"ops":[["w","x",{"b":2},{"at":)" +
           second + R"(}],["r","z",null,{"at":[35,36]}]]})";
  };
  std::string text;
  EXPECT_EQ(told_of_columns(rc(), history("[5,10]"), &text), "dirty-update");
  EXPECT_NE(text.find("key \"x\":"), std::string::npos) << text;
  EXPECT_EQ(told_of_columns(rc(), history("[5,21]")), "");
  EXPECT_EQ(
      told_of_columns(
          rc(),
          std::string(kRow) +
              R"({"id":1,"session":1,"begin":0,"end":30,"ops":[["r","x",{"a":0},{"lock":"update","at":[1,2]}],["r","y",null,{"at":[20,21]}]]}
{"id":2,"session":2,"begin":3,"end":40,"ops":[["w","x",{"b":2},{"at":[5,10]}],["r","z",null,{"at":[35,36]}]]})"),
      "dirty-update");
}

TEST(MirrorColumns, TheFirstUpdaterOfARowWinsWhateverTheColumns) {
  const std::string lines =
      std::string(kRow) +
      R"({"id":1,"session":1,"begin":0,"end":90,"ops":[["r","y",null,{"at":[1,2]}],["w","x",{"a":1},{"at":[50,60]}]]}
{"id":2,"session":2,"begin":10,"end":20,"ops":[["w","x",{"b":1},{"at":[12,15]}]]})";
  EXPECT_EQ(told_of_columns(si(), lines), "lost-update");
  EXPECT_EQ(told_of_columns(rc(), lines), "");
}

TEST(MirrorColumns, OwnWritesAreReadBackAndADeletedRowIsAbsent) {
  EXPECT_EQ(told_of_columns(si(), std::string(kRow) +
                                      R"({"id":1,"session":1,"begin":0,"end":9,"ops":[["w","x",{"a":1},{"at":[1,2]}],)"
                                      R"(["r","x",{"a":0,"b":0},{"at":[3,4]}]]})"),
            "internal");
  const std::string deleted = std::string(kRow) +
                              R"({"id":1,"session":1,"begin":0,"end":9,"ops":[["w","x",null,{"at":[1,2]}]]}
)";
  EXPECT_EQ(told_of_columns(
                si(), deleted + R"({"id":2,"session":2,"begin":10,"end":19,"ops":[["r","x",{"b":0},{"at":[11,12]}]]})"),
            "GSIb");
  EXPECT_EQ(
      told_of_columns(si(), deleted +
                                R"({"id":2,"session":2,"begin":10,"end":19,"ops":[["w","x",{"a":1},{"at":[11,12]}]]}
{"id":3,"session":2,"begin":20,"end":29,"ops":[["r","x",{"a":1,"b":null},{"at":[21,22]}]]})"),
      "");
}

}  // namespace rules_test
}  // namespace isolde::mirror
