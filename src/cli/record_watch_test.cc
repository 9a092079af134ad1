#include "cli/record_watch.h"

#include <gtest/gtest.h>

#include "check/mirror/profile.h"

namespace isolde::cli {
namespace record_watch_test {

const mirror::Profile& snapshots() {
  const mirror::Profile* const profile = mirror::profile_named("mariadb-si:repeatable-read");
  EXPECT_NE(profile, nullptr);
  return *profile;
}

bool claims(const std::string& text) { return text.find("confirms") != std::string::npos; }

TEST(SecondOpinion, NothingIsConfirmedWhereNoOtherEngineRan) {
  EXPECT_EQ(second_opinion_text(snapshots(), "run.isl", std::nullopt),
            "  not checked by another engine; to do so: isolde check run.isl --level snapshot-isolation\n");
  EXPECT_FALSE(claims(second_opinion_text(snapshots(), "", std::nullopt)));
}

TEST(SecondOpinion, AnEngineThatFindsThePromisedLevelOrAWeakerOneViolatedConfirmsIt) {
  const std::string same =
      second_opinion_text(snapshots(), "run.isl", Judged{Level::kSnapshotIsolation, Outcome::kViolated, "graph"});
  EXPECT_TRUE(claims(same)) << same;
  EXPECT_NE(same.find("(graph)"), std::string::npos) << same;
  EXPECT_TRUE(
      claims(second_opinion_text(snapshots(), "run.isl", Judged{Level::kCursorStability, Outcome::kViolated, "weak"})));
}

TEST(SecondOpinion, OneThatAgreesOnNothingConfirmsNothing) {
  // What serializability forbids, snapshot isolation may allow.
  EXPECT_FALSE(
      claims(second_opinion_text(snapshots(), "run.isl", Judged{Level::kSerializable, Outcome::kViolated, "solver"})));
  EXPECT_FALSE(claims(
      second_opinion_text(snapshots(), "run.isl", Judged{Level::kSnapshotIsolation, Outcome::kUndecided, "solver"})));
  const std::string satisfied =
      second_opinion_text(snapshots(), "run.isl", Judged{Level::kSerializable, Outcome::kSatisfied, "solver"});
  EXPECT_NE(satisfied.find("does not confirm this"), std::string::npos) << satisfied;
}

}  // namespace record_watch_test
}  // namespace isolde::cli
