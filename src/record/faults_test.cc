#include "record/faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

namespace isolde::record {
namespace faults_test {

TEST(Faults, AreReadFromTheirNamesAndWrittenTheSame) {
  const Result<FaultPlan> plan = parse_faults("kill-connections:50,restart:3,crash,terminate-backends:7");
  ASSERT_TRUE(plan) << plan.error().text;
  EXPECT_EQ(*plan, (FaultPlan{50, 7, 3, 1}));
  EXPECT_EQ(plan->all(), 61U);
  EXPECT_EQ(plan->restarts(), 4U);
  const std::string text = to_text(*plan);
  EXPECT_EQ(text, "kill-connections:50,terminate-backends:7,restart:3,crash:1");
  EXPECT_EQ(*parse_faults(text), *plan);
  EXPECT_EQ(to_text({}), "");
}

TEST(Faults, TheSameNameTwiceAddsUp) { EXPECT_EQ(parse_faults("restart:2,restart")->restart_orderly, 3U); }

TEST(Faults, WhatIsNoFaultIsNamedWithThoseThereAre) {
  for (const char* const text : {"", "restart:3,", "kill:3", "restart:", "restart:x", "restart:-1", "restart:3 ",
                                 "restart:99999999999", "restart:2000000", ":3", "Restart"}) {
    const Result<FaultPlan> plan = parse_faults(text);
    ASSERT_FALSE(plan) << text;
    EXPECT_FALSE(plan.error().text.empty());
  }
  EXPECT_NE(parse_faults("kill:3").error().text.find("kill-connections"), std::string::npos);
}

TEST(Faults, TheScheduleHasEveryFaultOfThePlanInTheOrderOfTheMoments) {
  const FaultPlan plan{50, 20, 2, 3};
  const std::vector<PlannedFault> schedule = schedule_faults(plan, 8, Rng(7));
  ASSERT_EQ(schedule.size(), plan.all());
  FaultPlan found;
  std::vector<double> restarts;
  std::vector<int> aims(3);
  for (const PlannedFault& fault : schedule) {
    EXPECT_GT(fault.moment, 0);
    EXPECT_LT(fault.moment, 0.95);
    EXPECT_LT(fault.client, 8U);
    if (fault.fault == Fault::kSever) ++found.sever;
    if (fault.fault == Fault::kTerminate) ++found.terminate;
    if (fault.fault == Fault::kRestartOrderly) ++found.restart_orderly;
    if (fault.fault == Fault::kRestartCrash) ++found.restart_crash;
    if (fault.fault == Fault::kRestartOrderly || fault.fault == Fault::kRestartCrash)
      restarts.push_back(fault.moment);
    else
      ++aims[static_cast<std::size_t>(fault.aim)];
  }
  EXPECT_EQ(found, plan);
  EXPECT_TRUE(std::ranges::is_sorted(schedule, {}, &PlannedFault::moment));
  for (std::size_t i = 1; i < restarts.size(); ++i) EXPECT_GT(restarts[i] - restarts[i - 1], 0.08);
  for (const int count : aims) EXPECT_GT(count, 5);
}

TEST(Faults, EqualSeedsGiveEqualSchedules) {
  const auto moments = [](std::uint64_t seed) {
    std::vector<double> all;
    for (const PlannedFault& fault : schedule_faults({9, 9, 2, 2}, 4, Rng(seed))) all.push_back(fault.moment);
    return all;
  };
  EXPECT_EQ(moments(3), moments(3));
  EXPECT_NE(moments(3), moments(4));
  EXPECT_TRUE(schedule_faults({}, 4, Rng(3)).empty());
}

// A runner whose time the test turns itself.
struct FakeRun {
  std::atomic<double> progress = 0;
  std::atomic<Phase> phase = Phase::kIdle;
  std::mutex guard;
  std::vector<std::string> done;
  std::optional<Error> fault;
  bool restart_fails = false;

  void note(std::string text) {
    const std::scoped_lock lock(guard);
    done.push_back(std::move(text));
  }
  FaultActions actions() {
    return {.progress = [this] { return progress.load(); },
            .phase = [this](std::uint32_t) { return phase.load(); },
            .sever = [this](std::uint32_t client) { note("sever " + std::to_string(client)); },
            .terminate =
                [this](std::uint32_t client) {
                  note("terminate " + std::to_string(client));
                  return Result<void>();
                },
            .restart =
                [this](db::Stop how) {
                  note(how == db::Stop::kCrash ? "crash" : "restart");
                  return restart_fails ? Result<void>(Error{"it did not start"}) : Result<void>();
                },
            .fail = [this](Error error) { fault = std::move(error); }};
  }
};

TEST(FaultInjector, DoesWhatIsPlannedInItsOrder) {
  FakeRun run;
  FaultInjector injector({{0.1, Fault::kSever, 3},
                          {0.2, Fault::kRestartCrash},
                          {0.3, Fault::kTerminate, 1},
                          {0.4, Fault::kRestartOrderly}},
                         run.actions());
  run.progress = 0.5;
  while (!injector.all_done()) std::this_thread::yield();
  EXPECT_EQ(injector.finish(), (FaultPlan{1, 1, 1, 1}));
  EXPECT_EQ(run.done, (std::vector<std::string>{"sever 3", "crash", "terminate 1", "restart"}));
  EXPECT_FALSE(run.fault);
}

TEST(FaultInjector, WhatTheRunWasTooShortForIsNotDoneAndNotCounted) {
  FakeRun run;
  FaultInjector injector({{0.1, Fault::kSever, 3}, {0.9, Fault::kRestartCrash}}, run.actions());
  run.progress = 0.5;
  while (true) {
    const std::scoped_lock lock(run.guard);
    if (!run.done.empty()) break;
  }
  EXPECT_EQ(injector.finish(), (FaultPlan{1, 0, 0, 0}));
  EXPECT_FALSE(injector.all_done());
  EXPECT_EQ(injector.finish(), (FaultPlan{1, 0, 0, 0}));
}

TEST(FaultInjector, AClientThatNeverCommitsIsNotWaitedForForever) {
  FakeRun run;
  run.progress = 1;
  FaultInjector injector({{0.1, Fault::kSever, 0, Phase::kCommitting}}, run.actions());
  while (!injector.all_done()) std::this_thread::yield();
  EXPECT_EQ(injector.finish().sever, 1U);
}

TEST(FaultInjector, AServerThatDoesNotComeBackStopsTheRun) {
  FakeRun run;
  run.restart_fails = true;
  run.progress = 1;
  {
    FaultInjector injector({{0.1, Fault::kRestartCrash}, {0.2, Fault::kSever, 0}}, run.actions());
    while (true) {
      const std::scoped_lock lock(run.guard);
      if (!run.done.empty()) break;
    }
    EXPECT_EQ(injector.finish(), FaultPlan{});
  }
  ASSERT_TRUE(run.fault);
  EXPECT_EQ(run.fault->text, "it did not start");
  EXPECT_EQ(run.done, std::vector<std::string>{"crash"});
}

TEST(FaultInjector, NotesWhatItDidWithItsTimes) {
  FakeRun run;
  FaultActions actions = run.actions();
  std::atomic<std::int64_t> time = 100;
  std::vector<std::string> noted;
  actions.now = [&] { return ++time; };
  actions.note = [&](const PlannedFault& done, std::int64_t from, std::int64_t to) {
    noted.push_back(std::string(name_of(done.fault)) + " " + std::to_string(to - from));
  };
  FaultInjector injector({{0.1, Fault::kSever, 3}, {0.2, Fault::kRestartCrash}}, actions);
  run.progress = 0.5;
  while (!injector.all_done()) std::this_thread::yield();
  injector.finish();
  EXPECT_EQ(noted, (std::vector<std::string>{"kill-connections 1", "crash 1"}));
}

}  // namespace faults_test
}  // namespace isolde::record
