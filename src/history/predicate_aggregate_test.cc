#include "history/predicate_aggregate.h"

#include <gtest/gtest.h>

#include "history/predicate_testing.h"

namespace isolde {
namespace predicate_aggregate_test {

using testing::Versions;

class AggregateTest : public ::testing::Test {
 protected:
  // Whether `recorded` agrees with the aggregate over rows whose column c has these values.
  bool agrees(std::string_view expression, const std::vector<std::string_view>& column, std::string_view recorded) {
    std::vector<ValueId> rows;
    for (const std::string_view value : column) rows.push_back(v_.row({{"c", value}}));
    const ValueId result = v_.scalar(recorded);
    const ValueTable table = v_.table();
    const auto aggregate = CompiledAggregate::compile(expression, ColumnNames(table));
    EXPECT_TRUE(aggregate.has_value()) << expression;
    if (!aggregate) return false;
    AggregateState state(*aggregate, table);
    for (const ValueId row : rows) state.add(ValueId{1}, row);
    state.add(ValueId{2}, kNullValue);
    faults_ = state.faults();
    return state.agrees(result);
  }
  Versions v_;
  std::uint8_t faults_ = kNoFault;
};

TEST_F(AggregateTest, OfNothingCountIsZeroAndTheRestNull) {
  EXPECT_TRUE(agrees("count(*)", {}, "0"));
  EXPECT_TRUE(agrees("count(c)", {"null"}, "0"));
  for (const char* expression : {"min(c)", "max(c)", "sum(c)", "avg(c)"}) {
    EXPECT_TRUE(agrees(expression, {}, "null")) << expression;
    EXPECT_TRUE(agrees(expression, {"null"}, "null")) << expression;
    EXPECT_FALSE(agrees(expression, {}, "0")) << expression;
    EXPECT_FALSE(agrees(expression, {"1"}, "null")) << expression;
  }
  EXPECT_FALSE(agrees("count(*)", {}, "null"));
}

TEST_F(AggregateTest, NullsDoNotCount) {
  EXPECT_TRUE(agrees("count(*)", {"1", "null", "2"}, "3"));
  EXPECT_TRUE(agrees("count(c)", {"1", "null", "2"}, "2"));
  EXPECT_TRUE(agrees("sum(c)", {"1", "null", "2"}, "3"));
  EXPECT_TRUE(agrees("avg(c)", {"1", "null", "2"}, "1.5"));
  EXPECT_TRUE(agrees("min(c)", {"null", "2", "1"}, "1"));
  EXPECT_TRUE(agrees("max(c)", {"1", "2", "null"}, "2"));
}

TEST_F(AggregateTest, MinAndMaxOfNumbersAndOfText) {
  EXPECT_TRUE(agrees("min(c)", {"3", "-1", "2.5"}, "-1"));
  EXPECT_TRUE(agrees("max(c)", {"3", "-1", "3.5"}, "3.5"));
  EXPECT_FALSE(agrees("max(c)", {"3", "-1"}, "2"));
  EXPECT_TRUE(agrees("max(c)", {"'a'", "'b'"}, "'b'"));
  EXPECT_TRUE(agrees("max(c + 1)", {"3", "4"}, "5"));
  EXPECT_EQ(faults_, kNoFault);
  EXPECT_FALSE(agrees("max(c)", {"3", "'b'"}, "'b'"));
  EXPECT_EQ(faults_, kKindsFault);
}

TEST_F(AggregateTest, SumsOfIntegersAreExactPast64Bits) {
  EXPECT_TRUE(agrees("sum(c)", {"9223372036854775807", "9223372036854775807"}, "18446744073709551614"));
  EXPECT_FALSE(agrees("sum(c)", {"9223372036854775807", "9223372036854775807"}, "18446744073709551615"));
  EXPECT_TRUE(agrees("sum(c)", {"-9223372036854775808", "-1"}, "-9223372036854775809"));
  EXPECT_TRUE(agrees("sum(c)", {"1", "2"}, "3.0"));
  EXPECT_FALSE(agrees("sum(c)", {"1", "2"}, "'3'"));
}

TEST_F(AggregateTest, SumsOfRealsMayDifferByRounding) {
  EXPECT_TRUE(agrees("sum(c)", {"0.1", "0.2"}, "0.3"));
  EXPECT_TRUE(agrees("sum(c)", {"0.1", "0.2"}, "0.30000000000000004"));
  EXPECT_FALSE(agrees("sum(c)", {"0.1", "0.2"}, "0.3001"));
  EXPECT_TRUE(agrees("sum(c)", {"1e15", "0.5", "-1e15"}, "0.5"));
  EXPECT_FALSE(agrees("sum(c)", {"0.5", "1"}, "1"));
}

TEST_F(AggregateTest, AveragesOfIntegersMayBeRoundedToFourDecimals) {
  EXPECT_TRUE(agrees("avg(c)", {"1", "1", "2"}, "1.3333"));
  EXPECT_TRUE(agrees("avg(c)", {"1", "2", "2"}, "1.6667"));
  EXPECT_TRUE(agrees("avg(c)", {"1", "1", "2"}, "1.3333333333333333333"));
  EXPECT_FALSE(agrees("avg(c)", {"1", "1", "2"}, "1.33"));
  EXPECT_FALSE(agrees("avg(c)", {"1", "1", "2"}, "1"));
  EXPECT_TRUE(agrees("avg(c)", {"1", "3"}, "2"));
  EXPECT_TRUE(agrees("avg(c)", {"9223372036854775807", "9223372036854775805"}, "9223372036854775806"));
  EXPECT_TRUE(agrees("avg(c)", {"0.5", "1"}, "0.75"));
  EXPECT_FALSE(agrees("avg(c)", {"0.000001", "0.000003"}, "0.000003"));
}

TEST_F(AggregateTest, TextHasNoSum) {
  EXPECT_TRUE(agrees("sum(c)", {"'x'", "2"}, "2"));
  EXPECT_EQ(faults_, kKindsFault);
}

}  // namespace predicate_aggregate_test
}  // namespace isolde
