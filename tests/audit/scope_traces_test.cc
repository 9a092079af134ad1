// tests/audit/scope_traces_test.cc: the vulnerabilities of ACIDRain's applications that are not about the level are
// among the first that are reported across transactions, and each trace shows where its requests end.
#include <gtest/gtest.h>

#include <filesystem>

#include "audit/audit.h"
#include "audit/render.h"

namespace isolde::audit {
namespace scope_traces_test {

const std::string kTraces = ISOLDE_SOURCE_DIR "/../shared/traces/acidrain/";

class ScopeTraces : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no shared traces beside the source";
  }

  static std::unique_ptr<Audit> audit(const std::string& name) {
    auto schema = read_schema(kTraces + "schema/" + name + "_db_info.csv");
    EXPECT_TRUE(schema) << schema.error().message();
    AuditOptions options;
    options.fixes = false;
    options.level = WeakLevel::kMysqlRepeatableRead;
    options.search.k = options.search.l = 1;
    auto done = audit_trace(kTraces + name + ".log", *std::move(schema), {}, options);
    EXPECT_TRUE(done) << done.error().message();
    return done ? *std::move(done) : nullptr;
  }

  // Its place, from 1; 0: it is not there.
  static std::size_t place(const Audit& audit, std::string_view column) {
    for (std::size_t i = 0; i < audit.scope.size(); ++i) {
      if (scope_column(audit.scope[i], audit.classes.schema, audit.log).starts_with(column)) return i + 1;
    }
    return 0;
  }
};

TEST_F(ScopeTraces, AVoucherOfOpencartIsSpentTwice) {
  const auto done = audit("opencart");
  EXPECT_EQ(done->requests.evidence, RequestEvidence::kConnection);
  EXPECT_EQ(done->requests.all.size(), 31U);
  EXPECT_EQ(place(*done, "oc_voucher_history."), 1U) << audit_text(*done, {.shown = 9});
  EXPECT_TRUE(done->scope[0].aggregates);
  EXPECT_FALSE(done->scope[0].same_user);
}

TEST_F(ScopeTraces, StockAndCouponsOfWoocommerceAreCheckedTooEarly) {
  const auto done = audit("woocommerce");
  EXPECT_EQ(done->requests.evidence, RequestEvidence::kConnection);
  EXPECT_EQ(place(*done, "wp_woocommerce_order_itemmeta[_product_id]"), 1U) << audit_text(*done, {.shown = 9});
  EXPECT_EQ(place(*done, "wp_postmeta[_stock]"), 3U);
  EXPECT_EQ(place(*done, "wp_postmeta[usage_count]"), 4U);
  // Rows of the order that the request has made itself.
  EXPECT_EQ(place(*done, "wp_postmeta[_order_stock_reduced]"), 0U);
}

TEST_F(ScopeTraces, TheStockOfShoppeIsAddedUpTooEarly) {
  const auto done = audit("shoppe");
  EXPECT_EQ(done->requests.evidence, RequestEvidence::kGap);
  EXPECT_EQ(place(*done, "shoppe_stock_level_adjustments."), 1U) << audit_text(*done, {.shown = 9});
}

TEST_F(ScopeTraces, VouchersAndOrderNumbersOfLfsAreReadTooEarly) {
  const auto done = audit("lfs");
  EXPECT_EQ(place(*done, "voucher_voucher.used_amount"), 1U) << audit_text(*done, {.shown = 9});
  EXPECT_EQ(place(*done, "lfs_order_numbers_ordernumbergenerator.last"), 2U);
}

TEST_F(ScopeTraces, VouchersOfPrestashopAreCountedTooEarly) {
  const auto done = audit("prestashop");
  const std::string text = audit_text(*done, {.shown = 9});
  for (const char* column : {"ps_cart_rule.quantity", "ps_stock_available.quantity", "ps_order_cart_rule."}) {
    EXPECT_GE(place(*done, column), 1U) << column << "\n" << text;
    EXPECT_LE(place(*done, column), 3U) << column << "\n" << text;
  }
}

TEST_F(ScopeTraces, UsesOfAnOfferOfBroadleafAreCountedTooEarlyWhateverLocksTheOrder) {
  const auto done = audit("broadleaf");
  EXPECT_EQ(place(*done, "BLC_OFFER_AUDIT.") + place(*done, "blc_offer_audit."), 1U) << audit_text(*done, {.shown = 9});
  // The row of the order that serves as a lock keeps requests for the same order away.
  EXPECT_EQ(place(*done, "blc_order_payment."), 0U) << audit_text(*done, {.shown = 9});
}

}  // namespace scope_traces_test
}  // namespace isolde::audit
