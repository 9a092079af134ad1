#include "history/predicate.h"

#include <gtest/gtest.h>

#include "history/predicate_testing.h"

namespace isolde {
namespace predicate_test {

using testing::Versions;

class PredicateTest : public ::testing::Test {
 protected:
  // Over a row with a=5, b=-3, half=0.5, s='Anna', yes=true, nothing=null, big=2^63-1, under the key 7.
  std::string ask(std::string_view where) {
    const ValueId row = v_.row({{"a", "5"},
                                {"b", "-3"},
                                {"half", "0.5"},
                                {"s", "'Anna'"},
                                {"yes", "true"},
                                {"nothing", "null"},
                                {"big", "9223372036854775807"},
                                {"huge", "18446744073709551615"},
                                {"third", "0.30000000000000004"}});
    faults_ = kNoFault;
    return v_.ask(where, ValueId{7}, row, &faults_);
  }
  Versions v_;
  std::uint8_t faults_ = kNoFault;
};

TEST_F(PredicateTest, ComparisonsOfIntegers) {
  EXPECT_EQ(ask("a = 5"), "true");
  EXPECT_EQ(ask("a <> 5"), "false");
  EXPECT_EQ(ask("a != 5"), "false");
  EXPECT_EQ(ask("a < 5"), "false");
  EXPECT_EQ(ask("a <= 5"), "true");
  EXPECT_EQ(ask("a > 4 AND 4 < a AND 6 > a AND 5 >= a"), "true");
  EXPECT_EQ(ask("b < a"), "true");
}

TEST_F(PredicateTest, NegativeAndZeroLiteralsKeepTheirValues) {
  EXPECT_EQ(ask("b = -3"), "true");
  EXPECT_EQ(ask("b = - 3"), "true");
  EXPECT_EQ(ask("b = -(3)"), "true");
  EXPECT_EQ(ask("b = - ( - (-3))"), "true");
  EXPECT_EQ(ask("b = -4"), "false");
  EXPECT_EQ(ask("a - 5 = 0"), "true");
  EXPECT_EQ(ask("a -5 = -0"), "true");
  EXPECT_EQ(ask("b > -2147483648"), "true");
  EXPECT_EQ(ask("b > -2147483649 AND b > -9223372036854775808"), "true");
  EXPECT_EQ(ask("b IN (-1, -2, -3)"), "true");
  EXPECT_EQ(ask("b = -/* three */3"), "1:5: this notation of a number is not supported in a predicate");
}

TEST_F(PredicateTest, IntegersAndRealsCompareByTheirExactValues) {
  EXPECT_EQ(ask("half = 0.5 AND half < 1 AND 0 < half"), "true");
  EXPECT_EQ(ask("a = 5.0"), "true");
  EXPECT_EQ(ask("big < 9223372036854775808"), "true");
  EXPECT_EQ(ask("big = 9223372036854775807.0"), "true");
  EXPECT_EQ(ask("big < 9.3e18 AND big > 9.2e18"), "true");
  EXPECT_EQ(ask("huge = 18446744073709551615"), "true");
  EXPECT_EQ(ask("huge > big AND huge < 18446744073709551616 AND huge > 1.5"), "true");
  EXPECT_EQ(ask("third = 0.1 + 0.2 AND third = 0.30000000000000004 AND third > 0.3"), "true");
}

TEST_F(PredicateTest, NullMakesAComparisonUnknown) {
  EXPECT_EQ(ask("nothing = 1"), "unknown");
  EXPECT_EQ(ask("nothing = NULL"), "unknown");
  EXPECT_EQ(ask("nothing <> 1"), "unknown");
  EXPECT_EQ(ask("NOT nothing = 1"), "unknown");
  EXPECT_EQ(ask("nothing IS NULL AND a IS NOT NULL"), "true");
  EXPECT_EQ(ask("nothing IS DISTINCT FROM NULL"), "false");
  EXPECT_EQ(ask("a IS DISTINCT FROM nothing AND a IS NOT DISTINCT FROM 5"), "true");
  EXPECT_EQ(faults_, kNoFault);
}

TEST_F(PredicateTest, AndOrAndNotHaveThreeValues) {
  EXPECT_EQ(ask("NULL AND FALSE"), "false");
  EXPECT_EQ(ask("NULL AND TRUE"), "unknown");
  EXPECT_EQ(ask("TRUE AND NULL"), "unknown");
  EXPECT_EQ(ask("NULL OR TRUE"), "true");
  EXPECT_EQ(ask("NULL OR FALSE"), "unknown");
  EXPECT_EQ(ask("NOT NULL"), "unknown");
  EXPECT_EQ(ask("(NULL IS TRUE) OR (NULL IS FALSE)"), "false");
  EXPECT_EQ(ask("(NULL IS NOT TRUE) AND (NULL IS NOT FALSE) AND (NULL IS UNKNOWN)"), "true");
}

TEST_F(PredicateTest, ListsAndRanges) {
  EXPECT_EQ(ask("a BETWEEN 5 AND 6"), "true");
  EXPECT_EQ(ask("a BETWEEN 6 AND 5"), "false");
  EXPECT_EQ(ask("a BETWEEN NULL AND 4"), "false");
  EXPECT_EQ(ask("a BETWEEN NULL AND 6"), "unknown");
  EXPECT_EQ(ask("a NOT BETWEEN 6 AND 9"), "true");
  EXPECT_EQ(ask("a IN (1, 5, 2)"), "true");
  EXPECT_EQ(ask("a IN (1, 2, NULL)"), "unknown");
  EXPECT_EQ(ask("a IN (1, 5, NULL)"), "true");
  EXPECT_EQ(ask("a NOT IN (1, 2)"), "true");
  EXPECT_EQ(ask("a NOT IN (1, NULL)"), "unknown");
  EXPECT_EQ(ask("nothing IN (1, 2)"), "unknown");
  EXPECT_EQ(ask("half IN (1, 2)"), "false");
  EXPECT_EQ(ask("a IN (b + 8, 1)"), "true");
  EXPECT_EQ(ask("s IN ('Otto', 'Anna')"), "true");
}

TEST_F(PredicateTest, ArithmeticIsPostgresqls) {
  EXPECT_EQ(ask("a + b = 2 AND a - b = 8 AND a * b = -15"), "true");
  EXPECT_EQ(ask("a / 2 = 2 AND b / 2 = -1 AND b % 2 = -1 AND a % -3 = 2"), "true");
  EXPECT_EQ(ask("a / 2.0 = 2.5 AND half * 4 = 2 AND 5.5 % 2 = 1.5"), "true");
  EXPECT_EQ(ask("-a = -5 AND +a = 5 AND - half < 0 AND abs(b) = 3 AND abs(-half) = half"), "true");
  EXPECT_EQ(ask("2 + 3 * 2 = 8 AND (2 + 3) * 2 = 10"), "true");
}

TEST_F(PredicateTest, WhatPostgresqlWouldRefuseIsUnknownAndAFault) {
  EXPECT_EQ(ask("big + 1 > 0"), "unknown");
  EXPECT_EQ(faults_, kOverflowFault);
  EXPECT_EQ(ask("(-big - 1) / -1 > 0"), "unknown");
  EXPECT_EQ(ask("(-big - 1) % -1 = 0"), "true");
  EXPECT_EQ(ask("a / 0 = 1"), "unknown");
  EXPECT_EQ(faults_, kDivisionByZeroFault);
  EXPECT_EQ(ask("a % (b + 3) = 1"), "unknown");
  EXPECT_EQ(ask("1e308 * 10 > 0"), "unknown");
  EXPECT_EQ(ask("s = 5"), "unknown");
  EXPECT_EQ(faults_, kKindsFault);
  EXPECT_EQ(ask("s + 1 = 5"), "unknown");
  EXPECT_EQ(ask("s AND TRUE"), "unknown");
  EXPECT_EQ(ask("huge + 1 > 0"), "true");
  EXPECT_EQ(faults_, kInexactFault);
}

TEST_F(PredicateTest, WhatCannotMatterIsNotEvaluated) {
  EXPECT_EQ(ask("a = 6 AND a / 0 = 1"), "false");
  EXPECT_EQ(faults_, kNoFault);
  EXPECT_EQ(ask("a = 5 OR a / 0 = 1"), "true");
  EXPECT_EQ(ask("coalesce(a, a / 0) = 5"), "true");
  EXPECT_EQ(faults_, kNoFault);
}

TEST_F(PredicateTest, BooleansCountAsNumbersAndNumbersAsConditions) {
  EXPECT_EQ(ask("yes"), "true");
  EXPECT_EQ(ask("yes = TRUE AND yes IS TRUE AND yes = 1"), "true");
  EXPECT_EQ(ask("a"), "true");
  EXPECT_EQ(ask("a - 5 OR half - 0.5"), "false");
  EXPECT_EQ(ask("(a OR FALSE) = TRUE"), "true");
}

TEST_F(PredicateTest, TextComparesByItsBytes) {
  EXPECT_EQ(ask("s = 'Anna' AND s < 'anna' AND s > 'Ann' AND s <> ''"), "true");
  EXPECT_EQ(ask("lower(s) = 'anna' AND upper(s) = 'ANNA' AND lower(upper(s)) = 'anna'"), "true");
  EXPECT_EQ(ask("length(s) = 4 AND length('Zoë') = 3 AND length('') = 0"), "true");
  EXPECT_EQ(ask("'it''s' = E'it\\'s'"), "true");
}

TEST_F(PredicateTest, Like) {
  EXPECT_EQ(ask("s LIKE 'A%' AND s LIKE '%a' AND s LIKE '%nn%' AND s LIKE 'A__a' AND s LIKE '%'"), "true");
  EXPECT_EQ(ask("s LIKE 'a%'"), "false");
  EXPECT_EQ(ask("s ILIKE 'aN%' AND s NOT LIKE '_' AND s NOT LIKE ''"), "true");
  EXPECT_EQ(ask("'100%' LIKE '100\\%' AND '100x' NOT LIKE '100\\%'"), "true");
  EXPECT_EQ(ask("'100%' LIKE '100!%' ESCAPE '!'"), "true");
  EXPECT_EQ(ask("'a\\b' LIKE 'a\\b' ESCAPE ''"), "true");
  EXPECT_EQ(ask("'Zoë!' LIKE 'Zo_!' AND 'ëë' LIKE '_%_' AND 'ë' NOT LIKE '__'"), "true");
  EXPECT_EQ(ask("'aaaaaaaaaaaaaaaaaaaaaaab' LIKE '%a%a%a%a%a%a%c'"), "false");
  EXPECT_EQ(ask("'a%' LIKE 'a%%' ESCAPE '%'"), "true");
  EXPECT_EQ(ask("lower(s) LIKE 'anna'"), "true");
  EXPECT_EQ(ask("nothing LIKE 'a'"), "unknown");
  EXPECT_EQ(ask("a LIKE '5'"), "unknown");
  EXPECT_EQ(faults_, kKindsFault);
  EXPECT_EQ(ask("s LIKE 'Anna\\'"), "unknown");
  EXPECT_EQ(faults_, kPatternFault);
}

TEST_F(PredicateTest, KeyIsTheKeyAndAColumnThatTheRowLacksIsNull) {
  EXPECT_EQ(ask("key = 7 AND key BETWEEN 1 AND 7"), "true");
  EXPECT_EQ(ask("missing IS NULL"), "true");
  EXPECT_EQ(ask("value IS NULL"), "true");
  EXPECT_EQ(ask("missing = 1"), "unknown");
  const ValueId row = v_.row({{"key", "1"}, {"value", "2"}});
  EXPECT_EQ(v_.ask("key = 'k' AND value = 2", v_.scalar("'k'"), row), "true");
}

TEST_F(PredicateTest, AScalarIsItsValue) {
  EXPECT_EQ(v_.ask("value % 2 = 0", ValueId{1}, ValueId{4}), "true");
  EXPECT_EQ(v_.ask("value % 2 = 0", ValueId{1}, ValueId{5}), "false");
  EXPECT_EQ(v_.ask("value = 'x' AND a IS NULL", ValueId{1}, v_.scalar("'x'")), "true");
}

TEST_F(PredicateTest, AListIsNotNullAndComparesWithNothing) {
  const ValueId elements[] = {ValueId{1}, ValueId{2}};
  const ValueId list = v_.interner().list(elements);
  EXPECT_EQ(v_.ask("value IS NOT NULL", ValueId{1}, list), "true");
  EXPECT_EQ(v_.ask("value = 1", ValueId{1}, list), "unknown");
}

TEST_F(PredicateTest, AnAbsentVersionMatchesNothing) {
  EXPECT_EQ(v_.ask("TRUE", ValueId{1}, kNullValue), "false");
  EXPECT_EQ(v_.ask("value IS NULL", ValueId{1}, kNullValue), "false");
  EXPECT_EQ(v_.ask("dead IS NULL", ValueId{1}, kNullValue), "false");
}

TEST_F(PredicateTest, AnUnquotedNameIsFoldedUnlessOnlyItsSpellingExists) {
  const ValueId row = v_.row({{"Balance", "1"}, {"amount", "2"}, {"Amount", "3"}});
  EXPECT_EQ(v_.ask("Balance = 1", ValueId{1}, row), "true");
  EXPECT_EQ(v_.ask("balance = 1", ValueId{1}, row), "unknown");
  EXPECT_EQ(v_.ask("\"Balance\" = 1", ValueId{1}, row), "true");
  EXPECT_EQ(v_.ask("Amount = 2", ValueId{1}, row), "true");
  EXPECT_EQ(v_.ask("\"Amount\" = 3", ValueId{1}, row), "true");
}

TEST_F(PredicateTest, ManyAtOnceEqualOneByOne) {
  std::vector<ValueId> keys, versions;
  for (std::uint32_t i = 0; i < 100; ++i) {
    keys.push_back(ValueId{i});
    versions.push_back(i % 7 == 0 ? kNullValue : v_.row({{"a", std::to_string(i % 10)}}));
  }
  for (const char* where : {"a > 4 OR key = 3", "TRUE", "a = 'x'"}) {
    const auto predicate = CompiledPredicate::compile(where, ColumnNames(v_.table()));
    ASSERT_TRUE(predicate.has_value());
    std::vector<Truth> results(100);
    const std::uint8_t all_faults = predicate->evaluate_all(v_.table(), keys, versions, results);
    std::uint8_t faults = kNoFault;
    for (std::size_t i = 0; i < 100; ++i) {
      const Evaluation one = predicate->evaluate(v_.table(), keys[i], versions[i]);
      faults |= one.faults;
      EXPECT_EQ(results[i], one.truth) << where << " " << i;
    }
    EXPECT_EQ(all_faults, faults);
  }
}

TEST_F(PredicateTest, SaysWhatItAsks) {
  v_.row({{"a", "1"}, {"b", "2"}});
  const ColumnNames names(v_.table());
  const auto predicate = CompiledPredicate::compile("a = 1 AND (b > a OR key = 1)", names);
  ASSERT_TRUE(predicate.has_value());
  EXPECT_EQ(predicate->columns().size(), 2U);
  EXPECT_TRUE(predicate->uses_key());
  EXPECT_FALSE(predicate->uses_value());
  EXPECT_FALSE(predicate->is_true());
  EXPECT_TRUE(CompiledPredicate::compile("TRUE", names)->is_true());
}

}  // namespace predicate_test
}  // namespace isolde
