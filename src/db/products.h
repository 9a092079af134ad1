// db/products.h: the constants that src/db/product.cc puts into its table, each in the folder of its driver.
#pragma once

#include "db/product.h"

namespace isolde::db {

extern const Product kPostgresProduct, kMariadbProduct, kMysqlProduct, kTidbProduct, kSqliteProduct, kCockroachProduct,
    kYugabyteProduct, kDuckdbProduct;

}  // namespace isolde::db
