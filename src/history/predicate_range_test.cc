#include <gtest/gtest.h>

#include <algorithm>

#include "history/predicate_shapes.h"
#include "history/predicate_testing.h"

namespace isolde {
namespace predicate_range_test {

using testing::Versions;

std::string shown(const std::optional<Scalar>& bound) {
  if (!bound) return "…";
  if (bound->kind == ScalarKind::kInteger) return std::to_string(bound->integer);
  return bound->kind == ScalarKind::kReal ? std::to_string(bound->real) : std::string(bound->string());
}

// E.g. "a[1,5) whole"; several apart by spaces.
std::string ranges(std::string_view where) {
  Versions v;
  v.row({{"a", "1"}, {"b", "2"}});
  const ColumnNames names(v.table());
  const auto predicate = CompiledPredicate::compile(where, names);
  if (!predicate) return testing::shown(predicate.error());
  std::string out;
  for (const PredicateRange& r : predicate->ranges()) {
    if (!out.empty()) out += ' ';
    out += r.subject == PredicateRange::Subject::kKey     ? "key"
           : r.subject == PredicateRange::Subject::kValue ? "value"
           : r.column == kNoColumn                        ? "?"
                                                          : std::string(v.table().string(r.column));
    out += (r.low_included ? "[" : "(") + shown(r.low) + "," + shown(r.high) + (r.high_included ? "]" : ")");
    if (r.is_whole) out += " whole";
  }
  return out;
}

TEST(PredicateRanges, OneComparisonIsOneRange) {
  EXPECT_EQ(ranges("a = 1"), "a[1,1] whole");
  EXPECT_EQ(ranges("a < 1"), "a[…,1) whole");
  EXPECT_EQ(ranges("1 < a"), "a(1,…] whole");
  EXPECT_EQ(ranges("a >= -1"), "a[-1,…] whole");
  EXPECT_EQ(ranges("key BETWEEN 1 AND 5"), "key[1,5] whole");
  EXPECT_EQ(ranges("value = 'x'"), "value[x,x] whole");
  EXPECT_EQ(ranges("a IN (3)"), "a[3,3] whole");
}

TEST(PredicateRanges, AConjunctionNarrows) {
  EXPECT_EQ(ranges("a > 1 AND a <= 5 AND a > 1"), "a(1,5] whole");
  EXPECT_EQ(ranges("a >= 1 AND a > 1 AND a < 9 AND a <= 9"), "a(1,9) whole");
  EXPECT_EQ(ranges("a > 1 AND (a < 9 AND b = 2)"), "b[2,2] a(1,9)");
  EXPECT_EQ(ranges("key BETWEEN 1 AND 5 AND dead IS NULL"), "key[1,5]");
  EXPECT_EQ(ranges("a IN (5, 2, 9)"), "a[2,9]");
}

TEST(PredicateRanges, NothingElseIsARange) {
  EXPECT_EQ(ranges("TRUE"), "");
  EXPECT_EQ(ranges("a <> 1"), "");
  EXPECT_EQ(ranges("a = 1 OR b = 2"), "");
  EXPECT_EQ(ranges("NOT a = 1"), "");
  EXPECT_EQ(ranges("a NOT BETWEEN 1 AND 2"), "");
  EXPECT_EQ(ranges("a + 1 = 2"), "");
  EXPECT_EQ(ranges("a = b"), "");
  EXPECT_EQ(ranges("a = NULL"), "");
  EXPECT_EQ(ranges("a BETWEEN NULL AND 1"), "");
  EXPECT_EQ(ranges("a BETWEEN 1 AND 'x'"), "");
  EXPECT_EQ(ranges("a IN (1, NULL)"), "");
  EXPECT_EQ(ranges("a > 1 AND a < 'x'"), "a[…,x)");
  EXPECT_EQ(ranges("a LIKE 'x%'"), "");
}

TEST(PredicateRanges, FindTheirCandidatesInASortedIndex) {
  Versions v;
  std::vector<ValueId> ids;
  for (const char* text : {"-2", "0", "1", "1.5", "2", "5", "null", "'1'", "'a'", "true"}) {
    ids.push_back(v.scalar(text));
  }
  std::vector<Scalar> index;
  for (const ValueId id : ids) index.push_back(scalar_of(v.table(), id));
  std::sort(index.begin(), index.end(), index_less);
  const auto found = [&](std::string_view where) {
    const auto predicate = CompiledPredicate::compile(where, ColumnNames(v.table()));
    const PredicateRange& r = predicate->ranges().at(0);
    const auto from = std::partition_point(index.begin(), index.end(), [&](const Scalar& s) { return r.is_before(s); });
    const auto to = std::partition_point(from, index.end(), [&](const Scalar& s) { return !r.is_after(s); });
    for (const Scalar& s : index) {
      EXPECT_EQ(r.contains(s), (&s >= &*from && &s < index.data() + (to - index.begin())));
    }
    return to - from;
  };
  EXPECT_EQ(found("value >= 1"), 5);  // 1, true, 1.5, 2, 5
  EXPECT_EQ(found("value > 1"), 3);
  EXPECT_EQ(found("value < 1"), 2);
  EXPECT_EQ(found("value = 1"), 2);
  EXPECT_EQ(found("value BETWEEN 3 AND 2"), 0);
  EXPECT_EQ(found("value < 'a'"), 1);
  EXPECT_EQ(found("value >= '1'"), 2);
}

// ---- shapes

TEST(PredicateCompiler, TextsThatDifferInLiteralsShareAShape) {
  Versions v;
  const ValueId row = v.row({{"a", "5"}, {"s", "'x'"}});
  const ValueTable table = v.table();
  PredicateCompiler compiler(table);
  const auto ask = [&](std::string_view where) {
    const auto predicate = compiler.compile(where);
    if (!predicate) return testing::shown(predicate.error());
    return std::string(testing::word(predicate->evaluate(table, ValueId{1}, row).truth));
  };
  EXPECT_EQ(ask("a = 5 AND s = 'x'"), "true");
  EXPECT_EQ(ask("a = 6 AND s = 'x'"), "false");
  EXPECT_EQ(ask("a = 5 AND s = 'it''s'"), "false");
  EXPECT_EQ(ask("a = 5 AND s = 'x'"), "true");
  EXPECT_EQ(compiler.shape_count(), 1U);
  EXPECT_EQ(ask("a > -7"), "true");
  EXPECT_EQ(ask("a > -0"), "true");
  EXPECT_EQ(ask("a > - 5000000000"), "true");
  EXPECT_EQ(ask("a -7 < 0"), "true");
  EXPECT_EQ(ask("a -3 < 0"), "false");
  EXPECT_EQ(ask("a -3 < -2"), "false");
  EXPECT_EQ(ask("a > -(7)"), "true");
  EXPECT_EQ(ask("a > -(3)"), "true");
  EXPECT_EQ(ask("a > - -3"), "true");
  EXPECT_EQ(ask("a > - -7"), "false");
  EXPECT_EQ(ask("s LIKE 'y!x' ESCAPE 'y'"), "false");
  EXPECT_EQ(ask("s LIKE 'yx' ESCAPE 'y'"), "true");
  EXPECT_EQ(ask("s LIKE 'zx' ESCAPE 'z'"), "true");
  EXPECT_EQ(ask("a = 4.5 OR a = 5e0"), "true");
  EXPECT_EQ(ask("a = 1 OR a = 0005"), "true");
  EXPECT_EQ(ask("a = 1 OR a = 99999999999999999999"), "false");
  EXPECT_EQ(ask("a = 1 OR"), "1:9: syntax error at end of input");
  EXPECT_EQ(ask("s = 'y'"), "false");
  EXPECT_EQ(ask("s = '\xff'"), "1:1: the text is not valid UTF-8");
}

}  // namespace predicate_range_test
}  // namespace isolde
