#include "history/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace isolde {
namespace value_test {

class Value : public ::testing::Test {
 protected:
  std::string json(ValueId v) const { return values_.table().json(v); }
  ValueType type(ValueId v) const { return values_.table().type(v); }
  // The text of a number, as it is written again.
  std::string number(std::string_view text) { return json(values_.number_text(text)); }
  void expect_same(std::string_view a, std::string_view b) {
    EXPECT_EQ(values_.number_text(a), values_.number_text(b)) << a << " and " << b;
  }
  void expect_other(std::string_view a, std::string_view b) {
    EXPECT_NE(values_.number_text(a), values_.number_text(b)) << a << " and " << b;
  }
  std::string defect() const {
    return defect_of_values(values_.table().size() == 0 ? std::span<const std::uint64_t>(kNothing) : begin(), types(),
                            bytes());
  }
  std::span<const std::uint64_t> begin() const { return const_cast<ValueInterner&>(values_).begin_column().view(); }
  std::span<const std::uint8_t> types() const { return const_cast<ValueInterner&>(values_).type_column().view(); }
  std::span<const std::uint8_t> bytes() const { return const_cast<ValueInterner&>(values_).bytes_column().view(); }

  static constexpr std::uint64_t kNothing[] = {0};
  ValueInterner values_;
};

TEST_F(Value, SmallIntegersAreTheirOwnIds) {
  EXPECT_EQ(raw(values_.integer(0)), 0U);
  EXPECT_EQ(raw(values_.integer(0x7fffffff)), 0x7fffffffU);
  EXPECT_EQ(values_.table().size(), 0U);
  EXPECT_TRUE(is_table_value(values_.integer(0x80000000LL)));
  EXPECT_TRUE(is_table_value(values_.integer(-1)));
  EXPECT_EQ(type(kNullValue), ValueType::kNull);
  EXPECT_EQ(json(kNullValue), "null");
}

TEST_F(Value, EveryIntegerKeepsItsValue) {
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{7}, std::int64_t{-1}, std::int64_t{0x7fffffff},
                               std::int64_t{0x80000000LL}, std::int64_t{1} << 40, INT64_MIN, INT64_MAX}) {
    const ValueId id = values_.integer(n);
    EXPECT_EQ(type(id), ValueType::kInteger);
    EXPECT_EQ(values_.table().integer(id), n);
    EXPECT_EQ(values_.integer(n), id);
    EXPECT_EQ(json(id), std::to_string(n));
    EXPECT_EQ(values_.number_text(std::to_string(n)), id);
  }
}

TEST_F(Value, UnsignedIntegersBeyondSignedOnesAreNumbersStill) {
  EXPECT_EQ(values_.unsigned_integer(7), values_.integer(7));
  EXPECT_EQ(values_.unsigned_integer(INT64_MAX), values_.integer(INT64_MAX));
  const ValueId largest = values_.unsigned_integer(UINT64_MAX);
  EXPECT_EQ(type(largest), ValueType::kNumberText);
  EXPECT_EQ(json(largest), "18446744073709551615");
  EXPECT_EQ(values_.number_text("18446744073709551615"), largest);
}

TEST_F(Value, AnIntegerARealAndAStringAreThreeValues) {
  EXPECT_NE(values_.integer(1), values_.number_text("1.0"));
  EXPECT_NE(values_.string("1"), values_.integer(1));
  EXPECT_NE(values_.string("1.0"), values_.number_text("1.0"));
  EXPECT_EQ(json(values_.number_text("1.0")), "1.0");
  EXPECT_EQ(json(values_.string("1")), "\"1\"");
  EXPECT_NE(values_.boolean(true), values_.boolean(false));
  EXPECT_EQ(json(values_.boolean(false)), "false");
}

TEST_F(Value, TextsOfOneNumberAreOneValue) {
  expect_same("0.10", "0.1");
  expect_same("1.0", "1.00");
  expect_same("1e2", "100.0");
  expect_same("1E+2", "1e2");
  expect_same("100e-2", "1.0");
  expect_same("0.0", "0e7");
  expect_same("-0.0", "0.0");
  expect_same("-0", "0");
  expect_same("0.12345678901234567", "0.1234567890123456700");
  expect_same("1234567890123456789.5", "1.2345678901234567895e18");
  expect_same("1e400", "10E399");
  expect_same("1.50e-400", "15e-401");
  expect_other("1", "1.0");
  expect_other("1e400", "1e401");
  expect_other("1e400", "-1e400");
  expect_other("0.12345678901234567", "0.12345678901234568");
  expect_other("1e-324", "2e-324");
  expect_other("12345678901234567890", "12345678901234567891");
  expect_other("12345678901234567890", "12345678901234567890.0");
}

TEST_F(Value, NumbersThatNothingHoldsKeepTheirDigits) {
  EXPECT_EQ(number("12345678901234567890"), "12345678901234567890");
  EXPECT_EQ(number("-12345678901234567890"), "-12345678901234567890");
  EXPECT_EQ(number("1e400"), "1e400");
  EXPECT_EQ(number("-1.5E+400"), "-1.5e400");
  EXPECT_EQ(number("0.12345678901234567"), "0.12345678901234567");
  EXPECT_EQ(number("-12345678901234567.25"), "-12345678901234567.25");
  EXPECT_EQ(number("123456789012345678e2"), "12345678901234567800.0");
  EXPECT_EQ(number("0.00000001234567890123456789"), "1.234567890123456789e-8");
  EXPECT_EQ(number("1e99999999999999999999"), "1e99999999999999999999");
  EXPECT_EQ(defect(), "");
}

TEST_F(Value, WhatIsWrittenReadsAsTheSameValue) {
  for (const char* text : {"1.5", "-1.5", "1e22", "1e-7", "123456789012345.0", "0.1", "1e300", "2.5e-308",
                           "1.7976931348623157e308", "5e-324", "1e16", "1e17", "9007199254740993.0", "1e400",
                           "0.30000000000000004", "100000000000000000000000000000000000.0"}) {
    const ValueId id = values_.number_text(text);
    EXPECT_EQ(values_.number_text(json(id)), id) << text << " as " << json(id);
  }
  EXPECT_EQ(defect(), "");
}

TEST_F(Value, RealsAreTheNumbersThatTheirTextSays) {
  EXPECT_EQ(values_.real(0.1), values_.number_text("0.1"));
  EXPECT_EQ(values_.real(1), values_.number_text("1.0"));
  EXPECT_EQ(values_.real(-0.0), values_.real(0.0));
  EXPECT_EQ(values_.real(0.1 + 0.2), values_.number_text("0.30000000000000004"));
  EXPECT_EQ(values_.real(1e22), values_.number_text("10000000000000000000000.0"));
  EXPECT_EQ(json(values_.real(std::numeric_limits<double>::infinity())), "\"Infinity\"");
  EXPECT_EQ(json(values_.real(-std::numeric_limits<double>::infinity())), "\"-Infinity\"");
  EXPECT_EQ(json(values_.real(std::nan(""))), "\"NaN\"");
  EXPECT_EQ(values_.table().real(values_.real(2.5)), 2.5);
}

TEST_F(Value, WhatIsNoNumberBecomesAString) {
  for (const char* text : {"", "-", "+1", "01", "1.", ".5", "1e", "1e+", "0x10", "inf", "nan", "1-2-3-4-5-6-7-8-9-10",
                           "1 ", "1.2.3", "--1"}) {
    EXPECT_FALSE(is_json_number(text)) << text;
    EXPECT_EQ(values_.number_text(text), values_.string(text)) << text;
  }
  for (const char* text : {"0", "-0", "10", "1.5", "1e5", "1E-5", "0.0e+00"}) EXPECT_TRUE(is_json_number(text)) << text;
}

TEST_F(Value, ListsAndRowsAreValuesByContent) {
  const ValueId inner[] = {values_.integer(1), values_.string("a"), kNullValue};
  const ValueId list = values_.list(inner);
  EXPECT_EQ(values_.list(inner), list);
  EXPECT_EQ(json(list), "[1,\"a\",null]");
  const ValueId nested[] = {list, values_.list({})};
  EXPECT_EQ(json(values_.list(nested)), "[[1,\"a\",null],[]]");
  EXPECT_EQ(values_.table().elements(list)->size(), 3U);
  EXPECT_EQ(values_.table().elements(kNullValue)->size(), 0U);
  EXPECT_FALSE(values_.table().elements(values_.integer(1)));

  const RowField fields[] = {{values_.string("b"), values_.integer(2)}, {values_.string("a"), list}};
  const RowField turned[] = {fields[1], fields[0]};
  EXPECT_EQ(values_.row(fields), values_.row(turned));
  EXPECT_EQ(json(values_.row(fields)), "{\"a\":[1,\"a\",null],\"b\":2}");
  EXPECT_EQ(json(values_.row({})), "{}");
  EXPECT_NE(values_.row({}), values_.list({}));
}

TEST_F(Value, OfTwoFieldsWithOneNameTheLaterStays) {
  const ValueId a = values_.string("a");
  const RowField fields[] = {
      {a, values_.integer(1)}, {values_.string("b"), values_.integer(2)}, {a, values_.integer(3)}};
  EXPECT_EQ(json(values_.row(fields)), "{\"a\":3,\"b\":2}");
}

TEST_F(Value, FindsAStringOnlyIfItIsThere) {
  EXPECT_FALSE(values_.find_string("x"));
  const ValueId x = values_.string("x");
  EXPECT_EQ(values_.find_string("x"), x);
  EXPECT_EQ(values_.string(""), values_.string(std::string_view{}));
}

TEST_F(Value, StringsAreEscaped) {
  const auto escaped = [](std::string_view text) {
    std::string out;
    append_json_string(text, out);
    return out;
  };
  EXPECT_EQ(escaped("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(escaped(std::string_view("\0\x1f\n\t\r", 5)), R"("\u0000\u001f\u000a\u0009\u000d")");
  EXPECT_EQ(escaped("\x7f/é€😀"), "\"\x7f/é€😀\"");
  EXPECT_EQ(escaped("a\xff"
                    "b"),
            "\"a\xef\xbf\xbd"
            "b\"");
  EXPECT_EQ(escaped("\xc3"), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(escaped("\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");                  // too long a form
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");  // half a pair
  EXPECT_EQ(escaped("\xf4\x90\x80\x80").size(), 2 + 4 * 3U);                       // beyond the last
}

TEST_F(Value, ATableThatItMadeHasNoDefect) {
  EXPECT_EQ(defect_of_values(kNothing, {}, {}), "");
  const RowField fields[] = {{values_.string("b"), values_.integer(-2)}, {values_.string("a"), values_.boolean(true)}};
  const ValueId both[] = {values_.row(fields), values_.number_text("1.5"), values_.number_text("1e999")};
  (void)values_.list(both);
  EXPECT_EQ(defect(), "");
}

TEST_F(Value, NestingAsDeepAsAllowedIsNoDefectAndDeeperIsOne) {
  ValueId v = values_.list({});
  for (int i = 0; i < kMaxValueDepth; ++i) v = values_.list(std::span(&v, 1));
  EXPECT_EQ(defect(), "");
  EXPECT_EQ(json(v).size(), 2U * (kMaxValueDepth + 1));
  v = values_.list(std::span(&v, 1));
  EXPECT_EQ(defect(), "value 65: nested too deep");
}

TEST_F(Value, AShortTableThatStandsForAnEndlessTextIsADefect) {
  ValueId v = values_.list({});
  for (int i = 0; i < 20; ++i) v = values_.list(std::vector{v, v});
  EXPECT_EQ(defect(), "");
  for (int i = 0; i < 20; ++i) v = values_.list(std::vector{v, v});
  EXPECT_EQ(defect(), "value 24: too large when written out");
}

struct Damage {
  ValueType type;
  std::vector<std::uint8_t> bytes;
  std::string_view says;
};

TEST_F(Value, AnEntryInAnotherFormThanItsOwnIsADefect) {
  const auto eight = [](auto value) {
    std::vector<std::uint8_t> out(8);
    std::memcpy(out.data(), &value, 8);
    return out;
  };
  const auto text = [](std::string_view s) { return std::vector<std::uint8_t>(s.begin(), s.end()); };
  const Damage all[] = {
      {ValueType::kInteger, eight(std::int64_t{5}), "value 0: a number that is not in its canonical form"},
      {ValueType::kInteger, {1, 2, 3, 4}, "value 0: a number that does not have 8 bytes"},
      {ValueType::kReal, eight(-0.0), "value 0: a number that is not in its canonical form"},
      {ValueType::kReal, eight(std::nan("")), "value 0: a number that is not in its canonical form"},
      {ValueType::kReal, eight(0.1 + 0.2), "value 0: a number that is not in its canonical form"},
      {ValueType::kReal, eight(5e-324), "value 0: a number that is not in its canonical form"},
      {ValueType::kBoolean, {2}, "value 0: a boolean that is neither true nor false"},
      {ValueType::kNumberText, text("1.5"), "value 0: a number that is not in its canonical form"},
      {ValueType::kNumberText, text("],[1"), "value 0: a number that is not in its canonical form"},
      {ValueType::kList, {1, 0, 0}, "value 0: a truncated list or row"},
      {ValueType::kList, {1, 0, 0, 0x80}, "value 0: refers to a later value"},
      {ValueType::kRow, {1, 0, 0, 0, 1, 0, 0, 0}, "value 0: a column name that is not a string"},
      {ValueType::kNull, {}, "value 0: unknown type"},
      {static_cast<ValueType>(9), {}, "value 0: unknown type"},
  };
  for (const Damage& damage : all) {
    std::vector<std::uint8_t> payload = damage.bytes;
    const std::size_t padding = (4 - payload.size() % 4) % 4;
    for (std::size_t i = 0; i < padding; ++i) payload.push_back(0);
    const std::uint8_t entry[] = {static_cast<std::uint8_t>(static_cast<std::uint8_t>(damage.type) | (padding << 4))};
    const std::uint64_t offsets[] = {0, payload.size()};
    // Aligned as a mapped column is.
    const std::vector<std::uint32_t> aligned((payload.size() + 3) / 4);
    std::uint8_t* const data = reinterpret_cast<std::uint8_t*>(const_cast<std::uint32_t*>(aligned.data()));
    std::copy(payload.begin(), payload.end(), data);
    EXPECT_EQ(defect_of_values(offsets, entry, {data, payload.size()}), damage.says);
  }
}

TEST_F(Value, DuplicatesAreFoundAmongAllKindsOfIds) {
  const ValueId text = values_.string("a");
  const ValueId large = values_.integer(2'000'000'000);
  EXPECT_FALSE(duplicate_in({}));
  EXPECT_FALSE(duplicate_in(std::vector{values_.integer(1), values_.integer(0), text, large}));
  EXPECT_EQ(duplicate_in(std::vector{values_.integer(1), text, values_.integer(1)}), 2U);
  EXPECT_EQ(duplicate_in(std::vector{text, values_.integer(1), text}), 2U);
  EXPECT_EQ(duplicate_in(std::vector{large, large}), 1U);
}

}  // namespace value_test
}  // namespace isolde
