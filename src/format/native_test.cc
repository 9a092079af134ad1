#include "format/native.h"

#include <gtest/gtest.h>

#include "format/isl.h"
#include "history/history_builder.h"
#include "tests/support/effort.h"
#include "tests/support/format_testing.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace native_test {

using testing::MemoryOutput;
using testing::source_of;

std::string written(const FormatInfo& format, const History& h) {
  MemoryOutput output;
  const auto done = format.write(h, output);
  EXPECT_TRUE(done && done->lost.empty());
  return output.text();
}

History read(std::string_view text, bool lenient = false) {
  auto result = kNativeFormat.read(source_of(text), {.lenient = lenient});
  EXPECT_TRUE(result) << (result ? "" : result.error().message()) << "\n" << text;
  if (!result) return *HistoryBuilder().finish();
  EXPECT_EQ(defect_of(result->history.columns()), "") << text;
  return std::move(result->history);
}

// The canonical text, without its header.
std::string body(const History& h) {
  const std::string all = written(kNativeFormat, h);
  return all.substr(all.find('\n') + 1);
}
std::string header(const History& h) {
  const std::string all = written(kNativeFormat, h);
  return all.substr(0, all.find('\n'));
}
std::string ops(std::string_view list) {
  const std::string text = body(read("{\"session\":1,\"ops\":[" + std::string(list) + "]}\n"));
  constexpr std::string_view kStart = "{\"id\":0,\"session\":1,\"ops\":[";
  return text.starts_with(kStart) ? text.substr(kStart.size(), text.size() - kStart.size() - 3) : text;
}

std::string refusal(std::string_view text) {
  const auto result = kNativeFormat.read(source_of(text), {});
  return result ? "accepted" : result.error().message();
}
// Of the operations of a transaction, from the column of the first one on.
std::string refused_ops(std::string_view list) {
  return refusal("{\"session\":1,\"ops\":[" + std::string(list) + "]}\n");
}

// ---- CONTRACT section 3, as it stands there

TEST(Native, TheExamplesOfTheContractAreRead) {
  const History h = read(R"({"isolde": 1, "about": "free text", "initial": null}
{"id": 7, "session": 3, "status": "committed", "ops": [["r","x",1],["w","y",2]], "begin": 1000, "end": 1900, "start_ts": 100, "commit_ts": 120}
{"id": 3, "session": 1, "ops": []}
{"id": 9, "session": 1, "ops": []}
{"version_order": {"x": [1,4,2], "y": [2]}, "complete": true}
{"version_order_by_txn": {"x": [3,9,7]}, "complete": false}
)");
  EXPECT_EQ(h.about(), "free text");
  EXPECT_EQ(h.begin(TxnId{0}), 1000);
  EXPECT_EQ(h.end(TxnId{0}), 1900);
  EXPECT_EQ(h.start_ts(TxnId{0}), 100);
  EXPECT_EQ(h.commit_ts(TxnId{0}), 120);
  EXPECT_EQ(h.status(TxnId{0}), Status::kCommitted);
  EXPECT_EQ(
      body(h),
      R"({"id":7,"session":3,"begin":1000,"end":1900,"start_ts":100,"commit_ts":120,"ops":[["r","x",1],["w","y",2]]}
{"id":3,"session":1,"ops":[]}
{"id":9,"session":1,"ops":[]}
{"version_order":{"x":[1,4,2]},"complete":true}
{"version_order":{"y":[2]},"complete":true}
{"version_order_by_txn":{"x":[3,9,7]},"complete":false}
)");
}

TEST(Native, EveryOperationIsRead) {
  for (const char* text : {
           R"(["r","x",1])",
           R"(["r","x",null])",
           R"(["r","x",[1,"a",null,[2]]])",
           R"(["r",7,"a"])",
           R"(["w","x",1])",
           R"(["w","x",null])",
           R"(["w",-7,{"a":1,"b":[true,1.5]}])",
           R"(["append","x",1])",
           R"(["inc","x",-3])",
           R"(["scan","c1 > 3",[["x",{"c1":4}],[7,null]]])",
           R"(["scan","true",[]])",
           R"--(["agg","max(c1)","c1 < 3",2])--",
           R"--(["agg","max(c1)","c1 < 3",null])--",
           R"(["update","key = 'x'",[["x",{"c1":4}],["y",null]]])",
           R"(["r","x",1,{"at":[10,20]}])",
           R"(["r","x",1,{"lock":"update"}])",
           R"(["r","x",1,{"lock":"share"}])",
           R"(["r","x",1,{"at":[10,20],"lock":"share"}])",
           R"(["w","x",1,{"at":[20,10]}])",
           R"(["scan","true",[],{"vset":{"x":{"a":1},"y":null}}])",
           R"(["scan","true",[],{"vset":{}}])",
           R"(["scan","true",[],{"at":[1,2],"lock":"update","vset":[["7",1],[7,2]]}])",
           R"--(["agg","count(*)","true",0,{"lock":"share","vset":{"x":1}}])--",
           R"(["update","true",[],{"at":[1,2],"vset":{"x":1}}])",
           R"(["r",12345678901234567890,18446744073709551615])",
           R"(["r","é\"","\u0001"])",
           R"(["r","x",{}])",
           R"(["w","x",1e400])",
           R"(["w","x",0.12345678901234567])",
       }) {
    EXPECT_EQ(ops(text), text);
  }
}

TEST(Native, EveryFieldOfATransactionIsRead) {
  const char* const text =
      R"({"id":"a","session":"s","status":"unknown","begin":-5,"end":9223372036854775807,"start_ts":1,"commit_ts":1,"order":0,"sno":4,"snapshot":{"xid":105,"xmin":100,"xmax":104,"active":[100,102]},"ops":[]}
{"id":1,"session":"s","status":"aborted","snapshot":{"xmin":100,"xmax":104,"active":[]},"ops":[]}
{"id":2,"session":"s","begin":1,"end":9,"commit":[5,7],"start_ts":1,"ops":[]}
{"id":3,"session":"s","status":"unknown","commit":[-5,null],"ops":[]}
)";
  EXPECT_EQ(body(read(text)), text);
  EXPECT_EQ(body(read(R"({"ops":[],"begin":null,"commit":null,"order":null,"session":1})")),
            "{\"id\":0,\"session\":1,\"ops\":[]}\n");
}

TEST(Native, TheHeaderTakesEveryFormOfInitialValues) {
  const auto with = [](std::string_view fields) {
    return read("{" + std::string(fields) + "}\n{\"session\":1,\"ops\":[[\"r\",\"x\",1],[\"r\",7,1]]}\n");
  };
  const auto initials = [&](std::string_view fields) {
    const History h = with(fields);
    return h.value_text(h.initial(KeyId{0})) + " " + h.value_text(h.initial(KeyId{1}));
  };
  EXPECT_EQ(initials(R"("isolde":1)"), "null null");
  EXPECT_EQ(initials(R"("isolde":1,"initial":null)"), "null null");
  EXPECT_EQ(initials(R"("isolde":1,"initial":0)"), "0 0");
  EXPECT_EQ(initials(R"("isolde":1,"initial":"a")"), "\"a\" \"a\"");
  EXPECT_EQ(initials(R"("isolde":1,"initial":{"x":4})"), "4 null");
  EXPECT_EQ(initials(R"("isolde":1,"initial":{"7":{"v":1}})"), "null {\"v\":1}");
  EXPECT_EQ(initials(R"("initial":0,"initial_of":{"x":4},"isolde":1)"), "4 0");
  {
    // Pairs name keys at once, so that the keys stand in the order of the pairs.
    const History h = with(R"("isolde":1,"initial_of":[[7,5],["x",4]],"initial":0)");
    EXPECT_EQ(h.value_text(h.initial(KeyId{0})) + h.value_text(h.initial(KeyId{1})), "54");
    EXPECT_EQ(h.value_text(h.default_initial()), "0");
  }
  EXPECT_EQ(header(with(R"("isolde":1,"serial_by":"commit_ts","about":"a\"b")")),
            R"({"isolde":1,"about":"a\"b","serial_by":"commit_ts","initial":null})");
  EXPECT_EQ(header(with(R"("isolde":1,"initial":{"x":4})")), R"({"isolde":1,"initial":{"x":4}})");
  EXPECT_EQ(header(with(R"("isolde":1,"initial":{"7":4})")), R"({"isolde":1,"initial":null,"initial_of":[[7,4]]})");
  EXPECT_EQ(header(with(R"("isolde":1,"initial":2,"initial_of":{"x":4})")),
            R"({"isolde":1,"initial":2,"initial_of":{"x":4}})");
  EXPECT_EQ(header(with(R"("isolde":1,"initial_guessed":true,"initial":2)")),
            R"({"isolde":1,"initial_guessed":true,"initial":2})")
      << "a guess stays a guess";
  EXPECT_EQ(header(with(R"("isolde":1,"initial_guessed":false)")), R"({"isolde":1,"initial":null})");
  EXPECT_EQ(refusal("{\"isolde\":1,\"initial_guessed\":1}\n"), "mem:1:31: expected \"initial_guessed\": true or false");
}

TEST(Native, FieldsOfTheHeaderMeanNothingInATransaction) {
  const std::string text =
      R"({"session":1,"initial":5,"about":"no","serial_by":"x","complete":"maybe","ops":[["r","x",1]]}
{"session":1,"initial":6,"about":7,"ops":[]}
)";
  EXPECT_NE(refusal(text), "accepted");
  const auto lenient = kNativeFormat.read(source_of(text), {.lenient = true});
  ASSERT_TRUE(lenient) << lenient.error().message();
  EXPECT_EQ(lenient->history.default_initial(), kNullValue);
  EXPECT_EQ(lenient->history.about(), "");
  EXPECT_EQ(lenient->history.txn_count(), 2U);
}

TEST(Native, VersionOrdersTakeObjectsAndPairs) {
  const History h = read(R"({"version_order":{"7":[1],"x":[]}}
{"version_order":[["7",[1]],[7,[2]]],"complete":false}
{"complete":false,"version_order_by_txn":[["x",["a"]]]}
{"id":"a","session":1,"ops":[["w",7,1],["w","7",1]]}
)");
  EXPECT_EQ(body(h).substr(body(h).find('\n') + 1),
            R"({"version_order":[["7",[1]]],"complete":true}
{"version_order":{"x":[]},"complete":true}
{"version_order":[["7",[1]]],"complete":false}
{"version_order":[[7,[2]]],"complete":false}
{"version_order_by_txn":{"x":["a"]},"complete":false}
)");
}

TEST(Native, AVersionSetNamesKeysThatOnlyLaterLinesHave) {
  const History h = read(R"({"session":1,"ops":[["scan","v>1",[],{"vset":{"1":{"v":0}}}]]}
{"session":1,"ops":[["w",1,{"v":2}]]}
)");
  const Predicate& scan = h.predicate(h.op(0).predicate());
  EXPECT_EQ(h.vset(scan)[0].key, h.op(1).key()) << "the integer key 1, not a key \"1\"";
}

TEST(Native, CommentsBlankLinesCrLfAndBomSayNothing) {
  const char* const plain = "{\"isolde\":1}\n{\"session\":1,\"ops\":[[\"r\",\"x\",1]]}\n";
  for (const char* const text : {
           "\xef\xbb\xbf{\"isolde\":1}\r\n{\"session\":1,\"ops\":[[\"r\",\"x\",1]]}\r\n",
           "# comment\n\n  \t\r\n  # another\n{\"isolde\":1}\n\n{\"session\":1,\"ops\":[[\"r\",\"x\",1]]}\n# end",
           "{\"isolde\":1}\n{\"session\":1,\"ops\":[[\"r\",\"x\",1]]}",
           "{\"session\":1,\"x-mine\":[{\"x\":[]}],\"ops\":[[\"r\",\"x\",1,{\"x-more\":1}]]}\n",
       }) {
    EXPECT_EQ(difference(read(plain), read(text)), "") << text;
  }
  EXPECT_EQ(read("").txn_count(), 0U);
  EXPECT_EQ(read("\n#\n").txn_count(), 0U);
}

TEST(Native, TheLastOfAFieldThatStandsTwiceHolds) {
  EXPECT_EQ(
      body(read(
          R"({"id":1,"id":2,"session":1,"session":3,"begin":1,"begin":2,"ops":[["r","x",1,{"at":[1,2],"at":[3,4]}]]})")),
      "{\"id\":2,\"session\":3,\"begin\":2,\"ops\":[[\"r\",\"x\",1,{\"at\":[3,4]}]]}\n");
  EXPECT_EQ(
      body(
          read(R"({"session":1,"snapshot":{"xmin":1,"xmax":2,"active":[5]},"snapshot":{"xmin":3,"xmax":4},"ops":[]})")),
      "{\"id\":0,\"session\":1,\"snapshot\":{\"xmin\":3,\"xmax\":4,\"active\":[]},\"ops\":[]}\n");
}

// ---- the quick way and the general way

// The same line with spaces wherever they may stand, and with a field that only the general way reads past.
std::string spaced(std::string_view line) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && (i == 0 || line[i - 1] != '\\')) in_string = !in_string;
    out += c;
    if (!in_string && (c == ',' || c == ':' || c == '[' || c == '{' || c == ']')) out += " \t";
  }
  return out;
}

TEST(NativeReader, ASnapshotMeansTheSameOnBothWays) {
  for (const std::string snapshot :
       {R"({"xid":105,"xmin":100,"xmax":104,"active":[100,102]})", R"({ "xmax" : 4 , "xmin" : -1 , "active" : [ ] })",
        R"({"xmin":1,"xmax":2})", R"({"active":[9223372036854775807],"xmin":1,"xmax":2,"xid":0})"}) {
    const std::string start = "{\"session\":1,\"ops\":[],\"snapshot\":" + snapshot;
    const auto plain = kNativeFormat.read(testing::source_of(start + "}\n"), {});
    const auto general = kNativeFormat.read(testing::source_of(start + ",\"x-mine\":{}}\n"), {});
    ASSERT_TRUE(plain && general) << snapshot;
    EXPECT_EQ(difference(plain->history, general->history), "");
    EXPECT_EQ(plain->history.columns().snapshots.size(), 1U);
  }
}

TEST(NativeReader, ACommitMeansTheSameOnBothWays) {
  for (const std::string commit : {"[5,7]", "[ 5 , 7 ]", "[5,null]", "[-9223372036854775808, null]", "[-3,9]"}) {
    const std::string start = "{\"session\":1,\"commit\":" + commit + ",\"ops\":[]";
    const auto plain = kNativeFormat.read(testing::source_of(start + "}\n"), {});
    const auto general = kNativeFormat.read(testing::source_of(start + ",\"x-mine\":{}}\n"), {});
    ASSERT_TRUE(plain && general) << commit;
    EXPECT_EQ(difference(plain->history, general->history), "");
    EXPECT_NE(plain->history.commit_interval(TxnId{0}).before, kNoTime);
  }
}

TEST(Native, ACommitThatIsNoIntervalOrDoesNotFitIsRefused) {
  const auto refused = [](std::string_view commit, std::string_view more = "") {
    return refusal("{\"session\":0,\"ops\":[]}\n{\"session\":1,\"commit\":" + std::string(commit) + std::string(more) +
                   ",\"ops\":[]}\n");
  };
  const std::string form = "mem:2:23: expected \"commit\": [before, after], or [before, null] if no answer came";
  for (const char* text : {"5", "[]", "[5]", "[1,2,3]", "{}", "\"5\""}) EXPECT_EQ(refused(text), form);
  EXPECT_EQ(refused("[null,5]"), "mem:2:24: expected \"commit\" to be a 64-bit integer");
  EXPECT_EQ(refused("[1,\"x\"]"), "mem:2:26: expected \"commit\" to be a 64-bit integer");
  EXPECT_EQ(refused("[7,5]"), "mem:2:1: transaction 1: its commit was answered at 5, before it was sent at 7");
  EXPECT_EQ(refused("[5,7]", ",\"end\":6"),
            "mem:2:1: transaction 1: its commit was answered at 7, after the transaction ended at 6");
  EXPECT_EQ(refused("[5,7]", ",\"x-mine\":{},\"begin\":6"),
            "mem:2:1: transaction 1: its commit was sent at 5, before the transaction began at 6");
}

TEST(Native, TheQuickWayAndTheGeneralWayReadTheSame) {
  const std::uint64_t count = effort::tries(3'000);
  Rng rng(effort::seed(2024));
  for (std::uint64_t i = 0; i < count; ++i) {
    const History h = random_history(rng, {});
    const std::string text = written(kNativeFormat, h);
    std::string with_spaces;
    std::string general;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      with_spaces += spaced(line) + "\r\n";
      general += line.starts_with("{\"id\"") ? "{\"x-z\":{}," + line.substr(1) + "\n" : line + "\n";
      at = end + 1;
    }
    ASSERT_EQ(difference(h, read(text)), "") << text;
    ASSERT_EQ(difference(h, read(with_spaces)), "") << with_spaces;
    ASSERT_EQ(difference(h, read(general)), "") << general;
    ASSERT_EQ(written(kNativeFormat, read(text)), text);
  }
}

TEST(Native, WhatIslHoldsIsTheSameAndItsBytesSettle) {
  const std::uint64_t count = effort::tries(1'000);
  Rng rng(effort::seed(77));
  for (std::uint64_t i = 0; i < count; ++i) {
    const History h = read(written(kNativeFormat, random_history(rng, {})));
    const std::string once = written(kIslFormat, h);
    const auto back = kIslFormat.read(source_of(once), {});
    ASSERT_TRUE(back) << back.error().message();
    ASSERT_EQ(difference(h, back->history), "") << native_text(h);
    ASSERT_EQ(written(kIslFormat, back->history), once);
  }
}

// ---- what is cut off, and what is wrong

constexpr std::string_view kRich =
    R"({"id":"a","session":2,"status":"aborted","begin":1,"x-y":{"y":[1,"]"]},"ops":[["r","x",[1,{"a":null}]],["scan","true",[["k",1.5]],{"at":[1,2],"vset":{"k":1}}],["inc",7,1]],"snapshot":{"xmin":1,"xmax":2,"active":[3]}})";

TEST(Native, ALineCutAnywhereIsRefused) {
  ASSERT_EQ(refusal(kRich), "accepted");
  for (std::size_t length = 1; length < kRich.size(); ++length) {
    for (const char* end : {"", "\n"}) {
      const std::string text = std::string(kRich.substr(0, length)) + end;
      EXPECT_NE(refusal(text), "accepted") << text;
    }
  }
}

TEST(Native, LenientReadingDropsALastLineThatIsCut) {
  const std::string good = "{\"id\":9,\"session\":1,\"ops\":[]}\n";
  for (std::size_t length = 1; length < kRich.size(); ++length) {
    const std::string text = good + std::string(kRich.substr(0, length));
    const auto result = kNativeFormat.read(source_of(text), {.lenient = true});
    ASSERT_TRUE(result) << text;
    ASSERT_EQ(result->history.txn_count(), 1U) << text;
    ASSERT_EQ(defect_of(result->history.columns()), "") << text;
    ASSERT_EQ(result->notes, std::vector<std::string>{"the last line (2) is cut off and was dropped"});
    EXPECT_NE(refusal(text), "accepted");
  }
  const auto in_the_middle = kNativeFormat.read(source_of("{\"session\":\n" + good), {.lenient = true});
  EXPECT_FALSE(in_the_middle);
}

TEST(Native, FaultsNameTheirLineAndColumn) {
  const std::string good = "{\"id\":9,\"session\":1,\"ops\":[]}\n";
  EXPECT_EQ(refusal("{\"isolde\":2}\n"), "mem:1:11: expected \"isolde\": 1, the version of this format");
  EXPECT_EQ(refusal(good + "{\"isolde\":1}\n"), "mem:2:11: the header may only be the first line");
  EXPECT_EQ(refusal(good + "{\"ops\":[]}\n"), "mem:2:11: expected a transaction with \"session\"");
  EXPECT_EQ(refusal("#\n\n{\"session\":1}\n"), "mem:3:14: expected a transaction with \"ops\"");
  EXPECT_EQ(refusal(good + good), "mem:2:1: transaction id 9 occurs twice");
  EXPECT_EQ(refusal("# \"ops\"\n" + good + "{\"version_order\":{\"ops\":[1]}}\n" + good),
            "mem:4:1: transaction id 9 occurs twice");
  EXPECT_EQ(refusal(good + "{\"version_order_by_txn\":{\"x\":[9]}}\n\n{\"version_order_by_txn\":{\"x\":[5]}}\n"),
            "mem:4:1: the version order of key \"x\" names transaction 5, which the history does not have");
  EXPECT_EQ(refusal("{\"session\":1.5,\"ops\":[]}\n"), "mem:1:12: expected \"session\" to be an integer or a string");
  EXPECT_EQ(refusal("{\"session\":0.12345678901234567,\"ops\":[]}\n"),
            "mem:1:12: expected \"session\" to be an integer or a string");
  EXPECT_EQ(refusal("{\"id\":null,\"session\":1,\"ops\":[]}\n"),
            "mem:1:7: expected \"id\" to be an integer or a string");
  EXPECT_EQ(refusal("{\"session\":1,\"status\":\"ok\",\"ops\":[]}\n"),
            "mem:1:23: expected \"status\" to be \"committed\", \"aborted\" or \"unknown\"");
  EXPECT_EQ(refusal("{\"session\":1,\"begin\":\"x\",\"ops\":[]}\n"),
            "mem:1:22: expected \"begin\" to be a 64-bit integer");
  EXPECT_EQ(refusal("{\"session\":1,\"begin\":9223372036854775808,\"ops\":[]}\n"),
            "mem:1:22: expected \"begin\" to be a 64-bit integer");
  EXPECT_EQ(refusal("{\"session\":1,\"ops\":[],\"ops\":[]}\n"), "mem:1:29: \"ops\" occurs twice");
  EXPECT_EQ(refusal("{\"session\":1,\"ops\":{}}\n"), "mem:1:20: expected \"ops\" to be a list of operations");
  EXPECT_EQ(refusal("{\"session\":1,\"ops\":[]} x\n"), "mem:1:1: expected a JSON object, one transaction per line");
  EXPECT_EQ(refusal("{\"session\":1,\"ops\":[]} {}\n"), "mem:1:24: expected the end of the line after the JSON object");
  EXPECT_EQ(refusal("[]\n"), "mem:1:1: expected a JSON object, one transaction per line");
  EXPECT_EQ(refusal("{\"version_order\":{\"x\":1}}\n"), "mem:1:23: expected the versions of a key as a list");
  EXPECT_EQ(refusal("{\"version_order\":{\"x\":[]},\"complete\":1}\n"),
            "mem:1:38: expected \"complete\": true or false");
  EXPECT_EQ(refusal("{\"session\":1,\"snapshot\":{\"xmin\":1},\"ops\":[]}\n"),
            "mem:1:35: expected a snapshot with \"xmin\" and \"xmax\"");
  EXPECT_EQ(refusal("{\"session\":1,\"isolde\":1,\"ops\":[]}\n"),
            "mem:1:34: expected a transaction, a header, a version order or a fault on one line, not two of them");
}

TEST(Native, AFieldThatTheFormatDoesNotHaveIsRefusedWithTheNearestName) {
  EXPECT_EQ(refusal("{\"session\":1,\"sttus\":\"aborted\",\"ops\":[]}\n"),
            "mem:1:14: unknown field \"sttus\" in a transaction; did you mean status?");
  EXPECT_EQ(refusal("{\"session\":1,\"ops\":[]}\n{\"session\":1,\"ops\":[],\"star_ts\":5}\n"),
            "mem:2:23: unknown field \"star_ts\" in a transaction; did you mean start_ts or status?");
  EXPECT_EQ(refusal("{\"isolde\":1,\"inital\":5}\n"),
            "mem:1:13: unknown field \"inital\" in the header; did you mean initial or initial_of?");
  EXPECT_EQ(refusal("{\"session\":1,\"ops\":[],\"snapshot\":{\"xmin\":1,\"xmax\":2,\"activ\":[]}}\n"),
            "mem:1:53: unknown field \"activ\" in a snapshot; did you mean active?");
  EXPECT_EQ(refused_ops(R"(["r","x",1,{"lok":"update"}])"),
            "mem:1:33: unknown field \"lok\" in the details of an operation; did you mean lock?");
  EXPECT_EQ(refusal("{\"version_order\":{\"x\":[1]},\"complet\":false}\n"),
            "mem:1:28: unknown field \"complet\" in a version order; did you mean complete?");
  EXPECT_EQ(refusal("{\"session\":1,\"ops\":[],\"zzzzzz\":1}\n"),
            "mem:1:23: unknown field \"zzzzzz\" in a transaction (fields of your own begin with x-)");
}

TEST(Native, AFieldInAnotherKindOfLineSaysWhereItBelongs) {
  EXPECT_EQ(refusal("{\"session\":1,\"initial\":5,\"ops\":[]}\n"),
            "mem:1:14: \"initial\" belongs to the header, a first line that has \"isolde\": 1");
  EXPECT_EQ(refusal("{\"session\":1,\"complete\":true,\"ops\":[]}\n"),
            "mem:1:14: \"complete\" belongs to a version order");
  EXPECT_EQ(refusal("{\"session\":1,\"heartbeat\":7}\n"),
            "mem:1:14: a heartbeat is for a stream, on a line of its own: {\"session\": 3, \"heartbeat\": 1000}");
}

TEST(Native, LenientReadingCountsUnknownFieldsInANote) {
  const std::string text =
      "{\"isolde\":1,\"inital\":5}\n"
      "{\"session\":1,\"sttus\":\"aborted\",\"ops\":[[\"r\",\"x\",1,{\"more\":{}}]]}\n"
      "{\"session\":1,\"sttus\":[],\"x-own\":1,\"ops\":[]}\n";
  const auto result = kNativeFormat.read(source_of(text), {.lenient = true});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->notes,
            std::vector<std::string>{
                "ignored 4 fields that the format does not have: \"inital\" (1), \"more\" (1), \"sttus\" (2)"});
  EXPECT_EQ(result->history.txn_count(), 2U);
}

TEST(Native, InitialValuesAreAScalarOrByKey) {
  const auto initial = [](const std::string& header) {
    const History h = read("{\"isolde\":1," + header + "}\n{\"session\":1,\"ops\":[[\"r\",\"x\",1],[\"r\",7,1]]}\n");
    std::string out;
    for (std::uint32_t k = 0; k < h.key_count(); ++k) {
      out += h.key_text(KeyId{k}) + "=" + h.value_text(h.initial(KeyId{k})) + " ";
    }
    return out;
  };
  EXPECT_EQ(initial(R"("initial":5)"), "x=5 7=5 ");
  EXPECT_EQ(initial(R"("initial":[["x",5]])"), "x=5 7=null ");
  EXPECT_EQ(initial(R"("initial":[["x",[5]],[7,{"a":1}]])"), "x=[5] 7={\"a\":1} ");
  EXPECT_EQ(initial(R"("initial":[])"), "x=null 7=null ");
  EXPECT_EQ(initial(R"("initial":{"x":5,"7":6})"), "x=5 7=6 ");
  EXPECT_EQ(initial(R"("initial":0,"initial_of":[["x",5]])"), "x=5 7=0 ");
  const auto refused = [](const std::string& value) { return refusal("{\"isolde\":1,\"initial\":" + value + "}\n"); };
  EXPECT_EQ(refused("[1,2]"), "mem:1:24: expected a pair [key, value]");
  EXPECT_EQ(refused("[[\"x\"]]"), "mem:1:24: expected a pair [key, value]");
  EXPECT_EQ(refused("[[\"x\",1,2]]"), "mem:1:24: expected a pair [key, value]");
  EXPECT_EQ(refused("[[\"y\",1],[true,1]]"), "mem:1:33: expected a key: an integer or a string");
  EXPECT_EQ(refused("[[\"x\",5],[\"x\",6]]"), "mem:1:37: expected one initial value of each key, this is the second");
  EXPECT_EQ(refused("{\"x\":5,\"x\":6}"), "mem:1:34: expected one initial value of each key, this is the second");
  EXPECT_EQ(refusal("{\"isolde\":1,\"initial_of\":5}\n"),
            "mem:1:26: expected \"initial_of\": {key: value} or pairs [[key, value], …]");
}

TEST(Native, TheLeastTimestampIsRead) {
  const auto start = [](const std::string& lines) {
    const auto result = kNativeFormat.read(source_of(lines), {});
    return result ? result->history.start_ts(TxnId{0}) : 1;
  };
  const std::string least = "{\"session\":1,\"start_ts\":-9223372036854775808,\"commit_ts\":5,\"ops\":[]}\n";
  EXPECT_EQ(start(least), kNoTime + 1) << "the least integer stands for a time that is not known";
  EXPECT_EQ(start("{\"session\":1,\"start_ts\":-9223372036854775807,\"ops\":[]}\n"), kNoTime + 1);
  EXPECT_EQ(
      refusal(least + "{\"session\":1,\"start_ts\":-9223372036854775807,\"ops\":[]}\n"),
      "mem:2:25: \"start_ts\": -9223372036854775808 and -9223372036854775807 in one history cannot be distinguished");
  EXPECT_EQ(refusal(least + "{\"session\":1,\"begin\":-9223372036854775807,\"ops\":[]}\n"), "accepted");
}

TEST(Native, ALineThatIsCutOffSaysSoAtItsEnd) {
  EXPECT_EQ(refusal("{\"session\":1,\"ops\":[[\"r\",\"x\"\n"),
            "mem:1:29: expected more: the line ends inside a JSON value");
  EXPECT_EQ(refusal("{\"session\":1,\"ops\":[[\"r\",\"x\n"),
            "mem:1:26: expected the end of this string: it is never closed");
  EXPECT_EQ(
      refusal("{\"session\":1"),
      "mem:1:13: expected more: the line ends inside a JSON value (the last line may be cut off: --lenient drops it)");
}

TEST(Native, FaultsInOperationsNameTheirColumn) {
  constexpr std::string_view kForm =
      "expected an operation: [\"r\",key,value], [\"w\",key,value], [\"append\",key,element], [\"inc\",key,number], "
      "[\"scan\",where,rows], [\"agg\",expression,where,value] or [\"update\",where,rows]";
  const auto form_at = [&](int column) { return "mem:1:" + std::to_string(column) + ": " + std::string(kForm); };
  EXPECT_EQ(refused_ops(R"(["q","x",1])"), form_at(22));
  EXPECT_EQ(refused_ops(R"(["r","x"])"), form_at(21));
  EXPECT_EQ(refused_ops(R"([])"), form_at(21));
  EXPECT_EQ(refused_ops(R"(7)"), form_at(21));
  EXPECT_EQ(refused_ops(R"(["r",true,1])"), "mem:1:26: expected a key: an integer or a string");
  EXPECT_EQ(refused_ops(R"(["r",1.5,1])"), "mem:1:26: expected a key: an integer or a string");
  EXPECT_EQ(refused_ops(R"(["r","x",1,2])"), "mem:1:32: expected the details of an operation, e.g. {\"at\":[1,2]}");
  EXPECT_EQ(refused_ops(R"(["r","x",1,{},3])"), "mem:1:21: expected nothing after the details of an operation");
  EXPECT_EQ(refused_ops(R"(["w","x",1,{"lock":"share"}])"), "mem:1:21: expected \"lock\" only on a read");
  EXPECT_EQ(refused_ops(R"(["r","x",1,{"lock":"all"}])"), "mem:1:40: expected \"lock\" to be \"update\" or \"share\"");
  EXPECT_EQ(refused_ops(R"(["r","x",1,{"vset":{}}])"), "mem:1:21: expected \"vset\" only on a predicate operation");
  EXPECT_EQ(refused_ops(R"(["inc","x",1.5])"), "mem:1:32: expected an integer to add");
  EXPECT_EQ(refused_ops(R"(["scan",1,[]])"), "mem:1:29: expected a predicate as SQL text");
  EXPECT_EQ(refused_ops(R"(["agg",1,"true",1])"), "mem:1:28: expected an aggregate such as \"max(c1)\"");
  EXPECT_EQ(refused_ops(R"(["scan","true",5])"), "mem:1:36: expected rows: [[key,row],…]");
  EXPECT_EQ(refused_ops(R"(["r","x",1-2-3-4-5-6-7-8-9-10-11])"), "mem:1:30: expected a JSON value: not a JSON number");
  EXPECT_EQ(refused_ops(R"(["r","x",01])"), "mem:1:30: expected a JSON value: not a JSON number");
}

TEST(Native, ValuesNestAsDeepAsTheModelAllows) {
  const auto nested = [](int depth) {
    return std::string("[\"w\",\"x\",") + std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "]";
  };
  EXPECT_EQ(ops(nested(kMaxValueDepth + 1)), nested(kMaxValueDepth + 1));
  EXPECT_EQ(refused_ops(nested(kMaxValueDepth + 2)), "mem:1:30: expected a JSON value: values are nested too deeply");
  EXPECT_NE(refused_ops(nested(100000)), "accepted");
}

TEST(Native, RowsWrittenInPartAreForStreams) {
  const auto result =
      kNativeFormat.read(source_of("{\"isolde\":1,\"columns\":true}\n{\"session\":1,\"ops\":[]}\n"), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().line, 1U);
}

// ---- faults

TEST(Native, FaultsAreKeptWithTheirTimes) {
  const std::string lines =
      "{\"id\":1,\"session\":1,\"begin\":5,\"ops\":[]}\n"
      "{\"fault\":\"restart\",\"at\":[100,250],\"detail\":\"orderly \\\"x\\\"\"}\n"
      "{\"fault\":\"kill-connections\",\"at\":7}\n";
  const History h = read(lines);
  ASSERT_EQ(h.faults().size(), 2U);
  EXPECT_EQ(h.faults()[0].begin, 100);
  EXPECT_EQ(h.faults()[0].end, 250);
  EXPECT_EQ(h.faults()[1].end, kNoTime);
  EXPECT_EQ(body(h), lines);
  // In any place, and in any order of their fields.
  EXPECT_EQ(difference(h, read("{\"detail\":\"orderly \\\"x\\\"\",\"at\":[100,250],\"fault\":\"restart\"}\n"
                               "{\"at\":[7,null],\"fault\":\"kill-connections\",\"detail\":null}\n"
                               "{\"id\":1,\"session\":1,\"begin\":5,\"ops\":[]}\n")),
            "");
  const std::string isl = written(kIslFormat, h);
  EXPECT_EQ(difference(h, kIslFormat.read(source_of(isl), {})->history), "");
}

TEST(Native, AFaultWithoutATimeOrOnALineWithSomethingElseIsRefused) {
  const auto says = [](std::string_view line, std::string_view text) {
    const std::string got = refusal(line);
    EXPECT_NE(got.find(text), std::string::npos) << line << ": " << got;
  };
  says("{\"fault\":\"restart\"}\n", "expected a fault with \"at\"");
  says("{\"fault\":5,\"at\":1}\n", "expected \"fault\" to be the name");
  says("{\"fault\":\"x\",\"at\":[1]}\n", "1:19: expected \"at\": TIME or [FROM, TO]");
  says("{\"fault\":\"x\",\"at\":[3,2]}\n", "expected FROM <= TO");
  says("{\"fault\":\"x\",\"at\":[1,2,3]}\n", "expected \"at\": TIME or [FROM, TO]");
  says("{\"fault\":\"x\",\"at\":\"soon\"}\n", "64-bit integer");
  says("{\"fault\":\"x\",\"at\":1,\"session\":1,\"ops\":[]}\n", "not two of them");
  says("{\"session\":1,\"ops\":[],\"at\":1}\n", "it belongs to a fault");
  says("{\"fault\":\"x\",\"at\":1,\"details\":\"y\"}\n", "details");
}

}  // namespace native_test
}  // namespace isolde
