#include "format/awdit.h"

#include <gtest/gtest.h>

#include "tests/support/format_testing.h"

namespace isolde {
namespace awdit_test {

using testing::shown;
using testing::source_of;

std::string reading(std::string_view text, bool lenient = false) {
  return shown(kAwditFormat.read(source_of(text), ReadOptions{.lenient = lenient}));
}

TEST(AwditReader, DashesEndTransactionsAndEqualSignsEndSessions) {
  EXPECT_EQ(reading("w 0 1\nr 1 0\n---\nr 0 1\n==========\nw 1 0"), "0@0: w 0=1 r 1=0\n1@0: r 0=1\n2@1: w 1=0\n");
}

TEST(AwditReader, NothingBetweenTwoSeparatorsIsNoTransaction) {
  EXPECT_EQ(reading("-----\nw 0 1\n-----\n=====\n=====\n\nr 0 1\n-----\n"), "0@0: w 0=1\n1@2: r 0=1\n");
}

TEST(AwditReader, ThereIsNoInitialValue) {
  EXPECT_EQ(kAwditFormat.read(source_of("r 0 0"), {})->history.default_initial(), kNullValue);
}

TEST(AwditReader, AnErrorNamesItsPlace) {
  EXPECT_EQ(reading("w 0 1\nq 0 1\n"),
            "mem:2:1: expected `r key value`, `w key value`, a line of '-' or a line of '='");
  EXPECT_EQ(reading("w 0\n"), "mem:1:4: expected the value, a 64-bit integer");
  EXPECT_EQ(reading("w 0 1 2\n"), "mem:1:7: expected the end of the line after the value");
}

TEST(AwditReader, ALastLineThatIsCutOffIsDroppedOnlyWhenAskedFor) {
  EXPECT_EQ(reading("w 0 1\nw 5", false), "mem:2:4: expected the value, a 64-bit integer");
  EXPECT_EQ(reading("w 0 1\nw 5", true), "0@0: w 0=1\n");
}

}  // namespace awdit_test
}  // namespace isolde
