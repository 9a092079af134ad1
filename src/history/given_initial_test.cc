#include "history/given_initial.h"

#include <gtest/gtest.h>

#include "history/history_builder.h"

namespace isolde {
namespace given_initial_test {

// The initial values of the keys x, own and list, with `text` given.
std::string initials(const std::string& text) {
  HistoryBuilder b;
  b.set_initial(b.key("own"), b.values().string("mine"));
  b.begin_txn(b.session(1));
  b.read(b.key("x"), b.values().string("a"));
  b.append(b.key("list"), b.values().integer(1));
  b.read(b.key("own"), b.values().string("mine"));
  b.end_txn();
  const History before = *b.finish();
  const auto given = with_initial(before, text);
  if (!given) return given.error().message();
  EXPECT_EQ(defect_of(given->columns()), "");
  std::string out;
  for (std::uint32_t k = 0; k < given->key_count(); ++k) {
    out += given->key_text(KeyId{k}) + "=" + given->value_text(given->initial(KeyId{k})) + " ";
  }
  return out + "else " + given->value_text(given->default_initial());
}

TEST(GivenInitial, HoldsForKeysThatHaveNoneOfTheirOwnAndAreNoLists) {
  EXPECT_EQ(initials("0"), "own=\"mine\" x=0 list=null else 0");
  EXPECT_EQ(initials("null"), "own=\"mine\" x=null list=null else null");
  EXPECT_EQ(initials("-7"), "own=\"mine\" x=-7 list=null else -7");
  EXPECT_EQ(initials("1.5"), "own=\"mine\" x=1.5 list=null else 1.5");
  EXPECT_EQ(initials("true"), "own=\"mine\" x=true list=null else true");
  EXPECT_EQ(initials("a"), "own=\"mine\" x=\"a\" list=null else \"a\"");
  EXPECT_EQ(initials("\"0\""), "own=\"mine\" x=\"0\" list=null else \"0\"");
}

TEST(GivenInitial, AValueThatIsReadAlreadyIsTheSameValue) {
  HistoryBuilder b;
  b.begin_txn(b.session(1));
  b.read(b.key("x"), b.values().string("a"));
  b.end_txn();
  const History before = *b.finish();
  const History after = *with_initial(before, "a");
  EXPECT_EQ(after.initial(KeyId{0}), after.op_value(0));
  EXPECT_TRUE(after.columns().key_initial.empty());
}

TEST(GivenInitial, TakesScalarsAlone) {
  for (const char* text : {"", "[]", "[1]", "{\"x\":1}", "\"open"}) {
    EXPECT_TRUE(wrong_initial(text)) << text;
    EXPECT_TRUE(initials(text).starts_with("--initial takes one scalar")) << text;
  }
  EXPECT_FALSE(wrong_initial("0"));
}

}  // namespace given_initial_test
}  // namespace isolde
