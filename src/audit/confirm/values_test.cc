#include "audit/confirm/values.h"

#include <gtest/gtest.h>

namespace isolde::audit {
namespace values_test {

TEST(Values, TypesOfAllDialectsAreRecognised) {
  EXPECT_EQ(value_type("int(11)").kind, ValueKind::kInteger);
  EXPECT_EQ(value_type("BIGINT unsigned").kind, ValueKind::kInteger);
  EXPECT_EQ(value_type("tinyint(4)").most, 127U);
  EXPECT_EQ(value_type("decimal(5,2)").most, 999U);
  EXPECT_EQ(value_type("double precision").kind, ValueKind::kDecimal);
  EXPECT_EQ(value_type("varchar(20)").length, 20U);
  EXPECT_EQ(value_type("character varying(7)").length, 7U);
  EXPECT_EQ(value_type("timestamp without time zone").kind, ValueKind::kDateTime);
  EXPECT_EQ(value_type("date").kind, ValueKind::kDate);
  EXPECT_EQ(value_type("interval").kind, ValueKind::kText);
  EXPECT_EQ(value_type("").kind, ValueKind::kText);
  EXPECT_EQ(value_type("enum('a','it''s')").words, (std::vector<std::string>{"a", "it's"}));
}

TEST(Values, ALiteralLooksLikeAType) {
  EXPECT_EQ(type_of_literal("42"), "bigint");
  EXPECT_EQ(type_of_literal("4.20"), "decimal(20,4)");
  EXPECT_EQ(type_of_literal("2016-11-02"), "date");
  EXPECT_EQ(type_of_literal("2016-11-02 21:43:37"), "datetime");
  EXPECT_EQ(type_of_literal("abc"), "varchar(255)");
  EXPECT_EQ(type_of_literal("-"), "varchar(255)");
}

TEST(Values, TheFirstValuesOfNumbersAndTextsAreEqual) {
  EXPECT_EQ(nth_value(value_type("int"), 1), nth_value(value_type("varchar(5)"), 1));
  EXPECT_EQ(nth_value(value_type("char(1)"), 71), "1");
  EXPECT_EQ(nth_value(value_type("date"), 2), "2020-01-03");
  EXPECT_EQ(nth_value(value_type("enum('x','y')"), 1), "x");
  EXPECT_EQ(nth_value(value_type("decimal(4,4)"), 71), "0.0071");
  EXPECT_EQ(nth_value(value_type("decimal(4, 2)"), 171), "71");
}

TEST(Values, AnotherValueFitsAndDiffers) {
  EXPECT_EQ(value_beside(value_type("int"), "3012", 1), "3013");
  EXPECT_EQ(value_beside(value_type("tinyint(4)"), "127", 1), "126");
  EXPECT_EQ(value_beside(value_type("decimal(5,2)"), "10.50", 2), "12.50");
  EXPECT_EQ(value_beside(value_type("varchar(4)"), "abcd", 1), "ab~1");
  EXPECT_EQ(value_beside(value_type("boolean"), "1", 1), "0");
  EXPECT_EQ(value_beside(value_type("enum('x','y')"), "x", 1), "y");
  const SqlValueType date = value_type("datetime");
  EXPECT_NE(value_beside(date, "2020-01-03 00:00:00", 1), "2020-01-03 00:00:00");
}

TEST(Values, WhatDoesNotFitIsMadeToFit) {
  EXPECT_EQ(fitting_value(value_type("int"), ""), "0");
  EXPECT_EQ(fitting_value(value_type("decimal(4,4)"), "7"), "0");
  EXPECT_EQ(fitting_value(value_type("int"), "4.9"), "5");
  EXPECT_EQ(fitting_value(value_type("datetime"), "0000-00-00 00:00:00"), "0001-01-01");
  EXPECT_EQ(fitting_value(value_type("varchar(3)"), "abcdef"), "abc");
  EXPECT_EQ(fitting_value(value_type("varchar(2)"), "a\xC3\xA4"), "a");  // no half letter
}

TEST(Values, QuotesAndBackslashesAreDoubled) {
  EXPECT_EQ(quoted_value("it's", false), "'it''s'");
  EXPECT_EQ(quoted_value("a\\b", false), "'a\\b'");
  EXPECT_EQ(quoted_value("a\\b", true), "'a\\\\b'");
  EXPECT_EQ(quoted_value(std::string_view("a\0b", 3), true), "'a\\0b'");
  EXPECT_EQ(quoted_value(std::string_view("a\0b", 3), false), "'ab'");
}

TEST(Values, NumbersAreEqualByValue) {
  EXPECT_TRUE(same_value(value_type("int"), "1", "1.0"));
  EXPECT_FALSE(same_value(value_type("varchar(9)"), "1", "1.0"));
}

}  // namespace values_test
}  // namespace isolde::audit
