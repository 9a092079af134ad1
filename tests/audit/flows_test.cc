// tests/audit/flows_test.cc: numbers that follow from a counter, and names that a statement takes: what they take away
// is set aside with its support, what breaks them takes nothing away.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "audit/render.h"
#include "tests/audit/audited.h"

namespace isolde::audit {
namespace flows_test {

constexpr std::string_view kOrders =
    "CREATE TABLE district (id int PRIMARY KEY, next_number int);"
    "CREATE TABLE orders (district int, number int, item int, PRIMARY KEY (district, number));"
    "CREATE TABLE stock (item int PRIMARY KEY, quantity int);";

// An order takes the district's next number, and changes the stock of its item.
std::string order(int district, int number, int item, int quantity, int next) {
  return fmt::format(
      "-- session {5}\nBEGIN; SELECT next_number FROM district WHERE id = {0}; UPDATE district SET next_number = {1} "
      "WHERE id = {0}; INSERT INTO orders (district, number, item) VALUES ({0}, {2}, {3}); SELECT quantity FROM stock "
      "WHERE item = {3}; UPDATE stock SET quantity = {4} WHERE item = {3}; COMMIT;\n",
      district, next, number, item, quantity, district % 2 + 1);
}

std::string orders(int times) {
  std::string out;
  for (int i = 0; i < times; ++i) {
    const int district = 1 + i % 3, number = 100 * district + i / 3;
    out += order(district, number, 7000 + i * 13 % 11, 900 + i * 7 % 53, number + 1);
  }
  return out;
}

bool loses(const std::vector<Anomaly>& anomalies, const Audit& audit, std::string_view column) {
  return std::ranges::any_of(anomalies, [&](const Anomaly& one) {
    return one.name == AnomalyName::kLostUpdate &&
           audit.classes.schema.full_name(one.cycle.edges[0].conflict.column) == column;
  });
}
bool loses(const Audit& audit, std::string_view column) { return loses(audit.anomalies, audit, column); }

bool is_set_aside(const Audit& audit, std::string_view column, FactKind kind) {
  return std::ranges::any_of(audit.set_aside, [&](const SetAside& one) {
    const bool rests =
        std::ranges::any_of(one.facts, [&](std::uint32_t fact) { return audit.classes.facts[fact].kind == kind; });
    return rests && loses({one.anomaly}, audit, column);
  });
}

TEST(Numberings, TwoThatReadTheSameNumberInsertTheSameKey) {
  const auto audit = audited(kOrders, orders(80), WeakLevel::kReadCommitted);
  EXPECT_TRUE(shows(*audit, FactKind::kFlow)) << audit_text(*audit, {.shown = 9});
  EXPECT_FALSE(loses(*audit, "district.next_number")) << audit_text(*audit, {.shown = 9});
  EXPECT_TRUE(is_set_aside(*audit, "district.next_number", FactKind::kFlow))
      << audit_text(*audit, {.shown = 9, .set_aside = true});
  EXPECT_TRUE(loses(*audit, "stock.quantity")) << "of two districts: no number in common";
  const auto off = audited(kOrders, orders(80), WeakLevel::kReadCommitted, without(FactKind::kFlow));
  EXPECT_TRUE(loses(*off, "district.next_number"));
  EXPECT_FALSE(shows(*off, FactKind::kFlow));
}

TEST(Numberings, AreFollowedAtMysqlsRepeatableReadToo) {
  const auto audit = audited(kOrders, orders(80), WeakLevel::kMysqlRepeatableRead);
  EXPECT_FALSE(loses(*audit, "district.next_number")) << audit_text(*audit, {.shown = 9});
  EXPECT_TRUE(is_set_aside(*audit, "district.next_number", FactKind::kFlow));
}

// Each of these makes the lost update possible again.
struct Mutation {
  std::string_view what, ddl;
  std::function<std::string(int)> sql;
};

TEST(Numberings, TakeNothingAwayWhereTheyDoNotHold) {
  const Mutation mutations[] = {
      {"a number that is not the counter's", kOrders, [](int n) { return orders(n) + order(2, 777, 7001, 901, 779); }},
      {"somebody else sets the counter", kOrders,
       [](int n) { return orders(n) + "-- session 5\nUPDATE district SET next_number = 500 WHERE id = 1;\n"; }},
      {"somebody deletes orders", kOrders,
       [](int n) { return orders(n) + "-- session 5\nDELETE FROM orders WHERE district = 1 AND number = 101;\n"; }},
      {"somebody renumbers orders", kOrders,
       [](int n) {
         return orders(n) + "-- session 5\nUPDATE orders SET number = 8 WHERE district = 1 AND number = 101;\n";
       }},
      {"the number is no key",
       "CREATE TABLE district (id int PRIMARY KEY, next_number int);"
       "CREATE TABLE orders (id serial PRIMARY KEY, district int, number int, item int);"
       "CREATE TABLE stock (item int PRIMARY KEY, quantity int);",
       orders},
      {"the key has a part of its own",
       "CREATE TABLE district (id int PRIMARY KEY, next_number int);"
       "CREATE TABLE orders (district int, number int, item int, PRIMARY KEY (district, number, item));"
       "CREATE TABLE stock (item int PRIMARY KEY, quantity int);",
       orders},
      {"too few to know", kOrders, [](int) { return orders(12); }},
  };
  for (const Mutation& one : mutations) {
    const auto audit = audited(one.ddl, one.sql(80), WeakLevel::kReadCommitted);
    EXPECT_TRUE(loses(*audit, "district.next_number")) << one.what << audit_text(*audit, {.shown = 9});
  }
}

TEST(Numberings, AnUpsertTakesTheOtherOrderInItsStride) {
  std::string sql = orders(80);
  for (std::size_t at = 0; (at = sql.find("; SELECT quantity", at)) != std::string::npos; at += 60)
    sql.insert(at, " ON CONFLICT (district, number) DO NOTHING");
  const auto audit = audited(kOrders, sql, WeakLevel::kReadCommitted);
  EXPECT_TRUE(loses(*audit, "district.next_number")) << audit_text(*audit, {.shown = 9});
}

std::string sql_of(const Anomaly& anomaly, std::uint32_t member, std::string_view begin) {
  for (const StoryStep& step : anomaly.steps) {
    if (step.member == member && step.sql.starts_with(begin)) return step.sql;
  }
  return {};
}

TEST(Numberings, AStoryHasTheNumbersThatItsTransactionsRead) {
  const auto audit = audited(kOrders, orders(80), WeakLevel::kReadCommitted);
  const auto found = std::ranges::find_if(
      audit->set_aside, [&](const SetAside& one) { return loses({one.anomaly}, *audit, "district.next_number"); });
  ASSERT_NE(found, audit->set_aside.end());
  // Both have read the same.
  const Anomaly& both = found->anomaly;
  EXPECT_EQ(sql_of(both, 0, "UPDATE district"), sql_of(both, 1, "UPDATE district"));
  const std::string first = sql_of(both, 0, "INSERT"), second = sql_of(both, 1, "INSERT");
  EXPECT_EQ(first.substr(0, first.rfind(',')), second.substr(0, second.rfind(',')));
}

TEST(Choices, WhoTakesARowOfACommittedOrderHasNotMissedTheOneBefore) {
  // A delivery reads the open orders of a district and takes one. It cannot take an order that was inserted after it
  // looked, nor miss one that was committed before the one that it takes.
  const std::string_view ddl =
      "CREATE TABLE district (id int PRIMARY KEY, next_number int);"
      "CREATE TABLE orders (district int, number int, item int, PRIMARY KEY (district, number));"
      "CREATE TABLE open_order (district int, number int, PRIMARY KEY (district, number));";
  std::string sql;
  for (int i = 0; i < 80; ++i) {
    const int district = 1 + i % 3, number = 100 * district + i / 3;
    sql += fmt::format(
        "-- session 1\nBEGIN; SELECT next_number FROM district WHERE id = {0}; UPDATE district SET next_number = {2} "
        "WHERE id = {0}; INSERT INTO orders (district, number, item) VALUES ({0}, {1}, {3}); INSERT INTO open_order "
        "(district, number) VALUES ({0}, {1}); COMMIT;\n"
        "-- session 2\nBEGIN; SELECT number FROM open_order WHERE district = {0} ORDER BY number LIMIT 1; DELETE FROM "
        "open_order WHERE district = {0} AND number = {1}; SELECT item FROM orders WHERE district = {0} AND number = "
        "{1}; COMMIT;\n",
        district, number, number + 1, 7000 + i * 13 % 11);
  }
  const auto audit = audited(ddl, sql, WeakLevel::kReadCommitted);
  ASSERT_FALSE(audit->anomalies.empty()) << "two deliveries take one order";
  for (const Anomaly& one : audit->anomalies) {
    const auto inserts = std::ranges::count_if(
        one.members, [](const std::string& name) { return name.find("INSERT orders") != std::string::npos; });
    EXPECT_LT(inserts, 2) << audit_text(*audit, {.shown = 9});
  }
}

// --- names ---------------------------------------------------------------------------------------------------------

constexpr std::string_view kEntries =
    "CREATE TABLE option (id serial PRIMARY KEY, option_name text UNIQUE, option_value text);";

// One transaction reads an entry and sets another; a second one clears some, one of two names at a time.
std::string clears(const std::string& one, const std::string& other) {
  std::string out;
  for (const std::string& name : {one, other, one}) {
    out += fmt::format(
        "-- session 1\nBEGIN; SELECT option_value FROM option WHERE option_name = 'rate'; UPDATE option SET "
        "option_value = '7' WHERE option_name = 'total'; COMMIT;\n"
        "-- session 2\nBEGIN; SELECT option_value FROM option WHERE option_name = 'total'; DELETE FROM option WHERE "
        "option_name = '{}'; COMMIT;\n",
        name);
  }
  return out;
}

TEST(Vocabularies, AStatementTakesOnlyTheNamesThatItWasSeenWith) {
  const auto audit = audited(kEntries, clears("cache", "menu"), WeakLevel::kReadCommitted);
  EXPECT_TRUE(shows(*audit, FactKind::kVocabulary)) << audit_text(*audit, {.shown = 9});
  for (const Anomaly& one : audit->anomalies) {
    for (const StoryStep& step : one.steps) {
      EXPECT_EQ(step.sql.find("DELETE FROM option WHERE option_name = 'rate'"), std::string::npos);
      EXPECT_EQ(step.sql.find("DELETE FROM option WHERE option_name = 'total'"), std::string::npos);
    }
  }
  EXPECT_FALSE(audit->set_aside.empty()) << audit_text(*audit, {.shown = 9});
  FactSwitches switches = without(FactKind::kVocabulary);
  switches.turn_off(FactKind::kSeen);
  const auto off = audited(kEntries, clears("cache", "menu"), WeakLevel::kReadCommitted, switches);
  EXPECT_TRUE(off->set_aside.empty());
  EXPECT_GT(off->anomalies.size(), audit->anomalies.size());
}

TEST(Vocabularies, ANameThatItWasSeenWithIsAsGoodAsAnother) {
  const auto audit = audited(kEntries, clears("cache", "total"), WeakLevel::kReadCommitted);
  EXPECT_TRUE(is_about(*audit, "option")) << audit_text(*audit, {.shown = 9});
}

TEST(Vocabularies, WhereANameIsMadeUpOnTheWayAnotherMayBe) {
  std::string sql = clears("cache_17", "cache_18");
  for (std::size_t at = 0; (at = sql.find("'rate'", at)) != std::string::npos;) sql.replace(at, 6, "'cache_19'");
  const auto audit = audited(kEntries, sql, WeakLevel::kReadCommitted);
  const bool deletes = std::ranges::any_of(audit->anomalies, [](const Anomaly& one) {
    return std::ranges::any_of(one.steps, [](const StoryStep& step) {
      return step.sql == "DELETE FROM option WHERE option_name = 'cache_19'";
    });
  });
  EXPECT_TRUE(deletes) << audit_text(*audit, {.shown = 9, .set_aside = true});
}

}  // namespace flows_test
}  // namespace isolde::audit
