#include "hunt/run/answers.h"

#include <gtest/gtest.h>

#include <cmath>

namespace isolde::hunt {
namespace answers_test {

using db::Cell;

db::Reply rows(std::size_t width, std::vector<Cell> cells) {
  db::Reply reply;
  reply.width = width;
  reply.cells = std::move(cells);
  return reply;
}

db::Reply refused(std::string code) {
  db::Reply reply;
  reply.fate = db::Fate::kStatementFailed;
  reply.failure = {std::move(code), "words"};
  return reply;
}

TEST(Answers, TheOrderOfRowsDoesNotCountButTheirNumberDoes) {
  EXPECT_TRUE(same_answer(rows(2, {1, "a", 2, "b"}), rows(2, {2, "b", 1, "a"})));
  EXPECT_FALSE(same_answer(rows(2, {1, "b", 2, "a"}), rows(2, {2, "b", 1, "a"})));
  EXPECT_FALSE(same_answer(rows(1, {1, 1, 2}), rows(1, {1, 2, 2})));
  EXPECT_FALSE(same_answer(rows(1, {1, 1}), rows(1, {1})));
  EXPECT_TRUE(same_answer(rows(1, {}), rows(1, {})));
  EXPECT_FALSE(same_answer(rows(1, {}), rows(2, {})));
}

TEST(Answers, TypesCount) {
  EXPECT_FALSE(same_answer(rows(1, {1}), rows(1, {"1"})));
  EXPECT_FALSE(same_answer(rows(1, {1}), rows(1, {1.0})));
  EXPECT_FALSE(same_answer(rows(1, {Cell()}), rows(1, {"null"})));
  EXPECT_TRUE(same_answer(rows(1, {Cell()}), rows(1, {Cell()})));
  EXPECT_TRUE(same_answer(rows(1, {std::nan(""), 2.5}), rows(1, {2.5, std::nan("")})));
  EXPECT_FALSE(same_answer(rows(1, {std::nan("")}), rows(1, {2.5})));
}

TEST(Answers, TextsThatLookAlikeWhenShownAreTold) {
  EXPECT_FALSE(same_answer(rows(2, {"a', 'b", "c"}), rows(2, {"a", "b', 'c"})));
}

TEST(Answers, CountsAndRefusalsCount) {
  db::Reply two, three;
  two.changed = 2;
  three.changed = 3;
  EXPECT_FALSE(same_answer(two, three));
  EXPECT_TRUE(same_answer(two, two));
  EXPECT_FALSE(same_answer(two, refused("1062")));
  EXPECT_TRUE(same_answer(refused("1062"), refused("1062")));
  EXPECT_FALSE(same_answer(refused("1062"), refused("1213")));
}

TEST(Answers, TheyAreShownInOneLine) {
  EXPECT_EQ(answer_text(rows(2, {2, "b", 1, Cell()})), "2 rows: (1, null), (2, 'b')");
  EXPECT_EQ(answer_text(rows(1, {})), "no rows");
  EXPECT_EQ(answer_text(rows(1, {1.0})), "1 row: (1.0)");
  EXPECT_EQ(answer_text(refused("1062")), "refused: 1062: words");
  db::Reply one;
  one.changed = 1;
  EXPECT_EQ(answer_text(one), "1 row changed");
}

TEST(Answers, ExecutionsDifferByWhatAClientSees) {
  Execution e;
  e.runs.resize(1);
  e.runs[0].resize(1);
  e.runs[0][0].ran = Ran::kDone;
  e.ends = {Ended::kCommitted};
  e.answered = {{0, 0}, {0, 1}};
  e.final["a"] = {{1, 2, "1, 2"}};
  Execution other = e;
  EXPECT_EQ(difference(e, other), std::nullopt);
  other.runs[0][0].reply.changed = 1;
  EXPECT_EQ(difference(e, other), "T1.1: 0 rows changed, then 1 row changed");
  other = e;
  other.ends = {Ended::kAborted};
  EXPECT_EQ(difference(e, other), "T1: committed, then aborted");
  other = e;
  other.final["a"][0].vkey = 3;
  EXPECT_EQ(difference(e, other), "the rows left in a differ");
  other = e;
  other.answered = {{0, 1}, {0, 0}};
  EXPECT_NE(difference(e, other), std::nullopt);
  other = e;
  other.runs[0][0].seen["a"] = {};
  EXPECT_EQ(difference(e, other), "T1.1: the rows that it saw differ");
}

}  // namespace answers_test
}  // namespace isolde::hunt
