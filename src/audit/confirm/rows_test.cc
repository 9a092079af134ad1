#include "audit/confirm/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/support/small_story.h"

namespace isolde::audit {
namespace rows_test {

constexpr const char* kSchema =
    "create table cart (id int primary key, owner int, total int);"
    "create table item (id int primary key auto_increment, cart_id int, qty int);";

struct Made {
  Play play;
  std::vector<InitialRow> rows;
};

Made make(const testing::StoryText& text, const Variation& variation = {}) {
  const auto story = testing::small_story(text);
  auto play = make_play(story.anomaly, story.classes, story.log);
  EXPECT_TRUE(play) << play.error().text;
  if (!play) return {};
  std::vector<InitialRow> rows = make_rows(*play, variation, 0);
  return {*std::move(play), std::move(rows)};
}

// "cart(3, 1, 1) item(1, 3, 1)"
std::string text_of(const Made& made) {
  std::string text;
  for (const InitialRow& row : made.rows) {
    std::vector<std::string> cells;
    for (const auto& cell : row.cells) cells.push_back(cell.value_or("null"));
    text += fmt::format("{}{}({})", text.empty() ? "" : " ", made.play.schema.table(row.table).name,
                        fmt::join(cells, ", "));
  }
  return text;
}

TEST(ConfirmRows, StatementsFindWhatTheyLookFor) {
  EXPECT_EQ(text_of(make({.schema = kSchema,
                          .transactions = {{"SELECT total FROM cart WHERE id = 3 AND owner = 7 AND total > 20"}},
                          .members = {0},
                          .order = "T1.1"})),
            "cart(3, 7, 21)");
}

TEST(ConfirmRows, JoinedRowsMeet) {
  EXPECT_EQ(
      text_of(make({.schema = kSchema,
                    .transactions = {{"SELECT qty FROM item JOIN cart ON cart.id = item.cart_id WHERE cart.id = 3"}},
                    .members = {0},
                    .order = "T1.1"})),
      "cart(3, 1, 1) item(1, 3, 1)");
}

TEST(ConfirmRows, RowsThatTheCycleTiesAreOneRow) {
  EXPECT_EQ(text_of(make({.schema = kSchema,
                          .transactions = {{"SELECT total FROM cart WHERE owner = 7"},
                                           {"UPDATE cart SET total = 1 WHERE id = 3"}},
                          .members = {0, 1},
                          .order = "T1.1 T2.1",
                          .edges = {"T1.1 T2.1 cart.total"}})),
            "cart(3, 7, 2)");  // and not the total that is written
}

TEST(ConfirmRows, ARowThatIsInsertedIsNotThereBefore) {
  const Made made =
      make({.schema = kSchema,
            .transactions = {{"SELECT total FROM cart WHERE id = 3", "INSERT INTO cart VALUES (3, 1, 1)"}},
            .members = {0},
            .order = "T1.1 T1.2"});
  EXPECT_EQ(text_of(made), "");
}

TEST(ConfirmRows, ARowThatIsDeletedFirstMayBeThere) {
  const Made made = make({.schema = kSchema,
                          .transactions = {{"DELETE FROM cart WHERE id = 3", "INSERT INTO cart VALUES (3, 1, 1)"}},
                          .members = {0},
                          .order = "T1.1 T1.2"});
  EXPECT_EQ(text_of(made), "cart(3, 1, 1)");
}

TEST(ConfirmRows, TwoMembersOfOneClassInsertDifferentRowsAndWriteDifferentValues) {
  const Made made =
      make({.schema = kSchema,
            .transactions = {{"UPDATE cart SET total = 17 WHERE id = 3", "INSERT INTO cart VALUES (4, 1, 1)"}},
            .members = {0, 0},
            .order = "T1.1 T2.1"});
  EXPECT_EQ(made.play.members[0].lines[0].literals[0], "17");
  EXPECT_EQ(made.play.members[1].lines[0].literals[0], "18");
  EXPECT_EQ(made.play.members[0].lines[1].literals[0], "4");
  EXPECT_NE(made.play.members[1].lines[1].literals[0], "4");
}

TEST(ConfirmRows, ANumberThatIsMadeIsTheOneThatIsLookedForLater) {
  const Made made = make(
      {.schema = kSchema,
       .transactions = {{"INSERT INTO item (cart_id, qty) VALUES (1, 1)", "UPDATE item SET qty = 2 WHERE id = 24"}},
       .members = {0},
       .order = "T1.1 T1.2"});
  EXPECT_EQ(made.play.members[0].lines[0].makes, "24");
  EXPECT_EQ(text_of(made), "");
}

TEST(ConfirmRows, TypesThatAreNotKnownAreGuessedFromLiterals) {
  const Made made = make({.schema = "create table t (a text, b text)",
                          .transactions = {{"SELECT x FROM t WHERE a = 'q' AND b = 5"}},
                          .members = {0},
                          .order = "T1.1"});
  EXPECT_EQ(text_of(made), "t(q, 5)");
}

}  // namespace rows_test
}  // namespace isolde::audit
