#include "audit/confirm/evidence.h"

#include <gtest/gtest.h>

#include "tests/support/small_story.h"

namespace isolde::audit {
namespace evidence_test {

// T1 and T2 read cart 3 and write it: a lost update.
testing::SmallStory lost_update() {
  return testing::small_story(
      {.schema = "create table cart (id int primary key, total int)",
       .transactions = {{"SELECT total FROM cart WHERE id = 3", "UPDATE cart SET total = 17 WHERE id = 3"}},
       .members = {0, 0},
       .order = "T1.1 T2.1 T1.2 C1 T2.2 C2",
       .edges = {"T1.1 T2.2 cart.total", "T2.1 T1.2 cart.total"}});
}

// Its lines point into the story's log.
Play play_of(const testing::SmallStory& story) {
  auto play = make_play(story.anomaly, story.classes, story.log);
  EXPECT_TRUE(play) << play.error().text;
  return play ? *std::move(play) : Play{};
}

LineAnswer read_of(const std::string& value) {
  LineAnswer answer;
  answer.sent = answer.done = answer.gives_rows = true;
  answer.rows = {{"total"}, {{value}}};
  return answer;
}
LineAnswer wrote(std::uint64_t rows) {
  LineAnswer answer;
  answer.sent = answer.done = true;
  answer.changed = rows;
  return answer;
}

// `reads`: what T1 and T2 read; `left`: what is left. Answers come as T1 reads, T2 reads, T1 writes, commits, T2 …
Observed observed(const std::string& first, const std::string& second, const std::string& left) {
  Observed out;
  out.committed = {true, true};
  out.answers = {{read_of(first), wrote(1)}, {read_of(second), wrote(1)}};
  out.began = out.ended = {{0, 2}, {1, 4}};
  out.committed_at = {3, 5};
  out.left = {{{"id", "total"}, {{"3", left}}}};
  return out;
}

class ConfirmEvidence : public ::testing::Test {
 protected:
  const testing::SmallStory story = lost_update();
  Play play = play_of(story);
  BlindSpots blind;
  std::vector<std::uint32_t> snapshots = {kNone32, kNone32};
  SerialRuns serial = {{{0, 1}, observed("1", "17", "18")}, {{1, 0}, observed("18", "1", "17")}};
};

TEST_F(ConfirmEvidence, BothReadsThatMissTheOthersWriteAreTheCycle) {
  const Evidence evidence(play, serial, blind, snapshots);
  EXPECT_EQ(evidence.immaterial().why, "");
  EXPECT_EQ(evidence.missing(observed("1", "1", "18")), "");
}

TEST_F(ConfirmEvidence, ARunInWhichOneReadsTheOthersValueIsNotTheStory) {
  const Evidence evidence(play, serial, blind, snapshots);
  EXPECT_NE(evidence.missing(observed("1", "17", "99")).find("T2 reads cart.total as it was before T1 changed it"),
            std::string::npos)
      << evidence.missing(observed("1", "17", "99"));
}

TEST_F(ConfirmEvidence, RowsThatDoNotMeetAreImmaterial) {
  serial = {{{0, 1}, observed("1", "1", "18")}, {{1, 0}, observed("1", "1", "18")}};
  const Evidence evidence(play, serial, blind, snapshots);
  EXPECT_NE(evidence.immaterial().why.find("they do not meet"), std::string::npos) << evidence.immaterial().why;
  EXPECT_NE(evidence.missing(observed("1", "1", "99")), "");
}

TEST_F(ConfirmEvidence, AnOverwriteIsSeenByTheOrderOfTheAnswersAndByWhatIsLeft) {
  play.edges = {{0, 1, 1, 1, EdgeKind::kWw, play.edges[0].column}};
  const Evidence evidence(play, serial, blind, snapshots);
  EXPECT_EQ(evidence.missing(observed("1", "1", "18")), "");
  play.edges = {{1, 0, 1, 1, EdgeKind::kWw, play.edges[0].column}};
  EXPECT_NE(evidence.missing(observed("1", "1", "18")), "");
}

TEST_F(ConfirmEvidence, AnUpdateThatChangedNothingOverwroteNothing) {
  play.edges = {{0, 1, 1, 1, EdgeKind::kWw, play.edges[0].column}};
  Observed run = observed("1", "1", "17");
  run.answers[1][1] = wrote(0);
  EXPECT_NE(Evidence(play, serial, blind, snapshots).missing(run), "");
}

}  // namespace evidence_test
}  // namespace isolde::audit
