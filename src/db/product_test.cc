#include "db/product.h"

#include <gtest/gtest.h>

#include <set>

#include "db/database.h"
#include "db/grammar.h"

namespace isolde::db {
namespace product_test {

TEST(Products, EachHasANameOfItsOwnAndIsFoundByIt) {
  std::set<std::string_view> names;
  for (const Product* const product : products()) {
    EXPECT_TRUE(names.insert(product->name).second) << product->name;
    EXPECT_EQ(find_product(product->name), product);
    EXPECT_EQ(*product_named(product->name), product);
    EXPECT_FALSE(product->title.empty()) << product->name;
    for (const std::string_view alias : product->also) EXPECT_EQ(product_of_scheme(alias), product) << alias;
  }
}

TEST(Products, AnUnknownNameIsAnErrorThatListsThoseThereAre) {
  EXPECT_EQ(find_product("oracle"), nullptr);
  const auto product = product_named("oracle");
  ASSERT_FALSE(product);
  for (const Product* const known : products())
    EXPECT_NE(product.error().text.find(known->name), std::string::npos) << product.error().text;
  Url url;
  url.scheme = "oracle";
  const auto database = open_database(url);
  ASSERT_FALSE(database);
  EXPECT_NE(database.error().text.find("sqlite, postgres, mariadb"), std::string::npos) << database.error().text;
}

TEST(Products, ADescriptionNamesItsProduct) {
  EXPECT_EQ(product_described("MariaDB 10.11.19, innodb_snapshot_isolation=OFF")->name, "mariadb");
  EXPECT_EQ(product_described("MySQL 8.0.36")->name, "mysql");
  EXPECT_EQ(product_described("PostgreSQL 15.3")->name, "postgres");
  EXPECT_EQ(product_described("Oracle 23"), nullptr);
}

TEST(Products, AUrlIsOpenedByTheDriverOfItsScheme) {
  for (const Product* const product : products()) {
    if (product->open == nullptr) continue;
    const auto url =
        parse_url(product->in_process ? std::string(product->name) + ":" : std::string(product->name) + "://h");
    ASSERT_TRUE(url) << product->name;
    const auto database = open_database(*url);
    if (!database) continue;  // its library is not there: tested with the driver
    EXPECT_EQ((*database)->dialect().name, product->name);
    EXPECT_EQ((*database)->dialect().family, product->family);
  }
}

// What hunts write is a table: nothing of it may be missing.
TEST(Products, EveryHuntedOneSpellsWhatHuntsWrite) {
  const Grammar& all = *find_product("postgres")->hunt->grammar;
  for (const Product* const product : products()) {
    if (product->hunt == nullptr) continue;
    const Grammar& grammar = *product->hunt->grammar;
    EXPECT_EQ(grammar.family, product->family) << product->name;
    for (const Spelling& wanted : all.spellings) {
      bool found = false;
      for (const std::span<const Spelling> table : {grammar.own, grammar.spellings})
        for (const Spelling& one : table)
          found |= one.name == wanted.name && one.to == wanted.to &&
                   (one.type == wanted.type || one.type == ValueType::kNone);
      EXPECT_TRUE(found) << product->name << " has no spelling of " << wanted.name;
    }
    for (const std::string_view type :
         {grammar.types.integer, grammar.types.decimal, grammar.types.text, grammar.types.boolean, grammar.types.date,
          grammar.types.real, grammar.types.json, grammar.types.moment})
      EXPECT_FALSE(type.empty()) << product->name;
    EXPECT_NE(product->hunt->own_schema == nullptr, product->hunt->marked == nullptr) << product->name;
    EXPECT_FALSE(product->hunt->refusals.empty()) << product->name;
  }
}

}  // namespace product_test
}  // namespace isolde::db
