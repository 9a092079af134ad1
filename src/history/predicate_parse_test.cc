#include <gtest/gtest.h>

#include "history/predicate_aggregate.h"
#include "history/predicate_testing.h"

namespace isolde {
namespace predicate_parse_test {

std::string fault_of(std::string_view where) {
  const auto tree = parse_predicate(where);
  return tree ? "none" : testing::shown(tree.error());
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(PredicateParser, TakesWhatTheReadersWrite) {
  for (const char* where :
       {"TRUE", "value = 1", "value = -1", "value = 'it''s'", "value = TRUE", "value IS NULL", "value = 1.5",
        "value % 2 = 0", "value % -3 = -1", "dead IS NULL", "key BETWEEN 1 AND 5 AND dead IS NULL",
        "key BETWEEN 'a' AND 'b''c' AND dead IS NULL", "key >= 10 AND dead IS NULL", "key <= -10 AND dead IS NULL",
        "c1 > 10", "c1 > 10 AND c2 = 'x'", "balance BETWEEN 0 AND 100", "value = 18446744073709551615"}) {
    EXPECT_EQ(fault_of(where), "none") << where;
  }
}

TEST(PredicateParser, SaysWhatIsNotSupportedAndWhere) {
  EXPECT_EQ(fault_of("a = 1 AND b = (SELECT 1)"), "1:15: a subquery is not supported in a predicate");
  EXPECT_EQ(fault_of("a = 1 AND now() > b"), "1:11: the call of now is not supported in a predicate");
  EXPECT_EQ(fault_of("a ~ 'x'"), "1:3: the operator ~ is not supported in a predicate");
  EXPECT_EQ(fault_of("a || 'x' = 'y'"), "1:3: the operator || is not supported in a predicate");
  EXPECT_EQ(fault_of("t.a = 1"), "1:1: a column name with a table name before it is not supported in a predicate");
  EXPECT_EQ(fault_of("a::int = 1"), "1:2: a cast is not supported in a predicate");
  EXPECT_EQ(fault_of("CASE WHEN a = 1 THEN TRUE END"), "1:1: CASE is not supported in a predicate");
  EXPECT_EQ(fault_of("a = $1"), "1:5: a parameter is not supported in a predicate");
  EXPECT_EQ(fault_of("a = b'101'"), "1:5: a bit string is not supported in a predicate");
  EXPECT_EQ(fault_of("a = ANY(b)"), "1:3: OP_ANY is not supported in a predicate");
  EXPECT_EQ(fault_of("a BETWEEN SYMMETRIC 2 AND 1"), "1:3: BETWEEN_SYM is not supported in a predicate");
  EXPECT_EQ(fault_of("lower(a, b) = 'x'"), "1:1: the call of lower is not supported in a predicate");
  EXPECT_EQ(fault_of("a LIKE 'x' ESCAPE 'yz'"),
            "1:3: an ESCAPE other than one ASCII character in quotes is not supported in a predicate");
}

TEST(PredicateParser, SaysWhereTheSyntaxIsWrong) {
  EXPECT_EQ(fault_of("a = = 1"), "1:5: syntax error at or near \"=\"");
  EXPECT_EQ(fault_of("é = = 1"), "1:6: syntax error at or near \"=\"");
  EXPECT_EQ(fault_of(""), "1:1: syntax error at end of input");
  EXPECT_EQ(fault_of("a ="), "1:4: syntax error at end of input");
  EXPECT_EQ(fault_of("a = 'x"), "1:5: unterminated quoted string at or near \"'x\"");
}

TEST(PredicateParser, TakesOneExpressionAndNothingAfterIt) {
  EXPECT_EQ(fault_of("TRUE ORDER BY a"), "1:1: expected one expression and nothing after it (sortClause)");
  EXPECT_EQ(fault_of("TRUE; DROP TABLE t"), "1:1: expected one expression");
  EXPECT_EQ(fault_of("TRUE UNION SELECT 1"), "1:1: expected one expression and nothing after it (larg)");
  EXPECT_EQ(fault_of("TRUE LIMIT 1"), "1:1: expected one expression and nothing after it (limitCount)");
  EXPECT_EQ(fault_of("TRUE FOR UPDATE"), "1:1: expected one expression and nothing after it (lockingClause)");
  EXPECT_EQ(fault_of("TRUE -- a comment"), "none");
  EXPECT_EQ(fault_of(std::string_view("TRUE\0 AND", 9)), "1:5: a NUL character in a predicate");
  EXPECT_EQ(fault_of("a = '\xff'"), "1:1: the text is not valid UTF-8");
}

TEST(PredicateParser, RefusesWhatIsTooLongOrNestsTooDeep) {
  EXPECT_EQ(fault_of(std::string(kMaxPredicateText + 1, ' ')), "1:1: the text is longer than 65536 bytes");
  EXPECT_NE(fault_of(repeated("NOT ", 300) + "a"), "none");
  EXPECT_NE(fault_of(repeated("NOT ", 16000) + "a"), "none");
  EXPECT_NE(fault_of(repeated("(", 30000) + "a" + repeated(")", 30000)), "none");
  EXPECT_NE(fault_of("a = " + repeated("1+", 1000) + "1"), "none");
  EXPECT_NE(fault_of("a = " + repeated("1+", 30000) + "1"), "none");
  EXPECT_NE(fault_of("a" + repeated(" ISNULL", 9000)), "none");
  EXPECT_NE(fault_of("a = " + repeated("abs(", 9000) + "1" + repeated(")", 9000)), "none");
  EXPECT_NE(fault_of("a = " + repeated("b[", 9000) + "1" + repeated("]", 9000)), "none");
  EXPECT_NE(fault_of(repeated("CASE WHEN ", 3000) + "a" + repeated(" THEN a END", 3000)), "none");
  EXPECT_EQ(fault_of("a = 1" + repeated(" OR a = 2", 7000)), "none");
  EXPECT_EQ(fault_of("a IN (1" + repeated(",-2", 20000) + ")"), "none");
  EXPECT_EQ(fault_of("a = " + repeated("1+", 100) + "1"), "none");
}

TEST(PredicateParser, RefusesWhatHoldsTooManyValuesAtOnce) {
  const std::string where = "a = " + repeated("1+(", 100) + "1" + repeated(")", 100);
  const auto predicate = CompiledPredicate::compile(where, ColumnNames(ValueTable{}));
  ASSERT_FALSE(predicate.has_value());
  EXPECT_EQ(testing::shown(predicate.error()), "1:1: the expression holds more than 64 values at once");
}

std::string aggregate_fault(std::string_view text) {
  const auto tree = parse_aggregate(text);
  return tree ? "none" : testing::shown(tree.error());
}

TEST(AggregateParser, TakesTheFiveAndRefusesTheRest) {
  for (const char* text : {"max(c1)", "MIN(c1)", "count(*)", "COUNT(c1)", "sum(c1 * 2)", "avg(abs(c1))"}) {
    EXPECT_EQ(aggregate_fault(text), "none") << text;
  }
  const std::string expected = "1:1: expected count(*), or one of count, min, max, sum and avg of one expression";
  for (const char* text : {"c1", "stddev(c1)", "max(*)", "max(a, b)", "max(c1) + 1", "1", "*", "max(a) WHERE b"}) {
    EXPECT_EQ(aggregate_fault(text), expected) << text;
  }
  EXPECT_EQ(aggregate_fault("count(DISTINCT a)"), "1:1: agg_distinct of an aggregate is not supported in a predicate");
  EXPECT_EQ(aggregate_fault("sum(a) FILTER (WHERE b)"),
            "1:1: agg_filter of an aggregate is not supported in a predicate");
  EXPECT_EQ(aggregate_fault("max(a), min(a)"), "1:1: expected one expression");
  EXPECT_EQ(aggregate_fault("max(a) FROM t"), "1:1: expected one expression and nothing after it (fromClause)");
}

}  // namespace predicate_parse_test
}  // namespace isolde
