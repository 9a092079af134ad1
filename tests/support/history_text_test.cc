#include "tests/support/history_text.h"

#include <gtest/gtest.h>

#include "tests/support/random_history.h"

namespace isolde {
namespace history_text_test {

TEST(HistoryText, EveryPartOfTheLineIsRead) {
  const History h = hist(
      "init: x0 | T1@a 3..5 {10..20} #2: r x0 w x1 | T2@a!: w x_ | T3? ..7: a y1 r y[1 2] i c-1 | "
      "T4: s p{1} q{2} u p{3} r x1 | versions: x[1] y<T3>");
  ASSERT_EQ(h.txn_count(), 4U);
  constexpr std::string_view kNative = R"({"isolde":1,"initial":{"x":0}}
{"id":"T1","session":"a","begin":10,"end":20,"start_ts":3,"commit_ts":5,"order":2,"ops":[["r","x",0],["w","x",1]]}
{"id":"T2","session":"a","status":"aborted","ops":[["w","x",null]]}
{"id":"T3","session":"T3","status":"unknown","commit_ts":7,"ops":[["append","y",1],["r","y",[1,2]],["inc","c",-1]]}
{"id":"T4","session":"T4","ops":[["scan","v >= 0",[["p",{"v":1}],["q",{"v":2}]]],["update","v >= 0",[["p",{"v":3}]]],["r","x",1]]}
{"version_order":{"x":[1]},"complete":true}
{"version_order_by_txn":{"y":["T3"]},"complete":true}
)";
  EXPECT_EQ(native_text(h), kNative);
}

TEST(HistoryText, PredicatesHaveConditionsAggregatesAndVersionSets) {
  const History h =
      hist("T1: s`v < 3` x{1,7} y{_} <x{1,7} y{_} z{4}> g`sum(v)``v > 0` 1 g`max(v)` _ <> u`TRUE` x_ r x_");
  constexpr std::string_view kNative = R"j({"isolde":1,"initial":null}
{"id":"T1","session":"T1","ops":[["scan","v < 3",[["x",{"n":7,"v":1}],["y",{"v":null}]],{"vset":{"x":{"n":7,"v":1},"y":{"v":null},"z":{"v":4}}}],["agg","sum(v)","v > 0",1],["agg","max(v)","v >= 0",null,{"vset":{}}],["update","TRUE",[["x",null]]],["r","x",null]]}
)j";
  EXPECT_EQ(native_text(h), kNative);
}

TEST(RandomHistory, TheSameSeedGivesTheSameHistory) {
  Rng a(7);
  Rng b(7);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(difference(random_history(a, {}), random_history(b, {})), "");
  EXPECT_EQ(a.next(), b.next());
}

}  // namespace history_text_test
}  // namespace isolde
