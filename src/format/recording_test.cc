#include "format/recording.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "format/native.h"
#include "tests/support/format_testing.h"

namespace isolde {
namespace recording_test {

using Files = std::map<std::string, std::string>;

const std::string kHeader = "{\"isolde\":1,\"isolde-recording\":1,\"initial\":0}\n";

Files recording(const std::string& first, const std::string& second = {}) {
  Files files{{"header.jsonl", kHeader}, {"session-0001.journal", first}};
  if (!second.empty()) files["session-0002.journal"] = second;
  return files;
}

Result<ReadResult> read(const Files& files, bool lenient = false) {
  return kRecordingFormat.read(testing::folder_of(files), ReadOptions{.lenient = lenient});
}

std::string message_of(const Files& files) {
  const auto result = read(files);
  return result ? "read" : result.error().message();
}

// How the history differs from the one that these native lines give; empty if it does not.
std::string differs(const Files& files, const std::string& native) {
  const auto got = read(files);
  if (!got) return got.error().message();
  const std::string text = "{\"isolde\":1,\"initial\":0}\n" + native;
  const auto wanted = kNativeFormat.read(testing::source_of(text), {});
  if (!wanted) return wanted.error().message();
  return difference(wanted->history, got->history);
}

TEST(Recording, IsRecognisedByItsHeader) {
  const Files files = recording("s 1\n");
  EXPECT_EQ(recognise(testing::folder_of(files)), format_named("recording"));
  const Files other{{"header.jsonl", "{\"isolde\":1}\n"}, {"session-0001.journal", "s 1\n"}};
  EXPECT_NE(recognise(testing::folder_of(other)), format_named("recording"));
}

TEST(Recording, EveryRecordSaysWhatNativeLinesSay) {
  const std::string first =
      "s 3\n"
      "b 7 1000\n"
      "i 1001 [\"w\",7,2]\n"
      "i 1002 [\"append\",\"l\",5]\n"
      "d 1005\n"
      "o [\"r\",7,2,{\"lock\":\"update\",\"at\":[1006,1007]}]\n"
      "o [\"scan\",\"c > 1\",[[7,2]],{\"at\":[1008,1009]}]\n"
      "o [\"agg\",\"max(c)\",\"c > 1\",9,{\"at\":[1010,1011]}]\n"
      "o [\"update\",\"c > 1\",[[8,3]],{\"at\":[1012,1013]}]\n"
      "c 1014\n"
      "f \"snapshot\":{\"xid\":105,\"xmin\":100,\"xmax\":104,\"active\":[100,102]},\"start_ts\":5,\"commit_ts\":6\n"
      "p 1\n"
      "e committed 1020\n"
      "b 8 1030\n"
      "e aborted 1031\n";
  const std::string second =
      "s 4\n"
      "b 9 1000\n"
      "i 1001 [\"w\",7,3]\n"
      "d 1002\n"
      "c 1003\n"
      "e unknown\n"
      "s 5\n"
      "b 10 2000\n"
      "o [\"r\",7,null,{\"at\":[2001,2002]}]\n"
      "c 2003\n"
      "e committed 2004\n";
  EXPECT_EQ(
      differs(
          recording(first, second),
          "{\"id\":7,\"session\":3,\"begin\":1000,\"end\":1020,\"commit\":[1014,1020],\"start_ts\":5,\"commit_ts\":6,"
          "\"snapshot\":{\"xid\":105,\"xmin\":100,\"xmax\":104,\"active\":[100,102]},"
          "\"ops\":[[\"w\",7,2,{\"at\":[1001,1005]}],[\"append\",\"l\",5,{\"at\":[1002,1005]}],"
          "[\"r\",7,2,{\"lock\":\"update\",\"at\":[1006,1007]}],"
          "[\"scan\",\"c > 1\",[[7,2]],{\"at\":[1008,1009]}],"
          "[\"agg\",\"max(c)\",\"c > 1\",9,{\"at\":[1010,1011]}],"
          "[\"update\",\"c > 1\",[[8,3]],{\"at\":[1012,1013]}]]}\n"
          "{\"id\":8,\"session\":3,\"status\":\"aborted\",\"begin\":1030,\"end\":1031,\"ops\":[]}\n"
          "{\"id\":9,\"session\":4,\"status\":\"unknown\",\"begin\":1000,\"commit\":[1003,null],"
          "\"ops\":[[\"w\",7,3,{\"at\":[1001,1002]}]]}\n"
          "{\"id\":10,\"session\":5,\"begin\":2000,\"end\":2004,\"commit\":[2003,2004],\"ops\":[[\"r\",7,null,{\"at\":["
          "2001,2002]}]]}\n"
          "{\"version_order_by_txn\":[[\"l\",[7]],[8,[7]]]}\n"),
      "");
}

TEST(Recording, ACutOffTransactionIsUnknownOnlyIfItsCommitWasSent) {
  const std::string before = "s 1\nb 1 10\ni 11 [\"w\",1,5]\n";
  EXPECT_EQ(
      differs(recording(before), "{\"id\":1,\"session\":1,\"status\":\"aborted\",\"begin\":10,\"ops\":[[\"w\",1,5]]}"),
      "");
  EXPECT_EQ(
      differs(recording(before + "d 12\n"),
              "{\"id\":1,\"session\":1,\"status\":\"aborted\",\"begin\":10,\"ops\":[[\"w\",1,5,{\"at\":[11,12]}]]}"),
      "");
  const auto sent = read(recording(before + "d 12\nc 13\nf \"commit_ts\":9\n"));
  ASSERT_TRUE(sent) << sent.error().message();
  EXPECT_EQ(testing::shown(sent->history), "1@1 unknown: w 1=5\n");
  EXPECT_EQ(sent->history.end(TxnId{0}), kNoTime);
  EXPECT_EQ(sent->history.commit_interval(TxnId{0}).before, 13);
  EXPECT_EQ(sent->history.commit_interval(TxnId{0}).after, kNoTime);
  ASSERT_EQ(sent->notes.size(), 1U);
  EXPECT_EQ(
      sent->notes[0],
      "the run was cut off: 1 transactions have no end; 1 had sent their commit and count as unknown, 0 had not and "
      "count as aborted");
}

TEST(Recording, AnEmptyJournalAndAFolderWithoutOneAreEmptyHistories) {
  for (const std::string& bytes : {std::string(), std::string(4096, '\0'), std::string("s 1"), std::string("s 1\n")}) {
    const auto result = read(recording(bytes));
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->history.txn_count(), 0U);
    EXPECT_TRUE(result->notes.empty());
  }
  EXPECT_EQ(message_of({{"header.jsonl", kHeader}}), "read");
}

// The transactions that the whole lines of a journal speak of, found in the plainest way: id, status, operations.
std::string expected_of(std::string_view journal) {
  std::string out;
  std::string status;
  std::string id;
  int operations = 0;
  const auto close = [&] {
    if (!id.empty()) out += fmt::format("{} {} {}\n", id, status, operations);
    id.clear();
  };
  while (journal.find('\n') != std::string_view::npos) {
    const std::string_view line = journal.substr(0, journal.find('\n'));
    journal.remove_prefix(line.size() + 1);
    if (line[0] == 'b') {
      id = line.substr(2, line.rfind(' ') - 2);
      status = "aborted";
      operations = 0;
    }
    if (line[0] == 'o' || line[0] == 'i') ++operations;
    if (line[0] == 'c') status = "unknown";
    if (line[0] == 'e') {
      status = line.substr(2, line.find(' ', 2) - 2);
      close();
    }
  }
  close();
  return out;
}

std::string found_in(const History& h) {
  constexpr const char* kNames[] = {"committed", "aborted", "unknown"};
  std::string out;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId txn{t};
    out += fmt::format("{} {} {}\n", h.txn_text(txn), kNames[static_cast<int>(h.status(txn))],
                       h.end_op(txn) - h.first_op(txn));
  }
  return out;
}

TEST(Recording, CutAtEveryByteItHasWhatWasRecordedUntilThenAndNothingElse) {
  const std::string journal =
      "s 1\n"
      "b 11 10\ni 11 [\"w\",1,5]\ni 11 [\"w\",\"k\\u0000\\n]]\",{\"a\":\"x y\"}]\nd 12\nc 13\nf \"commit_ts\":9\np 1\n"
      "e committed 14\n"
      "b 12 20\no [\"r\",1,5,{\"at\":[21,22]}]\ni 23 [\"append\",2,7]\nd 24\ne aborted 25\n"
      "b 13 30\ni 31 [\"w\",1,6]\nd 32\nc 33\ne unknown\n"
      "s 2\n"
      "b 14 40\no [\"scan\",\"a = 'b'\",[[1,5],[\"k\",null]],{\"lock\":\"share\",\"at\":[41,42]}]\nc 43\ne committed "
      "44\n";
  const std::string other = "s 9\nb 99 1\no [\"r\",1,0]\nc 5\ne committed 6\n";
  for (std::size_t cut = 0; cut <= journal.size(); ++cut) {
    const std::string prefix = journal.substr(0, cut);
    // As a truncated file; as a killed writer leaves it; and with the end of a record stored before its beginning.
    const std::string tails[] = {{}, std::string(64, '\0'), std::string(7, '\0') + "5]" + std::string(64, '\0')};
    for (const std::string& tail : tails) {
      const auto result = read(recording(prefix + tail, other));
      ASSERT_TRUE(result) << cut << ": " << result.error().message();
      EXPECT_EQ(found_in(result->history), expected_of(prefix) + "99 committed 1\n") << cut;
    }
  }
}

TEST(Recording, StringsThatLookLikeRecordsAreStrings) {
  const std::string value = R"("]],\"status\":\"aborted\",\"ops\":[[\\\" e committed 1 é𝄞 \u0000\n")";
  EXPECT_EQ(differs(recording("s 1\nb 1 1\ni 2 [\"w\"," + value + "," + value + "]\nd 3\nc 4\ne committed 5\n"),
                    "{\"id\":1,\"session\":1,\"begin\":1,\"end\":5,\"commit\":[4,5],\"ops\":[[\"w\"," + value + "," +
                        value + ",{\"at\":[2,3]}]]}\n"),
            "");
}

TEST(Recording, WhatIsNoRecordIsAnErrorWithItsPlace) {
  const std::string open = "s 1\nb 1 1\n";
  const std::string ended = open + "c 2\ne committed 3\n";
  const std::pair<std::string, std::string> cases[] = {
      {"x 1\n", "1:1: expected a record"},
      {"s\n", "1:1: expected a record"},
      {"\n", "1:1: expected a record"},
      {"s a\n", "1:3: expected the session's name"},
      {"s 1 2\n", "1:4: expected the end of the line"},
      {"s 01\n", "1:3: expected the session's name"},
      {"b 1 1\n", "1:1: expected `s`"},
      {"s 1\nb 1\n", "2:4: expected a space and the time of its begin"},
      {"s 1\nb 99999999999999999999 1\n", "2:3: expected the transaction's id"},
      {"s 1\nb -9223372036854775808 1\n", "2:3: expected the transaction's id"},
      {"s 1\nb -0 1\n", "2:3: expected the transaction's id"},
      {"s 1\no [\"r\",1,1]\n", "2:1: expected `b`"},
      {open + "b 2 2\n", "3:1: expected `e`"},
      {open + "s 2\n", "3:1: expected `e`"},
      {open + "o [\"r\",1,1],[\"r\",1,1]\n", "3:3: expected one operation"},
      {open + "o [\"r\",1,1]],\"status\":\"aborted\",\"x\":[[\"r\",1,1]\n", "3:3: expected one operation"},
      {open + "o \"r\"\n", "3:3: expected one operation"},
      {open + "o [\"r\",1,\"]\n", "3:3: expected one operation"},
      {open + "o ]\n", "3:3: expected one operation"},
      {open + "o [\"q\",1,1]\nc 2\ne committed 3\n", "3:4: expected an operation: "},
      {open + "i 2 [\"w\",1,nonsense]\nd 3\nc 4\ne committed 5\n", "3:12: expected a JSON value"},
      {open + "i [\"w\",1,1]\n", "3:3: expected the time before the write"},
      {open + "i 1[\"w\",1,1]\n", "3:3: expected the time before the write"},
      {open + "i 1 [\"r\",1,1]\n", "3:5: expected a write"},
      {open + "i 1 [\"w\",1,1]\nc 2\n", "3:1: expected its `d`"},
      {open + "c 2\no [\"r\",1,1]\n", "4:1: expected `f`, `p` or `e` after `c`"},
      {open + "c 2\nc 2\n", "4:1: expected `f`, `p` or `e` after `c`"},
      {open + "f \"status\":\"aborted\"\n", "3:3: expected a fact of the database, not \"status\""},
      {open + "c 2\nf \"commit\":[1,2]\n", "4:3: expected a fact of the database, not \"commit\""},
      {open + "c 0\ne committed 3\n",
       "2:1: transaction 1: its commit was sent at 0, before the transaction began at 1"},
      {open + "c 5\ne committed 3\n", "2:1: transaction 1: its commit was answered at 3, before it was sent at 5"},
      {open + "c 5\ne aborted 7\nb 2 7\ni 8 [\"w\",1,1]\nd 12\nc 7\n",
       "5:1: transaction 2: its commit was sent at 7, before its last operation was sent at 8"},
      {open + "f \"start_ts\":1,\"ops\" :[]\n", "3:16: expected a fact of the database, not \"ops\""},
      {open + "f \"\\u006fps\":[]\n", "3:3: expected a fact of the database"},
      {open + "f \"start_ts\":1}\n", "3:3: expected members"},
      {open + "f \"start_ts\":{\n", "3:3: expected members"},
      {open + "f \n", "3:3: expected members"},
      {open + "f \"start_ts\":1\nf \"commit_ts\":1\n", "4:1: expected one `f`"},
      {open + "f \"start_ts\":x\ne aborted 3\n", "3:14: expected \"start_ts\" to be"},
      {open + "p 1\np 2\n", "4:1: expected one `p`"},
      {open + "e committed 3\n", "3:3: expected `c` before it"},
      {open + "e aborted\n", "3:3: expected `committed` or `aborted` and a time"},
      {open + "e unknown 3\n", "3:3: expected `committed` or `aborted` and a time"},
      {open + "e perhaps 3\n", "3:3: expected `committed` or `aborted` and a time"},
      {ended + "b 1 1\nc 2\ne committed 3\n", "5:1: "},
      {open + "c 2\ne unknown\nb 2 5\n", "5:1: expected another session"},
      {open + "c 2\np 4\ne committed 3\nb 2 4\nc 5\np 4\ne committed 6\n", "8:1: place 4"},
  };
  for (const auto& [journal, expected] : cases) {
    EXPECT_TRUE(message_of(recording(journal)).starts_with("mem/session-0001.journal:" + expected))
        << journal << message_of(recording(journal));
  }
}

TEST(Recording, ASessionIsInOneJournalAlone) {
  EXPECT_EQ(message_of(recording("s 1\n", "s 2\ns 1\n")),
            "mem/session-0002.journal:2:1: expected a session that is only in this journal: another journal also has "
            "session 1 too");
  EXPECT_EQ(message_of(recording("s 1\ns 2\ns 1\n")), "read");
}

TEST(Recording, AnIdThatTwoJournalsHaveIsNamedAtItsSecondPlace) {
  const std::string message = message_of(recording("s 1\nb 5 1\n", "s 2\nb 5 1\n"));
  EXPECT_TRUE(message.starts_with("mem/session-0002.journal:2:1: ")) << message;
}

std::string writer(int id, const std::string& key, const std::string& rest) {
  return fmt::format("b {0} 1\ni 2 [\"w\",{1},{0}]\nd 3\nc 4\n{2}\n", id, key, rest);
}
std::string wrote(int id, int session, const std::string& key, const std::string& fields) {
  return fmt::format("{{\"id\":{0},\"session\":{1},\"begin\":1,{3}\"ops\":[[\"w\",{2},{0},{{\"at\":[2,3]}}]]}}\n", id,
                     session, key, fields);
}

TEST(Recording, PlacesOfCommitsAreTheOrderOfVersions) {
  const std::string first = "s 1\n" + writer(1, "7", "p 30\ne committed 9") + writer(2, "7", "p 10\ne committed 9") +
                            writer(3, "8", "p 11\ne committed 9");
  const std::string second = "s 2\n" + writer(4, "7", "p 20\ne committed 9") + writer(5, "7", "p 21\ne aborted 9");
  EXPECT_EQ(
      differs(recording(first, second),
              wrote(1, 1, "7", "\"end\":9,\"commit\":[4,9],") + wrote(2, 1, "7", "\"end\":9,\"commit\":[4,9],") +
                  wrote(3, 1, "8", "\"end\":9,\"commit\":[4,9],") + wrote(4, 2, "7", "\"end\":9,\"commit\":[4,9],") +
                  wrote(5, 2, "7", "\"end\":9,\"commit\":[4,9],\"status\":\"aborted\",") +
                  "{\"version_order_by_txn\":[[7,[2,4,1]],[8,[3]]]}\n"),
      "");
}

TEST(Recording, AnOrderIsCompleteOnlyIfEveryWriterThatCountsHasAPlace) {
  const std::string first = "s 1\n" + writer(1, "7", "p 2\ne committed 9") + writer(2, "7", "p 1\ne committed 9");
  const std::string second = "s 2\n" + writer(3, "7", "e unknown");
  const std::string txns =
      wrote(1, 1, "7", "\"end\":9,\"commit\":[4,9],") + wrote(2, 1, "7", "\"end\":9,\"commit\":[4,9],");
  EXPECT_EQ(differs(recording(first, second), txns + wrote(3, 2, "7", "\"status\":\"unknown\",\"commit\":[4,null],") +
                                                  "{\"version_order_by_txn\":[[7,[2,1]]],\"complete\":false}\n"),
            "");
  const std::string aborted = "s 2\n" + writer(3, "7", "e aborted 5");
  EXPECT_EQ(
      differs(recording(first, aborted), txns + wrote(3, 2, "7", "\"end\":5,\"commit\":[4,5],\"status\":\"aborted\",") +
                                             "{\"version_order_by_txn\":[[7,[2,1]]],\"complete\":true}\n"),
      "");
}

// One that may have committed and has no place could stand anywhere in the order.
TEST(Recording, AnExpectedOrderThatLeavesOutAWriterIsNotUsed) {
  const std::string ordered = "s 1\nb 1 1\ni 2 [\"w\",1,1]\nd 3\nc 4\nf \"order\":7\ne committed 5\n";
  const auto whole = read(recording(ordered, "s 2\nb 2 1\no [\"r\",1,1]\nc 4\ne committed 5\n"));
  ASSERT_TRUE(whole) << whole.error().message();
  EXPECT_EQ(whole->history.order(TxnId{0}), 7);
  const auto unknown = read(recording(ordered, "s 2\nb 2 1\ni 2 [\"w\",1,2]\nd 3\nc 4\ne unknown\n"));
  ASSERT_TRUE(unknown) << unknown.error().message();
  EXPECT_TRUE(unknown->history.columns().order.empty());
  ASSERT_EQ(unknown->notes.size(), 1U);
  EXPECT_NE(unknown->notes[0].find("1 transactions that wrote"), std::string::npos);
  const auto aborted = read(recording(ordered, "s 2\nb 2 1\ni 2 [\"w\",1,2]\nd 3\ne aborted 5\n"));
  ASSERT_TRUE(aborted) << aborted.error().message();
  EXPECT_FALSE(aborted->history.columns().order.empty());
}

TEST(Recording, EvidenceIsReadAndItsUnfinishedLineDropped) {
  Files files = recording("s 1\n" + writer(1, "7", "e committed 9"));
  files["evidence.jsonl"] = "{\"version_order_by_txn\":[[7,[1]]],\"complete\":true}\n{\"version_order_by_t";
  EXPECT_EQ(differs(files, wrote(1, 1, "7", "\"end\":9,\"commit\":[4,9],") + "{\"version_order_by_txn\":[[7,[1]]]}\n"),
            "");
  EXPECT_EQ(read(files)->notes[0], "evidence.jsonl: its last line was never finished and was dropped");

  files["evidence.jsonl"] = "{\"version_order_by_txn\":[[7,[1]]]}\n{\"version_order_by_txn\":[[7,[2]]]}\n";
  EXPECT_TRUE(message_of(files).starts_with("mem/evidence.jsonl:2:1: the version order of key 7")) << message_of(files);
  files["evidence.jsonl"] = "\n{\"session\":1,\"ops\":[]}\n";
  EXPECT_EQ(message_of(files), "mem/evidence.jsonl:2:1: expected version orders, and no transaction");
  files["evidence.jsonl"] = "{\"version_order\":5}\n";
  EXPECT_TRUE(message_of(files).starts_with("mem/evidence.jsonl:1:")) << message_of(files);
}

TEST(Recording, RecordsAfterAGapOfZerosMeanDamage) {
  const Files files = recording(std::string("s 1\nb 1 1\n") + '\0' + "\ne aborted 2\n");
  EXPECT_EQ(message_of(files),
            "mem/session-0001.journal:3:1: the file is damaged: there are records after a gap of zero bytes (--lenient "
            "reads up to there)");
  const auto lenient = read(files, true);
  ASSERT_TRUE(lenient);
  EXPECT_EQ(found_in(lenient->history), "1 aborted 0\n");
  EXPECT_EQ(lenient->notes.size(), 2U);
}

TEST(Recording, TheHeaderIsOneLineOfThisVersion) {
  Files files = recording("s 1\n");
  for (const std::string& header : {std::string("{\"isolde\":1,\"isolde-recording\":2}\n"), std::string("{}"),
                                    std::string(), std::string("{\"isolde-recording\":1}\n"), std::string("[1]")}) {
    files["header.jsonl"] = header;
    EXPECT_TRUE(message_of(files).starts_with("mem/header.jsonl:1:1: expected the header of a recording")) << header;
  }
  files["header.jsonl"] = kHeader + "{}\n";
  EXPECT_EQ(message_of(files), "mem/header.jsonl:2:1: expected only the header");
  files["header.jsonl"] = "{\"isolde\":1,\"isolde-recording\":1,\"about\":7}\n";
  EXPECT_TRUE(message_of(files).starts_with("mem/header.jsonl:1:42: ")) << message_of(files);
  files.erase("header.jsonl");
  EXPECT_EQ(message_of(files), "mem: expected a recording: it has no header.jsonl");
}

TEST(Recording, FaultsAreReadAsFarAsTheyAreWhole) {
  Files files = recording("s 1\n" + writer(1, "7", "e committed 9"));
  files["faults.jsonl"] = "{\"fault\":\"restart\",\"at\":[3,5]}\n{\"fault\":\"cra";
  EXPECT_EQ(differs(files, wrote(1, 1, "7", "\"end\":9,\"commit\":[4,9],") + "{\"fault\":\"restart\",\"at\":[3,5]}\n"),
            "");
  EXPECT_TRUE(read(files)->notes.empty());
  files["faults.jsonl"] = "{\"session\":1,\"ops\":[]}\n";
  EXPECT_EQ(message_of(files), "mem/faults.jsonl:1:1: expected faults, and no transaction");
}

}  // namespace recording_test
}  // namespace isolde
