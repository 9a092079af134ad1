// The three forms of dbcop's histories.

#include <gtest/gtest.h>

#include "format/dbcop_bincode.h"
#include "format/dbcop_hist.h"
#include "format/dbcop_json.h"
#include "tests/support/format_testing.h"

namespace isolde {
namespace dbcop_test {

using testing::shown;
using testing::source_of;

std::string hist(std::string_view text, bool lenient = false) {
  return shown(kDbcopHistFormat.read(source_of(text), ReadOptions{.lenient = lenient}));
}
std::string json(std::string_view text, bool lenient = false) {
  return shown(kDbcopJsonFormat.read(source_of(text), ReadOptions{.lenient = lenient}));
}
std::string bincode(std::string_view text, bool lenient = false) {
  return shown(kDbcopBincodeFormat.read(source_of(text), ReadOptions{.lenient = lenient}));
}

TEST(DbcopHist, TransactionsInBracketsSessionsApartByDashes) {
  EXPECT_EQ(hist("// about\n[x:=1 y==2] // end\n[\n x==?\n]!\n---\n[z:=0]"),
            "0@0: w x=1 r y=2\n1@0 aborted: r x=0\n2@1: w z=0\n");
}

TEST(DbcopHist, AnErrorNamesItsPlace) {
  EXPECT_EQ(hist("[x:=1]\n[x=1]"), "mem:2:3: expected ':=' or '==' after the variable");
  EXPECT_EQ(hist("[x:=1]\n[]"), "mem:2:2: expected an event: x:=1, x==1 or x==?");
  EXPECT_EQ(hist("[x:=a]"), "mem:1:5: expected the version, a 64-bit integer");
  EXPECT_EQ(hist("x:=1"), "mem:1:1: expected '[' (a transaction) or '---' (the next session)");
}

TEST(DbcopHist, ATransactionThatIsCutOffIsDroppedOnlyWhenAskedFor) {
  EXPECT_EQ(hist("[x:=1]\n---\n[y:=2 "), "mem:3:7: expected an event: x:=1, x==1 or x==?");
  EXPECT_EQ(hist("[x:=1]\n---\n[y:=2 ", true), "0@0: w x=1\n");
}

TEST(DbcopJson, TheWrapperTheBareAndTheCompactFormSayTheSame) {
  const std::string expected = "0@0: w 0=1 r 1=0\n1@1 aborted: r 0=1\n";
  EXPECT_EQ(
      json(
          R"([[{"events":[{"Write":{"variable":0,"version":1}},{"Read":{"variable":1,"version":null}}],"committed":true}],
                     [{"events":[{"Read":{"variable":0,"version":1}}],"committed":false}]])"),
      expected);
  EXPECT_EQ(json(R"([[{"events":[["w",0,1],["r",1,null]]}],[{"committed":false,"events":[["r",0,1]]}]])"), expected);
  const std::string wrapped = R"({"params":{"id":0,"n_node":2},"info":"i","start":"s","end":"e",
      "data":[[{"events":[["w",0,1],["r",1,0]],"committed":true}],[{"events":[["r",0,1]],"committed":false}]]})";
  EXPECT_EQ(json(wrapped), expected);
  EXPECT_EQ(kDbcopJsonFormat.read(source_of(wrapped), {})->history.about(), "i");
}

TEST(DbcopJson, AnErrorNamesItsPlace) {
  EXPECT_EQ(json("[[{\"events\":[\n[\"x\",0,1]]}]]").substr(0, 30), "mem:2:1: expected an event: {\"");
  EXPECT_EQ(json("[[{\"events\":[[\"w\",0,null]]}]]"), "mem:1:14: expected the version that is written");
  EXPECT_EQ(json("[[7]]").substr(0, 34), "mem:1:3: expected a transaction: {");
  EXPECT_EQ(json("{\"params\":{}}"), "mem:1:14: expected the field \"data\", an array of sessions");
  EXPECT_EQ(json("[[]] 5"), "mem:1:6: expected the end after the JSON value");
  EXPECT_EQ(json("[[]]\n]"), "mem:2:1: expected the end after the JSON value");
  EXPECT_EQ(json("[[],\n[{\"events\""), "mem:2:11: expected more: the text ends inside a JSON value");
}

TEST(DbcopJson, AFieldThatTheFormatDoesNotHaveIsRefused) {
  const auto reading = [](std::string_view text) { return shown(kDbcopJsonFormat.read(source_of(text), {})); };
  EXPECT_EQ(reading(R"([[{"events":[["w",0,1]],"commited":false}]])"),
            "mem:1:25: unknown field \"commited\" in a transaction; did you mean committed?");
  EXPECT_EQ(reading(R"([[{"events":[{"Read":{"variable":0,"verson":1}}],"committed":true}]])"),
            "mem:1:36: unknown field \"verson\" in an event; did you mean version?");
}

TEST(DbcopJson, ACutFileKeepsItsWholeTransactionsWhenAskedFor) {
  const std::string_view cut = R"([[{"events":[["w",0,1]]},{"events":[["r",0,1],["r",)";
  EXPECT_FALSE(kDbcopJsonFormat.read(source_of(cut), {}).has_value());
  EXPECT_EQ(json(cut, true), "0@0: w 0=1\n");
  EXPECT_EQ(json(R"({"params":{"n_node":1},"data":[[{"events":[["w",0,1]]},{"ev)", true), "0@0: w 0=1\n");
}

class Bincode {
 public:
  Bincode& word(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
    return *this;
  }
  Bincode& flag(int value) {
    bytes += static_cast<char>(value);
    return *this;
  }
  Bincode& text(std::string_view value) {
    word(value.size());
    bytes += value;
    return *this;
  }
  Bincode& header() {
    for (int i = 0; i < 5; ++i) word(1);
    return text("info").text("").text("");
  }
  Bincode& event(int write, std::uint64_t variable, std::uint64_t value, int success = 1) {
    return flag(write).word(variable).word(value).flag(success);
  }
  std::string bytes;
};

TEST(DbcopBincode, EventsWithoutSuccessAreLeftOutAndTransactionsWithoutSuccessAreAborted) {
  Bincode b;
  b.header().word(2);
  b.word(1).word(3).event(1, 7, UINT64_MAX).event(1, 8, 1, 0).event(0, 7, 0).flag(1);
  b.word(1).word(1).event(0, 7, 5).flag(0);
  EXPECT_EQ(bincode(b.bytes), "0@0: w 7=18446744073709551615 r 7=0\n1@1 aborted: r 7=5\n");
  EXPECT_EQ(kDbcopBincodeFormat.read(source_of(b.bytes), {})->history.about(), "info");
}

TEST(DbcopBincode, AHostileLengthIsAnErrorAtItsByte) {
  Bincode b;
  b.header().word(UINT64_MAX);
  EXPECT_EQ(bincode(b.bytes),
            "mem:1:69: expected the number of sessions: 18446744073709551615 do not fit the 0 bytes that are left");
  EXPECT_EQ(bincode(b.bytes, true), "");
}

TEST(DbcopBincode, TextIsUtf8) {
  Bincode b;
  for (int i = 0; i < 5; ++i) b.word(1);
  b.text("\x9a").text("").text("").word(0);
  EXPECT_EQ(bincode(b.bytes), "mem:1:49: expected the text about the history in UTF-8");
  EXPECT_EQ(hist("[\x9a:=1]"), "mem:1:2: expected a variable in UTF-8");
}

TEST(DbcopBincode, AFlagIsZeroOrOne) {
  Bincode b;
  b.header().word(1).word(1).word(1).event(2, 0, 0).flag(1);
  EXPECT_EQ(bincode(b.bytes), "mem:1:93: expected whether the event is a write: 0 or 1, found 2");
}

TEST(DbcopBincode, EveryCutIsAnErrorAndLenientReadingKeepsTheTransactionsBefore) {
  Bincode b;
  b.header().word(1).word(2);
  b.word(1).event(1, 1, 1).flag(1);
  const std::size_t whole = b.bytes.size();
  b.word(1).event(0, 1, 1).flag(1);
  for (std::size_t size = 0; size < b.bytes.size(); ++size) {
    const std::string_view cut = std::string_view(b.bytes).substr(0, size);
    EXPECT_FALSE(kDbcopBincodeFormat.read(source_of(cut), {}).has_value()) << size;
    EXPECT_EQ(bincode(cut, true), size >= whole ? "0@0: w 1=1\n" : "") << size;
  }
}

}  // namespace dbcop_test
}  // namespace isolde
