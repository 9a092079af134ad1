#include "audit/trace/request_tag.h"

#include <gtest/gtest.h>

namespace isolde::audit {
namespace {

TEST(RequestTag, OfSqlcommenterIsTheTraceAndTheRoute) {
  const RequestTag tag = request_tag(
      "SELECT 1 FROM t /*action='%2Fadd',controller='cart',framework='rails',"
      "traceparent='00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-01'*/");
  EXPECT_EQ(tag.id, "5bd66ef5095369c7b0d1f8f4bd33716a");
  EXPECT_EQ(tag.kind, "cart#/add");
  EXPECT_EQ(request_tag("SELECT 1 /* route='%2Fpolls%2F1000', db_driver='django' */").kind, "/polls/1000");
}

TEST(RequestTag, OfMarginaliaIsTheRequestIdWhereverTheCommentIs) {
  const RequestTag behind = request_tag("SELECT 1 /*application:Shop,controller:cart,action:add,request_id:7f-0c*/");
  EXPECT_EQ(behind.id, "7f-0c");
  EXPECT_EQ(behind.kind, "cart#add");
  EXPECT_EQ(request_tag("/*controller:cart,request_id:7*/ SELECT 1").id, "7");
}

TEST(RequestTag, IsNotReadFromStringsHintsOrProse) {
  EXPECT_TRUE(request_tag("SELECT '/*request_id:7*/'").empty());
  EXPECT_TRUE(request_tag("INSERT INTO t VALUES ('x /*request_id:7*/ y')").empty());
  EXPECT_TRUE(request_tag("SELECT /*+ request_id:7 */ 1").empty());
  EXPECT_TRUE(request_tag("/*!40101 SET NAMES utf8 */").empty());
  EXPECT_TRUE(request_tag("SELECT 1 /* the request: of the user */").empty());
  EXPECT_TRUE(request_tag("").empty());
  EXPECT_TRUE(request_tag("/*/").empty());
  EXPECT_TRUE(request_tag("/**/").empty());
  EXPECT_TRUE(request_tag("SELECT 1 /*traceparent='garbage'*/").empty());
}

TEST(RequestTag, AnUnclosedQuoteEndsWithTheComment) {
  EXPECT_EQ(request_tag("SELECT 1 /*controller='cart\\*/").kind, "cart\\");
  EXPECT_EQ(request_tag("SELECT 1 /*controller='*/").kind, "");
}

}  // namespace
}  // namespace isolde::audit
