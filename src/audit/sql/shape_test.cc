#include "audit/sql/shape.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "tests/support/effort.h"

namespace isolde::audit {
namespace shape_test {

std::string shown(std::string_view sql, SqlDialect dialect) {
  Lexer lexer(dialect);
  std::string out;
  for (const Token& token : lexer.tokens(sql)) {
    static constexpr std::string_view kNames[] = {"w", "q", "n", "s", "p", "y"};
    if (!out.empty()) out += ' ';
    out += fmt::format("{}:{}", kNames[static_cast<std::size_t>(token.kind)], token.text);
  }
  return out;
}

struct Case {
  std::string_view sql, tokens;
};

TEST(Lexer, ReadsMysql) {
  constexpr Case kCases[] = {
      {"SELECT `a b`,`c``d` FROM 0_debtors.x", "w:SELECT q:a b y:, q:c`d w:FROM w:0_debtors y:. w:x"},
      {"x='it''s' or x='it\\'s\\n' or x=\"a'b\"", "w:x y:= s:it's w:or w:x y:= s:it's\n w:or w:x y:= s:a'b"},
      {"1 1.5 .5 1e3 1.5E-3 0x1F 0b11 x'1F' b'1' -5",
       "n:1 n:1.5 n:.5 n:1e3 n:1.5E-3 n:0x1F n:0b11 n:x'1F' n:b'1' y:- n:5"},
      {"a # one\nb -- two\nc /* three */ d--1", "w:a w:b w:c w:d y:- y:- n:1"},
      {"SELECT /*!40001 SQL_NO_CACHE */ /*M!100 a*/ /*+ hint */ x*/*c*/y", "w:SELECT w:SQL_NO_CACHE w:a w:x y:* w:y"},
      {"_utf8'x' N'y' 'a' 'b' \"c\"", "w:_utf8 s:x s:yabc"},
      {"@a:=@@session.b+? <=> || && <> != >= \\N",
       "p:@a y::= p:@@session.b y:+ p:? y:<=> y:|| y:&& y:<> y:!= y:>= w:NULL"},
      {"from \"t\" where \"t\".\"a\" = \"b\"", "w:from q:t w:where q:t y:. q:a y:= s:b"},
      {"t.1a t.5 12ab 1e5x", "w:t y:. w:1a w:t y:. w:5 w:12ab w:1e5x"},
      {"'open", "s:open"},
      {"`open", "q:open"},
      {"a /* open", "w:a"},
      {"'50\\%'", "s:50\\%"},
      {"@'x y' @`z`", "p:@'x y' p:@`z`"},
      {"", ""},
  };
  for (const Case& c : kCases) EXPECT_EQ(shown(c.sql, SqlDialect::kMysql), c.tokens) << c.sql;
}

TEST(Lexer, ReadsPostgres) {
  constexpr Case kCases[] = {
      {"\"A\"\"b\" = E'a\\n\\'\\x41\\u00e9' ", "q:A\"b y:= s:a\n'A\xc3\xa9"},
      {"'a\\' || 'b''c'", "s:a\\ y:|| s:b'c"},
      {"$$a'b$$ $t$x$y$$z$t$ $1::int", "s:a'b s:x$y$$z p:$1 y::: w:int"},
      {"U&'d\\0061t\\+000061' U&'d!0061' UESCAPE '!' U&\"\\0061\"", "s:data s:da q:a"},
      {"a /* b /* c */ d */ e -- f", "w:a w:e"},
      {"a->>'b' @> c <-> d ? 'e' = ? + -1", "w:a y:->> s:b y:@> w:c y:<-> w:d y:? s:e y:= p:? y:+ y:- n:1"},
      {"'a'\n'b' 'c'", "s:ab s:c"},
      {"x*-1", "w:x y:* y:- n:1"},
      {"a[1:n] :name", "w:a y:[ n:1 y:: w:n y:] p::name"},
      {"B'101' x'1f'", "n:B'101' n:x'1f'"},
  };
  for (const Case& c : kCases) EXPECT_EQ(shown(c.sql, SqlDialect::kPostgres), c.tokens) << c.sql;
}

TEST(Lexer, ReadsSqlite) {
  constexpr Case kCases[] = {
      {"[a b] \"c\" `d` ? ?1 :a @b $c 'x''y' x'00' == ||",
       "q:a b q:c q:d p:? p:?1 p::a p:@b p:$c s:x'y n:x'00' y:== y:||"},
      {"a -- b\n- -1", "w:a y:- y:- n:1"},
  };
  for (const Case& c : kCases) EXPECT_EQ(shown(c.sql, SqlDialect::kSqlite), c.tokens) << c.sql;
}

TEST(Lexer, NumbersTheLiteralsInTheirOrder) {
  Lexer lexer(SqlDialect::kMysql);
  std::vector<std::uint32_t> places;
  for (const Token& token : lexer.tokens("INSERT INTO t VALUES ('a', 1, NULL, TRUE, 'b')")) {
    if (token.literal != kNone32) places.push_back(token.literal);
  }
  EXPECT_EQ(places, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(ShapeTable, StatementsThatDifferInLiteralsBlanksAndCommentsAreOneShape) {
  ShapeTable shapes(SqlDialect::kMysql);
  std::vector<LiteralId> literals;
  const ShapeId a = shapes.intern("SELECT x FROM t WHERE id = 5 AND n = 'a'", literals);
  const ShapeId b = shapes.intern("SELECT  x FROM t /* c */ WHERE id=7 AND n='it''s' -- d", literals);
  const ShapeId c = shapes.intern("SELECT x FROM t WHERE id = 5 OR n = 'a'", literals);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes.literal_count(a), 2U);
  ASSERT_EQ(literals.size(), 6U);
  EXPECT_EQ(shapes.literal(literals[3]), "it's");
  EXPECT_EQ(shapes.example(a), "SELECT x FROM t WHERE id = 5 AND n = 'a'");
}

TEST(ShapeTable, EqualValuesHaveEqualIdsHoweverTheyAreWritten) {
  ShapeTable shapes(SqlDialect::kMysql);
  std::vector<LiteralId> literals;
  shapes.intern("a = '5' AND b = 5 AND c = \"5\" AND d = 5.0", literals);
  EXPECT_EQ(literals[0], literals[1]);
  EXPECT_EQ(literals[0], literals[2]);
  EXPECT_NE(literals[0], literals[3]);
}

TEST(ShapeTable, ANumberAndAStringInTheSamePlaceAreTwoShapes) {
  ShapeTable shapes;
  std::vector<LiteralId> literals;
  EXPECT_NE(shapes.intern("a = '5'", literals), shapes.intern("a = 5", literals));
}

TEST(ShapeTable, PutsOtherLiteralsInTheirPlaces) {
  ShapeTable shapes(SqlDialect::kMysql);
  std::vector<LiteralId> literals;
  const ShapeId shape = shapes.intern("UPDATE t SET n='a' WHERE id=5 LIMIT 1 # end", literals);
  std::vector<LiteralId> others = {shapes.intern_literal("it's \\ 7"), shapes.intern_literal("77"), kNoLiteral};
  EXPECT_EQ(shapes.text(shape, others.data()), "UPDATE t SET n='it''s \\\\ 7' WHERE id=77 LIMIT 1 # end");
  others[1] = shapes.intern_literal("abc");
  EXPECT_EQ(shapes.text(shape, others.data()), "UPDATE t SET n='it''s \\\\ 7' WHERE id='abc' LIMIT 1 # end");
  others[1] = shapes.intern_literal("-5");
  EXPECT_EQ(shapes.text(shape, others.data()), "UPDATE t SET n='it''s \\\\ 7' WHERE id='-5' LIMIT 1 # end");
  EXPECT_EQ(shapes.text(shape, literals.data()), shapes.example(shape));
}

// Statements made of pieces that lexers fall over: what text() writes has the same words, and the values asked for.
TEST(ShapeTable, WhatItWritesLexesToTheSameTokens) {
  constexpr std::string_view kPieces[] = {
      "SELECT", "0_t.a",      "`x``y`", "'a'",    "'it''s'", "'\\\\'",   "\"q\"\"r\"", "5",
      "1.5e3",  "x'0F'",      "N'n'",   "E'\\n'", "/* c */", "/*! d */", "-- e\n",     "#f\n",
      "$$g$$",  "U&'\\0041'", "@v",     "?",      ":=",      "-",        ".",          "(",
      ")",      ",",          "[n]",    " ",      "\n",      "'open",    "\x01",       "\xc3\xa9",
  };
  const std::uint64_t rounds = effort::tries(20'000);
  Rng rng(effort::seed(7));
  std::uint64_t changed = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const SqlDialect dialect = static_cast<SqlDialect>(round % 3);
    std::string sql;
    for (std::uint64_t n = rng.below(12); n > 0; --n) {
      sql += kPieces[rng.below(std::size(kPieces))];
      if (rng.below(3) != 0) sql += ' ';
    }
    ShapeTable shapes(dialect);
    std::vector<LiteralId> literals;
    const ShapeId shape = shapes.intern(sql, literals);
    ASSERT_EQ(shapes.text(shape, literals.data()), sql);
    for (LiteralId& literal : literals) {
      constexpr std::string_view kValues[] = {"5", "7.25", "o'x", "\\", "", "-1", "\"", "a\nb"};
      literal = shapes.intern_literal(kValues[rng.below(std::size(kValues))]);
      ++changed;
    }
    const std::string written = shapes.text(shape, literals.data());
    Lexer before(dialect), after(dialect);
    const auto& old_tokens = before.tokens(sql);
    const auto& new_tokens = after.tokens(written);
    ASSERT_EQ(old_tokens.size(), new_tokens.size()) << sql << "\n" << written;
    for (std::size_t i = 0, n = 0; i < old_tokens.size(); ++i) {
      if (old_tokens[i].literal == kNone32) {
        EXPECT_EQ(old_tokens[i].kind, new_tokens[i].kind) << sql << "\n" << written;
        EXPECT_EQ(old_tokens[i].text, new_tokens[i].text) << sql << "\n" << written;
      } else {
        EXPECT_EQ(new_tokens[i].text, shapes.literal(literals[n++])) << sql << "\n" << written;
      }
    }
  }
  EXPECT_TRUE(effort::reaches(0.05, changed, rounds)) << changed << " of " << rounds;
}

}  // namespace shape_test
}  // namespace isolde::audit
