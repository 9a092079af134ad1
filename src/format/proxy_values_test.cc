#include "format/proxy_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/format_testing.h"

namespace isolde {
namespace proxy_values_test {

constexpr std::string_view kValuesHead = "{\"isolde-proxy-values\":1,\"server\":\"10.11\"}\n";

std::string txn(int session, std::string_view status, int begin, int commit, std::string_view ops,
                std::string_view more = {}) {
  return "{\"s\":" + std::to_string(session) + ",\"st\":\"" + std::string(status) +
         "\",\"b\":" + std::to_string(begin) + std::string(more) + ",\"c\":[" + std::to_string(commit) + "," +
         std::to_string(commit + 1) + "],\"ops\":[" + std::string(ops) + "]}\n";
}

struct Read {
  std::size_t reads = 0, writes = 0, txns = 0;
  std::string notes;
};

Read read_values(const std::string& lines, bool over = true) {
  const std::string text = std::string(kValuesHead) + lines + (over ? "{\"over\":1}\n" : "");
  auto read = kProxyValuesFormat.read(testing::source_of(text), {});
  EXPECT_TRUE(read) << read.error().message();
  Read out;
  if (!read) return out;
  const History& h = read->history;
  out.txns = h.txn_count();
  for (const OpHead op : h.columns().op) {
    out.reads += op.kind() == OpKind::kRead ? 1 : 0;
    out.writes += op.kind() == OpKind::kWrite ? 1 : 0;
  }
  for (const std::string& note : read->notes) out.notes += note + "\n";
  return out;
}

const std::string kRow = R"({"row":["t","7"],"cells":{"c":5}})"
                         "\n";

TEST(ProxyValues, ReadsAndWritesOfKnownKeysAreKept) {
  const Read got =
      read_values(kRow + txn(1, "committed", 1, 5, R"(["r","t","7","c",5,1,2],["w","t","7","c","x",3,4])") +
                  txn(2, "committed", 10, 15, R"(["l","t","7","c","x",11,12],["w","t","7","c",null,13,14])") +
                  txn(1, "aborted", 20, 25, R"(["w","t","7","c",false,21,22])"));
  EXPECT_EQ(got.reads, 2U);
  EXPECT_EQ(got.writes, 3U);
  EXPECT_EQ(got.notes, "by values: taken as given that all that writes these tables came through the proxy\n");
}

TEST(ProxyValues, AKeyThatMayHoldAnythingIsLeftOut) {
  const std::string ops = R"(["r","t","7","c",5,1,2],["w","t","7","c",6,3,4],["r","t","7","d",5,1,2])";
  const std::string first = R"({"row":["t","7"],"cells":{"c":5,"d":5}})"
                            "\n";
  const std::string known = first + txn(1, "committed", 1, 5, ops);
  EXPECT_EQ(read_values(known).reads, 2U);
  // Written with a value that nobody knows; by a transaction of which nothing is sure; touched; read and never written.
  for (const std::string& line :
       {txn(2, "committed", 6, 8, R"(["u","t","7","c",null,6,7])"),
        txn(2, "committed", 6, 8, R"(["w","t","7","c",5,6,7])", ",\"sure\":false"),
        std::string("{\"touched\":[\"t\",\"c\"]}\n"), txn(2, "committed", 6, 8, R"(["r","t","7","c",99,6,7])")}) {
    const Read got = read_values(known + line);
    EXPECT_EQ(got.reads, 1U) << line;
    EXPECT_EQ(got.writes, 0U) << line;
  }
  EXPECT_EQ(read_values(known + "{\"touched\":[\"t\"]}\n").reads, 0U);
}

TEST(ProxyValues, WhatAKeyHeldAtFirstMayBeSeenOrNot) {
  // One value that nobody wrote: that is what was there.
  EXPECT_EQ(read_values(txn(1, "committed", 1, 5, R"(["r","t","7","c",5,1,2])")).reads, 1U);
  // Only values that were written: the first one may have been the same.
  const Read unknown = read_values(txn(1, "committed", 1, 5, R"(["w","t","7","c",5,1,2])") +
                                   txn(2, "committed", 6, 8, R"(["r","t","7","c",5,6,7])"));
  EXPECT_EQ(unknown.reads, 0U);
  EXPECT_NE(unknown.notes.find("what they held at first is not known"), std::string::npos);
}

TEST(ProxyValues, AfterAKillWhatMayMissItsWriterIsLeftOut) {
  const std::string lines = kRow + txn(1, "committed", 1, 5, R"(["r","t","7","c",5,1,2])") + "{\"horizon\":6}\n" +
                            txn(2, "committed", 4, 8, R"(["w","t","7","c",6,4,5],["r","t","7","c",6,6,7])") +
                            txn(3, "committed", 9, 12, R"(["r","t","7","c",6,9,10])");
  const Read got = read_values(lines, false);
  EXPECT_EQ(got.txns, 2U);
  EXPECT_EQ(got.reads, 1U);
  EXPECT_EQ(got.writes, 1U);
  EXPECT_EQ(read_values(lines).reads, 3U);
}

TEST(ProxyValues, ErrorsNameTheLine) {
  for (const char* const line : {"{\"s\":1}\n", "{\"touched\":[]}\n", "{\"row\":[\"t\"],\"cells\":{}}\n", "[]\n",
                                 "{\"s\":1,\"st\":\"maybe\",\"b\":1,\"c\":[1,2],\"ops\":[]}\n",
                                 "{\"s\":1,\"st\":\"committed\",\"b\":1,\"c\":[1,2],\"ops\":[[\"r\"]]}\n"}) {
    const auto read =
        kProxyValuesFormat.read(testing::source_of(std::string(kValuesHead) + line + "{\"over\":1}\n"), {});
    ASSERT_FALSE(read) << line;
    EXPECT_EQ(read.error().line, 2U) << line;
  }
}

}  // namespace proxy_values_test
}  // namespace isolde
