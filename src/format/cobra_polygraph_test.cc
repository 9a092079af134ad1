#include "format/cobra_polygraph.h"

#include <gtest/gtest.h>

#include "tests/support/format_testing.h"

namespace isolde {
namespace cobra_polygraph_test {

using testing::shown;
using testing::source_of;

std::string reading(std::string_view text, bool lenient = false) {
  return shown(kCobraPolygraphFormat.read(source_of(text), ReadOptions{.lenient = lenient}));
}

TEST(CobraPolygraph, AnEdgeIsAWriteAndARead) { EXPECT_EQ(reading("n:2\ne:1,0\n"), "0@0: r 0=1\n1@1: w 0=1\n"); }

TEST(CobraPolygraph, AConstraintOfTwoWritersIsTwoWrites) {
  EXPECT_EQ(reading("n:2\nc:0,1|1,0\n"), "0@0: w 0=1\n1@1: w 0=2\n");
}

TEST(CobraPolygraph, AConstraintOfAReaderIsAWriteItsReadAndAnotherWrite) {
  const std::string expected = "0@0: r 0=1 r 1=1\n1@1: w 1=2\n2@2: w 0=1 w 1=1\n";
  EXPECT_EQ(reading("n:3\nc:0,1|1,2\ne:2,0\n"), expected);
  EXPECT_EQ(reading("n:3\nc:1,2|0,1\ne:2,0\n"), expected) << "the edges may stand the other way round";
}

TEST(CobraPolygraph, TheEdgeToTheReaderMayFollowFromOthers) {
  EXPECT_EQ(reading("n:4\ne:2,3\ne:3,0\nc:0,1|1,2"),
            "0@0: r 1=1 r 2=1\n1@1: w 2=2\n2@2: w 0=1 w 2=1\n3@3: r 0=1 w 1=1\n");
}

TEST(CobraPolygraph, AConstraintThatNoHistoryHasIsAnError) {
  EXPECT_EQ(reading("n:3\ne:0,2\nc:0,1|1,2\n"),
            "mem:3:1: expected that edges lead from 2 to 0: without them the constraint does not come from a history");
  EXPECT_EQ(reading("n:4\nc:0,1|2,3\n"),
            "mem:2:1: expected two edges that meet, c:a,b|b,d: others do not come from a history");
}

TEST(CobraPolygraph, AnErrorNamesItsPlace) {
  EXPECT_EQ(reading("n:2\ne:0,2\n"), "mem:2:5: expected a node, 0 to 1");
  EXPECT_EQ(reading("n:2\ne:1,1\n"), "mem:2:3: expected an edge between two nodes, found one from a node to itself");
  EXPECT_EQ(reading("n:2\nf:1,1\n"), "mem:2:1: expected e:a,b or c:a,b|b,d");
  EXPECT_EQ(reading("n:4000000000\n"), "mem:1:3: expected at most 10000 nodes in a file of this size");
}

TEST(CobraPolygraph, ALastLineThatIsCutOffIsDroppedOnlyWhenAskedFor) {
  EXPECT_EQ(reading("n:2\ne:1,0\nc:0,1|1"), "mem:3:8: expected ',' between two nodes");
  EXPECT_EQ(reading("n:2\ne:1,0\nc:0,1|1", true), "0@0: r 0=1\n1@1: w 0=1\n");
}

}  // namespace cobra_polygraph_test
}  // namespace isolde
