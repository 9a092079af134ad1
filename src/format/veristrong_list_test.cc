#include "format/veristrong_list.h"

#include <gtest/gtest.h>

#include "tests/support/format_testing.h"

namespace isolde {
namespace veristrong_list_test {

using testing::shown;
using testing::source_of;

std::string reading(std::string_view text, bool lenient = false) {
  return shown(kVeristrongListFormat.read(source_of(text), ReadOptions{.lenient = lenient}));
}

TEST(VeristrongList, AppendsAndReadsOfLists) {
  EXPECT_EQ(reading("4\n1 1 A 5 10\n2 2 R 5 2 10 11\n1 1 R 5 0\n1 3 A 5 11\n"),
            "1@1: a 5=10 r 5=null\n2@2: r 5=[10,11]\n3@1: a 5=11\n");
}

TEST(VeristrongList, TheNumberOfLinesMustFit) {
  EXPECT_EQ(reading("1\n1 1 A 5 10\n1 1 A 5 11\n"), "mem:3:1: expected the end of the file after 1 lines");
  EXPECT_EQ(reading("3\n1 1 A 5 10\n"), "mem:2:11: expected 2 more lines, but the file ends");
  EXPECT_EQ(reading("3\n1 1 A 5 10\n", true), "1@1: a 5=10\n");
}

TEST(VeristrongList, AnErrorNamesItsPlace) {
  EXPECT_EQ(reading("1\n1 1 W 5 10\n"), "mem:2:5: expected R (read) or A (append)");
  EXPECT_EQ(reading("1\n1 1 R 5 3 1 2\n"), "mem:2:14: expected an element, a 64-bit integer");
  EXPECT_EQ(reading("1\n1 1 R 5 18446744073709551615 1 2\n"), "mem:2:33: expected an element, a 64-bit integer");
}

}  // namespace veristrong_list_test
}  // namespace isolde
