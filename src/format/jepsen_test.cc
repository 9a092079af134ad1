#include "format/jepsen.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "history/guessed_initial.h"
#include "tests/support/jepsen.h"

namespace isolde::jepsen {
namespace jepsen_test {

// --- pairing ---

TEST(JepsenReader, AnInvocationAndItsCompletionAreOneTransaction) {
  EXPECT_EQ(text_of("{:type :invoke, :f :txn, :value [[:r :x nil] [:w :y 1]], :process 3, :index 0}\n"
                    "{:type :invoke, :f :txn, :value [[:w :x 7]], :process 4, :index 1}\n"
                    "{:type :ok, :f :txn, :value [[:w :x 7]], :process 4, :index 2}\n"
                    "{:type :ok, :f :txn, :value [[:r :x 7] [:w :y 1]], :process 3, :index 3}\n"),
            "2@4 ok 1..2: w x 7\n3@3 ok 0..3: r x 7; w y 1\n");
}

TEST(JepsenReader, AFailedAppendIsAnAbortedTransaction) {
  EXPECT_EQ(text_of("{:type :invoke :process 0 :value [[:append 1 5] [:r 1 nil]]}"
                    "{:type :fail :process 0 :value [[:append 1 5] [:r 1 nil]] :error :conflict}"),
            "0@0 fail 0..1: append 1 5\n");
}

TEST(JepsenReader, AnInfoHasNoEndAndMayBeFollowedByMoreOfItsProcess) {
  EXPECT_EQ(text_of("{:type :invoke :process 0 :value [[:w 1 5]]}"
                    "{:type :info :process 0 :value [[:w 1 5]] :error :timeout}"
                    "{:type :invoke :process 0 :value [[:w 1 6]]}"
                    "{:type :ok :process 0 :value [[:w 1 6]]}"),
            "0@0 info 0..-: w 1 5\n1@0 ok 2..3: w 1 6\n");
}

TEST(JepsenReader, AnInvocationThatIsNeverCompletedIsUnknownAndStandsLast) {
  EXPECT_EQ(text_of("{:type :invoke :process 0 :value [[:w 1 5] [:r 2 nil]] :index 0}"
                    "{:type :invoke :process 1 :value [[:w 1 6]] :index 1}"
                    "{:type :ok :process 1 :value [[:w 1 6]] :index 2}"),
            "2@1 ok 1..2: w 1 6\n0@0 info 0..-: w 1 5\n");
}

TEST(JepsenReader, ACompletionWithoutInvocationHasOnlyAnEnd) {
  EXPECT_EQ(
      text_of("{:type :ok, :process 0, :value [[:append :x 1]]}{:type :fail, :process 0, :value [[:append :x 2]]}"),
      "0@0 ok -..-: append x 1\n1@0 fail -..-: append x 2\n");
}

TEST(JepsenReader, ACompletionWithoutValueHasTheWritesOfItsInvocationAndNoReads) {
  for (const char* type : {"ok", "fail", "info"}) {
    const std::string text = fmt::format(
        "{{:type :invoke :process 0 :f :txn :value [[:w 1 5] [:r 2 nil]]}}{{:type :{} :process 0 :f :txn :value nil}}",
        type);
    EXPECT_EQ(ops_of(text), "w 1 5") << type;
  }
}

TEST(JepsenReader, AFailureThatTellsLessThanItsInvocationKeepsWhatWasAskedFor) {
  EXPECT_EQ(ops_of("{:type :invoke :process 0 :value [[:w 1 5] [:w 2 6]]}{:type :info :process 0 :value [[:w 1 5]]}"),
            "w 1 5; w 2 6");
}

TEST(JepsenReader, ReadsWithAValueStayInAFailedTransaction) {
  EXPECT_EQ(ops_of("{:type :fail :process 0 :value [[:r 1 5] [:r 2 nil]]}"), "r 1 5");
}

// "start-partition 0..1 [:isolated]": its faults, one a line.
std::string faults_of(const History& h) {
  std::string text;
  for (const FaultMark& fault : h.faults()) {
    text += fmt::format("{} {}{}", h.values().string(fault.name), fault.begin,
                        fault.end == kNoTime ? std::string() : fmt::format("..{}", fault.end));
    text += fault.detail == kNullValue ? "\n" : fmt::format(" {}\n", h.values().string(fault.detail));
  }
  return text;
}

TEST(JepsenReader, OperationsOfTheNemesisAreFaultsAtThePlaceOfTheClientsNextOperation) {
  auto result = read(
      "{:type :info :process :nemesis :f :start-partition :value nil}"
      "{:type :invoke :process 0 :f :txn :value [[:w 1 1]]}"
      "{:type :info :process :nemesis :f :start-partition :value [:isolated {\"n1\" #{\"n2\"}}]}"
      "{:type :ok :process 0 :f :txn :value [[:w 1 1]]}"
      "{:type :info :process :nemesis :f :kill :value :all}"
      "{:type :info :process :nemesis :f :kill :value \"done\"}"
      "{:type :info :process :nemesis :f :stop}");
  ASSERT_TRUE(result);
  EXPECT_EQ(text_of(result->history), "0@0 ok 0..1: w 1 1\n");
  EXPECT_EQ(faults_of(result->history), "start-partition 0..1 [:isolated {\"n1\" #{\"n2\"}}]\nkill 2 done\nstop 2\n");
  EXPECT_TRUE(result->notes.empty());
}

TEST(JepsenReader, WithoutAClockThereIsNoPlaceForAFault) {
  auto result = read(
      "{:type :info :process :nemesis :f :start-partition :value nil}"
      "{:type :ok :process 0 :f :txn :value [[:w 1 1]]}");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->history.faults().empty());
}

TEST(JepsenReader, WithoutProcessesEachTransactionIsASessionOfItsOwn) {
  auto result = read("{:type :invoke :value [[:w 1 1]]}{:type :ok :value [[:w 1 1]]}{:type :ok :value [[:w 1 2]]}");
  ASSERT_TRUE(result);
  EXPECT_EQ(text_of(result->history), "0@0 ok 0..1: w 1 1\n1@1 ok -..2: w 1 2\n");
  EXPECT_EQ(result->notes.size(), 1U);
}

TEST(JepsenReader, ASessionOfItsOwnIsNeverThatOfAProcess) {
  EXPECT_EQ(text_of("{:type :ok :value [[:w 1 1]]}{:type :ok :process 0 :value [[:w 1 2]]}"),
            "0@\"without process 0\" ok -..-: w 1 1\n1@0 ok -..-: w 1 2\n");
}

TEST(JepsenReader, IndexesThatRepeatAreNoIds) {
  EXPECT_EQ(text_of("{:type :ok :process 0 :index 5 :value []}{:type :ok :process 1 :index 5 :value []}"),
            "0@0 ok -..-:\n1@1 ok -..-:\n");
  EXPECT_EQ(text_of("{:type :ok :process 0 :index 5 :value []}{:type :ok :process 1 :value []}"),
            "0@0 ok -..-:\n1@1 ok -..-:\n");
  EXPECT_EQ(text_of("{:type :ok :process 0 :index 9 :value []}{:type :ok :process 1 :index 5 :value []}"),
            "9@0 ok -..-:\n5@1 ok -..-:\n");
}

// --- keys and values ---

TEST(JepsenReader, KeysAreCalledByTheirNames) {
  EXPECT_EQ(
      ops_of("{:type :ok :process 0 :value [[:w :x 1] [:w y 2] [:w \"z\" 3] [:w 4 4] [:w [:anti 5] 5] [:w nil 6]]}"),
      "w x 1; w y 2; w z 3; w 4 4; w \"[:anti 5]\" 5; w nil 6");
}

TEST(JepsenReader, KeysThatWouldBeOneAreKeptApart) {
  EXPECT_EQ(ops_of("{:type :ok :process 0 :value [[:w :x 1] [:w x 2] [:w \"x\" 3] [:w 4 4]]}"),
            R"(w :x 1; w x 2; w "\"x\"" 3; w 4 4)");
}

TEST(JepsenReader, ValuesMayBeAnything) {
  EXPECT_EQ(ops_of("{:type :ok :process 0 :value [[:w 1 -5] [:w 1 \"a\"] [:w 1 :k] [:w 1 nil] [:w 1 1.5] [:w 1 true]"
                   "[:w 1 [1 [2]]] [:w 1 {:b 1 :a nil}] [:w 1 123456789012345678901N]]}"),
            "w 1 -5; w 1 \"a\"; w 1 \"k\"; w 1 null; w 1 1.5; w 1 true; w 1 [1,[2]]; w 1 {\"a\":null,\"b\":1}; "
            "w 1 123456789012345678901");
}

TEST(JepsenReader, ValuesThatWouldBeOneAreKeptApart) {
  EXPECT_EQ(ops_of("{:type :ok :process 0 :value [[:w 1 :a] [:w 1 \"a\"]]}"), "w 1 \":a\"; w 1 \"\\\"a\\\"\"");
}

TEST(JepsenReader, AnEmptyListAndNilAreOneStateOfAListKey) {
  EXPECT_EQ(ops_of("{:type :ok :process 0 :value [[:r 1 []] [:append 1 2] [:r 2 []]]}"),
            "r 1 null; append 1 2; r 2 null");
}

TEST(JepsenReader, AReadOfTwoElementsIsNotKnown) {
  EXPECT_EQ(ops_of("{:type :ok :process 0 :value [[:r x] [:w x 1]]}"), "w x 1");
}

// --- workloads ---

TEST(JepsenReader, ClosedPredicatesAreScans) {
  auto result = read(
      "{:type :invoke :process 0 :f :init :value {:x 1 :y 2}}"
      "{:type :ok :process 0 :f :init :value {:x 1}}"
      "{:type :invoke :process 0 :f :txn :value [[:rp :true nil]]}"
      "{:type :ok :process 0 :f :txn :value [[:rp :true {:x 1}] [:rp [:= \"o'k\"] {}] [:rp [:mod 2 1] {:x 1}]"
      " [:rp [:= 3] nil] [:insert :z 3] [:delete :x] [:delete :y nil]]}");
  ASSERT_TRUE(result);
  const History& h = result->history;
  EXPECT_EQ(text_of(h),
            "0@0 ok 0..1: scan(TRUE) x=1; scan(value = 'o''k'); scan(value % 2 = 1) x=1; w z 3; w x null; w y null\n");
  ASSERT_EQ(h.key_text(KeyId{0}), "x");
  EXPECT_EQ(h.value_text(h.initial(KeyId{0})), "1");
  EXPECT_EQ(h.initial(KeyId{1}), kNullValue);
  EXPECT_EQ(round_trip(h), "");
}

TEST(JepsenReader, AnInitThatDidNotSucceedIsATransactionOfItsOutcome) {
  EXPECT_EQ(text_of("{:type :invoke :process 0 :f :init :value {:x 1}}{:type :info :process 0 :f :init :value {:x 1}}"
                    "{:type :ok :process 0 :f :txn :value [[:r :x 1]]}"),
            "0@0 info -..-: w x 1\n1@0 ok -..-: r x 1\n");
}

TEST(JepsenReader, BankTransfersAreIncrements) {
  auto result = read(
      "{:type :invoke :f :read :process 0}{:type :ok :f :read :process 0 :value {0 10 1 0}}"
      "{:type :invoke :f :transfer :process 0 :value {:from 0 :to 1 :amount 3}}"
      "{:type :fail :f :transfer :process 0 :value {:from 0 :to 1 :amount 3}}"
      "{:type :invoke :f :transfer :process 1 :value {:from 1 :to 0 :amount 4}}"
      "{:type :info :f :transfer :process 1}"
      "{:type :invoke :f :read :process 2}");
  ASSERT_TRUE(result);
  EXPECT_EQ(text_of(result->history),
            "0@0 ok 0..1: r 0 10; r 1 0\n1@0 fail 2..3: inc 0 -3; inc 1 3\n2@1 info 4..-: inc 1 -4; inc 0 4\n3@2 info "
            "6..-:\n");
  EXPECT_EQ(result->notes,
            std::vector<std::string>{
                "bank: initial balances are not part of the file; reads that overlap no transfer show them"});
  EXPECT_EQ(round_trip(result->history), "");
}

// "0=10 1=null": what keys hold at first, and a question mark if some of it was guessed.
std::string initials_of(const History& h) {
  std::string out;
  for (std::uint32_t k = 0; k < h.key_count(); ++k)
    out += fmt::format("{}{}={}", k == 0 ? "" : " ", h.key_text(KeyId{k}), h.value_text(h.initial(KeyId{k})));
  return out + (has_guessed_initial(h) ? " ?" : "");
}

TEST(JepsenReader, AReadThatOverlapsNoTransferShowsWhatTheAccountsHeldAtFirst) {
  const auto read_initials = [](const std::string& text) {
    auto result = read(text);
    EXPECT_TRUE(result) << text;
    EXPECT_EQ(round_trip(result->history), "") << text;
    return initials_of(result->history);
  };
  const std::string transfer =
      "{:type :invoke :f :transfer :process 1 :value {:from 0 :to 1 :amount 4}}"
      "{:type :ok :f :transfer :process 1 :value {:from 0 :to 1 :amount 4}}";
  const std::string asks = "{:type :invoke :f :read :process 0}";
  const std::string before = "{:type :ok :f :read :process 0 :value {0 10 1 0}}";
  const std::string after = "{:type :ok :f :read :process 0 :value {0 6 1 4}}";
  EXPECT_EQ(read_initials(asks + before + transfer), "0=10 1=0");
  EXPECT_EQ(read_initials(transfer + asks + after), "0=10 1=null");
  EXPECT_EQ(read_initials(asks + transfer + before), "0=10 1=0 ?");
  EXPECT_EQ(read_initials(asks + transfer + after), "0=6 1=4 ?") << "a guess that is wrong";
  EXPECT_EQ(read_initials(asks + transfer + before + asks + after), "0=10 1=null") << "a later one is sure";
  // A transfer of unknown outcome may have come before all that is read after it began.
  EXPECT_EQ(read_initials("{:type :invoke :f :transfer :process 1 :value {:from 0 :to 1 :amount 4}}" + asks + before),
            "0=10 1=0 ?");
}

TEST(JepsenReader, AnAccountThatNoTransferTouchesHoldsFromTheStartWhatIsReadFirst) {
  auto result = read(
      "{:type :ok :f :read :process 0 :value {0 10, 1 5}}"
      "{:type :invoke :f :transfer :process 0 :value {:from 1 :to 2 :amount 3}}"
      "{:type :ok :f :transfer :process 0 :value {:from 1 :to 2 :amount 3}}");
  ASSERT_TRUE(result);
  const History& h = result->history;
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    const std::string account = h.key_text(KeyId{k});
    EXPECT_EQ(h.value_text(h.initial(KeyId{k})), account == "0" ? "10" : account == "1" ? "5" : "null");
  }
  EXPECT_EQ(round_trip(h), "");
}

// The results of a read that has no known outcome stand in its :info: an invocation of a bank or a counter has none.
TEST(JepsenWriter, AReadOfUnknownOutcomeKeepsWhatItRead) {
  for (const char* text : {"{:type :invoke :f :read :process 5}"
                           "{:type :info :f :read :process 5 :value {0 50 1 50}}"
                           "{:type :ok :f :transfer :process 1 :value {:from 0 :to 1 :amount 5}}",
                           "{:type :invoke :f :read :process 5}"
                           "{:type :ok :f :read :process 0 :value {0 50 1 50}}"
                           "{:type :invoke :f :transfer :process 1 :value {:from 0 :to 1 :amount 5}}"
                           "{:type :info :f :read :process 5 :value {0 45 1 55}}",
                           "{:type :invoke :f :read :process 1}{:type :ok :f :add :process 0 :value 2}"
                           "{:type :info :f :read :process 1 :value 2}"}) {
    auto result = read(text);
    ASSERT_TRUE(result) << text;
    EXPECT_EQ(round_trip(result->history), "") << text;
  }
}

TEST(JepsenReader, ACounterBeginsAtZero) {
  auto result = read(
      "{:type :ok :f :read :process 0 :value 0}{:type :ok :f :add :process 0 :value 2}"
      "{:type :fail :f :add :process 0 :value 1}{:type :info :f :read :process 0 :value nil}");
  ASSERT_TRUE(result);
  EXPECT_EQ(text_of(result->history),
            "0@0 ok -..-: r counter 0\n1@0 ok -..-: inc counter 2\n2@0 fail -..-: inc counter 1\n3@0 info -..-:\n");
  EXPECT_EQ(result->history.value_text(result->history.default_initial()), "0");
  EXPECT_EQ(round_trip(result->history), "");
}

TEST(JepsenReader, ASetIsWritesAndScans) {
  auto result = read(
      "[{:type :ok :f :add :process 0 :value 7} {:type :ok :f :read :process 0 :value #{7}}"
      " {:type :ok :f :read :process 0 :value nil}]");
  ASSERT_TRUE(result);
  EXPECT_EQ(text_of(result->history), "0@0 ok -..-: w 7 true\n1@0 ok -..-: scan(TRUE) 7=true\n2@0 ok -..-:\n");
  EXPECT_EQ(round_trip(result->history), "");
}

TEST(JepsenReader, ACompareAndSetReadsTheOldAndWritesTheNew) {
  EXPECT_EQ(text_of("{:type :ok :f :read :process 0 :value nil}{:type :ok :f :write :process 0 :value 1}"
                    "{:type :ok :f :cas :process 0 :value [1 2]}{:type :fail :f :cas :process 0 :value [1 3]}"
                    "{:type :info :f :cas :process 0 :value [2 4]}{:type :fail :f :read :process 0 :value nil}"),
            "0@0 ok -..-: r register null\n1@0 ok -..-: w register 1\n2@0 ok -..-: r register 1; w register 2\n"
            "3@0 fail -..-: w register 3\n4@0 info -..-: r register 2; w register 4\n5@0 fail -..-:\n");
}

TEST(JepsenReader, RegistersMayBeByKey) {
  EXPECT_EQ(text_of("{:type :invoke :f :read :process 0 :value [5 nil]}{:type :ok :f :read :process 0 :value [5 1]}"
                    "{:type :ok :f :cas :process 0 :value [6 [1 2]]}{:type :ok :f :write :process 0 :value [5 3]}"),
            "0@0 ok 0..1: r 5 1\n1@0 ok -..2: r 6 1; w 6 2\n2@0 ok -..3: w 5 3\n");
}

TEST(JepsenReader, AMutexIsHeldOrNot) {
  auto result = read(
      "{:type :ok :f :acquire :process 0 :value nil}{:type :fail :f :acquire :process 1}"
      "{:type :ok :f :release :process 0}");
  ASSERT_TRUE(result);
  EXPECT_EQ(text_of(result->history),
            "0@0 ok -..-: r mutex false; w mutex true\n1@1 fail -..-: w mutex true\n2@0 ok -..-: w mutex false\n");
  EXPECT_EQ(result->history.value_text(result->history.initial(KeyId{0})), "false");
  EXPECT_EQ(round_trip(result->history), "");
}

TEST(JepsenReader, LongForksAreMicroOperations) {
  EXPECT_EQ(text_of("{:type :ok :f :write :process 0 :value [[:w 1 1]]}{:type :ok :f :read :process 0 :value [[:r 1 1] "
                    "[:r 2 nil]]}"),
            "0@0 ok -..-: w 1 1\n1@0 ok -..-: r 1 1; r 2 null\n");
}

// --- JSON ---

TEST(JepsenJson, AnArrayAndLinesSayTheSameAsEdn) {
  const std::string a = R"({"type":"invoke","f":"txn","value":[["r","x",null],["append",1,2]],"process":0,"index":1})";
  const std::string b = R"({"type":"ok","f":"txn","value":[["r","x",[1,2]],["append",1,2]],"process":0,"index":2})";
  const std::string expected = "2@0 ok 0..1: r x [1,2]; append 1 2\n";
  EXPECT_EQ(text_of("[" + a + ",\n" + b + "]\n"), expected);
  EXPECT_EQ(text_of(a + "\n" + b + "\n"), expected);
}

TEST(JepsenJson, AnObjectsKeyThatSpellsAnIntegerIsThatInteger) {
  EXPECT_EQ(text_of(R"([{"type":"ok","f":"read","process":0,"value":{"0":10,"a":1}},
                        {"type":"ok","f":"transfer","process":0,"value":{"from":0,"to":"a","amount":1}}])"),
            "0@0 ok -..-: r 0 10; r a 1\n1@0 ok -..-: inc 0 -1; inc a 1\n");
  auto result = read(R"({"type":"ok","process":0,"value":[["w","5",1],["w",5,1]]})");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->history.key_count(), 2U);
}

TEST(JepsenJson, TheNemesisAndLargeNumbersAreRead) {
  EXPECT_EQ(text_of(R"([{"type":"info","process":"nemesis","f":"start"},
                        {"type":"ok","process":1,"value":[["w","x",123456789012345678901],["w","x",1.5],["w","\u00e9","\n"]]}])"),
            "0@1 ok -..-: w x 123456789012345678901; w x 1.5; w \"\xc3\xa9\" \"\\u000a\"\n");
}

// --- recognition ---

TEST(JepsenFormat, IsRecognisedByItsContent) {
  const auto edn = [](std::string_view text) { return kJepsenEdnFormat.recognise(source_of(text)); };
  const auto json = [](std::string_view text) { return kJepsenJsonFormat.recognise(source_of(text)); };
  EXPECT_TRUE(edn("; a comment\n\n{:index 0, :type :ok}"));
  EXPECT_TRUE(edn("[{:index 0, :type :ok}]"));
  EXPECT_TRUE(edn("(#jepsen.history.Op {:process 0 :type :ok})"));
  EXPECT_FALSE(edn("{:types 1}"));
  EXPECT_FALSE(edn("{\"type\":\"ok\",\"process\":1}"));
  EXPECT_FALSE(edn(""));
  EXPECT_TRUE(json(R"([{"value":[["r","type",1]],"type":"ok"}])"));
  EXPECT_TRUE(json("{\"type\":\"ok\",\"process\":1}\n"));
  EXPECT_FALSE(json(R"({"isolde": 1, "about": "type value"})"));
  EXPECT_FALSE(json(R"({"id":1,"session":2,"type":"x","value":1,"ops":[["r","type",1]]})"));
  EXPECT_FALSE(json(R"([{"tid":1,"sid":1,"sts":{"p":1,"l":0},"ops":[{"t":"r","k":"type","value":1}]}])"));
  EXPECT_FALSE(json(R"([[{"events":[{"Read":{"variable":1,"version":1}}],"committed":true}]])"));
  EXPECT_FALSE(json("{:type :ok}"));
}

// --- what is wrong ---

TEST(JepsenReader, FaultsHaveTheirPlace) {
  EXPECT_EQ(text_of("{:type :invoke :process 0 :value [[:w 1 1]]}\n {:type :invoke :process 0 :value [[:w 1 2]]}"),
            "history:2:2: process 0 may not invoke before the invocation at 1:1 is completed (double invoke)");
  EXPECT_EQ(text_of("{:type :ok :process 0 :value [[:w 1 1] [:write 1 2]]}"),
            "history:1:41: expected :r, :w, :append, :insert, :delete or :rp, found :write");
  EXPECT_EQ(text_of("{:type :ok :process 0 :value [[:w 1]]}"),
            "history:1:31: expected [:w key value], found 2 elements");
  EXPECT_EQ(text_of("{:type :done :process 0 :value []}"),
            "history:1:8: expected :invoke, :ok, :fail or :info as :type, found :done");
  EXPECT_EQ(text_of("{:process 0 :value []}"), "history:1:1: expected :type in the operation");
  EXPECT_EQ(text_of("{:type :ok :process 0}"), "history:1:1: expected :value or :f in the operation");
  EXPECT_EQ(text_of("{:type :ok :f :txn :process 0 :value 5}"),
            "history:1:38: expected a vector of micro-operations as :value, found 5");
  EXPECT_EQ(text_of("[{:type :ok :f :transfer :process 0 :value {:from 1}}]"),
            "history:1:44: expected a transfer {:from a, :to b, :amount n} as :value, found a map");
  EXPECT_EQ(text_of("; nothing"), "history:1:1: expected at least one operation, the file has none");
  EXPECT_EQ(text_of("{\"type\":\"ok\",\"process\":0,\"value\":[[\"w\",1,tru]]}"),
            "history:1:42: expected a JSON value, found `tru`");
}

TEST(JepsenReader, ACutFileIsAFaultUnlessLenient) {
  for (const char* text : {"{:type :ok :process 0 :value [[:w 1 1]]}\n{:type :ok :process 0 :va",
                           "[{:type :ok :process 0 :value [[:w 1 1]]}\n",
                           "[{\"type\":\"ok\",\"process\":0,\"value\":[[\"w\",1,1]]},\n{\"type\":\"ok\",\"proc",
                           "{\"type\":\"ok\",\"process\":0,\"value\":[[\"w\",1,1]]}\n{\"type\":\"ok\",\"proc"}) {
    auto strict = read(text);
    EXPECT_FALSE(strict) << text;
    auto lenient = read(text, true);
    ASSERT_TRUE(lenient) << text;
    EXPECT_EQ(text_of(lenient->history), "0@0 ok -..-: w 1 1\n") << text;
    EXPECT_EQ(lenient->notes.size(), 1U) << text;
  }
  EXPECT_FALSE(read("{:type :ok :process 0 :value [[:w 1 1]]]}", true)) << "lenient forgives a cut, nothing else";
}

// --- files ---

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".edn" || extension == ".json") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void expect_round_trip(const std::string& path, bool must_be_whole) {
  auto loaded = load(path, nullptr, {});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->format->name, path.ends_with(".json") ? "jepsen-json" : "jepsen-edn");
  EXPECT_EQ(defect_of(loaded->history.columns()), "") << path;
  EXPECT_GT(loaded->history.txn_count(), 0U) << path;
  const Written file = written(loaded->history);
  if (must_be_whole) {
    EXPECT_EQ(file.lost, Lost{}) << path;
  }
  if (file.lost.empty()) {
    EXPECT_EQ(round_trip(loaded->history), "") << path;
  }
}

TEST(JepsenCorpus, EverySampleIsReadAndSurvivesTheRoundTrip) {
  const auto paths = files_below(ISOLDE_SOURCE_DIR "/tests/corpus/formats/jepsen");
  EXPECT_GE(paths.size(), 5U);
  for (const std::string& path : paths) expect_round_trip(path, false);
}

class JepsenShared : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "no shared histories: " << kFolder << " is not there";
  }
  static History history(const std::string& file) {
    auto loaded = load(kFolder + file, nullptr, {});
    EXPECT_TRUE(loaded) << loaded.error().message();
    return std::move(loaded->history);
  }
  static std::vector<std::uint32_t> statuses(const History& h) {
    std::vector<std::uint32_t> counts(3);
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) ++counts[static_cast<std::size_t>(h.status(TxnId{t}))];
    return counts;
  }
  inline static const std::string kFolder = ISOLDE_SOURCE_DIR "/../shared/histories/";
};

TEST_F(JepsenShared, EveryFileOfElleIsReadAndSurvivesTheRoundTrip) {
  const auto paths = files_below(kFolder + "elle");
  EXPECT_GE(paths.size(), 60U);
  for (const std::string& path : paths) expect_round_trip(path, true);
}

TEST_F(JepsenShared, EveryFileOfElleCliIsRead) {
  const auto paths = files_below(kFolder + "elle-cli");
  EXPECT_GE(paths.size(), 15U);
  for (const std::string& path : paths) expect_round_trip(path, false);
}

TEST_F(JepsenShared, TheCountsAreThoseOfTheFiles) {
  EXPECT_EQ(statuses(history("elle/histories/huge-scc.edn")), (std::vector<std::uint32_t>{3036, 7070, 148}));
  EXPECT_EQ(statuses(history("elle/list_append/unfindable_g_single.edn")), (std::vector<std::uint32_t>{29943, 0, 0}));
  EXPECT_EQ(statuses(history("elle/list_append/dirty_update_indirect.edn")), (std::vector<std::uint32_t>{2, 1, 1}));
  EXPECT_EQ(statuses(history("elle-cli/jepsen/bank.edn")), (std::vector<std::uint32_t>{221, 99, 1}));
}

TEST_F(JepsenShared, TheSameHistoryInEdnAndJsonIsTheSame) {
  EXPECT_EQ(difference(history("elle-cli/elle/paper-example.edn"), history("elle-cli/elle/paper-example.json")), "");
  EXPECT_EQ(difference(history("elle-cli/elle/rw-register.edn"), history("elle-cli/elle/rw-register.json")), "");
}

TEST_F(JepsenShared, ValuesAreThoseOfTheFiles) {
  EXPECT_EQ(text_of(history("elle/list_append/info_reads.edn")),
            "0@0 info -..-: append x 2\n1@1 ok -..-: append x 1; append y 1\n2@2 ok -..-: r x [1,2]; r y [1]\n");
  EXPECT_EQ(text_of(history("elle/closed_predicate/failure_to_observe.edn")),
            "3@1 ok 0..1: scan(value % 2 = 1); scan(value = 3)\n");
  EXPECT_EQ(text_of(history("elle-cli/pr-4bbf404/cas-ok.edn")),
            "0@1 ok 0..1: r register null\n1@2 ok 2..3: r register null\n"
            "2@1 ok 4..5: r register null; w register 1\n3@2 fail 6..7: w register 2\n");
}

}  // namespace jepsen_test
}  // namespace isolde::jepsen
