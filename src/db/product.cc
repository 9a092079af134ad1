#include "db/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "db/products.h"

namespace isolde::db {
namespace {

constexpr const Product* kProducts[] = {&kSqliteProduct,    &kPostgresProduct, &kMariadbProduct, &kMysqlProduct,
                                        &kCockroachProduct, &kYugabyteProduct, &kTidbProduct,    &kDuckdbProduct};

std::string enumerated(bool (*has)(const Product&), std::string_view Product::* word, std::string_view last) {
  std::vector<std::string_view> words;
  for (const Product* const one : kProducts)
    if (has(*one)) words.push_back(one->*word);
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i)
    all += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? fmt::format(" {} ", last) : ", ", words[i]);
  return all;
}

}  // namespace

std::span<const Product* const> products() { return kProducts; }

const Product* find_product(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kProducts), std::end(kProducts), [&](const Product* one) { return one->name == name; });
  return found == std::end(kProducts) ? nullptr : *found;
}

Result<const Product*> product_named(std::string_view name) {
  if (const Product* const found = find_product(name)) return found;
  return Error{fmt::format("\"{}\" is not a database that is known here: use {}", name,
                           names_where([](const Product&) { return true; }))};
}

const Product* product_of_scheme(std::string_view scheme) {
  for (const Product* const one : kProducts) {
    if (one->open == nullptr) continue;
    if (one->name == scheme || std::find(one->also.begin(), one->also.end(), scheme) != one->also.end()) return one;
  }
  return nullptr;
}

const Product* product_described(std::string_view description) {
  const auto* const found = std::find_if(std::begin(kProducts), std::end(kProducts),
                                         [&](const Product* one) { return description.starts_with(one->title); });
  return found == std::end(kProducts) ? nullptr : *found;
}

std::string why_refused(std::string_view sql, std::string_view product, const OwnTables& own) {
  if (sql.find('\0') != std::string_view::npos) return "it has a NUL character";
  const Product* const known = find_product(product);
  if (known != nullptr && known->why_refused != nullptr) return known->why_refused(sql, own);
  return "statements of files are not run on this kind of server";
}

std::string titles_where(bool (*has)(const Product&), std::string_view last) {
  return enumerated(has, &Product::title, last);
}
std::string names_where(bool (*has)(const Product&), std::string_view last) {
  return enumerated(has, &Product::name, last);
}

}  // namespace isolde::db
