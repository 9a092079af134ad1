// hunt/sql/bounds.h: how large values may get, so that no expression overflows.
//
// Rows and literals start small; what a statement stores is at most a column's bound and a little more (a + 1 is
// written as it is), and it would take hundreds of statements in one case to get from there to the end of a bigint.
#pragma once

namespace isolde::hunt::sql {

inline constexpr double kColumnInteger = 1e9;
inline constexpr double kIntegerModulus = 1e6;  // also the largest literal
inline constexpr double kColumnDecimal = 1e6;
inline constexpr double kDecimalModulus = 1e4;
inline constexpr int kColumnCharacters = 60;

inline constexpr double kMostKey = 2e6, kMostVersion = 1e5;

inline constexpr double kMostInteger = 4e18;  // of a bigint
// Of a decimal: SQLite's is a bigint of hundredths, and a product of two has ten thousandths for a moment.
inline constexpr double kMostDecimal = 1e14;
inline constexpr double kMostNarrow = 2147483647;  // PostgreSQL's integer
inline constexpr double kMostCharacters = 10000;
inline constexpr double kMostRows = 1e5;  // that an aggregate sees

}  // namespace isolde::hunt::sql
