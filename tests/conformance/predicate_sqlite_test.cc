// Random expressions over random rows, where SQLite and PostgreSQL agree: integers, reals, NULLs, AND, OR, NOT,
// comparisons, BETWEEN, IN, IS NULL, arithmetic, LIKE. Ours must give SQLite's three-valued result; a known shape the
// same as a fresh parse; and a range must hold every match.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/rng.h"
#include "history/predicate_shapes.h"
#include "history/predicate_testing.h"
#include "tests/support/effort.h"

namespace isolde {
namespace predicate_sqlite_test {

constexpr const char* kColumnNames[] = {"a", "b", "c", "d", "s"};  // a to c integers, d reals, s text
constexpr int kColumns = 5;
constexpr int kRowsEach = 3;

class ExpressionMaker {
 public:
  explicit ExpressionMaker(Rng& rng) : rng_(rng) {}

  std::string condition(int depth) {
    if (depth == 0) return comparison(0);
    switch (rng_.below(9)) {
      case 0:
      case 1:
        return "(" + condition(depth - 1) + " AND " + condition(depth - 1) + ")";
      case 2:
        return "(" + condition(depth - 1) + " OR " + condition(depth - 1) + ")";
      case 3:
        return "NOT (" + condition(depth - 1) + ")";
      case 4:
        return "(" + condition(depth - 1) + ")" + (rng_.chance(0.5) ? " IS NULL" : " IS NOT NULL");
      case 5:
        return "(" + condition(depth - 1) + ")" + pick({" IS TRUE", " IS NOT TRUE", " IS FALSE", " IS NOT FALSE"});
      default:
        return comparison(depth - 1);
    }
  }

 private:
  std::string pick(std::initializer_list<const char*> of) { return of.begin()[rng_.below(of.size())]; }
  std::string negation() { return rng_.chance(0.3) ? " NOT" : ""; }

  std::string comparison(int depth) {
    switch (rng_.below(8)) {
      case 0:
        return "(" + number(depth) + negation() + " BETWEEN " + number(depth) + " AND " + number(depth) + ")";
      case 1: {
        std::string list = number(depth) + negation() + " IN (" + number(0);
        for (std::uint64_t more = rng_.below(4); more > 0; --more) list += ", " + number(depth > 0 ? 1 : 0);
        return "(" + list + "))";
      }
      case 2:
        return "(" + number(depth) + (rng_.chance(0.5) ? " IS NULL)" : " IS NOT NULL)");
      case 3:
        return "(" + text() + negation() + " LIKE " + pattern() + ")";
      case 4:
        return "(" + text() + pick({" = ", " <> ", " < ", " >= "}) + text() + ")";
      default:
        return "(" + number(depth) + pick({" = ", " <> ", " < ", " <= ", " > ", " >= "}) + number(depth) + ")";
    }
  }

  std::string number(int depth) {
    if (rng_.chance(0.15)) return rng_.chance(0.5) ? "d" : pick({"0.5", "-1.5", "2.0", "d * 2", "d + a", "d - 0.5"});
    return integer(depth);
  }

  std::string integer(int depth) {
    if (depth == 0 || rng_.chance(0.5)) {
      if (rng_.chance(0.07)) return "NULL";
      if (rng_.chance(0.5)) return kColumnNames[rng_.below(3)];
      return std::to_string(rng_.between(-4, 4));
    }
    switch (rng_.below(8)) {
      case 0:
        return "(- " + integer(depth - 1) + ")";
      case 1:
        return "coalesce(" + integer(depth - 1) + ", " + integer(depth - 1) + ")";
      case 2:
        return "abs(" + integer(depth - 1) + ")";
      default:
        return "(" + integer(depth - 1) + pick({" + ", " - ", " * ", " / ", " % "}) + integer(depth - 1) + ")";
    }
  }

  std::string text() {
    if (rng_.chance(0.7)) return rng_.chance(0.8) ? "s" : rng_.chance(0.5) ? "lower(s)" : "upper(s)";
    return pick({"''", "'a'", "'ab'", "'B'", "'ba_'", "NULL"});
  }

  std::string pattern() {
    std::string out = "'";
    for (std::uint64_t size = rng_.below(5); size > 0; --size) out += pick({"a", "b", "B", "%", "_", "!%", "!_"});
    return out + "' ESCAPE '!'";
  }

  Rng& rng_;
};

// One random row, in SQL and as a version.
class RandomRow {
 public:
  RandomRow(Rng& rng, testing::Versions& versions) {
    std::vector<std::pair<std::string_view, std::string_view>> fields;
    for (int i = 0; i < kColumns; ++i) {
      if (rng.chance(0.2)) {
        text_[i] = "null";
        if (rng.chance(0.5)) continue;  // a column that is not there is NULL too
      } else if (i < 3) {
        text_[i] = std::to_string(rng.between(-4, 4));
      } else if (i == 3) {
        text_[i] = std::to_string(rng.between(-4, 4)) + (rng.chance(0.5) ? ".5" : ".0");
      } else {
        text_[i] = "'";
        for (std::uint64_t size = rng.below(4); size > 0; --size) text_[i] += "abAB%_"[rng.below(6)];
        text_[i] += "'";
      }
      fields.emplace_back(kColumnNames[i], text_[i]);
    }
    version = versions.row(fields);
  }

  void bind(sqlite3_stmt* statement) const {
    for (int i = 0; i < kColumns; ++i) {
      const std::string& text = text_[i];
      if (text == "null") {
        sqlite3_bind_null(statement, i + 1);
      } else if (i < 3) {
        sqlite3_bind_int64(statement, i + 1, std::stoll(text));
      } else if (i == 3) {
        sqlite3_bind_double(statement, i + 1, std::stod(text));
      } else {
        sqlite3_bind_text(statement, i + 1, text.data() + 1, static_cast<int>(text.size()) - 2, SQLITE_TRANSIENT);
      }
    }
  }
  [[nodiscard]] std::string shown() const {
    std::string out;
    for (int i = 0; i < kColumns; ++i) out += std::string(kColumnNames[i]) + "=" + text_[i] + " ";
    return out;
  }

  ValueId version;

 private:
  std::string text_[kColumns];
};

Truth sqlite_result(sqlite3_stmt* statement) {
  EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
  const Truth truth = sqlite3_column_type(statement, 0) == SQLITE_NULL ? Truth::kUnknown
                      : sqlite3_column_int64(statement, 0) != 0        ? Truth::kTrue
                                                                       : Truth::kFalse;
  sqlite3_reset(statement);
  return truth;
}

Scalar subject_of(const PredicateRange& range, const ValueTable& table, ValueId version) {
  for (const RowField& field : table.row(version)) {
    if (field.name == range.column) return scalar_of(table, field.value);
  }
  return {};
}

TEST(PredicateAgainstSqlite, RandomExpressionsHaveItsThreeValuedResult) {
  const std::uint64_t expressions = effort::tries(20'000);
  Rng rng(effort::seed(20240607));
  testing::Versions versions;
  versions.row({{"a", "1"}, {"b", "1"}, {"c", "1"}, {"d", "1"}, {"s", "'x'"}});
  std::vector<RandomRow> rows;
  for (int i = 0; i < 500; ++i) rows.emplace_back(rng, versions);
  const ValueTable table = versions.table();
  PredicateCompiler compiler(table);

  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "PRAGMA case_sensitive_like = ON", nullptr, nullptr, nullptr), SQLITE_OK);
  ExpressionMaker maker(rng);
  std::uint64_t counts[3] = {0, 0, 0};
  std::uint64_t ranges = 0;
  for (std::uint64_t i = 0; i < expressions && !HasFailure(); ++i) {
    const std::string where = maker.condition(static_cast<int>(rng.below(4)));
    const auto predicate = CompiledPredicate::compile(where, compiler.columns());
    const auto by_shape = compiler.compile(where);
    ASSERT_TRUE(predicate.has_value() && by_shape.has_value()) << where << "\n" << predicate.error().message();
    const std::string query = "SELECT (" + where + ") FROM (SELECT ?1 AS a, ?2 AS b, ?3 AS c, ?4 AS d, ?5 AS s)";
    sqlite3_stmt* statement = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(db, query.c_str(), -1, &statement, nullptr), SQLITE_OK) << where << "\n"
                                                                                         << sqlite3_errmsg(db);
    for (int j = 0; j < kRowsEach; ++j) {
      const RandomRow& row = rows[rng.below(rows.size())];
      row.bind(statement);
      const Truth expected = sqlite_result(statement);
      const Truth ours = predicate->evaluate(table, ValueId{1}, row.version).truth;
      ++counts[static_cast<int>(expected)];
      EXPECT_EQ(testing::word(ours), testing::word(expected)) << where << "\n" << row.shown();
      EXPECT_EQ(by_shape->evaluate(table, ValueId{1}, row.version).truth, ours) << where << "\n" << row.shown();
      for (const PredicateRange& range : predicate->ranges()) {
        ++ranges;
        const bool inside = range.contains(subject_of(range, table, row.version));
        EXPECT_TRUE(inside || ours != Truth::kTrue) << where << "\n" << row.shown();
        EXPECT_TRUE(!range.is_whole || inside == (ours == Truth::kTrue)) << where << "\n" << row.shown();
      }
    }
    sqlite3_finalize(statement);
  }
  sqlite3_close(db);
  for (const std::uint64_t count : counts) EXPECT_TRUE(effort::reaches(0.25, count, expressions)) << count;
  EXPECT_TRUE(effort::reaches(0.05, ranges, expressions)) << ranges;
}

}  // namespace predicate_sqlite_test
}  // namespace isolde
