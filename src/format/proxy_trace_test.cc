#include "format/proxy_trace.h"

#include <gtest/gtest.h>

#include "format/native_write.h"
#include "tests/support/format_testing.h"

namespace isolde {
namespace proxy_trace_test {

const std::string kHead = R"({"isolde-proxy":1,"first_xid":700,"server":"15.20"})"
                          "\n";

// The history as native lines, and its notes; or the error.
std::string judged(const std::string& lines) {
  auto read = kProxyTraceFormat.read(testing::source_of(kHead + lines), {});
  if (!read) return read.error().message();
  std::string out;
  for (std::uint32_t t = 0; t < read->history.txn_count(); ++t) {
    append_native_line(read->history, TxnId{t}, out);
    out += "\n";
  }
  for (const std::string& note : read->notes) out += note + "\n";
  return out;
}

// Its operations without their details.
std::string ops_of(const std::string& judged_text) {
  std::string out;
  std::size_t at = 0;
  while ((at = judged_text.find("[\"", at)) != std::string::npos) {
    const std::size_t end = judged_text.find(",{", at);
    const std::size_t close = judged_text.find(']', at);
    out += judged_text.substr(at, std::min(end, close) - at) + "]";
    at = close;
  }
  return out;
}

TEST(ProxyTrace, AVersionIsFoundByTransactionAndPlace) {
  const std::string lines =
      R"({"s":1,"st":"committed","b":1,"e":5,"c":[4,5],"ops":[["r","t","7",650,"0,1",1,2],["w","t","7",742,"0,2",2,3]]})"
      "\n"
      R"({"s":2,"st":"committed","b":2,"e":9,"c":[8,9],"ops":[["l","t","7",742,"0,2",6,7],["d","t","7",742,"0,2",7,8]]})"
      "\n"
      R"({"over":1})"
      "\n";
  const auto read = kProxyTraceFormat.read(testing::source_of(kHead + lines), {});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(ops_of(judged(lines)), R"(["r","t/7",650]["w","t/7",742]["r","t/7",742]["r","t/7",742]["w","t/7",null])");
  EXPECT_TRUE(read->notes.empty());
}

TEST(ProxyTrace, ReadsOfVersionsThatNobodyRecordedAreLeftOut) {
  const std::string lines =
      R"({"s":1,"st":"committed","b":1,"e":5,"c":[4,5],"ops":[["r","t","7",799,"0,1",1,2],["w","t","8",742,"0,2",2,3]]})"
      "\n"
      R"({"s":1,"st":"committed","b":6,"e":9,"c":[8,9],"ops":[["r","t","8",742,"9,9",6,7]]})"
      "\n"
      R"({"over":1})"
      "\n";
  EXPECT_EQ(ops_of(judged(lines)), R"(["w","t/8",742])");
  EXPECT_NE(judged(lines).find("1 reads left out: they saw versions"), std::string::npos) << judged(lines);
  EXPECT_NE(judged(lines).find("1 reads left out: the rows were moved"), std::string::npos);
}

TEST(ProxyTrace, TwoOldVersionsOfAKeyAreNotBothWhatItHeldAtFirst) {
  const std::string lines =
      R"({"s":1,"st":"committed","b":1,"e":5,"c":[4,5],"ops":[["r","t","7",650,"0,1",1,2],["r","t","7",651,"0,1",1,2],["r","t","9",651,"0,3",1,2]]})"
      "\n"
      R"({"over":1})"
      "\n";
  EXPECT_EQ(ops_of(judged(lines)), R"(["r","t/9",651])");
}

TEST(ProxyTrace, IntermediateVersionsAreToldApartOnlyIfRowsStayedWhereTheyWere) {
  const std::string written =
      R"({"s":1,"st":"committed","b":1,"e":5,"c":[4,5],"ops":[["w","t","7",742,"0,1",1,2],["w","t","7",742,"0,2",2,3]]})"
      "\n";
  const std::string seen = R"({"s":2,"st":"committed","b":6,"e":9,"c":[8,9],"ops":[["r","t","7",742,"0,1",6,7]]})"
                           "\n";
  EXPECT_EQ(ops_of(judged(written + seen +
                          R"({"over":1})"
                          "\n")),
            R"(["w","t/7","742.1"]["w","t/7","742.2"]["r","t/7","742.1"])");
  EXPECT_EQ(ops_of(judged(written + seen +
                          R"({"moved":["t"]})"
                          "\n"
                          R"({"over":1})"
                          "\n")),
            R"(["w","t/7","742.1"]["w","t/7","742.2"])");
  EXPECT_EQ(ops_of(judged(written + seen)), R"(["w","t/7","742.1"]["w","t/7","742.2"])");
}

// Two writers of one row: when each had it, and when each asked for its commit.
std::string two_writers(int had_a, int commit_a, int had_b, int commit_b) {
  const auto line = [](int session, int xid, int had, int commit) {
    return R"({"s":)" + std::to_string(session) + R"(,"st":"committed","b":1,"e":99,"c":[)" + std::to_string(commit) +
           R"(,99],"ops":[["w","t","7",)" + std::to_string(xid) + R"(,"0,1",1,)" + std::to_string(had) + "]]}\n";
  };
  return line(1, 742, had_a, commit_a) + line(2, 741, had_b, commit_b) +
         R"({"over":1})"
         "\n";
}

TEST(ProxyTrace, TheOrderOfVersionsIsThatOfTheLocksAsFarAsTheClocksForceIt) {
  const auto complete = [](const std::string& lines) {
    const auto read = kProxyTraceFormat.read(testing::source_of(kHead + lines), {});
    EXPECT_TRUE(read) << read.error().message();
    std::string out;
    for (const std::string& note : read->notes) out += note;
    return out.empty();
  };
  EXPECT_TRUE(complete(two_writers(5, 6, 8, 9)));
  EXPECT_TRUE(complete(two_writers(8, 9, 5, 6)));
  EXPECT_FALSE(complete(two_writers(8, 3, 9, 3))) << "both had asked for their commits before either was answered";
}

TEST(ProxyTrace, ALineThatWasCutOffIsLeftOut) {
  const std::string line = R"({"s":1,"st":"committed","b":1,"e":5,"c":[4,5],"ops":[["w","t","7",742,"0,1",1,2]]})"
                           "\n";
  EXPECT_EQ(ops_of(judged(line + R"({"s":2,"st":"comm)")), R"(["w","t/7",742])");
  EXPECT_NE(judged(line + "nonsense\n" + line).find(":3:1: expected a line of a proxy's trace"), std::string::npos);
}

TEST(ProxyTrace, AnUnknownCommitHasNoEnd) {
  const std::string lines = R"({"s":1,"st":"unknown","b":1,"c":[4,null],"ops":[["w","t","7",742,"0,1",1,0]]})"
                            "\n"
                            R"({"over":1})"
                            "\n";
  const auto read = kProxyTraceFormat.read(testing::source_of(kHead + lines), {});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->history.txn_count(), 1U);
}

}  // namespace proxy_trace_test
}  // namespace isolde
