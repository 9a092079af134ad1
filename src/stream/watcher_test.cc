#include "stream/watcher.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/rng.h"
#include "check/timeline/online/online.h"
#include "stream/violation_record.h"
#include "stream/watch_testing.h"
#include "tests/cli/run_program.h"
#include "tests/support/effort.h"

namespace isolde::stream {
namespace watcher_test {

using test::content_of;
using test::Scratch;
using testing::FifthEngine;
using testing::fifths;
using testing::Killed;
using testing::lines_from;
using testing::ListView;
using testing::TextInput;

std::vector<std::string> texts(int pieces, int each) {
  std::vector<std::string> out;
  for (int i = 0; i < pieces; ++i) out.push_back(lines_from(1 + i * each, each));
  return out;
}

// One life of a watcher with a checkpoint folder; false: it was killed.
bool live(const std::string& folder, const std::vector<std::string>& all, ListView& view, double every = 0,
          bool endless = false, std::atomic<bool>* interrupted = nullptr) {
  auto checkpoint = CheckpointFolder::open(folder);
  EXPECT_TRUE(checkpoint) << checkpoint.error().message();
  if (!checkpoint) return true;
  TextInput input(all, checkpoint->earlier() ? checkpoint->earlier()->position : "");
  input.endless = endless;
  try {
    const auto summary = watch(input, fifths(), view,
                               {.checkpoint = &*checkpoint, .checkpoint_seconds = every, .interrupted = interrupted});
    EXPECT_TRUE(summary) << summary.error().message();
  } catch (const Killed&) {
    return false;
  }
  return true;
}

std::vector<std::string> recorded(const std::string& folder) {
  std::vector<std::string> ids;
  std::ifstream in(folder + "/violations.jsonl");
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find("\"transactions\": [") + 17;
    ids.push_back(line.substr(at, line.find(']') - at));
  }
  return ids;
}

TEST(Watcher, AFiniteStreamIsJudgedToItsEnd) {
  TextInput input(texts(4, 10), "");
  ListView view;
  const auto summary = watch(input, fifths(), view, {});
  ASSERT_TRUE(summary);
  EXPECT_EQ(view.violations, (std::vector<std::string>{"5", "10", "15", "20", "25", "30", "35", "40"}));
  EXPECT_EQ(summary->outcome, Outcome::kViolated);
  EXPECT_EQ(summary->counts.arrived, 40U);
  EXPECT_EQ(summary->counts.by_name, (std::map<std::string, std::uint64_t>{{"GSIb", 8}}));
  EXPECT_FALSE(summary->stopped);
}

TEST(Watcher, AStreamThatIsStoppedIsNotTakenForFinished) {
  const Scratch scratch;
  std::atomic<bool> interrupted = false;
  ListView view;
  view.interrupt = &interrupted;
  view.interrupt_after = 7;  // that of T40 waits for T43, which never comes
  ASSERT_TRUE(live(scratch.path("c"), texts(4, 10), view, 0, true, &interrupted));
  EXPECT_EQ(view.violations.size(), 7U);
  EXPECT_EQ(recorded(scratch.path("c")).size(), 7U);
  ListView again;
  ASSERT_TRUE(live(scratch.path("c"), texts(5, 10), again));
  EXPECT_EQ(again.violations, (std::vector<std::string>{"40", "45", "50"}));
}

TEST(Watcher, WhatStoppingLeavesOpenIsUndecided) {
  std::atomic<bool> interrupted = true;
  TextInput input({lines_from(1, 6)}, "");
  input.endless = true;
  ListView view;
  const auto summary = watch(input, fifths(), view, {.interrupted = &interrupted});
  ASSERT_TRUE(summary);
  EXPECT_TRUE(summary->stopped);
  EXPECT_EQ(summary->open, 1U);
  EXPECT_EQ(summary->outcome, Outcome::kUndecided);
  EXPECT_TRUE(view.violations.empty());
}

TEST(Watcher, KilledAnywhereItLosesAndRepeatsNothing) {
  const std::uint64_t rounds = effort::tries(60);
  Rng rng(effort::seed(6));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const Scratch scratch;
    const auto all = texts(20, 1 + static_cast<int>(rng.below(9)));
    std::vector<std::string> expected, shown;
    {
      ListView view;
      TextInput input(all, "");
      ASSERT_TRUE(watch(input, fifths(), view, {}));
      expected = view.violations;
    }
    for (bool done = false; !done;) {
      ListView view;
      view.kill_after = 1 + rng.below(5);
      // Some lives write no state at all, some one after every piece.
      done = live(scratch.path("c"), all, view, rng.below(2) == 0 ? 0 : 1000);
      shown.insert(shown.end(), view.violations.begin(), view.violations.end());
    }
    EXPECT_EQ(shown, expected) << "round " << round;
    EXPECT_EQ(recorded(scratch.path("c")), expected) << "round " << round;
  }
}

TEST(Watcher, ALineThatAKillCutOffIsRemovedAndDerivedAgain) {
  const Scratch scratch;
  ListView view;
  view.kill_after = 3;
  ASSERT_FALSE(live(scratch.path("c"), texts(4, 10), view, 1000));
  const std::string path = scratch.path("c/violations.jsonl");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 9);
  ListView again;
  ASSERT_TRUE(live(scratch.path("c"), texts(4, 10), again));
  EXPECT_EQ(again.violations, (std::vector<std::string>{"15", "20", "25", "30", "35", "40"}));
  EXPECT_EQ(recorded(scratch.path("c")).size(), 8U);
}

TEST(Watcher, OtherSettingsForTheSameFolderAreRefused) {
  const Scratch scratch;
  ListView view;
  ASSERT_TRUE(live(scratch.path("c"), texts(2, 10), view));
  auto checkpoint = CheckpointFolder::open(scratch.path("c"));
  ASSERT_TRUE(checkpoint);
  TextInput input(texts(2, 10), checkpoint->earlier()->position);
  const auto summary = watch(input, fifths("ser"), view, {.checkpoint = &*checkpoint});
  ASSERT_FALSE(summary);
  EXPECT_NE(summary.error().text.find("level: si before, ser now"), std::string::npos) << summary.error().text;
}

TEST(Watcher, ARecordThatWasChangedIsRefused) {
  const Scratch scratch;
  ListView view;
  ASSERT_TRUE(live(scratch.path("c"), texts(2, 10), view));
  std::ofstream(scratch.path("c/violations.jsonl"), std::ios::trunc) << "";
  auto checkpoint = CheckpointFolder::open(scratch.path("c"));
  ASSERT_TRUE(checkpoint);
  TextInput input(texts(2, 10), checkpoint->earlier()->position);
  const auto summary = watch(input, fifths(), view, {.checkpoint = &*checkpoint});
  ASSERT_FALSE(summary);
  EXPECT_NE(summary.error().message().find("it was changed"), std::string::npos) << summary.error().message();
}

TEST(Watcher, TwoCannotShareAFolder) {
  const Scratch scratch;
  const auto first = CheckpointFolder::open(scratch.path("c"));
  ASSERT_TRUE(first);
  const auto second = CheckpointFolder::open(scratch.path("c"));
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().text.find("another"), std::string::npos);
}

TEST(Watcher, AStateThatIsDamagedIsRefused) {
  const Scratch scratch;
  ListView view;
  ASSERT_TRUE(live(scratch.path("c"), texts(2, 10), view));
  std::string state = content_of(scratch.path("c/state"));
  for (std::size_t i = 0; i < state.size(); i += 7) {
    std::string other = state;
    other[i] = static_cast<char>(other[i] ^ 0x20);
    std::ofstream(scratch.path("c/state"), std::ios::binary | std::ios::trunc) << other;
    EXPECT_FALSE(CheckpointFolder::open(scratch.path("c"))) << "byte " << i;
  }
}

TEST(Watcher, AnInputThatFailsIsAnErrorAndWhatCameBeforeIsKept) {
  const Scratch scratch;
  {
    auto checkpoint = CheckpointFolder::open(scratch.path("c"));
    ASSERT_TRUE(checkpoint);
    TextInput input(texts(2, 10), "");
    input.fails = "the disk is on fire";
    ListView view;
    const auto summary = watch(input, fifths(), view, {.checkpoint = &*checkpoint, .checkpoint_seconds = 1000});
    ASSERT_FALSE(summary);
    EXPECT_EQ(summary.error().text, "the disk is on fire");
  }
  ListView again;
  ASSERT_TRUE(live(scratch.path("c"), texts(3, 10), again));
  EXPECT_EQ(again.violations, (std::vector<std::string>{"20", "25", "30"}));
}

TEST(Watcher, TheHeaderIsGivenOnceAlsoAfterARestart) {
  FifthEngine* engine = nullptr;
  ListView view;
  TextInput input({"{\"isolde\": 1, \"initial\": 0}\n" + lines_from(1, 3), lines_from(4, 3)}, "");
  int heads = 0;
  const MakeChecker make = [&](const Chunk* first, OnlineSink& sink) {
    EXPECT_NE(first, nullptr);
    return fifths("si", &engine)(first, sink);
  };
  class Look : public ListView {
   public:
    FifthEngine** engine = nullptr;
    int* heads = nullptr;
    void progress(const WatchCounts&) override { *heads = (*engine)->heads; }
  } look;
  look.engine = &engine;
  look.heads = &heads;
  ASSERT_TRUE(watch(input, make, look, {}));
  EXPECT_EQ(heads, 1);
}

TEST(Watcher, ASlowCheckerMakesTheInputWait) {
  class SlowView : public ListView {
   public:
    TextInput* input = nullptr;
    int most_ahead = 0, seen = 0;
    void violated(const OnlineViolation&) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      most_ahead = std::max(most_ahead, input->given - ++seen);
    }
  } view;
  TextInput input(texts(100, 5), "");  // a violation a piece
  view.input = &input;
  ASSERT_TRUE(watch(input, fifths(), view, {}));
  EXPECT_LE(view.most_ahead, 20);
}

TEST(Watcher, CoveredTellsTheInputTheLastPosition) {
  const Scratch scratch;
  auto checkpoint = CheckpointFolder::open(scratch.path("c"));
  ASSERT_TRUE(checkpoint);
  TextInput input(texts(3, 10), "");
  ListView view;
  ASSERT_TRUE(watch(input, fifths(), view, {.checkpoint = &*checkpoint, .checkpoint_seconds = 1000}));
  EXPECT_EQ(input.covers, std::vector<std::string>{"3"});
}

TEST(Watcher, TimeGoesOnFromTheCheckpoint) {
  const Scratch scratch;
  std::int64_t before = 0;
  for (int i = 0; i < 2; ++i) {
    auto checkpoint = CheckpointFolder::open(scratch.path("c"));
    ASSERT_TRUE(checkpoint);
    TextInput input(texts(3 + i, 10), checkpoint->earlier() ? checkpoint->earlier()->position : "");
    class Look : public ListView {
     public:
      FifthEngine* engine = nullptr;
      std::int64_t now = -1;
      void progress(const WatchCounts&) override { now = engine->now; }
    } look;
    const MakeChecker make = [&](const Chunk* first, OnlineSink& sink) {
      return fifths("si", &look.engine)(first, sink);
    };
    ASSERT_TRUE(watch(input, make, look, {.checkpoint = &*checkpoint}));
    EXPECT_GE(look.now, before);
    before = look.now;
  }
}

MakeChecker timestamps(double deadline_seconds) {
  return [=](const Chunk*, OnlineSink& sink) -> Result<Checker> {
    timeline::OnlineOptions options;
    options.deadline = static_cast<std::int64_t>(deadline_seconds * 1e9);
    return Checker{.feed = feed_as_it_comes(),
                   .engine = timeline::make_online(options, sink),
                   .settings = {{"level", "si"}},
                   .certifies = true};
  };
}
constexpr const char* kReadsX =
    "{\"id\":\"R\",\"session\":2,\"start_ts\":3,\"commit_ts\":3,\"ops\":[[\"r\",\"x\",1]]}\n";
constexpr const char* kWritesX =
    "{\"id\":\"W\",\"session\":1,\"start_ts\":1,\"commit_ts\":2,\"ops\":[[\"w\",\"x\",1]]}\n";
constexpr const char* kReadsNothing = "{\"id\":\"N\",\"session\":3,\"start_ts\":1,\"commit_ts\":1,\"ops\":[]}\n";

// ../shared/cases/online/stopped_watcher.py: it got no processor from 0.6 s to 3.1 s, and W had come at once.
TEST(Watcher, ADeadlineDoesNotRunWhileInputLiesUnread) {
  TextInput input({kReadsX, "", kWritesX, ""}, "");
  input.times = {{0, 0}, {0.6, 0.6}, {3.1, 0.6}, {3.2, 3.2}};
  ListView view;
  const auto summary = watch(input, timestamps(1), view, {});
  ASSERT_TRUE(summary);
  EXPECT_EQ(view.violations, std::vector<std::string>{});
  EXPECT_EQ(summary->outcome, Outcome::kSatisfied);
}

TEST(Watcher, ADeadlineRunsWhileNothingWaitsToBeRead) {
  TextInput input({kReadsX, "", kWritesX}, "");
  input.times = {{0, 0}, {1.1, 1.1}, {1.2, 1.1}};
  ListView view;
  const auto summary = watch(input, timestamps(1), view, {});
  ASSERT_TRUE(summary);
  EXPECT_EQ(view.violations, std::vector<std::string>{"R"});
}

// R may have arrived long after the last look before it, so its deadline counts from when it was found.
TEST(Watcher, WhatIsReadLateHasItsWholeDeadline) {
  TextInput input({kReadsNothing, "", kReadsX, "", kWritesX, ""}, "");
  input.times = {{0, 0}, {0.6, 0.6}, {3.1, 0.6}, {3.2, 3.2}, {4.0, 3.2}, {9, 9}};
  ListView view;
  ASSERT_TRUE(watch(input, timestamps(1), view, {}));
  EXPECT_EQ(view.violations, std::vector<std::string>{});
}

TEST(Watcher, WhatIsSentAgainIsCountedAndNotTaken) {
  const std::string other = "{\"id\":\"V\",\"session\":1,\"start_ts\":3,\"commit_ts\":4,\"ops\":[[\"w\",\"x\",2]]}\n";
  TextInput input({kWritesX, other, kWritesX + other, kReadsNothing}, "");
  ListView view;
  const auto summary = watch(input, timestamps(1), view, {});
  ASSERT_TRUE(summary);
  EXPECT_EQ(view.violations, std::vector<std::string>{});
  EXPECT_EQ(summary->outcome, Outcome::kSatisfied);
  EXPECT_EQ(summary->counts.duplicates, 2U);
  EXPECT_EQ(summary->counts.arrived, 3U);
}

TEST(Watcher, AnIdWithOtherContentIsAnError) {
  const std::string other = "{\"id\":\"W\",\"session\":1,\"start_ts\":3,\"commit_ts\":4,\"ops\":[[\"w\",\"x\",2]]}\n";
  TextInput input({kWritesX, other}, "");
  ListView view;
  const auto summary = watch(input, timestamps(1), view, {});
  ASSERT_FALSE(summary);
  EXPECT_NE(summary.error().text.find("transaction id \"W\" occurs twice"), std::string::npos) << summary.error().text;
}

TEST(Watcher, WhatIsSentAgainInOrderIsNotLate) {
  const auto line = [](int id, int session, int begin) {
    return fmt::format("{{\"id\":{},\"session\":{},\"begin\":{},\"end\":{},\"ops\":[[\"w\",\"x\",{}]]}}\n", id, session,
                       begin, begin + 1, id);
  };
  TextInput input({line(1, 1, 10), line(2, 1, 20) + line(3, 2, 21), line(1, 1, 10), line(4, 1, 30) + line(5, 2, 31)},
                  "");
  ListView view;
  const MakeChecker make = [](const Chunk*, OnlineSink& sink) -> Result<Checker> {
    return Checker{.feed = feed_in_order({.max_bytes = 1 << 20, .max_sessions = 100}),
                   .engine = std::make_unique<FifthEngine>(sink),
                   .settings = {{"level", "si"}}};
  };
  const auto summary = watch(input, make, view, {});
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->counts.duplicates, 1U);
  EXPECT_EQ(summary->counts.late, 0U);
  EXPECT_EQ(summary->counts.arrived, 5U);
  EXPECT_EQ(view.notices, std::vector<std::string>{});
}

TEST(ViolationRecord, NamesThatAreNoLongerKnownStayValidJson) {
  OnlineViolation v;
  v.kind = AnomalyKind::kGSIb;
  v.rule = "EXT";
  v.transactions = {"7", "\"a\"", "(value 1f2e, no longer held)"};
  v.key = "\"x\"";
  v.read = "null";
  v.text = "T7 \"read\"";
  v.identity = 0xabc;
  const std::string expected =
      R"_({"event": "violation", "identity": "0000000000000abc", "name": "GSIb", "rule": "EXT", )_"
      R"_("transactions": [7, "a", "(value 1f2e, no longer held)"], "key": "x", "read": null, )_"
      R"_("text": "T7 \"read\""})_";
  EXPECT_EQ(violation_json(v, "violation"), expected);
}

}  // namespace watcher_test
}  // namespace isolde::stream
